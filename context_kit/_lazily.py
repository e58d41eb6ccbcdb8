"""What a room re-exports, and a pattern, made when it is first used: a coding agent's hook needs few of them.

The invariant guarded here: what is given back is what an eager import or `re.compile` would have given.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast, overload

__all__ = ["Cued", "cue", "cued", "names_of", "regex"]


def names_of(room: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a room that loads a name's module when the name is first asked for.

    Args:
        room: the room's dotted name.
        homes: by module inside the room its names, divided by blanks.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in home:
            msg = f"module {room!r} has no attribute {name!r}"
            raise AttributeError(msg)
        module = f"{room}.{home[name]}"
        __import__(module)
        found = getattr(sys.modules[module], name)
        setattr(sys.modules[room], name, found)
        return found

    return find


@overload
def regex(text: str, flags: int = 0) -> re.Pattern[str]: ...
@overload
def regex(text: bytes, flags: int = 0) -> re.Pattern[bytes]: ...
def regex(text: Any, flags: int = 0) -> Any:
    """A regular expression that is compiled when it is first used: long ones take milliseconds."""
    return cast("re.Pattern[Any]", _Pattern(text, flags))


class _Pattern:
    """Stands for a pattern, and becomes as quick as one: a method that was used once is the pattern's own."""

    def __init__(self, text: Any, flags: int) -> None:
        self.pattern = text
        self._asked = flags
        self._compiled: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        """Any other attribute is the compiled pattern's."""
        if name.startswith("_"):
            raise AttributeError(name)
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self._asked)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def cue(words: str, text: str) -> tuple[str, str]:
    """A pattern with words, divided by blanks: whatever it finds has one of them, in small letters."""
    return words, text


def cued(*cues: tuple[str, str], flags: int = 0) -> Cued:
    """Several patterns as one look at a sentence; only those are compiled whose words the sentence has."""
    return Cued(tuple((tuple(words.split()), regex(text, flags)) for words, text in cues))


class Cued:
    """Patterns with the words that call for each."""

    __slots__ = ("cues",)

    def __init__(self, cues: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]) -> None:
        self.cues = cues

    def search(self, text: str, /) -> re.Match[str] | None:
        """What the first pattern finds that finds something; not always the leftmost."""
        small = text.lower()
        for words, pattern in self.cues:
            for word in words:
                if word in small:
                    if (found := pattern.search(text)) is not None:
                        return found
                    break
        return None

    def finditer(self, text: str, /) -> Iterator[re.Match[str]]:
        """All that each pattern finds, one pattern after the other."""
        small = text.lower()
        for words, pattern in self.cues:
            if any(word in small for word in words):
                yield from pattern.finditer(text)
