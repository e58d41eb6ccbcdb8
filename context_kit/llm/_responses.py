"""OpenAI Responses (openai 3.57 `response_create_params`); nothing is stored on the server unless an option says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from context_kit.llm._api import Api, Body, Mode, ReplyError, Said, joined, mapping, refused_in
from context_kit.llm._prompt import tool_words
from context_kit.llm._schema import TOOL, TOOL_WORDS, strict
from context_kit.llm._usage import responses_usage
from context_kit.types import SummaryRequest

__all__ = ["RESPONSES"]

ENDS = ("response.completed", "response.incomplete", "response.failed")


def _cold(request: SummaryRequest) -> Body:
    asked = [{"role": "user", "content": request.transcript}]
    return {"instructions": request.instructions, "input": asked}


def _warm(request: SummaryRequest, ask: str, system: Any) -> Body:
    head = {"instructions": system} if system else {}
    return {**head, "input": [*request.messages, {"role": "user", "content": ask}]}


def _schema(body: Body, request: SummaryRequest) -> None:
    form = {"type": "json_schema", "name": "record", "strict": True, "schema": strict(request.schema)}
    body["text"] = {**body.get("text", {}), "format": form}


def _json(body: Body, request: SummaryRequest) -> None:
    body["text"] = {**body.get("text", {}), "format": {"type": "json_object"}}
    # JSON mode wants the word in the input, and the instructions don't count (OpenAI's guide to structured outputs).
    body["input"][-1]["content"] += "\nJSON:" if "json" not in request.transcript.lower() else ""


def _tool(body: Body, request: SummaryRequest) -> None:
    tool = {"type": "function", "name": TOOL, "description": TOOL_WORDS, "strict": True}
    body["tools"] = [{**tool, "parameters": strict(request.schema)}]
    body["tool_choice"] = "auto"
    body["input"][-1]["content"] += tool_words(request.language)


def _text(_: Body, __: SummaryRequest) -> None:
    pass


def _read(reply: Mapping[str, Any]) -> Said:
    output, status = reply.get("output"), reply.get("status")
    if status in ("failed", "cancelled") or not isinstance(output, list):
        raise refused_in(reply, "response")
    items = [mapping(item) for item in output]
    parts = list(_parts(items))
    usage = responses_usage(reply.get("usage"))
    reason = mapping(reply.get("incomplete_details")).get("reason")
    stop = {"max_output_tokens": "max_tokens", None: None}.get(reason, str(reason)) if status == "incomplete" else None
    return Said(
        text="".join(joined([part]) for part in parts),
        stop=stop,
        refused=stop == "content_filter" or any(part.get("type") == "refusal" for part in parts),
        calls=tuple(
            (str(item.get("name") or ""), str(item.get("arguments") or ""))
            for item in items
            if item.get("type") == "function_call"
        ),
        usage=usage,
        reasoned=any(item.get("type") == "reasoning" for item in items) or bool((usage or {}).get("reasoning_tokens")),
    )


def _parts(items: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for item in items:
        content = item.get("content") if item.get("type") == "message" else None
        yield from (mapping(part) for part in (content if isinstance(content, list) else ()))


class _Events:
    """The last event holds the whole reply; errors come as ordinary events (wire-facts 5)."""

    def __init__(self) -> None:
        self.reply: Mapping[str, Any] | None = None

    def add(self, chunk: Mapping[str, Any], /) -> None:
        kind = chunk.get("type")
        if kind == "error":
            told = {"error": {"message": chunk.get("message"), "type": chunk.get("code") or "error"}}
            raise refused_in(told, "response")
        if kind in ENDS and isinstance(chunk.get("response"), Mapping):
            self.reply = chunk["response"]

    def whole(self) -> Mapping[str, Any]:
        if self.reply is None:
            msg = "the stream ended before the reply did: no response.completed came"
            raise ReplyError(msg)
        return self.reply


RESPONSES = Api(
    name="responses",
    path=("responses",),
    shape="responses",
    cold=_cold,
    warm=_warm,
    modes=(
        Mode("schema", ("text.format", "json_schema", "structured output", "additionalproperties", "'text'"), _schema),
        Mode("json", ("text.format", "json_object", "json mode", "'text'"), _json),
        Mode("tool", ("tool", "function"), _tool),
        Mode("text", (), _text),
    ),
    limits=("max_output_tokens",),
    defaults={"store": False},
    aside=frozenset({"system", "instructions", "tools", "tool_choice", "parallel_tool_calls"}),
    read=_read,
    fold=_Events,
    streaming=({"stream": True},),
)
