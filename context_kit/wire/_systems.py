"""System messages among Anthropic's messages, and the prefill: where the API takes them.

A system message stands right behind the user's turn (tool results count), and an assistant message or nothing
follows it (research/wire-facts 1.1.5). One that came elsewhere waits for the next such place; several that meet
there become one. A last assistant message is a prefill, and its text ends in no white space (1.1.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["placed_systems", "prefilled"]

Raw = dict[str, Any]


def placed_systems(messages: Sequence[Raw], /) -> list[Raw]:
    """The list with each system message at the first legal place from where it stands.

    One for which no such place has come yet is left out until it has. A list of nothing else stays as it is.
    """
    out: list[Raw] = []
    held: list[Raw] = []
    for raw in messages:
        if raw.get("role") == "system":
            held.append(raw)
            continue
        if held and out and raw.get("role") == "assistant" and _takes(out[-1]):
            out.append(_joined(held))
            held = []
        out.append(raw)
    if held and out and _takes(out[-1]):
        out.append(_joined(held))
    return out or list(messages)


def _takes(before: Raw) -> bool:
    """Whether a system message may follow: the user's turn, or a reply that ends in a server tool's call."""
    if before.get("role") == "user":
        return True
    content = before.get("content")
    last = content[-1] if isinstance(content, list) and content else None
    return isinstance(last, dict) and last.get("type") == "server_tool_use"


def _joined(systems: Sequence[Raw]) -> Raw:
    """System messages as one: their blocks in order; of other keys the newest value stands."""
    if len(systems) == 1:
        return systems[0]
    made: Raw = {}
    blocks: list[Raw] = []
    for raw in systems:
        made |= raw
        content = raw["content"]
        blocks += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {**made, "content": blocks}


def prefilled(messages: list[Raw], /) -> list[Raw]:
    """The list whose last message, where it is the assistant's, ends in no white space."""
    last = messages[-1] if messages else None
    if last is None or last.get("role") != "assistant":
        return messages
    content = last.get("content")
    if isinstance(content, str):
        trimmed: Any = content.rstrip()
        return messages if trimmed == content else [*messages[:-1], {**last, "content": trimmed}]
    block: Raw = content[-1] if isinstance(content, list) and content else {}
    text = block.get("text") if block.get("type") == "text" else None
    if not isinstance(content, list) or not isinstance(text, str) or text == text.rstrip():
        return messages
    trimmed = [*content[:-1], {**block, "text": text.rstrip()}]
    return [*messages[:-1], {**last, "content": trimmed}]
