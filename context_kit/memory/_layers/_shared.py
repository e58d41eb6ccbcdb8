"""The journal of all sessions of a store: asked through its index, or read whole where it has none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from context_kit.memory._files._store import JOURNAL
from context_kit.memory._index._rank import best, wanted
from context_kit.typing import IndexedStore, Store

__all__ = ["Line", "after", "base_name", "newest", "recent", "related"]

SPAN: Final = 8
"""How much further back the next look goes, where the newest lines were fewer than wanted."""
PARTS: Final = re.compile(r"[\\/]")

Line = Mapping[str, Any]


def newest(store: Store) -> int:
    """Position of the newest journal line; 0 where there is none."""
    return store.newest() if isinstance(store, IndexedStore) else sum(1 for _ in store.read(JOURNAL))


def after(store: Store, position: int, session: str | None = None) -> Iterator[tuple[int, Line]]:
    """The journal lines of a session, or of all, after a position, each with its own, oldest first."""
    if isinstance(store, IndexedStore):
        yield from ((int(line["at"]), line) for line in store.records(session, after=position))
        return
    for at, line in enumerate(store.read(JOURNAL), 1):
        if at > position and (session is None or line.get("session") == session):
            yield at, line


def recent(store: Store, count: int) -> list[Line]:
    """At least so many of the newest lines, or all there are, oldest first; positions may stand far apart."""
    last, span = newest(store), count
    while True:
        found = [{**line, "at": at} for at, line in after(store, max(last - span, 0))]
        if len(found) >= count or span >= last:
            return list(found)
        span *= SPAN


def related(
    store: Store,
    words: str,
    *,
    files: Sequence[str] = (),
    without: str = "",
    actions: Collection[str] = (),
    limit: int,
) -> list[Line]:
    """The journal lines about these words or files, best first."""
    if isinstance(store, IndexedStore):
        return list(store.related(words, files=files, without=without, actions=actions, limit=limit))
    lines = (
        {**line, "at": at}
        for at, line in enumerate(store.read(JOURNAL), 1)
        if (not actions or line.get("action") in actions) and not (without and line.get("session") == without)
    )
    return list(best(lines, wanted(words, files), limit=limit))


def base_name(path: str) -> str:
    """The last part of a path."""
    return PARTS.split(path)[-1]
