"""A forgotten message keeps its place, its role and its ids; what it said is gone, and it says when that was done.

So the log stays legal and every other message keeps its position.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from context_kit.errors import InvalidMessageError
from context_kit.wire import read, without_reasoning

__all__ = ["mapped", "said", "tombstone", "unbound"]

KEPT = frozenset(
    "role type id tool_call_id call_id tool_use_id name status phase cache_control encrypted_content signature "
    "media_type detail".split()
)
"""Keys whose text is the wire's own, not the message's."""
JSON_TEXT = ("arguments",)
"""Keys whose text is JSON itself."""
THINKING = ("thinking", "redacted_thinking")
MEDIA = ("image", "image_url", "input_image", "document", "file", "input_file", "input_audio", "audio")

Raw = dict[str, Any]


def mapped(node: Any, change: Callable[[str], str], *, kept: frozenset[str] = KEPT) -> Any:
    """A message, or any JSON value, with each of its own texts changed; the same object where none is."""
    if isinstance(node, str):
        made = change(node)
        return node if made == node else made
    if isinstance(node, list):
        each = [mapped(inner, change, kept=kept) for inner in node]
        return each if any(new is not old for new, old in zip(each, node, strict=True)) else node
    if not isinstance(node, dict):
        return node
    found: Raw = {}
    for key, value in node.items():
        if key in kept:
            found[key] = value
        elif key in JSON_TEXT and isinstance(value, str):
            found[key] = _in_json(value, change)
        else:
            found[key] = mapped(value, change, kept=kept)
    return found if any(found[key] is not node[key] for key in node) else node


def _in_json(text: str, change: Callable[[str], str]) -> str:
    """A JSON text with the texts in it changed; as plain text where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return change(text)
    made = mapped(value, change, kept=frozenset())
    return text if made is value else json.dumps(made, ensure_ascii=False)


def said(raw: Raw) -> Iterator[str]:
    """Every text of a message that is its own, those in the JSON of its calls, too."""
    found: list[str] = []

    def note(text: str) -> str:
        found.append(text)
        return text

    mapped(raw, note)
    yield from found


def tombstone(raw: Raw, text: str) -> Raw | None:
    """What stands in the place of a forgotten message; None where nothing may stand there (bound reasoning)."""
    if raw.get("type") == "reasoning":
        return None
    made = _emptied(raw, text)
    try:
        if read(made).messages:
            return made
    except InvalidMessageError:
        pass
    return {"role": str(raw.get("role", "user")), "content": text}


def _emptied(raw: Raw, text: str) -> Raw:
    found: Raw = {}
    for key, value in raw.items():
        if key in KEPT or value is None or isinstance(value, (bool, int, float)):
            found[key] = value
        elif key in JSON_TEXT:
            found[key] = json.dumps({"forgotten": text})
        elif key == "input" and isinstance(value, dict):
            found[key] = {"forgotten": text}
        elif isinstance(value, str):
            found[key] = text if value else value
        elif isinstance(value, list):
            found[key] = _blocks(value, text)
        else:
            found[key] = _emptied(value, text) if isinstance(value, dict) else value
    return found


def _blocks(blocks: list[Any], text: str) -> list[Any]:
    """Content blocks and calls: thinking goes, a picture becomes words."""
    out: list[Any] = []
    for block in blocks:
        if not isinstance(block, dict):
            out.append(text)
        elif block.get("type") in MEDIA:
            kind = "input_text" if str(block["type"]).startswith("input_") else "text"
            out.append({"type": kind, "text": text})
        elif block.get("type") not in THINKING:
            out.append(_emptied(block, text))
    return out or [{"type": "text", "text": text}]


def unbound(raw: Raw, shape: Any) -> Raw | None:
    """A message behind a changed one, without the reasoning that was bound to what has changed; None: all of it was."""
    if shape == "responses":
        if raw.get("type") == "reasoning":
            return None
        found = without_reasoning([{"type": "reasoning"}, raw], shape=shape)
    else:
        found = without_reasoning([raw], shape=shape)
    return found[0] if found else None
