"""A text shortened to a number of tokens: head and tail word for word, a mark between them.

The result never has more than the limit by the caller's count. The whole text is never tokenised to
shorten it: pieces about as large as the limit are, a few times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from context_kit.tokens._graphemes import boundary_after, boundary_before
from context_kit.typing import Count

__all__ = ["clip"]

STRIDE = 16_384
"""Characters counted at a time, until it is clear that a text doesn't fit."""
SLACK = 2
"""Tokens that cutting a text into such pieces may add or take, for each cut."""
GUESS = 4
"""Characters a token has at first sight; corrected by counting."""
TRIES = 12
"""Counts of one end at most."""
CLOSE = 0.97
"""Share of its room from which on an end isn't lengthened any more."""
WORD = 40
"""Characters within which a cut inside a line moves to a gap between words."""
SQUEEZES = 6
"""Times that both ends are shortened because the joined text has more tokens than its parts."""


class _Ends(NamedTuple):
    """Where the head ends and the tail begins."""

    head: int
    tail: int


def clip(text: str, limit: int, /, *, count: Count, mark: str, ratio: float = 0.6) -> str:
    """Shorten a text to at most `limit` tokens, the mark included; unchanged where it fits.

    Of the room beside the mark, `ratio` goes to the head, the rest to the tail. Both end at a line's end; a line
    is split only where it is larger than its end's room, and then never inside a character as a reader sees it.
    Where there is no room for both mark and text: the mark alone if that fits, else the empty string.
    """
    if limit <= 0:
        return ""
    if _fits(text, limit, count):
        return text
    room = limit - count(mark) - 2
    for _ in range(SQUEEZES):
        if room <= 0:
            break
        ends = _ends(text, room, ratio, count)
        if ends.head == 0 and ends.tail == len(text):
            break
        out = _joined(text, ends, mark)
        over = count(out) - limit
        if over <= 0:
            return out
        room -= over + 1
    return mark if count(mark) <= limit else ""


def _fits(text: str, limit: int, count: Count) -> bool:
    """The text has at most `limit` tokens; gives up as soon as that is clear."""
    if len(text) <= STRIDE:
        return count(text) <= limit
    total = slack = at = 0
    while at < len(text):
        end = text.rfind("\n", at + 1, at + STRIDE) + 1 or at + STRIDE
        total += count(text[at:end])
        slack += SLACK
        at = end
        if total - slack > limit:
            return False
    return total + slack <= limit or count(text) <= limit


def _ends(text: str, room: int, ratio: float, count: Count) -> _Ends:
    size = len(text)
    for_head = int(room * min(1.0, max(0.0, ratio)))
    head = _line_end(text, _most(size, for_head, lambda chars: count(text[:chars])))
    tail = size - _most(size - head, room - for_head, lambda chars: count(text[size - chars :]))
    return _Ends(head, max(head, _line_start(text, tail)))


def _most(size: int, room: int, measure: Callable[[int], int]) -> int:
    """About the most characters, at most `size`, that measure no more than `room` tokens."""
    fits, over = 0, size + 1
    chars = min(size, room * GUESS)
    for _ in range(TRIES if room > 0 else 0):
        if chars <= fits or chars >= over:
            chars = (fits + over) // 2
        if chars <= fits:
            break
        tokens = measure(chars)
        if tokens <= room:
            fits = chars
            if chars == size or tokens >= CLOSE * room:
                break
            chars = min(size, chars * GUESS, chars * room // max(1, tokens))
        else:
            over = chars
            chars = chars * room // tokens
    return fits


def _line_end(text: str, at: int) -> int:
    """`at` moved back to a line's end, or inside a line that is larger than all before `at`."""
    if at == len(text) or text[at] == "\n" or (at and text[at - 1] == "\n"):
        return at
    start = text.rfind("\n", 0, at) + 1
    if _too_long(text, start, at):
        gap = max(text.rfind(" ", max(start, at - WORD), at), start)
        return gap if gap > start else boundary_before(text, at)
    return start


def _line_start(text: str, at: int) -> int:
    """`at` moved on to a line's start, or inside a line that is larger than all after `at`."""
    size = len(text)
    if at in (0, size) or text[at - 1] == "\n":
        return at
    end = text.find("\n", at)
    rest = size - at
    start = text.rfind("\n", max(0, at - rest - 1), at)
    if start < 0 or (end if end >= 0 else size) - start > rest:
        gap = text.find(" ", at, at + WORD) + 1
        return gap or boundary_after(text, at)
    return end + 1 if end >= 0 else size


def _too_long(text: str, start: int, room: int) -> bool:
    """The line from `start` on has more than `room` characters."""
    end = text.find("\n", start, start + room + 1)
    return end < 0 and len(text) - start > room


def _joined(text: str, ends: _Ends, mark: str) -> str:
    head, tail = text[: ends.head].removesuffix("\n"), text[ends.tail :]
    return "\n".join(part for part in (head, mark, tail) if part)
