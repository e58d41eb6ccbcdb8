"""A second judge of lists, which knows nothing of the library: the SDKs' request types, and `tessera-transcript`.

The types tell wrong types, missing fields and unknown keys; tessera tells calls and results that don't pair.
Neither knows of roles that take turns, of blank texts or of reasoning: `context_kit.wire.faults` is alone with those.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pydantic import TypeAdapter, ValidationError

from context_kit.typing import Message, Shape

__all__ = ["has_tessera", "refused", "refused_by_types", "unpaired"]

has_tessera = find_spec("tessera") is not None
"""Whether the other library is there: it needs Python 3.11."""

BEYOND = frozenset({"reasoning_content", "reasoning", "extra_content"})
"""Keys that other servers of OpenAI's shape want back: DeepSeek's reasoning, Gemini's signatures."""
BETA = frozenset({"compaction", "mcp_tool_use", "mcp_tool_result", "advisor_tool_result", "container_upload"})
"""Block types that only Anthropic's beta types know."""
ASKS = {"function_call": "arguments", "custom_tool_call": "input"}
ANSWERS = frozenset({"function_call_output", "custom_tool_call_output"})


def refused(messages: Sequence[Message], shape: Shape) -> tuple[str, ...]:
    """Everything that either judge has against a list; empty where both accept it."""
    return (*refused_by_types(messages, shape), *unpaired(messages, shape))


# -- the SDKs' own request types -------------------------------------------------------


def refused_by_types(messages: Sequence[Message], shape: Shape) -> tuple[str, ...]:
    """What the SDK's request types say: wrong types, missing fields, keys that they don't know."""
    return tuple(f"{at}.{fault}" for at, raw in enumerate(messages) for fault in _by_type(json.dumps(raw), shape))


@lru_cache(maxsize=20_000)
def _by_type(message: str, shape: Shape) -> tuple[str, ...]:
    """Of one message, as JSON: most messages of a session are judged many times."""
    raw = json.loads(message)
    beta = any(block.get("type") in BETA for block in _blocks(raw))
    return tuple(fault for each in ADAPTERS[shape](beta=beta) for fault in _faults(raw, each))


def _faults(raw: Message, adapter: TypeAdapter[Any]) -> Iterator[str]:
    try:
        yield from (f"{path}: unknown key" for path in _unknown(raw, _whole(adapter.validate_python(raw))))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        yield f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


@cache
def _chat(*, beta: bool) -> Sequence[TypeAdapter[Any]]:
    from openai.types.chat import ChatCompletionMessageParam

    return [TypeAdapter(ChatCompletionMessageParam)]


@cache
def _responses(*, beta: bool) -> Sequence[TypeAdapter[Any]]:
    from openai.types.responses import ResponseInputItemParam

    return [TypeAdapter(ResponseInputItemParam)]


@cache
def _anthropic(*, beta: bool) -> Sequence[TypeAdapter[Any]]:
    """The beta type knows everything; the plain one all but what is still in beta."""
    from anthropic.types import MessageParam
    from anthropic.types.beta import BetaMessageParam

    return [TypeAdapter(BetaMessageParam), *([] if beta else [TypeAdapter(MessageParam)])]


ADAPTERS = {"chat": _chat, "responses": _responses, "anthropic": _anthropic}


def _whole(value: Any) -> Any:
    """A validated value with its `Iterable` fields read: pydantic checks them only then."""
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return value
    return [_whole(inner) for inner in value]


def _unknown(given: Any, kept: Any, path: str = "") -> Iterator[str]:
    """Paths of keys that the type has no field for: pydantic leaves them out."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for key, value in given.items():
            if key in kept:
                yield from _unknown(value, kept[key], f"{path}.{key}")
            elif key not in BEYOND:
                yield f"{path}.{key}".lstrip(".")
    elif isinstance(given, list) and isinstance(kept, list):
        for at, (one, other) in enumerate(zip(given, kept, strict=True)):
            yield from _unknown(one, other, f"{path}[{at}]")


# -- tessera: calls and results --------------------------------------------------------


def unpaired(messages: Sequence[Message], shape: Shape) -> tuple[str, ...]:
    """What tessera says of calls and results, round by round: an id may come back in a later one."""
    if not has_tessera:
        return ()
    adapter = "anthropic" if shape == "anthropic" else "openai"
    inspect = import_module("tessera").inspect
    reports = [inspect(each, adapter=adapter) for each in _rounds(_plain(messages, shape))]
    return tuple(str(found) for report in reports for found in report.findings)


def _rounds(plain: Sequence[Message]) -> Iterator[list[Message]]:
    """The list in pieces, each from a message that calls tools to the next such one."""
    piece: list[Message] = []
    for raw in plain:
        if piece and (raw.get("tool_calls") or any(block.get("type") == "tool_use" for block in _blocks(raw))):
            yield piece
            piece = []
        piece.append(raw)
    yield piece


def _plain(messages: Sequence[Message], shape: Shape) -> list[Message]:
    """The list as tessera can read it: it knows no Responses items, and of blocks only text, calls and results."""
    if shape == "anthropic":
        return [_opened(raw) for raw in messages]
    return _as_chat(messages) if shape == "responses" else [{**raw, "content": _said(raw)} for raw in messages]


def _opened(raw: Message) -> Message:
    if isinstance(raw.get("content"), str):
        return raw
    known = ("text", "tool_use", "tool_result")
    blocks = [b if b.get("type") in known else {"type": "text", "text": f"[{b.get('type')}]"} for b in _blocks(raw)]
    return {**raw, "content": blocks}


def _said(raw: Message) -> str:
    content = raw.get("content")
    beside = [str(raw[key]) for key in ("reasoning_content", "refusal", "function_call", "audio") if raw.get(key)]
    if isinstance(content, str):
        return "".join([content, *beside])
    return "".join([*(str(block.get("text") or block.get("type")) for block in _blocks(raw)), *beside])


def _as_chat(items: Sequence[Message]) -> list[Message]:
    """Responses items as chat messages: the calls of one reply in one message, each output a tool message."""
    out: list[Message] = []
    for item in items:
        kind = item.get("type")
        if kind in ASKS:
            call = {"id": item["call_id"], "function": {"name": item["name"], "arguments": item[ASKS[str(kind)]]}}
            if out and out[-1].get("tool_calls"):
                out[-1]["tool_calls"].append(call)
            else:
                out.append({"role": "assistant", "content": "", "tool_calls": [call]})
        elif kind in ANSWERS:
            out.append({"role": "tool", "tool_call_id": item["call_id"], "content": "x"})
        elif "role" in item:
            out.append({"role": item["role"], "content": _said(item)})
    return out


def _blocks(raw: Message) -> list[dict[str, Any]]:
    content = raw.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
