"""What an agent's transcript gained since it was last read.

The invariant guarded here: a call and its result are read in one piece. What is read beyond the last place where no
call was open is given apart, because it will come again.
"""

from __future__ import annotations

import binascii
import codecs
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from context_kit.harness.transcripts._claude import commanded, is_command, read_claude
from context_kit.harness.transcripts._codex import read_codex
from context_kit.harness.transcripts._gemini import read_gemini
from context_kit.harness.transcripts._records import (
    contents_of_gemini,
    contents_of_qwen,
    is_gemini_record,
    is_qwen_row,
)
from context_kit.harness.transcripts._transcript import TranscriptError
from context_kit.typing import Message

__all__ = ["Growth", "grown"]

NEEDS = {"claude-code": b'"role"', "codex": b'"response_item"'}
"""What a line of the conversation holds; another line is an event and isn't parsed."""
BOM = codecs.BOM_UTF8
HEAD = 256
"""Bytes at a file's beginning by which it is known again."""
PATIENCE = 24
"""Rows after which a call without a result counts as interrupted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What is new, in two pieces."""

    settled: Sequence[Message]
    """Messages up to the last place where no call was open."""
    rest: Sequence[Message]
    """The messages behind it; they will be read again."""
    mark: int
    """Where the settled part ends: a byte of a JSON Lines file, else a number of rows."""
    head: str
    """What the file is known by; another one means that it was written anew."""
    fresh: bool
    """The file was read from its beginning."""
    size: int
    """Bytes of the file when it was read."""
    modified: int
    """When it had been changed last before that, in nanoseconds."""
    damaged: int = 0
    """Whole lines that are no JSON and were left out."""


def grown(path: str, *, agent: str, mark: int = 0, head: str = "") -> Growth:
    """The messages behind a mark; from the beginning where the file is another one than it was.

    Raises:
        OSError: it can't be read.
        TranscriptError: it is no regular file, or holds nothing that is known.
    """
    modified = os.stat(path).st_mtime_ns  # noqa: PTH116
    data, start, head, lines = _read(path, mark, head)
    rows, marks, damaged = _rows(data, start, NEEDS.get(agent, b"")) if lines else _whole(path, data, start)
    reader = _reader(rows)
    waits = any(is_gemini_record(row) or is_command(row) for row in rows[-1:])
    settled = _settled(rows[: min(len(marks), len(rows) - waits)])
    return Growth(
        settled=reader(rows[:settled]),
        rest=reader(rows[settled:]),
        mark=marks[settled - 1] if settled else start,
        head=head,
        fresh=start == 0,
        size=len(data) + (start if lines else 0),
        modified=modified,
        damaged=damaged,
    )


