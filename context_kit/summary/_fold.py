"""A summary that never grows: what matters most to going on keeps its place, the rest gives way.

Order of worth: open errors word for word, edited files, verifying commands with their results,
read files, what is next, decisions, and last the narrative. Each rank has a floor, so that none is
starved by the others. Applied at every compaction: fifty of them leave a summary of the size of one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from context_kit.summary._deeds import newest_deeds
from context_kit.summary._line import first_line, short_name
from context_kit.summary._phrases import PHRASES
from context_kit.summary._ranks import ADDRESSED, attempt_rank, checks, step_rank
from context_kit.types import Decision, FailedAttempt, FileState, Step, TaskSummary
from context_kit.typing import Count

__all__ = ["fold", "lines", "short_paths"]

Entry = Step | FileState | Decision | FailedAttempt | str
FIELDS = ("completed_steps", "current_files", "key_decisions", "failed_attempts", "todo")

FLOORS = {
    "error": 0.25,
    "edit": 0.17,
    "command": 0.17,
    "decision": 0.12,
    "why": 0.04,
    "step": 0.06,
    "deed": 0.04,
    "todo": 0.06,
    "file": 0.03,
    "reason": 0.0,
    "read": 0.06,
    "solved": 0.0,
    "prose": 0.0,
    "search": 0.0,
}
"""Ranks, most worth first, with the share of the whole that each has in any case; the rest goes in this order."""
NAMES = {"edit": 0.5, "read": 0.2}
"""Ranks whose files are all named before anything else gets room, with the share that they may take for it."""
NAMING = 20
"""Tokens of such a line beside the names."""
LINE_SHARE = 0.4
"""No single entry takes more of its rank's room while others wait."""
SHORTEST = 40
"""Characters below which a clipped entry says nothing; it is left out while others stand."""
FIGURE = 32
"""Characters in which a result's first figure has to stand to be kept where the rest has no room."""
NAME = 16
"""Characters of an attempt that stand in any case: an error without what met it says little."""
FIGURES = re.compile(r".{0,20}?(?<![\d.,])\d[\d,]*\s?[^\W\d]+")
BULLET = 3
"""Tokens of a bullet and its line end."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One entry on its way into the summary."""

    rank: str
    field: str
    place: int
    """Its place in the field."""
    entry: Entry


def fold(summary: TaskSummary, limit: int, count: Count) -> TaskSummary:
    """The summary with its five other fields within `limit` tokens; the goal is untouched."""
    items = list(_items(summary))
    if sum(_size(item.entry, count) for item in items) <= limit:
        return summary
    kept: list[_Item] = []
    among = {path for item in items if isinstance(item.entry, Step) for path in item.entry.files}
    for rank, room in _rooms(items, limit, count).items():
        mine = [item for item in items if item.rank == rank]
        if rank in _VERBS:
            kept += _listed(rank, mine, room, count, among)
        else:
            kept += _chosen(_plainer(_once(mine, room, count), room, count), room, count)
    return summary.model_copy(update={name: _field(name, kept) for name in FIELDS})


def _rooms(items: Sequence[_Item], limit: int, count: Count) -> dict[str, int]:
    """Tokens for each rank: its floor where it wants that much, then what is left, most worth first."""
    wants = dict.fromkeys(FLOORS, 0)
    for item in items:
        wants[item.rank] += _size(item.entry, count)
    least = {rank: _shortest(items, rank, int(most * limit), count) for rank, most in NAMES.items()}
    others = (limit - sum(least.values())) / limit if limit else 0.0
    rooms = {
        rank: min(wants[rank], max(least.get(rank, 0), int(floor * others * limit))) for rank, floor in FLOORS.items()
    }
    left = max(limit - sum(rooms.values()), 0)
    for rank, want in wants.items():
        more = min(want - rooms[rank], left)
        rooms[rank] += more
        left -= more
    return rooms


