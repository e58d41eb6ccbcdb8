"""What can never be legal is refused by the name of the field; anything else is taken."""

from __future__ import annotations

import enum
from collections import OrderedDict
from collections.abc import Iterator
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from context_kit.errors import InvalidMessageError
from context_kit.wire import read


def nested(levels: int) -> dict[str, Any]:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return {"role": "user", "content": [{"type": "new", "deep": value}]}


def cyclic() -> dict[str, Any]:
    loop: list[Any] = []
    loop.append(loop)
    return {"role": "user", "content": loop}


def assistant(**keys: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, **keys}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def call(**keys: Any) -> dict[str, Any]:
    return assistant(tool_calls=[{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}, **keys}])


TEXT = {"type": "text", "text": "a"}
USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}

REFUSED: list[tuple[Any, str]] = [
    ({}, "role"),
    ({"content": "a"}, "role"),
    ({"role": None, "content": "a"}, "role"),
    ({"role": "model", "content": "a"}, "role"),
    ({"role": ["user"], "content": "a"}, "role"),
    ({"type": "message", "content": "a"}, "role"),
    (TEXT, "role"),
    ({"type": "user", "message": {}}, "type"),
    ({"type": "response.output_text.delta", "delta": "x"}, "type"),
    ({"type": "content_block_delta", "delta": {}}, "type"),
    ({"role": "user"}, "content"),
    ({"role": "user", "content": None}, "content"),
    ({"role": "user", "content": 3}, "content"),
    ({"role": "user", "content": {"type": "text", "text": "a"}}, "content"),
    ({"role": "assistant", "content": None}, "content"),
    ({"role": "assistant", "content": None, "tool_calls": []}, "content"),
    ({"role": "tool", "tool_call_id": "c", "content": None}, "content"),
    ({"role": "tool", "content": "a"}, "tool_call_id"),
    ({"role": "tool", "tool_call_id": "", "content": "a"}, "tool_call_id"),
    ({"role": "function", "content": "a"}, "name"),
    (user(TEXT, "bare string"), "content[1]"),
    (user(TEXT, None), "content[1]"),
    (user(TEXT, {"text": "no type"}), "content[1].type"),
    (user(TEXT, {"type": 3}), "content[1].type"),
    (user(TEXT, TEXT, {"type": "text", "text": None}), "content[2].text"),
    (user({"type": "text"}), "content[0].text"),
    ({"role": "assistant", "content": [{"type": "thinking", "signature": "s"}]}, "content[0].thinking"),
    ({"role": "assistant", "content": [{**USE, "id": None}]}, "content[0].id"),
    ({"role": "assistant", "content": [{**USE, "name": ""}]}, "content[0].name"),
    ({"role": "assistant", "content": [{**USE, "input": "{}"}]}, "content[0].input"),
    ({"role": "assistant", "content": [USE, USE]}, "content[1].id"),
    (user(USE), "content[0].type"),
    (user({"type": "tool_result", "content": "a"}), "content[0].tool_use_id"),
    (user({"type": "tool_result", "tool_use_id": "t", "content": 3}), "content[0].content"),
    (user({"type": "tool_result", "tool_use_id": "t", "content": ["a"]}), "content[0].content[0]"),
    ({"role": "assistant", "content": [{"type": "tool_result", "tool_use_id": "t"}]}, "content[0].type"),
    (assistant(tool_calls={}), "tool_calls"),
    (assistant(tool_calls=[None]), "tool_calls[0]"),
    (call(id=None), "tool_calls[0].id"),
    (call(id=""), "tool_calls[0].id"),
    (call(function=None), "tool_calls[0].function"),
    (call(function={"arguments": "{}"}), "tool_calls[0].function.name"),
    (call(function={"name": "f", "arguments": {"a": 1}}), "tool_calls[0].function.arguments"),
    (call(function={"name": "f"}), "tool_calls[0].function.arguments"),
    (call(type="custom"), "tool_calls[0].custom"),
    (assistant(tool_calls=[call()["tool_calls"][0]] * 2), "tool_calls[1].id"),
    (assistant(function_call={"arguments": "{}"}), "function_call.name"),
    (assistant(function_call="f"), "function_call"),
    ({"type": "function_call", "name": "f", "arguments": "{}"}, "call_id"),
    ({"type": "function_call", "call_id": "c", "arguments": "{}"}, "name"),
    ({"type": "function_call", "call_id": "c", "name": "f"}, "arguments"),
    ({"type": "function_call_output", "output": "a"}, "call_id"),
    ({"type": "function_call_output", "call_id": "c"}, "output"),
    ({"type": "shell_call_output", "call_id": "c", "output": "a"}, "output"),
    ({"type": "computer_call_output", "call_id": "c", "output": "a"}, "output"),
    ({"type": "reasoning", "summary": "a"}, "summary"),
    ({"choices": []}, "choices"),
    ({"choices": [{"message": {}}, {"message": {}}]}, "choices"),
    ({"choices": [{"delta": {"content": "x"}}]}, "choices[0].message"),
    ({"object": "chat.completion.chunk", "choices": [{"delta": {}}]}, "object"),
    ({"object": "response", "output": None}, "output"),
    ({"object": "response", "output": [3]}, "output[0]"),
    ({"object": "response", "output": [], "status": "failed"}, "status"),
    ({"object": "response", "output": [], "previous_response_id": "r"}, "previous_response_id"),
    ({"object": "response", "output": [], "conversation": {"id": "c"}}, "conversation"),
    ({"role": "user", "content": [{"type": "new", "x": [1, b"a"]}]}, "content[0].x[1]"),
    ({"role": "user", "content": "a", "at": datetime(2026, 1, 1, tzinfo=timezone.utc)}, "at"),
    ({"role": "user", "content": "a", "tags": {"a"}}, "tags"),
    ({"role": "user", "content": "a", "n": float("nan")}, "n"),
    ({"role": "user", "content": "a", "n": 10**5000}, "n"),
    ({"role": "user", "content": "a", 3: "x"}, "message"),
    ({"role": "user", "content": "a", "x": {None: 1}}, "x"),
    ("hello", "message"),
    (b"hello", "message"),
    (10**5000, "message"),
    (None, "message"),
    ([{"role": "user", "content": "a"}], "message"),
    (object(), "message"),
    (iter("abc"), "message"),
    (SimpleNamespace(get_final_message=len), "message"),
    (SimpleNamespace(model_dump=lambda **_: "text"), "message"),
    (SimpleNamespace(a=1), "message"),
    (dict, "message"),
]


