"""Reads a transcript from a file, whatever agent wrote it; decided by content, never by the file's name.

The invariant guarded here: whatever is in the file, the answer is a transcript or one clear line about it.
"""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from context_kit.harness.transcripts._claude import is_claude, read_claude
from context_kit.harness.transcripts._codex import is_codex, read_codex
from context_kit.harness.transcripts._gemini import is_gemini, read_gemini
from context_kit.harness.transcripts._transcript import Transcript, TranscriptError
from context_kit.typing import Shape
from context_kit.wire import shape_of

__all__ = ["load"]

FORMATS: dict[str, Shape] = {
    "openai-chat": "chat",
    "openai-responses": "responses",
    "anthropic-messages": "anthropic",
    "chat": "chat",
    "responses": "responses",
    "anthropic": "anthropic",
}
KNOWN = (
    "a JSON array of messages, an object with `messages`, or a log of Claude Code, Codex or Gemini CLI "
    "is what this command reads"
)
MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
"""Byte order marks of files that a Windows shell wrote."""


class _Rows(NamedTuple):
    """The rows of a JSON Lines file, and the line that each stands on."""

    values: list[Any]
    lines: list[int]
    notes: tuple[str, ...] = ()


def load(path: str) -> Transcript:
    """The transcript in a file; `-` is standard input, `~` the home directory.

    Raises:
        TranscriptError: it can't be read, is no JSON, or holds no messages; one line with the file and the place.
    """
    try:
        return _read(_text(path))
    except TranscriptError as error:
        msg = f"{path}: {error}"
        raise TranscriptError(msg) from None
    except RecursionError:
        msg = f"{path}: is nested too deeply to be a transcript: {KNOWN}"
        raise TranscriptError(msg) from None


def _text(path: str) -> str:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).expanduser().read_bytes()
    except (OSError, RuntimeError, ValueError) as error:  # no home directory; a path with a null character
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        msg = f"can't be read: {reason.lower()}"
        raise TranscriptError(msg) from None
    if not data.strip():
        msg = f"is empty: {KNOWN}"
        raise TranscriptError(msg)
    encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), "utf-8-sig")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        msg = f"is no text: byte {error.start} is not {encoding.removesuffix('-sig').upper()}; {KNOWN}"
        raise TranscriptError(msg) from None
    if "\0" in text:
        msg = f"is no text: it has null bytes; {KNOWN}"
        raise TranscriptError(msg)
    return text


def _read(text: str) -> Transcript:
    try:
        value = json.loads(text)
    except ValueError as error:  # JSONDecodeError, or a number of thousands of digits
        rows = _lines(text)
        if rows is None:
            raise TranscriptError(_not_json(error)) from None
        return _of_lines(rows)
    if isinstance(value, list):
        return _of_list(value)
    return _of_object(value) if isinstance(value, dict) else _refuse(f"is JSON, but {_kind(value)}: {KNOWN}")


def _not_json(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: is not JSON ({error.msg.lower()}); {KNOWN}"
    return f"is not JSON ({error}); {KNOWN}"


def _lines(text: str) -> _Rows | None:
    """Rows of JSON Lines; None where the first line is no JSON by itself.

    Raises:
        TranscriptError: a later line is damaged. The last one may be: an agent was still writing it.
    """
    filled = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    rows = _Rows([], [])
    for number, line in filled:
        try:
            rows.values.append(json.loads(line))
        except ValueError as error:
            if not rows.values:
                return None
            if number == filled[-1][0] and not text.endswith("\n"):
                return rows._replace(notes=(f"line {number} is cut off and was left out",))
            why = error.msg.lower() if isinstance(error, json.JSONDecodeError) else str(error)
            msg = f"line {number}: is not JSON ({why})"
            raise TranscriptError(msg) from None
        rows.lines.append(number)
    return rows


def _of_lines(rows: _Rows) -> Transcript:
    found = _log(rows.values) or _messages(rows.values, lambda at: f"line {rows.lines[at]}")
    return replace(found, notes=(*found.notes, *rows.notes))


def _of_list(values: list[Any]) -> Transcript:
    return _log(values) or _messages(values, lambda at: f"message {at + 1}")


def _of_object(value: Mapping[str, Any]) -> Transcript:
    """A document, or the body of a request: messages with what was sent beside them."""
    for key, system, shape in (("messages", "system", None), ("input", "instructions", "responses")):
        if isinstance(value.get(key), list):
            return _document(value, key, system, shape)
    if isinstance(value.get("contents"), list):
        return _of_list(value["contents"])
    if "messages" in value:
        _refuse(f"messages: must be a list, not {_kind(value['messages'])}")
    if isinstance(value.get("role"), str):
        return _of_list([value])
    return _log([value]) or _refuse(f"is a JSON object without `messages`: {KNOWN}")


def _document(value: Mapping[str, Any], key: str, system: str, shape: str | None) -> Transcript:
    named = value.get("format", shape)
    if named is not None and named not in FORMATS:
        _refuse(f"format: {named!r:.60} is unknown, use one of {', '.join(FORMATS)}")
    tools, prompt, name = value.get("tools"), value.get(system), value.get("id")
    if tools is not None and not isinstance(tools, list):
        _refuse(f"tools: must be a list, not {_kind(tools)}")
    if prompt is not None and not isinstance(prompt, (str, list)):
        _refuse(f"{system}: must be a text or a list of text blocks, not {_kind(prompt)}")
    found = _of_list(value[key])
    return replace(
        found,
        shape=FORMATS[named] if named is not None else found.shape,
        source="document",
        system=prompt or None,
        tools=tools or None,
        session=name if isinstance(name, str) else "",
    )


def _log(values: Sequence[Any]) -> Transcript | None:
    """The transcript of an agent's own log; None where the values are none."""
    for knows, read in ((is_claude, read_claude), (is_codex, read_codex), (is_gemini, read_gemini)):
        if knows(values):
            found = read(values)
            return found if found.messages else _refuse(f"is a log of {found.source}, but without messages")
    return None


def _messages(values: Sequence[Any], place: Callable[[int], str]) -> Transcript:
    if not values:
        _refuse(f"has no messages: {KNOWN}")
    for at, value in enumerate(values):
        if not isinstance(value, dict):
            _refuse(f"{place(at)}: must be an object with a `role`, not {_kind(value)}")
        if not isinstance(value.get("role"), str) and not isinstance(value.get("type"), str):
            _refuse(f"{place(at)}: role: is missing")
    return Transcript(messages=values, shape=shape_of(values) or "chat", source="messages")


def _kind(value: object) -> str:
    names: dict[type[Any], str] = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        type(None): "null",
    }
    return names.get(type(value), "a number")


def _refuse(text: str) -> Any:
    raise TranscriptError(text)