def _read(path: str, mark: int, known: str) -> tuple[bytes, int, str, bool]:
    """The bytes behind a mark, the mark, what the file is known by, and whether it holds lines."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        msg = f"{path}: is no regular file"
        raise TranscriptError(msg)
    with os.fdopen(descriptor, "rb") as file:
        begin = file.read(HEAD).removeprefix(BOM)
        lines = not begin.lstrip().startswith(b"[") and not _is_document(begin) and not _is_one_line(file, begin)
        size = os.fstat(descriptor).st_size
        first = begin.partition(b"\n")[0] if lines else begin[:1]
        head = f"{len(first)}-{binascii.crc32(first):08x}"
        start = mark if head == known and (mark <= size or not lines) else 0
        if lines and start:
            file.seek(start - 1)
            start = start if file.read(1) == b"\n" else 0
        file.seek(start if lines else 0)
        return file.read(), start, head, lines


def _is_document(begin: bytes) -> bool:
    """Whether a file is one JSON object over several lines, as older Gemini CLIs write it."""
    return begin.lstrip()[:1] == b"{" and begin.lstrip()[1:].lstrip(b" \t\r")[:1] == b"\n"


def _is_one_line(file: BinaryIO, begin: bytes) -> bool:
    """Whether a file is one JSON object on one line with the messages in it, as other older ones do."""
    if begin.lstrip()[:1] != b"{":
        return False
    file.seek(0)
    line = file.readline()
    return not file.read(1) and b'"messages"' in line and line.rstrip().endswith(b"}")


def _rows(data: bytes, start: int, needs: bytes) -> tuple[list[Any], list[int], int]:
    """Rows of JSON Lines, where each ends, and how many damaged ones are left out; an unfinished one has no end yet."""
    rows: list[Any] = []
    marks: list[int] = []
    damaged = 0
    at = start
    *lines, last = data.split(b"\n")
    for number, line in enumerate([*lines, last]):
        at += len(line) + 1
        if needs in line and line.strip():
            try:
                rows.append(_value(line))
            except (ValueError, RecursionError):
                damaged += number < len(lines)
                continue
            if number < len(lines):
                marks.append(at)
    return rows, marks, damaged


def _value(data: bytes) -> Any:
    """A JSON value; bytes that are no UTF-8, as tools print them, become signs that say so."""
    try:
        return json.loads(data)
    except UnicodeDecodeError:
        return json.loads(data.removeprefix(BOM).decode("utf-8", "replace"))


def _whole(path: str, data: bytes, start: int) -> tuple[list[Any], list[int], int]:
    """Rows of one JSON document behind a number of rows."""
    try:
        value = _value(data)
    except (ValueError, RecursionError) as error:
        msg = f"{path}: is not JSON ({type(error).__name__})"
        raise TranscriptError(msg) from None
    found = value.get("messages", value.get("contents")) if isinstance(value, dict) else value
    rows: list[Any] = found if isinstance(found, list) else []
    return rows[start:], list(range(start + 1, len(rows) + 1)), 0


def _reader(rows: Sequence[Any]) -> Callable[[Sequence[Any]], Sequence[Message]]:
    for row in rows:
        kind = row.get("type") if isinstance(row, dict) else None
        if is_qwen_row(row):
            return lambda some: read_gemini(contents_of_qwen(some)).messages
        if is_gemini_record(row):
            return lambda some: read_gemini(contents_of_gemini(some)).messages
        if isinstance(row, dict) and isinstance(row.get("parts"), list):
            return lambda some: read_gemini([each for each in some if _has_parts(each)]).messages
        if kind in ("response_item", "session_meta"):
            return lambda some: read_codex(some).messages
        if kind in ("user", "assistant") and isinstance(row.get("message"), dict):
            return lambda some: read_claude(commanded([each for each in some if not _aside(each)])).messages
    return lambda some: [row for row in some if isinstance(row, dict) and isinstance(row.get("role"), str)]


def _aside(row: Any) -> bool:
    """Whether a row is a subagent's."""
    return isinstance(row, dict) and bool(row.get("isSidechain"))


def _has_parts(row: Any) -> bool:
    parts = row.get("parts") if isinstance(row, dict) else None
    return isinstance(parts, list) and all(isinstance(part, dict) for part in parts)


def _settled(rows: Sequence[Any]) -> int:
    """How many rows stand before the last place where no call was open."""
    waiting: dict[str, int] = {}
    settled = 0
    for number, row in enumerate(rows, 1):
        for kind, name in _ties(row):
            if kind == "call":
                waiting[name] = number
            else:
                waiting.pop(name, None)
        if waiting and number - next(iter(waiting.values())) > PATIENCE:
            waiting.pop(next(iter(waiting)))
        if not waiting:
            settled = number
    return settled


def _ties(row: Any) -> Iterator[tuple[str, str]]:
    """Calls and results that a row holds, each with the name that ties them."""
    if not isinstance(row, dict):
        return
    payload, message = row.get("payload"), row.get("message")
    if isinstance(payload, dict):
        kind = str(payload.get("type"))
        if "call_id" in payload and row.get("type") == "response_item":
            yield ("result" if kind.endswith("_output") else "call"), str(payload["call_id"])
        return
    whole = message if isinstance(message, dict) else row
    yield from _ties_of_blocks(_listed(whole.get("content")))
    yield from _ties_of_parts(_listed(whole.get("parts")))
    for call in _listed(row.get("toolCalls")):
        yield ("call" if call.get("result") is None else "result"), str(call.get("id"))


def _ties_of_blocks(blocks: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for block in blocks:
        if block.get("type") == "tool_use":
            yield "call", str(block.get("id"))
        elif block.get("type") == "tool_result":
            yield "result", str(block.get("tool_use_id"))


def _ties_of_parts(parts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for part in parts:
        for key, kind in (("functionCall", "call"), ("functionResponse", "result")):
            if isinstance(part.get(key), dict):
                yield kind, str(part[key].get("id") or part[key].get("name"))


def _listed(found: Any) -> list[dict[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
