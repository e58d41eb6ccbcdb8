"""Transcripts as coding agents write them, for the tests of hooks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Row", "claude", "codex", "gemini", "gemini_records", "qwen", "rows_of", "write"]

Row = dict[str, Any]
Step = tuple[str, Any]
"""`("user", text)`, `("say", text)`, or `("call", (id, name, arguments, result, failed))`."""

WORK: Sequence[Step] = (
    ("user", "Fix src/app/parser.py so that empty input works. Do not touch tests/. Never push to main."),
    ("say", "I'll use a guard clause because the parser has no other entry."),
    ("call", ("c1", "Read", {"file_path": "/repo/src/app/parser.py"}, "def parse(x):\n    return x[0]\n", False)),
    (
        "call",
        (
            "c2",
            "Edit",
            {"file_path": "/repo/src/app/parser.py", "old_string": "return x[0]", "new_string": "return x and x[0]"},
            "The file has been updated.",
            False,
        ),
    ),
    (
        "call",
        (
            "c3",
            "Bash",
            {"command": "pytest tests/test_parser.py"},
            "E   AssertionError: assert '' is None\nFAILED tests/test_parser.py::test_empty - AssertionError\n1 failed",
            True,
        ),
    ),
    ("user", "And keep the public signature as it is."),
    (
        "call",
        (
            "c4",
            "Write",
            {"file_path": "/repo/docs/parser/notes.md", "content": "notes\n"},
            "File created successfully",
            False,
        ),
    ),
    ("say", "Next I will return None for empty input and run the test again."),
)
"""Two edited files, one open failure, three constraints, a next step."""


def claude(steps: Iterable[Step] = WORK) -> list[Row]:
    """Rows of Claude Code."""
    rows: list[Row] = []
    for kind, value in steps:
        if kind == "user":
            rows.append({"type": "user", "message": {"role": "user", "content": value}})
        elif kind == "say":
            rows.append(_said([{"type": "text", "text": value}], len(rows)))
        else:
            name, tool, arguments, result, failed = value
            rows.append(_said([{"type": "tool_use", "id": name, "name": tool, "input": arguments}], len(rows)))
            block = {"type": "tool_result", "tool_use_id": name, "content": result, "is_error": failed}
            rows.append({"type": "user", "message": {"role": "user", "content": [block]}})
    return [{**row, "uuid": f"u{number}", "sessionId": "s1", "cwd": "/repo"} for number, row in enumerate(rows)]


def _said(blocks: list[Row], number: int) -> Row:
    return {"type": "assistant", "message": {"role": "assistant", "id": f"m{number}", "content": blocks}}


def codex(steps: Iterable[Step] = WORK) -> list[Row]:
    """Rows of a Codex rollout."""
    rows: list[Row] = [{"type": "session_meta", "payload": {"id": "s1"}}]
    for kind, value in steps:
        items: list[Row]
        if kind == "user":
            content = [{"type": "input_text", "text": value}]
            items = [{"type": "message", "role": "user", "content": content}]
        elif kind == "say":
            content = [{"type": "output_text", "text": value}]
            items = [{"type": "message", "role": "assistant", "content": content}]
        else:
            name, tool, arguments, result, failed = value
            told = f"Process exited with code {int(failed)}\nOutput:\n{result}" if tool == "Bash" else result
            items = [
                {"type": "function_call", "call_id": name, "name": tool, "arguments": json.dumps(arguments)},
                {"type": "function_call_output", "call_id": name, "output": told},
            ]
        rows += [{"type": "response_item", "payload": item} for item in items]
    return rows


def gemini(steps: Iterable[Step] = WORK) -> list[Row]:
    """Contents as the Gemini API has them."""
    rows: list[Row] = []
    for kind, value in steps:
        if kind == "user":
            rows.append({"role": "user", "parts": [{"text": value}]})
        elif kind == "say":
            rows.append({"role": "model", "parts": [{"text": value}]})
        else:
            name, tool, arguments, result, failed = value
            rows.append({"role": "model", "parts": [{"functionCall": {"id": name, "name": tool, "args": arguments}}]})
            response = {"id": name, "name": tool, "response": {"error" if failed else "output": result}}
            rows.append({"role": "user", "parts": [{"functionResponse": response}]})
    return rows


def gemini_records(steps: Iterable[Step] = WORK) -> list[Row]:
    """Records of a session of Gemini CLI."""
    rows: list[Row] = []
    for number, (kind, value) in enumerate(steps):
        known = {"id": f"r{number}", "timestamp": "2026-01-01T00:00:00Z"}
        if kind == "user":
            rows.append({**known, "type": "user", "content": [{"text": value}]})
        elif kind == "say":
            rows.append({**known, "type": "gemini", "content": value})
        else:
            name, tool, arguments, result, failed = value
            response = {"functionResponse": {"id": name, "name": tool, "response": {"output": result}}}
            status = "error" if failed else "success"
            call = {"id": name, "name": tool, "args": arguments, "result": [response], "status": status}
            rows.append({**known, "type": "gemini", "content": "", "toolCalls": [call]})
    return rows


def qwen(steps: Iterable[Step] = WORK) -> list[Row]:
    """Rows of a session of Qwen Code."""
    kinds = {"user": "user", "model": "assistant"}
    return [
        {"uuid": f"q{number}", "sessionId": "s1", "type": kinds[content["role"]], "message": content}
        for number, content in enumerate(gemini(steps))
    ]


def rows_of(agent: str) -> list[Row]:
    """The work as an agent logs it."""
    return {"claude-code": claude, "codex": codex, "gemini": gemini_records, "qwen": qwen}[agent]()


def write(path: Path, rows: Iterable[Row], *, listed: bool = False) -> Path:
    """A transcript file: lines, or one list."""
    found = list(rows)
    text = json.dumps(found) if listed else "".join(f"{json.dumps(row)}\n" for row in found)
    path.write_text(text, encoding="utf-8")
    return path
