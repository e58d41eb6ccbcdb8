"""The way to the server: a pool for short statements, each tried again until it is done or fails for good.

A statement is a transaction of its own, sent at once: a connection that is cut leaves nothing open
on the server, no lock and no half of an append.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import tuple_row
from psycopg_pool import ConnectionPool, PoolTimeout

from context_kit.errors import StoreError
from context_kit.memory._postgres._errors import again, store_error

if TYPE_CHECKING:
    from typing_extensions import LiteralString

__all__ = ["Connection", "Link", "Rows", "ask", "pages"]

Connection = psycopg.Connection[Any]
Rows = list[tuple[Any, ...]]
Made = TypeVar("Made")

CONNECT: Mapping[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "client_encoding": "UTF8",
    "application_name": "context-kit",
}
"""Seconds, but for the last timeout in milliseconds: a way that is cut without a word is noticed after some ten."""
SERVER = {
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""The same for the server, so that the locks of a machine that vanished are free as soon."""
PAGE = 5_000
"""Rows that are read at once."""
POOL_WAIT = 1.0
"""Seconds until a connection of the pool is asked for again."""
BROKEN = (psycopg.OperationalError, psycopg.InterfaceError)


class Link:
    """Connections to one schema of one database."""

    def __init__(self, given: str | ConnectionPool[Any], *, schema: str, patience: float, connections: int) -> None:
        self.schema = schema
        self.patience = patience
        """Seconds for which a failure that passes is tried again."""
        self._conninfo = given if isinstance(given, str) else None
        self._connections = connections
        self._pool = given if not isinstance(given, str) else self._made()
        self._parents: ConnectionPool[Any] | None = None
        """The pool that a fork inherited: it is kept, so that nobody ends its connections."""
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._closed = False

    def _made(self) -> ConnectionPool[Any]:
        return ConnectionPool(
            self._conninfo or "",
            kwargs={**self._settings(), "autocommit": True},
            configure=_configure,
            min_size=0,
            max_size=self._connections,
            timeout=POOL_WAIT,
            reconnect_timeout=0.0,  # it is asked again by `again`
            open=True,
            name="context-kit",
        )

    def _settings(self) -> dict[str, Any]:
        """What the conninfo leaves open."""
        try:
            told = conninfo_to_dict(self._conninfo or "")
        except psycopg.ProgrammingError:
            msg = "server: is no conninfo: give one such as postgresql://user@host/database"
            raise StoreError(msg) from None  # what it says repeats words that may be a password
        return {name: value for name, value in CONNECT.items() if name not in told}

    def connect(self) -> Connection:
        """A connection of one's own, in autocommit mode; the caller closes it.

        Raises:
            psycopg.Error: the server can't be reached, or refuses.
            StoreError: the database can't hold every text.
        """
        if self._conninfo is not None:
            conn = psycopg.connect(self._conninfo, **self._settings(), autocommit=True)
        else:
            with self._pool.connection(timeout=POOL_WAIT) as pooled:
                told = {option.keyword: option.val for option in pooled.pgconn.info if option.val}
            known = {name.decode(): value.decode() for name, value in told.items()}
            conn = psycopg.connect(**known, autocommit=True)
        encodings = (conn.info.parameter_status("server_encoding"), conn.info.parameter_status("client_encoding"))
        if set(encodings) != {"UTF8"}:
            conn.close()
            msg = f"store: the encodings of server and client are {encodings!r}: use a database with ENCODING 'UTF8'"
            raise StoreError(msg)
        _configure(conn)
        return conn

    def run(self, act: Callable[[Connection], Made]) -> Made:
        """Do something with a connection of the pool, again where a failure passes.

        Raises:
            StoreError: it failed for good, or the store is closed.
        """
        self.check()
        try:
            return again(lambda: self._once(act), patience=self.patience)
        except StoreError as error:
            raise self._reason(error) from error

    def query(self, text: LiteralString, *values: object) -> Rows:
        """The rows of one statement, which may be done twice; `{schema}` in it stands for the schema."""
        return self.run(lambda conn: ask(conn, self.schema, text, *values))

    def check(self) -> None:
        """Refuse where the store is closed; connections that a fork inherited are left to its parent.

        Raises:
            StoreError: it is closed, or this process is a fork and the pool is the caller's.
        """
        if self._closed:
            msg = "store: is closed: open it again"
            raise StoreError(msg)
        if os.getpid() != self._process:
            with self._lock:
                if self._conninfo is None:
                    msg = "store: its pool was made before this process was forked: make pool and store in this process"
                    raise StoreError(msg)
                if os.getpid() != self._process:
                    self._parents, self._pool, self._process = self._pool, self._made(), os.getpid()

    def close(self) -> None:
        """Close the pool, unless it is the caller's."""
        self._closed = True
        if self._conninfo is not None and os.getpid() == self._process:
            self._pool.close()

    def _once(self, act: Callable[[Connection], Made]) -> Made:
        with self._pool.connection(timeout=POOL_WAIT) as conn, _alone(conn):
            return act(conn)

    def _reason(self, error: StoreError) -> StoreError:
        """Why no connection came from the pool: it doesn't say."""
        if isinstance(error.__cause__, PoolTimeout) and self._conninfo is not None:
            try:
                self.connect().close()
            except psycopg.Error as told:
                return store_error(told)
        return error


def _configure(conn: Connection) -> None:
    """Tell the server when to give a silent client up; not as startup options, which poolers refuse."""
    for name, value in SERVER.items():
        conn.execute("SELECT set_config(%s, %s, false)", (name, value))


@contextmanager
def _alone(conn: Connection) -> Generator[None]:
    """Each statement a transaction of its own, also in a caller's pool."""
    before = conn.autocommit
    if not before:
        conn.autocommit = True
    try:
        yield
    finally:
        if not before and not conn.closed:
            with suppress(*BROKEN):
                conn.autocommit = False


def ask(conn: Connection, schema: str, text: LiteralString, *values: object, **named: object) -> Rows:
    """The rows of one statement; `{schema}` in it stands for the schema."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute(sql.SQL(text).format(schema=sql.Identifier(schema)), named or values)
        return cursor.fetchall() if cursor.description is not None else []


def pages(link: Link, text: LiteralString, *values: object, after: int = 0) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, however many: `text` selects `at`, `part` and more, where `at` is above its last value."""
    while True:
        page: LiteralString = " ORDER BY at FETCH FIRST %s ROWS WITH TIES"
        rows = link.query(text + page, *values, after, PAGE)
        yield from sorted(rows, key=lambda row: (row[0], row[1]))
        if len(rows) < PAGE:
            return
        after = max(row[0] for row in rows)
