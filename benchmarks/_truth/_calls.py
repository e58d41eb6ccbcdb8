"""A session as calls with their results, read without the library: one call, one answer, however it was split."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Call", "calls_of", "content_text", "errors_in", "failed", "refused"]

_RUNNING = re.compile(r"Process running with session ID (\d+)")
_FENCE = re.compile(r"```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)
_STATUS = re.compile(
    r"\AExit code (-?\d+)|<returncode>(-?\d+)</returncode>|Process exited with code (-?\d+)"
    r"|Command exited with code (-?\d+)\s*\Z|^Exit Code: (-?\d+)$|\AEXIT CODE: (-?\d+)",
    re.MULTILINE,
)
_OPENING = re.compile(
    r"\AERROR:|\AYour proposed edit has introduced new syntax error|\A<tool_use_error>|\ARequest failed with status"
)
_TRACE_END = re.compile(
    r"^Traceback \(most recent call last\):[\s\S]*\n[\w.]*(?:Error|Exception|Configured)\b.*\s*\Z", re.MULTILINE
)
_SIGNS = re.compile(
    r"^make(?:\[\d+\])?: \*\*\*.*(?:Error|Stop)|^\S*sh: \d+: .*not found|: command not found$|^E: (?:Unable|Could not)"
    r"|^-- Configuring incomplete|^CMake Error",
    re.MULTILINE,
)
_PERSON_SAID_NO = re.compile(
    r"The user doesn't want to proceed|\A\[no result was recorded|\ACommand aborted\s*\Z|\A\[Operation Cancelled\]"
)
_NOISE = re.compile(
    r"\n?\(Open file: [^\n]*\)\n\(Current directory: [^\n]*\)\nbash-\$\s*\Z|</?tool_use_error>|</?output>"
)


@dataclass(slots=True)
class Call:
    """One tool call with its whole answer."""

    index: int
    """Position of the message that made the call."""
    name: str
    arguments: dict[str, Any]
    answered: int = -1
    """Position of the last message that holds a part of the answer."""
    result: str = ""
    flagged: bool = False
    """The provider's own error flag."""
    session: str = field(default="")
    """The running process that later calls read on from, where there is one."""


def content_text(content: object) -> str:
    """The text of a message's content, blocks joined by newlines."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(str(block.get("text") or "") for block in blocks if isinstance(block, dict))


def _arguments(raw: object) -> dict[str, Any]:
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError:
            return {"input": raw}
    return raw if isinstance(raw, dict) else {}


def _made(message: dict[str, Any], index: int) -> list[tuple[str, Call]]:
    found = [
        (call["id"], Call(index, call["function"]["name"], _arguments(call["function"]["arguments"])))
        for call in message.get("tool_calls") or []
    ]
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return found + [
        (block["id"], Call(index, block["name"], _arguments(block["input"])))
        for block in blocks
        if block.get("type") == "tool_use"
    ]


def _answers(message: dict[str, Any]) -> list[tuple[str, str, bool]]:
    if message.get("role") == "tool":
        return [(message["tool_call_id"], content_text(message.get("content")), False)]
    content = message.get("content")
    return [
        (block["tool_use_id"], content_text(block.get("content")), bool(block.get("is_error")))
        for block in (content if isinstance(content, list) else [])
        if block.get("type") == "tool_result"
    ]


def _typed(messages: list[dict[str, Any]]) -> list[Call]:
    """The calls of an agent that types its command in a fenced block; the next user message is the answer."""
    found: list[Call] = []
    for index, message in enumerate(messages[:-1]):
        fenced = _FENCE.search(content_text(message.get("content"))) if message["role"] == "assistant" else None
        if fenced and messages[index + 1]["role"] == "user":
            answer = content_text(messages[index + 1].get("content"))
            found.append(Call(index, "typed", {"command": fenced[1]}, index + 1, answer))
    return found


def calls_of(document: dict[str, Any]) -> list[Call]:
    """Every call of a document in order, with its answer; a process read on later is one call."""
    messages = document["messages"]
    waiting: dict[str, Call] = {}
    found: list[Call] = []
    for index, message in enumerate(messages):
        for key, call in _made(message, index):
            waiting[key] = call
            found.append(call)
        for key, text, flagged in _answers(message):
            if key in waiting:
                call = waiting[key]
                call.answered, call.result, call.flagged = index, text, flagged
    return _joined(found) if found else _typed(messages)


def _joined(found: list[Call]) -> list[Call]:
    """Reads of a running process folded into the call that started it."""
    running: dict[str, Call] = {}
    kept: list[Call] = []
    for call in found:
        started = running.get(str(call.arguments.get("session_id"))) if call.name == "write_stdin" else None
        if started is None:
            kept.append(call)
            if match := _RUNNING.search(call.result[:400]):
                running[match[1]] = call
        elif "write_stdin failed" not in call.result[:40]:
            started.result += "\n" + call.result
            started.answered = call.answered
    return kept


def refused(call: Call) -> bool:
    """Was the call refused or stopped by a person, or never answered? Then no tool failed."""
    return call.answered < 0 or bool(_PERSON_SAID_NO.search(call.result[:200]))


def _json(call: Call) -> dict[str, Any] | None:
    if not call.result.startswith("{"):
        return None
    try:
        read = json.loads(call.result)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def failed(call: Call) -> bool:
    """Did the tool fail: its flag, its exit status, its own word for it, or a traceback at the end of a pipe."""
    if refused(call):
        return False
    read = _json(call)
    if read is not None:
        data = read.get("data") if isinstance(read.get("data"), dict) else read
        status = data.get("exit_code", read.get("exit_code")) if isinstance(data, dict) else None
        return read.get("status") == "error" or read.get("success") is False or status not in (None, 0)
    if call.flagged or _OPENING.search(call.result):
        return True
    codes = [next(code for code in match.groups() if code is not None) for match in _STATUS.finditer(call.result)]
    text = errors_in(call)
    if codes and codes[-1] != "0":
        return True
    return bool(_TRACE_END.search(text)) or (not codes and bool(_SIGNS.search(text)))


def errors_in(call: Call) -> str:
    """The part of an answer that tells the error: without frames of the tool, JSON unpacked."""
    read = _json(call)
    if read is None:
        return _NOISE.sub("", call.result)
    data = read.get("data") if isinstance(read.get("data"), dict) else read
    stderr = data.get("stderr") if isinstance(data, dict) else None
    return str(stderr or read.get("text") or read.get("error") or read.get("output") or "")
