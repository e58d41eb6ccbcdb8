"""A declaration's place in a text, and the bounded walks over lines that find its end."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["HEADS", "REACH", "WIDEST", "Found", "line_end", "lines_end", "too_wide"]

LINES: Final = 40
"""Lines after a head in which its end is looked for."""
REACH: Final = 6_000
"""Characters after a head in which its end is looked for."""
WIDEST: Final = 600
"""Characters of a head's line; a longer one is minified code or data."""
HEADS: Final = 2_000
"""Declarations of one text; a file with more is generated."""


class Found(NamedTuple):
    """A declaration's place in the text."""

    name: str
    kind: str
    start: int
    """Where its first line starts, decorators included."""
    end: int
    """Where its last line ends."""
    head: int
    """Where its own line starts."""
    public: bool


def line_end(text: str, at: int) -> int:
    """Where the line that holds `at` ends."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def lines_end(text: str, at: int, count: int = LINES) -> int:
    """Where the `count`-th line from `at` ends."""
    for _ in range(count):
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        at = end + 1
    return at - 1


def too_wide(text: str, at: int) -> bool:
    """Whether the line that starts at `at` is no line that a person wrote."""
    return line_end(text, at) - at > WIDEST
