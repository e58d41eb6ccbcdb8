"""Each rule of a legal request, with a list that keeps it and one that breaks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from context_kit.typing import Shape
from context_kit.wire import RULES, faults, read, shape_of

Raw = dict[str, Any]
TRANSCRIPTS = Path(__file__).parents[2].parent / "shared" / "transcripts"


def U(content: Any = "a") -> Raw:  # noqa: N802 - reads as the conversation it builds
    return {"role": "user", "content": content}


def A(content: Any = "b") -> Raw:  # noqa: N802
    return {"role": "assistant", "content": content}


def S(content: Any = "s") -> Raw:  # noqa: N802
    return {"role": "system", "content": content}


def text(words: str = "a", **keys: Any) -> Raw:
    return {"type": "text", "text": words, **keys}


def use(*keys: str) -> Raw:
    return A([{"type": "tool_use", "id": key, "name": "f", "input": {}} for key in keys])


def res(*keys: str) -> list[Raw]:
    return [{"type": "tool_result", "tool_use_id": key, "content": "x"} for key in keys]


def calls(*keys: str) -> Raw:
    function = {"name": "f", "arguments": "{}"}
    return {**A(None), "tool_calls": [{"id": key, "type": "function", "function": function} for key in keys]}


def tool(key: str, content: Any = "x") -> Raw:
    return {"role": "tool", "tool_call_id": key, "content": content}


def fc(key: str) -> Raw:
    return {"type": "function_call", "call_id": key, "name": "f", "arguments": "{}"}


def fo(key: str) -> Raw:
    return {"type": "function_call_output", "call_id": key, "output": "x"}


THINK: Raw = {"type": "thinking", "thinking": "t", "signature": "s"}
SUSE: Raw = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
SRES: Raw = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
COMPACT: Raw = {"type": "compaction", "content": "c", "signature": "s"}
RS: Raw = {"type": "reasoning", "id": "rs", "summary": []}
OUT: Raw = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}
MARK: Raw = {"type": "ephemeral"}
PROGRAM: Raw = {"type": "program", "id": "p", "call_id": "c", "code": "", "fingerprint": "f"}

Case = tuple[Shape, str, list[list[Raw]], list[list[Raw]]]
CASES: list[Case] = [
    (
        "chat",
        "pairs",
        [
            [U(), calls("a", "b"), tool("b"), tool("a"), A()],
            [U(), calls("a"), tool("a"), calls("a"), tool("a")],
            [
                U(),
                {**A(None), "function_call": {"name": "f", "arguments": "{}"}},
                {"role": "function", "name": "f", "content": "x"},
            ],
        ],
        [
            [U(), calls("a")],
            [U(), calls("a"), U()],
            [U(), calls("a", "b"), tool("a"), A()],
            [U(), tool("a")],
            [U(), calls("a"), tool("a"), tool("a")],
            [U(), calls("a"), U(), tool("a")],
        ],
    ),
    (
        "chat",
        "content",
        [[U(""), A("")], [U(), {**A(None), "audio": {"id": "a"}}]],
        [[U(), A([])], [U(), {**A(None), "reasoning_content": "r"}]],
    ),
    (
        "chat",
        "tool_content",
        [[U(), calls("a"), tool("a", [text()])]],
        [[U(), calls("a"), tool("a", [{"type": "image_url", "image_url": {"url": "u"}}])]],
    ),
    ("chat", "shape", [[U([{"type": "image", "source": {}}])]], [[U(), A([THINK, text()])], [U(), RS]]),
    (
        "anthropic",
        "pairs",
        [[U(), use("a", "b"), U([*res("b", "a"), text()]), use("a"), U(res("a"))]],
        [
            [U(), use("a")],
            [U(), use("a"), U()],
            [U(), use("a"), A(), U(res("a"))],
            [U(res("a"))],
            [U(), use("a"), U(res("a")), U(res("a"))],
            [U(), use("a"), U(res("a", "a"))],
        ],
    ),
    (
        "anthropic",
        "together",
        [[U(), use("a", "b"), U(res("a", "b"))]],
        [[U(), use("a", "b"), U(res("a")), U(res("b"))]],
    ),
    (
        "anthropic",
        "results_first",
        [[U(), use("a"), U([*res("a"), text()])]],
        [[U(), use("a"), U([text(), *res("a")])]],
    ),
    (
        "anthropic",
        "first",
        [[U()], [A([{**COMPACT}]), U()], [U([COMPACT])]],
        [[A()], [S()], [U(res("a"))]],
    ),
    (
        "anthropic",
        "content",
        [[U(), A("")], [U(), U()]],
        [[U("")], [U(" ")], [U([])], [U(), A([]), U()], [U([text(), text(" ")])]],
    ),
    (
        "anthropic",
        "system",
        [[U(), S(), A()], [U(), S()], [U(), A([SUSE]), S(), A([SRES])], [U(), use("a"), U(res("a")), S(), A()]],
        [[U(), A(), S()], [U(), S(), U()]],
    ),
    (
        "anthropic",
        "thinking",
        [[U(), A([THINK, text()])]],
        [
            [U(), A([THINK])],
            [U(), A([text(), THINK])],
            [U([THINK, text()])],
            [U(), A([{**THINK, "cache_control": MARK}, text()])],
        ],
    ),
    (
        "anthropic",
        "server_tools",
        [
            [U(), A([SUSE, SRES, text()]), U()],
            [U(), A([SUSE])],
            [U(), A([SUSE]), A([SRES, text()]), U()],
            [U(), A([SUSE, *use("t")["content"]]), U(res("t")), A([SRES, text()]), U()],
            [U(), A([SUSE, *use("t")["content"]]), U(res("t")), A(), U()],
        ],
        [[U(), A([SUSE, text()]), U()], [U(), A([SRES, text()])], [U(), A([SUSE, SRES]), U(), A([SRES, text()])]],
    ),
    (
        "anthropic",
        "compaction",
        [[A([COMPACT]), U()], [U([COMPACT, text()]), A([{"type": "compaction", "content": None}]), U()]],
        [
            [U(), A([COMPACT, text()])],
            [A([COMPACT, COMPACT]), U()],
            [U(), S([{**COMPACT, "signature": None}, text()]), A()],
        ],
    ),
    (
        "anthropic",
        "cache_marks",
        [[U([text(cache_control=MARK)] * 4)]],
        [
            [U([text(cache_control=MARK)] * 5)],
            [
                U([text(cache_control=MARK)] * 4),
                use("a"),
                U([{**res("a")[0], "content": [text(cache_control=MARK)]}]),
            ],
        ],
    ),
    ("anthropic", "prefill", [[U(), A("a")], [U(), A("a "), U()]], [[U(), A("a ")], [U(), A([text("a\n")])]]),
    (
        "anthropic",
        "shape",
        [[U(), A([text()])]],
        [[U(), calls("a"), tool("a")], [U(), OUT | {"role": "user"}, RS, OUT]],
    ),
    (
        "responses",
        "pairs",
        [[U(), RS, fc("a"), fc("b"), fo("b"), fo("a"), fc("a"), fo("a")], [U(), fc("a"), OUT, fo("a")]],
        [[U(), fc("a")], [U(), fo("a")], [U(), fc("a"), U(), fo("a")], [U(), fc("a"), fc("a"), fo("a"), fo("a")]],
    ),
    ("responses", "reasoning", [[U(), RS, RS, OUT]], [[U(), RS], [U(), RS, U()], [U(), fc("a"), RS, fo("a")]]),
    ("responses", "content", [[U(), OUT]], [[U(), {**OUT, "content": []}]]),
    (
        "responses",
        "compaction",
        [[U(), {"type": "compaction", "encrypted_content": "E"}, U(), {"type": "compaction_trigger"}]],
        [[U(), {"type": "compaction"}], [{"type": "compaction_trigger"}, U()]],
    ),
    (
        "responses",
        "tied",
        [
            [
                {"type": "mcp_approval_request", "id": "m"},
                {"type": "mcp_approval_response", "approval_request_id": "m", "approve": True},
            ],
            [PROGRAM, {"type": "program_output", "call_id": "c", "result": "x"}],
        ],
        [
            [{"type": "mcp_approval_response", "approval_request_id": "m", "approve": True}],
            [{"type": "program_output", "call_id": "c", "result": "x"}],
        ],
    ),
    ("responses", "shape", [[U(), OUT]], [[U(), calls("a"), tool("a")]]),
]
GOOD = [(shape, messages) for shape, _, good, _ in CASES for messages in good]
BAD = [(shape, rule, messages) for shape, rule, _, bad in CASES for messages in bad]


@pytest.mark.parametrize(("shape", "messages"), GOOD)
def test_a_legal_list_has_no_faults(shape: Shape, messages: list[Raw]) -> None:
    """No rule of its shape finds anything in a list that the provider takes."""
    assert faults(messages, shape=shape) == ()


@pytest.mark.parametrize(
    ("shape", "rule", "messages"), BAD, ids=[f"{row[0]}-{row[1]}-{n}" for n, row in enumerate(BAD)]
)
def test_a_broken_rule_is_named(shape: Shape, rule: str, messages: list[Raw]) -> None:
    """The rule is found by name, and every fault points into the list."""
    found = faults(messages, shape=shape)
    assert rule in {fault.rule for fault in found}
    assert all(0 <= fault.index < len(messages) and fault.text for fault in found)


def test_every_rule_has_its_examples() -> None:
    """The table above knows every rule of every shape."""
    known = {(shape, rule.name) for shape, rules in RULES.items() for rule in rules}
    assert {(shape, rule) for shape, rule, _, _ in CASES} == known


def test_a_message_that_cannot_be_read_is_a_fault_of_form() -> None:
    """A malformed message is one fault that names its place and its field."""
    (fault,) = faults([U(), {"role": "tool", "content": "x"}], shape="chat")
    assert (fault.rule, fault.index) == ("form", 1)
    assert "tool_call_id" in fault.text


STRICT: list[tuple[list[Raw], list[str]]] = [
    ([S(), U(), A(), U()], []),
    ([U(), calls("a"), tool("a"), A(), U()], []),
    ([S(), S(), U()], ["one_system"]),
    ([U(), A(), S(), U()], ["one_system"]),
    ([U(), U()], ["alternation"]),
    ([A(), U()], ["alternation"]),
    ([U(), calls("a"), tool("a"), U()], ["alternation"]),
]


@pytest.mark.parametrize(("messages", "rules"), STRICT)
def test_strict_servers_want_alternation(messages: list[Raw], rules: list[str]) -> None:
    """Chat templates take one system message, first, then user and assistant in turn; the vendors don't mind."""
    assert [fault.rule for fault in faults(messages, shape="chat", strict=True)] == rules
    assert faults(messages, shape=None) == ()


def test_an_empty_list_is_legal() -> None:
    """Nothing is wrong with nothing."""
    for shape in RULES:
        assert faults([], shape=shape, strict=True) == ()


def documents() -> list[Path]:
    return sorted(TRANSCRIPTS.glob("*.json"))


@pytest.mark.parametrize("path", documents() or [TRANSCRIPTS], ids=lambda path: path.stem)
def test_no_false_alarm_on_real_sessions(path: Path) -> None:
    """Providers accepted real sessions: no rule finds a fault in them, and each message comes back equal."""
    if not path.is_file():
        pytest.skip("the shared transcripts are not there")
    document = json.loads(path.read_text(encoding="utf-8"))
    shape: Shape = "chat" if document["format"] == "openai-chat" else "anthropic"
    assert faults(document["messages"], shape=shape) == ()
    assert shape_of(document["messages"]) in (shape, None)
    for raw in document["messages"]:
        assert read(raw).messages[0].raw == raw
