"""How well a journal line answers: rare words count more, and a line about one of the files most of all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from context_kit.memory._index._terms import asked, begins, path_terms, terms

__all__ = ["FILED", "Wanted", "best", "found", "rarity", "text_of", "wanted"]

APART = frozenset({"at", "id", "ts", "session", "agent", "file"})
"""What of a record has no place among its words."""
MOST_WORDS = 48
"""Terms of a text that are looked for."""
MOST_FILES = 16
"""Files that are looked for."""
AVERAGE = 40
"""Terms of a usual record."""
NAMED = 2.0
"""What a term counts in a record's file name, beside 1.0 among its words."""
FILED = 4.0
"""What the name of a wanted file counts in it, and each longer end of its path."""
MEANT = 8.0
"""What the same meaning counts: as much as one or two rare words."""
SATURATED = 1.2
"""How soon a term that is repeated counts no more (Robertson's k1)."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for."""

    words: tuple[str, ...]
    """Terms, once each."""
    files: tuple[tuple[str, ...], ...]
    """Of each file its path and the ends of it."""


def wanted(words: str, files: Sequence[str]) -> Wanted:
    """The terms of words and files, a bounded number of them."""
    query = asked(words)
    found = (*query.better, *query.needed, *query.parts)
    paths = (tuple(path_terms(path)) for path in dict.fromkeys(files))
    return Wanted(tuple(dict.fromkeys(found))[:MOST_WORDS], tuple(path for path in paths if path)[:MOST_FILES])


def rarity(count: float, total: float) -> float:
    """What a term counts that so many of all lines have."""
    return math.log(1 + (total + 1) / (count + 0.5))


def text_of(line: Mapping[str, Any]) -> str:
    """The words of a record, without its file's name."""
    return " ".join(_texts(value for key, value in line.items() if key not in APART))


def _texts(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _texts(value)
        else:
            yield str(value)


def best(
    lines: Iterable[Mapping[str, Any]],
    want: Wanted,
    *,
    limit: int,
    rare: Mapping[str, float] | None = None,
    close: Mapping[int, float] | None = None,
) -> list[dict[str, Any]]:
    """The lines that have anything of it, best first and newer first where they tie, each with its `score`.

    Args:
        lines: journal lines, oldest first.
        want: what is looked for.
        limit: at most so many.
        rare: what each term counts; by default as these lines tell.
        close: how close in meaning the lines at some positions are, up to 1.
    """
    held = [(line, _held(line)) for line in lines]
    if rare is None:
        counts = Counter(term for _, (words, named) in held for term in words.keys() | named)
        rare = {term: rarity(count, len(held)) for term, count in counts.items()}
    near = close or {}
    scored = (
        (_score(words, named, want, rare) + MEANT * near.get(line.get("at", 0), 0.0), line)
        for line, (words, named) in held
    )
    found = [(score, int(line.get("at", number)), line) for number, (score, line) in enumerate(scored) if score > 0]
    found.sort(key=lambda each: (-each[0], -each[1]))
    return [{**line, "score": round(score, 6)} for score, _, line in found[:limit]]


def _held(line: Mapping[str, Any]) -> tuple[Counter[str], frozenset[str]]:
    file = str(line.get("file") or "")
    return Counter(terms(text_of(line))), frozenset((*path_terms(file), *terms(file)) if file else ())


def _score(words: Counter[str], named: frozenset[str], want: Wanted, rare: Mapping[str, float]) -> float:
    length = 0.25 + 0.75 * words.total() / AVERAGE
    score = 0.0
    for term in want.words:
        count = _count(words, term)
        weight = count * (SATURATED + 1) / (count + SATURATED * length) + NAMED * (term in named)
        score += weight * rare.get(term, 0.0)
    for ends in want.files:
        met = [end for end in ends if end in named]
        score += sum(FILED * rare.get(end, 0.0) for end in met)
        score += 0.0 if met else rare.get(ends[-1], 0.0) * (ends[-1] in words)
    return score


def _count(words: Counter[str], term: str) -> int:
    if not begins(term):
        return words[term]
    return sum(count for word, count in words.items() if word.startswith(term))


def found(lines: Iterable[Mapping[str, Any]], query: str, *, limit: int) -> list[dict[str, Any]]:
    """The lines that hold all words of a query, best first and newer first where they tie; then those with some.

    Args:
        lines: journal lines, oldest first.
        query: any text; a line's own id gives that line before all others.
        limit: at most so many.
    """
    sought, want = asked(query), wanted(query, ())
    named: list[dict[str, Any]] = []
    whole: list[Mapping[str, Any]] = []
    some: list[Mapping[str, Any]] = []
    for line in lines:
        held = _held(line)
        if line.get("id") == query.strip():
            named.append({**line, "score": 1.0})
        elif sought.words and _holds(held, sought.needed):
            whole.append(line)
        elif any(_holds(held, word) for word in sought.words):
            some.append(line)
    return [*named, *best(whole, want, limit=limit), *best(some, want, limit=limit)][:limit]


def _holds(held: tuple[Counter[str], frozenset[str]], needed: Collection[str]) -> bool:
    words, named = held
    return all(_count(words, term) or term in named for term in needed)
