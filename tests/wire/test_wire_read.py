"""How one message of each shape is read: its shape, its role, its parts, and its dict untouched."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from context_kit.wire import Message, Part, read, shape_of

Raw = dict[str, Any]


def one(raw: Raw) -> Message:
    found = read(raw)
    assert found.usage is None
    (message,) = found.messages
    return message


def kinds(message: Message) -> list[tuple[str, str, str, str, int]]:
    return [(part.kind, part.text, part.id, part.name, part.at) for part in message.parts]


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}

READINGS: list[tuple[str, Raw, str | None, str, list[tuple[str, str, str, str, int]]]] = [
    ("plain user", {"role": "user", "content": "hi"}, None, "user", [("text", "hi", "", "", -1)]),
    ("plain assistant", {"role": "assistant", "content": "hi"}, None, "assistant", [("text", "hi", "", "", -1)]),
    ("system", {"role": "system", "content": "s"}, None, "system", [("text", "s", "", "", -1)]),
    ("developer", {"role": "developer", "content": "s"}, None, "system", [("text", "s", "", "", -1)]),
    (
        "text blocks",
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        None,
        "user",
        [("text", "a", "", "", 0), ("text", "b", "", "", 1)],
    ),
    (
        "chat call",
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        "chat",
        "assistant",
        [("call", '{"a":1}', "c1", "f", 0)],
    ),
    (
        "chat custom call",
        {
            "role": "assistant",
            "content": "go",
            "tool_calls": [{"id": "c2", "type": "custom", "custom": {"name": "g", "input": "free"}}],
        },
        "chat",
        "assistant",
        [("text", "go", "", "", -1), ("call", "free", "c2", "g", 0)],
    ),
    (
        "chat call of tomorrow",
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c3", "type": "new", "new": 1}]},
        "chat",
        "assistant",
        [("call", '{"id":"c3","type":"new","new":1}', "c3", "new", 0)],
    ),
    (
        "legacy function call",
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        "chat",
        "assistant",
        [("call", "{}", "function:f", "f", -1)],
    ),
    (
        "legacy function result",
        {"role": "function", "name": "f", "content": "42"},
        "chat",
        "tool",
        [("result", "42", "function:f", "", -1)],
    ),
    (
        "chat result",
        {"role": "tool", "tool_call_id": "c1", "content": "out"},
        "chat",
        "tool",
        [("result", "out", "c1", "", -1)],
    ),
    (
        "chat result in blocks",
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": x} for x in "ab"]},
        "chat",
        "tool",
        [("result", "a\nb", "c1", "", -1)],
    ),
    (
        "reasoning beside the text",
        {"role": "assistant", "content": "a", "reasoning_content": "because"},
        "chat",
        "assistant",
        [("reasoning", "because", "", "reasoning_content", -1), ("text", "a", "", "", -1)],
    ),
    (
        "refusal",
        {"role": "assistant", "content": None, "refusal": "no"},
        "chat",
        "assistant",
        [("text", "no", "", "refusal", -1)],
    ),
    (
        "unknown keys are counted",
        {"role": "assistant", "content": "a", "details": {"x": "y"}},
        None,
        "assistant",
        [("text", "a", "", "", -1), ("opaque", '{"details":{"x":"y"}}', "", "message", -1)],
    ),
    (
        "anthropic call with thinking",
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "t", "signature": "s"},
                {"type": "redacted_thinking", "data": "d"},
                {"type": "text", "text": "go"},
                {"type": "tool_use", "id": "t1", "name": "f", "input": {"p": None, "中": 1}},
            ],
        },
        "anthropic",
        "assistant",
        [
            ("reasoning", "t", "", "thinking", 0),
            ("reasoning", "d", "", "redacted_thinking", 1),
            ("text", "go", "", "", 2),
            ("call", '{"p":null,"中":1}', "t1", "f", 3),
        ],
    ),
    (
        "anthropic result with a person's words",
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "out"},
                {"type": "text", "text": "and now?"},
            ],
        },
        "anthropic",
        "tool",
        [("result", "out", "t1", "", 0), ("text", "and now?", "", "", 1)],
    ),
    (
        "a document of plain text counts as text",
        {"role": "user", "content": [{"type": "document", "source": {"type": "text", "data": "words"}}]},
        "anthropic",
        "user",
        [("opaque", "words", "", "document", 0)],
    ),
    (
        "citations are counted beside their text",
        {"role": "assistant", "content": [{"type": "text", "text": "a", "citations": [{"cited_text": "q"}]}]},
        None,
        "assistant",
        [("text", "a", "", "", 0), ("opaque", '{"citations":[{"cited_text":"q"}]}', "", "text", 0)],
    ),
    (
        "unknown block",
        {"role": "user", "content": [{"type": "brand_new", "foo": 1}]},
        None,
        "user",
        [("opaque", '{"type":"brand_new","foo":1}', "", "brand_new", 0)],
    ),
    (
        "responses message",
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
        "responses",
        "assistant",
        [("text", "a", "", "", 0)],
    ),
    (
        "easy message",
        {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
        "responses",
        "user",
        [("text", "a", "", "", 0)],
    ),
    (
        "responses reasoning",
        {
            "type": "reasoning",
            "id": "rs",
            "summary": [{"type": "summary_text", "text": "s"}],
            "encrypted_content": "xx",
        },
        "responses",
        "assistant",
        [("reasoning", "s", "", "reasoning", -1), ("reasoning", "xx", "", "encrypted_content", -1)],
    ),
    (
        "function call item",
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        "responses",
        "assistant",
        [("call", "{}", "c", "f", -1)],
    ),
    (
        "custom call item",
        {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "free"},
        "responses",
        "assistant",
        [("call", "free", "c", "f", -1)],
    ),
    (
        "patch call item",
        {"type": "apply_patch_call", "call_id": "c", "status": "completed", "operation": {"type": "delete_file"}},
        "responses",
        "assistant",
        [("call", '{"type":"delete_file"}', "c", "apply_patch", -1)],
    ),
    (
        "output item",
        {"type": "function_call_output", "call_id": "c", "output": "out"},
        "responses",
        "tool",
        [("result", "out", "c", "", -1)],
    ),
    (
        "local shell output, by id",
        {"type": "local_shell_call_output", "id": "c", "output": "out"},
        "responses",
        "tool",
        [("result", "out", "c", "", -1)],
    ),
    (
        "tool search by the server is no call",
        {"type": "tool_search_call", "call_id": "c", "arguments": {}},
        "responses",
        "assistant",
        [("opaque", '{"type":"tool_search_call","call_id":"c","arguments":{}}', "", "tool_search_call", -1)],
    ),
    (
        "unknown item",
        {"type": "item_of_tomorrow", "x": None},
        "responses",
        "assistant",
        [("opaque", '{"type":"item_of_tomorrow","x":null}', "", "item_of_tomorrow", -1)],
    ),
    (
        "additional tools belong to the head",
        {"type": "additional_tools", "role": "developer", "tools": []},
        "responses",
        "system",
        [("opaque", '{"type":"additional_tools","role":"developer","tools":[]}', "", "additional_tools", -1)],
    ),
]


@pytest.mark.parametrize(
    ("raw", "shape", "role", "parts"), [row[1:] for row in READINGS], ids=[row[0] for row in READINGS]
)
def test_a_message_is_read_and_handed_back(raw: Raw, shape: str | None, role: str, parts: list[Any]) -> None:
    """Each message gives its shape, role and parts, and `raw` equals what came, in another object."""
    given = copy.deepcopy(raw)
    message = one(given)
    assert (message.shape, message.role, kinds(message)) == (shape, role, parts)
    assert message.raw == raw
    assert list(message.raw) == list(raw)
    assert given == raw
    assert message.raw is not given


MEDIA: list[tuple[Raw, str | None]] = [
    ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, "chat"),
    ({"type": "image_url", "image_url": None}, "chat"),
    ({"type": "image_url", "image_url": "https://example.org/a.png"}, "chat"),
    ({"type": "video_url", "video_url": {"url": "x"}}, "chat"),
    ({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}, "chat"),
    ({"type": "file", "file": {"file_id": "f"}}, "chat"),
    ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}, "anthropic"),
    ({"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}}, "anthropic"),
    ({"type": "input_image", "image_url": "data:image/png;base64,AAAA"}, "responses"),
    ({"type": "input_file", "file_id": "f"}, "responses"),
]


@pytest.mark.parametrize(("block", "shape"), MEDIA, ids=[str(row[0])[:50] for row in MEDIA])
def test_media_are_never_text(block: Raw, shape: str | None) -> None:
    """A picture, file or sound is a part without text that holds its block, whatever is in it."""
    message = one({"role": "user", "content": [{"type": "text", "text": "see"}, block]})
    assert message.shape == shape
    assert message.parts[1] == Part("media", name=block["type"], at=1, block=block)


def test_pictures_in_a_result_go_with_it() -> None:
    """The images inside a tool result are listed in its part; its texts are joined."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    content = [{"type": "text", "text": "a"}, image, {"type": "text", "text": "b"}]
    block = {"type": "tool_result", "tool_use_id": "t", "content": content, "is_error": True}
    (part,) = one({"role": "user", "content": [block]}).parts
    assert (part.text, part.block, part.failed) == ("a\nb", [image], True)


