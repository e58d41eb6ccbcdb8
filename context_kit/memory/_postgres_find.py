"""Journal records in PostgreSQL by words, parts of words, and files.

The words are cut by the library's own rules (identifiers, paths, Chinese) and indexed as they are;
trigrams find what is only a part of a word, or misspelled.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import sql
from psycopg.rows import tuple_row

from context_kit.memory._postgres_link import Connection, Link, Rows, ask
from context_kit.memory._terms import asked, terms

if TYPE_CHECKING:
    from typing_extensions import LiteralString

__all__ = ["Found", "columns", "related", "search"]

MOST_TERMS = 2_000
"""Terms of one record in the index; the rest of it is found as parts of words."""
ASKED = 64
"""Terms of a query."""
NEAREST = 1_000
"""Records of each way that are ranked, the newest first."""
SAME_PATH, SAME_NAME = 2.0, 1.5
"""What a record about the file itself, or one of its name, counts beside 1.0 for all words."""
UNSAID = ("id", "ts", "session", "agent", "at")
"""Fields that no one searches by their words."""

COMMON = 0.02
"""Share of the records that hold a term, from which on it is asked for only where there is no rarer one."""

WHOLE: LiteralString = """
SELECT at, line FROM {schema}.journal WHERE terms @@ %s::text::tsquery ORDER BY at DESC, part DESC LIMIT %s
"""
BY_BODY: LiteralString = "SELECT at, line FROM {schema}.journal WHERE "
NEWEST_FIRST: LiteralString = " ORDER BY at DESC, part DESC LIMIT %s"
HOME: LiteralString = """
SELECT nspname FROM pg_extension JOIN pg_namespace AS home ON home.oid = extnamespace WHERE extname = 'pg_trgm'
"""
CANDIDATES: LiteralString = """
SELECT at, part, file, name, ARRAY(SELECT unnest(%(asked)s::text[]) INTERSECT SELECT unnest(tsvector_to_array(terms)))
FROM {schema}.journal JOIN (
    (SELECT at, part FROM {schema}.journal WHERE name = ANY(%(names)s::text[])
        AND (%(without)s::text = '' OR session <> %(without)s)
        AND (%(any)s::boolean OR action = ANY(%(actions)s::text[]))
        ORDER BY at DESC LIMIT %(most)s)
    UNION
    (SELECT at, part FROM {schema}.journal WHERE terms @@ %(query)s::text::tsquery
        AND (%(without)s::text = '' OR session <> %(without)s)
        AND (%(any)s::boolean OR action = ANY(%(actions)s::text[]))
        ORDER BY at DESC LIMIT %(most)s)
) AS near USING (at, part)
"""
FREQUENT: LiteralString = """
SELECT most_common_elems::text::text[], most_common_elem_freqs FROM pg_stats
WHERE schemaname = %s AND tablename = 'journal' AND attname = 'terms'
"""


class Found(NamedTuple):
    """What a journal line is found by."""

    session: str
    action: str
    file: str
    name: str
    body: str
    terms: str


def columns(line: Mapping[str, Any]) -> Found:
    """What is indexed of a journal line."""
    said = " \n".join(_clean(str(value)) for key, value in line.items() if key not in UNSAID and value is not None)
    file = _clean(str(line.get("file") or ""))
    every = _clean("\n".join(str(value) for value in line.values()).lower())
    return Found(
        session=_clean(str(line.get("session") or "")),
        action=_clean(str(line.get("action") or "")),
        file=file,
        name=_name(file),
        body=every,
        terms=" ".join(_terms(said)),
    )


def search(link: Link, query: str, *, limit: int, trigrams: bool) -> list[dict[str, Any]]:
    """Records that hold all words of a query, newest first; then those that hold them as parts; else alike ones."""
    found: dict[tuple[int, str], None] = {}
    whole = list(dict.fromkeys(term for word in asked(query).words for term in word))[:ASKED]
    parts = [_clean(word) for word in query.lower().split()][:ASKED]
    if whole:
        found |= dict.fromkeys(map(_pair, link.query(WHOLE, " & ".join(map(_quoted, whole)), limit)))
    if parts and len(found) < limit:
        text: LiteralString = BY_BODY + " AND ".join(["body LIKE %s" for _ in parts]) + NEWEST_FIRST
        found |= dict.fromkeys(map(_pair, link.query(text, *(f"%{_literal(part)}%" for part in parts), limit)))
    if parts and not found and trigrams:
        found |= dict.fromkeys(map(_pair, link.run(lambda conn: _alike(conn, link.schema, parts, limit))))
    return [json.loads(line) for _, line in list(found)[:limit]]


def related(
    link: Link, words: str, *, files: Sequence[str], without: str, actions: Collection[str], limit: int
) -> Iterator[dict[str, Any]]:
    """Records about these words or files, best first: rare words count more than common ones."""
    asked_for = list(asked(words).terms)[:ASKED]
    paths = {_clean(file) for file in files if file}
    names = {_name(path) for path in paths}
    given = {
        "asked": asked_for,
        "names": sorted(names),
        "without": _clean(without),
        "any": not actions,
        "actions": [_clean(action) for action in actions],
        "most": NEAREST,
    }
    rows = link.run(lambda conn: _candidates(conn, link.schema, given))
    ranked = _rank(rows, asked_for, paths, names)[:limit]
    pages: LiteralString = "SELECT at, part, line FROM {schema}.journal WHERE at = ANY(%s)"
    lines = {(at, part): line for at, part, line in link.query(pages, [at for _, at, _ in ranked])} if ranked else {}
    for score, at, part in ranked:
        if (at, part) in lines:  # else it was rewritten meanwhile
            yield {**json.loads(lines[at, part]), "at": at, "score": round(score, 6)}


def _candidates(conn: Connection, schema: str, given: Mapping[str, Any]) -> Rows:
    """The newest records that hold one of the rare terms, or are about a file of one of the names."""
    stats = ask(conn, schema, FREQUENT, schema)
    often = {
        term
        for terms, shares in stats
        for term, share in zip(terms or (), shares or (), strict=False)
        if share > COMMON
    }
    rare = [term for term in given["asked"] if term not in often] or given["asked"]
    return ask(conn, schema, CANDIDATES, **given, query=" | ".join(map(_quoted, rare)))


def _alike(conn: Connection, schema: str, words: Sequence[str], limit: int) -> Rows:
    """Records with words like all of these, misspelled ones, the most alike first."""
    home = ask(conn, schema, HOME)
    if not home:
        return []
    name = sql.Identifier(home[0][0])
    like = sql.SQL("body OPERATOR({home}.%%>) %s").format(home=name)
    near = sql.SQL("{home}.word_similarity(%s, body)").format(home=name)
    text = sql.SQL("SELECT at, line FROM {journal} WHERE {like} ORDER BY {near} DESC, at DESC, part DESC LIMIT %s")
    query = text.format(
        journal=sql.Identifier(schema, "journal"),
        like=sql.SQL(" AND ").join([like] * len(words)),
        near=sql.SQL(" + ").join([near] * len(words)),
    )
    with conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute(query, [*words, *words, limit])
        return cursor.fetchall()


def _rank(
    rows: Rows, terms: Sequence[str], paths: Collection[str], names: Collection[str]
) -> list[tuple[float, int, int]]:
    """Score, position and part of each candidate, best first; the newer one where they tie."""
    known = Counter(term for row in rows for term in row[4])
    weights = {term: math.log(1 + (len(rows) + 1) / (1 + known[term])) for term in terms}
    most = sum(weights.values()) or 1.0
    ranked = [
        (
            sum(weights[term] for term in held) / most
            + (SAME_PATH if file in paths else SAME_NAME if name and name in names else 0.0),
            at,
            part,
        )
        for at, part, file, name, held in rows
    ]
    return sorted(ranked, key=lambda each: (-each[0], -each[1], each[2]))


def _pair(row: tuple[Any, ...]) -> tuple[int, str]:
    return row[0], row[1]


def _terms(text: str) -> list[str]:
    return list(dict.fromkeys(_clean(term) for term in terms(text)))[:MOST_TERMS]


def _name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1].lower()


def _quoted(term: str) -> str:
    """A term as a query; a single character also as the beginning of longer ones."""
    text = _clean(term).replace("\\", "\\\\").replace("'", "''")
    return f"'{text}':*" if len(term) == 1 else f"'{text}'"


def _literal(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def _clean(text: str) -> str:
    """As a column may hold it: without NULs and lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
