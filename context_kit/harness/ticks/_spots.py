"""A place as people and models write it: `a.py:3`, `a.py:3-9`, `a.py:3:7`, `a.py#L3`, `a.py` line 3, line 3 of it."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Spotted", "spot_of", "without_spots"]

_PATH = r"(?<![\w/:.])((?:[\w.@+~-]{1,80}/){0,16}[\w@+-][\w.@+-]{0,120}\.([A-Za-z]\w{0,7}))"
_OPEN, _CLOSE = r"[`(\[*]{0,4}", r"[`)\]*]{0,4}"
_LINE = r"(?:lines?|第|行|L)"
_TO = r"(?:(?:[-–—]|\s?(?:to|through|至|到)\s?)L?(\d{1,6}))?"
"""The last line, where it is a range."""
_COLUMN = r"(?::\d{1,5}(?:-\d{1,6}(?::\d{1,5})?)?)?"
"""The column, which says nothing of the line."""
SPOTS = (
    re.compile(
        rf"{_OPEN}{_PATH}(?::(\d{{1,6}}){_TO}{_COLUMN}|#L(\d{{1,6}}){_TO}"
        rf"|[`)\]*]{{0,4}},?\s{{1,3}}\(?(?:(?:at|on|in) )?{_LINE}\s?(\d{{1,6}}){_TO}(?:\s?行)?){_CLOSE}"
    ),
    re.compile(rf"\b(?:in |at |on )?lines? (\d{{1,6}}){_TO} (?:of|in) {_OPEN}{_PATH}{_CLOSE}", re.IGNORECASE),
)
HOSTS = frozenset("com org net io dev app local internal cn".split())
READ = 1_000
"""Characters of a line that are read."""


class Spotted(NamedTuple):
    """A place in a line."""

    file: str
    line: int
    start: int
    end: int
    last: int = 0
    """The last line, where it is a range; 0 where it is one line."""


def spot_of(line: str) -> Spotted | None:
    """The first place that a line names."""
    for found in SPOTS[0].finditer(line[:READ]):
        if found[2].lower() not in HOSTS:
            number, last = next(pair for pair in (found.group(3, 4), found.group(5, 6), found.group(7, 8)) if pair[0])
            return _spotted(found[1], number, last, found)
    other = SPOTS[1].search(line[:READ])
    if other is not None and other[4].lower() not in HOSTS:
        return _spotted(other[3], other[1], other[2], other)
    return None


def _spotted(file: str, first: str, last: str | None, found: re.Match[str]) -> Spotted:
    end = int(last or 0)
    return Spotted(file.removeprefix("./"), int(first), found.start(), found.end(), end if end > int(first) else 0)


def without_spots(text: str) -> str:
    """A text without the places in it."""
    return SPOTS[0].sub(" ", text)
