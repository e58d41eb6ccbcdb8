"""A schema in PostgreSQL as a store: many agents on many machines share one memory.

What `append` returned for is committed, in the order of its position; what failed is not there, also
where the answer was lost: each append has a key, and one that was given up may not arrive any more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from context_kit.errors import BudgetError, StoreError
from context_kit.memory._files._lines import encode
from context_kit.memory._files._store import JOURNAL, SESSION_NAME, TAKEN
from context_kit.memory._postgres._doubt import Append, Doubts

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool
    from typing_extensions import LiteralString, Self

__all__ = ["PostgresStore"]

SCHEMA_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
LOG: LiteralString = """
SELECT at, part, line FROM {schema}.lines
WHERE session = (SELECT id FROM {schema}.sessions WHERE name = %s AND archived IS NULL) AND at > %s
"""
EVERY: LiteralString = "SELECT at, part, line FROM {schema}.journal WHERE %s = '' AND at > %s"
ONE: LiteralString = "SELECT at, part, line FROM {schema}.journal WHERE session = %s AND at > %s"
SESSIONS: LiteralString = """
SELECT name FROM {schema}.sessions AS one
WHERE archived IS NULL AND EXISTS (SELECT FROM {schema}.lines WHERE session = one.id)
"""
FINISHED: LiteralString = "SELECT DISTINCT name FROM {schema}.sessions WHERE archived IS NOT NULL"
ENDED: LiteralString = """
SELECT id, name, row_number() OVER (PARTITION BY name ORDER BY archived, id) FROM {schema}.sessions
WHERE archived IS NOT NULL ORDER BY 2, 3
"""
OLD: LiteralString = "SELECT at, part, line FROM {schema}.lines WHERE session = %s AND at > %s"
ARCHIVED: LiteralString = "SELECT line FROM {schema}.archive WHERE session = '' AND strpos(line, %s) > 0 ORDER BY at"
MISSING = "PostgresStore needs psycopg and its pool: pip install 'context-kit[postgres]'"


class PostgresStore:
    """Sessions and their journal in one schema of a PostgreSQL database, 13 or newer.

    Args:
        server: a conninfo string or URL, with a pool that this store opens and closes; or the caller's
            own pool, which stays the caller's.
        schema: the schema's name; made where it isn't there, brought to the newest version where it is older.
        patience: seconds for which a broken connection, a server that restarts, a deadlock or a
            serialisation failure is tried again.
        connections: at most so many at once in the pool; one more stays open for locks, and one for news.
        create: False to open only what is there: where the schema has no store, that is an error.

    Raises:
        ImportError: psycopg is not installed.
        StoreError: there is no way to the server, the schema is newer than this program, or it isn't there.
    """

    def __init__(
        self,
        server: str | ConnectionPool[Any],
        *,
        schema: str = "context_kit",
        patience: float = 30.0,
        connections: int = 4,
        create: bool = True,
    ) -> None:
        if not SCHEMA_NAME.fullmatch(schema):
            msg = f"schema: {schema!r} is no plain name: use letters, digits and '_', at most 63"
            raise BudgetError(msg)
        try:
            from context_kit.memory._postgres import (
                _find,
                _link,
                _locks,
                _news,
                _rewrite,
                _schema,
            )
        except ImportError as error:
            raise ImportError(MISSING) from error
        self._find, self._rewrite = _find, _rewrite.rewrite
        self._ask, self._pages = _link.ask, _link.pages
        self._link = _link.Link(server, schema=schema, patience=patience, connections=connections)
        self._locks, self._news = _locks.Locks(self._link), _news.News(self._link)
        self._doubts = Doubts()
        try:
            self._trigrams = _schema.opened(self._link, create=create)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the locks back and close what this store opened."""
        self._locks.close()
        self._news.close()
        self._link.close()

    # -- Store -----------------------------------------------------------------------

    def append(self, session: str, lines: Sequence[Mapping[str, Any]], /, *, sync: bool = False) -> None:  # noqa: ARG002 - always
        """Write lines at the end of a session's log, or of the journal: all or none, durable on return.

        Raises:
            StoreError: they could not be written, or another process holds the session by now.
        """
        _check(session)
        texts = [encode(line).decode("utf-8").rstrip("\n") for line in lines]
        if session != JOURNAL:
            self._doubts.write(session, texts, lambda append: self._append(session, append))
        elif texts:
            found = [self._find.columns(line) for line in lines]
            columns = [list(column) for column in zip(*found, strict=True)]
            self._doubts.write(JOURNAL, texts, lambda append: self._remember(append, columns))

    def _append(self, session: str, append: Append) -> bool:
        text: LiteralString = "SELECT {schema}.append(%s, %s, %s, %s, %s)"
        rows = self._link.run(
            lambda conn: self._ask(
                conn,
                self._link.schema,
                text,
                session,
                self._locks.epoch(session),
                append.key,
                list(append.undo),
                append.lines,
            )
        )
        return bool(rows[0][0])

    def _remember(self, append: Append, columns: Sequence[Sequence[str]]) -> bool:
        text: LiteralString = "SELECT {schema}.remember(%s, %s, %s, %s, %s, %s, %s, %s, %s)"
        ((at,),) = self._link.query(text, append.key, list(append.undo), self._news.channel, append.lines, *columns)
        self._news.told(at or 0)
        return at is not None

    def read(self, session: str, /) -> Iterable[dict[str, Any]]:
        """Every line of a session, or of the journal, oldest first."""
        _check(session)
        rows = self._pages(self._link, LOG if session else EVERY, session)
        return (json.loads(row[2]) for row in rows)

    def search(self, query: str, /, *, limit: int = 20) -> Iterable[dict[str, Any]]:
        """Journal lines that hold all words of the query, best first; then as parts of words, some, or words alike."""
        return self._find.search(self._link, query, limit=limit, trigrams=self._trigrams)

    @contextmanager
    def lock(self, session: str, /) -> Generator[None]:
        """Hold a session as its one writer; a dead holder's lock is free.

        Raises:
            StoreError: another process or object holds it; the text names it.
        """
        if session == JOURNAL:
            msg = "session: is empty: give it a name"
            raise StoreError(msg)
        _check(session)
        self._link.check()
        self._locks.take(session)
        try:
            yield
        finally:
            self._locks.give(session)

    def sessions(self) -> Sequence[str]:
        """Names of the sessions that exist, sorted."""
        return sorted(name for (name,) in self._link.query(SESSIONS))

    def finished(self) -> Sequence[str]:
        """Names of the sessions whose task has ended, sorted."""
        return sorted(name for (name,) in self._link.query(FINISHED))

    def ended(self) -> Iterator[tuple[str, Iterable[dict[str, Any]]]]:
        """Each finished session with its lines; the second one of a name is `name~2`."""
        for key, name, number in self._link.query(ENDED):
            rows = self._pages(self._link, OLD, key)
            yield (name if number == 1 else f"{name}~{number}"), (json.loads(line) for _, _, line in rows)

    def archived(self, name: str, /) -> dict[str, Any] | None:
        """A journal line that was folded or superseded, by its id, as it was; None where there is none."""
        found = (json.loads(line) for (line,) in self._link.query(ARCHIVED, name))
        return next((line for line in found if line.get("id") == name), None)

    # -- IndexedStore ----------------------------------------------------------------

    def records(self, session: str | None = None, /, *, after: int = 0) -> Iterable[dict[str, Any]]:
        """Journal lines of one session, or of all, after a position; oldest first, each with its own under `at`."""
        rows = self._pages(
            self._link,
            EVERY if session is None else ONE,
            self._find.clean(session or "")[: self._find.LONGEST],
            after=after,
        )
        for at, _, line in rows:
            self._news.told(at)  # what was shown is never newer than the newest
            yield {**json.loads(line), "at": at}

    def newest(self) -> int:
        """Position of the newest journal line: as the server told it, asked for where it was silent for long."""
        self._link.check()
        return self._news.newest()

    def related(
        self,
        words: str,
        /,
        *,
        files: Sequence[str] = (),
        without: str = "",
        actions: Collection[str] = (),
        limit: int = 20,
    ) -> Iterable[dict[str, Any]]:
        """Journal lines about these words or files, best first, each with its `score`; in bounded time."""
        return self._find.related(self._link, words, files=files, without=without, actions=actions, limit=limit)

    def rewrite(
        self, session: str, change: Callable[[dict[str, Any]], Iterable[Mapping[str, Any]]], /, *, archive: bool
    ) -> int:
        """Put in each line's place what `change` makes of it; how many lines changed.

        It may be called more than once for a line. Without `archive` the archive is changed as well, and the
        session's checkpoint goes. The server's own log and your backups keep old text for their time.
        """
        _check(session)
        return self._rewrite(self._link, session, change, archive=archive)

    # -- Archiving -------------------------------------------------------------------

    def checkpoint(self, session: str, text: str, /) -> str:
        """Write a session's checkpoint; what is read back of it.

        Raises:
            StoreError: it can't be written, or another process holds the session by now.
        """
        _check(session)
        write: LiteralString = """UPDATE {schema}.sessions SET checkpoint = %s
            WHERE id = {schema}.live(%s, %s) RETURNING checkpoint"""
        ((kept,),) = self._link.run(
            lambda conn: self._ask(
                conn, self._link.schema, write, json.dumps(text), session, self._locks.epoch(session)
            )
        )
        return str(json.loads(kept))

    def archive(self, session: str, /) -> None:
        """Take a finished session out of the live ones; its journal records stay where they are.

        Raises:
            StoreError: it can't be moved; the session stays live.
        """
        _check(session)
        move: LiteralString = "SELECT {schema}.finish(%s, %s)"
        self._link.run(lambda conn: self._ask(conn, self._link.schema, move, session, self._locks.epoch(session)))


def _check(session: str) -> None:
    """Refuse what is no session's name in any store.

    Raises:
        StoreError: it is no plain name.
    """
    if session != JOURNAL and (not SESSION_NAME.fullmatch(session) or session in TAKEN):
        taken = " or ".join(map(repr, TAKEN))
        msg = f"session: {session!r} is no plain name: use letters, digits, '_', '-' and '.', not {taken}"
        raise StoreError(msg)
