"""Whole replies of the SDKs, and what their streams accumulate, become legal request messages."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import Message as AnthropicMessage
from anthropic.types import MessageParam
from anthropic.types.beta import BetaMessage, BetaMessageParam
from anthropic.types.parsed_message import ParsedMessage
from openai.lib._parsing import parse_chat_completion
from openai.lib._parsing._responses import parse_response
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionMessage,
    ChatCompletionMessageParam,
    ParsedChatCompletion,
)
from openai.types.responses import Response, ResponseInputItemParam, ResponseReasoningItem
from pydantic import BaseModel, TypeAdapter

from context_kit.errors import InvalidMessageError
from context_kit.wire import Reported, read

Raw = dict[str, Any]

CHAT: TypeAdapter[Any] = TypeAdapter(ChatCompletionMessageParam)
ITEM: TypeAdapter[Any] = TypeAdapter(ResponseInputItemParam)
ANTHROPIC: TypeAdapter[Any] = TypeAdapter(MessageParam)
BETA: TypeAdapter[Any] = TypeAdapter(BetaMessageParam)


def exhaust(value: object) -> None:
    """Pydantic checks an Iterable only while it is read."""
    if isinstance(value, dict):
        for item in value.values():
            exhaust(item)
    elif isinstance(value, (list, Iterator)):
        for item in value:
            exhaust(item)


def require_legal(raw: Raw, adapter: TypeAdapter[Any]) -> None:
    exhaust(adapter.validate_python(raw))


def nulls(value: object, path: str = "") -> list[str]:
    if value is None:
        return [path]
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in nulls(item, f"{path}.{key}")]
    if isinstance(value, list):
        return [found for at, item in enumerate(value) for found in nulls(item, f"{path}[{at}]")]
    return []


class Answer(BaseModel):
    value: int


# -- chat ------------------------------------------------------------------------------------------------------------


def completion(**message: Any) -> Raw:
    return {
        "id": "r1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5.4",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "logprobs": None,
                "message": {"role": "assistant", "content": None, "refusal": None, **message},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107, "prompt_tokens_details": None},
    }


FUNCTION = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": null}'}}
CUSTOM = {"id": "c2", "type": "custom", "custom": {"name": "g", "input": "free"}}

CHATS: list[tuple[Raw, Raw]] = [
    (completion(content="hi", annotations=[], audio=None), {"role": "assistant", "content": "hi"}),
    (completion(tool_calls=[FUNCTION, CUSTOM]), {"role": "assistant", "tool_calls": [FUNCTION, CUSTOM]}),
    (
        completion(function_call={"name": "f", "arguments": "{}"}),
        {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
    ),
    (
        completion(audio={"id": "a1", "data": "AAAA", "expires_at": 9, "transcript": "hi"}),
        {"role": "assistant", "audio": {"id": "a1"}},
    ),
    (completion(refusal="no"), {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}),
    (completion(content="", tool_calls=[]), {"role": "assistant", "content": ""}),
    (
        completion(tool_calls=[FUNCTION], reasoning_content=""),
        {"role": "assistant", "tool_calls": [FUNCTION], "reasoning_content": ""},
    ),
    (
        completion(tool_calls=[{**FUNCTION, "function": {"name": "f", "arguments": None}}]),
        {"role": "assistant", "tool_calls": [{**FUNCTION, "function": {"name": "f", "arguments": "{}"}}]},
    ),
    (
        completion(tool_calls=[{**FUNCTION, "extra_content": {"google": {"thought_signature": "s"}}}]),
        {
            "role": "assistant",
            "tool_calls": [{**FUNCTION, "extra_content": {"google": {"thought_signature": "s"}}}],
        },
    ),
]


@pytest.mark.parametrize(("data", "raw"), CHATS)
def test_a_chat_completion_becomes_its_request_message(data: Raw, raw: Raw) -> None:
    """Object and dict give the same message, without nulls and response-only fields, and the reported usage."""
    before = copy.deepcopy(data)
    for value in (ChatCompletion.construct(**data), data):
        found = read(value)
        (message,) = found.messages
        assert message.raw == raw
        assert message.shape == "chat"
        assert found.usage == Reported(input_tokens=100, output_tokens=7, model="gpt-5.4")
        require_legal(message.raw, CHAT)
    assert data == before


def test_a_parsed_chat_completion_loses_its_parsed_fields() -> None:
    """`parsed` and `parsed_arguments` are the caller's, not the provider's."""
    data = completion(content='{"value": 3}', tool_calls=[FUNCTION])
    parsed: ParsedChatCompletion[Answer] = parse_chat_completion(
        chat_completion=ChatCompletion.construct(**data), response_format=Answer, input_tools=[]
    )
    (message,) = read(parsed).messages
    assert message.raw == {"role": "assistant", "content": '{"value": 3}', "tool_calls": [FUNCTION]}
    require_legal(message.raw, CHAT)


def chunk(delta: Raw, usage: Raw | None = None) -> ChatCompletionChunk:
    choices = [{"index": 0, "delta": delta, "finish_reason": None}] if usage is None else []
    return ChatCompletionChunk.construct(
        id="r1", object="chat.completion.chunk", created=1, model="m", choices=choices, usage=usage
    )


def test_an_accumulated_chat_stream_is_a_reply() -> None:
    """What the stream helper collects gives the same message as the whole reply; its `index` keys are gone."""
    state: ChatCompletionStreamState[None] = ChatCompletionStreamState()
    head = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}
    state.handle_chunk(chunk({"role": "assistant", "content": None, "tool_calls": [head]}))
    for text in ('{"a": ', "null}"):
        state.handle_chunk(chunk({"tool_calls": [{"index": 0, "function": {"arguments": text}}]}))
    last = chunk({})
    last.choices[0].finish_reason = "tool_calls"
    state.handle_chunk(last)
    state.handle_chunk(chunk({}, {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}))
    found = read(state.get_final_completion())
    assert found.messages[0].raw == {"role": "assistant", "tool_calls": [FUNCTION]}
    assert found.usage == Reported(input_tokens=5, output_tokens=2, model="m")
    require_legal(found.messages[0].raw, CHAT)


def test_a_reply_of_plain_attributes() -> None:
    """An object that has only attributes, as other clients make them, reads like the SDK's."""
    call = SimpleNamespace(id="c1", type="function", function=SimpleNamespace(name="f", arguments="{}"))
    message = SimpleNamespace(role="assistant", content=None, tool_calls=[call])
    reply = SimpleNamespace(
        choices=[SimpleNamespace(message=message)], model="m", usage=SimpleNamespace(prompt_tokens=5)
    )
    found = read(reply)
    assert found.messages[0].parts[0].name == "f"
    assert found.usage == Reported(input_tokens=5, model="m")


