"""A summary that never grows: each field has a share, the newest entries stay."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import Decision, FailedAttempt, FileState, Step, TaskSummary
from context_kit.summary import fold, lines, merge
from context_kit.tokens import counter

COUNT = counter()
FIELDS = ("completed_steps", "current_files", "key_decisions", "failed_attempts", "todo")


def long(count: int) -> TaskSummary:
    return TaskSummary(
        original_goal="Fix it. " * 200,
        completed_steps=[
            Step(text=f"Did thing number {n} to the parser.", files=[f"src/m{n}.py"]) for n in range(count)
        ],
        current_files=[FileState(path=f"src/m{n}.py", state="edited, not verified") for n in range(count)],
        key_decisions=[Decision(decision=f"Chose way {n}.", reason=f"It was {n} times faster.") for n in range(count)],
        failed_attempts=[FailedAttempt(attempt=f"`run {n}`", error=f"ValueError: case {n}") for n in range(count)],
        todo=[f"Do thing {n}." for n in range(count)],
    )


def size(summary: TaskSummary) -> int:
    """Tokens of the five fields as the bridge shows them."""
    return sum(COUNT(lines(entry)) + 2 for name in FIELDS for entry in getattr(summary, name))


def test_what_fits_is_untouched() -> None:
    """No work where none is due."""
    summary = long(3)
    assert fold(summary, 10_000, COUNT) is summary


def test_the_goal_is_not_the_summarys_to_shorten() -> None:
    """It counts with the pins."""
    assert fold(long(200), 300, COUNT).original_goal == long(200).original_goal


def test_the_newest_entries_stay() -> None:
    """Of what piled up the oldest go; of files and tasks the first are the ones in work."""
    whole = long(200)
    found = fold(whole, 1_200, COUNT)
    for name in ("completed_steps", "key_decisions", "failed_attempts"):
        entries = getattr(found, name)
        assert entries == getattr(whole, name)[200 - len(entries) :]
    assert found.current_files == whole.current_files[: len(found.current_files)]
    assert found.todo == whole.todo[: len(found.todo)]


@pytest.mark.parametrize("limit", [600, 4_000])
def test_no_field_is_folded_away(limit: int) -> None:
    """Six fields stay six: one that has matter keeps at least its newest entry, however long the others are."""
    found = fold(long(200), limit, COUNT)
    assert [name for name in FIELDS if not getattr(found, name)] == []


def test_what_small_fields_leave_goes_to_the_others() -> None:
    """One long field alone may have nearly everything: nothing is dropped while its room stands empty."""
    summary = TaskSummary(completed_steps=long(200).completed_steps, todo=["Ship it."])
    found = fold(summary, 600, COUNT)
    assert found.todo == ["Ship it."]
    assert size(found) > 500


def test_a_long_entry_is_clipped_before_a_short_one_goes() -> None:
    """No single entry takes more than half of its field while others wait."""
    giant = Step(text="word " * 4_000)
    small = [Step(text=f"Did thing {n}.") for n in range(3)]
    found = fold(TaskSummary(completed_steps=[*small, giant]), 200, COUNT)
    assert [step.text for step in found.completed_steps[:-1]] == [step.text for step in small]
    assert found.completed_steps[-1].text.endswith("…")


def test_the_errors_own_words_are_worth_more_than_the_attempts_name() -> None:
    """A clipped attempt keeps the head of its error."""
    attempt = FailedAttempt(attempt="run " * 400, error="ValueError: bad token at line 7 " * 40)
    (found,) = fold(TaskSummary(failed_attempts=[attempt]), 60, COUNT).failed_attempts
    assert found.error.startswith("ValueError: bad token at line 7")


def test_a_long_entry_is_clipped_and_never_dropped() -> None:
    """Where its head is denser than its tail, too: Chinese first, then spaces and letters."""
    dense = "先修复登录接口，再补充文档。" * 40 + "a " * 3_000
    (found,) = fold(TaskSummary(completed_steps=[Step(text=dense)]), 100, COUNT).completed_steps
    assert found.text.startswith("先修复登录接口")
    (task,) = fold(TaskSummary(todo=[dense]), 100, COUNT).todo
    assert task.startswith("先修复登录接口")


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 60), st.integers(0, 3_000))
def test_a_folded_summary_is_within_its_limit(count: int, limit: int) -> None:
    """Whatever comes in; and folding twice changes nothing more."""
    found = fold(long(count), limit, COUNT)
    assert size(found) <= limit
    assert fold(found, limit, COUNT) == found


@pytest.mark.parametrize(
    ("result", "kept"),
    [
        ("Ran 69 tests in 0.041s; OK", "Ran 69 tests"),
        ("12 passed, 1 skipped in 0.33s", "12 passed"),
        ("test result: ok. 5 passed; 0 failed", "test result: ok. 5 passed"),
        ("no figure at all, whatever was looked at in there", ""),
        ("took 0.25s", ""),
    ],
)
def test_a_result_is_shortened_to_its_first_count(result: str, kept: str) -> None:
    """What a run came to outlives the rest of its result; that it passed is said where there is no count."""
    steps = [Step(text=f"`run test {n}` → {result}; {'and more ' * 6}(m{n})") for n in range(8)]
    found = fold(TaskSummary(completed_steps=steps), 165, COUNT).completed_steps
    end = f" → {kept}" if kept else " ok"
    assert [step.text for step in found] == [f"`run test {n}`{end}" for n in range(8)]


def test_merging_piles_up_each_entry_once() -> None:
    """The newer word wins: files by path, entries once at their newest place, the newest todo list."""
    before = TaskSummary(
        original_goal="a",
        completed_steps=[Step(text="One."), Step(text="Two.")],
        current_files=[FileState(path="a.py", state="read"), FileState(path="b.py", state="read")],
        todo=["Three.", "Four."],
    )
    new = TaskSummary(
        original_goal="b",
        completed_steps=[Step(text="Three."), Step(text="one")],
        current_files=[FileState(path="a.py", state="edited")],
    )
    found = merge(before, new)
    assert found.original_goal == "a"
    assert [step.text for step in found.completed_steps] == ["Two.", "Three.", "one"]
    assert found.current_files == [FileState(path="a.py", state="edited"), FileState(path="b.py", state="read")]
    assert found.todo == ["Four."]
    assert merge(None, new) == new


def test_fifty_merges_and_folds_leave_the_size_of_one() -> None:
    """No growth over fifty compactions."""
    summary: TaskSummary | None = None
    sizes: list[int] = []
    for number in range(50):
        new = TaskSummary(
            completed_steps=[Step(text=f"Round {number}, step {n}.", files=[f"f{number}_{n}.py"]) for n in range(8)],
            failed_attempts=[FailedAttempt(attempt=f"`t {number}`", error=f"E{number}: no")],
            todo=[f"Round {number + 1}."],
        )
        summary = fold(merge(summary, new), 400, COUNT)
        sizes.append(size(summary))
    assert max(sizes) <= 400
    assert summary is not None
    assert "Round 49, step 7." in [step.text for step in summary.completed_steps]
    assert summary.todo == ["Round 50."]


def test_a_clipped_task_keeps_its_address() -> None:
    """What is left out comes back by it."""
    command = "python -m django test " + ".".join(["migrations"] * 40)
    found = fold(TaskSummary(todo=[f"Open: `{command}` (m127)", "Ship it.", "Tell Mia."]), 60, COUNT)
    assert found.todo[0].startswith("Open: `django test…")
    assert found.todo[0].endswith("` (m127)")
    assert found.todo[1:] == ["Ship it.", "Tell Mia."]


def test_commits_give_way_to_what_checks_counted() -> None:
    """Where all have no room, the newest of each kind stays, with how many there were; a check keeps its figure."""
    check = Step(text="`make test` → Ran 97 tests in 0.4s OK (m12)")
    commits = [Step(text=f"`git commit` → [main {n:07x}] Converted module {n} (m{20 + n})") for n in range(40)]
    push = Step(text="`git push` → 0000000..0000027 main -> main (m70)")
    told = [
        step.text for step in fold(TaskSummary(completed_steps=[check, *commits, push]), 200, COUNT).completed_steps
    ]
    assert any("Ran 97 tests" in text for text in told)
    assert "`git commit` → [main 0000027] Converted module 39 (m59, 40×)" in told
    assert push.text in told
