"""A transcript is read whatever agent wrote it, or refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from context_kit.harness.transcripts import TranscriptError, load
from context_kit.wire import faults, read

SHARED = Path(__file__).parents[3] / "shared" / "transcripts"

CHAT = [
    {"role": "user", "content": "修复 it 👩‍💻"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
]


def write(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return str(path)


def lines(path: Path, rows: list[Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


# -- plain messages and documents --------------------------------------------------


def test_an_array_of_messages_comes_back_unchanged(tmp_path: Path) -> None:
    """A JSON array of messages is read as it stands, and its shape told from the messages."""
    found = load(write(tmp_path / "a.txt", CHAT))
    assert (found.messages, found.shape, found.source) == (CHAT, "chat", "messages")


@pytest.mark.parametrize(
    ("message", "shape"),
    [
        ({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}]}, "anthropic"),
        ({"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"}, "responses"),
        ({"role": "user", "content": "hello"}, "chat"),
    ],
)
def test_the_shape_is_told_by_content(tmp_path: Path, message: dict[str, Any], shape: str) -> None:
    """Messages that fit every shape are taken as chat; one that fits a single shape decides."""
    assert load(write(tmp_path / "a", [{"role": "user", "content": "go"}, message])).shape == shape


def test_a_document_brings_system_and_tools(tmp_path: Path) -> None:
    """System prompt, tools and name of a normalised document stand beside the messages."""
    tools = [{"name": "ls", "input_schema": {"type": "object"}}]
    document = {
        "id": "one",
        "format": "anthropic-messages",
        "system": "Be brief.",
        "tools": tools,
        "messages": CHAT[:1],
    }
    found = load(write(tmp_path / "d.json", document))
    assert (found.shape, found.system, found.tools, found.session) == ("anthropic", "Be brief.", tools, "one")


def test_a_request_body_is_a_document(tmp_path: Path) -> None:
    """The body of a Responses request is read: `input` and `instructions`."""
    found = load(write(tmp_path / "d.json", {"model": "gpt-5.4", "instructions": "Be brief.", "input": CHAT[:1]}))
    assert (found.shape, found.system, found.messages) == ("responses", "Be brief.", CHAT[:1])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_fine(tmp_path: Path, encoding: str) -> None:
    """What a Windows shell writes is read: a byte order mark, UTF-16, CRLF line ends."""
    path = tmp_path / "w.json"
    path.write_bytes(json.dumps(CHAT, indent=1, ensure_ascii=False).replace("\n", "\r\n").encode(encoding))
    assert load(str(path)).messages == CHAT


def test_json_lines_of_messages_are_read(tmp_path: Path) -> None:
    """One message a line, CRLF line ends, blank lines and line separators inside a text included."""
    rows = [{"role": "user", "content": "a\u2028b"}, *CHAT[1:]]
    path = tmp_path / "a.log"
    path.write_bytes("\r\n\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode() + b"\r\n")
    assert load(str(path)).messages == rows


def test_one_message_is_a_transcript(tmp_path: Path) -> None:
    """A single message, as a file or as a line, is read too."""
    assert load(write(tmp_path / "a", CHAT[0])).messages == CHAT[:1]


def test_home_and_relative_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` is the home directory, and a path may be relative."""
    write(tmp_path / "a.json", CHAT)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert load("~/a.json").messages == load("./a.json").messages == CHAT