def _shortest(items: Sequence[_Item], rank: str, most: int, count: Count) -> int:
    """Tokens of a rank's file names in one line, at most `most`."""
    paths = [path for item in items if item.rank == rank and isinstance(item.entry, Step) for path in item.entry.files]
    return min(count(", ".join(short_paths(paths))) + NAMING, most) if paths else 0


def _field(name: str, kept: Sequence[_Item]) -> list[Entry]:
    return [item.entry for item in sorted(kept, key=lambda item: item.place) if item.field == name]


def _items(summary: TaskSummary) -> Iterator[_Item]:
    """Every entry with its rank."""
    ranks: dict[str, Callable[[Any], str]] = {
        "completed_steps": step_rank,
        "current_files": lambda _: "file",
        "key_decisions": lambda _: "decision",
        "failed_attempts": attempt_rank,
        "todo": lambda _: "todo",
    }
    for name, rank in ranks.items():
        yield from (_Item(rank(entry), name, place, entry) for place, entry in enumerate(getattr(summary, name)))


def _chosen(items: Sequence[_Item], room: int, count: Count) -> list[_Item]:
    """The newest entries that fit (of tasks and files the first ones); long ones clipped."""
    first = bool(items) and items[0].rank in ("todo", "file")
    kept: list[_Item] = []
    whole = bool(items) and items[0].rank in ("error", "command")
    most = max(int(room * (1 if len(items) == 1 or whole else LINE_SHARE)), 24)
    for item in items if first else reversed(items):
        entry, size = item.entry, _size(item.entry, count)
        length = len(lines(entry))
        while size > most and length >= SHORTEST:
            length = int(min(length, len(lines(entry))) * most / size * 0.9)
            entry = _clip(item.entry, length)
            size = _size(entry, count)
        if size <= room:
            kept.append(_Item(item.rank, item.field, item.place, entry))
            room -= size
    return kept


def _once(items: Sequence[_Item], room: int, count: Count) -> Sequence[_Item]:
    """Commits and their like, each where all fit, else the newest of each kind; other ranks as they are."""
    if not items or items[0].rank != "deed" or sum(_size(item.entry, count) for item in items) <= room:
        return items
    found = newest_deeds([item.entry for item in items if isinstance(item.entry, Step)])
    return [replace(items[at], entry=step) for at, step in found]


def _plainer(items: Sequence[_Item], room: int, count: Count) -> list[_Item]:
    """Errors and commands in the fullest form in which all of them fit; the words that count stay whole."""
    for length in (None, 48, FIGURE, 0):
        found = [item if length is None else _named(item, length) for item in items]
        if sum(_size(item.entry, count) for item in found) <= room:
            break
    return found


def _named(item: _Item, length: int) -> _Item:
    """An error with a shorter name of its attempt; a command without its result."""
    entry = item.entry
    if isinstance(entry, FailedAttempt) and entry.error:
        name, bracket, rest = entry.attempt.rpartition(" (")
        shown = name if checks(name) else short_name(name, length or NAME)
        short = f"{shown} ({rest}" if bracket else ""
        entry = FailedAttempt(attempt=short or first_line(entry.attempt, 24), error=entry.error)
    elif item.rank == "command" and isinstance(entry, Step):
        command, _, told = entry.text.partition(" → ")
        short = first_line(told, length) if length > FIGURE else _figure(told) if length else ""
        entry = Step(text=f"{command} → {short}" if short else _ended(command))
    return _Item(item.rank, item.field, item.place, entry)


def _figure(told: str) -> str:
    """A result up to its first figure and what it counts: what it came to, which no later run tells."""
    found = FIGURES.match(told)
    return found[0] if found and len(found[0]) <= FIGURE else ""


def _ended(command: str) -> str:
    """A command without its result: whether it passed is said all the same."""
    return command if any(command.endswith(f" {words.failed}") for words in PHRASES.values()) else f"{command} ok"


