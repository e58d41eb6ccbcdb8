"""Journal records in PostgreSQL by words, parts of words, and files.

The words are cut by the library's own rules (identifiers, paths, Chinese), so that both stores find the
same. Trigrams find what is only a part of a word, or misspelled.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import sql
from psycopg.rows import tuple_row

from context_kit.memory._index._rank import best, rarity, text_of, wanted
from context_kit.memory._index._terms import asked, begins, path_terms, terms
from context_kit.memory._postgres._link import Connection, Link, Rows, ask

if TYPE_CHECKING:
    from typing_extensions import LiteralString

__all__ = ["Found", "clean", "columns", "related", "search"]

LONGEST = 500
"""Characters of a session's name in the index; PostgreSQL indexes 2,700 bytes."""
MOST_TERMS = 2_000
"""Different terms of one record in the index; the rest of it is found as parts of words."""
MOST_PARTS = 16
"""Words of a query that are looked for as parts."""
NEAREST = 1_000
"""Records of each way that are looked at, the newest ones."""
READ = 200
"""Records that are ranked for a search at least, the newest ones."""
KEPT = 64
"""Candidates that are read, at least."""
COMMON = 0.02
"""Share of the records that hold a term, from which on it is asked for only where there is no rarer one."""
NAMED = 3.0
"""What a file's name counts among the candidates, beside 1.0 for a word as rare."""

ALIKE = "0.45"
"""Share of a word's trigrams that another has, from which on it may be the same misspelled; some 0.55 for one slip."""

