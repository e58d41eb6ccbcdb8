"""Verification of a planned compaction, by code, before it commits.

Legal on the wire, inside the window, and nothing precious missing: what must survive stands
in the window word for word or comes back by an address that stands in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from context_kit.engrams import Trail, constraints, failures, unresolved
from context_kit.summary import edited_files
from context_kit.types import Fidelity, Survival
from context_kit.typing import Shape
from context_kit.wire import faults

__all__ = ["fidelity", "new_faults", "window_text"]


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


def fidelity(trail: Trail, messages: Sequence[Any], redact: Callable[[str], str], bridge_id: str) -> Fidelity:
    """What of the session stands in the planned window, by class."""
    text = window_text(messages)
    everything = f'recall("{bridge_id}")' in text
    paths = [view.path for view in edited_files(trail)]
    errors = [redact(failure.line) for failure in unresolved(failures(trail)) if failure.line]
    sentences = [sentence for said in trail.words for sentence in trail.once(constraints, trail.clean(said, redact))]
    return Fidelity(
        classes={
            "files": _survival(paths, text, recoverable=everything),
            "errors": _survival(errors, text, recoverable=everything),
            "user": _survival(sentences, text, recoverable=everything),
        }
    )


def _survival(expected: Iterable[str], text: str, *, recoverable: bool) -> Survival:
    wanted = list(dict.fromkeys(expected))
    missing = [item for item in wanted if item not in text]
    return Survival(
        expected=len(wanted),
        present=len(wanted) - len(missing),
        recoverable=len(missing) if recoverable else 0,
        lost=() if recoverable else tuple(missing),
    )