def _listed(rank: str, items: Sequence[_Item], room: int, count: Count, among: Iterable[str]) -> list[_Item]:
    """Files, one a line where they fit; else all in one line, in their shortest plain form, newest kept."""
    for found in (items, [_bare(item) for item in items]):
        if sum(_size(item.entry, count) for item in found) <= room:
            return list(found)
    words = next(w for w in PHRASES.values() if lines(items[0].entry).startswith(getattr(w, _VERBS[rank])))
    paths = [path for item in items for path in (item.entry.files if isinstance(item.entry, Step) else [])]
    verb = getattr(words, _VERBS[rank])
    ends = short_paths(paths, among)
    for start, names in ((verb, paths), (f"{verb} {words.ends}", ends)):
        step = Step(text=f"{start} {', '.join(names)}")
        if _size(step, count) <= room:
            return [_Item(rank, "completed_steps", items[-1].place, step)]
    while len(ends) > 1 and _size(step, count) > room:
        ends = ends[max(len(ends) // 8, 1) :]
        step = Step(text=f"{verb} {words.ends} …, {', '.join(ends)}")
    return [_Item(rank, "completed_steps", items[-1].place, step)] if _size(step, count) <= room else []


def _bare(item: _Item) -> _Item:
    """An edited file without the line that changed."""
    entry = item.entry
    if isinstance(entry, Step):
        head, address, _ = entry.text.partition("): ")
        entry = Step(text=f"{head})" if address else entry.text, files=entry.files)
    return _Item(item.rank, item.field, item.place, entry)


_VERBS = {"edit": "edited", "read": "read"}


def short_paths(paths: Sequence[str], among: Iterable[str] = ()) -> list[str]:
    """Each path's shortest ending, of two parts at least, that no other path has, of these and those `among` them."""
    split = [path.split("/") for path in paths]
    known = [path.split("/") for path in {*paths, *among}]
    counts = Counter("/".join(parts[-n:]) for parts in known for n in range(1, len(parts) + 1))
    endings = [["/".join(parts[-n:]) for n in range(2, len(parts) + 1)] for parts in split]
    return [
        next((ending for ending in found if counts[ending] == 1), path)
        for path, found in zip(paths, endings, strict=True)
    ]


def lines(entry: Entry) -> str:
    """One entry as the bridge shows it, in one line."""
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Step):
        missing = [path for path in entry.files if path not in entry.text]
        return f"{entry.text} [{', '.join(missing)}]" if missing else entry.text
    if isinstance(entry, FileState):
        return f"{entry.path}: {entry.state}" if entry.state else entry.path
    first, second = (entry.decision, entry.reason) if isinstance(entry, Decision) else (entry.attempt, entry.error)
    return f"{first} — {second}" if second and not (isinstance(entry, Decision) and second in first) else first


def _size(entry: Entry, count: Count) -> int:
    return _tokens(lines(entry), count) + BULLET


@lru_cache(maxsize=16_384)
def _tokens(text: str, count: Count) -> int:
    """Tokens of a line, counted once: the same entries come at every compaction."""
    return count(text)


def _clip(entry: Entry, length: int) -> Entry:
    """A shorter form of an entry; an error's own words are worth more than its attempt's name."""
    if isinstance(entry, str):
        return _address(entry, length) if ADDRESSED.search(entry) else first_line(entry, length)
    if isinstance(entry, Step):
        return Step(text=first_line(entry.text, length))
    if isinstance(entry, FileState):
        return FileState(path=entry.path, state=first_line(entry.state, max(length - len(entry.path), 8)))
    if isinstance(entry, Decision):
        text = first_line(entry.decision, length)
        return Decision(decision=text, reason=first_line(entry.reason, max(length - len(text), 8)))
    error = first_line(entry.error, max(length - 16, 8))
    return FailedAttempt(attempt=_address(entry.attempt, max(length - len(error), 12)), error=error)


def _address(attempt: str, length: int) -> str:
    """An attempt's name, cut before the address in its brackets, which stays."""
    name, bracket, rest = attempt.rpartition(" (")
    if not bracket:
        return first_line(attempt, length)
    return f"{short_name(name, max(length - len(rest) - 2, 4))} ({rest}"
