"""What a session's lines are once something is forgotten: pure, line by line, the same however often it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from context_kit.errors import InvalidMessageError
from context_kit.memory._cleaning._scrub import FORGOTTEN, Scrub
from context_kit.memory._cleaning._tombs import mapped, said, tombstone, unbound
from context_kit.tokens import cost, counter
from context_kit.types import Record
from context_kit.wire import binds_reasoning, read, shape_of

__all__ = ["NOTED", "Aim", "Change", "changed", "record_change"]

Line = dict[str, Any]
ADDRESSES = frozenset("kept summarised clipped pinned evicted of id source k trigger rung summariser outcome".split())
"""Keys whose text is an address, or a word of the library's own."""
NOTED = "forgotten"
"""Action of the record that says that something was forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What is to be forgotten."""

    scrub: Scrub
    stone: str
    """What is said in its place."""
    messages: Mapping[int, Any] = field(default_factory=dict[int, Any])
    """Of the session: position and message of each that is forgotten whole."""
    about: frozenset[int] = frozenset()
    """Positions of messages that are about the same file."""
    names: frozenset[str] = frozenset()
    """Ids of engrams and journal records that are forgotten whole."""


class Change:
    """What becomes of each line of one session's log."""

    def __init__(self, aim: Aim, lines: Sequence[Line], *, own: bool) -> None:
        self._aim = aim
        self._own = own
        """Whether it is the session whose messages are meant."""
        opened = [line for line in lines if line.get("k") == "open"]
        self._model = opened[-1].get("model") if opened else None
        self._bound = binds_reasoning(self._model)
        self._shape = shape_of(line["m"] for line in lines if line.get("k") == "add")
        self._tied = _tied(lines) if self._shape == "responses" else None
        self.sources = self._left(lines)
        """What the session still has, as one text."""
        self._first = self._changed_from(lines)

    def __call__(self, line: Line) -> Iterable[Line]:
        """A line as `IndexedStore.rewrite` asks for it."""
        if "damaged" in line:
            text = str(line["damaged"])
            return () if self._aim.scrub.source(text, quotes=True) != text else (line,)
        made = self._made(line)
        if made is not None and self._bound and made.get("k") == "add" and made["n"] > self._first:
            made = self._unbound(made)
        return () if made is None else (made,)

    def _unbound(self, line: Line) -> Line | None:
        if self._tied is not None and line["n"] not in self._tied:
            return line
        bare = unbound(line["m"], self._shape)
        return None if bare is None else line if bare is line["m"] else {**line, "m": bare}

    def touches(self, lines: Iterable[Line]) -> bool:
        """Whether any of the lines changes."""
        return any(list(self(line)) != [line] for line in lines)

    def text(self, text: str) -> str:
        """What the library made of the session, such as its checkpoint, without what is forgotten."""
        return self._aim.scrub.made(text, self.sources)

    def _left(self, lines: Sequence[Line]) -> str:
        found = (self._message(line) for line in lines if line.get("k") == "add" and not line.get("i"))
        return "\n".join(text for raw in found if raw for text in said(raw))

    def _changed_from(self, lines: Sequence[Line]) -> int:
        """Position behind which reasoning is bound to bytes that have changed."""
        newest = 0
        for line in lines:
            newest = int(line.get("n", newest)) if line.get("k") == "add" else newest
            if self._bound and self._made(line) != line:
                return newest
        return newest

    def _made(self, line: Line) -> Line | None:
        kind = line.get("k")
        if kind == "add":
            raw = self._message(line)
            if raw is None or raw is line["m"]:
                return None if raw is None else line
            return {**line, "m": raw, "t": self._cost(raw, line)}
        if kind == "pin":
            return {**line, "engram": self._engram(line["engram"], pinned=True)}
        if kind == "compact":
            replaced = {at: self._clipped(at, raw) for at, raw in line.get("replaced", {}).items()}
            line = {**line, "replaced": replaced, "names": self._names(line.get("names", {}))}
        if kind in ("compact", "skip"):
            engrams = [self._engram(each) for each in line["receipt"].get("engrams", ())]
            line = {**line, "receipt": {**line["receipt"], "engrams": engrams}}
        made: Line = mapped(line, self.text, kept=frozenset() if self._aim.scrub.literal else ADDRESSES)
        return {**made, "k": kind}

    def _names(self, names: Mapping[str, str]) -> dict[str, str]:
        """Engrams by what they are of; each keeps its number, so that no other one gets it."""
        made: dict[str, str] = {}
        for key, name in names.items():
            left = self.text(key)
            made[left if left not in made else f"{left} {name}"] = name
        return made

    def _message(self, line: Line) -> Any:
        """The message of a line; None where it goes."""
        raw, at = line["m"], int(line["n"])
        if self._own and at in self._aim.messages and self._aim.messages[at] == raw:
            return tombstone(raw, self._aim.stone)
        if line.get("i"):
            return mapped(raw, lambda text: self._aim.scrub.source(text, quotes=True))
        quotes = self._own and at in self._aim.about
        return mapped(raw, lambda text: self._aim.scrub.source(text, quotes=quotes))

    def _clipped(self, at: str, raw: Any) -> Any:
        if self._own and at.isdigit() and int(at) in self._aim.messages:
            return tombstone(raw, self._aim.stone)
        return mapped(raw, self.text)

    def _engram(self, engram: Line, *, pinned: bool = False) -> Line:
        whole = self._own and (engram.get("id") in self._aim.names or self._of(engram.get("source")))
        text = str(engram.get("text", ""))
        left = self._aim.scrub.source(text) if pinned else self.text(text)
        label = self.text(str(engram.get("label", "")))
        return {**engram, "text": FORGOTTEN if whole else left, "label": label}

    def _of(self, source: object) -> bool:
        return isinstance(source, str) and source[1:].isdigit() and int(source[1:]) in self._aim.messages

    def _cost(self, raw: Any, line: Line) -> int:
        try:
            return sum(cost(m, count=counter(self._model), model=self._model) for m in read(raw).messages)
        except InvalidMessageError:
            return int(line.get("t", 0))


