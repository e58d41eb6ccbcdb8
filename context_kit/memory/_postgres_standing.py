"""One connection that stays: it holds the locks of sessions, and hears of new records.

A lock ends with its connection, so a dead holder's is free. Where only the connection died, it is
taken again at the next append. Who took the session meanwhile has made a new epoch: an append that
brings an older one is refused, so there is never a second writer, whatever the network did.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import suppress
from hashlib import blake2b
from typing import Any

import psycopg
from psycopg import sql

from context_kit.errors import StoreError
from context_kit.memory._postgres_errors import again
from context_kit.memory._postgres_link import Connection, Link, ask

__all__ = ["Standing", "key_of"]

FRESH = 2.0
"""Seconds for which a silent connection is believed; then it is asked."""
TRIES = 40
"""Looks at a lock that the dead still have at the server."""
BETWEEN = 0.05
"""Seconds between them."""

HOLD = """
INSERT INTO {schema}.sessions (name, epoch, holder, backend)
VALUES (%s, nextval('{schema}.epochs'), %s, pg_backend_pid())
ON CONFLICT (name) WHERE archived IS NULL
DO UPDATE SET epoch = excluded.epoch, holder = excluded.holder, backend = excluded.backend
RETURNING epoch
"""
OWNER = """
SELECT activity.pid, activity.backend_start FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND classid::bigint = (%s::bigint >> 32) & 4294967295 AND objid::bigint = %s::bigint & 4294967295
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def key_of(schema: str, what: str) -> int:
    """Key of an advisory lock: 64 bits with their sign."""
    return int.from_bytes(blake2b(f"{schema}\0{what}".encode(), digest_size=8).digest(), "big", signed=True)


