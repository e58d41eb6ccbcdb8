"""Fragments on their way to the board, and how the person's own words share it.

What a person wrote goes last of all, and of it the standing constraints: the oldest texts without one go first,
then every text shrinks to its constraints before one of those goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from context_kit._budget import LEAST_WORDS
from context_kit.engrams._fragment import Fragment

__all__ = ["SMALLEST", "Wish", "fit_words", "make_way"]

SMALLEST = {"user": 40, "file": 120, "error": 60, "contract": 1, "promoted": 120}
"""A clipped fragment below this many tokens says too little to be kept."""


@dataclass(slots=True)
class Wish:
    """A fragment on its way to the board."""

    fragment: Fragment
    whole: int
    """Tokens of the whole text with its frame."""
    frame: int
    limit: int
    """Tokens that it may have; 0 once it is evicted."""
    named: int = 0
    """Tokens of the line that names its class, within the frame."""
    rules: int = 0
    """Tokens of its standing constraints alone, with the mark for what is left out."""

    @property
    def size(self) -> int:
        return min(self.whole, self.limit)


def fit_words(first: Sequence[Wish], users: Sequence[Wish], room: int, half: int) -> None:
    """Share `room` among the goal and the person's texts, newest first in `users`."""
    everyone = [*first, *users]
    if _sum(everyone) <= room:
        return
    for wish in everyone if len(everyone) > 1 else []:
        wish.limit = min(wish.limit, half)
    last, others = [*first, *users[:1]], users[1:]
    _fill(others, room - _sum(last))
    over = _sum(everyone) - room
    over = _evict([wish for wish in reversed(others) if not wish.fragment.must], over)
    over = _shrink(reversed(others), over, least=0)
    over = _shrink(last, over, least=LEAST_WORDS)
    over = _evict(reversed(others), over)
    if over > 0:
        _fill(last, room)
        _evict([*others, *last], _sum(everyone) - room)  # the bridge has the goal's address in any case


def _sum(wishes: Sequence[Wish]) -> int:
    return sum(wish.size for wish in wishes)


def _evict(wishes: Iterable[Wish], over: int) -> int:
    """The first ones go until nothing is over; what still is."""
    for wish in wishes:
        if over <= 0:
            break
        over -= wish.size
        wish.limit = 0
    return over


def _shrink(wishes: Iterable[Wish], over: int, *, least: int) -> int:
    """Each down to its standing constraints and at least so many tokens, until nothing is over; what still is."""
    for wish in wishes:
        given = min(over, wish.size - max(wish.rules, least))
        if given > 0:
            wish.limit = wish.size - given
            over -= given
    return over


def _fill(wishes: Sequence[Wish], room: int) -> None:
    """Lower the largest ones to one level, so that small ones stay whole."""
    level, left = 0, max(room, 0)
    open_ones = sorted(wishes, key=lambda wish: wish.size)
    for index, wish in enumerate(open_ones):
        level = left // (len(open_ones) - index)
        if wish.size > level:
            break
        left -= wish.size
    else:
        return
    for wish in wishes:
        if wish.size > level:
            wish.limit = max(level, wish.frame + SMALLEST["user"])


def make_way(words: Sequence[Wish], room: int, half: int) -> None:
    """A giant above half of the board is clipped before smaller fragments go."""
    over = sum(wish.size for wish in words) - room
    for wish in sorted(words, key=lambda wish: -wish.size):
        given = min(over, wish.size - half)
        if given > 0:
            wish.limit = wish.size - given
            over -= given
