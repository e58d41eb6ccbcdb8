"""A place as people and models write it: `a.py:3`, `a.py:3-9`, `a.py#L3`, `a.py` line 3, line 3 of `a.py`."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Spotted", "spot_of", "without_spots"]

_PATH = r"(?<![\w/:.])((?:[\w.@+~-]{1,80}/){0,16}[\w@+-][\w.@+-]{0,120}\.([A-Za-z]\w{0,7}))"
_OPEN, _CLOSE = r"[`(\[*]{0,4}", r"[`)\]*]{0,4}"
_LINE = r"(?:lines?|第|行|L)"
SPOTS = (
    re.compile(
        rf"{_OPEN}{_PATH}(?::(\d{{1,6}})(?:[-–]\d{{1,6}})?(?::\d{{1,5}})?|#L(\d{{1,6}})(?:-L?\d{{1,6}})?"
        rf"|[`)\]*]{{0,4}},?\s{{1,3}}\(?(?:(?:at|on|in) )?{_LINE}\s?(\d{{1,6}})(?:[-–]\d{{1,6}})?(?:\s?行)?){_CLOSE}"
    ),
    re.compile(
        rf"\b(?:in |at |on )?lines? (\d{{1,6}})(?:[-–]\d{{1,6}})? (?:of|in) {_OPEN}{_PATH}{_CLOSE}", re.IGNORECASE
    ),
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


def spot_of(line: str) -> Spotted | None:
    """The first place that a line names."""
    for found in SPOTS[0].finditer(line[:READ]):
        if found[2].lower() not in HOSTS:
            number = found[3] or found[4] or found[5]
            return Spotted(found[1].removeprefix("./"), int(number), found.start(), found.end())
    other = SPOTS[1].search(line[:READ])
    if other is not None and other[3].lower() not in HOSTS:
        return Spotted(other[2].removeprefix("./"), int(other[1]), other.start(), other.end())
    return None


def without_spots(text: str) -> str:
    """A text without the places in it."""
    return SPOTS[0].sub(" ", text)
