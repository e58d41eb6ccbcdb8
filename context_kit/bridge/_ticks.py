"""What a session is told of its ticks: where it stands, and the newest tick files, within a room.

The state comes first, then the newest tick. Of each file what is next and what is open come before what was done;
the rest is under its address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from context_kit.engrams import neutral
from context_kit.tokens import clip
from context_kit.typing import Count

__all__ = ["TickNotes", "TickText", "fit_ticks"]

STATE_SHARE = 0.5
"""Of the room, what the state has at most where there are tick files."""
LEAST_PAGE = 64
"""Tokens below which one file less is told, the oldest."""
LEAST = 24
"""Tokens in which a line still says something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TickText:
    """One tick file, to be shown."""

    number: int
    head: str
    """Its title and how it ended."""
    lines: tuple[str, ...]
    """What it says, most important first."""

    @property
    def address(self) -> str:
        """What recall finds it by."""
        return f"t{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TickNotes:
    """Where a long job stands."""

    now: tuple[str, ...] = ()
    """The tick that is under way, the node, the last entry, the open criteria; most important first."""
    pages: tuple[TickText, ...] = ()
    """The newest tick files, the newest first."""


def fit_ticks(notes: TickNotes, room: int, count: Count) -> list[str]:
    """The lines that fit into `room` tokens."""
    share = int(room * STATE_SHARE) if notes.pages else room
    lines = list(_clipped(map(_plain, notes.now), share, count))
    room -= sum(count(line) + 3 for line in lines)
    for left, page in zip(range(len(notes.pages), 0, -1), notes.pages, strict=True):
        shown = list(_page(page, max(room // left, min(room, LEAST_PAGE)), count))
        room -= sum(count(line) + 3 for line in shown)
        lines += shown
    return lines


def _page(page: TickText, room: int, count: Count) -> Iterator[str]:
    head = _plain(f'[{page.address} · {page.head} · recall("{page.address}")]')
    room -= count(head) + 3
    if room < 0:
        return
    yield head
    yield from _clipped(map(_plain, page.lines), room, count)


def _clipped(lines: Iterable[str], room: int, count: Count) -> Iterator[str]:
    """Lines from the front that fit; the first one that doesn't is clipped, and the last."""
    for line in lines:
        size = count(line) + 3
        if size > room:
            if room > LEAST:
                yield _plain(clip(line, room - 6, count=count, mark="…"))
            return
        yield line
        room -= size


def _plain(line: str) -> str:
    """One line that can't pass for the program's own."""
    return neutral(" ".join(line.split()))
