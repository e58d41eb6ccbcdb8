"""Where a cut may fall: between steps, never inside one, and where the provider accepts what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context_kit._steps import Step
from context_kit.wire import opens_with_thinking

__all__ = ["Cut", "cut", "legal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where a compaction cuts: everything before `index` leaves, the rest stays."""

    index: int
    """Index of the first step of the tail."""
    tokens: int
    """Estimated tokens of the tail."""


def cut(
    steps: Sequence[Step], *, start: int, room: int, floor: int, model: str | None, least: int | None = None
) -> Cut:
    """The longest legal tail within `room`; at least the newest step.

    Args:
        steps: all steps of the log.
        start: index of the first step that is still in the window.
        room: tokens that the tail may have.
        floor: tokens that the tail may have even where that is above `room`.
        model: name of the session's model, for its rules on reasoning.
        least: index that the tail must include at the latest (a step that waits for results).

    A tail that starts with an assistant message is preferred: bridge and tail then alternate.
    """
    last = len(steps) - 1
    newest = last if least is None else min(least, last)
    newest = _whole_loop(steps, newest, start, model)
    size = sum(step.cost for step in steps[newest:])
    best = Cut(index=newest, tokens=size)
    starts_well = steps[newest].role == "assistant" if steps else True
    limit = max(room, floor)
    for index in range(newest - 1, start - 1, -1):
        size += steps[index].cost
        if size > limit:
            break
        well = steps[index].role == "assistant"
        if legal(steps, index, model) and (well or not starts_well):
            best, starts_well = Cut(index=index, tokens=size), well
    return best


def legal(steps: Sequence[Step], index: int, model: str | None) -> bool:
    """Whether the tail may start at a step.

    In an open tool loop with manual thinking the tail must begin with the loop's thinking
    block (research/wire-facts 1.3.4).
    """
    if not opens_with_thinking(model) or not in_loop(steps, index):
        return True
    return _thinks(steps[index]) or not any(map(_thinks, steps[_loop_start(steps, index) : index]))


def _thinks(step: Step) -> bool:
    parts = step.entries[0].message.parts
    return bool(parts) and parts[0].kind == "reasoning"


def _loop_start(steps: Sequence[Step], index: int) -> int:
    while index > 0 and steps[index - 1].role == "assistant":
        index -= 1
    return index


def in_loop(steps: Sequence[Step], index: int) -> bool:
    """Whether a step is a later part of a tool loop that is still open at the end of the log."""
    last = steps[-1]
    if steps[index].role != "assistant" or not (last.waiting or any(e.message.results for e in last.entries)):
        return False
    return all(step.role == "assistant" for step in steps[index:])


def _whole_loop(steps: Sequence[Step], newest: int, start: int, model: str | None) -> int:
    """The newest step, moved to the front of its loop where the loop's thinking can't be cut."""
    while newest > start and not legal(steps, newest, model):
        newest -= 1
    return newest
