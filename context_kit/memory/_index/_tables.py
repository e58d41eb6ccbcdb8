"""The index's tables: of which file they are, and who may change them when."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from context_kit.memory._files._positions import Head, head_of

if TYPE_CHECKING:
    import sqlite3

__all__ = [
    "VERSION",
    "WAIT",
    "BusyError",
    "MovedError",
    "NoIndexError",
    "StaleError",
    "file_number",
    "forgotten",
    "is_busy",
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
"""Seconds that others are waited for."""
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


class NoIndexError(Exception):
    """There is no index to be had now: read the journal."""


class BusyError(NoIndexError):
    """Others keep it busy."""


class StaleError(NoIndexError):
    """The journal was changed in its place: make the index anew."""


class MovedError(NoIndexError):
    """The journal was rewritten: open it again."""


@contextmanager
def writing(database: sqlite3.Connection) -> Generator[None]:
    """One transaction that writes."""
    _begin(database)
    with _ended(database):
        yield


def _begin(database: sqlite3.Connection) -> None:
    import sqlite3

    try:
        database.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if is_busy(error):
            raise BusyError(str(error)) from error
        raise


def is_busy(error: Exception) -> bool:
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
    with _ended(database):
        yield


@contextmanager
def _ended(database: sqlite3.Connection) -> Generator[None]:
    """A transaction does not outlive what is done in it, nor a commit that fails."""
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(Exception):
            database.execute("ROLLBACK")
        raise


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
    number = file_number(descriptor)
    same = said.get("mark") == head.mark and said.get("tail") == tail(descriptor, said.get("stop", 0))
    return head if same and said.get("file", number) == number else None


def file_number(descriptor: int) -> str:
    """The system's number of a file: another one where somebody edited a journal and put the result in its place."""
    return str(os.fstat(descriptor).st_ino)


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
