"""Verification of a planned compaction, by code, before it commits.

Legal on the wire, inside the window, and nothing precious missing: what must survive stands
in the window word for word, or comes back by an address that stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from context_kit.engrams import Trail, constraints, edited_contracts, failures, taken_back, unresolved
from context_kit.summary import decided, edited_files, verified
from context_kit.types import Fidelity, Survival
from context_kit.typing import Shape
from context_kit.wire import faults

__all__ = ["fidelity", "new_faults", "window_text"]

NUMBER = re.compile(r"(?<![\w.])(?:[A-Z]{2,}-\d+|\d+(?:[.:,-]\d+)*)(?![\w])")
"""Numbers, versions, dates and ticket ids in decisions."""


@dataclass(frozen=True, slots=True)
class _Fact:
    """Something that must survive."""

    text: str
    position: int
    """Where in the log it stands; its address brings it back."""


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
    trail: Trail,
    messages: Sequence[Any],
    redact: Callable[[str], str],
    *,
    last: int,
    ungrounded: tuple[str, ...] = (),
) -> Fidelity:
    """What of the session stands in the planned window, by class.

    Args:
        trail: what was said and done.
        messages: the planned window.
        redact: takes the secrets out, as it did in the bridge.
        last: newest position that the bridge names as its source; each message up to it has an
            address that stands in the window.
        ungrounded: names that were taken out of the summary.
    """
    text = window_text(messages)
    classes: dict[str, Iterable[_Fact]] = {
        "files": _files(trail, redact),
        "errors": _errors(trail, redact),
        "user": _user(trail, redact),
        "contracts": (_Fact(redact(contract.text), position) for contract, position in edited_contracts(trail)),
        "names": (_Fact(contract.name, position) for contract, position in edited_contracts(trail)),
        "numbers": _numbers(trail, redact),
    }
    return Fidelity(
        classes={name: _survival(facts, text, last) for name, facts in classes.items()}, ungrounded=ungrounded
    )


def _files(trail: Trail, redact: Callable[[str], str]) -> Iterator[_Fact]:
    for view in edited_files(trail):
        yield _Fact(redact(view.path), view.last_edit)
    for view in trail.files.views.values():
        if view.last_read > view.last_edit:
            yield _Fact(redact(view.path), view.last_read)


def _errors(trail: Trail, redact: Callable[[str], str]) -> Iterator[_Fact]:
    for failure in unresolved(failures(trail)):
        if failure.line:
            yield _Fact(redact(failure.line), failure.until)
    for command, deed in verified(trail):
        yield _Fact(redact(command), deed.until)


def _user(trail: Trail, redact: Callable[[str], str]) -> Iterator[_Fact]:
    for said in trail.words:
        for sentence in trail.once(constraints, trail.clean(said, redact)):
            if not taken_back(sentence, said.position, trail.newer):
                yield _Fact(sentence, said.position)


def _numbers(trail: Trail, redact: Callable[[str], str]) -> Iterator[_Fact]:
    for said, decision in decided(trail, redact):
        for number in NUMBER.findall(decision):
            yield _Fact(number, said.position)


def _survival(facts: Iterable[_Fact], text: str, last: int) -> Survival:
    wanted = {fact.text: fact.position for fact in facts if fact.text}
    missing = {item: position for item, position in wanted.items() if item not in text}
    lost = tuple(item for item, position in missing.items() if not 0 < position <= last and f"m{position}" not in text)
    return Survival(
        expected=len(wanted),
        present=len(wanted) - len(missing),
        recoverable=len(missing) - len(lost),
        lost=lost,
    )
