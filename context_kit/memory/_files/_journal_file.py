"""The journal of a directory, read: whole, after a position, or by its index."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from context_kit.errors import StoreError
from context_kit.memory._files._lines import stands
from context_kit.memory._files._positions import Head, Spot, head_of, line_start, parsed, spots, whole_end
from context_kit.memory._index._database import Index
from context_kit.memory._index._fill import fill, fill_on, gaps
from context_kit.memory._index._find import Row, all_words, any_words, blended, by_id, candidates, of_session, rows_at
from context_kit.memory._index._meaning import Meaning, Vector, has, keep, key_of, mark_of, nearest, unmeant
from context_kit.memory._index._rank import best, found, wanted
from context_kit.memory._index._tables import MovedError, NoIndexError, StaleError, forgotten, known, reading, same
from context_kit.memory._index._terms import asked
from context_kit.typing import Embed

if TYPE_CHECKING:
    import sqlite3

__all__ = ["JournalFile"]

log = logging.getLogger("context_kit")
NEAR = 1 << 22
"""Bytes after a position that are read rather than looked up: some milliseconds."""
UNINDEXED = 1 << 20
"""Bytes of the newest lines that are looked through where there is no index."""
TRIES = 10
"""How often a journal is opened again that was rewritten meanwhile."""
T = TypeVar("T")


class JournalFile:
    """A journal and its index; the journal is the truth."""

    def __init__(self, path: Path, index: Index, embed: Embed | None) -> None:
        self.path = path
        self.index = index
        self.meaning = Meaning(embed) if embed is not None else None

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
        except StoreError:
            raise
        except OSError as error:
            msg = f"store: {str(self.path)!r} can't be read ({error.strerror}): check the disk"
            raise StoreError(msg) from error
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
            own = self._of(descriptor, head, session, after) if session else None
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
        vector = self._vector(" ".join((*files, words)), whole=False)

        def look(database: sqlite3.Connection, descriptor: int) -> list[dict[str, Any]]:
            rows, rare = candidates(database, want, without=without, actions=actions, limit=limit)
            close = nearest(database, vector) if vector else {}
            more = rows_at(database, close.keys() - {at for at, _, _ in rows})
            meant = (line for line in _read(descriptor, more) if _is(line, without, actions))
            return best([*_read(descriptor, rows), *meant], want, limit=limit, rare=rare, close=close)

        def read(descriptor: int) -> list[dict[str, Any]]:
            kept = (line for line in _tail(descriptor) if _is(line, without, actions))
            return best(kept, want, limit=limit)

        return self._ask(look, read, whole=False)

    def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        """Lines that hold all words, then those with some; the index is finished first."""
        sought = asked(query)
        vector = self._vector(query, whole=True)

        def look(database: sqlite3.Connection, descriptor: int) -> list[dict[str, Any]]:
            close = nearest(database, vector) if vector else {}
            named = by_id(database, query, limit)
            rows = [*named, *(row for row in blended(all_words(database, sought, limit), close) if row not in named)]
            if len(rows) < limit and (close or len(sought.words) > 1):
                known = set(rows)
                some = [row for row in any_words(database, sought, limit) if row not in known]
                meant = (row for row in rows_at(database, sorted(close, key=lambda at: -close[at])) if row not in known)
                rows += blended([*some, *(row for row in meant if row not in some)], close)
            return list(_read(descriptor, rows[:limit]))

        def read(descriptor: int) -> list[dict[str, Any]]:
            return found(_lines(spots(descriptor, head_of(descriptor))), query, limit=limit)

        return self._ask(look, read, whole=True)

    def finish(self) -> None:
        """Index all that is not yet; where that can't be done now, the next search does it."""
        self._ask(lambda *_: [None], lambda _: [None], whole=True)

    def _vector(self, text: str, *, whole: bool) -> Vector | None:
        """What a text means; the newest lines get their vectors first."""
        if self.meaning is None or not text.strip():
            return None
        meaning = self.meaning

        def missing(database: sqlite3.Connection, descriptor: int) -> list[tuple[str, list[dict[str, Any]]]]:
            return [(mark_of(database), list(_read(descriptor, unmeant(database))))]

        mark, lines = next(iter(self._ask(missing, lambda _: [], whole=whole)), ("", []))
        made = meaning.learn(lines, lambda key: self._use(lambda database: has(database, key), otherwise=True))
        places = {line["at"]: key_of(line) for line in lines}
        self._use(lambda database: keep(database, places, made, mark), otherwise=None)
        return next(iter(meaning.of([text])), None)

    def _use(self, work: Callable[[sqlite3.Connection], T], *, otherwise: T) -> T:
        try:
            return self.index.use(work)
        except NoIndexError:
            return otherwise

    def _ask(
        self,
        look: Callable[[sqlite3.Connection, int], list[T]],
        read: Callable[[int], list[T]],
        *,
        whole: bool,
    ) -> list[T]:
        """What the index says of the journal that stands at the path; what reading it says where there is none."""
        for _ in range(TRIES):
            with self._opened() as descriptor:
                if descriptor is None:
                    return []
                try:
                    return self._indexed(descriptor, look, whole=whole)
                except MovedError:
                    continue
                except StaleError:
                    self._use(forgotten, otherwise=None)
                except NoIndexError:
                    return read(descriptor)
        return []

    def _indexed(self, descriptor: int, look: Callable[[sqlite3.Connection, int], list[T]], *, whole: bool) -> list[T]:
        """What the index says of this file, brought up to it where it lags behind.

        Raises:
            NoIndexError: there is no index, or it is of another file.
        """

        def ours() -> bool:
            return stands(descriptor, self.path)

        def current(database: sqlite3.Connection) -> list[T] | None:
            with reading(database):
                head = known(database, descriptor)
                behind = head is None or gaps(database, head, whole_end(descriptor))
                return None if behind else look(database, descriptor)

        def caught_up(database: sqlite3.Connection) -> list[T]:
            head = fill(database, descriptor, stands=ours)
            with reading(database):
                same(database, head)
                return look(database, descriptor)

        answer = self.index.use(current)
        if answer is not None:
            return answer
        while whole and self.index.use(partial(fill_on, descriptor=descriptor, stands=ours)):
            pass  # in between, other threads are answered
        return self.index.use(caught_up)

    def _of(self, descriptor: int, head: Head, session: str, after: int) -> Iterator[Spot]:
        """The lines that may be a session's."""
        names = {json.dumps(session, ensure_ascii=plain).encode("utf-8", "replace") for plain in (True, False)}
        start = _begun(descriptor, head, after)
        if os.fstat(descriptor).st_size - start <= NEAR:
            return (spot for spot in spots(descriptor, head, start, holding=names) if spot.at > after)

        def work(database: sqlite3.Connection) -> tuple[list[Row], list[tuple[int, int]]]:
            fill(database, descriptor, stands=lambda: stands(descriptor, self.path))
            with reading(database):
                same(database, head)
                return of_session(database, session, after), gaps(database, head, whole_end(descriptor))

        none: tuple[list[Row], list[tuple[int, int]]] = [], [(0, whole_end(descriptor))]
        rows, left = self._use(work, otherwise=none)
        later = ((max(first, start), last) for first, last in left if last > start)
        unseen = [spots(descriptor, head, *gap, holding=names) for gap in later]
        seen = (Spot(at, start, os.pread(descriptor, size, start)) for at, start, size in rows)
        if not unseen:
            return seen
        return iter(sorted((spot for spot in chain(seen, *unseen) if spot.at > after), key=lambda spot: spot.at))


