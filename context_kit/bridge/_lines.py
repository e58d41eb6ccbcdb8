"""Lines about records, as many as have room: those of one heading share it, a short form where the whole has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context_kit.engrams import naming, neutral, placed, quote
from context_kit.typing import Count

__all__ = ["Line", "listed"]

BREAK = 3
"""Tokens of what stands between two lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A record as it is shown."""

    body: str
    """Without a heading the whole line, as it is shown; with one the words, which are quoted beneath it."""
    head: str = ""
    """What stands before the words; lines that have the same one stand together."""
    short: str = ""
    """What is shown where the words have no room; empty where there is nothing shorter."""
    order: tuple[str, ...] = ()
    """Its place among those of its heading: of a declaration its name and those of its classes, outermost first."""
    path: str = ""
    """Of a declaration its file."""

    def stands_in(self, text: str) -> bool:
        """Whether a text has it, in either form."""
        return any(neutral(form) in text for form in (self.body, self.short) if form)


def listed(found: Sequence[Line], room: int, count: Count, *, more: str = "") -> list[str]:
    """The lines from the front that have room, in blocks.

    Args:
        found: most important first.
        room: tokens.
        count: the counter.
        more: what says that some were left out, `{count}` is filled in; empty to say nothing. A line that has
            room only without it comes before it.
    """
    whole = _chosen(found, room, count)
    if len(whole) == len(found) or not more:
        return _blocks(found, whole)
    chosen = _chosen(found, room - count(more.format(count=len(found))) - BREAK, count)
    if whole and not chosen:
        return _blocks(found, whole)
    said = more.format(count=len(found) - len(chosen))
    return [*_blocks(found, chosen), *([said] if count(said) + BREAK <= room else [])]


def _chosen(found: Sequence[Line], room: int, count: Count) -> dict[int, str]:
    """What is shown of each line that has room, by its number."""
    chosen: dict[int, str] = {}
    heads: set[str] = set()
    for number, line in enumerate(found):
        for form in filter(None, (line.body, line.short)):
            beneath = line.head in heads
            named = naming(".".join(line.order), form, line.path)
            size = count(quote(form, always=True) if beneath else _block(line.head, [form])) + count(named) + BREAK
            if size <= room:
                chosen[number] = form
                room -= size
                heads |= {line.head} - {""}
                break
    return chosen


def _blocks(found: Sequence[Line], chosen: dict[int, str]) -> list[str]:
    blocks: dict[str | int, list[int]] = {}
    for number in chosen:
        blocks.setdefault(found[number].head or number, []).append(number)
    return [_block(found[block[0]].head, _bodies(found, chosen, block)) for block in blocks.values()]


def _bodies(found: Sequence[Line], chosen: dict[int, str], block: Sequence[int]) -> list[str]:
    """The words of a block in order; a member of a class that doesn't stand above it names its class."""
    order = sorted(block, key=lambda at: found[at].order)
    return placed([(".".join(found[at].order), chosen[at]) for at in order], found[block[0]].path)


def _block(head: str, bodies: Sequence[str]) -> str:
    if not head:
        return bodies[0]
    body = quote("\n".join(bodies), always=len(bodies) > 1)
    return f"{head}\n{body}" if "\n" in body else f"{head} {body}"
