"""One run: the loop between window, agent and workshop, until the agent says that it is done."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks._refactoring import _wording as words
from benchmarks._refactoring._agent import decide
from benchmarks._refactoring._moves import Move
from benchmarks._refactoring._plain import Everything, Strategy, tokens
from benchmarks._refactoring._project import Project
from benchmarks._refactoring._referee import Referee
from benchmarks._refactoring._sight import Sight
from benchmarks._refactoring._story import Turn, goal, turns
from benchmarks._refactoring._workshop import Workshop

__all__ = ["LIMIT", "STILL", "Row", "compactions_over", "messages_of", "play"]

LIMIT: Final = 400
"""Steps after which a run counts as not solved."""
STILL: Final = 30
"""Steps without any change on disk or any word from the user after which a run is stopped as stuck, not solved; an
agent that sees all is never still for more than ten."""
SYSTEM: Final = "You are a coding agent. You work in a repository with the tools that you have, one step at a time."

Watch = Callable[[list[dict[str, Any]], Move, Referee], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one run came to."""

    strategy: str
    window: int
    seed: int
    repeated: int
    contradicted: int
    drift: int
    invented: int
    steps: int
    tokens: int
    """Of all windows sent, summed."""
    compactions: int
    solved: bool
    extracted: int = 0
    """Texts that a model was asked for and failed at, which were extracted instead."""

    @property
    def faults(self) -> int:
        """The four kinds together."""
        return self.repeated + self.contradicted + self.drift + self.invented


def play(project: Project, history: Strategy, *, name: str, window: int, watch: Watch | None = None) -> Row:
    """One run of the agent on a project with a history.

    Args:
        project: what to convert.
        history: takes the messages, gives the windows.
        name: of the strategy, for the row.
        window: in tokens, for the row.
        watch: sees each window, the step that it led to, and the referee, before the step is taken.
    """
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(project, Path(folder).resolve())
        session = _Session(project, shop, history)
        while not session.over and session.steps < LIMIT and session.still < STILL:
            session.step(watch)
        referee = session.referee
        return Row(
            strategy=name,
            window=window,
            seed=project.seed,
            repeated=referee.count("repeated"),
            contradicted=referee.count("contradicted"),
            drift=referee.count("drift"),
            invented=referee.count("invented"),
            steps=session.steps,
            tokens=session.tokens,
            compactions=history.compactions,
            solved=session.over and shop.solved(),
        )


def messages_of(project: Project) -> list[dict[str, Any]]:
    """The messages of a run whose agent sees all."""
    history = Everything()
    play(project, history, name="none", window=0)
    return history.window()


def compactions_over(messages: Sequence[dict[str, Any]], history: Strategy) -> int:
    """How often a history compacts when these messages come, whatever its windows show."""
    for message in messages:
        if message["role"] == "assistant":
            history.window()
        history.add(message)
    return history.compactions


class _Session:
    """A run under way."""

    def __init__(self, project: Project, shop: Workshop, history: Strategy) -> None:
        self.project, self.shop, self.history = project, shop, history
        self.referee = Referee(shop, ticket=project.tickets[0])
        self.coming: list[Turn] = list(turns(project))
        self.steps = self.tokens = self.still = 0
        self.over = False
        history.add({"role": "system", "content": SYSTEM})
        self._say(goal(project))

    def step(self, watch: Watch | None) -> None:
        """Window, decision, deed."""
        window = self.history.window()
        self.tokens += tokens(window)
        self.steps += 1
        move = decide(Sight(window))
        self.referee.before(move)
        if watch is not None:
            watch(window, move, self.referee)
        if move.kind == "say":
            self.history.add({"role": "assistant", "content": move.say})
            self.over = move.final
            if not move.final:
                self._say(words.GO_ON[self.project.language])
            return
        self._act(move)
        if move.command.startswith("git commit"):
            self._hear()

    def _act(self, move: Move) -> None:
        before = self.shop.digest()
        name, arguments, output = self.shop.do(move)
        self.still = self.still + 1 if self.shop.digest() == before else 0
        self.referee.after(move, output)
        id_ = f"call_{self.steps}"
        function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
        call = {"id": id_, "type": "function", "function": function}
        self.history.add({"role": "assistant", "content": self._spoken(move), "tool_calls": [call]})
        self.history.add({"role": "tool", "tool_call_id": id_, "content": output})

    def _spoken(self, move: Move) -> str:
        """What the agent says, with the approaches that it gives up in one of their wordings."""
        chosen = ("".join(words.LESSONS[name][(self.project.seed + at) % 3]) for at, name in enumerate(move.lessons))
        return " ".join([move.say, *chosen])

    def _hear(self) -> None:
        """The user's next turn, where it is due."""
        if not self.coming or self.shop.converted < self.coming[0].after:
            return
        turn = self.coming.pop(0)
        if turn.kind == "changed":
            self.shop.change(turn.name)
            self.referee.changed(turn.name)
        elif turn.kind == "ticket":
            self.referee.ticket = self.project.tickets[1]
        self._say(turn.text)

    def _say(self, text: str) -> None:
        self.still = 0
        self.history.add({"role": "user", "content": text})