BY_TERMS: LiteralString = """
SELECT at, part, line FROM {schema}.journal WHERE terms @@ %s::text::tsquery ORDER BY at DESC, part DESC LIMIT %s
"""
BY_BODY: LiteralString = "SELECT at, part, line FROM {schema}.journal WHERE "
NEWEST_FIRST: LiteralString = " ORDER BY at DESC, part DESC LIMIT %s"
HOME: LiteralString = """
SELECT nspname FROM pg_extension JOIN pg_namespace AS home ON home.oid = extnamespace WHERE extname = 'pg_trgm'
"""
CANDIDATES: LiteralString = """
SELECT at, part, name, ARRAY(SELECT unnest(%(asked)s::text[]) INTERSECT SELECT unnest(tsvector_to_array(terms)))
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
LINES: LiteralString = "SELECT at, part, line FROM {schema}.journal WHERE at = ANY(%s)"


class Found(NamedTuple):
    """What a journal line is found by."""

    session: str
    action: str
    name: str
    body: str
    terms: str


def columns(line: Mapping[str, Any]) -> Found:
    """What is indexed of a journal line."""
    file = str(line.get("file") or "")
    held = dict.fromkeys((*path_terms(file), *terms(file), *terms(text_of(line))))
    return Found(
        session=clean(str(line.get("session") or ""))[:LONGEST],
        action=clean(str(line.get("action") or "")),
        name=_name(file),
        body=clean("\n".join(str(value) for value in line.values()).lower()),
        terms=clean(" ".join(list(held)[:MOST_TERMS])),
    )


def search(link: Link, query: str, *, limit: int, trigrams: bool) -> list[dict[str, Any]]:
    """Records that hold all words of a query, best first; then as parts of words; then some; else words alike."""
    sought, want = asked(query), wanted(query, ())
    parts = [clean(word) for word in query.lower().split()][:MOST_PARTS]
    found: dict[tuple[int, int], dict[str, Any]] = {}
    if sought.needed:
        whole = _every(sought.needed)
        if sought.better:
            whole += f" & ({_some((sought.needed[0], *sought.better))})"
        _add(found, best(_lines(link.query(BY_TERMS, whole, max(READ, limit))), want, limit=limit))
    if parts and len(found) < limit and (trigrams or not found):
        text: LiteralString = BY_BODY + " AND ".join(["body LIKE %s" for _ in parts]) + NEWEST_FIRST
        _add(found, _lines(link.query(text, *(f"%{_literal(part)}%" for part in parts), limit))[::-1])
    if sought.words and len(found) < limit:
        some = " | ".join(f"({_every(word)})" for word in sought.words)
        _add(found, best(_lines(link.query(BY_TERMS, some, max(READ, limit))), want, limit=limit))
    if parts and not found and trigrams:
        _add(found, _lines(link.run(lambda conn: _alike(conn, link.schema, parts, limit)), sort=False))
    return [{key: value for key, value in line.items() if key != "at"} for line in list(found.values())[:limit]]


def related(
    link: Link, words: str, *, files: Sequence[str], without: str, actions: Collection[str], limit: int
) -> list[dict[str, Any]]:
    """Records about these words or files, best first: rare words count more than common ones."""
    want = wanted(words, files)
    given: dict[str, Any] = {
        "asked": [*want.words, *(end for ends in want.files for end in ends)],
        "names": [ends[-1] for ends in want.files],
        "without": clean(without),
        "any": not actions,
        "actions": [clean(action) for action in actions],
        "most": NEAREST,
    }
    rows, rare = link.run(lambda conn: _candidates(conn, link.schema, want.words, given))
    names = set(given["names"])
    score = {(at, part): sum(rare[term] for term in held) + NAMED * (name in names) for at, part, name, held in rows}
    kept = sorted(score, key=lambda place: (-score[place], -place[0], place[1]))[: max(KEPT, 2 * limit)]
    lines = _lines(row for row in link.query(LINES, [at for at, _ in kept]) if (row[0], row[1]) in score)
    return best(lines, want, limit=limit, rare=rare)


def _candidates(
    conn: Connection, schema: str, words: Sequence[str], given: Mapping[str, Any]
) -> tuple[Rows, dict[str, float]]:
    """The newest records that hold one of the rare terms or are about a file of one of the names; what terms count."""
    stats = ask(conn, schema, FREQUENT, schema)
    often: dict[str, float] = {
        term: share for known, shares in stats for term, share in zip(known or (), shares or (), strict=False)
    }
    rare = [term for term in words if often.get(term, 0.0) <= COMMON] or words
    rows = ask(conn, schema, CANDIDATES, **given, query=_some(rare))
    ((total,),) = ask(conn, schema, "SELECT at FROM {schema}.newest")
    counts = Counter(term for row in rows for term in row[3])
    return rows, {term: rarity(max(counts[term], often.get(term, 0.0) * total), total) for term in given["asked"]}


def _alike(conn: Connection, schema: str, words: Sequence[str], limit: int) -> Rows:
    """Records with words like all of these, misspelled ones, the most alike first."""
    home = ask(conn, schema, HOME)
    if not home:
        return []
    name = sql.Identifier(home[0][0])
    like = sql.SQL("body OPERATOR({home}.%%>) %s").format(home=name)
    near = sql.SQL("{home}.word_similarity(%s, body)").format(home=name)
    text = sql.SQL("SELECT at, part, line FROM {journal} WHERE {like} ORDER BY {near} DESC, at DESC LIMIT %s")
    query = text.format(
        journal=sql.Identifier(schema, "journal"),
        like=sql.SQL(" AND ").join([like] * len(words)),
        near=sql.SQL(" + ").join([near] * len(words)),
    )
    with conn.transaction(), conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute("SELECT set_config('pg_trgm.word_similarity_threshold', %s, true)", (ALIKE,))
        cursor.execute(query, [*words, *words, limit])
        return cursor.fetchall()


def _lines(rows: Iterable[tuple[Any, ...]], *, sort: bool = True) -> list[dict[str, Any]]:
    """Lines with their positions, oldest first, or as they come."""
    ordered = sorted(rows, key=lambda row: (row[0], row[1])) if sort else rows
    return [{**json.loads(line), "at": at} for at, _, line in ordered]


def _add(found: dict[tuple[int, int], dict[str, Any]], lines: Iterable[dict[str, Any]]) -> None:
    """Note lines that were not found before."""
    for line in lines:
        found.setdefault((line["at"], hash(line.get("id"))), line)


def _name(path: str) -> str:
    return clean("".join(path_terms(path)[-1:]))


def _every(needed: Iterable[str]) -> str:
    return " & ".join(map(_quoted, needed))


def _some(words: Iterable[str]) -> str:
    return " | ".join(map(_quoted, words))


def _quoted(term: str) -> str:
    """A term as a query; some stand for all that begin with them."""
    text = clean(term).replace("\\", "\\\\").replace("'", "''")
    return f"'{text}':*" if begins(term) else f"'{text}'"


def _literal(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def clean(text: str) -> str:
    """As a column may hold it: without NULs and lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
