"""Laws of the wire, over arbitrary JSON and over generated steps."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit.errors import InvalidMessageError
from context_kit.typing import Shape
from context_kit.wire import faults, read, render, shape_of, with_texts

Raw = dict[str, Any]

KEYS = st.sampled_from(
    [
        "role",
        "type",
        "content",
        "text",
        "id",
        "name",
        "input",
        "output",
        "call_id",
        "tool_call_id",
        "tool_use_id",
        "tool_calls",
        "function",
        "function_call",
        "arguments",
        "summary",
        "choices",
        "message",
        "object",
        "usage",
        "source",
        "action",
        "thinking",
        "data",
    ]
)
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "tool",
        "function",
        "message",
        "text",
        "tool_use",
        "tool_result",
        "thinking",
        "image",
        "document",
        "reasoning",
        "function_call",
        "function_call_output",
        "shell_call",
        "shell_call_output",
        "computer_call",
        "response",
        "c1",
        "",
        "\ud83d",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=5)
        | st.dictionaries(st.integers(), inner, max_size=1)
    ),
    max_leaves=12,
)
ROUGH = st.dictionaries(KEYS, VALUES, max_size=6) | VALUES


@settings(max_examples=300, deadline=None)
@given(ROUGH)
def test_raw_json_is_read_or_refused(value: Any) -> None:
    """Whatever comes, it is refused as an invalid message or handed back equal; nothing else ever happens."""
    try:
        found = read(value)
    except InvalidMessageError:
        return
    for message in found.messages:
        json.dumps(message.raw, allow_nan=False)
        for fault in faults([message.raw], shape=message.shape):
            assert fault.rule != "form"
        render([message], shape=message.shape)
        shape_of([message.raw])
    if len(found.messages) == 1 and isinstance(value, dict) and not value.keys() & {"choices", "output"}:
        kept = found.messages[0].raw
        assert kept == value or {"type", "usage"} <= value.keys()


TEXT = st.text(max_size=8)
IDS = st.integers(1, 4)


def chat_step(count: int, answered: list[bool]) -> list[Raw]:
    function = {"name": "f", "arguments": "{}"}
    ids = [f"c{number}" for number in range(count)]
    calls = [{"id": key, "type": "function", "function": function} for key in ids]
    results = [
        {"role": "tool", "tool_call_id": key, "content": "x"} for key, done in zip(ids, answered, strict=True) if done
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


def anthropic_step(count: int, answered: list[bool]) -> list[Raw]:
    ids = [f"c{number}" for number in range(count)]
    uses = [{"type": "tool_use", "id": key, "name": "f", "input": {}} for key in ids]
    results = [
        {"role": "user", "content": [{"type": "text", "text": "w"}, {"type": "tool_result", "tool_use_id": key}]}
        for key, done in zip(ids, answered, strict=True)
        if done
    ]
    return [{"role": "assistant", "content": uses}, *results]


def responses_step(count: int, answered: list[bool]) -> list[Raw]:
    ids = [f"c{number}" for number in range(count)]
    calls = [{"type": "function_call", "call_id": key, "name": "f", "arguments": "{}"} for key in ids]
    outputs = [
        {"type": "function_call_output", "call_id": key, "output": "x"}
        for key, done in zip(ids, answered, strict=True)
        if done
    ]
    return [{"type": "reasoning", "id": "rs", "summary": []}, *calls, *outputs]


MAKERS: dict[Shape, Any] = {"chat": chat_step, "anthropic": anthropic_step, "responses": responses_step}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(MAKERS)), st.lists(st.booleans(), min_size=1, max_size=5))
def test_a_rendered_step_is_always_legal(shape: Shape, answered: list[bool]) -> None:
    """Whichever results are missing, the step on the wire is legal and holds all that came."""
    raws = MAKERS[shape](len(answered), answered)
    messages = [read(raw).messages[0] for raw in raws]
    out = [{"role": "user", "content": "go"}, *render(messages, shape=shape)]
    assert faults(out, shape=shape) == ()
    assert json.dumps(out).count('"no result: interrupted"') == answered.count(False)
    if all(answered) and shape != "anthropic":
        assert [raw is message.raw for raw, message in zip(out[1:], messages, strict=True)] == [True] * len(messages)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(MAKERS)), st.text(max_size=20))
def test_a_clipped_message_is_still_legal(shape: Shape, words: str) -> None:
    """Any text may take the place of a result's; the list stays legal."""
    messages = [read(raw).messages[0] for raw in MAKERS[shape](2, [True, True])]
    clipped = [
        read(with_texts(message, {at: words for at, part in enumerate(message.parts) if part.kind == "result"}))
        for message in messages
    ]
    out = [{"role": "user", "content": "go"}, *render([found.messages[0] for found in clipped], shape=shape)]
    assert faults(out, shape=shape) == ()
