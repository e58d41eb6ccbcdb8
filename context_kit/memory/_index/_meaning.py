"""Lines by what they mean: the caller's own function makes vectors of them, the index keeps them.

Nothing is asked of the function while the database is held. What it can't do is reported and left out: the
words alone decide then. Vectors are kept by the text that they are of, so that a rewrite makes none anew.
"""

from __future__ import annotations

import logging
import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias

from context_kit.memory._index._rank import text_of
from context_kit.memory._index._tables import writing
from context_kit.typing import Embed

if TYPE_CHECKING:
    import sqlite3

__all__ = ["Meaning", "Vector", "has", "keep", "key_of", "mark_of", "nearest", "unmeant"]

Vector: TypeAlias = "array[float]"
log = logging.getLogger("context_kit")
AT_ONCE = 64
"""Texts of one call."""
PORTION = 256
"""Lines that get their vectors at one look."""
RECENT = 20_000
"""Newest lines whose vectors are compared."""
CLOSE = 256
"""Of them, those that are compared exactly: the others differ in more signs."""
LONGEST = 2_000
"""Characters of a line that are given to the function."""


class Meaning:
    """The caller's function and what is asked of it."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def of(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text; none at all where the function fails."""
        try:
            found = [array("f", map(float, vector)) for vector in self._embed(list(texts))]
        except Exception as error:  # noqa: BLE001 - the caller's function may raise anything
            log.warning("embed: %s (%s); words alone decide", type(error).__name__, str(error)[:200])
            return []
        lengths = [math.sqrt(sum(value * value for value in vector)) for vector in found]
        sound = len(found) == len(texts) and len({len(vector) for vector in found}) == 1
        if not sound or not all(0 < length < math.inf for length in lengths):
            log.warning("embed: no vector of finite numbers, all of one length, for each text; words alone decide")
            return []
        return [array("f", (value / size for value in v)) for v, size in zip(found, lengths, strict=True)]

    def learn(self, lines: Sequence[Mapping[str, Any]], known: Callable[[bytes], bool]) -> dict[bytes, Vector]:
        """The vectors of lines that have none yet, by their texts' keys."""
        texts = {key_of(line): said(line) for line in lines}
        wanted = [(key, text) for key, text in texts.items() if not known(key)]
        made: dict[bytes, Vector] = {}
        for at in range(0, len(wanted), AT_ONCE):
            some = wanted[at : at + AT_ONCE]
            vectors = self.of([text for _, text in some])
            if not vectors:
                break
            made |= {key: vector for (key, _), vector in zip(some, vectors, strict=True)}
        return made


def said(line: Mapping[str, Any]) -> str:
    """A line as it is given to the function."""
    return f"{line.get('file') or ''} {text_of(line)}".strip()[:LONGEST] or "-"


def key_of(line: Mapping[str, Any]) -> bytes:
    """By what a line's vector is known."""
    return blake2b(said(line).encode("utf-8", "replace"), digest_size=16).digest()


def unmeant(database: sqlite3.Connection) -> list[tuple[int, int, int]]:
    """The newest lines without a vector, a bounded number of them."""
    return database.execute(
        "SELECT l.at, l.start, l.size FROM (SELECT * FROM lines ORDER BY at DESC LIMIT ?) l "
        "LEFT JOIN meant m ON m.at = l.at WHERE m.at IS NULL ORDER BY l.at DESC LIMIT ?",
        (RECENT, PORTION),
    ).fetchall()


def has(database: sqlite3.Connection, key: bytes) -> bool:
    """Whether a text has its vector."""
    return database.execute("SELECT 1 FROM vectors WHERE key = ?", (key,)).fetchone() is not None


def mark_of(database: sqlite3.Connection) -> str:
    """Which state of the journal is indexed: another one after each rewrite."""
    found = database.execute("SELECT value FROM meta WHERE name = 'mark'").fetchone()
    return str(found[0]) if found else ""


def keep(database: sqlite3.Connection, places: Mapping[int, bytes], made: Mapping[bytes, Vector], mark: str) -> None:
    """Note vectors and the lines that have them; none where the journal was rewritten: a text may be forgotten."""
    with writing(database):
        if mark_of(database) != mark:
            return
        database.executemany(
            "INSERT OR REPLACE INTO vectors(key, sign, vector) VALUES (?, ?, ?)",
            ((key, _signs(vector), vector.tobytes()) for key, vector in made.items()),
        )
        database.executemany(
            "INSERT OR REPLACE INTO meant(at, key, sign) SELECT ?, key, sign FROM vectors WHERE key = ?",
            places.items(),
        )


def nearest(database: sqlite3.Connection, vector: Vector) -> dict[int, float]:
    """How close the closest of the newest lines are: 1.0 for the same meaning, none below 0."""
    sign = int.from_bytes(_signs(vector), "big")
    rows = database.execute("SELECT at, sign FROM meant ORDER BY at DESC LIMIT ?", (RECENT,)).fetchall()
    size = len(_signs(vector))
    far = [((int.from_bytes(other, "big") ^ sign).bit_count(), at) for at, other in rows if len(other) == size]
    far.sort(key=lambda each: (each[0], -each[1]))
    close: dict[int, float] = {}
    for _, at in far[:CLOSE]:
        found = database.execute(
            "SELECT v.vector FROM meant m JOIN vectors v ON v.key = m.key WHERE m.at = ?", (at,)
        ).fetchone()
        other = array("f", found[0]) if found else array("f")
        if len(other) == len(vector):
            alike = sum(map(float.__mul__, vector, other))
            if alike > 0:
                close[at] = alike
    return close


def _signs(vector: Vector) -> bytes:
    bits = "".join("1" if value > 0 else "0" for value in vector)
    return int(bits, 2).to_bytes((len(bits) + 7) // 8, "big")
