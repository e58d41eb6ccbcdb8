"""The extractive summary: six fields from the log alone, with no model; it never composes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from context_kit import TaskSummary
from context_kit._steps import Entry, Steps
from context_kit.engrams import Trail
from context_kit.summary import extract, first_line
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import read
from tests.talks import CODE, FAILED, GOAL, GOAL_ZH, PASSED, SHAPES, looks, reads, runs, session, told, writes


def trailed(talk: Sequence[Message]) -> Trail:
    trail = Trail()
    steps = Steps()
    entries: list[Entry] = []
    for number, raw in enumerate(talk, 1):
        message = read(raw).messages[0]
        if steps.shape is None and message.shape is not None:
            steps.shape = message.shape
        entries.append(Entry(number, message, 10))
        steps.home(message)
        steps.place(entries[-1])
    trail.follow(entries)
    return trail


def extracted(talk: Sequence[Message], *, cut: int = 10_000, language: str = "en") -> TaskSummary:
    return extract(trailed(talk), cut=cut, redact=lambda text: text, language=language)


@pytest.mark.parametrize("shape", SHAPES)
def test_all_six_fields_are_filled_from_a_session(shape: Shape) -> None:
    """Goal, steps with files, the file in work, a decision with its reason, the error's own text, what is next."""
    found = extracted(session(shape))
    assert found.original_goal == GOAL
    assert any(step.files == ["src/calc.py"] and "Edited" in step.text for step in found.completed_steps)
    assert [state.path for state in found.current_files] == ["src/calc.py"]
    assert "a check failed since" in found.current_files[0].state
    assert [(d.decision.split(" (")[0], d.reason) for d in found.key_decisions] == [
        ("I decided to return 0 instead of raising, because the test asks for it.", "the test asks for it")
    ]
    (attempt,) = found.failed_attempts
    assert attempt.attempt.startswith("`pytest -q`")
    assert "ZeroDivisionError: division by zero" in attempt.error
    assert any("pytest -q" in task for task in found.todo)


@pytest.mark.parametrize("shape", SHAPES)
def test_parallel_commands_keep_their_own_results(shape: Shape) -> None:
    """Also where all results come in one message, under one address."""
    calls = [
        Call("Bash", {"command": f"pytest {name}"}, result=result, id=name, failed=result == FAILED)
        for name, result in (("a.py", FAILED), ("b.py", "5 passed in 0.1s"))
    ]
    talk = tool_round(calls, shape=shape)
    found = extracted([user(GOAL), *talk])
    steps = [step.text.rpartition(" (")[0] for step in found.completed_steps]
    assert "`pytest b.py` → 5 passed in 0.1s" in steps
    (attempt,) = found.failed_attempts
    assert attempt.attempt.startswith("`pytest a.py` (")
    assert attempt.error.endswith("1 failed, 3 passed in 0.12s")


@pytest.mark.parametrize("command", ["ls nope", 'git commit -m "first try"', "python guess.py"])
def test_only_a_failed_check_is_work_left(command: str) -> None:
    """A look at something that isn't there is an attempt that failed, and no task."""
    failed = runs("chat", "No such file or directory\nExit code 1", id="l1", command=command, failed=True)
    found = extracted([user(GOAL), *runs("chat", FAILED, id="t1", failed=True), *failed])
    assert [task for task in found.todo if task.startswith("Open:")] == ["Open: `pytest -q` (m3)"]


def test_a_chinese_session_is_told_in_chinese() -> None:
    """The few words of its own are the conversation's."""
    found = extracted(session("chat", "zh"), language="zh")
    assert found.original_goal == GOAL_ZH
    assert any("已编辑 src/calc.py" in step.text for step in found.completed_steps)
    assert any(
        decision.decision.startswith("我决定返回 0") and "测试要求这样" in decision.reason
        for decision in found.key_decisions
    )


def test_an_empty_session_gives_an_empty_summary() -> None:
    """No field invents anything."""
    assert extracted([]) == TaskSummary()
    assert extracted([user("hi")]) == TaskSummary(original_goal="hi")


def test_every_sentence_is_the_sessions_own() -> None:
    """Beside paths, positions and a few fixed words there is nothing that the log doesn't hold."""
    talk = session()
    text = told(talk)
    found = extracted(talk)
    assert all(part in text for attempt in found.failed_attempts for part in attempt.error.split(" … "))
    assert all(decision.decision.rpartition(" (m")[0] in text for decision in found.key_decisions)
    assert all(path in text for step in found.completed_steps for path in step.files)


def test_a_verifying_command_is_told_with_its_last_result() -> None:
    """Once, with the newest outcome and how often it ran."""
    talk = [
        user(GOAL),
        *runs("chat", f"Exit code 1\n{FAILED}", id="t1"),
        *writes("chat", "src/calc.py", CODE, id="w1"),
        *runs("chat", PASSED, id="t2"),
    ]
    steps = [step.text for step in extracted(talk).completed_steps if "pytest" in step.text]
    assert len(steps) == 1
    assert "4 passed" in steps[0]
    assert "2×" in steps[0]


