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
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from context_kit.memory._files._private import FILE_MODE
from context_kit.memory._index._tables import VERSION, WAIT, BusyError, NoIndexError, is_busy, made_anew, writing

if TYPE_CHECKING:
    import sqlite3

__all__ = ["Index"]

DAMAGED = ("not a database", "malformed", "no such table", "no such column", "disk image", "already exists")
"""What SQLite says of a file that has to be made anew."""
SET_UP = 2.0
"""Seconds that others may take to set the database up; then this process keeps its own in memory."""
PAUSE = 0.02
"""Seconds between two tries where SQLite doesn't wait by itself."""
T = TypeVar("T")


class Index:
    """The database and who may use it: one thread at a time, in the process that opened it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._process = os.getpid()
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
        self._leave_the_parents()
        with self.lock:
            for _ in range(3):
                try:
                    return work(self._open())
                except sqlite3.Error as error:
                    self._answer(error)
        msg = "the index can't be used: the journal is read instead"
        raise NoIndexError(msg)

    def _leave_the_parents(self) -> None:
        """After a fork begin anew: the parent's connection and its lock are the parent's."""
        if self._process != os.getpid():
            _PARENTS.append(self._database)
            self._process, self._database, self.lock = os.getpid(), None, threading.RLock()

    def _answer(self, error: sqlite3.Error) -> None:
        """What a failure calls for."""
        told = str(error)
        if "fts5" in told:
            raise NoIndexError(told) from error
        if is_busy(error) and not self._aside:
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
        if self._database is not None:
            return self._database
        import sqlite3

        if not self._aside:
            self._aside = not _made(self.path)
        name = ":memory:" if self._aside else str(self.path)
        made = sqlite3.connect(name, timeout=WAIT, isolation_level=None, check_same_thread=False)
        try:
            ready = self._prepare(made)
        except BusyError:
            ready = False
        except BaseException:
            made.close()
            raise
        if not ready:
            made.close()
            self._aside = True
            return self._open()
        weakref.finalize(self, _closed, made, os.getpid())
        self._database = made
        return made

    def _prepare(self, database: sqlite3.Connection) -> bool:
        """Make the tables where they are missing or old; False where a newer version made them.

        Raises:
            BusyError: others keep it busy for longer than it takes to set it up.
        """
        database.execute(f"PRAGMA busy_timeout={int(SET_UP * 1_000)}")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            return False
        if not self._aside:
            _log_ahead(database)
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("PRAGMA temp_store=MEMORY")
        if version != VERSION:
            with writing(database):
                (version,) = database.execute("PRAGMA user_version").fetchone()
                if version != VERSION:
                    database.execute("DROP TABLE IF EXISTS vectors")
                    made_anew(database)
        database.execute(f"PRAGMA busy_timeout={int(WAIT * 1_000)}")
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


def _made(path: Path) -> bool:
    """Whether there is a file for the database, private to its user.

    One that exists is not opened here: closing it would drop the locks that SQLite holds on it in this process.
    """
    with _MAKING:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
        except FileExistsError:
            return True
        except OSError:
            return False
    return True


def _log_ahead(database: sqlite3.Connection) -> None:
    """Readers and a writer beside each other, where the file system can do that; others may be at it as well."""
    import sqlite3

    until = time.monotonic() + SET_UP
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
            if time.monotonic() > until:
                raise BusyError(str(error)) from error
            time.sleep(PAUSE)
        else:
            return


def _closed(database: Any, process: int) -> None:
    """Close a connection in the process that opened it; a fork leaves its parent's alone."""
    if process == os.getpid():
        database.close()
    else:
        _PARENTS.append(database)


_MAKING = threading.Lock()
_PARENTS: list[Any] = []