def test_what_is_not_sent_may_be_odd() -> None:
    """Log probabilities of minus infinity stand beside the message: they don't matter."""
    data = completion(content="a")
    data["choices"][0]["logprobs"] = {"content": [{"logprob": float("-inf")}]}
    assert read(ChatCompletion.construct(**data)).messages[0].raw == {"role": "assistant", "content": "a"}


def test_a_chunk_is_no_reply() -> None:
    """A single chunk of a stream is refused with advice."""
    with pytest.raises(InvalidMessageError, match="collect the stream"):
        read(chunk({"content": "x"}))


def test_a_chat_message_object_alone() -> None:
    """`choices[0].message` reads like the reply, but says nothing of usage."""
    found = read(ChatCompletionMessage(role="assistant", content="hi", tool_calls=None))
    assert found.messages[0].raw == {"role": "assistant", "content": "hi"}
    assert found.usage is None


def test_sdk_objects_inside_a_dict_become_dicts() -> None:
    """`tool_calls=reply.tool_calls` and `content=reply.content` are usual code, and legal."""
    reply = ChatCompletion.construct(**completion(tool_calls=[FUNCTION]))
    given = {"role": "assistant", "content": None, "tool_calls": reply.choices[0].message.tool_calls}
    (message,) = read(given).messages
    assert message.raw == {"role": "assistant", "content": None, "tool_calls": [FUNCTION]}
    answer = AnthropicMessage.construct(**anthropic([USE]))
    (message,) = read({"role": "assistant", "content": answer.content}).messages
    assert message.raw == {"role": "assistant", "content": [USE]}
    require_legal(message.raw, ANTHROPIC)


# -- anthropic -------------------------------------------------------------------------------------------------------

USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": None, "b": [None]}}
THINKING = {"type": "thinking", "thinking": "", "signature": "s"}
TEXT = {"type": "text", "text": "hi"}
CITED: Raw = {
    "type": "char_location",
    "cited_text": "q",
    "document_index": 0,
    "document_title": None,
    "start_char_index": 0,
    "end_char_index": 1,
}
SEARCH: list[Raw] = [
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [
            {"type": "web_search_result", "title": "t", "url": "u", "encrypted_content": "E", "page_age": None}
        ],
    },
]
COMPACTION = {"type": "compaction", "content": None, "encrypted_content": "E", "signature": "s"}