def test_every_edited_file_and_every_file_read_and_not_edited_since() -> None:
    """The main cure for repeated work: path and address of each, the newest last."""
    talk = [user(GOAL)]
    for number in range(5):
        talk += reads("chat", f"docs/part_{number}.md", "words\n" * 5, id=f"r{number}")
        talk += writes("chat", f"src/part_{number}.py", "x = 1\n", id=f"w{number}")
    talk += writes("chat", "docs/part_0.md", "new words\n", id="w9")
    found = extracted(talk)
    read_only = [step.files[0] for step in found.completed_steps if step.text.startswith("Read")]
    edited = [step.files[0] for step in found.completed_steps if step.text.startswith("Edited")]
    assert read_only == [f"docs/part_{number}.md" for number in range(1, 5)]
    assert edited == [*(f"src/part_{number}.py" for number in range(5)), "docs/part_0.md"]
    assert all("(m" in step.text for step in found.completed_steps if step.files)


def test_the_same_failure_is_one_line_with_its_count() -> None:
    """Six tries of one thing are one attempt; another error of the same command is another."""
    talk = [user(GOAL)]
    for number in range(6):
        talk += runs("chat", f"Exit code 1\n{FAILED}", id=f"t{number}")
    talk += runs("chat", "Exit code 1\nImportError: no module named calc", id="t9")
    found = extracted(talk).failed_attempts
    assert len(found) == 2
    assert "6×" in found[0].attempt
    assert found[1].error == "ImportError: no module named calc"


def test_open_failures_stand_after_solved_ones() -> None:
    """The newest open one is the last: what folds, folds from the front."""
    talk = [
        user(GOAL),
        *runs("chat", "Exit code 1\nValueError: one", id="a", command="make one"),
        *runs("chat", "Exit code 1\nValueError: two", id="b", command="make two"),
        *runs("chat", "done", id="c", command="make two"),
    ]
    found = extracted(talk).failed_attempts
    assert [attempt.error for attempt in found] == ["ValueError: two", "ValueError: one"]
    assert "solved" in found[0].attempt


def test_what_failed_and_what_was_only_found_are_no_completed_steps() -> None:
    """A check that failed last, and a pitfall that raised no error, stand among the failed attempts."""
    talk = [
        user(GOAL),
        *assistant("The file is never closed. src/writer.py:2 leaks the handle."),
        *looks("chat", 1),
        *runs("chat", f"Exit code 1\n{FAILED}", id="t1"),
    ]
    found = extracted(talk)
    assert not any("leaks the handle" in step.text or "pytest" in step.text for step in found.completed_steps)
    finding, failure = found.failed_attempts
    assert finding.attempt == "The file is never closed. src/writer.py:2 leaks the handle. (m2)"
    assert failure.attempt.startswith("`pytest -q` (")


def test_narrative_is_taken_from_what_leaves() -> None:
    """What was said in the tail stands there; it is not told twice."""
    talk = [
        user(GOAL),
        *assistant("The parser drops the last token because of an off-by-one error."),
        *looks("chat", 1),
    ]
    assert any("off-by-one" in step.text for step in extracted(talk).completed_steps)
    assert not any("off-by-one" in step.text for step in extracted(talk, cut=2).completed_steps)


def test_the_agents_own_plan_is_the_todo() -> None:
    """Open items of its task list first, the one in progress at the front."""
    todos = [
        {"content": "Read the code", "status": "completed", "activeForm": "Reading"},
        {"content": "Write the test", "status": "pending", "activeForm": "Writing"},
        {"content": "Fix divide()", "status": "in_progress", "activeForm": "Fixing"},
    ]
    talk = [user(GOAL), *tool_round([Call("TodoWrite", {"todos": todos}, result="Todos have been modified", id="p")])]
    assert extracted(talk).todo[:2] == ["Fix divide()", "Write the test"]


def test_secrets_are_taken_out_of_every_field() -> None:
    """What is made from the log is redacted before it is cut."""
    secret = "sk-ant-api03-" + "a1B2" * 12
    talk = [
        user(f"Use the key {secret} to log in."),
        *assistant(f"I decided to use {secret} because the other one is old."),
        *runs("chat", f"Exit code 1\nAuthError: {secret} is not valid", id="t1", command=f"login --key {secret}"),
    ]
    found = extract(trailed(talk), cut=99, redact=lambda text: text.replace(secret, "[gone]"), language="en")
    assert secret not in found.model_dump_json()
    assert "[gone]" in found.model_dump_json()


