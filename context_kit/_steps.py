"""Steps: the smallest units that may be dropped; calls and results never part.

A step is an assistant message with all its tool calls and their results (in the Responses
shape: all items of one reply and their outputs), or one user message. Grouping is
incremental: each message is looked at once, when it is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from context_kit._entry import Entry
from context_kit.errors import InvalidMessageError
from context_kit.typing import Shape
from context_kit.wire import Message, Part, Tie, late_result, read, render, spoken, tied_to

__all__ = ["PLACEHOLDER_COST", "Entry", "Step", "Steps"]

PLACEHOLDER_COST = 20
"""Tokens of the placeholder of one call without a result, framing included; an upper bound."""

NOTHING: Mapping[str, Part] = MappingProxyType({})
"""Shared by the many steps in which no call waits."""


@dataclass(slots=True, eq=False)
class Step:
    """The smallest unit that may be dropped; grows until its results are in."""

    entries: list[Entry] = field(default_factory=list[Entry])
    waiting: Mapping[str, Part] = field(default_factory=lambda: NOTHING)
    """Calls that have no result yet, by id, oldest first."""
    sealed: frozenset[str] = frozenset()
    """Waiting calls whose placeholder was handed out with a message after it."""
    cost: int = 0
    """Estimated tokens of its messages."""
    pictured: bool = False
    """One of its results carries media."""
    late: bool = False
    """A result that came after its call's placeholder was sealed; goes out as a user message."""

    def copy(self) -> Step:
        """A step that may grow without this one."""
        return replace(self, entries=list(self.entries))

    def clipped(self, replaced: Mapping[int, Mapping[str, object]]) -> Step:
        """A step whose messages are these, by position; a late one is rendered from its parts, so it is read anew."""
        entries = list(self.entries)
        for at, each in enumerate(entries):
            if each.position in replaced:
                message = replace(each.message, raw=dict(replaced[each.position]))
                entries[at] = replace(each, message=read(message.raw).messages[0] if self.late else message)
        return replace(self, entries=entries)

    @property
    def role(self) -> str:
        """`system`, `user` or `assistant`: whose step it is."""
        role = self.entries[0].message.role
        return "user" if role == "tool" else role

    @property
    def first(self) -> int:
        """Position of its first message."""
        return self.entries[0].position

    def _late(self) -> list[dict[str, object]]:
        """Results that came too late, as user messages; what the person wrote beside them stays."""
        message = self.entries[0].message
        content = message.raw.get("content")
        mixed = content if isinstance(content, list) and message.raw.get("role") == "user" else []
        rest = [block for block in mixed if block.get("type") != "tool_result"]
        late = [late_result(message, result) for result in message.results]
        return [*late, {**message.raw, "content": rest}] if rest else late

    def rendered(self, shape: Shape | None) -> list[dict[str, object]]:
        """The wire form, with placeholders where results are missing."""
        if self.late:
            return self._late()
        if self.waiting or self.pictured or shape in ("anthropic", "responses"):
            return render([entry.message for entry in self.entries], shape=shape)
        return [spoken(entry.message.raw) for entry in self.entries]


