"""Verification of a planned compaction, by code, before it commits.

Legal on the wire, inside the window, and nothing precious missing: what must survive stands
in the window word for word, or comes back by an address that stands in it. An address counts only
where the archive gives the words back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from context_kit._log import Log
from context_kit.engrams import (
    Trail,
    constraints,
    edited_contracts,
    failures,
    revises,
    sentences,
    taken_back,
    unresolved,
)
from context_kit.summary import archived, decided, edited_files, verified
from context_kit.types import Fidelity, Survival
from context_kit.typing import Shape
from context_kit.wire import faults

__all__ = ["bare", "fidelity", "new_faults", "window_text"]

NUMBER = re.compile(r"(?<![\w.])(?:[A-Z]{2,}-\d+|\d+(?:[.:,-]\d+)*)(?![\w])")
"""Numbers, versions, dates and ticket ids in decisions."""
WORD = re.compile(r"\w+")
FEW = 60
"""Facts that are looked for in a whole window without a list of its words."""
MARKS = re.compile(r"\\+[nrt]|[\s\\]")
"""What differs between a text and the same text inside a call's JSON arguments."""


@dataclass(frozen=True, slots=True)
class _Fact:
    """Something that must survive."""

    text: str
    position: int
    """Where in the log it stands; its address brings it back."""
    name: bool = False
    """A declaration's name, qualified by what it stands in."""


@dataclass(frozen=True)
class _Text:
    """A text in which facts are looked for, read once."""

    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(WORD.findall(self.text))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(NUMBER.findall(self.text))

    def may_have(self, fact: str) -> bool:
        """Whether all inner words of a text stand here: for many facts quicker than a search for each."""
        return all(word in self.words for word in WORD.findall(fact)[1:-1])

    def has(self, fact: str) -> bool:
        """Whether every line of a text stands here word for word."""
        return fact in self.text or ("\n" in fact and all(line.strip() in self.text for line in fact.splitlines()))

    def has_name(self, fact: str) -> bool:
        """Whether a name stands here, and not as a part of another one; of a qualified one its last part."""
        return fact.partition("#")[0].rpartition(".")[2] in self.words

    def has_number(self, fact: str) -> bool:
        """Whether a number stands here, and not as a part of another one."""
        return fact in self._numbers


@dataclass(frozen=True)
class _Window:
    """The planned window."""

    bridge: _Text
    whole: _Text
    last: int
    """Newest position that the bridge's title names."""
    clipped: frozenset[int]
    """Positions of the tail's messages that stand shortened."""

    def missing(self, facts: Collection[str], kind: str) -> list[str]:
        """The facts of a class that don't stand here; the bridge, which has most of them, is looked at first."""
        look = LOOKS.get(kind, _Text.has)
        away = [fact for fact in facts if not look(self.bridge, fact)]
        sought = away if len(away) <= FEW or look is not _Text.has else filter(self.whole.may_have, away)
        found = {fact for fact in sought if look(self.whole, fact)}
        return [fact for fact in away if fact not in found]

    def reaches(self, position: int) -> bool:
        """Whether a message stands here whole, or its address does, by itself or in the title's range."""
        whole = position > self.last and position not in self.clipped
        return position > 0 and (whole or position <= self.last or f"m{position}" in self.whole.words)


LOOKS: Mapping[str, Callable[[_Text, str], bool]] = {"names": _Text.has_name, "numbers": _Text.has_number}
"""By class, how its facts are looked for, where not as whole lines."""


class _Archive:
    """What recall gives back, looked at only for what the window doesn't hold."""

    def __init__(self, log: Log, trail: Trail, redact: Callable[[str], str]) -> None:
        self._log, self._trail, self._redact = log, trail, redact
        self._texts: dict[int, str] = {}

    def gives(self, fact: _Fact, window: _Window) -> bool:
        """Whether an address that stands in the window brings a fact back."""
        places = (fact.position, self._calls.get(fact.position, 0))
        wanted = bare(fact.text.partition("#")[0].rpartition(".")[2] if fact.name else fact.text)
        if any(window.reaches(place) and self._holds(place, wanted) for place in places if place):
            return True
        if window.reaches(fact.position) and self._in_file(fact, wanted):
            return True
        return any(window.reaches(entry.position) and wanted in self._at(entry.position) for entry in self._log.entries)

    @cached_property
    def _calls(self) -> dict[int, int]:
        """The call's position, by that of its result."""
        return {deed.until: deed.position for deed in self._trail.deeds}

    def _holds(self, position: int, wanted: str) -> bool:
        """Whether a message holds a fact, which is told once: neither ever changes."""
        return self._trail.kept(("archived", position, wanted), lambda: wanted in self._at(position))

    def _at(self, position: int) -> str:
        if position not in self._texts:
            entry = self._log.entry(position)
            self._texts[position] = bare(self._redact(archived(entry.message))) if entry else ""
        return self._texts[position]

    def _in_file(self, fact: _Fact, wanted: str) -> bool:
        """Whether the content of a file as of that position has it, or the fact is the file's own path."""
        for view in self._trail.files.views.values():
            if view.as_of == fact.position and wanted in bare(self._redact(view.text or "\n".join(view.regions))):
                return True
            if fact.position in (view.last_edit, view.last_read) and fact.text == self._redact(view.path):
                name = bare(view.path.rsplit("/", 1)[-1])
                return any(name in self._at(at) for at in (fact.position, self._calls.get(fact.position, 0)) if at)
        return False


