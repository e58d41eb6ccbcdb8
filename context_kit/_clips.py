"""Clips: single messages of the tail shortened when head, bridge and tail don't fit.

Order of loss: the largest tool outputs first, tool-call arguments and the
assistant's own texts next, then media, the oldest first, user texts last of all. Head and tail
of each text stay, with the address of the rest. Nothing is lost: the log has the whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from context_kit._steps import Entry
from context_kit.tokens import clip, media_cost
from context_kit.typing import Count
from context_kit.wire import with_texts, without_media

__all__ = ["clip_entries"]

LEAST = 48
"""No text is clipped below so many tokens while a later class could give."""
LAST_RESORT = 12
"""... and none below this ..."""
LEAST_SAID = 24
"""... or, of what a person wrote, this: its address and its first words."""
SHORTEST = 4
"""Tokens below which a string in call arguments is not clipped further; then only its name stays."""
FRAME = 6
"""Tokens of a block of text beside its words."""
PERSON = 2
"""Rank of what a person wrote."""
HEAD = 0.6
"""Of the room of a clipped text, what its beginning gets; a person's shortest clip is all beginning."""
ENTRY = 16
"""Tokens of a list's entry, on average: a list is cut to so many entries as its room has of them."""


@dataclass(slots=True)
class _Text:
    """One text of one message that could be shorter."""

    entry: Entry
    index: int
    """Number of its part."""
    rank: int
    """0 tool output, 1 what the assistant wrote, 2 what the user wrote."""
    size: int
    limit: int


@dataclass(slots=True)
class _Media:
    """The media of one message, which may leave it."""

    entry: Entry
    sizes: list[int]
    """Tokens of each, in order."""
    most: int
    """How many may leave: of what a person sent last, the last one stays."""
    gone: int = 0
    """How many leave, the first ones."""


def clip_entries(
    entries: Sequence[Entry], *, over: int, count: Count, mark: Callable[[str], str], model: str | None = None
) -> dict[int, dict[str, Any]]:
    """Shorter forms of messages that together save at least `over` tokens where that can be.

    Returns:
        The clipped messages by position; empty where nothing had to give.
    """
    found = list(_texts(entries, count))
    media = list(_media(entries, model))
    for least in (LEAST, LAST_RESORT):
        for rank in (0, 1, 2):
            over -= _leave_out(media, over, count, mark) if rank == PERSON else 0
            lowest = max(least, LEAST_SAID) if rank == PERSON else least
            over -= _lower([text for text in found if text.rank == rank], over, lowest)
            if over <= 0:
                return _clipped(found, media, count, mark)
    return _clipped(found, media, count, mark)


def _media(entries: Sequence[Entry], model: str | None) -> Iterator[_Media]:
    newest = next((entry for entry in reversed(entries) if _said(entry)), None)
    for entry in entries:
        message = entry.message
        blocks: list[Any] = []
        for part in message.parts if message.role in ("user", "tool") else ():
            if part.kind == "media" and part.at >= 0:
                blocks.append(part.block)
            elif part.kind == "result" and isinstance(part.block, list):
                blocks += part.block
        if blocks and all(block.get("type") != "computer_screenshot" for block in blocks):
            yield _Media(entry, [media_cost(block, model=model) for block in blocks], len(blocks) - (entry is newest))


def _said(entry: Entry) -> bool:
    """Whether a person sent it: no results of calls."""
    return entry.message.role == "user" and any(part.kind in ("text", "media") for part in entry.message.parts)


def _leave_out(media: Sequence[_Media], over: int, count: Count, mark: Callable[[str], str]) -> int:
    """Leave out the oldest media; the tokens saved."""
    saved = 0
    for each in media:
        stub = count(mark(each.entry.address)) + FRAME
        if sum(each.sizes) <= stub:
            continue
        while saved < over and each.gone < each.most:
            saved += each.sizes[each.gone] - (0 if each.gone else stub)
            each.gone += 1
    return saved


