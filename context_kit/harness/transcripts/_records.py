"""Session records of Gemini CLI and Qwen Code, brought to the contents that the Gemini API knows.

The invariant guarded here: what a record calls and what was answered stand next to each other, call first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["contents_of_gemini", "contents_of_qwen", "is_gemini_record", "is_qwen_row", "typed_command"]

OPENING = 2_000
"""Characters of what a slash command expanded to."""


def typed_command(typed: str, opened: str) -> str:
    """A slash command as a user text: what was typed, then the opening of what it expanded to, marked as not typed."""
    opening = opened.partition("</command-contents>")[0][:OPENING].strip()
    return f"{typed}\n<command-contents>\n{opening}\n</command-contents>" if opening else typed


def is_gemini_record(row: Any) -> bool:
    """Whether a row is a message of a session that Gemini CLI recorded."""
    return isinstance(row, dict) and row.get("type") in ("user", "gemini") and "content" in row and "message" not in row


def is_qwen_row(row: Any) -> bool:
    """Whether a row is a message of a session that Qwen Code recorded: contents under `message`."""
    message = row.get("message") if isinstance(row, dict) else None
    return isinstance(message, dict) and isinstance(message.get("parts"), list)


def contents_of_qwen(rows: Iterable[Any]) -> list[Any]:
    """The contents in rows of Qwen Code."""
    return [row["message"] for row in rows if is_qwen_row(row)]


def contents_of_gemini(rows: Iterable[Any]) -> list[Any]:
    """The contents in records of Gemini CLI; of a record that was written again, the newest."""
    newest: dict[str, Mapping[str, Any]] = {}
    for number, row in enumerate(rows):
        if is_gemini_record(row):
            newest[str(row.get("id") or number)] = row
    return [content for row in newest.values() for content in _contents(row)]


def _contents(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    parts = _parts(row.get("content"))
    if row["type"] == "user":
        typed, said = ("\n".join(_texts(row.get(key))).strip() for key in ("displayContent", "content"))
        if typed.startswith("/") and typed != said:  # a custom command: the content is what it expanded to
            parts = [{"text": typed_command(typed, said)}, *(part for part in parts if "text" not in part)]
        yield {"role": "user", "parts": parts}
        return
    calls = [call for call in row.get("toolCalls") or [] if isinstance(call, dict)]
    asked = [
        {"functionCall": {"id": call.get("id"), "name": call.get("name"), "args": call.get("args")}} for call in calls
    ]
    yield {"role": "model", "parts": [*parts, *asked]}
    answers = [answer for call in calls if (answer := _answer(call)) is not None]
    if answers:
        yield {"role": "user", "parts": answers}


def _answer(call: Mapping[str, Any]) -> dict[str, Any] | None:
    """The response to a recorded call; None where it isn't there yet."""
    result = call.get("result")
    if result is None:
        return None
    found = [part["functionResponse"] for part in _parts(result) if isinstance(part.get("functionResponse"), dict)]
    response = found[0].get("response") if found else {"output": "\n".join(_texts(result))}
    if call.get("status") == "error" and isinstance(response, dict) and "error" not in response:
        response = {"error": response.get("output", response)}
    return {"functionResponse": {"id": call.get("id"), "name": call.get("name"), "response": response}}


def _texts(content: Any) -> list[str]:
    return [part["text"] for part in _parts(content) if isinstance(part.get("text"), str)]


def _parts(content: Any) -> list[dict[str, Any]]:
    """What the SDK takes as parts: a text, one part, or a list of either."""
    each = content if isinstance(content, list) else [content]
    found = [{"text": part} if isinstance(part, str) else part for part in each]
    return [part for part in found if isinstance(part, dict)]
