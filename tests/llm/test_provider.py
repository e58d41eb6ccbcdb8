"""The provider of these tests is strict: what a real one would refuse is refused and noted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.llm.judge import fault_of

USER = {"role": "user", "content": "Reply with json."}
CHAT = {"model": "m", "messages": [USER], "max_completion_tokens": 9}
RESPONSES = {"model": "m", "input": [USER], "max_output_tokens": 9}
CLAUDE = {"model": "m", "messages": [USER], "max_tokens": 9}
CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}
LOOSE = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(("api", "body"), [("chat", CHAT), ("responses", RESPONSES), ("messages", CLAUDE)])
def test_a_legal_request_is_taken(api: str, body: dict[str, Any]) -> None:
    """The least that each API wants."""
    assert fault_of(api, body) == ""


@pytest.mark.parametrize(
    ("api", "body", "told"),
    [
        ("chat", {**CHAT, "thinking": {}}, "Unknown parameter"),
        ("chat", {**CHAT, "max_tokens": 9}, "one token limit"),
        ("chat", {**CHAT, "max_completion_tokens": 0}, "one token limit"),
        ("chat", {**CHAT, "messages": [{"role": "user"}]}, "validation error"),
        ("chat", {**CHAT, "messages": [USER, CALL]}, "not answered"),
        ("chat", {**CHAT, "messages": [CALL, USER]}, "not answered"),
        ("chat", {**CHAT, "messages": [USER, {"role": "tool", "tool_call_id": "c", "content": "x"}]}, "no call"),
        ("chat", {**CHAT, "messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_object"}}, "word 'json'"),
        ("chat", {**CHAT, "response_format": {"type": "json_schema", "json_schema": {"name": "r", "schema": LOOSE}}}, "additional"),
        ("responses", {**RESPONSES, "response_format": {}}, "Unknown parameter"),
        ("responses", {**RESPONSES, "input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]}, "No tool output"),
        ("responses", {**RESPONSES, "text": {"format": {"type": "json_schema", "name": "r", "schema": LOOSE}}}, "additional"),
        ("messages", {**CLAUDE, "messages": [USER, USE]}, "not answered"),
        ("messages", {**CLAUDE, "messages": [USER, USE, RESULT]}, "must define tools"),
        ("messages", {**CLAUDE, "messages": [{"role": "user", "content": ""}]}, "non-empty"),
        ("messages", {**CLAUDE, "thinking": {"type": "enabled", "budget_tokens": 9}}, "greater than"),
        ("messages", {**CLAUDE, "output_config": {"format": {"type": "json_schema", "schema": LOOSE}}}, "additional"),
    ],
)  # fmt: skip
def test_an_illegal_request_is_refused(api: str, body: dict[str, Any], told: str) -> None:
    """With the rule that it breaks."""
    assert told in fault_of(api, body)
