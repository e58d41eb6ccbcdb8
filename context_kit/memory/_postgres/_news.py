"""What is new in the journal: heard on a connection that listens, asked for where it was silent for long.

A connection of its own: where nobody reads what it is told for hours, the server may end it, and no lock goes with it.
"""

from __future__ import annotations

import time

import psycopg
from psycopg import sql

from context_kit.memory._postgres._errors import again
from context_kit.memory._postgres._link import Connection, Link, ask
from context_kit.memory._postgres._standing import Standing, key_of

__all__ = ["News"]

FRESH = 2.0
"""Seconds for which a silent connection is believed."""


class News(Standing):
    """The position of the newest record of one schema."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self.channel = f"ck{key_of(link.schema, 'news') & (2**64 - 1):016x}"
        """Where writers tell it."""
        self._newest = 0
        self._proven = float("-inf")
        """When the connection has last answered, on the clock of `time.monotonic`."""

    def newest(self) -> int:
        """Position of the newest record: as it was told, or asked."""
        return again(self._ask, patience=self.link.patience)

    def told(self, newest: int) -> None:
        """Note what this store has written or read itself."""
        with self.lock:
            self._newest = max(self._newest, newest)

    def begun(self, conn: Connection) -> None:
        """Listen; what was told before has to be asked for."""
        conn.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self.channel)))
        self._proven = float("-inf")

    def heard(self, note: psycopg.Notify) -> None:
        """A position, by a writer."""
        if note.channel == self.channel:
            self._newest = max(self._newest, int(note.payload))
            self._proven = time.monotonic()

    def _ask(self) -> int:
        with self.lock:
            conn = self.open()
            if time.monotonic() - self._proven > FRESH:
                try:
                    ((self._newest,),) = ask(conn, self.link.schema, "SELECT at FROM {schema}.newest")
                except psycopg.Error:
                    self.drop()
                    raise
                self._proven = time.monotonic()
            return self._newest
