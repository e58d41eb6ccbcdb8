"""The journal of all sessions of a store: asked through its index, or read whole where it has none."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from context_kit.engrams import terms
from context_kit.memory._files import JOURNAL
from context_kit.typing import IndexedStore, Store

__all__ = ["after", "base_name", "newest", "related"]

FIELDS: Final = ("file", "name", "cmd", "reason", "result", "error")
FILE: Final = 4.0
"""What a line about one of the files counts beside its words."""
NAME: Final = 2.0
"""The same for a file of the same name elsewhere."""
PARTS: Final = re.compile(r"[\\/]")


def newest(store: Store) -> int:
    """Position of the newest journal line; 0 where there is none."""
    return store.newest() if isinstance(store, IndexedStore) else sum(1 for _ in store.read(JOURNAL))


def after(store: Store, position: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The journal lines after a position, each with its own, oldest first."""
    if isinstance(store, IndexedStore):
        yield from ((line["at"], line) for line in store.records(after=position))
    else:
        yield from (pair for pair in enumerate(store.read(JOURNAL), 1) if pair[0] > position)


def related(
    store: Store,
    words: str,
    *,
    files: Sequence[str] = (),
    without: str = "",
    actions: Collection[str] = (),
    limit: int,
) -> list[Mapping[str, Any]]:
    """The journal lines about these words or files, best first."""
    if isinstance(store, IndexedStore):
        return list(store.related(words, files=files, without=without, actions=actions, limit=limit))
    lines = [
        {**line, "at": at}
        for at, line in enumerate(store.read(JOURNAL), 1)
        if (not actions or line.get("action") in actions) and not (without and line.get("session") == without)
    ]
    return _ranked(lines, terms(words), files)[:limit]


def base_name(path: str) -> str:
    """The last part of a path."""
    return PARTS.split(path)[-1]


def _ranked(
    lines: Sequence[Mapping[str, Any]], wanted: frozenset[str], files: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Lines that share a word or a file, by how rare what they share is; the newer one where they tie."""
    told = [terms(" ".join(str(line[key]) for key in FIELDS if line.get(key))) & wanted for line in lines]
    count = Counter(term for found in told for term in found)
    names = {base_name(path) for path in files}
    scored: list[tuple[float, int]] = []
    for number, (line, found) in enumerate(zip(lines, told, strict=True)):
        file = str(line.get("file", ""))
        score = sum(math.log(1 + len(lines) / count[term]) for term in found)
        score += FILE if file and file in files else NAME if file and base_name(file) in names else 0.0
        if score:
            scored.append((score, number))
    return [lines[number] for _, number in sorted(scored, reverse=True)]
