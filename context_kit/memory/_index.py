"""The index of a journal: derived, never the truth, never the reason that a read or an append fails.

A SQLite database with FTS5 beside the journal knows of each line its terms and where it stands. It is
brought up to the journal by those who read. Which bytes it covers is kept with it, so that a journal of any
size is usable at once by its newest lines and the older ones are filled in later. Where the file can't be
used (read-only directory, full disk, a newer schema, a file system without the locks it needs), the same
index is kept in memory; where SQLite has no FTS5, there is none and the journal is read.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from context_kit.memory._positions import Head, head_of
from context_kit.memory._private import FILE_MODE

if TYPE_CHECKING:
    import sqlite3

__all__ = [
    "BusyError",
    "Index",
    "MovedError",
    "NoIndexError",
    "StaleError",
    "forgotten",
    "known",
    "made_anew",
    "reading",
    "same",
    "tail",
    "waiting",
    "writing",
]

VERSION = 1
"""Of the tables; an older file is made anew, a newer one is left alone."""
TAIL = 64
"""Bytes before the end of what is covered, by which the file is known again."""
WAIT = 10.0
"""Seconds that a search waits for another process's indexing."""
DAMAGED = ("not a database", "malformed", "no such table", "no such column", "disk image", "already exists")
"""What SQLite says of a file that has to be made anew."""
TABLES = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE covered(start INTEGER PRIMARY KEY, stop INTEGER NOT NULL);
CREATE TABLE lines(at INTEGER PRIMARY KEY, start INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE TABLE meant(at INTEGER PRIMARY KEY, key BLOB NOT NULL, sign BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS vectors(key BLOB PRIMARY KEY, sign BLOB NOT NULL, vector BLOB NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE found USING fts5(file, words, about, content='', tokenize="ascii tokenchars '_./-+#='");
"""
NAMES = ("meta", "covered", "lines", "meant", "found")
"""Those of one journal; `vectors` are of texts, wherever they stand."""
T = TypeVar("T")


class NoIndexError(Exception):
    """There is no index to be had now: read the journal."""


class BusyError(NoIndexError):
    """Others keep it busy."""


class StaleError(NoIndexError):
    """The journal was changed in its place: make the index anew."""


class MovedError(NoIndexError):
    """The journal was rewritten: open it again."""


class Index:
    """The database and who may use it: one thread at a time, in the process that opened it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._process = 0
        self._aside = False
        """Whether the index is kept in memory."""

    def use(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Work with the database, made anew where it is damaged, in memory where its file can't be used.

        Raises:
            NoIndexError: neither will do, or others keep it busy.
        """
        try:
            import sqlite3
        except ImportError as error:
            raise NoIndexError(str(error)) from error
        with self.lock:
            for _ in range(3):
                try:
                    return work(self._open())
                except sqlite3.Error as error:
                    self._answer(error)
        msg = "the index can't be used: the journal is read instead"
        raise NoIndexError(msg)

    def _answer(self, error: sqlite3.Error) -> None:
        """What a failure calls for."""
        told = str(error)
        if "fts5" in told:
            raise NoIndexError(told) from error
        if _busy(error) and not self._aside:
            raise BusyError(told) from error
        self.close()
        if self._aside or not any(sign in told for sign in DAMAGED):
            self._aside = True
        else:
            self._remove()

    def _remove(self) -> None:
        for end in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        if self._database is not None and self._process == os.getpid():
            return self._database
        import sqlite3

        if not self._aside:
            try:
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, FILE_MODE))
            except OSError:
                self._aside = True
        name = ":memory:" if self._aside else str(self.path)
        made = sqlite3.connect(name, timeout=WAIT, isolation_level=None, check_same_thread=False)
        weakref.finalize(self, _closed, made, os.getpid())
        self._process = os.getpid()
        self._database = made
        if self._prepare(made):
            return made
        self.close()
        self._aside = True
        return self._open()

    def _prepare(self, database: sqlite3.Connection) -> bool:
        """Make the tables where they are missing or old; False where a newer version made them."""
        if not self._aside:
            database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            return False
        if version != VERSION:
            with writing(database):
                (version,) = database.execute("PRAGMA user_version").fetchone()
                if version != VERSION:
                    database.execute("DROP TABLE IF EXISTS vectors")
                    made_anew(database)
        return True

    def close(self) -> None:
        """Give the database back; the next use opens it again."""
        with self.lock:
            database, self._database = self._database, None
            if database is not None:
                _closed(database, self._process)

    def wipe(self) -> None:
        """Leave nothing of what was indexed, neither in pages that are free nor in the database's own log."""
        if self._aside:
            self.close()
            self._remove()
            return
        if not self.path.exists():
            return

        def emptied(database: sqlite3.Connection) -> None:
            with writing(database):
                database.execute("DROP TABLE IF EXISTS vectors")
                made_anew(database)
            database.execute("VACUUM")
            (busy, *_) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                msg = "the index is in use: its log can't be emptied"
                raise BusyError(msg)

        try:
            self.use(emptied)
        except NoIndexError:
            self.close()
            self._remove()


def _closed(database: Any, process: int) -> None:
    """Close a connection in the process that opened it; a fork leaves its parent's alone."""
    if process == os.getpid():
        database.close()
    else:
        _PARENTS.append(database)


_PARENTS: list[Any] = []


@contextmanager
def writing(database: sqlite3.Connection) -> Generator[None]:
    """One transaction that writes."""
    _begin(database)
    try:
        yield
    except BaseException:
        with suppress(Exception):
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _begin(database: sqlite3.Connection) -> None:
    import sqlite3

    try:
        database.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if _busy(error):
            raise BusyError(str(error)) from error
        raise


def _busy(error: Exception) -> bool:
    return "is locked" in str(error)


@contextmanager
def waiting(database: sqlite3.Connection, seconds: float) -> Generator[None]:
    """Wait so long for others in what is done here."""
    database.execute(f"PRAGMA busy_timeout={int(seconds * 1_000)}")
    try:
        yield
    finally:
        with suppress(Exception):  # a database that was closed meanwhile waits for nobody
            database.execute(f"PRAGMA busy_timeout={int(WAIT * 1_000)}")


@contextmanager
def reading(database: sqlite3.Connection) -> Generator[None]:
    """One look at an unchanging database."""
    database.execute("BEGIN")
    try:
        yield
    finally:
        database.execute("COMMIT")


def made_anew(database: sqlite3.Connection) -> None:
    """Empty tables, whatever was there before."""
    for name in NAMES:
        database.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in TABLES.strip().split(";\n"):
        database.execute(statement.rstrip(";"))
    database.execute(f"PRAGMA user_version={VERSION}")


def forgotten(database: sqlite3.Connection) -> None:
    """Begin anew."""
    with writing(database):
        made_anew(database)


def known(database: sqlite3.Connection, descriptor: int) -> Head | None:
    """How the journal begins, where the index is of this very file; None where it is of another."""
    head = head_of(descriptor)
    said = dict(database.execute("SELECT name, value FROM meta").fetchall())
    if not said:
        return head
    same = said.get("mark") == head.mark and said.get("tail") == tail(descriptor, said.get("stop", 0))
    return head if same else None


def same(database: sqlite3.Connection, head: Head) -> None:
    """Refuse an answer about another file than the one that was opened.

    Raises:
        MovedError: it was rewritten meanwhile.
    """
    said = database.execute("SELECT value FROM meta WHERE name = 'mark'").fetchone()
    if said and said[0] != head.mark:
        raise MovedError


def tail(descriptor: int, stop: int) -> str:
    """By what a file is known: a digest of the bytes before one of its places."""
    data = os.pread(descriptor, min(TAIL, stop), max(0, stop - TAIL))
    return blake2b(data, digest_size=16).hexdigest()