def _texts(entries: Sequence[Entry], count: Count) -> Iterator[_Text]:
    for entry in entries:
        message = entry.message
        if message.role == "system" or entry.cost <= LAST_RESORT:
            continue
        for index, part in enumerate(message.parts):
            if part.server or part.kind not in ("text", "result", "call", "reasoning") or not part.text:
                continue
            if part.kind == "reasoning" and message.shape != "chat":
                continue
            person = part.kind == "text" and message.role in ("user", "tool")
            rank = 0 if part.kind == "result" else PERSON if person else 1
            size = count(part.text)
            yield _Text(entry, index, rank, size, size)


def _lower(texts: Sequence[_Text], over: int, least: int) -> int:
    """Lower the largest texts to one level; the tokens saved."""
    if over <= 0 or not texts:
        return 0
    sizes = sorted((text.limit for text in texts), reverse=True)
    level, saved = sizes[0], 0
    for index, size in enumerate(sizes):
        below = sizes[index + 1] if index + 1 < len(sizes) else 0
        step = (size - below) * (index + 1)
        if saved + step >= over:
            level = size - -(-(over - saved) // (index + 1))
            break
        saved += step
        level = below
    level = max(level, least)
    gained = 0
    for text in texts:
        if text.limit > level:
            gained += text.limit - level
            text.limit = level
    return gained


def _clipped(
    found: Sequence[_Text], media: Sequence[_Media], count: Count, mark: Callable[[str], str]
) -> dict[int, dict[str, Any]]:
    changed: dict[int, tuple[Entry, dict[int, str]]] = {}
    for text in found:
        if text.limit < text.size:
            changed.setdefault(text.entry.position, (text.entry, {}))[1][text.index] = _short(text, count, mark)
    out = {position: with_texts(entry.message, texts) for position, (entry, texts) in changed.items()}
    for each in media:
        if each.gone:
            at = each.entry
            out[at.position] = without_media(out.get(at.position, at.message.raw), each.gone, mark(at.address))
    return out


def _short(text: _Text, count: Count, mark: Callable[[str], str]) -> str:
    part = text.entry.message.parts[text.index]
    address = next(iter(text.entry.brought.get(part.id, ())), text.entry.address)
    told = mark(address) if text.limit >= LEAST else f"…{address}…"
    if part.kind == "call" and (arguments := _json(part.text)) is not None:
        return _short_arguments(arguments, text.limit, count, told)
    ratio = 1.0 if text.rank == PERSON and text.limit < LEAST else HEAD
    return clip(part.text, text.limit, count=count, mark=told, ratio=ratio) or told


def _json(text: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _short_arguments(arguments: Mapping[str, Any], limit: int, count: Count, mark: str) -> str:
    """Call arguments with their long strings and lists shortened; still one JSON object.

    Measured as they are sent: escapes make a text up to twice as long as it reads.
    """
    level = limit
    while level >= SHORTEST:
        short = json.dumps(_shorter(arguments, level, count, mark), ensure_ascii=False)
        if count(short) <= limit:
            return short
        level //= 2
    named = json.dumps(dict.fromkeys(arguments, "…") | {next(iter(arguments), "clipped"): mark}, ensure_ascii=False)
    return named if count(named) <= limit else json.dumps({"clipped": mark}, ensure_ascii=False)


def _shorter(node: Any, level: int, count: Count, mark: str) -> Any:
    """A JSON value in which no string has more than `level` tokens and no list more than that many entries."""
    if isinstance(node, str):
        return clip(node, level, count=count, mark=mark) or "…"
    if isinstance(node, dict):
        kept = list(node.items())[: max(level, 1)]
        return {key: _shorter(value, level, count, mark) for key, value in kept}
    if isinstance(node, list):
        most = max(level // ENTRY, 2)
        some = node if len(node) <= most else [*node[: most - 1], mark, node[-1]]
        return [_shorter(value, level, count, mark) for value in some]
    return node
