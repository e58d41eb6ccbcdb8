"""Locks of sessions, on one connection that stays.

A lock ends with its connection, so a dead holder's is free. Where only the connection died, it is taken
again at the next append. Who took the session meanwhile has made a new epoch: an append that brings an
older one is refused, so there is never a second writer, whatever the network did.
"""

from __future__ import annotations

import json
import os
import socket
import time
from typing import Any

import psycopg

from context_kit.memory._holder import held, me
from context_kit.memory._postgres._errors import again
from context_kit.memory._postgres._link import Connection, Link, ask
from context_kit.memory._postgres._standing import Standing, key_of

__all__ = ["Locks"]

TRIES = 40
"""Looks at a lock that the dead still have at the server."""
BETWEEN = 0.05
"""Seconds between them."""

HOLD = """
INSERT INTO {schema}.sessions (name, epoch, holder) VALUES (%s, nextval('{schema}.epochs'), %s)
ON CONFLICT (name) WHERE archived IS NULL DO UPDATE SET epoch = excluded.epoch, holder = excluded.holder
RETURNING epoch
"""
OWNER = """
SELECT activity.pid, activity.backend_start FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND classid::bigint = (%s::bigint >> 32) & 4294967295 AND objid::bigint = %s::bigint & 4294967295
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Locks(Standing):
    """The sessions that one store holds."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._owners: list[tuple[Any, ...]] = []
        """Backends of this object, dead ones included: process and start."""
        self._held: dict[str, int] = {}
        """Session → epoch."""

    def take(self, session: str) -> None:
        """Become a session's one writer.

        Raises:
            StoreError: somebody is it; the text names the process.
        """
        with self.lock:
            if session in self._held and self.own:
                raise held(session, me())
            again(lambda: self._take(session), patience=self.link.patience)

    def give(self, session: str) -> None:
        """Let it go; a lock that can't be given back ends with its connection."""
        with self.lock:
            if not self.own:
                return
            epoch = self._held.pop(session, None)
            if epoch is None or self.conn is None:
                return
            try:
                gone = "UPDATE {schema}.sessions SET holder = NULL WHERE name = %s AND epoch = %s"
                ask(self.conn, self.link.schema, gone, session, epoch)
                self._unlock(self.conn, session)
            except psycopg.Error:
                self.drop()

    def epoch(self, session: str) -> int:
        """What an append brings along: 0 where the session isn't held.

        Raises:
            psycopg.Error: there is no way to the server.
        """
        with self.lock:
            if session in self._held:
                self.open()
            return self._held.get(session, 0)

    def close(self) -> None:
        """Give everything back."""
        with self.lock:
            self._held.clear()
            super().close()

    def begun(self, conn: Connection) -> None:
        """Take the locks again; who lost one to another is told at the next append."""
        own = "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
        self._owners = [*self._owners[-TRIES:], *ask(conn, "", own)]
        for session, epoch in self._held.items():
            if self._locked(conn, session):
                mine = "SELECT FROM {schema}.sessions WHERE name = %s AND epoch = %s AND archived IS NULL"
                if not ask(conn, self.link.schema, mine, session, epoch):
                    self._unlock(conn, session)

    def forked(self) -> None:
        """A fork holds nothing."""
        self._held.clear()
        self._owners.clear()

    def _take(self, session: str) -> None:
        conn, schema = self.open(), self.link.schema
        try:
            if not self._locked(conn, session):
                raise held(session, self._holder(conn, session))
            ((epoch,),) = ask(conn, schema, HOLD, session, me())
            self._held[session] = epoch
        except psycopg.Error:
            self.drop()
            raise

    def _holder(self, conn: Connection, session: str) -> str:
        """What the newest holder wrote of itself."""
        text = "SELECT holder FROM {schema}.sessions WHERE name = %s AND archived IS NULL"
        found = ask(conn, self.link.schema, text, session)
        return str(found[0][0] or "") if found else ""

    def _locked(self, conn: Connection, session: str) -> bool:
        """Take the lock; what a dead process or a dead connection of this object has of it is waited for."""
        key = key_of(self.link.schema, session)
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

    def _unlock(self, conn: Connection, session: str) -> None:
        ask(conn, "", "SELECT pg_advisory_unlock(%s)", key_of(self.link.schema, session))


def _dead(holder: str) -> bool:
    """Whether it is a process of this machine that is no more; nobody is asked where asking would end it."""
    try:
        told = json.loads(holder or "{}")
        if os.name == "posix" and told.get("host") == socket.gethostname():
            os.kill(told["process"], 0)
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return False
    return False
