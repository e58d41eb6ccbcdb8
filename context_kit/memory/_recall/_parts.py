"""Parts of a large text: lines by number, lines that hold a pattern, as many as there is room for.

A line that is longer than `WIDEST` counts as several, so every part of any text can be had by its lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from context_kit.typing import Count

__all__ = ["Part", "lines_of", "matching", "part", "parts"]

WIDEST = 500
"""Characters of one line."""
AROUND = 2
"""Lines shown before and after one that matches."""


@dataclass(frozen=True, slots=True)
class Part:
    """A run of lines of a text, word for word."""

    text: str
    first: int
    """Its first line, from 1."""
    last: int
    """Its last one."""
    of: int
    """Lines of the whole text."""

    @property
    def whole(self) -> bool:
        """Whether it is all of the text."""
        return self.last - self.first + 1 == self.of


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends; joined they are the text again."""
    lines = text.split("\n")
    whole = [f"{line}\n" for line in lines[:-1]] + lines[-1:] * bool(lines[-1])
    return [line[at : at + WIDEST] for line in whole for at in range(0, len(line), WIDEST)] or [""]


def part(lines: Sequence[str], first: int, last: int, room: int, count: Count) -> Part:
    """As many of these lines as fit into `room` tokens, at least one."""
    first = min(max(first, 1), len(lines))
    last = min(last, len(lines)) if last else len(lines)
    used, end = 0, first - 1
    while end < last:
        used += count(lines[end])
        if used > room and end >= first:
            break
        end += 1
    end = max(end, first)
    while end > first and count("".join(lines[first - 1 : end])) > room:
        end -= 1
    return Part("".join(lines[first - 1 : end]), first, end, len(lines))


def matching(lines: Sequence[str], pattern: str, first: int, last: int) -> list[tuple[int, int]]:
    """Runs of lines around those that hold a pattern, first and last line each, from 1."""
    wanted = [[piece for piece in each.split("*") if piece] for each in pattern.lower().replace(".*", "*").split("|")]
    wanted = [pieces for pieces in wanted if pieces]
    last = min(last, len(lines)) if last else len(lines)
    runs: list[tuple[int, int]] = []
    for at in range(max(first, 1), last + 1):
        low = lines[at - 1].lower()
        if any(_holds(low, pieces) for pieces in wanted):
            begin, end = max(at - AROUND, first, 1), min(at + AROUND, last)
            if runs and begin <= runs[-1][1] + 1:
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((begin, end))
    return runs


def _holds(line: str, pieces: Sequence[str]) -> bool:
    """Whether pieces stand in a line, in their order."""
    at = 0
    for piece in pieces:
        found = line.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def parts(lines: Sequence[str], runs: Sequence[tuple[int, int]], room: int, count: Count) -> Iterator[Part]:
    """Each run of lines that there is room for."""
    for first, last in runs:
        made = part(lines, first, last, room, count)
        room -= count(made.text)
        if room < 0:
            return
        yield made
