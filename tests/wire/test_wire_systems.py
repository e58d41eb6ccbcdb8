"""Anthropic's system messages and prefills: legal wherever they came."""

from __future__ import annotations

from itertools import count, product
from typing import Any

import pytest

from context_kit import ContextManager, InvalidMessageError
from context_kit.wire import faults, placed_systems, prefilled

Raw = dict[str, Any]
IMAGE: Raw = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}


def messages_of(order: str) -> list[Raw]:
    """A conversation: u a person, a a reply, s a system message, c a call with its result behind it."""
    ids = count()
    out: list[Raw] = []
    for letter in order:
        if letter == "c":
            key = f"t{next(ids)}"
            out.append({"role": "assistant", "content": [{"type": "tool_use", "id": key, "name": "ls", "input": {}}]})
            out.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": key, "content": "a.py"}]})
        else:
            role = {"u": "user", "a": "assistant", "s": "system"}[letter]
            out.append({"role": role, "content": [{"type": "text", "text": f"{role} speaks"}]})
    return out


def roles(messages: list[Any]) -> str:
    return "".join(message["role"][0] for message in messages)


ORDERS = ["u" + "".join(rest) for length in range(1, 5) for rest in product("uasc", repeat=length) if "c" in rest]


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_goes_out_legal_at_every_turn(order: str) -> None:
    """Wherever system messages came, no list that is handed out breaks a rule."""
    ctx = ContextManager(20_000)
    for number, message in enumerate(messages_of("uc" + order)):
        ctx.add(message)
        if number > 1:
            assert faults(ctx.prepare(), shape="anthropic") == (), (order, number)


@pytest.mark.parametrize(
    ("order", "sent"),
    [("us", "us"), ("uas", "ua"), ("uasu", "uaus"), ("ussa", "usa"), ("usua", "uusa"), ("sua", "usa"), ("s", "s")],
)
def test_a_system_message_waits_for_its_place(order: str, sent: str) -> None:
    """Behind the next user turn, before a reply; several that meet become one, with all of their words."""
    out = placed_systems(messages_of(order))
    assert roles(out) == sent
    held = order.endswith("as")
    assert str(out).count("system speaks") == (0 if held else order.count("s"))


def test_a_legal_system_message_is_the_same_object() -> None:
    """What needs no repair isn't touched, one behind a server tool's call included."""
    server: Raw = {"role": "assistant", "content": [{"type": "server_tool_use", "id": "s", "name": "web", "input": {}}]}
    given = [*messages_of("us"), server, {"role": "system", "content": "news"}, *messages_of("a")]
    assert [a is b for a, b in zip(placed_systems(given), given, strict=True)] == [True] * 5


def test_a_system_message_before_the_results_follows_them() -> None:
    """A note that came while the tool was at work does not part the call from its result."""
    ctx = ContextManager(20_000)
    user, asked, answer = messages_of("uc")
    for message in (user, asked, {"role": "system", "content": "be brief"}, answer):
        ctx.add(message)
    assert ctx.prepare() == [user, asked, answer, {"role": "system", "content": "be brief"}]


@pytest.mark.parametrize("content", ["so far  \n", [{"type": "text", "text": "so far  \n"}]])
def test_a_prefill_ends_in_no_white_space(content: Any) -> None:
    """The API refuses it; the log keeps what was said, and a later list shows it whole."""
    ctx = ContextManager(20_000)
    for message in messages_of("uc"):
        ctx.add(message)
    ctx.add({"role": "assistant", "content": content})
    assert faults(ctx.prepare(), shape="anthropic") == ()
    ctx.add({"role": "user", "content": "and?"})
    assert ctx.prepare()[-2]["content"] == content
    assert prefilled([]) == []


@pytest.mark.parametrize("block", [IMAGE, {"type": "image_url", "image_url": {"url": "https://a.b/c.png"}}])
def test_a_picture_in_a_system_message_is_refused(block: Raw) -> None:
    """Text only; the error names the block."""
    with pytest.raises(InvalidMessageError, match=r"content\[1\]\.type.*text only"):
        ContextManager(20_000).add({"role": "system", "content": [{"type": "text", "text": "see"}, block]})


def test_marks_in_system_and_tools_count() -> None:
    """Four in one request: those beside the messages keep theirs, the oldest in the messages go."""
    mark = {"cache_control": {"type": "ephemeral"}}
    tools = [{"name": "ls", "input_schema": {"type": "object"}, **mark}]
    ctx = ContextManager(20_000, system=[{"type": "text", "text": "You help.", **mark}], tools=tools)
    for number in range(3):
        ctx.add({"role": "user", "content": [{"type": "text", "text": f"question {number}", **mark}]})
        ctx.add({"role": "assistant", "content": [{"type": "text", "text": "yes"}]})
    assert ["cache_control" in str(message) for message in ctx.prepare()[::2]] == [False, True, True]
