"""A step on the wire: the same dicts where it is complete, the smallest repair where it is not."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

from context_kit.typing import Shape
from context_kit.wire import PLACEHOLDER, Message, faults, late_result, read, render

Raw = dict[str, Any]

ASK: Raw = {"role": "user", "content": "go"}


def step(*raws: Raw) -> list[Message]:
    return [message for raw in raws for message in read(raw).messages]


def call(key: str, name: str = "f") -> Raw:
    return {"id": key, "type": "function", "function": {"name": name, "arguments": "{}"}}


def chat(*keys: str) -> Raw:
    return {"role": "assistant", "content": None, "tool_calls": [call(key) for key in keys]}


def tool(key: str, content: str = "out") -> Raw:
    return {"role": "tool", "tool_call_id": key, "content": content}


def use(*keys: str) -> Raw:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": key, "name": "f", "input": {}} for key in keys]}


def result(key: str, content: str = "out") -> Raw:
    return {"type": "tool_result", "tool_use_id": key, "content": content}


def user(*blocks: Raw) -> Raw:
    return {"role": "user", "content": list(blocks)}


def text(words: str) -> Raw:
    return {"type": "text", "text": words}


def fcall(key: str) -> Raw:
    return {"type": "function_call", "id": f"fc_{key}", "call_id": key, "name": "f", "arguments": "{}"}


def fout(key: str, output: str = "out") -> Raw:
    return {"type": "function_call_output", "call_id": key, "output": output}


REASONING: Raw = {"type": "reasoning", "id": "rs", "summary": []}

COMPLETE: list[tuple[Shape | None, list[Raw]]] = [
    (None, [ASK]),
    ("chat", [chat("a", "b"), tool("b"), tool("a")]),
    ("chat", [ASK]),
    ("chat", [{"role": "assistant", "content": ""}]),
    ("anthropic", [use("a", "b"), user(result("a"), result("b"), text("and?"))]),
    ("anthropic", [{"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}, text("a")]}]),
    ("responses", [REASONING, fcall("a"), fcall("b"), fout("a"), fout("b")]),
]


@pytest.mark.parametrize(("shape", "raws"), COMPLETE)
def test_a_complete_step_is_its_own_dicts(shape: Shape | None, raws: list[Raw]) -> None:
    """Nothing is rebuilt where nothing is missing: the very same objects go out."""
    messages = step(*raws)
    out = render(messages, shape=shape)
    assert len(out) == len(messages)
    assert all(raw is message.raw for raw, message in zip(out, messages, strict=True))


def test_chat_placeholders_stand_behind_the_results() -> None:
    """Each open call gets a tool message, after the results that are there; a legacy call gets a function message."""
    assert render(step(chat("a", "b", "c"), tool("b")), shape="chat") == [
        chat("a", "b", "c"),
        tool("b"),
        tool("a", PLACEHOLDER),
        tool("c", PLACEHOLDER),
    ]
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    assert render(step(legacy), shape="chat")[1] == {"role": "function", "name": "f", "content": PLACEHOLDER}
    custom = {"id": "c", "type": "custom", "custom": {"name": "g", "input": "x"}}
    assert render(step({**chat(), "tool_calls": [custom]}), shape="chat")[1] == tool("c", PLACEHOLDER)


def test_anthropic_results_are_one_message_results_first() -> None:
    """Results that came in several messages, or behind text, become one message: results, placeholders, text."""
    messages = step(use("a", "b", "c"), user(text("see"), result("b")), user(result("a")))
    missing = {**result("c", PLACEHOLDER), "is_error": True}
    assert render(messages, shape="anthropic") == [
        use("a", "b", "c"),
        user(result("b"), result("a"), missing, text("see")),
    ]
    assert render(step(use("a")), shape="anthropic")[1] == user({**result("a", PLACEHOLDER), "is_error": True})


def test_anthropic_refuses_empty_texts_so_they_stay_out() -> None:
    """Blank text blocks and thinking that nothing follows are left out; a message of nothing else is."""
    thinking = {"type": "thinking", "thinking": "t", "signature": "s"}
    messages = step(
        {"role": "assistant", "content": [text(" "), *use("a")["content"]]},
        user(result("a"), text("\n")),
        {"role": "assistant", "content": [text("a"), thinking]},
        {"role": "assistant", "content": [thinking]},
        {"role": "assistant", "content": ""},
    )
    out = render(messages, shape="anthropic")
    assert out == [use("a"), user(result("a")), {"role": "assistant", "content": [text("a")]}]


def test_responses_reasoning_that_leads_nowhere_stays_out() -> None:
    """A reply cut off after its reasoning would be refused: the reasoning goes, the rest stays."""
    assert render(step(REASONING), shape="responses") == []
    assert render(step(fcall("a"), REASONING, fout("a")), shape="responses") == [fcall("a"), fout("a")]


OPEN: list[Raw] = [
    fcall("c"),
    {"type": "custom_tool_call", "call_id": "c", "name": "g", "input": "x"},
    {
        "type": "local_shell_call",
        "id": "l",
        "call_id": "c",
        "status": "completed",
        "action": {"type": "exec", "command": ["ls"], "env": {}},
    },
    {"type": "shell_call", "id": "s", "call_id": "c", "action": {"commands": ["ls"]}},
    {
        "type": "apply_patch_call",
        "call_id": "c",
        "status": "completed",
        "operation": {"type": "delete_file", "path": "a"},
    },
    {
        "type": "computer_call",
        "id": "k",
        "call_id": "c",
        "status": "completed",
        "pending_safety_checks": [],
        "action": {"type": "screenshot"},
    },
    {"type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": {}},
    {**fcall("c"), "caller": {"type": "program", "caller_id": "p"}},
]


@pytest.mark.parametrize("raw", OPEN, ids=[raw["type"] for raw in OPEN])
def test_every_call_kind_of_responses_has_its_placeholder(raw: Raw) -> None:
    """The placeholder is an input item by the SDK's own types, pairs with its call, and goes to the same caller."""
    messages = step(raw)
    out = render(messages, shape="responses")
    assert len(out) == 2
    TypeAdapter[Any](ResponseInputItemParam).validate_python(out[1])
    assert faults(out, shape="responses") == ()
    assert out[1].get("caller") == raw.get("caller")
    assert PLACEHOLDER in str(out[1]) or raw["type"] in ("computer_call", "tool_search_call")


def test_a_late_result_says_what_it_is() -> None:
    """It is a user message with the call's id and the whole text; pictures come along, in a legal form."""
    (message,) = step(tool("a", "done"))
    late = late_result(message, message.parts[0])
    assert late["role"] == "user"
    assert late["content"].endswith("\ndone")
    assert "late result of tool call a" in late["content"]
    image = {"type": "image", "source": {"type": "url", "url": "u"}}
    (message,) = step(user({**result("a"), "content": [text("x"), image]}))
    assert late_result(message, message.parts[0])["content"][1] == image
    screen = {"type": "computer_screenshot", "image_url": "data:,"}
    (message,) = step({"type": "computer_call_output", "call_id": "a", "output": screen})
    late = late_result(message, message.parts[0])
    assert [block["type"] for block in late["content"]] == ["input_text", "input_image"]
    TypeAdapter[Any](ResponseInputItemParam).validate_python(late)