def test_a_line_that_was_being_written_is_set_aside(tmp_path: Path) -> None:
    """A damaged last line without its end is left out, and the note says which."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(CHAT[0]) + "\n" + '{"role": "assis', encoding="utf-8")
    found = load(str(path))
    assert (found.messages, found.notes) == ([CHAT[0]], ("line 2 is cut off and was left out",))


# -- logs of agents ------------------------------------------------------------------


def row(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    name = {"id": more.pop("id")} if "id" in more else {}
    return {"type": kind, "sessionId": "s1", "message": {"role": kind, "content": content, **name}, **more}


def use(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "ls", "input": {}}


def result(name: str, text: str = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": text}


def test_claude_code_rows_become_messages(tmp_path: Path) -> None:
    """Rows of one reply are one message, with results in between; events, meta rows, sidechains, repeats are not."""
    rows = [
        {"type": "summary", "summary": "x"},
        row("user", "go", uuid="u1"),
        row("user", "caveat", isMeta=True),
        row("assistant", [{"type": "text", "text": "\n\n"}], id="m1"),
        row("assistant", [use("t1")], id="m1"),
        row("user", [result("t1")]),
        row("assistant", [{"type": "text", "text": "sub"}], id="m9", isSidechain=True),
        row("assistant", [use("t2")], id="m1"),
        row("user", [result("t2"), {"type": "text", "text": "stop"}]),
        row("user", "go", uuid="u1"),
        row("assistant", [{"type": "thinking", "thinking": "hm", "signature": "s"}], id="m2"),
        row("user", [result("t7")]),
        row("user", "Summary of the session", isCompactSummary=True),
    ]
    found = load(lines(tmp_path / "log", rows))
    assert found.messages == [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [use("t1"), use("t2")]},
        {"role": "user", "content": [result("t1"), result("t2")]},
        {"role": "user", "content": [{"type": "text", "text": "stop"}]},
        {"role": "user", "content": "Summary of the session"},
    ]
    assert (found.source, found.shape, found.session) == ("claude-code", "anthropic", "s1")
    assert found.notes == ("tool results without a call, left out: 1",)


def test_a_subagents_own_log_is_read(tmp_path: Path) -> None:
    """A log with nothing but a sidechain is that subagent's conversation."""
    found = load(lines(tmp_path / "log", [row("user", "look around", isSidechain=True)]))
    assert found.messages == [{"role": "user", "content": "look around"}]


def test_codex_items_come_back_as_logged(tmp_path: Path) -> None:
    """Response items in order, nulls aside; base instructions are the system prompt; events are left out."""
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "reasoning", "summary": [], "content": None, "encrypted_content": "gAAA"},
        {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"},
        {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}},
        {"type": "something_new", "data": [1]},
    ]
    rows: list[dict[str, Any]] = [
        {"type": "session_meta", "payload": {"id": "s2", "base_instructions": {"text": "You are Codex."}}},
        {"type": "event_msg", "payload": {"type": "token_count"}},
        *({"type": "response_item", "payload": item} for item in items),
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "gone", "output": "?"}},
        {"type": "response_item", "payload": {"type": "ghost_snapshot"}},
    ]
    found = load(lines(tmp_path / "log", rows))
    assert (found.shape, found.source, found.system, found.session) == ("responses", "codex", "You are Codex.", "s2")
    assert found.messages == [{key: value for key, value in item.items() if value is not None} for item in items]
    assert found.notes == ("tool results without a call, left out: 1",)


def test_gemini_contents_become_chat_messages(tmp_path: Path) -> None:
    """Calls keep ids and signatures, responses find their call by id or by name, thoughts are left out."""
    rows = [
        {"role": "user", "parts": [{"text": "go"}]},
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"text": "Looking."},
                {"functionCall": {"id": "x", "name": "ls", "args": {"dir": "源"}}, "thoughtSignature": "sig"},
                {"functionCall": {"name": "cat", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "cat", "response": {"error": "no file"}}},
                {"functionResponse": {"id": "x", "name": "ls", "response": {"output": "a.py"}}},
                {"text": "and this"},
                {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
            ],
        },
        {"role": "model", "parts": [{"text": "Done."}]},
    ]
    signed = {
        "id": "x",
        "type": "function",
        "function": {"name": "ls", "arguments": '{"dir": "源"}'},
        "extra_content": {"google": {"thought_signature": "sig"}},
    }
    plain = {"id": "call_1_3", "type": "function", "function": {"name": "cat", "arguments": "{}"}}
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    assert load(write(tmp_path / "g", rows)).messages == [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "Looking.", "tool_calls": [signed, plain]},
        {"role": "tool", "tool_call_id": "call_1_3", "content": '{"error": "no file"}'},
        {"role": "tool", "tool_call_id": "x", "content": "a.py"},
        {"role": "user", "content": [{"type": "text", "text": "and this"}, url]},
        {"role": "assistant", "content": "Done."},
    ]