def bare(text: str) -> str:
    """A text without white space and escapes, in which it and its JSON form are the same."""
    return MARKS.sub("", text)


def new_faults(
    planned: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]], shape: Shape | None
) -> tuple[str, ...]:
    """Rules that the planned window breaks and the one before did not."""
    found = faults(planned, shape=shape)
    if not found:
        return ()
    known = {fault.rule for fault in faults(before, shape=shape)}
    return tuple(f"{fault.rule}: {fault.text}" for fault in found if fault.rule not in known)


def window_text(messages: Iterable[Any]) -> str:
    """Every string of a window, joined."""
    found: list[str] = []
    stack: list[Any] = [*messages]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node, dict):
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return "\n".join(found)


def fidelity(
    log: Log,
    trail: Trail,
    messages: Sequence[Any],
    redact: Callable[[str], str],
    *,
    bridge: str,
    last: int,
    clipped: frozenset[int] = frozenset(),
    ungrounded: tuple[str, ...] = (),
) -> Fidelity:
    """What of the session stands in the planned window, by class.

    Args:
        log: the archive; each address is tried.
        trail: what was said and done.
        messages: the planned window.
        redact: takes the secrets out, as it did in the bridge.
        bridge: the bridge's text, as it stands in the window.
        last: newest position that the bridge names as its source; each message up to it has an
            address that stands in the window.
        clipped: positions of messages after it that stand shortened in the window.
        ungrounded: names that were taken out of the summary.
    """
    window = _Window(_Text(bridge), _Text(window_text(messages)), last, clipped)
    archive = _Archive(log, trail, redact)
    classes = {name: _survival(find(trail, redact), window, archive, name) for name, find in FACTS.items()}
    return Fidelity(classes=classes, ungrounded=ungrounded)


Redact = Callable[[str], str]


def _files(trail: Trail, redact: Redact) -> Iterator[_Fact]:
    for view in edited_files(trail):
        yield _Fact(redact(view.path), view.last_edit)
    for view in trail.files.views.values():
        if view.last_read > view.last_edit:
            yield _Fact(redact(view.path), view.last_read)


def _errors(trail: Trail, redact: Redact) -> Iterator[_Fact]:
    for failure in unresolved(failures(trail)):
        if failure.line:
            yield _Fact(redact(failure.line), failure.until)
    for command, deed in verified(trail):
        yield _Fact(redact(command), deed.until)


def _user(trail: Trail, redact: Redact) -> Iterator[_Fact]:
    for said in trail.words:
        for sentence in trail.once(constraints, trail.clean(said, redact)):
            if not taken_back(sentence, said.position, trail.newer):
                yield _Fact(sentence, said.position)


def _contracts(trail: Trail, redact: Redact) -> Iterator[_Fact]:
    for contract, position in edited_contracts(trail):
        yield _Fact(redact(contract.text), position)


def _names(trail: Trail, redact: Redact) -> Iterator[_Fact]:
    for contract, position in edited_contracts(trail):
        yield _Fact(redact(contract.name), position, name=True)


def _numbers(trail: Trail, redact: Redact) -> Iterator[_Fact]:
    """Numbers and ids of the assistant's decisions, and of what a person corrected."""
    told = [(said.position, decision) for said, decision in decided(trail, redact)]
    for said in trail.words:
        told += [(said.position, line) for line in trail.once(_revising, trail.clean(said, redact))]
    for position, sentence in told:
        for number in NUMBER.findall(sentence):
            yield _Fact(number, position)


def _revising(text: str) -> tuple[str, ...]:
    return tuple(filter(revises, sentences(text)))


FACTS: Mapping[str, Callable[[Trail, Redact], Iterable[_Fact]]] = {
    "files": _files,
    "errors": _errors,
    "user": _user,
    "contracts": _contracts,
    "names": _names,
    "numbers": _numbers,
}
"""By class, what must survive: edited and read files, open errors and verifying commands, constraints, declarations and
identifiers of edited files, numbers of decisions and corrections."""


def _survival(facts: Iterable[_Fact], window: _Window, archive: _Archive, kind: str) -> Survival:
    wanted = {fact.text: fact for fact in facts if fact.text}
    missing = [wanted[text] for text in window.missing(wanted, kind)]
    lost = tuple(fact.text for fact in missing if not archive.gives(fact, window))
    return Survival(
        expected=len(wanted),
        present=len(wanted) - len(missing),
        recoverable=len(missing) - len(lost),
        lost=lost,
    )
