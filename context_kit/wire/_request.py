"""A reply in the form in which it goes back: no nulls in known fields, no parsed values, nothing response-only.

What is not known (block types of tomorrow, compaction blocks, tool inputs) keeps every null it has.
Fields by the request and response types of openai 3.57 and anthropic 2.14 (wire-facts 1, 2, 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from context_kit.wire._kinds import BLOCKS, ITEMS

__all__ = ["anthropic_message", "chat_message", "item", "piece"]

PARSED = frozenset({"parsed", "parsed_arguments", "parsed_output"})
RESPONSE_ONLY = PARSED | {"created_by"}
NULLABLE = frozenset({"code", "outputs", "result", "document_title", "title"})
"""Required by the request types although they may be null."""
WHOLE = frozenset({"compaction"})
"""Signed as they are: never touched."""


def chat_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A chat completion's message as a request message."""
    made = {key: value for key, value in message.items() if value is not None and key not in PARSED}
    made.pop("annotations", None)
    if made.get("content") == []:
        del made["content"]
    calls = made.get("tool_calls")
    if isinstance(calls, list):
        made["tool_calls"] = [_chat_call(call) for call in calls]
    if not calls:
        made.pop("tool_calls", None)
    if isinstance(made.get("function_call"), dict):
        made["function_call"] = _function(made["function_call"])
    audio = made.get("audio")
    if isinstance(audio, dict):
        # The data can't be sent back, the id can (wire-facts 2.5).
        made["audio"] = {"id": audio.get("id")}
    if isinstance(made.get("content"), list):
        made["content"] = [piece(part) if isinstance(part, dict) else part for part in made["content"]]
    return made if made.keys() & {"content", "tool_calls", "function_call", "audio"} else _filled(made)


def _filled(made: dict[str, Any]) -> dict[str, Any]:
    """Content for a reply that has none: its refusal, else an empty text (null is refused without calls)."""
    refusal = made.pop("refusal", None)
    made["content"] = [{"type": "refusal", "refusal": refusal}] if refusal else ""
    return made


def _chat_call(call: Any) -> Any:
    if not isinstance(call, dict):
        return call
    made = {key: value for key, value in call.items() if value is not None and key != "index"}
    if isinstance(made.get("function"), dict):
        made["function"] = _function(made["function"])
    return made


def _function(function: Mapping[str, Any]) -> dict[str, Any]:
    made = {key: value for key, value in function.items() if value is not None and key not in PARSED}
    # Some servers send null for a call without arguments; the request type wants a string.
    made.setdefault("arguments", "{}")
    return made


def anthropic_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """An Anthropic reply as a request message; empty text blocks, which the API refuses, are left out."""
    content = message.get("content")
    if isinstance(content, list):
        kept = [block for block in content if not _blank(block)]
        content = [piece(block) if isinstance(block, dict) else block for block in kept]
    return {"role": message.get("role"), "content": content}


def _blank(block: Any) -> bool:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return isinstance(text, str) and not text.strip()


def item(given: Mapping[str, Any]) -> dict[str, Any]:
    """An output item of the Responses API as an input item."""
    made = piece(given)
    if made.get("type") in ITEMS:
        made.pop("created_by", None)
    for name in ("content", "summary"):
        if isinstance(made.get(name), list):
            made[name] = [piece(part) if isinstance(part, dict) else part for part in made[name]]
    if made.get("type") == "message" and made.get("content") == []:
        made["content"] = [{"type": "output_text", "text": "", "annotations": []}]
    return made


def piece(given: Mapping[str, Any]) -> dict[str, Any]:
    """One block, item or tool call as it goes back."""
    kind = given.get("type")
    if kind == "function" or "function" in given:
        made: dict[str, Any] = _chat_call(given)
        return made
    if kind in WHOLE or (isinstance(kind, str) and kind not in BLOCKS and kind not in ITEMS):
        return dict(given)
    made = {
        key: value
        for key, value in given.items()
        if (value is not None or key in NULLABLE) and key not in RESPONSE_ONLY and not key.startswith("__")
    }
    for name in ("citations", "annotations"):
        if isinstance(made.get(name), list):
            made[name] = [_citation(entry) for entry in made[name]]
    return made


def _citation(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {key: value for key, value in entry.items() if value is not None or key in NULLABLE}
