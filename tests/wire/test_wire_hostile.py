"""Objects that raise, lie, share or never end are refused by a field, in bounded time; what could never be sent, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks._hostile import HOSTILE, VAST, Closed, Dumps, Fussy, Odd, Raising, Text, nested, shared
from context_kit import ContextManager, InvalidMessageError
from context_kit.testing import Call, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import faults, read


def wrapped(value: Any) -> Message:
    return {"role": "user", "content": [{"type": "new", "deep": value}]}


def endless() -> Mapping[str, Any]:
    return Odd("endless", {"type": "new"})


OBJECTS: Mapping[str, Callable[[], Any]] = {
    "closed": Closed,
    "shared": shared,
    "endless": endless,
    "raising": lambda: Raising(type="text"),
    "lies": lambda: Odd("items", {"a": 1}),
    "more": lambda: Odd("more", {"a": 1}),
    "dump raises": lambda: Dumps(lambda: int("x")),
    "attribute raises": lambda: SimpleNamespace(role=Closed()),
    "deep list": lambda: nested("list"),
    "deep dict": lambda: nested("dict"),
    "deep object": lambda: nested("object"),
    "key": lambda: {Text("a"): 1},
}


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_that_can_not_be_read_is_refused_at_its_place(name: str) -> None:
    """Within a message the path leads to it, shortened where it is long, and the text says what to give instead."""
    with pytest.raises(InvalidMessageError) as caught:
        read(wrapped(OBJECTS[name]()))
    assert caught.value.field.startswith("content[0].deep") or name == "shared"
    assert len(str(caught.value)) < 600
    assert ": " in str(caught.value).removeprefix(f"{caught.value.field}: ")


@pytest.mark.parametrize("name", ["closed", "endless", "raising", "lies", "more", "dump raises", "deep object"])
def test_it_is_refused_as_the_message_itself(name: str) -> None:
    """Nothing that the object raises reaches the caller as it is."""
    with pytest.raises(InvalidMessageError):
        read(OBJECTS[name]())
    with pytest.raises(InvalidMessageError, match="message"):
        read(Fussy())


@pytest.mark.parametrize("key", ["choices", "output", "usage", "status", "object", "stop_reason", "type", "role"])
def test_no_key_of_a_reply_lets_an_error_through(key: str) -> None:
    """Whatever stands at a key that is read: read, or refused as a message."""
    reply = {"object": "response", "status": "completed", "output": [], "usage": {"input_tokens": 5}}
    fields: list[str] = []
    for make in (*HOSTILE, *VAST):
        try:
            read({**reply, key: make()})
        except InvalidMessageError as error:
            fields.append(error.field)
    assert "" not in fields


def test_a_mapping_of_any_kind_is_read() -> None:
    """What does its work as a mapping is a message."""
    given = Odd("plain", {"role": "user", "content": Odd("plain", {"a": 1})})
    with pytest.raises(InvalidMessageError, match="content"):
        read(given)
    assert read(Odd("plain", {"role": "user", "content": "hi"})).messages[0].raw == {"role": "user", "content": "hi"}


@pytest.mark.parametrize("count", [10**5_000, 2**60, -1], ids=["giant", "large", "negative"])
def test_a_count_that_is_none_is_ignored(count: int, tmp_path: Any) -> None:
    """Usage beyond any number of JSON never reaches the file; the reply is kept."""
    reply = {"object": "response", "output": [], "usage": {"input_tokens": count, "output_tokens": count}}
    ctx = ContextManager(8_000, store=tmp_path)
    ctx.add([user("hi"), {**reply, "output": [{"type": "message", "role": "assistant", "content": "Hello."}]}])
    ctx.record_usage(input_tokens=abs(count), output_tokens=abs(count))
    assert ctx.usage.tokens < 100
    assert len(ctx.messages) == 2
    ctx.close()


LONE: list[tuple[Shape, Message, str]] = [
    ("chat", {"role": "user", "content": []}, "content"),
    ("chat", {"role": "system", "content": []}, "content"),
    ("chat", {"role": "assistant", "content": []}, "content"),
    ("responses", {"role": "assistant", "type": "message", "content": []}, "content"),
    ("anthropic", {"role": "user", "content": []}, "content"),
    ("anthropic", {"role": "user", "content": [{"type": "thinking", "thinking": "x", "signature": "s"}]}, "content[0]"),
    (
        "anthropic",
        {"role": "user", "content": [{"type": "web_search_tool_result", "tool_use_id": "s", "content": []}]},
        "content[0]",
    ),
    ("responses", {"type": "compaction"}, "encrypted_content"),
    (
        "responses",
        {"type": "mcp_approval_response", "approval_request_id": "x", "approve": True},
        "approval_request_id",
    ),
    ("responses", {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"}, "call_id"),
]


def opened(shape: Shape) -> ContextManager:
    """A session of a shape in which a call waits."""
    ctx = ContextManager(8_000)
    ctx.add([user("hi"), *tool_round([Call("Bash", {"command": "ls"}, result="a")], shape=shape)])
    ctx.add(tool_round([Call("Bash", {"command": "ls"}, result=None, id="c2")], shape=shape))
    return ctx


@pytest.mark.parametrize(("shape", "message", "field"), LONE)
def test_what_could_never_be_sent_is_refused_when_it_is_added(shape: Shape, message: Message, field: str) -> None:
    """The field is named, the session is as it was, and its window legal."""
    ctx = opened(shape)
    before = ctx.messages
    with pytest.raises(InvalidMessageError) as caught:
        ctx.add(message)
    assert caught.value.field.startswith(field)
    assert ctx.messages == before
    assert faults(ctx.prepare(), shape=shape) == ()


def replies() -> Iterator[tuple[Shape, dict[str, Any]]]:
    """Whole replies of a model that had nothing to say."""
    message = {"role": "assistant", "content": []}
    yield "chat", {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    yield (
        "responses",
        {"object": "response", "output": [{"type": "message", "id": "m", "status": "completed", **message}]},
    )
    yield "anthropic", {"type": "message", "stop_reason": "end_turn", **message}


@pytest.mark.parametrize(("shape", "reply"), list(replies()), ids=["chat", "responses", "anthropic"])
def test_a_reply_with_nothing_in_it_is_no_dead_end(shape: Shape, reply: dict[str, Any]) -> None:
    """It is what a provider sent: it is taken, and the next request is legal."""
    ctx = ContextManager(8_000)
    ctx.add([user("hi"), *tool_round([Call("Bash", {"command": "ls"}, result="a")], shape=shape)])
    ctx.add(reply)
    ctx.add(user("Are you there?"))
    assert faults(ctx.prepare(), shape=shape) == ()


def test_the_item_before_may_have_left_the_window() -> None:
    """An approval answers a request of the session's, however long ago."""
    ctx = ContextManager(8_000)
    ctx.add(user("hi"))
    ctx.add({"type": "mcp_approval_request", "id": "a1", "name": "f", "server_label": "s", "arguments": "{}"})
    ctx.add({"type": "mcp_approval_response", "approval_request_id": "a1", "approve": True})
    assert faults(ctx.prepare(), shape="responses") == ()
