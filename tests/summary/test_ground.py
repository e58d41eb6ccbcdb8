"""What must be true of a summary is set by code: put back where it was forgotten, marked where the log proves it wrong."""

from __future__ import annotations

import pytest

from context_kit import Decision, FailedAttempt, FileState, Step, TaskSummary
from context_kit.summary import extract, ground
from context_kit.testing import Call, tool_round, user
from context_kit.typing import Message
from tests.summary.replies import TALK, entries_of, ran, same, shown, summary, trail_of, wrote


def grounded(said: TaskSummary, talk: list[Message]) -> TaskSummary:
    trail = trail_of(entries_of(talk))
    known = extract(trail, cut=len(talk) + 1, redact=same, language=trail.language)
    return ground(said, known, same, trail=trail)


FAILING = [*TALK, *ran("pytest -q", "TypeError: parse_items() missing 1 argument\n3 failed", failed=True, id="third")]
BARE = summary("I looked around.")


def test_what_a_model_forgot_is_put_back_into_its_field() -> None:
    """Edited and read files, the open failure with the command that showed it, the goal."""
    talk = [*FAILING, *shown("src/other.py", "x = 1\n")]
    found = grounded(BARE, talk)
    named = {path for step in found.completed_steps for path in step.files}
    assert {"src/parse.py", "src/other.py"} <= named
    (made,) = (made for made in found.failed_attempts if "TypeError: parse_items() missing 1 argument" in made.error)
    assert made.attempt.startswith("`pytest -q` (")
    assert not any("pytest" in step.text for step in found.completed_steps)
    assert found.original_goal == "Make the parser of src/parse.py accept empty input. Never touch the tests."
    assert found.completed_steps[0] == BARE.completed_steps[0]


def test_a_decision_with_a_value_is_put_back() -> None:
    """The model's own stand last, where they are newest; one that has the value already is not doubled."""
    told = "I decided to use parse_rows instead of split because it keeps 4096 rows."
    talk = [*TALK, *ran("ls", "src", said=told)]
    mine = Decision(decision="Skip empty items.")
    decisions = [made.decision for made in grounded(summary(key_decisions=[mine]), talk).key_decisions]
    assert any("parse_rows" in made for made in decisions)
    assert decisions[-1] == "Skip empty items."
    again = Decision(decision="Rows come from parse_rows, 4096 of them, no split.")
    assert grounded(summary(key_decisions=[again]), talk).key_decisions == [again]


def test_a_models_attempt_gets_the_logs_name_error_and_address() -> None:
    """One entry for one failure: the model's words, the command, the error's own text, where it stands."""
    said = summary(
        failed_attempts=[FailedAttempt(attempt="Called it without its argument", error="missing 1 argument")]
    )
    (made,) = [one for one in grounded(said, FAILING).failed_attempts if "missing 1 argument" in one.error]
    assert made.attempt.startswith("Called it without its argument: `pytest -q` (m")
    assert made.error == "TypeError: parse_items() missing 1 argument"


def test_a_solved_error_is_told_as_solved_whatever_the_model_says() -> None:
    """The log saw the command pass."""
    error = "ValueError: invalid literal for int() with base 10: ''"
    said = summary(failed_attempts=[FailedAttempt(attempt="pytest -q still fails", error=error)])
    (made,) = [one for one in grounded(said, TALK).failed_attempts if one.error.startswith(error)]
    assert "solved at m" in made.attempt


@pytest.mark.parametrize(
    "text",
    [
        "Fixed the parser; all tests pass.",
        "pytest -q is green, 13 passed",
        "解析函数改好了，测试全部通过",
        "Tests passed after the fix",
    ],
)
def test_a_pass_that_failed_since_is_marked(text: str) -> None:
    """The step stays, and says that it no longer holds; while the newest run passes nothing is marked."""
    assert grounded(summary(text), TALK).completed_steps[0].text == text
    marked = grounded(summary(text), FAILING).completed_steps[0].text
    assert marked.startswith(text)
    assert "a check failed since" in marked


@pytest.mark.parametrize(
    "text", ["Make the tests pass", "The tests do not pass yet", "Wrote notes until the tests pass"]
)
def test_what_claims_no_success_is_not_marked(text: str) -> None:
    """Wishes and denials say nothing that the log could prove wrong."""
    assert grounded(summary(text), FAILING).completed_steps[0].text == text


@pytest.mark.parametrize(
    ("state", "holds"),
    [
        ("rewritten, tests pass", False),
        ("verified", False),
        ("deleted", False),
        ("empty items are skipped now", True),
        ("tests fail", True),
    ],
)
def test_a_files_state_that_the_log_proves_wrong_is_replaced(state: str, holds: bool) -> None:
    """By what the log says of the same file."""
    said = summary(current_files=[FileState(path="src/parse.py", state=state)])
    (file,) = [one for one in grounded(said, FAILING).current_files if one.path == "src/parse.py"]
    assert (file.state == state) is holds
    assert holds or "a check failed since" in file.state


def test_a_file_that_fails_no_longer_is_told_as_checked() -> None:
    """The other way round as well."""
    said = summary(current_files=[FileState(path="src/parse.py", state="edited, the tests fail")])
    (file,) = [one for one in grounded(said, TALK).current_files if one.path == "src/parse.py"]
    assert "a check passed since" in file.state


def test_a_task_that_the_plan_calls_done_is_no_task_and_an_open_one_is_put_back() -> None:
    """The plan's own words, as the agent's tool left it."""
    todos = [{"content": "Fix the parser", "status": "completed"}, {"content": "Write the notes", "status": "pending"}]
    plan = tool_round([Call("TodoWrite", {"todos": todos}, result="ok", id="plan")], text="I plan.")
    found = grounded(summary(todo=["Fix the parser", "Tell the person"]), [*TALK, *plan])
    assert found.todo == ["Tell the person", "Write the notes"]


def test_what_a_person_corrected_later_is_gone() -> None:
    """The newest value stands; what says it already, and what is about something else, is untouched."""
    talk = [
        *TALK,
        user("Actually, use port 9100 instead of port 8000 for the server."),
        *wrote("src/server.py", "PORT = 9100\n"),
    ]
    said = summary(
        "Read the notes of the server.",
        key_decisions=[
            Decision(decision="Use port 8000 for the server"),
            Decision(decision="Use port 9100 for the server"),
            Decision(decision="Keep 12 workers in the pool"),
        ],
    )
    kept = [made.decision for made in grounded(said, talk).key_decisions]
    assert "Use port 8000 for the server" not in kept
    assert {"Use port 9100 for the server", "Keep 12 workers in the pool"} <= set(kept)


def test_a_step_that_deleted_a_file_which_is_still_there_goes() -> None:
    """No act of the session took it away; a step about a file that was removed stays."""
    removed = [*TALK, *ran("rm src/old.py", ""), *shown("src/keep.py", "x = 1\n")]
    lie = Step(text="Deleted the parser", files=["src/parse.py"])
    true = Step(text="Deleted the old one", files=["src/old.py"])
    steps = grounded(TaskSummary(completed_steps=[lie, true]), removed).completed_steps
    assert lie not in steps
    assert true in steps
