"""Cline: several files or commands in one call, each with its own result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from context_kit.tools._act import Act, Call
from context_kit.tools._editors import seen_file
from context_kit.tools._envelope import Envelope
from context_kit.tools._failure import refusal
from context_kit.tools._paths import plain_path
from context_kit.tools._shell import runs

__all__ = ["read_files", "run_commands"]


def read_files(call: Call) -> tuple[Act, ...]:
    """Several files, each whole or in part."""
    files = [each if isinstance(each, dict) else {"path": each} for each in call.items("files", "paths", "file_paths")]
    if not files:
        return (seen_file(call, call.path, call.seen.body),)
    acts: list[Act] = []
    for index, each in enumerate(files):
        path = plain_path(str(each.get("path") or each.get("file_path") or ""))
        first, last = _line(each, "start_line"), _line(each, "end_line")
        acts.append(seen_file(_part(call, index, len(files)), path, _body(call, index, len(files)), first, last))
    return tuple(acts)


def run_commands(call: Call) -> tuple[Act, ...]:
    """Several command lines, one after the other."""
    commands = [str(each) for each in call.items("commands")]
    acts: list[Act] = []
    for index, command in enumerate(commands):
        acts.extend(runs(_part(call, index, len(commands)), command))
    return tuple(acts)


def _line(item: dict[str, Any], name: str) -> int:
    found = item.get(name)
    return found if isinstance(found, int) and found > 0 else 0


def _result(call: Call, index: int, count: int) -> dict[str, Any] | None:
    return call.seen.items[index] if len(call.seen.items) == count else None


def _body(call: Call, index: int, count: int) -> str:
    found = _result(call, index, count)
    if found is None:
        return call.seen.body if count == 1 else ""
    return found["result"] if isinstance(found.get("result"), str) else ""


def _part(call: Call, index: int, count: int) -> Call:
    """The call as if it had done only this one thing."""
    found = _result(call, index, count)
    if found is None:
        if count > 1 and not refusal(call.said, flagged=call.flagged, seen=call.seen):
            return replace(call, answered=False)
        return call
    failed = found.get("success") is False
    body = str(found.get("error") or found.get("result") or "")
    seen = Envelope(body=body, verdict="error" if failed else "ok", items=(found,))
    return replace(call, said=body, flagged=failed or (call.flagged and count == 1), seen=seen)
