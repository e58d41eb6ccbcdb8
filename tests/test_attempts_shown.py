"""What was tried is named once in the record, each of its errors beneath it."""

from __future__ import annotations

from context_kit.bridge._attempts import attempt_lines, other_tasks
from context_kit.types import FailedAttempt

SUITE = "`pytest -q`"


def test_one_command_with_several_errors_is_named_once() -> None:
    """The order of the newest errors stays: the newest is the last of all."""
    attempts = [
        FailedAttempt(attempt=f"{SUITE} (m3; solved at m9)", error="KeyError: 'a'"),
        FailedAttempt(attempt="`make docs` (m5)", error="No rule"),
        FailedAttempt(attempt=f"{SUITE} (2×, m12)", error="assert 1 == 2"),
    ]
    assert attempt_lines(attempts) == [
        "- `make docs` (m5) — No rule",
        f"- {SUITE}",
        "  - (m3; solved at m9) — KeyError: 'a'",
        "  - (2×, m12) — assert 1 == 2",
    ]


def test_attempts_of_several_kinds_stand_each_in_a_line() -> None:
    """With or without an address, with or without an error."""
    attempts = [
        FailedAttempt(attempt="The cache is never used. (m2)"),
        FailedAttempt(attempt="(m7)", error="a\nb"),
        FailedAttempt(attempt="Tried the old parser", error="too slow"),
    ]
    assert attempt_lines(attempts) == [
        "- The cache is never used. (m2)",
        "- (m7) — a b",
        "- Tried the old parser — too slow",
    ]


def test_an_open_check_among_the_failed_attempts_is_no_task_as_well() -> None:
    """Once is enough; other tasks, and open checks that stand nowhere else, stay."""
    attempts = [FailedAttempt(attempt=f"{SUITE} (2×, m12; edited since, not verified: m14)", error="assert 1 == 2")]
    tasks = [f"Open: {SUITE} (m12)", "Open: `make docs` (m5)", "Ship it. (m12)", "未解决： `pytest -q` (m12)"]
    assert other_tasks(tasks, attempts) == ["Open: `make docs` (m5)", "Ship it. (m12)"]