def anthropic(content: list[Raw], **usage: Any) -> Raw:
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-8",
        "content": content,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 80, **usage},
    }


REPLIES: list[tuple[list[Raw], list[Raw]]] = [
    ([{**TEXT, "citations": None}], [TEXT]),
    ([THINKING, {"type": "text", "text": " "}, {**USE, "caller": None}], [THINKING, USE]),
    ([*SEARCH, {**TEXT, "citations": [{**CITED, "file_id": None}]}], [*SEARCH, {**TEXT, "citations": [CITED]}]),
    ([{"type": "redacted_thinking", "data": "d"}, TEXT], [{"type": "redacted_thinking", "data": "d"}, TEXT]),
    ([], []),
]


@pytest.mark.parametrize(("content", "kept"), REPLIES)
def test_an_anthropic_reply_becomes_its_request_message(content: list[Raw], kept: list[Raw]) -> None:
    """Role and content stay; nulls of known fields and empty texts go; tool inputs keep every null."""
    data = anthropic(content, cache_creation_input_tokens=None)
    for value in (AnthropicMessage.construct(**data), BetaMessage.construct(**data), data):
        found = read(value)
        (message,) = found.messages
        assert message.raw == {"role": "assistant", "content": kept}
        assert message.shape == "anthropic"
        assert found.usage == Reported(input_tokens=90, output_tokens=5, model="claude-opus-4-8")
        require_legal(message.raw, ANTHROPIC)
        require_legal(message.raw, BETA)


def test_a_compaction_block_is_never_touched() -> None:
    """A signed block goes back with its nulls; beta blocks keep their wire names."""
    fallback = {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}, "trigger": {"type": "refusal"}}
    data = anthropic([COMPACTION, fallback])
    (message,) = read(BetaMessage.construct(**data)).messages
    assert message.raw["content"] == [COMPACTION, fallback]
    require_legal({**message.raw, "content": [COMPACTION]}, BETA)


def test_an_unknown_block_of_a_reply_is_kept() -> None:
    """A block type that this SDK doesn't know keeps its keys and nulls."""
    new = {"type": "block_of_tomorrow", "x": None, "y": {"z": None}}
    assert read(AnthropicMessage.construct(**anthropic([new]))).messages[0].raw["content"] == [new]


def test_a_parsed_anthropic_message_loses_its_parsed_output() -> None:
    """`parsed_output` is the caller's, not the provider's."""
    message = ParsedMessage.construct(**anthropic([TEXT]))
    message.content[0].parsed_output = Answer(value=1)  # type: ignore[union-attr] # built as a text block
    assert read(message).messages[0].raw == {"role": "assistant", "content": [TEXT]}


def test_an_accumulated_anthropic_stream_is_a_reply() -> None:
    """What the stream helper collects gives thinking, signature and input as they were sent."""
    start = {**anthropic([]), "stop_reason": None}
    events: list[Raw] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {**THINKING, "signature": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}},
        {"type": "content_block_start", "index": 1, "content_block": {**USE, "input": {}}},
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": '{"a": null, "b": [null]}'},
        },
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 9},
        },
    ]
    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for event in events:
        snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)  # type: ignore[arg-type]
    found = read(snapshot)
    assert found.messages[0].raw == {"role": "assistant", "content": [THINKING, USE]}
    assert found.usage == Reported(input_tokens=90, output_tokens=9, model="claude-opus-4-8")
    require_legal(found.messages[0].raw, ANTHROPIC)


# -- responses -------------------------------------------------------------------------------------------------------

MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "phase": "final_answer",
    "content": [{"type": "output_text", "text": "hi", "annotations": []}],
}
REASONING: Raw = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E"}
FCALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "f",
    "arguments": '{"a": null}',
    "status": "completed",
}
ITEMS: list[Raw] = [
    REASONING,
    FCALL,
    {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c2", "name": "g", "input": "free"},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"}},
    {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "code": None,
        "container_id": "k",
        "outputs": None,
        "status": "completed",
    },
    {"type": "image_generation_call", "id": "ig_1", "result": None, "status": "failed"},
    {
        "type": "local_shell_call",
        "id": "ls_1",
        "call_id": "c3",
        "status": "completed",
        "action": {"type": "exec", "command": ["ls"], "env": {}},
    },
    {"type": "mcp_call", "id": "mcp_1", "name": "f", "server_label": "s", "arguments": "{}", "output": "out"},
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "E"},
    MESSAGE,
]


