"""The benchmarks' ground truth gives exactly what a person found by reading ten sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks._truth._calls import calls_of
from benchmarks._truth._failures import failures_of
from benchmarks._truth._files import edited, read, run_tests, same_files
from benchmarks._truth._person import constraints_in, person_texts

SHARED = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
CHECKED: dict[str, Any] = json.loads((Path(__file__).with_name("hand_checked.json")).read_text("utf-8"))


def document(name: str) -> dict[str, Any]:
    path = SHARED / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"the shared transcripts are not here: {path.name}")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def by_end(found: dict[str, list[int]], ends: dict[str, list[int]]) -> dict[str, list[int]]:
    """The found files under the endings that the list names; what the list doesn't name keeps its path."""

    def name(path: str) -> str:
        return next((end for end in ends if path == end or path.endswith("/" + end)), path)

    return {name(path): places for path, places in found.items()}


def places(calls: list[Any], take: Any) -> dict[str, list[int]]:
    spelled: dict[str, list[int]] = {}
    for call in calls:
        for path in dict.fromkeys(take(call)):
            spelled.setdefault(path, []).append(call.index)
    files = same_files(spelled)
    return {path: sorted(at for spelling in spellings for at in spelled[spelling]) for path, spellings in files.items()}


@pytest.mark.parametrize("name", CHECKED)
def test_files_are_those_a_reader_found(name: str) -> None:
    """Edited and read files, each with the messages that did it, are exactly the hand-made list."""
    calls, expected = calls_of(document(name)), CHECKED[name]
    assert by_end(places(calls, edited), expected["edited"]) == expected["edited"]
    assert by_end(places(calls, read), expected["read"]) == expected["read"]


@pytest.mark.parametrize("name", CHECKED)
def test_open_errors_are_those_a_reader_found(name: str) -> None:
    """The last lines of the failures that are open at the end are exactly the hand-made list."""
    session = document(name)
    end = len(session["messages"])
    found = sorted((each.answered, each.line) for each in failures_of(calls_of(session), end, end))
    expected = sorted((at, line) for at, line in CHECKED[name]["errors"])
    assert [at for at, _ in found] == [at for at, _ in expected]
    assert all(line.startswith(start) for (_, line), (_, start) in zip(found, expected, strict=True)), found


@pytest.mark.parametrize("name", CHECKED)
def test_rules_and_tests_are_those_a_reader_found(name: str) -> None:
    """The user's constraint sentences and the test commands are exactly the hand-made list."""
    session, expected = document(name), CHECKED[name]
    found = [(at, rule) for at, text in person_texts(session) for rule in constraints_in(text)]
    assert [at for at, _ in found] == [at for at, _ in expected["rules"]]
    assert all(rule.startswith(start) for (_, rule), (_, start) in zip(found, expected["rules"], strict=True)), found
    commands: dict[str, list[int]] = {}
    for call in calls_of(session):
        for command in dict.fromkeys(run_tests(call)):
            commands.setdefault(command, []).append(call.index)
    assert commands == expected["tests"]
