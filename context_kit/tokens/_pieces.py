"""A long text in pieces that the tokeniser takes in linear time, whatever the text.

Nothing is lost: the pieces joined are the text. Ordinary text is only ever cut at a newline before
a letter, where both encodings split anyway, so its count stays exact. An unbroken run (a megabyte of
one character, of spaces, a word without end) is cut every `CHUNK` characters: without that tiktoken
needs quadratic time in some versions and panics on a stack or backtracking limit in others
(openai/tiktoken#15, #195, #245). Such a cut costs at most about one token, under 0.5 % of the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["LONG", "pieces"]

LONG = 4096
"""Characters up to which a text is given to the tokeniser as it is."""
CHUNK = 1024
"""Characters of one piece of an unbroken run; a multiple of the longest tokens of equal characters (128)."""
PART = 131_072
"""Characters after which ordinary text is cut at the next safe place, to bound the list of its tokens."""

# The encodings keep together letters and marks, all that is neither letter, digit nor space, and spaces.
# Single character classes, so that a match of any length needs constant memory. They may take in
# a little more than the encodings do: all that follows from it is a cut in a run this long.
_LETTERS = re.compile(
    r"[A-Za-z\x80-\u1FFF\u2070-\u2FFF\u3040-\uFEFF\uFF21-\uFF3A\uFF41-\uFF5A\uFF66-\uFFDC\U00010000-\U0010FFFF]+"
)
_SYMBOLS = re.compile(
    r"[\x00-\x08\x0E-\x1F!-/:-@\[-`{-\u02AF\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u2000-\u2BFF\u2E00-\u2E7F"
    r"\u3000-\u303F\uD800-\uF8FF\uFE00-\uFE6F\uFF00-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFF"
    r"\U0001D000-\U0001FAFF\U000E0000-\U0010FFFF]+"
)
_SPACES = re.compile(r"\s+")
_RUNS = (_LETTERS, _SYMBOLS, _SPACES)
_SAFE = re.compile(r"\n(?=[A-Za-z])")


def pieces(text: str) -> Iterator[str]:
    """The text in order, cut so that counting the pieces is linear in their sum."""
    start = at = 0
    size = len(text)
    while at < size:
        end = _run_end(text, at)
        if end - at >= CHUNK:
            if start < at:
                yield text[start:at]
            yield from (text[cut : min(cut + CHUNK, end)] for cut in range(at, end, CHUNK))
            start = at = end
            continue
        # A run of two chunks holds a whole one that starts at a multiple of `CHUNK`, so one look each is enough.
        at += CHUNK
        if at - start > PART and (safe := _SAFE.search(text, at, at + CHUNK)):
            yield text[start : safe.end()]
            start = at = safe.end()
    if start < size:
        yield text[start:]


def _run_end(text: str, at: int) -> int:
    """Where the longest unbroken run that starts at `at` ends."""
    return max((found.end() for run in _RUNS if (found := run.match(text, at))), default=at)
