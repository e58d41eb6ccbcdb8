"""A connection that stays: opened at its first use, looked at before each, opened again where it broke."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from hashlib import blake2b

import psycopg

from context_kit.memory._postgres._link import Connection, Link

__all__ = ["Standing", "key_of"]


def key_of(schema: str, what: str) -> int:
    """Key of an advisory lock, or of a channel: 64 bits with their sign."""
    return int.from_bytes(blake2b(f"{schema}\0{what}".encode(), digest_size=8).digest(), "big", signed=True)


class Standing:
    """What locks and news have in common."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.lock = threading.RLock()
        self.conn: Connection | None = None
        self._parents: Connection | None = None
        """The connection that a fork inherited: it is kept, so that nobody ends it."""
        self._process = os.getpid()

    def open(self) -> Connection:
        """The connection; a new one where there is none or it broke.

        Raises:
            psycopg.Error: there is no way to the server.
        """
        with self.lock:
            self.link.check()
            if not self.own:
                self._process, self._parents, self.conn = os.getpid(), self.conn, None
                self.forked()
            try:
                if self.conn is not None:
                    self._hear(self.conn)
            except psycopg.Error:
                self.drop()
            return self.conn or self._connect()

    @property
    def own(self) -> bool:
        """Whether this process has opened it, not the one that it was forked from."""
        return os.getpid() == self._process

    def drop(self) -> None:
        """Close it; the next use opens another."""
        conn, self.conn = self.conn, None
        if conn is not None:
            with suppress(psycopg.Error):
                conn.close()

    def close(self) -> None:
        """Close it for good."""
        with self.lock:
            if self.own:
                self.drop()

    def begun(self, conn: Connection) -> None:
        """Do what a new connection begins with."""

    def heard(self, note: psycopg.Notify) -> None:
        """Take a notification in."""

    def forked(self) -> None:
        """Forget what the parent has."""

    def _hear(self, conn: Connection) -> None:
        """Read what is there: last words first, then that there is nobody any more."""
        for _ in range(2):
            for note in conn.notifies(timeout=0):
                self.heard(note)

    def _connect(self) -> Connection:
        conn = self.link.connect()
        try:
            self.begun(conn)
        except BaseException:
            conn.close()
            raise
        self.conn = conn
        return conn
