"""What a model says, in the words of each API: whole, and as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from context_kit import Decision, Step, TaskSummary

__all__ = ["APIS", "RECORD", "Reply", "Speech"]

RECORD = TaskSummary(
    completed_steps=[Step(text="Read src/calc.py and changed divide().", files=["src/calc.py"])],
    key_decisions=[Decision(decision="Return 0.", reason="the test asks for it")],
    todo=["Add a docstring to divide()."],
).model_dump_json()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply of the model."""

    text: str = RECORD
    stop: str = "stop"
    """`stop`, `length`, `refusal` or `tool`."""
    tool: str = ""
    """Name of a tool that is called with `text` as its arguments, instead of the text."""
    reasoning: int = 0
    """Tokens of reasoning before it."""


class Speech(NamedTuple):
    """How one API says a reply."""

    path: str
    whole: Callable[[Reply], dict[str, Any]]
    events: Callable[[Reply, Mapping[str, Any]], list[str]]
    error: str
    """The event that tells of an error in the middle of a stream."""


PROMPT, WRITTEN = 900, 120
PIECE = 40


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def _data(value: Mapping[str, Any], event: str = "") -> str:
    return (f"event: {event}\n" if event else "") + f"data: {json.dumps(value)}\n\n"


# -- chat ------------------------------------------------------------------------------

CHAT_STOP = {"stop": "stop", "length": "length", "refusal": "stop", "tool": "tool_calls"}


def _chat_message(reply: Reply) -> dict[str, Any]:
    if reply.stop == "refusal":
        return {"role": "assistant", "content": None, "refusal": reply.text}
    if reply.tool:
        function = {"name": reply.tool, "arguments": reply.text}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        }
    return {"role": "assistant", "content": reply.text}


def _chat_usage(reply: Reply) -> dict[str, Any]:
    written = WRITTEN + reply.reasoning
    details = {"completion_tokens_details": {"reasoning_tokens": reply.reasoning}}
    cached = {"prompt_tokens_details": {"cached_tokens": 100}}
    return {
        "prompt_tokens": PROMPT,
        "completion_tokens": written,
        "total_tokens": PROMPT + written,
        **details,
        **cached,
    }


def _chat(reply: Reply) -> dict[str, Any]:
    choice = {"index": 0, "message": _chat_message(reply), "finish_reason": CHAT_STOP[reply.stop], "logprobs": None}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m"}
    return {**head, "choices": [choice], "usage": _chat_usage(reply)}


def _chat_events(reply: Reply, body: Mapping[str, Any]) -> list[str]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(delta: dict[str, Any], stop: str | None = None) -> str:
        return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": stop}]})

    key = "refusal" if reply.stop == "refusal" else "content"
    if reply.tool:
        calls = [{"index": 0, "id": "call_1", "type": "function", "function": {"name": reply.tool, "arguments": ""}}]
        pieces = [chunk({"tool_calls": calls})]
        pieces += [chunk({"tool_calls": [{"index": 0, "function": {"arguments": p}}]}) for p in _pieces(reply.text)]
    else:
        pieces = [chunk({key: piece}) for piece in _pieces(reply.text)]
    usage = (body.get("stream_options") or {}).get("include_usage")
    last = [_data({**head, "choices": [], "usage": _chat_usage(reply)})] if usage else []
    return [chunk({"role": "assistant"}), *pieces, chunk({}, CHAT_STOP[reply.stop]), *last, "data: [DONE]\n\n"]


# -- responses -------------------------------------------------------------------------


