"""What only one provider knows, in words: server-side tools, compactions, blocks of tomorrow.

Nothing is composed: each text says whose block it was and then quotes it, sealed data left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from context_kit.wire._added import SEALED_SUMMARY, SUMMARY
from context_kit.wire._blocks import document_text
from context_kit.wire._own import compact

__all__ = ["told"]

SEALED = frozenset({"encrypted_content", "encrypted_index", "encrypted_stdout", "signature", "cache_control"})
"""Means something to the provider that made it, and to nobody else."""
SILENT = frozenset({"type", "id", "tool_use_id", "status", "server_label", "approval_request_id"})
"""Says nothing to a reader."""

SPOKEN = frozenset(
    "server_tool_use mcp_tool_use mcp_tool_result search_result mcp_tool_listing mcp_call mcp_list_tools "
    "mcp_approval_request mcp_approval_response web_search_call file_search_call code_interpreter_call "
    "image_generation_call tool_search_call tool_search_output".split()
)
"""Blocks and items that are told line by line; so is everything that ends in `_tool_result`."""
DROPPED = frozenset({"compaction_trigger"})
"""Orders to the provider, not a part of the conversation."""


def told(block: Mapping[str, Any], /) -> str:
    """A block or item in words; empty where it is no part of the conversation."""
    kind = str(block.get("type"))
    if kind in DROPPED:
        return ""
    if kind == "compaction":
        return _compaction(block)
    if kind == "document":
        return _document(block)
    if kind in SPOKEN or kind.endswith("_tool_result"):
        return "\n".join([f"[{kind}, run by the provider]", *_lines(block)])
    return f"[{kind}, known to another provider only]\n{compact(block)}"


def _compaction(block: Mapping[str, Any]) -> str:
    content = block.get("content")
    if isinstance(content, str) and content.strip():
        return f"{SUMMARY}\n{content}"
    return SEALED_SUMMARY if block.get("encrypted_content") else ""


def _document(block: Mapping[str, Any]) -> str:
    """A document of plain text is the text it is, after its title and context."""
    head = [value for key in ("title", "context") if isinstance(value := block.get(key), str) and value]
    return "\n".join([f"[document{': ' if head else ''}{', '.join(head)}]", document_text(dict(block)) or ""])


def _lines(node: object, key: str = "") -> Iterator[str]:
    """Every leaf with its name, a text word for word."""
    if isinstance(node, dict):
        for name, value in node.items():
            sealed = name in SEALED or (name == "data" and node.get("type") == "base64")
            if not (sealed or name in SILENT or (name == "result" and node.get("type") == "image_generation_call")):
                yield from _lines(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from _lines(value, key)
    elif node is not None and node != "":
        yield f"{key}: {node}" if isinstance(node, str) else f"{key}: {compact(node)}"