@pytest.mark.parametrize(("value", "field"), REFUSED, ids=[f"{n}-{row[1]}" for n, row in enumerate(REFUSED)])
def test_what_no_provider_takes_is_refused_by_its_field(value: Any, field: str) -> None:
    """The error names the field, and what to do follows a colon."""
    with pytest.raises(InvalidMessageError) as caught:
        read(value)
    assert caught.value.field == field
    assert ": " in str(caught.value).removeprefix(f"{field}: ")


def test_depth_is_bounded() -> None:
    """Deep nesting and cycles are refused, not a crash; a usual depth is fine."""
    assert read(nested(150)).messages
    for value in (nested(250), nested(100_000), cyclic()):
        with pytest.raises(InvalidMessageError, match="nested"):
            read(value)


def test_a_stream_is_refused_with_advice() -> None:
    """The refusal of a stream names the calls that collect it."""

    def stream() -> Iterator[str]:
        yield "x"

    with pytest.raises(InvalidMessageError, match=r"get_final_message\(\)"):
        read(stream())


def test_an_unawaited_reply_is_refused_with_advice() -> None:
    """A coroutine in place of a reply is met with `await`."""

    async def create() -> None: ...

    waiting = create()
    with pytest.raises(InvalidMessageError, match="await"):
        read(waiting)
    waiting.close()


def test_a_dump_that_raises_is_refused() -> None:
    """An object whose own dump fails is refused, with its error as the cause."""

    class Broken:
        def model_dump(self, **_: Any) -> dict[str, Any]:
            raise RuntimeError("boom")

    with pytest.raises(InvalidMessageError, match="RuntimeError") as caught:
        read(Broken())
    assert isinstance(caught.value.__cause__, RuntimeError)


class Colour(str, enum.Enum):
    RED = "red"


ACCEPTED: list[tuple[Any, dict[str, Any]]] = [
    (OrderedDict(role="user", content="a"), {"role": "user", "content": "a"}),
    ({"role": "user", "content": (TEXT,)}, {"role": "user", "content": [TEXT]}),
    ({"role": "user", "content": Colour.RED}, {"role": "user", "content": "red"}),
    ({"role": "user", "content": "\ud83d"}, {"role": "user", "content": "\ud83d"}),
    ({"role": "user", "content": "", "": None}, {"role": "user", "content": "", "": None}),
    (SimpleNamespace(role="user", content="a", _x=1), {"role": "user", "content": "a"}),
    (SimpleNamespace(to_dict=lambda: {"role": "user", "content": "a"}), {"role": "user", "content": "a"}),
]


@pytest.mark.parametrize(("value", "raw"), ACCEPTED)
def test_odd_but_sendable_values_are_taken(value: Any, raw: dict[str, Any]) -> None:
    """Mappings, tuples, string enums, lone surrogates and plain objects become plain JSON."""
    (message,) = read(value).messages
    assert message.raw == raw
    assert type(message.raw["content"]) in (str, list)
