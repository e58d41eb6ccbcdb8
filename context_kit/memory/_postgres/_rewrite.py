"""Lines of a log or of the journal are changed in their places: all of it in one transaction, done once.

What is to be changed is found first, without a lock. The transaction then takes the old lines out and
looks whether they are still the same; where they aren't, somebody else was quicker, and all is found anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from psycopg import sql

from context_kit.errors import StoreError
from context_kit.memory._files._lines import encode
from context_kit.memory._postgres._find import columns
from context_kit.memory._postgres._link import Connection, Link, Rows, ask, pages

if TYPE_CHECKING:
    from typing_extensions import LiteralString

__all__ = ["Change", "rewrite"]

Change = Callable[[dict[str, Any]], Iterable[Mapping[str, Any]]]

ROUNDS = 10
"""Times that others may be quicker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Where lines stand, and the statements that read them, take them out and put them in."""

    name: LiteralString
    read: LiteralString
    """at, part, key, n, line, and whose it is."""
    take: LiteralString
    put: LiteralString


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The lines of one position: as they are, and as they shall be."""

    at: int
    rows: Rows
    lines: tuple[str, ...]


JOURNAL = Table(
    name="journal",
    read="SELECT at, part, key, n, line, '' FROM {schema}.journal WHERE %s = '' AND at > %s",
    take="DELETE FROM {schema}.journal WHERE at = ANY(%s) RETURNING at, part, line",
    put="""INSERT INTO {schema}.journal (at, part, key, n, line, session, action, name, body, terms)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s,
            array_to_tsvector(array_remove(string_to_array(%s, ' '), '')))""",
)
LINES = Table(
    name="lines",
    read="""SELECT at, part, key, n, line, session FROM {schema}.lines
        WHERE session IN (SELECT id FROM {schema}.sessions WHERE name = %s) AND at > %s""",
    take="DELETE FROM {schema}.lines WHERE at = ANY(%s) RETURNING at, part, line",
    put="INSERT INTO {schema}.lines (at, part, key, n, line, session) VALUES (%s, %s, %s, %s, %s, %s)",
)
ARCHIVE = Table(
    name="archive",
    read="SELECT at, part, NULL, NULL, line, session FROM {schema}.archive WHERE session = %s AND at > %s",
    take="DELETE FROM {schema}.archive WHERE at = ANY(%s) RETURNING at, part, line",
    put="""INSERT INTO {schema}.archive (at, part, line, session)
        SELECT at, part, line, session FROM (VALUES (%s, %s, %s::uuid, %s::integer, %s, %s))
        AS given (at, part, key, n, line, session)""",
)


class _OvertakenError(Exception):
    """Somebody else changed a line meanwhile."""


def rewrite(link: Link, session: str, change: Change, *, archive: bool) -> int:
    """Put in each line's place what `change` makes of it; how many lines changed.

    Raises:
        StoreError: it could not be done; nothing was changed.
    """
    table = LINES if session else JOURNAL
    tables = (table,) if archive else (table, ARCHIVE)
    for _ in range(ROUNDS):
        found = {table: list(_changed(link, table, session, change)) for table in tables}
        with suppress(_OvertakenError):
            if any(found.values()):
                link.run(partial(_apply, link.schema, session, found, key=uuid4(), archive=archive))
                if not archive:
                    _sweep(link)
            return sum(_differ(place) for places in found.values() for place in places)
    msg = f"store: {session or 'the journal'!r} is being changed by others all the time: try again later"
    raise StoreError(msg)


def _changed(link: Link, table: Table, session: str, change: Change) -> Iterable[Place]:
    """The positions at which something changes."""
    for at, group in groupby(pages(link, table.read, session), key=lambda row: int(row[0])):
        rows = list(group)
        lines = tuple(chain.from_iterable(_made(table, row, change) for row in rows))
        if lines != tuple(row[4] for row in rows):
            yield Place(at=at, rows=rows, lines=lines)


def _made(table: Table, row: tuple[Any, ...], change: Change) -> list[str]:
    """What a line becomes; its own text where it stays as it is. A journal's lines come with their positions."""
    line = json.loads(row[4])
    place = {"at": row[0]} if table is JOURNAL else {}
    made = [{key: value for key, value in new.items() if key not in place} for new in change({**line, **place})]
    return [row[4] if new == line else encode(new).decode().rstrip("\n") for new in made]


def _differ(place: Place) -> int:
    return sum(row[4] not in place.lines for row in place.rows) or 1


def _apply(
    schema: str, session: str, found: Mapping[Table, list[Place]], conn: Connection, *, key: UUID, archive: bool
) -> None:
    """All changes at once; a second time nothing, as the key is known then.

    Raises:
        _OvertakenError: a line is not as it was.
    """
    with conn.transaction():
        ask(conn, schema, "SELECT {schema}.durable()")
        if not ask(
            conn, schema, "INSERT INTO {schema}.rewrites (key) VALUES (%s) ON CONFLICT DO NOTHING RETURNING key", key
        ):
            return
        ask(conn, schema, "DELETE FROM {schema}.rewrites WHERE since < now() - interval '1 day'")
        for table, places in found.items():
            _replace(conn, schema, table, places)
            if archive:
                old = [(session, row[4]) for place in places for row in place.rows if row[4] not in place.lines]
                keep: LiteralString = (
                    "INSERT INTO {schema}.archive (session, line) SELECT * FROM unnest(%s::text[], %s::text[])"
                )
                ask(conn, schema, keep, [name for name, _ in old], [line for _, line in old])
        if not archive:
            ask(conn, schema, "UPDATE {schema}.sessions SET checkpoint = NULL WHERE name = %s", session)


def _replace(conn: Connection, schema: str, table: Table, places: list[Place]) -> None:
    taken = ask(conn, schema, table.take, [place.at for place in places])
    if {(at, part): line for at, part, line in taken} != {(row[0], row[1]): row[4] for p in places for row in p.rows}:
        raise _OvertakenError
    with conn.cursor() as cursor:
        put = sql.SQL(table.put).format(schema=sql.Identifier(schema))
        cursor.executemany(put, (values for place in places for values in _values(table, place)))


def _values(table: Table, place: Place) -> Iterable[tuple[Any, ...]]:
    """What is put in for a position, a row each; the key of its append stays with the first."""
    for part, line in enumerate(place.lines):
        key, n = place.rows[0][2:4] if part == 0 else (None, None)
        rest = columns(json.loads(line)) if table is JOURNAL else (place.rows[0][5],)
        yield (place.at, part, key, n, line, *rest)


def _sweep(link: Link) -> None:
    """Let the server reuse the room of what was taken out; it would do so itself, later."""
    with suppress(StoreError):
        link.query("VACUUM {schema}.lines, {schema}.journal, {schema}.archive")
