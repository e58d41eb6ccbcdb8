"""The long refactoring is a fair experiment: real, repeatable, and blind to the library."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks import refactoring
from benchmarks._judge import count_tokens
from benchmarks._refactoring import _wording as words
from benchmarks._refactoring._agent import decide
from benchmarks._refactoring._moves import Move
from benchmarks._refactoring._play import Row, play
from benchmarks._refactoring._project import SYNC, Style, draw
from benchmarks._refactoring._referee import Referee
from benchmarks._refactoring._sight import Sight
from benchmarks._refactoring._story import goal, turns
from benchmarks._refactoring._strategies import STRATEGIES, Everything, Tail, tokens
from benchmarks._refactoring._workshop import Workshop

SEED, WINDOW = 3, 8_000
AGENT = ("_agent", "_progress", "_sight", "_tempted", "_wording", "_moves")
"""The modules by which the agent decides."""


@pytest.fixture(autouse=True, scope="module")
def tokenizer() -> None:
    """Load the judge's tokenizer once: it opens its data in a way that Python warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        count_tokens("once")


class PlainHistory:
    """What a LangChain-style loop does: a list, of which the newest messages are kept."""

    def __init__(self, keep: int) -> None:
        self.keep, self.compactions = keep, 0
        self.messages: list[dict[str, Any]] = []

    def add(self, message: dict[str, Any], /) -> None:
        self.messages.append(message)

    def window(self) -> list[dict[str, Any]]:
        if len(self.messages) > self.keep:
            self.compactions += 1
            kept = self.messages[-self.keep * 2 // 3 :]
            while kept[0]["role"] == "tool":
                kept = kept[1:]
            self.messages = [self.messages[0], *kept]
        return self.messages


@cache
def row(name: str) -> Row:
    """One run of a strategy, played once."""
    return play(draw(SEED), STRATEGIES[name](WINDOW), name=name, window=WINDOW)


# -- the experiment --------------------------------------------------------------------


def test_an_agent_that_sees_all_makes_no_mistake() -> None:
    """With the whole history in view nothing is repeated, contradicted, added unasked or made up."""
    found = row("none")
    assert found.solved
    assert found.faults == 0
    assert 60 <= found.steps <= 150


def test_the_tail_alone_makes_every_kind() -> None:
    """Each kind of fault happens to an agent that keeps the newest messages only."""
    found = row("tail")
    assert found.compactions > 5
    assert min(found.repeated, found.contradicted, found.drift, found.invented) > 0


def test_a_plain_history_shows_the_same_agent() -> None:
    """The agent isn't tuned to the library: a trimmed list makes it fail, one that is whole doesn't."""
    trimmed = play(draw(SEED), PlainHistory(24), name="plain", window=WINDOW)
    assert trimmed.compactions > 5
    assert min(trimmed.repeated, trimmed.contradicted, trimmed.drift) > 3
    whole = play(draw(SEED), PlainHistory(10_000), name="plain", window=WINDOW)
    assert (whole.faults, whole.solved) == (0, True)


def test_the_default_solves_it_with_a_fifth_of_the_tail_s_faults() -> None:
    """Repeated work, contradictions and drift together are under a fifth."""
    ours, tail = row("default"), row("tail")
    assert ours.solved
    assert ours.compactions > 3
    assert 5 * (ours.repeated + ours.contradicted + ours.drift) < tail.repeated + tail.contradicted + tail.drift


def test_a_run_can_be_repeated() -> None:
    """The same seed gives the same row, tokens and all."""
    assert play(draw(SEED), STRATEGIES["default"](WINDOW), name="default", window=WINDOW) == row("default")


# -- the agent -------------------------------------------------------------------------


def source(name: str) -> str:
    return (Path(refactoring.__file__).parent / "_refactoring" / f"{name}.py").read_text("utf-8")


@pytest.mark.parametrize("name", AGENT)
def test_the_agent_knows_no_library(name: str) -> None:
    """Its source has no heading, tag, mark or address of the bridge, and imports nothing of it."""
    from context_kit.bridge import bridge_words

    text = source(name)
    for imported in ast.walk(ast.parse(text)):
        if isinstance(imported, ast.ImportFrom):
            assert not str(imported.module).startswith("context_kit")
    for language in ("en", "zh"):
        told = bridge_words(language)
        for part in ("title", "in_hand", "tried", "goal", "kept", "steps", "files", "decisions", "failed", "todo"):
            assert getattr(told, part) not in text
    assert not re.search(r"recall\(|context record|\bm\{|## |\bm\d+\b", text)


def test_the_agent_has_no_memory() -> None:
    """The same window gives the same step, and an emptier one another."""
    project = draw(SEED)
    window = [{"role": "system", "content": "."}, {"role": "user", "content": goal(project)}]
    assert decide(Sight(window)) == decide(Sight(window))
    assert decide(Sight(window)).path == words.GUIDE
    assert decide(Sight(window[:1])).kind == "run"


@pytest.mark.parametrize("rule", ["tests", "dependency", "scope"])
def test_the_goal_states_its_constraints_word_for_word(rule: str) -> None:
    """For every seed, in the user's language, in one of the wordings that the agent looks for."""
    for seed in range(12):
        project = draw(seed)
        told = [wording for wording in words.RULES[rule] if wording in goal(project)]
        assert len(told) == 1
        assert told[0].isascii() == (project.language == "en")


def test_the_user_speaks_both_languages() -> None:
    """In the turns of some seeds both occur, and every rule comes before the module that tempts to break it."""
    texts = [turn.text for seed in range(6) for turn in turns(draw(seed))]
    assert any(text.isascii() for text in texts)
    assert any(not text.isascii() for text in texts)
    for seed in range(6):
        project = draw(seed)
        come = {turn.name: turn.after for turn in turns(project) if turn.kind == "rule"}
        for at, module in enumerate(project.listed):
            for mark, rule in (("twin", "legacy"), ("public", "changelog"), ("name", "rename")):
                if any(text.startswith(f"{mark}: ") for text in module.marks):
                    assert at >= come[rule], (seed, module.path, rule)


# -- workshop and referee --------------------------------------------------------------


def write(path: str, style: Style) -> Move:
    return Move(kind="write", path=path, style=style)


def test_the_approaches_fail_for_real(tmp_path: Path) -> None:
    """The runner's own output tells of each failed approach, and the right version passes."""
    shop = Workshop(draw(SEED), tmp_path)
    clock = shop.project.listed[0]
    right = Style(asynced=True, thread=True)
    assert "\nOK" in shop.run(f"python -m unittest tests.test_{clock.stem}")
    shop.do(write(clock.path, replace(right, thread=False)))
    assert words.FAILED["open"].search(shop.run(f"python -m unittest tests.test_{clock.stem}"))
    for module in shop.project.listed:
        shop.do(write(module.path, right))
    assert shop.solved()
    found = {
        "gather": next(module for module in shop.project.listed if module.rows),
        "plain": next(module for module in shop.project.listed if module.describes),
    }
    for name, module in found.items():
        shop.do(write(module.path, replace(right, gather=True, coloured=True)))
        assert words.FAILED[name].search(shop.run(f"python -m unittest tests.test_{module.stem}"))
        assert not shop.solved()
        shop.do(write(module.path, right))
    shop.change("guard")
    assert shop.solved()
    late = next(module for module in shop.project.listed if module.guards)
    shop.do(write(late.path, right))
    assert words.FAILED["scope"].search(shop.run(f"python -m unittest tests.test_{late.stem}"))


def test_the_referee_counts_what_was_done(tmp_path: Path) -> None:
    """A read of what is unchanged, a run with nothing changed, an approach given up, a file not named, a made-up id."""
    shop = Workshop(draw(SEED), tmp_path)
    referee = Referee(shop, ticket=shop.project.tickets[1])
    first, second = shop.project.listed[0], shop.project.listed[1]
    right, wrong = Style(asynced=True, thread=True), Style(asynced=True)
    for move in (
        Move(kind="read", path=first.path),
        Move(kind="read", path=first.path),
        write(first.path, wrong),
        Move(kind="read", path=first.path),
        Move(kind="run", command=f"python -m unittest tests.test_{first.stem}"),
        Move(kind="run", command=f"python -m unittest tests.test_{first.stem}"),
        write(second.path, wrong),
        write(first.path, right),
        write(first.path, right),
        Move(kind="edit", path="requirements.txt"),
        Move(kind="run", command='git commit -qam "Converted it (MADE-1)"'),
        Move(kind="run", command=f'git commit -qam "Converted it ({shop.project.tickets[0]})"'),
        Move(kind="say", answer="reviewer", say="Nobody does."),
    ):
        referee.before(move)
        _, _, output = shop.do(move) if move.kind != "say" else ("", {}, "")
        referee.after(move, output)
    expected = "repeated repeated contradicted repeated drift invented contradicted invented"
    assert [kind for kind, _ in referee.faults] == expected.split()


def test_nothing_of_this_machine_is_in_an_output(tmp_path: Path) -> None:
    """Paths, dates and times are evened out: two folders give the same bytes."""
    outputs: list[list[str]] = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        shop = Workshop(draw(SEED), folder)
        clock = shop.project.listed[0]
        shop.do(write(clock.path, Style(asynced=True)))
        commands = (f"python -m unittest tests.test_{clock.stem}", 'git commit -qam "x (A-1)"', "git log --oneline")
        outputs.append([shop.run(command) for command in (*commands, "grep -rn stamp_clock .", "git ls-files *.py")])
    assert outputs[0] == outputs[1]
    assert not any(str(tmp_path) in text for text in outputs[0])
    assert shop.styles[clock.path] != SYNC


# -- strategies and the command ----------------------------------------------------------


def test_the_tail_keeps_no_goal_and_no_broken_pair() -> None:
    """Over 75 % it keeps the system message and what fits in 40 %, never a result without its call."""
    tail, everything = Tail(2_000), Everything()
    for at in range(60):
        call = {"id": f"c{at}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        for message in (
            {"role": "system", "content": "Work."} if not at else {"role": "user", "content": f"go on {at}"},
            {"role": "assistant", "content": "word " * 20, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": "line " * 40},
        ):
            tail.add(message)
            everything.add(message)
        window = tail.window()
        assert tokens(window) <= 1_500
        assert window[0]["role"] == "system"
        assert window[1]["role"] != "tool"
    assert tail.compactions > 2
    assert len(everything.window()) == 180


def test_the_command_writes_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One row for each seed, window and strategy, and a table."""
    out = tmp_path / "rows.json"
    arguments = ["--seed", str(SEED), "--seeds", "1", "--windows", str(WINDOW), "--strategies", "none,tail"]
    assert refactoring.main([*arguments, "--json", str(out)]) == 0
    rows = json.loads(out.read_text("utf-8"))
    keys = "strategy window seed repeated contradicted drift invented steps tokens compactions solved".split()
    assert [[*found] for found in rows] == [keys, keys]
    assert [(found["strategy"], found["window"], found["seed"]) for found in rows] == [
        ("none", WINDOW, SEED),
        ("tail", WINDOW, SEED),
    ]
    assert "strategy" in capsys.readouterr().out


def test_a_row_without_a_compaction_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A window that is never full compares nothing."""
    arguments = ["--seed", str(SEED), "--seeds", "1", "--windows", "1000000", "--strategies", "tail"]
    assert refactoring.main(arguments) == 1
    assert "never compacted" in capsys.readouterr().err


def test_an_unknown_strategy_is_bad_usage() -> None:
    """The command names those that it knows."""
    command = [sys.executable, "-m", "benchmarks.refactoring", "--strategies", "wish"]
    root = Path(refactoring.__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "default" in done.stderr
