"""What the index knows: lines of a session, lines that hold all words, lines that are about something.

The last is bounded: of each term only the newest lines are candidates, however many have it, so that a
journal a hundred times as long is asked in much the same time. How rare a term is follows from how far back
these lines reach.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from context_kit.memory._index._fill import about
from context_kit.memory._index._rank import FILED, Wanted, rarity
from context_kit.memory._index._terms import Asked, begins

if TYPE_CHECKING:
    import sqlite3

__all__ = ["Row", "all_words", "any_words", "blended", "by_id", "candidates", "of_session", "rows_at"]

Row = tuple[int, int, int]
"""Position, first byte and bytes of a line."""
AT_ONCE = 500
"""Lines that are looked up at once."""
NEWEST = 200
"""Lines of one term that are looked at."""
KEPT = 64
"""Candidates that are read, at least."""
SMOOTH = 60
"""Ranks count the less the further down, by this constant."""
WEIGHTS = "bm25(3.0, 1.0, 0.0)"
"""A file's name counts three times a word; what a record is of counts nothing."""


SPREAD = """
SELECT (SELECT value FROM meta WHERE name = 'count'), (SELECT min(at) FROM lines), (SELECT max(at) FROM lines)
"""
RANKED = """
SELECT at, start, size
FROM (SELECT rowid, rank AS score FROM found WHERE found MATCH ? AND rank MATCH ? ORDER BY rank, rowid DESC LIMIT ?) b
JOIN lines ON at = b.rowid ORDER BY b.score, at DESC
"""


class _Spread(NamedTuple):
    """How many lines there are, and from which position to which."""

    total: int
    low: int
    high: int

    def matching(self, seen: int, down_to: int) -> float:
        """How many of all lines match, when so many of the newest ones did, down to a position."""
        return seen * max(1.0, (self.high - self.low + 1) / (self.high - down_to + 1))


def _spread(database: sqlite3.Connection) -> _Spread:
    return _Spread(*(value or 0 for value in database.execute(SPREAD).fetchone()))


def of_session(database: sqlite3.Connection, session: str, after: int) -> list[Row]:
    """The lines of one session after a position, oldest first."""
    return database.execute(
        "SELECT l.at, l.start, l.size FROM found JOIN lines l ON l.at = found.rowid "
        "WHERE found MATCH ? AND found.rowid > ? ORDER BY found.rowid",
        (f'"{about("s", session)}"', after),
    ).fetchall()


def by_id(database: sqlite3.Connection, query: str, limit: int) -> list[Row]:
    """The lines whose own id a query is."""
    name = query.strip()
    return _ranked(database, _phrase(about("i", name)), limit) if name and len(name.split()) == 1 else []


def all_words(database: sqlite3.Connection, query: Asked, limit: int) -> list[Row]:
    """The lines that hold all words, best first and newer first where they tie."""
    if not query.words:
        return []
    need = " AND ".join(map(_phrase, query.needed))
    if query.better:
        need += f" AND ({' OR '.join(map(_phrase, (query.needed[0], *query.better)))})"
    return _ranked(database, need, limit)


def any_words(database: sqlite3.Connection, query: Asked, limit: int) -> list[Row]:
    """The lines that hold one of the words, those with the rarest ones first; only newer ones of a common word."""
    found: dict[int, float] = {}
    spread = _spread(database)
    for word in query.words:
        _add(database, found, " AND ".join(map(_phrase, word)), spread, limit, 1.0)
    return rows_at(database, sorted(found, key=lambda at: (-found[at], -at))[:limit])


def candidates(
    database: sqlite3.Connection, want: Wanted, *, without: str, actions: Collection[str], limit: int
) -> tuple[list[Row], dict[str, float]]:
    """Lines that may be the best ones, oldest first, and what each term counts."""
    bound = f" NOT {_phrase(about('s', without))}" if without else ""
    if actions:
        kinds = " OR ".join(_phrase(about("a", action)) for action in sorted(set(actions)))
        bound = f" AND ({kinds}){bound}"
    found: dict[int, float] = {}
    spread = _spread(database)
    rare = {term: _add(database, found, _phrase(term) + bound, spread, NEWEST, 1.0) for term in want.words}
    for end in dict.fromkeys(end for ends in want.files for end in ends):
        counts = _add(database, found, f"file : {_phrase(end)}{bound}", spread, NEWEST, FILED)
        rare[end] = max(counts, rare.get(end, 0.0))
    best = sorted(found, key=lambda at: (-found[at], -at))[: max(KEPT, 2 * limit)]
    return rows_at(database, sorted(best)), rare


def blended(rows: Sequence[Row], close: Mapping[int, float]) -> list[Row]:
    """Lines in the order of their words and of their meaning together: reciprocal ranks (Cormack, 2009)."""
    ranks = {at: rank for rank, at in enumerate(sorted(close, key=lambda at: (-close[at], -at)), 1)}
    value = {row: 1 / (SMOOTH + rank) for rank, row in enumerate(rows, 1)}
    value = {row: worth + (1 / (SMOOTH + ranks[row[0]]) if row[0] in ranks else 0) for row, worth in value.items()}
    return sorted(rows, key=lambda row: -value[row])


def _add(
    database: sqlite3.Connection, found: dict[int, float], match: str, spread: _Spread, limit: int, weight: float
) -> float:
    """Note the newest lines that match, and what the match counts."""
    rows = database.execute(
        "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ?", (match, limit)
    ).fetchall()
    if not rows:
        return 0.0
    value = rarity(spread.matching(len(rows), rows[-1][0] if len(rows) == limit else spread.low), spread.total)
    for (at,) in rows:
        found[at] = found.get(at, 0.0) + weight * value
    return value


def _ranked(database: sqlite3.Connection, match: str, limit: int) -> list[Row]:
    """The best lines that match, the newer ones first where they tie."""
    return database.execute(RANKED, (match, WEIGHTS, limit)).fetchall()


def rows_at(database: sqlite3.Connection, places: Iterable[int]) -> list[Row]:
    """Where lines stand in the journal, in the order of their positions as given."""
    wanted = list(places)
    known: dict[int, Row] = {}
    for first in range(0, len(wanted), AT_ONCE):
        some = wanted[first : first + AT_ONCE]
        marks = ",".join("?" * len(some))
        rows = database.execute(f"SELECT at, start, size FROM lines WHERE at IN ({marks})", some)  # noqa: S608 - marks only
        known |= {row[0]: row for row in rows}
    return [known[at] for at in wanted if at in known]


def _phrase(term: str) -> str:
    """A term as FTS5 takes it; terms have no quotation marks."""
    return f'"{term}"*' if begins(term) else f'"{term}"'