@pytest.mark.parametrize(
    ("name", "source", "shape", "messages"),
    [
        ("cc-entire-fc99.jsonl", "claude-code", "anthropic", 268),
        ("cc-spotter-ae4a.jsonl", "claude-code", "anthropic", 435),
        ("codex-codemie-019e1625.jsonl", "codex", "responses", 249),
        ("gemini-cli-traj.json", "gemini-cli", "chat", 104),
    ],
)
def test_real_logs_are_legal_conversations(name: str, source: str, shape: str, messages: int) -> None:
    """The real logs are read whole: about as many messages as by hand, each readable, in a legal order."""
    path = SHARED / "raw" / name
    if not path.exists():
        pytest.skip("the shared transcripts are not beside this checkout")
    found = load(str(path))
    assert (found.source, found.shape) == (source, shape)
    assert abs(len(found.messages) - messages) < 5
    assert all(read(message).messages for message in found.messages)
    # One call of cc-entire-fc99 was interrupted by its user and never answered.
    assert [fault.rule for fault in faults(found.messages, shape=found.shape)] in ([], ["pairs"])


@pytest.mark.parametrize("path", sorted(SHARED.glob("*.json")), ids=lambda path: path.stem)
def test_normalised_documents_are_legal_conversations(path: Path) -> None:
    """Every normalised document is read unchanged and is legal for its shape."""
    found = load(str(path))
    assert found.messages == json.loads(path.read_text(encoding="utf-8"))["messages"]
    assert faults(found.messages, shape=found.shape) == ()


# -- bad files ------------------------------------------------------------------------


BAD: list[tuple[str, bytes, str]] = [
    ("empty", b"", "is empty"),
    ("blank", b" \r\n\t", "is empty"),
    ("binary", b"\x89PNG\r\n\x1a\n\x00\x00", "is no text: byte 0 is not UTF-8"),
    ("null bytes", b'{"a": "\x00"}', "it has null bytes"),
    ("no JSON", b"# Notes\nhello", "line 1, column 1: is not JSON"),
    ("cut off", b'[{"role": "user",\n "content": "a"', "line 2"),
    ("a number", b"42", "is JSON, but a number"),
    ("null", b"null", "is JSON, but null"),
    ("a text", b'"hello"', "is JSON, but a text"),
    ("no messages", b"[]", "has no messages"),
    ("other object", b'{"a": 1}', "is a JSON object without `messages`"),
    ("messages no list", b'{"messages": {}}', "messages: must be a list, not an object"),
    ("no messages in it", b'{"messages": []}', "has no messages"),
    (
        "item no object",
        b'[{"role": "user", "content": "a"}, 7]',
        "message 2: must be an object with a `role`, not a number",
    ),
    ("no role", b'[{"role": "user", "content": "a"}, {"content": "b"}]', "message 2: role: is missing"),
    ("role no text", b'[{"role": 1}]', "message 1: role: is missing"),
    ("format", b'{"format": "x", "messages": [{"role": "user"}]}', "format: 'x' is unknown"),
    ("tools", b'{"tools": {}, "messages": [{"role": "user"}]}', "tools: must be a list"),
    ("system", b'{"system": 3, "messages": [{"role": "user"}]}', "system: must be a text"),
    ("damaged line", b'{"role": "user", "content": "a"}\n{"role"\n{"role": "user"}\n', "line 2: is not JSON"),
    ("line no object", b'{"role": "user", "content": "a"}\n[1]\n', "line 2: must be an object"),
    ("empty log", b'{"type": "session_meta", "payload": {}}\n', "is a log of codex, but without messages"),
    ("parts", b'[{"role": "user", "parts": "hello"}]', "message 1: parts: must be a list"),
    ("deep", b"[" * 200_000, "nested too deeply"),
    ("long number", b"[" + b"1" * 5_000 + b"]", "is not JSON"),
]


@pytest.mark.parametrize(("data", "told"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_file_is_one_clear_line(tmp_path: Path, data: bytes, told: str) -> None:
    """The line names the file, the place and what is wrong there."""
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    with pytest.raises(TranscriptError) as caught:
        load(str(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["no-such-file.json", ".", "no\0name", "~nobody-of-that-name/x"])
def test_a_path_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """A missing file, a directory and an impossible name are told as such."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TranscriptError, match="can't be read"):
        load(path)
