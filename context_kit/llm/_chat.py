"""OpenAI chat completions, and every server that speaks them (openai 3.57 `completion_create_params`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from context_kit.llm._api import Api, Body, Mode, ReplyError, Said, joined, mapping, refused_in
from context_kit.llm._prompt import tool_words
from context_kit.llm._schema import TOOL, TOOL_WORDS, strict
from context_kit.llm._usage import chat_usage
from context_kit.types import SummaryRequest

__all__ = ["CHAT"]

REASONING_KEYS = ("reasoning_content", "reasoning")
"""Where other servers put reasoning that they show."""
THOUGHT = "<think>"


def _cold(request: SummaryRequest) -> Body:
    return {
        "messages": [
            {"role": "system", "content": request.instructions},
            {"role": "user", "content": request.transcript},
        ]
    }


def _warm(request: SummaryRequest, ask: str, system: Any) -> Body:
    head = [{"role": "system", "content": system}] if system else []
    return {"messages": [*head, *request.messages, {"role": "user", "content": ask}]}


def _schema(body: Body, request: SummaryRequest) -> None:
    form = {"name": "record", "strict": True, "schema": strict(request.schema)}
    body["response_format"] = {"type": "json_schema", "json_schema": form}


def _json(body: Body, _: SummaryRequest) -> None:
    body["response_format"] = {"type": "json_object"}


def _tool(body: Body, request: SummaryRequest) -> None:
    tool = {"name": TOOL, "description": TOOL_WORDS, "parameters": strict(request.schema)}
    body["tools"] = [{"type": "function", "function": tool}]
    body["tool_choice"] = "auto"
    body["messages"][-1]["content"] += tool_words(request.language)


def _text(_: Body, __: SummaryRequest) -> None:
    pass


def _read(reply: Mapping[str, Any]) -> Said:
    choices = reply.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise refused_in(reply, "chat completion")
    usage = chat_usage(reply.get("usage"))
    text = joined(message.get("content"))
    stop = choice.get("finish_reason")
    reasoned = any(message.get(key) for key in REASONING_KEYS) or text.lstrip().startswith(THOUGHT)
    return Said(
        text=text,
        stop="length" if stop == "model_length" else stop,
        refused=bool(message.get("refusal")) or stop == "content_filter",
        calls=tuple(_calls(message.get("tool_calls"))),
        usage=usage,
        reasoned=reasoned or bool((usage or {}).get("reasoning_tokens")),
    )


def _calls(calls: object) -> list[tuple[str, str]]:
    made = [mapping(mapping(call).get("function")) for call in (calls if isinstance(calls, list) else ())]
    return [(str(call.get("name") or ""), str(call.get("arguments") or "")) for call in made]


class _Chunks:
    """Deltas of one choice, put together."""

    def __init__(self) -> None:
        self.message: dict[str, Any] = {"content": "", "tool_calls": []}
        self.stop: Any = None
        self.usage: Any = None

    def add(self, chunk: Mapping[str, Any], /) -> None:
        if chunk.get("error"):
            raise refused_in(chunk, "chunk")
        self.usage = chunk.get("usage") or self.usage
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if mapping(choice).get("index", 0) == 0:
                self._delta(mapping(mapping(choice).get("delta")))
                self.stop = mapping(choice).get("finish_reason") or self.stop

    def _delta(self, delta: Mapping[str, Any]) -> None:
        for key in ("content", "refusal", *REASONING_KEYS):
            if isinstance(delta.get(key), str):
                self.message[key] = (self.message.get(key) or "") + delta[key]
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            self._call(mapping(call))

    def _call(self, call: Mapping[str, Any]) -> None:
        calls, at = self.message["tool_calls"], call.get("index", 0)
        while len(calls) <= at:
            calls.append({"function": {"name": "", "arguments": ""}})
        function = mapping(call.get("function"))
        for key in ("name", "arguments"):
            calls[at]["function"][key] += function.get(key) or ""

    def whole(self) -> dict[str, Any]:
        if self.stop is None:
            msg = "the stream ended before the reply did: no finish_reason came"
            raise ReplyError(msg)
        return {"choices": [{"message": self.message, "finish_reason": self.stop}], "usage": self.usage}


CHAT = Api(
    name="chat",
    path=("chat", "completions"),
    shape="chat",
    cold=_cold,
    warm=_warm,
    modes=(
        Mode("schema", ("response_format", "json_schema", "structured output", "additionalproperties"), _schema),
        Mode("json", ("response_format", "json_object", "json mode"), _json),
        Mode("tool", ("tool", "function"), _tool),
        Mode("text", (), _text),
    ),
    limits=("max_completion_tokens", "max_tokens"),
    defaults={},
    aside=frozenset({"system", "tools", "tool_choice", "parallel_tool_calls", "response_format", "functions"}),
    read=_read,
    fold=_Chunks,
    streaming=({"stream": True, "stream_options": {"include_usage": True}}, {"stream": True}),
)
