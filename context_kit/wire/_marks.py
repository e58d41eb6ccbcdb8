"""Cache marks and the provider's own compactions: what a list may hold of them, and where.

At most four `cache_control` marks a request (research/wire-facts 1.6): over four, the oldest go.
A compaction made by the API stays first, before the bridge (1.5, 3.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from context_kit.wire._message import Message

__all__ = ["MOST_MARKS", "cap_marks", "marks", "marks_beside", "provider_compaction", "signed_first"]

MOST_MARKS = 4
MARK = "cache_control"

Raw = dict[str, Any]


def cap_marks(messages: list[Raw], /, *, beside: int = 0) -> list[Raw]:
    """The list with its newest four marks; the same list where it has no more.

    `beside`: marks in the system prompt and the tools, which are sent beside the messages and keep theirs.
    """
    left = max(MOST_MARKS - beside, 0)
    out: list[Raw] | None = None
    for index in range(len(messages) - 1, -1, -1):
        marked = _marked(messages[index])
        if not marked:
            continue
        if len(marked) > left:
            out = out if out is not None else list(messages)
            out[index] = _unmarked(messages[index], marked[: len(marked) - left])
        left = max(left - len(marked), 0)
    return out if out is not None else messages


def marks(message: Raw) -> int:
    """How many cache marks a message carries."""
    return len(_marked(message)) if message.get("content").__class__ is list else 0


def marks_beside(*sent: object) -> int:
    """How many cache marks stand in what is sent beside the messages: system blocks, tool schemas."""
    lists = [each for each in sent if isinstance(each, (list, tuple))]
    return sum(isinstance(block, Mapping) and bool(block.get(MARK)) for each in lists for block in each)


def _marked(message: Raw) -> list[tuple[int, ...]]:
    """Places of the blocks with a mark: index, or of a block in a tool result both indexes."""
    content: Any = message.get("content")
    found: list[tuple[int, ...]] = []
    for index, block in enumerate(content if isinstance(content, list) else ()):
        if block.__class__ is dict:
            inner: Any = block.get("content") if block.get("type") == "tool_result" else None
            if isinstance(inner, list):
                found += [(index, at) for at, each in enumerate(inner) if each.__class__ is dict and MARK in each]
            found += [(index,)] if MARK in block else []
    return found


def _unmarked(message: Raw, places: Sequence[tuple[int, ...]]) -> Raw:
    content = list(message["content"])
    for index, *inner in places:
        block = dict(content[index])
        for at in inner:
            block["content"] = [*block["content"][:at], _plain(block["content"][at]), *block["content"][at + 1 :]]
        content[index] = block if inner else _plain(block)
    return {**message, "content": content}


def _plain(block: Raw) -> Raw:
    return {key: value for key, value in block.items() if key != MARK}


def provider_compaction(messages: Sequence[Message]) -> list[Raw]:
    """The newest compaction that the provider made, as a message or item of its own; empty where there is none."""
    for message in reversed(messages):
        raw = message.raw
        if raw.get("type") == "compaction" and raw.get("encrypted_content"):
            return [raw]
        content = raw.get("content")
        blocks = content if isinstance(content, list) else []
        for block in reversed(blocks):
            if isinstance(block, dict) and block.get("type") == "compaction" and block.get("content") is not None:
                return [{"role": "assistant", "content": [block]}]
    return []


def signed_first(messages: list[Raw], /) -> list[Raw]:
    """Anthropic's list with the newest signed compaction as the first block, and no other signed one (1.5.3).

    What it stands for may follow it, until a compaction of this session's takes that out.
    """
    signed = [block for raw in messages for block in _signed(raw)]
    if not signed or (len(signed) == 1 and messages[0]["content"][:1] == signed):
        return messages
    kept = next((block for block in reversed(signed) if block.get("content")), None)
    rest = [bare for raw in messages if (bare := _unsigned(raw) if _signed(raw) else raw) is not None]
    return [{"role": "assistant", "content": [kept]}, *rest] if kept else rest


def _signed(raw: Raw) -> list[Raw]:
    content = raw.get("content")
    blocks = content if isinstance(content, list) and raw.get("role") == "assistant" else []
    return [block for block in blocks if block.get("type") == "compaction" and block.get("signature")]


def _unsigned(raw: Raw) -> Raw | None:
    gone = _signed(raw)
    left = [block for block in raw["content"] if block not in gone]
    return {**raw, "content": left} if left else None
