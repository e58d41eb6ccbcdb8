"""Taking turns: one from each of several sources, as long as any has one left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["rounds"]

Found = TypeVar("Found")


def rounds(sources: Iterable[Iterable[Found]]) -> Iterator[Found]:
    """One of each source in turn; a source is begun only when its first one is asked for."""
    begun: deque[Iterator[Found]] = deque()
    for source in sources:
        each = iter(source)
        for found in each:
            begun.append(each)
            yield found
            break
    while begun:
        each = begun.popleft()
        for found in each:
            begun.append(each)
            yield found
            break
