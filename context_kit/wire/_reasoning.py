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
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
    }
)
"""Items whose `id` ties them to the reasoning of their reply (wire-facts 3.2.1). Where the id is itself what
others refer to (item_reference, mcp_approval_request, program, compaction), it stays."""


def without_reasoning(messages: Sequence[Raw], /, *, shape: Shape | None) -> list[Raw]:
    """A rendered step without the reasoning that is bound to the bytes before it.

    Anthropic: thinking blocks go; a message of nothing else goes too. Responses: reasoning items go, and the `id`
    of every item of their reply. Chat keeps its `reasoning_content`: it is plain text, and DeepSeek demands it back.
    Messages that hold none come back as the same objects.
    """
    if shape == "anthropic":
        return [kept for raw in messages if (kept := _unthought(raw)) is not None]
    if shape == "responses" and any(raw.get("type") == "reasoning" for raw in messages):
        return [_unbound(raw) for raw in messages if raw.get("type") != "reasoning"]
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
    return {key: value for key, value in raw.items() if key != "id"}