def _is(line: dict[str, Any], without: str, actions: Collection[str]) -> bool:
    own = bool(without) and line.get("session") == without
    return not own and (not actions or str(line.get("action") or "") in actions)


def _after(descriptor: int, head: Head, after: int) -> Iterator[Spot]:
    return (spot for spot in spots(descriptor, head, _begun(descriptor, head, after)) if spot.at > after)


def _begun(descriptor: int, head: Head, after: int) -> int:
    """Where the first line begins that may have a later position."""
    start = after - head.base
    return line_start(descriptor, start, head.upto) if start > head.upto else head.size


def _lines(found: Iterator[Spot]) -> Iterator[dict[str, Any]]:
    return ({**line, "at": spot.at} for spot in found if (line := parsed(spot.data)) is not None)


def _read(descriptor: int, rows: list[Row]) -> Iterator[dict[str, Any]]:
    """The lines of these places.

    Raises:
        StaleError: no line stands in one of them.
    """
    for at, start, size in rows:
        line = parsed(os.pread(descriptor, size, start))
        if line is None:
            raise StaleError
        yield {**line, "at": at}


def _tail(descriptor: int) -> list[dict[str, Any]]:
    """The newest lines."""
    head, end = head_of(descriptor), whole_end(descriptor)
    start = max(0, end - UNINDEXED)
    return list(_lines(spots(descriptor, head, line_start(descriptor, start, head.size), end)))
