"""The journal of a directory, read: whole, after a position, or by its index."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from context_kit.errors import StoreError
from context_kit.memory._fill import fill, gaps
from context_kit.memory._find import Row, all_words, any_words, candidates, of_session
from context_kit.memory._index import Index, NoIndexError, reading
from context_kit.memory._positions import Head, Spot, head_of, line_start, parsed, spots, whole_end
from context_kit.memory._rank import best, found, wanted
from context_kit.memory._terms import asked

if TYPE_CHECKING:
    import sqlite3

__all__ = ["JournalFile"]

log = logging.getLogger("context_kit")
UNINDEXED = 1 << 20
"""Bytes of the newest lines that are looked through where there is no index."""
T = TypeVar("T")


class JournalFile:
    """A journal and its index; the journal is the truth."""

    def __init__(self, path: Path, index: Index) -> None:
        self.path = path
        self.index = index

    @contextmanager
    def _opened(self) -> Generator[int | None]:
        """The journal as it is now; None where there is none."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            yield None
            return
        except OSError as error:
            msg = f"store: {str(self.path)!r} can't be read ({error.strerror}): check its permissions"
            raise StoreError(msg) from error
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def newest(self) -> int:
        """Position of the newest line, 0 where there is none."""
        with self._opened() as descriptor:
            if descriptor is None:
                return 0
            head = head_of(descriptor)
            return max(head.base + os.fstat(descriptor).st_size, 0)

    def records(self, session: str | None, after: int) -> Iterator[dict[str, Any]]:
        """The lines of a session, or all, after a position; oldest first."""
        with self._opened() as descriptor:
            if descriptor is None:
                return
            head = head_of(descriptor)
            own = self._of(descriptor, head, session, after) if session is not None else None
            for spot in own if own is not None else _after(descriptor, head, after):
                line = parsed(spot.data)
                if line is None:
                    log.warning("%s: the line at byte %d is damaged and was set aside", self.path.name, spot.start)
                elif session is None or str(line.get("session") or "") == session:
                    yield {**line, "at": spot.at}

    def related(
        self, words: str, *, files: Sequence[str], without: str, actions: Collection[str], limit: int
    ) -> list[dict[str, Any]]:
        """Lines about these words or files, best first."""
        want = wanted(words, files)

        def look(database: sqlite3.Connection, descriptor: int) -> list[dict[str, Any]]:
            rows, rare = candidates(database, want, without=without, actions=actions, limit=limit)
            return best(_read(descriptor, rows), want, limit=limit, rare=rare)

        with self._opened() as descriptor:
            if descriptor is None:
                return []
            try:
                return self._asked(descriptor, look, whole=False)
            except NoIndexError:
                newest = _tail(descriptor)
                kept = (line for line in newest if _is(line, without, actions))
                return best(kept, want, limit=limit)

    def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        """Lines that hold all words, then those with some; the index is finished first."""
        sought = asked(query)

        def look(database: sqlite3.Connection, descriptor: int) -> list[dict[str, Any]]:
            rows = all_words(database, sought, limit)
            if len(rows) < limit and len(sought.words) > 1:
                more = any_words(database, sought, limit)
                rows += [row for row in more if row not in rows][: limit - len(rows)]
            return list(_read(descriptor, rows))

        with self._opened() as descriptor:
            if descriptor is None:
                return []
            try:
                return self._asked(descriptor, look, whole=True)
            except NoIndexError:
                return found(_lines(spots(descriptor, head_of(descriptor))), query, limit=limit)

    def _asked(self, descriptor: int, look: Callable[[sqlite3.Connection, int], T], *, whole: bool) -> T:
        """What the index says of this very file."""

        def work(database: sqlite3.Connection) -> T:
            head = fill(database, descriptor, whole=whole)
            with reading(database):
                self._same(database, head)
                return look(database, descriptor)

        return self.index.use(work)

    def _same(self, database: sqlite3.Connection, head: Head) -> None:
        """Refuse an answer about another file than the one that was opened: it was rewritten meanwhile."""
        said = dict(database.execute("SELECT name, value FROM meta WHERE name = 'mark'").fetchall())
        if said and said["mark"] != head.mark:
            msg = "the journal was rewritten"
            raise NoIndexError(msg)

    def _of(self, descriptor: int, head: Head, session: str, after: int) -> Iterator[Spot] | None:
        """The lines that may be a session's; None where all of them have to be looked at."""

        def work(database: sqlite3.Connection) -> tuple[list[Row], list[tuple[int, int]]]:
            fill(database, descriptor, whole=False)
            with reading(database):
                self._same(database, head)
                rows = of_session(database, session, after)
                return rows, gaps(database, head, whole_end(descriptor))

        try:
            rows, left = self.index.use(work)
        except NoIndexError:
            return None
        names = {json.dumps(session, ensure_ascii=plain).encode("utf-8", "replace") for plain in (True, False)}
        unseen = [spots(descriptor, head, *gap, holding=names) for gap in left]
        seen = (Spot(at, start, os.pread(descriptor, size, start)) for at, start, size in rows)
        if not unseen:
            return seen
        return iter(sorted((spot for spot in chain(seen, *unseen) if spot.at > after), key=lambda spot: spot.at))


def _is(line: dict[str, Any], without: str, actions: Collection[str]) -> bool:
    own = bool(without) and line.get("session") == without
    return not own and (not actions or str(line.get("action") or "") in actions)


def _after(descriptor: int, head: Head, after: int) -> Iterator[Spot]:
    start = after - head.base
    begun = line_start(descriptor, start, head.upto) if start > head.upto else head.size if after else 0
    return (spot for spot in spots(descriptor, head, begun) if spot.at > after)


def _lines(found: Iterator[Spot]) -> Iterator[dict[str, Any]]:
    return ({**line, "at": spot.at} for spot in found if (line := parsed(spot.data)) is not None)


def _read(descriptor: int, rows: list[Row]) -> Iterator[dict[str, Any]]:
    return _lines(Spot(at, start, os.pread(descriptor, size, start)) for at, start, size in rows)


def _tail(descriptor: int) -> list[dict[str, Any]]:
    """The newest lines."""
    head, end = head_of(descriptor), whole_end(descriptor)
    start = max(0, end - UNINDEXED)
    return list(_lines(spots(descriptor, head, line_start(descriptor, start, head.size), end)))
