"""Anthropic messages (anthropic 2.14 `message_create_params`), and servers that speak them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from context_kit.llm._api import Api, Body, Mode, ReplyError, Said, joined, mapping, refused_in
from context_kit.llm._prompt import tool_words
from context_kit.llm._schema import TOOL, TOOL_WORDS, strict
from context_kit.llm._usage import claude_usage
from context_kit.types import SummaryRequest

__all__ = ["CLAUDE"]

THINKING = ("thinking", "redacted_thinking")


def _cold(request: SummaryRequest) -> Body:
    return {"system": request.instructions, "messages": [{"role": "user", "content": request.transcript}]}


def _warm(request: SummaryRequest, ask: str, system: Any) -> Body:
    head = {"system": system} if system else {}
    return {**head, "messages": [*request.messages, {"role": "user", "content": ask}]}


def _schema(body: Body, request: SummaryRequest) -> None:
    form = {"type": "json_schema", "schema": strict(request.schema)}
    body["output_config"] = {**body.get("output_config", {}), "format": form}


def _tool(body: Body, request: SummaryRequest) -> None:
    body["tools"] = [{"name": TOOL, "description": TOOL_WORDS, "input_schema": strict(request.schema)}]
    body["tool_choice"] = {"type": "auto"}
    body["messages"][-1]["content"] += tool_words(request.language)


def _text(_: Body, __: SummaryRequest) -> None:
    pass


def _read(reply: Mapping[str, Any]) -> Said:
    content = reply.get("content")
    if not isinstance(content, list):
        raise refused_in(reply, "message")
    blocks = [mapping(block) for block in content]
    usage = claude_usage(reply.get("usage"))
    stop = reply.get("stop_reason")
    return Said(
        text=joined([block for block in blocks if block.get("type") == "text"]),
        stop=stop,
        refused=stop == "refusal",
        calls=tuple(
            (str(block.get("name") or ""), json.dumps(block.get("input"), ensure_ascii=False))
            for block in blocks
            if block.get("type") == "tool_use"
        ),
        usage=usage,
        reasoned=any(block.get("type") in THINKING for block in blocks) or bool((usage or {}).get("reasoning_tokens")),
    )


class _Events:
    """Blocks opened, filled and closed; a count that a later delta leaves out stays (wire-facts 4.1)."""

    def __init__(self) -> None:
        self.blocks: list[dict[str, Any]] = []
        self.inputs: list[str] = []
        self.stop: Any = None
        self.usage: dict[str, Any] = {}
        self.open = False
        self.ended = False

    def add(self, chunk: Mapping[str, Any], /) -> None:
        kind = chunk.get("type")
        if kind == "error":
            raise refused_in(chunk, "message")
        if kind == "message_start":
            self._count(mapping(chunk.get("message")).get("usage"))
        elif kind == "content_block_start":
            self.blocks.append(dict(mapping(chunk.get("content_block"))))
            self.inputs.append("")
            self.open = True
        elif kind == "content_block_delta":
            self._delta(mapping(chunk.get("delta")))
        elif kind == "content_block_stop":
            self.open = False
        elif kind == "message_delta":
            self.stop = mapping(chunk.get("delta")).get("stop_reason") or self.stop
            self._count(chunk.get("usage"))
        elif kind == "message_stop":
            self.ended = True

    def _count(self, usage: object) -> None:
        self.usage.update({key: value for key, value in mapping(usage).items() if value is not None})

    def _delta(self, delta: Mapping[str, Any]) -> None:
        if not self.open:
            msg = "the stream is damaged: a piece of text came outside of any block"
            raise ReplyError(msg)
        block = self.blocks[-1]
        if isinstance(delta.get("text"), str):
            block["text"] = block.get("text", "") + delta["text"]
        if isinstance(delta.get("partial_json"), str):
            self.inputs[-1] += delta["partial_json"]

    def whole(self) -> dict[str, Any]:
        if not self.ended or self.open:
            msg = "the stream ended before the reply did: no message_stop came"
            raise ReplyError(msg)
        for block, words in zip(self.blocks, self.inputs, strict=True):
            if words:
                block["input"] = _arguments(words)
        return {"content": self.blocks, "stop_reason": self.stop, "usage": self.usage}


def _arguments(words: str) -> Any:
    try:
        return json.loads(words)
    except ValueError:
        return words


CLAUDE = Api(
    name="messages",
    path=("messages",),
    shape="anthropic",
    cold=_cold,
    warm=_warm,
    modes=(
        Mode("schema", ("output_config", "output_format", "json_schema", "structured output"), _schema),
        Mode("tool", ("tool",), _tool),
        Mode("text", (), _text),
    ),
    limits=("max_tokens",),
    defaults={},
    aside=frozenset({"system", "tools", "tool_choice"}),
    read=_read,
    fold=_Events,
    streaming=({"stream": True},),
)
