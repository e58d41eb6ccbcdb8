"""The shared sessions: every failure that they tell is seen, and files are rebuilt as they are read again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from context_kit.tools import Act, Files, acts
from context_kit.wire import Part

SHARED = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
TOLD = re.compile(
    r"<returncode>[^0]|\AExit code [1-9]|\AEXIT CODE: [^0]|Process exited with code [1-9]"
    r"|\nCommand exited with code [1-9]|\nExit Code: [1-9]"
)
NOTHING = re.compile(r"(?:<returncode>1</returncode>\n<output>\n|[\s\S]{0,140}Output:\n|\(no output\)|Error\Z|\Z)")


def documents() -> list[Path]:
    return sorted(SHARED.glob("*.json"))


def blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    return (
        [block for block in message["content"] if isinstance(block, dict)]
        if isinstance(message["content"], list)
        else []
    )


def text_of(content: Any) -> str:
    return (
        content
        if isinstance(content, str)
        else "\n".join(each.get("text", "") for each in content or [] if isinstance(each, dict))
    )


def calls(document: dict[str, Any]) -> Iterator[tuple[Part, Part]]:
    """Each call with its result, in order."""
    waiting: dict[str, Part] = {}
    for message in document["messages"]:
        for made in message.get("tool_calls") or []:
            waiting[made["id"]] = Part(
                "call", text=made["function"]["arguments"], id=made["id"], name=made["function"]["name"]
            )
        for block in blocks(message):
            if block["type"] == "tool_use":
                waiting[block["id"]] = Part("call", text=json.dumps(block["input"]), id=block["id"], name=block["name"])
            elif block["type"] == "tool_result":
                said = text_of(block.get("content"))
                yield waiting[block["tool_use_id"]], Part("result", text=said, failed=bool(block.get("is_error")))
        if message["role"] == "tool":
            yield waiting[message["tool_call_id"]], Part("result", text=text_of(message["content"]))


def done(path: Path) -> Iterator[tuple[Part, tuple[Act, ...]]]:
    running: dict[str, str] = {}
    for made, result in calls(json.loads(path.read_text(encoding="utf-8"))):
        yield result, acts(made, result, running=running)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared transcripts are not beside this repository")
def test_every_told_failure_is_seen() -> None:
    """A flag or an exit code is a failure, unless a search came back with nothing."""
    missed = []
    for path in documents():
        for result, found in done(path):
            head_and_tail = result.text[:300] + "\n" + result.text[-300:]
            if (result.failed or TOLD.search(head_and_tail)) and not any(act.failed for act in found):
                missed.append((path.stem, result.text[:200]))
    assert [each for each in missed if not NOTHING.match(each[1]) and "binary file matches" not in each[1]] == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared transcripts are not beside this repository")
def test_what_is_rebuilt_is_what_is_read_again() -> None:
    """Of the files that are read again, at least four of five were known exactly; the rest changed outside."""
    right = wrong = 0
    for path in documents():
        files = Files()
        for position, (_, found) in enumerate(done(path), 1):
            for act in found:
                view = files.find(act.path) if act.path else None
                if act.kind == "read" and act.content and view is not None and view.whole and not act.failed:
                    known = act.content.rstrip("\n") in (view.text or "")
                    right, wrong = right + known, wrong + (not known)
                files.fold(act, position)
    assert right >= 4 * wrong > 0 or wrong == 0
