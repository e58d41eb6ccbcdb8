"""A request judged as its provider would, without the library: types, parameters, pairing, schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from pydantic import TypeAdapter, ValidationError

from tests.talks import exhaust

__all__ = ["fault_of"]

TOOL_BLOCKS = ("tool_use", "tool_result")

TYPES: dict[str, tuple[Any, Any]] = {
    "chat": (CompletionCreateParamsNonStreaming, CompletionCreateParamsStreaming),
    "responses": (ResponseCreateParamsNonStreaming, ResponseCreateParamsStreaming),
    "messages": (MessageCreateParamsNonStreaming, MessageCreateParamsStreaming),
}


@cache
def _adapter(api: str, streaming: bool) -> TypeAdapter[Any]:
    return TypeAdapter(TYPES[api][streaming])


@cache
def _parameters(api: str) -> frozenset[str]:
    return frozenset(key for kind in TYPES[api] for base in (kind, *kind.__orig_bases__) for key in _keys(base))


def _keys(kind: Any) -> frozenset[str]:
    return frozenset(getattr(kind, "__required_keys__", ())) | frozenset(getattr(kind, "__optional_keys__", ()))


def fault_of(api: str, body: Mapping[str, Any]) -> str:
    """Why the provider would refuse a request; empty where it would not."""
    unknown = sorted(body.keys() - _parameters(api))
    if unknown:
        return f"Unknown parameter: {unknown[0]!r}"
    try:
        exhaust(_adapter(api, bool(body.get("stream"))).validate_python(dict(body)))
    except ValidationError as error:
        return str(error)[:300]
    return next((fault for check in CHECKS[api] for fault in check(body)), "")


def _pieces(message: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    content = message.get("content")
    return [part for part in content if part.get("type") == kind] if isinstance(content, list) else []


def _paired(waiting: set[str], answered: Sequence[str], *, other: bool) -> Iterator[str]:
    for name in answered:
        if name not in waiting:
            yield f"result {name!r} has no call right before it"
        waiting.discard(name)
    if other and waiting:
        yield f"calls {sorted(waiting)} are not answered"


def _chat(body: Mapping[str, Any]) -> Iterator[str]:
    waiting: set[str] = set()
    for message in body["messages"]:
        tool = message["role"] == "tool"
        yield from _paired(waiting, [message["tool_call_id"]] if tool else [], other=not tool)
        waiting |= {call["id"] for call in message.get("tool_calls") or ()}
    yield from _paired(waiting, [], other=True)
    form = body.get("response_format") or {}
    if form.get("type") == "json_object" and "json" not in json.dumps(body["messages"]).lower():
        yield "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    yield from _strict(form.get("json_schema", {}).get("schema"))


def _responses(body: Mapping[str, Any]) -> Iterator[str]:
    items = body["input"]
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    outputs = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    if sorted(calls) != sorted(outputs):
        yield f"No tool output found for function call {sorted(set(calls) ^ set(outputs))}"
    form = (body.get("text") or {}).get("format") or {}
    if form.get("type") == "json_object" and "json" not in json.dumps(items).lower():
        yield "Response input messages must contain the word 'json' in some form"
    yield from _strict(form.get("schema"))


def _messages(body: Mapping[str, Any]) -> Iterator[str]:
    waiting: set[str] = set()
    for message in body["messages"]:
        results = [part["tool_use_id"] for part in _pieces(message, "tool_result")]
        yield from _paired(waiting, results, other=True)
        waiting |= {part["id"] for part in _pieces(message, "tool_use")}
        if not message["content"] or any(not part["text"].strip() for part in _pieces(message, "text")):
            yield "text content blocks must be non-empty"
    yield from _paired(waiting, [], other=True)
    budget = (body.get("thinking") or {}).get("budget_tokens", 0)
    if budget and body["max_tokens"] <= budget:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`"
    blocks = [part for message in body["messages"] for kind in TOOL_BLOCKS for part in _pieces(message, kind)]
    if blocks and not body.get("tools"):
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools"
    yield from _strict(((body.get("output_config") or {}).get("format") or {}).get("schema"))


def _limit(body: Mapping[str, Any]) -> Iterator[str]:
    limits = [body[key] for key in ("max_tokens", "max_completion_tokens", "max_output_tokens") if key in body]
    if len(limits) != 1 or not isinstance(limits[0], int) or limits[0] < 1:
        yield f"one token limit of at least 1 is wanted, not {limits}"


def _strict(node: object) -> Iterator[str]:
    """Objects of a strict schema are closed, their properties required, and there are no defaults."""
    if isinstance(node, Mapping):
        if node.get("type") == "object":
            if node.get("additionalProperties") is not False:
                yield "Invalid schema: 'additionalProperties' is required to be supplied and to be false"
            if set(node.get("required", ())) != set(node.get("properties", {})):
                yield "Invalid schema: 'required' is required to be an array including every key in properties"
        if "default" in node:
            yield "Invalid schema: 'default' is not permitted"
    for inner in node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ():
        yield from _strict(inner)


CHECKS = {"chat": (_limit, _chat), "responses": (_limit, _responses), "messages": (_limit, _messages)}
