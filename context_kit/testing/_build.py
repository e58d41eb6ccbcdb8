"""Message builders: one step of a conversation, in the shape of each provider.

The invariant guarded here: what a builder makes, a provider of that shape accepts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeAlias

from context_kit.typing import Message, Shape

__all__ = ["Call", "assistant", "image", "system", "tool_round", "user"]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A PNG of one pixel."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call together with its result."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict[str, Any])
    """Named arguments; a string is the free text of a custom tool (Anthropic: `{"input": text}`)."""
    result: str | None = field(default="", kw_only=True)
    """What the tool gave; None where it was interrupted and never answered."""
    id: str = field(default="call_1", kw_only=True)
    failed: bool = field(default=False, kw_only=True)
    """Marks the result as an error where the shape can say so (Anthropic)."""
    picture: bool = field(default=False, kw_only=True)
    """The result holds an image as well (chat: in a user message after all results)."""


def image(*, shape: Shape = "chat") -> dict[str, Any]:
    """A content block that holds an image of one pixel."""
    url = f"data:image/png;base64,{PIXEL}"
    if shape == "anthropic":
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    if shape == "responses":
        return {"type": "input_image", "detail": "auto", "image_url": url}
    return {"type": "image_url", "image_url": {"url": url}}


def system(text: str, *, role: str = "system") -> Message:
    """A system message; legal for chat and Responses anywhere, for Anthropic only after a user message."""
    return {"role": role, "content": text}


def user(text: str, *, shape: Shape = "chat", picture: bool = False) -> Message:
    """A user message, with an image after the text where asked for."""
    block = {"type": "input_text" if shape == "responses" else "text", "text": text}
    return {"role": "user", "content": [block, image(shape=shape)] if picture else text}


def assistant(text: str, *, shape: Shape = "chat", reasoning: str = "") -> list[Message]:
    """An assistant's reply without calls: one message, or the items of one Responses reply."""
    return tool_round([], shape=shape, text=text, reasoning=reasoning)


def tool_round(calls: Iterable[Call], *, shape: Shape = "chat", text: str = "", reasoning: str = "") -> list[Message]:
    """One step: an assistant message with all its (parallel) calls, then their results.

    `reasoning` becomes `reasoning_content` (chat), a signed thinking block (Anthropic) or a reasoning
    item directly before what it led to (Responses).
    """
    return _ROUNDS[shape](tuple(calls), text, reasoning)


def _mark(kind: str, *texts: str) -> str:
    return f"{kind}_{sha256(chr(0).join(texts).encode('utf-8', 'replace')).hexdigest()[:24]}"


def _chat_round(calls: tuple[Call, ...], text: str, reasoning: str) -> list[Message]:
    said: Message = {"role": "assistant", "content": text or None}
    if reasoning:
        said["reasoning_content"] = reasoning
    if calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.arguments}}
            if isinstance(call.arguments, str)
            else {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _json(call)}}
            for call in calls
        ]
    results: list[Message] = [
        {"role": "tool", "tool_call_id": call.id, "content": call.result} for call in calls if call.result is not None
    ]
    seen = any(call.picture for call in calls if call.result is not None)
    return [said, *results, *([user("The image it made.", picture=True)] if seen else [])]


def _json(call: Call) -> str:
    return json.dumps(call.arguments, ensure_ascii=False)


def _anthropic_round(calls: tuple[Call, ...], text: str, reasoning: str) -> list[Message]:
    blocks: list[dict[str, Any]] = []
    if reasoning:
        blocks.append({"type": "thinking", "thinking": reasoning, "signature": _mark("sig", reasoning, text)})
    if text:
        blocks.append({"type": "text", "text": text})
    for call in calls:
        arguments = {"input": call.arguments} if isinstance(call.arguments, str) else dict(call.arguments)
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments})
    results: list[dict[str, Any]] = []
    for call in calls:
        if call.result is not None:
            words = [{"type": "text", "text": call.result}] if call.result.strip() else []
            content = [*words, image(shape="anthropic")] if call.picture else call.result
            failed = {"is_error": True} if call.failed else {}
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": content, **failed})
    said: Message = {"role": "assistant", "content": blocks}
    return [said, {"role": "user", "content": results}] if results else [said]


def _responses_round(calls: tuple[Call, ...], text: str, reasoning: str) -> list[Message]:
    items: list[Message] = []
    ids = [call.id for call in calls]
    if reasoning:
        summary = [{"type": "summary_text", "text": reasoning}]
        name = _mark("rs", reasoning, text, *ids)
        items.append({"type": "reasoning", "id": name, "summary": summary, "encrypted_content": _mark("gAAAA", name)})
    if text:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        name = _mark("msg", text, reasoning, *ids)
        items.append({"type": "message", "role": "assistant", "id": name, "status": "completed", "content": content})
    for call in calls:
        kind, key = ("custom_tool_call", "input") if isinstance(call.arguments, str) else ("function_call", "arguments")
        words = call.arguments if isinstance(call.arguments, str) else _json(call)
        items.append({"type": kind, "call_id": call.id, "name": call.name, key: words})
    for call in calls:
        if call.result is not None:
            kind = "custom_tool_call_output" if isinstance(call.arguments, str) else "function_call_output"
            blocks = [{"type": "input_text", "text": call.result}, image(shape="responses")]
            items.append({"type": kind, "call_id": call.id, "output": blocks if call.picture else call.result})
    return items


_Round: TypeAlias = Callable[[tuple[Call, ...], str, str], list[Message]]
_ROUNDS: dict[Shape, _Round] = {"chat": _chat_round, "anthropic": _anthropic_round, "responses": _responses_round}
