"""A summary that never grows: each field has a share, and what doesn't fit is counted.

The newest entries stay; a longer one is clipped before a shorter one goes. Applied at every
compaction, so that fifty of them leave a summary of the size of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from context_kit.summary._extract import first_line
from context_kit.types import Decision, FailedAttempt, FileState, Step, TaskSummary
from context_kit.typing import Count

__all__ = ["fold", "lines"]

Entry = TypeVar("Entry", Step, FileState, Decision, FailedAttempt, str)

SHARES = {
    "completed_steps": 0.42,
    "current_files": 0.12,
    "key_decisions": 0.18,
    "failed_attempts": 0.18,
    "todo": 0.10,
}
"""Shares of the five fields; what one leaves over goes to the others."""
LINE_SHARE = 0.5
"""No single entry takes more of its field while others wait."""
SHORTEST = 40
"""Characters below which a clipped entry says nothing; it is left out while others stand."""
BULLET = 2
"""Tokens of a bullet and its line end."""


def fold(summary: TaskSummary, limit: int, count: Count) -> TaskSummary:
    """The summary with its five other fields within `limit` tokens; the goal is untouched."""
    sizes = {name: [_size(entry, count) for entry in getattr(summary, name)] for name in SHARES}
    if sum(map(sum, sizes.values())) <= limit:
        return summary
    rooms = _rooms({name: sum(each) for name, each in sizes.items()}, limit)
    return summary.model_copy(
        update={
            "completed_steps": _newest(summary.completed_steps, rooms["completed_steps"], count, _clip_step),
            "current_files": _first(summary.current_files, rooms["current_files"], count, _clip_file),
            "key_decisions": _newest(summary.key_decisions, rooms["key_decisions"], count, _clip_decision),
            "failed_attempts": _newest(summary.failed_attempts, rooms["failed_attempts"], count, _clip_attempt),
            "todo": _first(summary.todo, rooms["todo"], count, _clip_text),
        }
    )


def lines(entry: Step | FileState | Decision | FailedAttempt | str) -> str:
    """One entry as the bridge shows it, in one line."""
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Step):
        missing = [path for path in entry.files if path not in entry.text]
        return f"{entry.text} [{', '.join(missing)}]" if missing else entry.text
    if isinstance(entry, FileState):
        return f"{entry.path}: {entry.state}" if entry.state else entry.path
    first, second = (entry.decision, entry.reason) if isinstance(entry, Decision) else (entry.attempt, entry.error)
    return f"{first} — {second}" if second else first


def _size(entry: Step | FileState | Decision | FailedAttempt | str, count: Count) -> int:
    return count(lines(entry)) + BULLET


def _rooms(wants: dict[str, int], limit: int) -> dict[str, int]:
    """Each field's share; what small ones leave is handed to the rest."""
    rooms: dict[str, int] = {}
    open_ones, left = dict(SHARES), limit
    while open_ones:
        total = sum(open_ones.values())
        small = [name for name, share in open_ones.items() if wants[name] <= left * share / total]
        if not small:
            return rooms | {name: int(left * share / total) for name, share in open_ones.items()}
        for name in small:
            rooms[name] = wants[name]
            open_ones.pop(name)
        left = limit - sum(rooms.values())
    return rooms


def _newest(entries: Sequence[Entry], room: int, count: Count, clip: Callable[[Entry, int], Entry]) -> list[Entry]:
    return _first(entries[::-1], room, count, clip)[::-1]


def _first(entries: Sequence[Entry], room: int, count: Count, clip: Callable[[Entry, int], Entry]) -> list[Entry]:
    """Entries from the front as long as they fit; long ones clipped."""
    kept: list[Entry] = []
    most = max(int(room * (LINE_SHARE if len(entries) > 1 else 1)), 8)
    for whole in entries:
        entry, size = whole, _size(whole, count)
        if size > min(most, room):
            length = int(len(lines(whole)) * min(most, room) / size * 0.9)
            if length < SHORTEST and kept:
                continue
            entry = clip(whole, length)
            size = _size(entry, count)
        if size <= room:
            kept.append(entry)
            room -= size
    return kept


def _clip_text(entry: str, length: int) -> str:
    return first_line(entry, max(length, 8))


def _clip_step(entry: Step, length: int) -> Step:
    return entry.model_copy(update={"text": first_line(entry.text, max(length, 8)), "files": []})


def _clip_file(entry: FileState, length: int) -> FileState:
    return entry.model_copy(update={"state": first_line(entry.state, max(length - len(entry.path), 8))})


def _clip_decision(entry: Decision, length: int) -> Decision:
    text = first_line(entry.decision, max(length, 8))
    return Decision(decision=text, reason=first_line(entry.reason, max(length - len(text), 8)))


def _clip_attempt(entry: FailedAttempt, length: int) -> FailedAttempt:
    """The error's own words are worth more than the attempt's name."""
    error = first_line(entry.error, max(length * 2 // 3, 8))
    return FailedAttempt(attempt=first_line(entry.attempt, max(length - len(error), 8)), error=error)
