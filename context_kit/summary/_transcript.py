"""The part that leaves the window as plain text: who said what, calls and results as text.

Every line of a message is indented, so nothing inside one can look like a turn of its own, and
the fence's own tags are neutralised. Thinking is left out. The text is redacted before it is cut.
What is larger than a request is told in parts: nothing is left out but superseded output.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

from context_kit._steps import Entry
from context_kit.tokens import clip
from context_kit.tools import looks_observed
from context_kit.typing import Count
from context_kit.wire import Message, Part

__all__ = ["HEAD", "Piece", "archived", "media_name", "neutral", "pieces", "take"]

FENCE = "transcript"
PREVIOUS = "record_so_far"
SUPERSEDED = 200
"""Tokens that a superseded tool output keeps in the transcript."""
HEAD = re.compile(r"^\[m\d+ (?:system|developer|user|assistant|tool)(?:, part \d+)?\]", re.MULTILINE)
"""How a message begins in the transcript."""
TAG = re.compile(rf"<(?=\s*/?\s*(?:{FENCE}|{PREVIOUS})\b)", re.IGNORECASE)
SLACK = 0.9
"""Characters and tokens go together only roughly; a part is first tried so much smaller."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One message of the transcript."""

    text: str
    tokens: int
    whole: int
    """Tokens before it was shortened."""
    spoken: str = ""
    """What a person or the assistant wrote in it."""
    called: str = ""
    """Arguments of the assistant's calls in it."""
    shown: str = ""
    """Tool output in it, whole."""


def neutral(text: str) -> str:
    """A text in which the fence's own tags can't be forged, in whatever case or spacing."""
    return TAG.sub("<\u200b", text)


def pieces(
    entries: Sequence[Entry],
    *,
    redact: Callable[[str], str],
    count: Count,
    superseded: frozenset[int] = frozenset(),
) -> list[Piece]:
    """One piece a message.

    Args:
        entries: the messages that leave, oldest first.
        redact: takes the secrets out.
        count: tokens of a text.
        superseded: positions of tool results that later ones replaced; shortened.
    """
    return [_piece(entry, redact, count, shorten=entry.position in superseded) for entry in entries]


def _piece(entry: Entry, redact: Callable[[str], str], count: Count, *, shorten: bool) -> Piece:
    parts = [part for part in entry.message.parts if part.kind != "reasoning"]
    lines = [(part, redact(_brought(entry, part) or _line(part))) for part in parts]
    body = neutral("\n".join(line for _, line in lines)).replace("\n", "\n  ")
    if shorten and count(body) > SUPERSEDED:
        mark = f"\n  … [{count(body)} tokens, shortened: replaced by a later one] …\n  "
        body = clip(body, SUPERSEDED, count=count, mark=mark)
    text = f"[m{entry.position} {entry.message.role}]\n  {body}"
    tokens = count(text)
    told = {
        kind: "\n".join(line for part, line in lines if _kind(part) == kind) for kind in ("spoken", "called", "shown")
    }
    return Piece(text, tokens, tokens, **told)


def _kind(part: Part) -> str:
    """Whose words a part holds: a person's or the assistant's, a call's, or a tool's."""
    if part.kind == "call":
        return "called"
    return "shown" if part.kind != "text" or looks_observed(part.text) else "spoken"


def _line(part: Part) -> str:
    if part.kind == "call":
        return f"calls tool {part.name} with {part.text}"
    if part.kind == "result":
        media = "".join(f"\n{media_name(block)}" for block in part.block or ())
        return f"tool {'failed' if part.failed else 'answered'}: {part.text}{media}"
    if part.kind == "media":
        return media_name(part.block)
    return part.text


def _brought(entry: Entry, part: Part) -> str:
    """What stands for a result that brought older text back: that text was summarised in its own place."""
    if part.kind != "result" or part.id not in entry.brought:
        return ""
    return f"tool answered: [text brought back from {', '.join(entry.brought[part.id]) or 'memory'}]"


def archived(message: Message, *, without: Container[str] = ()) -> str:
    """A message as recall gives it back: its words, calls and results; thinking is left out.

    Args:
        message: the message.
        without: ids of calls that are left out with their results.
    """
    parts = (part for part in message.parts if part.kind != "reasoning" and (not part.id or part.id not in without))
    return "\n".join(map(_kept, parts))


def _kept(part: Part) -> str:
    if part.kind == "call":
        return f"{part.name} {part.text}"
    if part.kind == "media":
        return media_name(part.block)
    media = "".join(f"\n{media_name(block)}" for block in part.block or ()) if part.kind == "result" else ""
    return part.text + media


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


def take(left: deque[Piece], room: int, count: Count) -> list[Piece]:
    """The next run of pieces, in order, as many as fit into `room` tokens; they leave the queue.

    A piece that no run could hold is taken in parts, one a run.
    """
    run: list[Piece] = []
    used = 0
    while left and used + left[0].tokens + 1 <= room:
        run.append(left.popleft())
        used += run[-1].tokens + 1
    if left and not run:
        parts = _parted(left.popleft(), room, count)
        run = parts[:1]
        left.extendleft(reversed(parts[1:]))
    return run


def _parted(piece: Piece, room: int, count: Count) -> list[Piece]:
    """A piece as several that fit into `room` tokens each, split at line ends where there are any."""
    head, _, body = piece.text.partition("]\n")
    name, _, number = head.partition(", part ")
    parts: list[Piece] = []
    at, size = 0, max(int(len(body) * room / max(piece.tokens, 1) * SLACK), 1)
    while at < len(body):
        top = f"{name}, part {int(number or 1) + len(parts)}]\n"
        top += "" if body.startswith("  ", at) else "  "
        end = _end(body, at, size)
        tokens = count(top + body[at:end])
        while tokens > room and end - at > 1:
            end = _end(body, at, max(int((end - at) * room / tokens * SLACK), 1))
            tokens = count(top + body[at:end])
        parts.append(replace(piece, text=top + body[at:end], tokens=tokens, whole=tokens))
        at = end
    return parts


def _end(body: str, at: int, size: int) -> int:
    """Where a part of at most `size` characters ends: after the last line end in its second half, if any."""
    if at + size >= len(body):
        return len(body)
    return body.rfind("\n", at + size // 2, at + size) + 1 or at + size
