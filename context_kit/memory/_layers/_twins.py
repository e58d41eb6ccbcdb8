"""One file under two names: the same repository stands in two folders, or one session names it from its root."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from context_kit.tools import ALIKE, parts, same_file, twin_roots

__all__ = ["Twins"]


class Twins:
    """Which names are one file, as far as the sessions' records tell."""

    def __init__(self, lines: Iterable[Mapping[str, Any]]) -> None:
        self._works: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        """Session → files that it recorded, by their components."""
        for line in lines:
            self._works[str(line.get("session", ""))].add(parts(str(line.get("file", ""))))

    def same(self, one: str, other: str) -> bool:
        """Whether two names are one file: where a session worked in both folders, they are two."""
        if one == other:
            return True
        if same_file(one, other):
            return min(len(parts(one)), len(parts(other))) >= ALIKE
        roots = twin_roots(one, other)
        return roots is not None and not any(
            all(any(file[: len(root)] == root for file in files) for root in roots) for files in self._works.values()
        )
