"""What a session is told of its ticks: where it stands, and the newest tick files, within a room.

The state comes first, then the newest tick. Of each file what is next and what is open come before what was done;
the rest is under its address.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from context_kit.engrams import neutral
from context_kit.typing import Count

__all__ = ["TickNotes", "TickText", "fit_ticks"]

STATE_SHARE = 0.5
"""Of the room, what the state has at most where there are tick files."""
LEAST_PAGE = 64
"""Tokens below which one file less is told, the oldest."""
MORE = "- … +{}"
"""How many lines there are beyond those that are told."""
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
    open: tuple[str, ...] = ()
    """The problems that are open; told before the rest of the state where no file that is shown tells them."""


def fit_ticks(notes: TickNotes, room: int, count: Count, *, share: int = 0) -> list[str]:
    """The lines that fit into `room` tokens; the newest file has what it needs before older ones have more.

    Args:
        notes: what there is to tell.
        room: tokens of all of it.
        count: counts a line's tokens.
        share: tokens of the state, whatever the room is; 0 for a share of the room.
    """
    share = share or (int(room * STATE_SHARE) if notes.pages else room)
    now = [_plain(line) for line in notes.now]
    lines = _clipped(now, share, count)
    pages = _pages(notes, room - _size(lines, count), count)
    shown = "\n".join(pages)
    untold = [line for line in map(_plain, notes.open) if line.removeprefix("- ") not in shown]
    if untold or (notes.pages and not pages):
        left = [] if pages else [line for page in notes.pages for line in (_head(page), *map(_plain, page.lines))]
        lines = _clipped([*now[:1], *untold, *now[1:], *left], share, count)
        pages = _pages(notes, room - _size(lines, count), count) if pages else []
    return [*lines, *pages]


def _size(lines: Iterable[str], count: Count) -> int:
    return sum(count(line) + 3 for line in lines)


def _pages(notes: TickNotes, room: int, count: Count) -> list[str]:
    """What fits of the tick files."""
    lines: list[str] = []
    for left, page in zip(range(len(notes.pages), 0, -1), notes.pages, strict=True):
        shown = _page(page, max(room - (left - 1) * LEAST_PAGE, min(room, LEAST_PAGE)), count)
        room -= sum(count(line) + 3 for line in shown)
        lines += shown
    return lines


def _head(page: TickText) -> str:
    return _plain(f'[{page.address} · {page.head} · recall("{page.address}")]')


def _page(page: TickText, room: int, count: Count) -> list[str]:
    """A file's head and the lines of it that fit; no head without a line, unless it has none."""
    head = _head(page)
    room -= count(head) + 3
    shown = _clipped(map(_plain, page.lines), room, count) if room > 0 else []
    return [head, *shown] if shown or (room > 0 and not page.lines) else []


def _clipped(lines: Iterable[str], room: int, count: Count) -> list[str]:
    """Lines from the front that fit, the first one that doesn't as far as it does, and how many more there are."""
    waiting = list(lines)
    sizes = [count(line) + 3 for line in waiting]
    if sum(sizes) <= room:
        return waiting
    rest = count(MORE.format(len(waiting))) + 3
    kept: list[str] = []
    room -= rest
    for line, size in zip(waiting, sizes, strict=True):
        if size > room:
            short = _short(line, room - 3, count) if room > LEAST else ""
            kept += [short] if short else []
            break
        kept.append(line)
        room -= size
    left = len(waiting) - len(kept)
    return [*kept, *([MORE.format(left)] if left and room + rest > 0 else [])] if kept else []


def _short(line: str, room: int, count: Count) -> str:
    """The beginning of a line, by whole words."""
    words = line.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(" ".join(words[:middle]) + " …") <= room else (low, middle - 1)
    return " ".join(words[:low]) + " …" if low > 2 else ""


def _plain(line: str) -> str:
    """One line that can't pass for the program's own."""
    return neutral(" ".join(line.split()))
