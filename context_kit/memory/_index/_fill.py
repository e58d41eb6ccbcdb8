"""The index follows the journal: the newest lines first and at once, the older ones in portions.

A portion is one transaction that begins by looking what is covered, so that processes which index the same
journal at the same time share the work and none of it is done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from context_kit.memory._files._positions import Head, Spot, head_of, line_start, parsed, spots, whole_end
from context_kit.memory._index._rank import text_of
from context_kit.memory._index._tables import (
    BusyError,
    MovedError,
    file_number,
    known,
    made_anew,
    tail,
    waiting,
    writing,
)
from context_kit.memory._index._terms import path_terms, spaced

if TYPE_CHECKING:
    import sqlite3

__all__ = ["PORTION", "WHOLE", "about", "fill", "fill_on", "gaps"]

PORTION = 1 << 18
"""Bytes of a journal's newest lines that are indexed before the first answer: some 1,000 lines."""
OLDER = 1 << 15
"""Bytes of older lines that each look adds."""
WHOLE = 1 << 21
"""Bytes of one transaction where all of it is wanted."""
SHORT, LONG = 0.25, 20.0
"""Seconds to wait for others who are indexing: where what is there will do, and where all of it is wanted."""
Gap = tuple[int, int]
"""First byte, and the byte after the last."""


def fill(database: sqlite3.Connection, descriptor: int, *, stands: Callable[[], bool]) -> Head:
    """Index one portion of what is not yet, the newest lines of it; how the journal begins.

    Raises:
        MovedError: the journal was rewritten, and this is the old one: nothing of it may be indexed.
        BusyError: others are indexing, and what there is does not do.
    """
    head = known(database, descriptor)
    end = whole_end(descriptor)
    if head is None or gaps(database, head, end):
        with waiting(database, SHORT):
            try:
                head = _more(database, descriptor, end, oldest=False, stands=stands)
            except BusyError:
                if head is None:
                    raise  # else somebody is at it: what is there will do
    return head


def fill_on(database: sqlite3.Connection, descriptor: int, *, stands: Callable[[], bool]) -> bool:
    """Index one large portion of what is not yet, the oldest lines of it; whether anything is left.

    Raises:
        MovedError: the journal was rewritten, and this is the old one.
        BusyError: others are indexing for a long time.
    """
    head = known(database, descriptor)
    end = whole_end(descriptor)
    if head is not None and not gaps(database, head, end):
        return False
    with waiting(database, LONG):
        head = _more(database, descriptor, end, oldest=True, stands=stands)
    return bool(gaps(database, head, end))


def _more(database: sqlite3.Connection, descriptor: int, end: int, *, oldest: bool, stands: Callable[[], bool]) -> Head:
    """Index one portion, whatever others did since the last look."""
    with writing(database):
        if not stands():
            raise MovedError
        head = known(database, descriptor)
        if head is None:
            made_anew(database)
            head = head_of(descriptor)
        left = gaps(database, head, end)
        if left:
            taken, lines = _first(descriptor, head, left[0]) if oldest else _last(descriptor, head, left[-1], end)
            _index(database, descriptor, head, taken, lines)
    return head


def gaps(database: sqlite3.Connection, head: Head, end: int) -> list[Gap]:
    """What of the journal is not indexed, oldest first."""
    covered = database.execute("SELECT start, stop FROM covered ORDER BY start").fetchall()
    edges = [(0, head.size), *covered, (end, end)]
    return [(before[1], after[0]) for before, after in pairwise(edges) if before[1] < after[0]]


def _index(database: sqlite3.Connection, descriptor: int, head: Head, taken: Gap, lines: list[Spot]) -> None:
    """Note what these lines say, and that they are covered."""
    rows = [(spot, found) for spot in lines if (found := parsed(spot.data)) is not None]
    database.executemany(
        "INSERT OR REPLACE INTO lines(at, start, size) VALUES (?, ?, ?)",
        ((spot.at, spot.start, len(spot.data)) for spot, _ in rows),
    )
    database.executemany(
        "INSERT INTO found(rowid, file, words, about) VALUES (?, ?, ?, ?)",
        ((spot.at, *_columns(found)) for spot, found in rows),
    )
    _cover(database, taken)
    (stop,) = database.execute("SELECT max(stop) FROM covered").fetchone()
    before = dict(database.execute("SELECT name, value FROM meta WHERE name = 'count'").fetchall())
    count = before.get("count", 0) + len(rows)
    said: dict[str, object] = {"mark": head.mark, "file": file_number(descriptor)}
    said |= {"stop": stop, "tail": tail(descriptor, stop), "count": count}
    database.executemany("INSERT OR REPLACE INTO meta(name, value) VALUES (?, ?)", said.items())


def _first(descriptor: int, head: Head, gap: Gap) -> tuple[Gap, list[Spot]]:
    """The oldest lines of a gap."""
    lines: list[Spot] = []
    stop = gap[0]
    for spot in spots(descriptor, head, *gap):
        lines.append(spot)
        stop = spot.start + len(spot.data) + 1
        if stop - gap[0] >= WHOLE:
            return (gap[0], stop), lines
    return gap, lines


def _last(descriptor: int, head: Head, gap: Gap, end: int) -> tuple[Gap, list[Spot]]:
    """The newest lines of a gap, one of them at least."""
    start, stop = gap
    begun = line_start(descriptor, max(start, stop - (PORTION if stop == end else OLDER)), start)
    return (begun, stop), list(spots(descriptor, head, begun, stop))


def _cover(database: sqlite3.Connection, taken: Gap) -> None:
    """Note what is indexed; pieces that touch become one."""
    start, stop = taken
    for old_start, old_stop in database.execute(
        "SELECT start, stop FROM covered WHERE stop = ? OR start = ?", taken
    ).fetchall():
        database.execute("DELETE FROM covered WHERE start = ?", (old_start,))
        start, stop = min(start, old_start), max(stop, old_stop)
    database.execute("INSERT OR REPLACE INTO covered(start, stop) VALUES (?, ?)", (start, stop))


def _columns(line: Mapping[str, Any]) -> tuple[str, str, str]:
    file = str(line.get("file") or "")
    named = _named(file) if file else ""
    said = (about(name, str(line.get(key) or "")) for name, key in (("s", "session"), ("a", "action"), ("i", "id")))
    return named, spaced(text_of(line)), " ".join(said)


@lru_cache(maxsize=4_096)
def _named(file: str) -> str:
    return " ".join([*path_terms(file), spaced(file)])


@lru_cache(maxsize=4_096)
def about(kind: str, name: str) -> str:
    """A term that no text has: what a record is of."""
    return f"={kind}{blake2b(name.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