def _response(reply: Reply) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": reply.text, "annotations": []}
    if reply.stop == "refusal":
        part = {"type": "refusal", "refusal": reply.text}
    item: dict[str, Any] = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    if reply.tool:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": reply.tool, "arguments": reply.text}
    thought = [{"type": "reasoning", "id": "rs_1", "summary": []}] if reply.reasoning else []
    said = [] if reply.stop == "length" and not reply.text else [item]
    cut = reply.stop == "length"
    written = WRITTEN + reply.reasoning
    usage = {
        "input_tokens": PROMPT, "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 0},
        "output_tokens": written, "output_tokens_details": {"reasoning_tokens": reply.reasoning},
        "total_tokens": PROMPT + written,
    }  # fmt: skip
    return {
        "id": "resp_1", "object": "response", "created_at": 1.0, "model": "m", "output": [*thought, *said],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage, "error": None,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
    }  # fmt: skip


def _response_events(reply: Reply, _: Mapping[str, Any]) -> list[str]:
    whole = _response(reply)
    kind = f"response.{whole['status']}"
    started = {
        "type": "response.created",
        "sequence_number": 0,
        "response": {**whole, "output": [], "status": "in_progress"},
    }
    deltas = [
        {"type": "response.output_text.delta", "sequence_number": 1, "item_id": "msg_1", "output_index": 0,
         "content_index": 0, "delta": piece, "logprobs": []}
        for piece in _pieces(reply.text)
    ]  # fmt: skip
    ended = {"type": kind, "sequence_number": 2, "response": whole}
    return [_data(event, str(event["type"])) for event in (started, *deltas, ended)]


# -- messages --------------------------------------------------------------------------

CLAUDE_STOP = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal", "tool": "tool_use"}


def _arguments(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {"text": text}


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    thought = [{"type": "thinking", "thinking": "Let me see.", "signature": "s"}] if reply.reasoning else []
    if reply.tool:
        return [*thought, {"type": "tool_use", "id": "toolu_1", "name": reply.tool, "input": _arguments(reply.text)}]
    return [*thought, *([{"type": "text", "text": reply.text}] if reply.text else [])]


def _message(reply: Reply) -> dict[str, Any]:
    usage = {"input_tokens": PROMPT - 100, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 0}
    written = WRITTEN + reply.reasoning
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": _blocks(reply),
        "stop_reason": CLAUDE_STOP[reply.stop], "stop_sequence": None, "usage": {**usage, "output_tokens": written},
    }  # fmt: skip


def _message_events(reply: Reply, _: Mapping[str, Any]) -> list[str]:
    whole = _message(reply)
    start = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for at, block in enumerate(whole["content"]):
        events += _block_events(at, block, reply)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    written = {"output_tokens": whole["usage"]["output_tokens"], "input_tokens": None}
    events += [{"type": "message_delta", "delta": delta, "usage": written}, {"type": "message_stop"}]
    return [_data(event, str(event["type"])) for event in events]


def _block_events(at: int, block: dict[str, Any], reply: Reply) -> list[dict[str, Any]]:
    empty: dict[str, dict[str, Any]] = {
        "text": {"text": ""},
        "tool_use": {"input": {}},
        "thinking": {"thinking": "", "signature": ""},
    }
    form = {"text": ("text_delta", "text"), "tool_use": ("input_json_delta", "partial_json")}.get(block["type"])
    pieces = [{"type": form[0], form[1]: piece} for piece in _pieces(reply.text)] if form else []
    return [
        {"type": "content_block_start", "index": at, "content_block": {**block, **empty[block["type"]]}},
        *({"type": "content_block_delta", "index": at, "delta": piece} for piece in pieces),
        {"type": "content_block_stop", "index": at},
    ]


CHAT_ERROR = _data({"error": {"message": "Overloaded", "type": "server_error", "code": "server_error"}})
RESPONSE_ERROR = _data(
    {"type": "error", "code": "server_error", "message": "Overloaded", "param": None, "sequence_number": 1}, "error"
)
CLAUDE_ERROR = _data({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")

APIS: dict[str, Speech] = {
    "chat": Speech("/chat/completions", _chat, _chat_events, CHAT_ERROR),
    "responses": Speech("/responses", _response, _response_events, RESPONSE_ERROR),
    "messages": Speech("/messages", _message, _message_events, CLAUDE_ERROR),
}
