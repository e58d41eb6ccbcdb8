"""Signed reasoning leaves a step whole or not at all, with everything that points to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context_kit.typing import Shape

__all__ = ["without_reasoning"]

Raw = dict[str, Any]

THINKING = frozenset({"thinking", "redacted_thinking"})
REPLY_ITEMS = frozenset(
    {
        "message",
        "function_call",
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "tool_search_call",
    }
)
"""Items whose `id` ties them to the reasoning of their reply (wire-facts 3.2.1). Where the id is itself what
others refer to (item_reference, mcp_approval_request, program, compaction), it stays."""


SEALED_ITEMS = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
)
"""What the provider ran by itself: such an item must have its `id`, so it goes with the reasoning of its reply."""


def without_reasoning(messages: Sequence[Raw], /, *, shape: Shape | None) -> list[Raw]:
    """A rendered step without the reasoning that is bound to the bytes before it.

    Anthropic: thinking blocks go; a message of nothing else goes too. Responses: reasoning items go, with what the
    provider ran by itself in the same reply, and the `id` of every other item of it; its message goes back in the
    form that needs none. Chat keeps its `reasoning_content`: it is plain text, and DeepSeek demands it back.
    Messages that hold none come back as the same objects.
    """
    if shape == "anthropic":
        return [kept for raw in messages if (kept := _unthought(raw)) is not None]
    if shape == "responses" and any(raw.get("type") == "reasoning" for raw in messages):
        gone = {"reasoning"} | SEALED_ITEMS
        return [_unbound(raw) for raw in messages if raw.get("type") not in gone]
    return list(messages)


def _unthought(raw: Raw) -> Raw | None:
    content = raw.get("content")
    if raw.get("role") != "assistant" or not isinstance(content, list):
        return raw
    kept = [block for block in content if block.get("type") not in THINKING]
    if len(kept) == len(content):
        return raw
    return {**raw, "content": kept} if kept else None


def _unbound(raw: Raw) -> Raw:
    if "id" not in raw or raw.get("type") not in REPLY_ITEMS or raw.get("role", "assistant") != "assistant":
        return raw
    bare = {key: value for key, value in raw.items() if key != "id"}
    return _easy(bare) if raw.get("type") == "message" else bare


def _easy(raw: Raw) -> Raw:
    """An output message without its id is no output message: its text goes back as an easy input message."""
    content = raw.get("content")
    blocks = content if isinstance(content, list) else []
    if not blocks or any(not isinstance(b, dict) or b.get("type") != "output_text" for b in blocks):
        return raw
    kept = {key: value for key, value in raw.items() if key != "status"}
    return {**kept, "content": "".join(str(block.get("text", "")) for block in blocks)}
