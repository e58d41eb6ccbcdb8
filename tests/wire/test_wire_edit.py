"""Copies with other words: the shell stays, the original is untouched, no text is left empty."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from context_kit.typing import Shape
from context_kit.wire import (
    CLIPPED,
    Message,
    faults,
    merge_users,
    read,
    user_message,
    with_texts,
    without_reasoning,
)

Raw = dict[str, Any]

IMAGE: Raw = {"type": "image", "source": {"type": "url", "url": "u"}}


def one(raw: Raw) -> Message:
    return read(raw).messages[0]


def user(*blocks: Raw) -> Raw:
    return {"role": "user", "content": list(blocks)}


def text(words: str, **keys: Any) -> Raw:
    return {"type": "text", "text": words, **keys}


def result(content: Any) -> Raw:
    return {"type": "tool_result", "tool_use_id": "t", "content": content}


def use(**found: Any) -> Raw:
    return {"role": "assistant", "content": [text("go"), {"type": "tool_use", "id": "t", "name": "f", "input": found}]}


def calls(**function: Any) -> Raw:
    function = {"name": "f", "arguments": "{}", **function}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}


CHUNK = {"stdout": "a", "stderr": "b", "outcome": {"type": "exit", "exit_code": 0}}

EDITS: list[tuple[Raw, dict[int, str], Raw]] = [
    ({"role": "user", "content": "long"}, {0: "x"}, {"role": "user", "content": "x"}),
    ({"role": "user", "content": "long"}, {0: " "}, {"role": "user", "content": CLIPPED}),
    (user(text("a"), IMAGE, text("b")), {2: "x"}, user(text("a"), IMAGE, text("x"))),
    (user(text("a", citations=[{"cited_text": "q"}])), {0: "x"}, user(text("x"))),
    (
        {"role": "assistant", "content": "a", "reasoning_content": "r"},
        {0: "x"},
        {"role": "assistant", "content": "a", "reasoning_content": "x"},
    ),
    (
        {"role": "assistant", "content": None, "refusal": "no"},
        {0: "x"},
        {"role": "assistant", "content": None, "refusal": "x"},
    ),
    (calls(arguments='{"a": "long"}'), {0: '{"a":"x"}'}, calls(arguments='{"a":"x"}')),
    (use(a="long"), {1: '{"a": "x"}'}, use(a="x")),
    (
        {"role": "tool", "tool_call_id": "c", "content": "long"},
        {0: "x"},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ),
    (
        {"role": "tool", "tool_call_id": "c", "content": [text("a"), text("b")]},
        {0: "x"},
        {"role": "tool", "tool_call_id": "c", "content": [text("x")]},
    ),
    (user(result("long"), text("a")), {0: "x"}, user(result("x"), text("a"))),
    (
        user(result([IMAGE, text("a"), IMAGE, text("b"), {"type": "tool_reference", "tool_name": "f"}])),
        {0: "x"},
        user(result([IMAGE, text("x"), IMAGE])),
    ),
    (user(result([IMAGE])), {0: "x"}, user(result([text("x"), IMAGE]))),
    (
        user({"type": "document", "source": {"type": "text", "data": "long"}}),
        {0: "x"},
        user({"type": "document", "source": {"type": "text", "data": "x"}}),
    ),
    (
        {
            "type": "message",
            "role": "assistant",
            "id": "m",
            "content": [{"type": "output_text", "text": "long", "annotations": [{"start_index": 0}]}],
        },
        {0: "x"},
        {
            "type": "message",
            "role": "assistant",
            "id": "m",
            "content": [{"type": "output_text", "text": "x", "annotations": []}],
        },
    ),
    (
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "long"},
        {0: "{}"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    ),
    (
        {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "update_file", "diff": "long"}},
        {0: '{"type":"update_file","diff":"x"}'},
        {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "update_file", "diff": "x"}},
    ),
    (
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "long"}]},
        {0: "x"},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "x"}]},
    ),
    (
        {"type": "shell_call_output", "call_id": "c", "output": [CHUNK, CHUNK]},
        {0: "x"},
        {"type": "shell_call_output", "call_id": "c", "output": [{**CHUNK, "stdout": "x", "stderr": ""}]},
    ),
]


@pytest.mark.parametrize(("raw", "texts", "expected"), EDITS)
def test_a_text_is_replaced_in_a_copy(raw: Raw, texts: dict[int, str], expected: Raw) -> None:
    """Only the text of the named part changes; the message itself does not, and the copy can be read again."""
    message = one(raw)
    made = with_texts(message, texts)
    assert made == expected
    assert message.raw == raw
    assert one(made).raw == expected


def test_several_texts_at_once() -> None:
    """Texts of several parts of one message change together."""
    made = with_texts(one(use(a=1)), {0: "x", 1: "{}"})
    assert made == {
        "role": "assistant",
        "content": [text("x"), {"type": "tool_use", "id": "t", "name": "f", "input": {}}],
    }


def test_media_of_a_result_go_only_when_told() -> None:
    """`drop_media` leaves the text alone; other messages keep their pictures."""
    message = one(user(result([IMAGE, text("a")]), IMAGE))
    assert with_texts(message, {0: "x"}, drop_media=True) == user(result([text("x")]), IMAGE)


FIXED: list[tuple[Raw, str]] = [
    ({"role": "assistant", "content": [{"type": "thinking", "thinking": "t"}, text("a")]}, "x"),
    ({"role": "user", "content": [IMAGE]}, "x"),
    ({"role": "user", "content": [{"type": "brand_new"}]}, "x"),
    ({"type": "reasoning", "summary": []}, "x"),
    ({"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot"}}, "x"),
    ({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}, "[1]"),
    ({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}, "{"),
]


@pytest.mark.parametrize(("raw", "words"), FIXED)
def test_what_may_not_change_is_refused(raw: Raw, words: str) -> None:
    """Signed reasoning, media and unknown blocks have no text to change; a tool input stays a dict."""
    with pytest.raises(ValueError, match=r"no text that may change|no JSON object"):
        with_texts(one(raw), {0: words})


THINKING: Raw = {"type": "thinking", "thinking": "t", "signature": "s"}
RS: Raw = {"type": "reasoning", "id": "rs", "summary": []}
FC: Raw = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}"}
OUT: Raw = {"type": "function_call_output", "id": "o", "call_id": "c", "output": "x"}

STRIPPED: list[tuple[Shape | None, list[Raw], list[Raw]]] = [
    (
        "anthropic",
        [{"role": "assistant", "content": [THINKING, text("a"), {"type": "redacted_thinking", "data": "d"}]}],
        [{"role": "assistant", "content": [text("a")]}],
    ),
    ("anthropic", [{"role": "assistant", "content": [THINKING]}, user_message("a")], [user_message("a")]),
    (
        "responses",
        [RS, FC, OUT],
        [{key: value for key, value in FC.items() if key != "id"}, OUT],
    ),
    ("responses", [FC, OUT], [FC, OUT]),
    ("responses", [RS, {"type": "item_reference", "id": "x"}], [{"type": "item_reference", "id": "x"}]),
    (
        "chat",
        [{"role": "assistant", "content": "a", "reasoning_content": "r"}],
        [{"role": "assistant", "content": "a", "reasoning_content": "r"}],
    ),
]


@pytest.mark.parametrize(("shape", "raws", "expected"), STRIPPED)
def test_reasoning_goes_whole(shape: Shape | None, raws: list[Raw], expected: list[Raw]) -> None:
    """Whole blocks and items go, with the ids that point to them; plain reasoning text stays."""
    before = copy.deepcopy(raws)
    assert without_reasoning(raws, shape=shape) == expected
    assert raws == before


def test_messages_without_reasoning_are_the_same_objects() -> None:
    """Nothing is rebuilt where there is nothing to drop."""
    raws = [user_message("a"), {"role": "assistant", "content": [text("a")]}]
    assert [a is b for a, b in zip(without_reasoning(raws, shape="anthropic"), raws, strict=True)] == [True, True]


MERGES: list[tuple[Raw, Raw, Raw]] = [
    (user_message("a"), user_message("b"), user_message("a\n\nb")),
    (user_message(""), user_message("b"), user_message("b")),
    (user_message("a"), user(IMAGE, text("b")), user(text("a"), IMAGE, text("b"))),
    (user_message("a"), user(result("x"), text("b")), user(result("x"), text("a"), text("b"))),
    (
        user_message("a"),
        {"role": "user", "content": [{"type": "input_image", "image_url": "u"}]},
        {"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "u"}]},
    ),
    (
        user_message("a"),
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]},
        {"role": "user", "content": [text("a"), {"type": "input_audio", "input_audio": {}}]},
    ),
]


@pytest.mark.parametrize(("first", "second", "expected"), MERGES)
def test_two_user_messages_become_one(first: Raw, second: Raw, expected: Raw) -> None:
    """Strings are joined by a blank line, blocks stand in order, results come first."""
    assert merge_users(first, second) == expected


def test_merged_users_alternate() -> None:
    """What strict servers refuse as two messages, they take as one."""
    two = [user_message("a"), user_message("b")]
    assert [fault.rule for fault in faults(two, shape="chat", strict=True)] == ["alternation"]
    assert faults([merge_users(*two)], shape="chat", strict=True) == ()
