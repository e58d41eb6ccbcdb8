"""What a check found missing, as one message: each text word for word, with its address and what it answers.

Within the room that pins and notes leave; what finds none is named. The words around an answer come along, so
that it says something by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from context_kit._log import Log
from context_kit._settings import Settings
from context_kit._steps import Entry
from context_kit._verify import window_text
from context_kit.engrams import neutral, quote
from context_kit.probes._phrases import Phrases, phrases
from context_kit.probes._types import Probe
from context_kit.wire import Part

__all__ = ["PutBack", "put_back", "room_of"]

LEAST = 24
"""Tokens that one text has at least; with less it would say nothing."""
MOST = 400
"""Tokens of one text: an answer is a line, and what stands around it helps only so far."""
FRAME = 12
"""Tokens of a message beside its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """Texts that are put back."""

    text: str = ""
    """The message; empty where nothing found room."""
    addresses: tuple[str, ...] = ()
    probes: tuple[Probe, ...] = ()
    """Those whose texts are in it."""
    left_out: tuple[str, ...] = ()
    """Addresses that found no room."""


def room_of(log: Log, settings: Settings, waiting: int = 0) -> int:
    """Estimated tokens that a message of this kind may have now.

    What the engrams left of the ceiling that pins have, at least the notes' ceiling; the window stays below soft, so
    that nothing is compacted because of it.

    Args:
        log: the session's.
        settings: the session's.
        waiting: tokens of what is to be put back already.
    """
    budget, window = settings.budget, settings.budget.window / log.ledger.scale
    board = sum(engram.tokens for engram in log.last.receipt.engrams) if log.last else 0
    ceiling = max(int(budget.pins * window) - board, int(budget.notes * window))
    below_soft = int(budget.soft * window - log.tokens / log.ledger.scale) - 1
    return max(min(ceiling, below_soft) - waiting, 0)


def put_back(probes: Sequence[Probe], log: Log, settings: Settings, *, language: str, room: int) -> PutBack:
    """The message that answers these probes with the log's own words, within `room` tokens."""
    words, count = phrases(language), settings.count
    left = room - count(words.title) - FRAME
    groups: dict[str, list[Probe]] = {}
    for probe in probes:
        groups.setdefault(probe.address, []).append(probe)
    blocks: list[str] = []
    taken: list[Probe] = []
    missing: list[str] = []
    for number, (address, group) in enumerate(groups.items()):
        share = min(max(left // (len(groups) - number), LEAST), MOST * len(group))
        block = _block(address, group, log, settings, words, share)
        if count(block) + 1 > left:
            missing.append(address)
            continue
        left -= count(block) + 1
        blocks.append(block)
        taken += group
    return PutBack(
        text="\n\n".join([words.title, *blocks]) if blocks else "",
        addresses=tuple(dict.fromkeys(probe.address for probe in taken)),
        probes=tuple(probe for probe in probes if probe in taken),
        left_out=tuple(missing),
    )


def _block(address: str, group: Sequence[Probe], log: Log, settings: Settings, words: Phrases, room: int) -> str:
    """What probes of one message ask, and the words of the log that answer them."""
    at = address[1:]
    entry = log.entry(int(at)) if address[:1] == "m" and at.isdigit() else None
    asked = [neutral(settings.redact(probe.question)) for probe in group]
    source = words.from_.format(address=address, role=_role(entry))
    head = "\n".join([*asked, source])
    answers = [probe.answer for probe in group]
    whole = settings.redact(_text(entry, answers)) if entry is not None else ""
    piece = _around(whole, answers, settings, room - settings.count(head))
    if not piece:  # not even their lines have room: each answer stands with its question
        each = [f"{question}\n{quote(answer, always=True)}" for question, answer in zip(asked, answers, strict=True)]
        return "\n".join([source, *each, words.cut.format(address=address)])
    cut = "" if piece == whole.strip() else f"\n{words.cut.format(address=address)}"
    return f"{head}\n{quote(piece, always=True)}{cut}"


def _role(entry: Entry | None) -> str:
    return entry.message.role if entry is not None else "log"


def _text(entry: Entry, answers: Sequence[str]) -> str:
    """The part of a message that has the answers; a call's arguments as the texts they are, without their JSON."""
    texts = [_part(part) for part in entry.message.parts if part.kind != "reasoning"]
    whole = (text for text in texts if all(answer in text for answer in answers))
    return next(whole, "\n".join(texts))


def _part(part: Part) -> str:
    return f"{part.name}\n{window_text([part.arguments])}" if part.kind == "call" else part.text


def _around(text: str, answers: Sequence[str], settings: Settings, room: int) -> str:
    """The lines around the answers that have room; empty where not even those that hold them do, or none does."""
    lines = text.splitlines()
    spans = [(first, min(first + answer.count("\n"), len(lines) - 1)) for answer, first in _found(text, answers)]
    if not all(answer in text for answer in answers):
        return ""
    best = ""
    for reach in range(len(lines) + 1 if spans else 0):
        kept = sorted(
            {at for first, last in spans for at in range(max(first - reach, 0), min(last + reach + 1, len(lines)))}
        )
        piece = "\n".join(_joined(lines, kept)).strip()
        if settings.count(piece) > room:
            return best
        best = piece
        if len(kept) == len(lines):
            break
    return best


def _found(text: str, answers: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Each answer that stands in a text, and the number of its first line."""
    for answer in answers:
        at = text.find(answer)
        if at >= 0:
            yield answer, len(text[:at].splitlines()) - (0 if at and text[at - 1] in "\r\n" else 1) if at else 0


def _joined(lines: Sequence[str], kept: Sequence[int]) -> Iterator[str]:
    """These lines, with a mark where others are left out between them."""
    for number, at in enumerate(kept):
        if number and kept[number - 1] != at - 1:
            yield "…"
        yield lines[at]