class Steps:
    """All steps of a log, in order, and the calls that wait in them."""

    def __init__(self) -> None:
        self.all: list[Step] = []
        self.shape: Shape | None = None
        """The session's shape, once a message told it."""
        self.unanswered: list[Step] = []
        """Steps in which a call waits, oldest first."""
        self._open: dict[str, Step] = {}
        self._asked: Message | None = None
        self._home: Step | None = None

    def scratch(self) -> Steps:
        """A copy that may be extended without touching this one: newest step and open calls."""
        growing = (*self.unanswered, *self._open.values(), *self.all[-1:])  # a call that left may still be answered
        copies = {id(step): step.copy() for step in growing}
        tried = Steps()
        tried.shape = self.shape
        tried.all = [copies.get(id(step), step) for step in self.all]
        tried.unanswered = [copies[id(step)] for step in self.unanswered]
        tried._open = {key: copies[id(step)] for key, step in self._open.items()}
        return tried

    def speak(self, shape: Shape) -> None:
        """The shape is known; where a message belongs is asked again, so that live and reopened logs agree."""
        self.shape = shape
        self._asked = None

    def home(self, message: Message) -> Step | None:
        """The step that a message belongs to; None where it starts one.

        Raises:
            InvalidMessageError: a result that no open call waits for, a second result of
                one call, or results of several steps in one message.
        """
        if message is not self._asked:
            self._home = self._find_home(message)
            self._asked = message
        return self._home

    def _find_home(self, message: Message) -> Step | None:
        if message.role == "tool" and (results := message.results):
            return self._home_of_results(message, results)
        last = self.all[-1] if self.all else None
        if self.shape == "anthropic" or message.shape == "anthropic":
            self._check_served(message)
        if last is None or message.starts:
            return None
        if message.role == "system":
            return last if self.shape == "anthropic" else None
        if (tie := tied_to(message.raw)) is not None:
            self._check_tied(tie)
        if message.role == "assistant" and last.role == "assistant" and self._continues(last):
            _check_apart(message, last)
            return last
        return None

    def _check_served(self, message: Message) -> None:
        """Refuse a server tool's result whose call does not stand before it in the same turn (wire-facts 1.2.6)."""
        served = [part for part in message.parts if part.server]
        if all(part.kind != "result" for part in served):
            return
        known: set[str] = set()
        for step in reversed(self.all):
            if step.role == "user":
                break
            known |= {part.id for e in step.entries for part in e.message.parts if part.server and part.kind == "call"}
        for part in served:
            if part.kind == "call":
                known.add(part.id)
            elif part.kind == "result" and part.id not in known:
                msg = f"{part.id!r:.60} has no server tool call before it in this turn: add both, or drop this block"
                raise InvalidMessageError(msg, field=f"content[{part.at}].tool_use_id")

    def _check_tied(self, tie: Tie) -> None:
        """Refuse an item that answers one which was never added."""
        found = (entry.message.raw for step in reversed(self.all) for entry in step.entries)
        if not any(raw.get("type") == tie.type and raw.get(tie.key) == tie.id for raw in found):
            msg = f"{tie.id!r:.60} is the {tie.key} of no {tie.type} in this session: add that item before it"
            raise InvalidMessageError(msg, field=tie.field)

    def _continues(self, last: Step) -> bool:
        """Whether an assistant message after this step is more of the same reply."""
        more = self.shape == "responses" or (self.shape == "anthropic" and not last.waiting)
        return more and last.entries[-1].message.role == "assistant"

    def _home_of_results(self, message: Message, results: Sequence[Part]) -> Step | None:
        if len(results) == 1 and (only := self._open.get(results[0].id)) is not None and not only.sealed:
            return only
        homes: list[Step] = []
        seen: set[str] = set()
        for result in results:
            step = self._open.get(result.id)
            if step is None or result.id in seen:
                twice = result.id in seen or self._answered(result.id)
                what = "a second result for" if twice else "a result without"
                advice = "drop this one" if twice else self._advice()
                msg = f"{what} call {result.id!r:.60}: each call takes one result, given after it; {advice}"
                raise InvalidMessageError(msg, field=_result_field(message, result))
            seen.add(result.id)
            homes.append(step)
        if any(step is not homes[0] for step in homes):
            msg = "holds results of several steps: add the results of each step in a message of their own"
            raise InvalidMessageError(msg, field=_result_field(message, results[0]))
        sealed = {result.id for result in results} & homes[0].sealed
        return None if sealed and homes[0] is not self.all[-1] else homes[0]

    def _advice(self) -> str:
        waiting = ", ".join(f"{key!r:.60}" for key in list(self._open)[:8])
        return f"the calls that wait for one are {waiting}" if waiting else "drop this one"

    def _answered(self, call_id: str) -> bool:
        return any(
            part.id == call_id
            for step in reversed(self.all)
            for entry in step.entries
            for part in entry.message.parts
            if part.kind == "result"
        )

    def place(self, entry: Entry) -> Step:
        """Add a message that `home` has accepted; its step."""
        message = entry.message
        step = self.home(message)
        self._asked = None
        if step is None:
            step = Step(entries=[entry], cost=entry.cost, late=message.role == "tool" and bool(message.results))
            self.all.append(step)
        else:
            step.entries.append(entry)
            step.cost += entry.cost
        for part in message.parts:
            if part.kind == "text" or part.server:
                continue
            if part.kind == "call":
                self._wait(step, part)
            elif part.kind == "result" and not step.late:
                step.pictured = step.pictured or bool(part.block)
                self._answer(part)
        return step

    def _wait(self, step: Step, call: Part) -> None:
        if not step.waiting:
            self.unanswered.append(step)
        step.waiting = {**step.waiting, call.id: call}
        self._open[call.id] = step

    def _answer(self, result: Part) -> None:
        step = self._open.pop(result.id, None)
        if step is not None and result.id in step.waiting:
            left = dict(step.waiting)
            del left[result.id]
            step.waiting = left or NOTHING
            if not left and step in self.unanswered:
                self.unanswered.remove(step)

    @property
    def waiting(self) -> int:
        """How many calls of the window's steps wait."""
        return sum(len(step.waiting) for step in self.unanswered)

    def retire(self, start: int) -> None:
        """Steps before an index have left the window: no placeholder of theirs is sent any more."""
        gone = {id(step) for step in self.all[:start] if step.waiting}
        self.unanswered = [step for step in self.unanswered if id(step) not in gone]

    def seal(self, step: Step) -> None:
        """The placeholders of a step were handed out with a message after them: they stay."""
        step.sealed |= step.waiting.keys()


def _check_apart(message: Message, step: Step) -> None:
    """Refuse a call whose id another call of the same reply has: its result could be either's."""
    for call in message.calls:
        if call.id in step.waiting:
            msg = f"call {call.id!r:.60} stands twice in one reply: number calls apart, or drop this one"
            raise InvalidMessageError(msg, field="call_id" if message.shape == "responses" else "content")


def _result_field(message: Message, result: Part) -> str:
    if message.shape == "anthropic":
        return f"content[{max(result.at, 0)}].tool_use_id"
    return "call_id" if message.shape == "responses" else "tool_call_id"
