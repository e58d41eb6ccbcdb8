"""References: how often later steps name a fragment, by path or identifier.

Only what the agent itself wrote counts (its words, commands, paths and edits), and only the
newest part of a session: what nobody named for long is not referred to.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_kit._lazily import regex
from context_kit.engrams._trail import Trail

__all__ = ["PROMOTED", "WORD", "Hits"]

PROMOTED = 3
"""So many later steps refer to a fragment that is promoted (first article, 6)."""
NEWEST = 400
"""So many newest deeds and statements are looked at."""
WORD = regex(r"[A-Za-z_\u4e00-\u9fff][\w.\-]{3,}")
CHARACTERS = 4_000
"""Of one text that are looked at."""


class Hits:
    """The positions at which each word was written."""

    def __init__(self, trail: Trail) -> None:
        self._positions: dict[str, set[int]] = {}
        self._members: dict[str, set[int]] = {}
        """The same of what stands behind a dot."""
        self._texts = list(_texts(trail))
        for position, text in self._texts:
            for word in set(WORD.findall(text[:CHARACTERS])):
                self._positions.setdefault(word, set()).add(position)
                member = word.rpartition(".")[2]
                if member != word:
                    self._members.setdefault(member, set()).add(position)

    def of(self, name: str, after: int) -> int:
        """In how many steps after a position a name or a path's last part was written."""
        word = name.rsplit("/", 1)[-1]
        return sum(position > after for position in self._positions.get(word, ()))

    def last(self, name: str, after: int) -> int:
        """The newest step after a position that wrote a name, also behind a dot; 0 where none did."""
        places = (*self._positions.get(name, ()), *self._members.get(name, ()))
        return max((at for at in places if at > after), default=0)

    def quoting(self, line: str, after: int) -> int:
        """How many steps after a position quote a line, word for word."""
        return len({position for position, text in self._texts if position > after and line in text})


def _texts(trail: Trail) -> Iterator[tuple[int, str]]:
    for said in trail.statements[-NEWEST:]:
        yield said.position, said.text
    for deed in trail.deeds[-NEWEST:]:
        yield deed.position, deed.act.path.replace("/", " ")
        yield deed.position, deed.act.command.replace("/", " ")
        for _, new in deed.act.replacements:
            yield deed.position, new