def _tied(lines: Iterable[Line]) -> frozenset[int]:
    """Positions of the items of replies that hold reasoning: their ids point to it."""
    tied: set[int] = set()
    reply: list[Line] = []
    for line in (line for line in lines if line.get("k") == "add"):
        by_model = line["m"].get("role") == "assistant" or "role" not in line["m"]
        reply = [*reply, line] if by_model and not str(line["m"].get("type")).endswith("_output") else []
        if any(each["m"].get("type") == "reasoning" for each in reply):
            tied.update(each["n"] for each in reply)
    return frozenset(tied)


def record_change(aim: Aim, sources: str, line: Line) -> Iterable[Line]:
    """What becomes of a line of the journal."""
    if "damaged" in line:
        text = str(line["damaged"])
        return () if aim.scrub.source(text, quotes=True) != text else (line,)
    if line.get("id") in aim.names:
        made: Line = {key: line[key] for key in ("at", "id", "ts", "session", "agent") if key in line}
        return (made | {"action": NOTED, "reason": aim.stone},)
    texts = [key for key in line if key in Record.__dataclass_fields__ or key in ("cmds", "was")]
    left = {key: mapped(line[key], lambda text: aim.scrub.made(text, sources)) for key in texts if key not in _PLAIN}
    return ({**line, **left},)


_PLAIN = ("id", "ts", "session", "agent", "action")


def changed(change: Change, lines: Iterable[Line]) -> tuple[str, ...]:
    """What of a session's log changes: addresses, its goal by that name."""
    found, goal = list[str](), 0
    for line in lines:
        kind, person = line.get("k"), line.get("k") == "add" and not line.get("i") and line["m"].get("role") == "user"
        goal = goal or (int(line["n"]) if person else 0)
        if list(change(line)) == [line]:
            continue
        if kind == "add":
            found.append(f"m{line['n']} (its goal)" if person and line["n"] == goal else f"m{line['n']}")
        elif kind == "pin":
            found.append(str(line["engram"].get("id")))
        elif kind in ("compact", "skip"):
            found.append(str(line["receipt"].get("id")))
    return tuple(dict.fromkeys(found))
