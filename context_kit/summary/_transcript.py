"""The part that leaves the window as plain text: who said what, calls and results as text.

Every line of a message is indented, so nothing inside one can look like a turn of its own, and
the fence's own tags are neutralised. Thinking is left out. The text is redacted before it is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from context_kit._steps import Entry
from context_kit.tokens import clip
from context_kit.typing import Count
from context_kit.wire import Part

__all__ = ["Piece", "chunks", "media_name", "neutral", "pieces"]

FENCE = "transcript"
PREVIOUS = "record_so_far"
SUPERSEDED = 200
"""Tokens that a superseded tool output keeps in the transcript."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One message of the transcript."""

    text: str
    tokens: int
    whole: int
    """Tokens before it was shortened."""


def neutral(text: str) -> str:
    """A text in which the fence's own tags can't be forged."""
    for tag in (FENCE, PREVIOUS):
        if tag in text:
            text = text.replace(f"</{tag}", f"<\u200b/{tag}").replace(f"<{tag}", f"<\u200b{tag}")
    return text


def pieces(
    entries: Sequence[Entry],
    *,
    redact: Callable[[str], str],
    count: Count,
    most: int,
    superseded: frozenset[int] = frozenset(),
) -> list[Piece]:
    """One piece a message.

    Args:
        entries: the messages that leave, oldest first.
        redact: takes the secrets out.
        count: tokens of a text.
        most: tokens that one piece may have at most.
        superseded: positions of tool results that later ones replaced; shortened.
    """
    made = [_piece(entry, redact, count, SUPERSEDED if entry.position in superseded else most) for entry in entries]
    return [
        replace(piece, whole=piece.tokens) if entry.position in superseded else piece
        for entry, piece in zip(entries, made, strict=True)
    ]


def _piece(entry: Entry, redact: Callable[[str], str], count: Count, most: int) -> Piece:
    body = "\n".join(_line(part) for part in entry.message.parts if part.kind != "reasoning")
    body = neutral(redact(body)).replace("\n", "\n  ")
    head = f"[m{entry.position} {entry.message.role}]\n  "
    whole = count(body)
    if whole > most:
        body = clip(body, most, count=count, mark=f"\n  … [{whole} tokens, shortened] …\n  ")
    text = f"{head}{body}"
    tokens = count(text)
    return Piece(text, tokens, max(whole, tokens))


def _line(part: Part) -> str:
    if part.kind == "call":
        return f"calls tool {part.name} with {part.text}"
    if part.kind == "result":
        media = "".join(f"\n{media_name(block)}" for block in part.block or ())
        return f"tool {'failed' if part.failed else 'answered'}: {part.text}{media}"
    if part.kind == "media":
        return media_name(part.block)
    return part.text


def media_name(block: object) -> str:
    """What stands for an image or a file: its type and, where it has one, its address."""
    kind, found = "media", ""
    stack = [block]
    while stack and not found:
        node = stack.pop()
        if isinstance(node, dict):
            kind = str(node.get("type") or kind) if kind == "media" else kind
            stack.extend(node[key] for key in ("image_url", "source", "file", "input_audio") if key in node)
            for key in ("url", "file_id", "file_url", "filename", "title", "id"):
                value = node.get(key)
                if isinstance(value, str) and value and not value.startswith("data:"):
                    found = value
                    break
        elif isinstance(node, str) and not node.startswith("data:"):
            found = node
    return f"[{kind}{' ' + found if found else ''}]"


def chunks(found: Sequence[Piece], room: int) -> list[list[Piece]]:
    """Pieces in as few runs as fit into `room` tokens each, in order."""
    runs: list[list[Piece]] = [[]]
    used = 0
    for piece in found:
        if runs[-1] and used + piece.tokens > room:
            runs.append([])
            used = 0
        runs[-1].append(piece)
        used += piece.tokens
    return runs if runs[-1] else runs[:-1]
