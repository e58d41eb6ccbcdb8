"""The demo shows every compaction of a bundled session that is consistent in itself."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from rich.cells import cell_len

from context_kit.cli import main
from context_kit.cli._play import session
from context_kit.typing import Message
from context_kit.wire import faults


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def without_seconds(text: str) -> str:
    return re.sub(r"\d+\.\d\d", "0.00", text)


def test_the_demo_shows_several_compactions(capsys: pytest.CaptureFixture[str]) -> None:
    """Each has a table with before and after, and a recall that brings a line back; nothing is lost."""
    assert main(["demo"]) == 0
    text = told(capsys)
    tables = text.split("Compaction c")[1:]
    assert len(tables) >= 4
    for table in tables:
        for name in ("before", "after", "kept", "summarised", "clipped", "pinned", "evicted", "recallable", "recall"):
            assert re.search(rf"^ +{name} ", table, re.MULTILINE), name
        assert "→" in table
    assert f"{len(tables)} compactions in " in text
    assert "0 facts lost" in text


def test_the_demo_is_plain_text_of_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where standard output is no terminal there are no control codes, no progress, and no line is too long."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["demo"]) == 0
    text = told(capsys)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    assert max(cell_len(line) for line in text.split("\n")) <= 80


def test_the_demo_is_deterministic(capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs differ in nothing but the seconds."""
    texts: list[str] = []
    for _ in range(2):
        assert main(["demo", "--window", "12000"]) == 0
        texts.append(without_seconds(told(capsys)))
    assert texts[0] == texts[1]


def test_the_bridge_is_printed_where_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """`--bridge` prints the last bridge, the user's first words and the standing constraints in it."""
    assert main(["demo", "--bridge"]) == 0
    bridge = told(capsys).split("The bridge that the model reads now:")[1]
    assert "do not add dependencies" in bridge
    assert "不要改动 tests/" in bridge


# -- the session itself ------------------------------------------------------------


def calls(messages: list[Message]) -> list[tuple[str, dict[str, Any], str]]:
    """Every call of the session with its arguments and its result."""
    results = {message["tool_call_id"]: message["content"] for message in messages if message["role"] == "tool"}
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]), results[call["id"]])
        for message in messages
        for call in message.get("tool_calls", ())
    ]


def test_the_session_is_what_it_should_be() -> None:
    """Legal, long, in two languages, with parallel calls, failures that get solved and one giant log."""
    found = session()
    messages = list(found.messages)
    assert faults(messages, shape="chat") == ()
    assert (found.shape, found.source) == ("chat", "document")
    assert sum(message["role"] == "assistant" for message in messages) >= 60
    words = [message["content"] for message in messages if message["role"] == "user"]
    assert any("Do not" in text or "do not" in text for text in words)
    assert any("不要" in text for text in words)
    assert sum(len(message.get("tool_calls", ())) > 1 for message in messages) >= 10
    sizes = sorted(len(result) for *_, result in calls(messages))
    assert sizes[-1] > 2.5 * sizes[-2]
    assert len({name for name, *_ in calls(messages)}) == 5


def test_files_change_as_they_are_edited() -> None:
    """Replaying the edits over what was read gives, at every later read, exactly what the session shows."""
    files: dict[str, str] = {}
    checked = 0
    for name, arguments, result in calls(list(session().messages)):
        path = arguments.get("file_path", "")
        if name == "Read":
            shown = "\n".join(line.partition("→")[2] for line in result.split("\n")) + "\n"
            assert files.setdefault(path, shown) == shown
            checked += 1
        elif name == "Write":
            files[path] = arguments["content"]
        elif name == "Edit" and path in files:
            assert files[path].count(arguments["old_string"]) == 1
            files[path] = files[path].replace(arguments["old_string"], arguments["new_string"])
            assert "has been updated" in result
    assert checked >= 12
    assert not any(path.startswith("/repo/tests/") for path in edited())


def edited() -> set[str]:
    return {
        arguments["file_path"] for name, arguments, _ in calls(list(session().messages)) if name in ("Edit", "Write")
    }


def test_no_edit_of_the_excluded_folder_and_the_tests_pass_at_the_end() -> None:
    """The session keeps the constraints that its user set: tests/ stays untouched, and the last full run passes."""
    assert {path.split("/")[2] for path in edited()} == {"pocketcron", "README.md", "CHANGES.md", "pyproject.toml"}
    runs = [
        result for _, arguments, result in calls(list(session().messages)) if "pytest" in arguments.get("command", "")
    ]
    assert runs[0].startswith("Exit code")
    assert re.search(r"^40 passed", runs[-1], re.MULTILINE)