class Standing:
    """Locks and news of one store."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._lock = threading.RLock()
        self._conn: Connection | None = None
        self._parents: Connection | None = None
        self._owners: list[tuple[Any, ...]] = []
        """Backends of this object, dead ones included: process and start."""
        self._held: dict[str, int] = {}
        """Session → epoch."""
        self._newest = 0
        self._proven = float("-inf")
        """When the connection has last answered, on the clock of `time.monotonic`."""
        self._process = os.getpid()
        self.channel = f"ck{key_of(link.schema, 'news') & (2**64 - 1):016x}"

    def open(self) -> Connection:
        """The connection; a new one where there is none or it broke.

        Raises:
            psycopg.Error: there is no way to the server.
        """
        with self._lock:
            self._forked()
            try:
                if self._conn is not None:
                    self._hear(self._conn)
            except psycopg.Error:
                self._drop()
            return self._conn or self._connect()

    def newest(self) -> int:
        """Position of the newest record: as it was told, or asked where nothing was heard for some time."""
        return again(self._ask_newest, patience=self._link.patience)

    def told(self, newest: int) -> None:
        """Note what was written by this store itself."""
        with self._lock:
            self._newest = max(self._newest, newest)

    def take(self, session: str) -> None:
        """Become a session's one writer.

        Raises:
            StoreError: somebody is it; the text names the process.
        """
        with self._lock:
            if session in self._held:
                raise _held(session, _me())
            again(lambda: self._take(session), patience=self._link.patience)

    def give(self, session: str) -> None:
        """Let it go; a lock that can't be given back ends with its connection."""
        with self._lock:
            epoch = self._held.pop(session, None)
            if epoch is None or self._conn is None or os.getpid() != self._process:
                return
            try:
                gone = "UPDATE {schema}.sessions SET holder = NULL, backend = NULL WHERE name = %s AND epoch = %s"
                ask(self._conn, self._link.schema, gone, session, epoch)
                ask(self._conn, "", "SELECT pg_advisory_unlock(%s)", key_of(self._link.schema, session))
            except psycopg.Error:
                self._drop()

    def epoch(self, session: str) -> int:
        """What an append brings along: 0 where the session isn't held.

        Raises:
            psycopg.Error: there is no way to the server.
        """
        with self._lock:
            if session in self._held:
                self.open()
            return self._held.get(session, 0)

    def close(self) -> None:
        """Give everything back."""
        with self._lock:
            self._held.clear()
            if os.getpid() == self._process:
                self._drop()

    def _forked(self) -> None:
        """A fork shares no connection with its parent, and holds nothing; it keeps it, so that nobody ends it."""
        if os.getpid() != self._process:
            self._process, self._parents, self._conn = os.getpid(), self._conn, None
            self._held.clear()
            self._owners.clear()

    def _connect(self) -> Connection:
        conn = self._link.connect()
        try:
            conn.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self.channel)))
            own = "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
            self._owners = [*self._owners[-TRIES:], *ask(conn, "", own)]
            for session, epoch in self._held.items():
                self._again(conn, session, epoch)
        except BaseException:
            conn.close()
            raise
        self._conn = conn
        return conn

    def _drop(self) -> None:
        conn, self._conn = self._conn, None
        self._proven = float("-inf")
        if conn is not None:
            with suppress(psycopg.Error):
                conn.close()

    def _hear(self, conn: Connection) -> None:
        """Read what was told since; an error where the connection is known to be broken."""
        for note in conn.notifies(timeout=0):
            if note.channel == self.channel:
                self._newest = max(self._newest, int(note.payload))
                self._proven = time.monotonic()

    def _ask_newest(self) -> int:
        with self._lock:
            conn = self.open()
            if time.monotonic() - self._proven > FRESH:
                try:
                    ((self._newest,),) = ask(conn, self._link.schema, "SELECT at FROM {schema}.newest")
                except psycopg.Error:
                    self._drop()
                    raise
                self._proven = time.monotonic()
            return self._newest

    def _take(self, session: str) -> None:
        conn, schema = self.open(), self._link.schema
        try:
            if not self._locked(conn, session):
                raise _held(session, self._holder(conn, session) or "another process")
            ((epoch,),) = ask(conn, schema, HOLD, session, _me())
            self._held[session] = epoch
        except psycopg.Error:
            self._drop()
            raise

    def _holder(self, conn: Connection, session: str) -> str:
        """What the newest holder wrote of itself."""
        text = "SELECT holder FROM {schema}.sessions WHERE name = %s AND archived IS NULL"
        found = ask(conn, self._link.schema, text, session)
        return str(found[0][0] or "") if found else ""

    def _locked(self, conn: Connection, session: str) -> bool:
        """Take the lock; what a dead process or a dead connection of this object has of it is waited for."""
        key = key_of(self._link.schema, session)
        for _ in range(TRIES):
            ((free,),) = ask(conn, "", "SELECT pg_try_advisory_lock(%s)", key)
            if free:
                return True
            owners = [owner for owner in ask(conn, "", OWNER, key, key) if owner in self._owners]
            for process, _ in owners:
                ask(conn, "", "SELECT pg_terminate_backend(%s)", process)
            if not owners and not _dead(self._holder(conn, session)):
                return False
            time.sleep(BETWEEN)
        return False

    def _again(self, conn: Connection, session: str, epoch: int) -> None:
        """Take a lock again whose connection broke; who lost it to another is told at the next append."""
        if self._locked(conn, session):
            mine = "UPDATE {schema}.sessions SET backend = pg_backend_pid() WHERE name = %s AND epoch = %s RETURNING id"
            if not ask(conn, self._link.schema, mine, session, epoch):
                ask(conn, "", "SELECT pg_advisory_unlock(%s)", key_of(self._link.schema, session))


def _me() -> str:
    return json.dumps({"process": os.getpid(), "host": socket.gethostname()})


def _dead(holder: str) -> bool:
    """Whether it is a process of this machine that is no more."""
    try:
        told = json.loads(holder or "{}")
        if told.get("host") == socket.gethostname():
            os.kill(told["process"], 0)
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return False
    return False


def _held(session: str, holder: str) -> StoreError:
    return StoreError(f"session {session!r} is held by {holder}: close it there first, or use another session")