def test_a_first_line_is_clipped_and_says_so() -> None:
    """Blank lines are skipped; a longer line ends in an ellipsis within its limit."""
    assert first_line("\n\n  one  \ntwo") == "one"
    assert first_line("") == ""
    assert first_line("x" * 300) == "x" * 239 + "…"
    assert len(first_line("word " * 100, 50)) <= 50


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "I'll use 20111 for the mailer port because it is free.",
            "I switch the mailer port from 20111 to 30222, it clashes.",
        ),
        (
            "Decision: the batch size is 64, since the tests expect it.",
            "On second thought the batch size should be 128.",
        ),
        (
            "I choose FooStore for the class name: it needs no migration.",
            "I no longer use FooStore for the class name; BarStore it is.",
        ),
        (
            "I decided on lxml as the library for parsing.",
            "I replace lxml with selectolax as the library for parsing, because support ended.",
        ),
        ("I'll use 300 MB for the limit because it fits.", "The limit doesn't work with 300 MB, so I use 512 MB."),
        ("端口我选 20111，因为空闲。", "端口用 20111 行不通，所以用 30222。"),
        ("决定：批大小为 64，因为测试这样要求。", "再想想，批大小应该是 128，因为限制变了。"),
        ("解析用的库采用 lxml，原因是文档推荐它。", "解析用的库不再用 lxml，改为 selectolax，因为许可证问题。"),
    ],
)
def test_of_each_subject_the_newest_decision_is_told(first: str, second: str) -> None:
    """What the assistant decided before and took back is left out, what it decided of other things is not."""
    other = "I'll use 5 workers for the queue because the host has six cores."
    talk = [user(GOAL), *(message for text in (first, other, second) for message in assistant(text))]
    told = [decision.decision.rpartition(" (m")[0] for decision in extracted(talk).key_decisions]
    assert told == [other, second]


def test_what_the_person_changes_is_no_decision_any_more() -> None:
    """Also where the change stands in the tail, the old value is not told before it."""
    talk = [
        user(GOAL),
        *assistant("I'll use 20111 for the mailer port because it is free."),
        user("Please use 30222 for the mailer port instead."),
    ]
    found = extracted(talk, cut=3)
    assert found.key_decisions == []
    assert not any("20111" in step.text for step in found.completed_steps)


@pytest.mark.parametrize("shape", SHAPES)
def test_commits_and_their_like_are_completed_steps(shape: Shape) -> None:
    """With the line that shows each, and where."""
    talk = [
        user(GOAL, shape=shape),
        *tool_round([Call("Bash", {"command": "git commit -am 'one'"}, result="[main 7e00b6e] one\n 1 file changed")], shape=shape),
        *tool_round([Call("Bash", {"command": "gh pr create --fill"}, result="https://forge.example/x/pull/136")], shape=shape),
        *tool_round([Call("Bash", {"command": "git push"}, result="Everything up-to-date")], shape=shape),
    ]  # fmt: skip
    steps = [step.text for step in extracted(talk).completed_steps]
    assert steps == [
        "`git commit` → [main 7e00b6e] one (m3)",
        "`gh pr create` → https://forge.example/x/pull/136 (m5)",
    ]


def test_a_wider_check_and_another_message_solve_a_failed_attempt() -> None:
    """`pytest -q` after `pytest -q tests/a.py`, a commit with other words: both are marked as solved."""
    talk = [
        user(GOAL, shape="anthropic"),
        *tool_round([Call("Bash", {"command": "pytest -q tests/a.py"}, result=FAILED, failed=True)], shape="anthropic"),
        *tool_round(
            [Call("Bash", {"command": "git add . && git commit -m 'one'"}, result="error: lint", failed=True)],
            shape="anthropic",
        ),
        *tool_round([Call("Bash", {"command": "pytest -q"}, result=PASSED)], shape="anthropic"),
        *tool_round(
            [Call("Bash", {"command": "git commit -am 'two'"}, result="[main 7e00b6e] two")], shape="anthropic"
        ),
    ]
    assert ["solved" in each.attempt for each in extracted(talk).failed_attempts] == [True, True]


@pytest.mark.parametrize(
    ("failed", "passed", "said", "solved"),
    [
        ("pytest -q", "pytest -q", PASSED, True),
        ("pytest -q", "pytest -q", "9 skipped in 0.01s", False),
        ("pytest -q", "pytest -q --collect-only", "9 tests collected in 0.01s", False),
        ("cd web && pytest -q", "cd api && pytest -q", PASSED, False),
        ("cd web && pytest -q", "pytest -q", PASSED, True),
    ],
)
def test_a_check_that_did_not_look_at_it_solves_nothing(failed: str, passed: str, said: str, solved: bool) -> None:
    """One that tested nothing, or ran in another folder as both say; a shell may stand in the folder already."""
    talk = [
        user(GOAL, shape="anthropic"),
        *tool_round([Call("Bash", {"command": failed}, result=FAILED, failed=True)], shape="anthropic"),
        *tool_round([Call("Bash", {"command": passed}, result=said)], shape="anthropic"),
    ]
    (attempt,) = extracted(talk).failed_attempts
    assert ("solved" in attempt.attempt) is solved


def test_words_beside_a_refusal_are_the_persons() -> None:
    """They bind like any other words; the refused call is no failed attempt."""
    said = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nNever push."
    )
    talk = [
        user(GOAL, shape="anthropic"),
        *tool_round([Call("Bash", {"command": "git push"}, result=said, failed=True)], shape="anthropic"),
    ]
    trail = trailed(talk)
    assert [words.text for words in trail.words] == [GOAL, "Never push."]
    assert extracted(talk).failed_attempts == []