def response(output: list[Raw], **keys: Any) -> Raw:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1.0,
        "model": "gpt-5.4",
        "status": "completed",
        "output": output,
        "previous_response_id": None,
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 90},
            "output_tokens": 7,
            "total_tokens": 107,
        },
        **keys,
    }


def with_nulls(item: Raw) -> Raw:
    extra = {"reasoning": {"content": None, "status": None}, "mcp_call": {"error": None, "approval_request_id": None}}
    return {**item, **extra.get(item["type"], {}), "created_by": None}


def test_a_response_becomes_its_items() -> None:
    """Each output item is a message; the first one starts the step; every one is a legal input item."""
    data = response([with_nulls(item) for item in ITEMS])
    for value in (Response.construct(**data), data):
        found = read(value)
        assert [message.raw for message in found.messages] == ITEMS
        assert [message.starts for message in found.messages] == [True] + [False] * (len(ITEMS) - 1)
        assert {message.shape for message in found.messages} == {"responses"}
        assert found.usage == Reported(input_tokens=100, output_tokens=7, model="gpt-5.4")
        for message in found.messages:
            require_legal(message.raw, ITEM)
            assert set(nulls(message.raw)) <= {".code", ".outputs", ".result"}


def test_a_parsed_response_loses_its_parsed_fields() -> None:
    """`parsed` and `parsed_arguments` are gone, the rest is as it was sent."""
    text = {**MESSAGE, "content": [{"type": "output_text", "text": '{"value": 3}', "annotations": []}]}
    plain = Response.construct(**response([FCALL, text]))
    parsed = parse_response(text_format=Answer, input_tools=[], response=plain)
    found = read(parsed)
    assert [message.raw for message in found.messages] == [FCALL, text]
    for message in found.messages:
        require_legal(message.raw, ITEM)


def test_a_compact_endpoint_reply_is_kept_whole_and_says_nothing_of_size() -> None:
    """`responses.compact` gives user messages and a compaction item; its usage is not a window's."""
    items: list[Raw] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "compaction", "id": "c", "encrypted_content": "E"},
    ]
    found = read(response(items, object="response.compaction"))
    assert [message.raw for message in found.messages] == items
    assert found.usage is None


def test_a_single_item_object() -> None:
    """One item of a response is read by itself, without its nulls."""
    item = ResponseReasoningItem(
        id="rs_1", type="reasoning", summary=[], content=None, encrypted_content="E", status=None
    )
    (message,) = read(item).messages
    assert message.raw == REASONING
    require_legal(message.raw, ITEM)


# -- usage -----------------------------------------------------------------------------------------------------------

USAGES: list[tuple[Raw, int | None]] = [
    (completion(content="a") | {"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 8}}}, 9),
    (completion(content="a") | {"usage": None}, None),
    (completion(content="a") | {"usage": {"prompt_tokens": 0}}, None),
    (completion(content="a") | {"usage": {"prompt_tokens": None}}, None),
    (completion(content="a") | {"usage": {"prompt_tokens": True}}, None),
    (completion(content="a") | {"usage": {"prompt_tokens": "9"}}, None),
    (completion(content="a") | {"usage": {"input_tokens": 9}}, None),
    (anthropic([TEXT], cache_creation_input_tokens=7), 97),
    (anthropic([TEXT], input_tokens=0, cache_read_input_tokens=0), None),
    (
        anthropic(
            [TEXT],
            iterations=[
                {"type": "message", "input_tokens": 1, "output_tokens": 1},
                {"type": "message", "input_tokens": 2, "cache_read_input_tokens": 40, "output_tokens": 3},
                {"type": "compaction", "input_tokens": 5, "output_tokens": 1},
            ],
        ),
        42,
    ),
    (anthropic([TEXT], iterations=[{"type": "compaction", "input_tokens": 5}]), 90),
    (response([MESSAGE]), 100),
    (response([MESSAGE], usage=None), None),
]


@pytest.mark.parametrize(("reply", "tokens"), USAGES)
def test_usage_is_read_by_shape(reply: Raw, tokens: int | None) -> None:
    """All of the input counts, cached or not; the last message pass where there are several; nothing from nothing."""
    usage = read(reply).usage
    assert (usage.input_tokens if usage else None) == tokens