SERVER = [
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"encrypted_content": "EEEE", "n": None}]},
    {"type": "tool_of_tomorrow_tool_result", "tool_use_id": "s1", "content": None},
]


def test_server_tools_are_nobody_elses_calls() -> None:
    """A call that the provider runs is marked as its own, so the caller owes no result; its text is counted."""
    message = one({"role": "assistant", "content": SERVER})
    assert [(part.kind, part.server, part.id) for part in message.parts] == [
        ("call", True, "s1"),
        ("result", True, "s1"),
        ("result", True, "s1"),
    ]
    assert "EEEE" in message.parts[1].text
    assert (message.calls, message.results, message.role) == ((), (), "assistant")


def test_shell_output_says_that_it_failed() -> None:
    """A non-zero exit or a failed patch is a failed result."""
    chunk = {"stdout": "a", "stderr": "b", "outcome": {"type": "exit", "exit_code": 2}}
    shell = one({"type": "shell_call_output", "call_id": "c", "output": [chunk]}).parts[0]
    patch = one({"type": "apply_patch_call_output", "call_id": "c", "status": "failed"}).parts[0]
    assert (shell.text, shell.failed, patch.failed) == ("a\nb", True, True)


def test_a_screenshot_is_media_of_its_result() -> None:
    """A computer call's output has no text but a picture."""
    output = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}
    (part,) = one({"type": "computer_call_output", "call_id": "c", "output": output}).parts
    assert (part.kind, part.text, part.block) == ("result", "", [output])


def test_the_copy_is_private() -> None:
    """What the caller changes later does not reach the log, at any depth."""
    given: Raw = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": [1]}}]}
    message = one(given)
    given["content"][0]["input"]["a"].append(2)
    assert message.raw["content"][0]["input"] == {"a": [1]}


def test_shape_of_a_list() -> None:
    """The first message that can have one shape only decides; malformed and plain ones say nothing."""
    plain = {"role": "user", "content": "a"}
    assert shape_of([plain, {}, {"role": "tool", "tool_call_id": "c", "content": ""}]) == "chat"
    assert shape_of([plain, {"type": "reasoning", "summary": []}]) == "responses"
    assert shape_of([plain, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]) == "anthropic"
    assert shape_of([plain]) is None
