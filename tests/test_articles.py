"""The mission in one file: the rules of the two articles, one named test each.

When to compact, what is never lost, who goes first, when a fragment is let go, what the summary
holds, and what the receipt says.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from context_kit import Budget, Compaction, ContextManager, Decision, Step, TaskSummary
from context_kit.testing import Call, ScriptedLLM, assistant, tool_round, user
from context_kit.typing import Message
from tests.talks import (
    CODE,
    FAILED,
    GOAL,
    NEWEST,
    PASSED,
    SHAPES,
    filler,
    looks,
    prints,
    reads,
    runs,
    session,
    steps,
    told,
    writes,
)

WINDOW = 100_000
FIELDS = ("original_goal", "completed_steps", "current_files", "key_decisions", "failed_attempts", "todo")


# -- when ------------------------------------------------------------------------------------


def gauge(window: int = WINDOW, **settings: Any) -> ContextManager:
    """A session in which a character is a token, so that a level can be met exactly."""
    return ContextManager(window, count=len, **settings)


def fill(ctx: ContextManager, share: float, *, loop: bool = False, step: int = 400) -> None:
    """Bring a session to a share of its window: with talk, or inside a tool loop of small steps."""
    if not ctx.messages:
        ctx.add(user("Go."))
    number = len(ctx.messages)
    while ctx.usage.tokens < share * ctx.usage.window - 3 * step:
        number += 1
        size = step if loop or number % 2 else 2 * step
        ctx.add(tool_round([Call("Bash", {"command": "ls"}, result="x" * size, id=f"c{number}")]))
    if not loop:
        ctx.add(user("x" * max(int(share * ctx.usage.window) - ctx.usage.tokens - 3, 1)))
    else:
        missing = int(share * ctx.usage.window) - ctx.usage.tokens
        frame = sum(map(len, ("Bash", '{"command": "ls"}'))) + 3 + 10 + 3 + 6
        ctx.add(tool_round([Call("Bash", {"command": "ls"}, result="x" * (missing - frame), id=f"c{number + 1}")]))


def triggers(ctx: ContextManager) -> list[str]:
    ctx.prepare()
    return [receipt.trigger for receipt in ctx.compactions if receipt.outcome == "applied"]


def test_the_band_is_70_to_75_percent() -> None:
    """Early enough that a summary has room, late enough that little is lost."""
    budget = Budget(WINDOW)
    assert (budget.soft, budget.hard) == (0.70, 0.75)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.69])
def test_below_soft_nothing_is_ever_compacted(share: float, loop: bool) -> None:
    """Not at a turn's end, not inside a tool loop."""
    ctx = gauge()
    fill(ctx, share, loop=loop)
    assert ctx.usage.level == "ok"
    assert triggers(ctx) == []


@pytest.mark.parametrize("share", [0.701, 0.72, 0.745])
def test_at_soft_a_turn_boundary_compacts(share: float) -> None:
    """Where the last message is no tool result, the band's lower edge is enough."""
    ctx = gauge()
    fill(ctx, share)
    assert ctx.usage.level == "soft"
    assert triggers(ctx) == ["soft"]


def test_at_soft_a_tool_loop_goes_on() -> None:
    """Inside a loop whose usual step still fits under hard, the agent is not interrupted."""
    ctx = gauge()
    fill(ctx, 0.72, loop=True)
    assert ctx.usage.level == "soft"
    assert triggers(ctx) == []


def test_at_soft_a_tool_loop_whose_next_step_would_pass_hard_is_compacted() -> None:
    """The usual next step is the median of the newest sixteen: where it would pass hard, now is better than then."""
    ctx = gauge()
    fill(ctx, 0.735, loop=True, step=2_400)
    assert ctx.usage.level == "soft"
    assert triggers(ctx) == ["soft"]


@pytest.mark.parametrize("loop", [False, True])
def test_at_hard_any_step_boundary_compacts(loop: bool) -> None:
    """75 % is where waiting ends."""
    ctx = gauge()
    fill(ctx, 0.755, loop=loop)
    assert ctx.usage.level == "hard"
    assert triggers(ctx) == ["hard"]


def test_what_does_not_fit_is_compacted_at_once() -> None:
    """One giant output that leaves no room for the reply: no band is asked."""
    ctx = gauge()
    fill(ctx, 0.30, loop=True)
    ctx.add(tool_round([Call("Bash", {"command": "cat x"}, result="x y " * 20_000, id="giant")]))
    assert ctx.usage.tokens > WINDOW
    assert triggers(ctx) == ["hard"]
    assert ctx.usage.tokens <= Budget(WINDOW).room


def test_two_compactions_have_real_growth_between_them() -> None:
    """At least 5 % of the window came in before the next automatic one, applied or not."""
    ctx = gauge(10_000)
    fill(ctx, 0.72)
    ctx.prepare()
    sizes = [len(ctx.compactions)]
    grown = 0
    for number in range(400):
        before = ctx.usage.tokens
        ctx.add([*assistant("ok " * 20), user(f"and {number}")])
        grown += ctx.usage.tokens - before
        ctx.prepare()
        if len(ctx.compactions) > sizes[-1]:
            assert grown >= 0.05 * 10_000
            sizes.append(len(ctx.compactions))
            grown = 0
    assert len(sizes) > 3


def test_after_a_compaction_the_window_is_at_most_40_percent_full() -> None:
    """Head, bridge and tail together; so the next one is far away."""
    ctx = gauge()
    fill(ctx, 0.72)
    ctx.prepare()
    assert ctx.usage.share <= 0.40
    assert ctx.compactions[0].tokens_after == ctx.usage.tokens


@pytest.mark.parametrize(("task", "band"), [("code", (0.75, 0.78)), ("chat", (0.70, 0.75)), ("shell", (0.60, 0.65))])
def test_output_that_fills_fast_compacts_early(task: Any, band: tuple[float, float]) -> None:
    """A task has its own band."""
    budget = Budget.for_task(task, WINDOW)
    assert (budget.soft, budget.hard) == band
    ctx = ContextManager(budget=budget, count=len)
    fill(ctx, band[0] + 0.01)
    assert triggers(ctx) == ["soft"]


# -- what is kept word for word ----------------------------------------------------------------


CONTRACT = "def area(width: float, height: float) -> float:"
SHAPES_FILE = f'"""Areas."""\n\n\n{CONTRACT}\n    return width * height\n'


def worked(*, newest: str = NEWEST, looked: int = 12) -> list[Message]:
    """A session with all four kinds: two user texts, a current file, an open error, a contract of another file."""
    return [
        user(GOAL),
        *reads("chat", "src/shapes.py", SHAPES_FILE, id="r1"),
        *reads("chat", "src/calc.py", CODE, id="r2"),
        *writes("chat", "src/calc.py", CODE, id="w1"),
        *runs("chat", f"Exit code 1\n{FAILED}", id="t1"),
        *assistant("It fails."),
        user(newest),
        *(message for number in range(looked) for message in looks("chat", number)),
    ]


def compacted(talk: Sequence[Message], window: int = 8_000, **settings: Any) -> ContextManager:
    ctx = ContextManager(window, **settings)
    ctx.add(list(talk))
    assert ctx.compact().outcome == "applied"
    return ctx


def kinds(ctx: ContextManager) -> list[str]:
    return list(dict.fromkeys(engram.kind for engram in ctx.engrams))


def test_the_four_kinds_are_recognised_by_rules() -> None:
    """The user's words, the current file, the newest open error and contracts are kept, with no model at all."""
    ctx = compacted(worked())
    assert kinds(ctx) == ["user", "file", "error", "contract"]
    text = {kind: "\n".join(e.text for e in ctx.engrams if e.kind == kind) for kind in kinds(ctx)}
    assert NEWEST in text["user"]
    assert text["file"] == CODE
    assert "ZeroDivisionError: division by zero" in text["error"]
    assert CONTRACT in text["contract"]
    assert all(engram.text in told(ctx.messages) for engram in ctx.engrams)


def test_the_order_of_priority_is_user_file_error_contract() -> None:
    """In the bridge the most precious stands first."""
    text = told(compacted(worked()).messages).partition("## Original goal")[2]  # the checkpoint names them before
    places = [
        text.index(words) for words in (f"\n{GOAL}", NEWEST, CODE.splitlines()[4], FAILED.splitlines()[1], CONTRACT)
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("window", [1_000, 1_500, 2_000, 3_000, 5_000, 8_000, 20_000])
def test_engrams_hold_at_most_20_percent(window: int) -> None:
    """However much there is to keep: goal and engrams together stay under the cap, pins too."""
    long = " ".join(f"Requirement {number}: the result of call {number} is kept." for number in range(400))
    ctx = ContextManager(window)
    ctx.add(worked(newest=long, looked=20))
    ctx.add(
        writes(
            "chat",
            "src/big.py",
            "\n".join(f"def f{n}(a: int) -> int:\n    return a + {n}\n" for n in range(300)),
            id="wb",
        )
    )
    ctx.add([message for number in range(30, 50) for message in looks("chat", number)])
    ctx.pin("The port is 4711.")
    receipt = ctx.compact()
    assert receipt.outcome == "applied"
    assert sum(engram.tokens for engram in receipt.engrams) <= 0.20 * window


def test_over_the_cap_contracts_go_first_and_user_words_last() -> None:
    """With less and less room the kinds leave from the bottom; what went keeps its address."""
    seen: list[list[str]] = []
    for window in (8_000, 4_000, 2_500, 1_800, 1_400, 1_200):
        ctx = compacted(worked(), window)
        seen.append(kinds(ctx))
        gone = ctx.compactions[0].evicted
        assert all(ctx.recall(address)[0].text.strip() for address in gone)
    assert seen[0] == ["user", "file", "error", "contract"]
    assert all("user" in now for now in seen)
    lost = [[kind for kind in ("contract", "error", "file") if kind not in now] for now in seen]
    assert all(later[: len(earlier)] == earlier for earlier, later in itertools.pairwise(lost))
    assert lost[-1] != []


def test_a_pin_is_never_evicted() -> None:
    """What the caller pinned stands in every window to come."""
    ctx = ContextManager(8_000)
    ctx.add(worked())
    pin = ctx.pin("The port is 4711.", label="port")
    for number in range(6):
        ctx.add([message for n in range(12) for message in looks("chat", 100 * number + n)])
        ctx.compact()
        assert pin.text in told(ctx.messages)
    ctx.release(pin.id)
    ctx.add([message for n in range(12) for message in looks("chat", 900 + n)])
    ctx.compact()
    assert pin.text not in told(ctx.messages)


def test_another_edited_file_releases_the_one_before() -> None:
    """One file is current: the one edited last. Its status changes at once, its text leaves at the next compaction."""
    ctx = compacted(worked())
    assert [engram.label for engram in ctx.engrams if engram.kind == "file"] == ["src/calc.py"]
    ctx.add(writes("chat", "src/other.py", "def other() -> int:\n    return 1\n", id="w2"))
    assert [engram.status for engram in ctx.engrams if engram.kind == "file"] == ["released"]
    assert CODE in told(ctx.messages)
    ctx.add([message for number in range(50, 64) for message in looks("chat", number)])
    ctx.compact()
    assert [engram.label for engram in ctx.engrams if engram.kind == "file"] == ["src/other.py"]
    assert [piece.text for piece in ctx.recall("f:src/calc.py@8")] == [CODE]


def test_an_edit_inside_a_partly_read_file_stands_in_its_place() -> None:
    """The region that was read, as it is now, once and in the file's own order."""
    ctx = ContextManager(8_000)
    ctx.add(user(GOAL))
    lines = "".join(f"{number:6}→line {number}\n" for number in range(80, 100))
    read = Call("Read", {"file_path": "src/c.go", "offset": 80, "limit": 20}, result=lines, id="r1")
    change = {"file_path": "src/c.go", "old_string": "line 85\nline 86", "new_string": "line 85\nNEW 86"}
    edit = Call("Edit", change, result="The file src/c.go has been updated.", id="e1")
    ctx.add([*tool_round([read]), *tool_round([edit])])
    ctx.add([message for number in range(12) for message in looks("chat", number)])
    ctx.compact()
    (file,) = [engram for engram in ctx.engrams if engram.kind == "file"]
    expected = [f"line {number}" for number in range(80, 100)]
    expected[6] = "NEW 86"
    assert file.text.splitlines() == expected


def test_reading_another_file_does_not_release_the_edited_one() -> None:
    """Looking around is not moving on."""
    ctx = compacted(worked())
    ctx.add(reads("chat", "README.md", "# Read me\n" * 5, id="r9"))
    ctx.add([message for number in range(50, 64) for message in looks("chat", number)])
    ctx.compact()
    assert [engram.label for engram in ctx.engrams if engram.kind == "file"] == ["src/calc.py"]


def test_an_error_is_released_when_its_command_passes() -> None:
    """Only the command's own success ends it."""
    ctx = compacted(worked())
    assert [engram.status for engram in ctx.engrams if engram.kind == "error"] == ["active"]
    ctx.add(runs("chat", PASSED, id="t2"))
    assert [engram.status for engram in ctx.engrams if engram.kind == "error"] == ["released"]
    ctx.add([message for number in range(50, 64) for message in looks("chat", number)])
    ctx.compact()
    assert [engram for engram in ctx.engrams if engram.kind == "error"] == []


def test_an_edit_alone_does_not_release_an_error() -> None:
    """It is a mark: edited since, not verified."""
    ctx = compacted(worked())
    ctx.add(writes("chat", "src/calc.py", CODE.replace("a / b", "a / b if b else 0"), id="w2"))
    assert [engram.status for engram in ctx.engrams if engram.kind == "error"] == ["active"]
    ctx.add([message for number in range(50, 64) for message in looks("chat", number)])
    ctx.compact()
    (error,) = [engram for engram in ctx.engrams if engram.kind == "error"]
    assert "edited since, not verified" in error.label


def test_a_chinese_session_has_the_mark_in_chinese() -> None:
    """The bridge speaks one language."""
    ctx = ContextManager(8_000)
    ctx.add(user("请修复 src/calc.py 里的除法，运行测试确认。"))
    failed = Call("bash", {"command": "pytest -q"}, result="E   ZeroDivisionError: 除以零\n1 failed in 0.1s", id="f1")
    ctx.add(tool_round([failed], text="先运行测试。"))
    ctx.add(writes("chat", "src/calc.py", CODE, id="w1", text="修改除法。"))
    ctx.add([message for number in range(14) for message in looks("chat", number)])
    ctx.compact()
    (error,) = [engram for engram in ctx.engrams if engram.kind == "error"]
    assert error.label.endswith("之后有编辑，未验证")


# -- the six fields -------------------------------------------------------------------------------


def test_the_summary_has_six_fields_in_this_order() -> None:
    """Too many make a model fill them carelessly: six, no more."""
    assert tuple(TaskSummary.model_fields) == FIELDS
    text = told(compacted(worked()).messages)
    headings = ("## Original goal", "## Completed steps", "## Current files", "## Failed attempts", "## Todo")
    places = [text.index(heading) for heading in headings]
    assert places == sorted(places)


REWRITTEN = TaskSummary(
    original_goal="Improve the calculator.",
    completed_steps=[Step(text="Read the code.")],
    key_decisions=[Decision(decision="Return 0 on division by zero.", reason="The test asks for it.")],
    todo=["Run the tests."],
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_goal_is_the_users_own_words_for_ever(shape: Any, language: str) -> None:
    """Set by code, whole, whatever a model writes; after every compaction it is the same text."""
    talk = session(shape, language, looked=24)
    goal = next(message["content"] for message in talk if message.get("role") == "user")
    ctx = ContextManager(9_000, llm=lambda _: REWRITTEN.model_dump_json())
    for message in talk:
        ctx.add(message)
    for number in range(4):
        ctx.add([message for n in range(12) for message in looks(shape, 1_000 * number + n)])
        assert ctx.compact().outcome == "applied"
        assert ctx.summary is not None
        assert ctx.summary.original_goal == goal
        assert goal in told(ctx.messages)
    assert "Improve the calculator." not in told(ctx.messages)


def test_a_later_task_does_not_change_the_goal() -> None:
    """It is a user engram, and the checkpoint names the newest one."""
    ctx = compacted(worked())
    assert ctx.summary is not None
    assert ctx.summary.original_goal == GOAL
    assert NEWEST in [engram.text for engram in ctx.engrams if engram.kind == "user"]
    at = next(engram.source for engram in ctx.engrams if engram.text == NEWEST)
    assert at in told(ctx.messages).split("## Original goal")[0]


@pytest.mark.parametrize("llm", [None, lambda _: REWRITTEN.model_dump_json()])
def test_failed_attempts_carry_the_errors_own_text(llm: Any) -> None:
    """Not "the tests failed": the line that says what went wrong, whether a model wrote the summary or not."""
    ctx = compacted(worked(), llm=llm)
    assert ctx.summary is not None
    assert any("ZeroDivisionError: division by zero" in attempt.error for attempt in ctx.summary.failed_attempts)
    assert any("pytest -q" in attempt.attempt for attempt in ctx.summary.failed_attempts)


def test_a_solved_attempt_stays_listed() -> None:
    """So that nobody goes back to what already failed."""
    talk = [*worked(), *runs("chat", PASSED, id="t2"), *looks("chat", 98), *looks("chat", 99)]
    ctx = compacted(talk)
    assert ctx.summary is not None
    (attempt,) = [one for one in ctx.summary.failed_attempts if "pytest -q" in one.attempt]
    assert "solved" in attempt.attempt


def test_decisions_carry_their_reasons() -> None:
    """What was chosen, and why, in the assistant's own words; without a model, too."""
    ctx = compacted(session())
    assert ctx.summary is not None
    (decision,) = ctx.summary.key_decisions
    assert "return 0 instead of raising" in decision.decision
    assert "the test asks for it" in decision.reason


@pytest.mark.parametrize("llm", [None, lambda _: REWRITTEN.model_dump_json()])
def test_every_edited_file_is_named(llm: Any) -> None:
    """Where a model forgot one, code adds it."""
    edited = [f"src/part_{number}.py" for number in range(6)]
    talk = [
        *worked(),
        *(m for p in edited for m in writes("chat", p, "x = 1\n", id=p)),
        *looks("chat", 98),
        *looks("chat", 99),
    ]
    ctx = compacted(talk, 12_000, llm=llm)
    assert ctx.summary is not None
    named = {path for step in ctx.summary.completed_steps for path in step.files}
    assert {*edited, "src/calc.py"} <= named


@pytest.mark.parametrize("shape", SHAPES)
def test_user_text_is_never_summarised_away(shape: Any) -> None:
    """Forty turns and many compactions later every word of the person stands in the window or at its address."""
    ctx = ContextManager(12_000)
    asked = [f"Request {number}: rename thing {number} to item {number}." for number in range(40)]
    for number, text in enumerate(asked):
        ctx.add(user(text, shape=shape))
        ctx.add([message for n in range(2) for message in looks(shape, 10 * number + n, lines=30)])
        ctx.prepare()
    assert len(ctx.compactions) > 3
    window = told(ctx.messages)
    assert sum(text in window for text in asked) >= 35
    for text in asked:
        assert any(piece.text == text for piece in ctx.recall(text, k=3)) or text in window


def test_the_summary_does_not_grow_over_50_compactions() -> None:
    """Its five other fields have 6 % of the window, for ever."""
    ctx = gauge(12_000)
    ctx.add(user(GOAL))
    sizes: list[int] = []
    for number in range(51):
        for part in range(4):
            ctx.add(writes("chat", f"src/m{number}_{part}.py", filler(number, 20), id=f"w{number}_{part}"))
            ctx.add(runs("chat", f"Exit code 1\nValueError: case {number}.{part}", id=f"t{number}_{part}"))
        assert ctx.compact().outcome == "applied"
        assert ctx.summary is not None
        sizes.append(len(ctx.summary.model_copy(update={"original_goal": ""}).model_dump_json()))
    assert max(sizes[25:]) <= 1.25 * max(sizes[:25])


# -- the external memory file ----------------------------------------------------------------------


def edit_and_run(number: int, outcome: str = "1 passed in 0.1s") -> list[Message]:
    """An atomic step: an edit and the run that verifies it."""
    path = f"src/part{number}.py"
    write = Call("write_file", {"path": path, "content": f"x = {number}\n"}, result="written", id=f"w{number}")
    output = f"{'collecting part ' * 300}\n{outcome}"
    run = Call("bash", {"command": f"pytest -q tests/part{number}.py"}, result=output, id=f"r{number}")
    return [
        *tool_round([write], text=f"I set x in part {number}, because the tests ask for it."),
        *tool_round([run], text="Does it pass?"),
    ]


def test_every_atomic_step_is_written_when_it_is_done(tmp_path: Path) -> None:
    """By code, not by the model's goodwill: the file has the record before anything else happens."""
    ctx = ContextManager(20_000, store=tmp_path, session="s")
    ctx.add([user(GOAL), *edit_and_run(1)])
    (line,) = (tmp_path / "memory.jsonl").read_text("utf-8").splitlines()
    record = json.loads(line)
    assert (record["action"], record["file"], record["result"]) == ("edit", "src/part1.py", "1 passed in 0.1s")
    assert record["reason"] == "I set x in part 1, because the tests ask for it."


def test_the_same_step_again_is_one_record() -> None:
    """Dedup: action and file of the last record; what differs in its result is news."""
    ctx = ContextManager(20_000)
    first = ctx.memory.append(action="edit", file="a.py", result="ok")
    assert ctx.memory.append(action="edit", file="a.py", result="ok") == first
    assert ctx.memory.append(action="edit", file="a.py", result="failed") != first
    assert len(ctx.memory.records()) == 2


def test_after_a_compaction_the_journal_is_read_by_force(tmp_path: Path) -> None:
    """The bridge shows the records since the last one, and the receipt counts them."""
    ctx = ContextManager(8_000, store=tmp_path)
    ctx.add([user(GOAL), *edit_and_run(1), *edit_and_run(2), *looks("chat", 1), *looks("chat", 2)])
    first = ctx.compact()
    assert (first.written, first.read) == (2, 2)
    assert "- edit src/part2.py" in str(ctx.messages)
    ctx.add([*edit_and_run(3), *looks("chat", 3), *looks("chat", 4)])
    second = ctx.compact()
    assert (second.written, second.read) == (1, 1)


def test_the_checkpoint_is_written_before_and_read_after(tmp_path: Path) -> None:
    """The bridge file: what is in hand stands in a file, and what the file says is first in the bridge."""
    ctx = ContextManager(8_000, store=tmp_path, session="s")
    ctx.add([user(GOAL), *edit_and_run(1), *edit_and_run(2), *looks("chat", 1), *looks("chat", 2)])
    ctx.compact()
    kept = (tmp_path / "s" / "checkpoint.md").read_text("utf-8")
    assert "src/part2.py" in kept
    assert kept.splitlines()[0] in ctx.messages[0]["content"].split("## Original goal")[0]


def test_what_three_later_steps_refer_to_is_promoted() -> None:
    """Promotion by reference count: below the four kinds, and its hits show it."""
    ctx = ContextManager(20_000)
    table = "\n".join(f"E{number}: reason {number}" for number in range(60))
    looked = Call("bash", {"command": "codes --all"}, result=table, id="c1")
    ctx.add([user(GOAL), *tool_round([looked]), *edit_and_run(1), *edit_and_run(2)])
    ctx.compact()
    for _ in range(3):
        assert "E59" in ctx.recall("m3")[0].text
    ctx.add([*edit_and_run(3), *edit_and_run(4)])
    ctx.compact()
    assert [(engram.source, engram.hits) for engram in ctx.engrams if engram.kind == "promoted"] == [("m3", 3)]


# -- the bridge and the receipt --------------------------------------------------------------------


def test_the_first_thing_after_the_head_says_what_is_in_hand() -> None:
    """Head, bridge, tail; the bridge opens with the checkpoint: what is in hand, what failed, what is next."""
    ctx = compacted(session())
    head, bridge, *tail = ctx.messages
    assert head["role"] == "system"
    assert bridge["role"] == "user"
    opening = bridge["content"].split("## Original goal")[0]
    assert "## In hand" in opening
    assert "src/calc.py" in opening
    assert "Tried and failed: `pytest -q`" in opening
    assert prints(tail) == prints(session()[-len(tail) :])


def test_the_bridge_says_that_it_is_a_record() -> None:
    """Made by the program, not a new instruction; anything older is one recall away."""
    ctx = compacted(worked())
    title = ctx.messages[0]["content"].splitlines()[0]
    assert "made by the program" in title
    assert "not an instruction" in title
    assert 'recall("c1")' in title


def test_the_receipt_accounts_for_every_message() -> None:
    """Kept, summarised, or part of the head: no message is missing and none is counted twice."""
    talk = session()
    receipt = compacted(talk).compactions[0]
    addresses = [*receipt.summarised, *receipt.kept]
    assert addresses == [f"m{position}" for position in range(2, len(talk) + 1)]


def test_the_receipt_tells_what_was_done() -> None:
    """Every field of a receipt is there and says what happened."""
    wanted = (
        "id trigger rung tokens_before tokens_after kept summarised clipped pinned evicted summary engrams summariser "
        "failures coverage written read fidelity seconds usage outcome"
    ).split()
    assert set(wanted) <= {field.name for field in dataclasses.fields(Compaction)}
    ctx = compacted(worked())
    receipt = ctx.compactions[0]
    assert receipt.id == "c1"
    assert (receipt.trigger, receipt.rung, receipt.summariser) == ("manual", "extractive", "extractive")
    assert receipt.tokens_before > receipt.tokens_after == ctx.usage.tokens
    assert receipt.pinned == tuple(engram.source for engram in receipt.engrams)
    assert receipt.summary == ctx.summary
    assert receipt.coverage == 1.0
    assert receipt.seconds > 0
    assert receipt.failures == ()
    assert receipt.fidelity.lost == ()
    assert receipt.fidelity.classes["files"].present >= 1
    loose: Any = receipt
    with pytest.raises(dataclasses.FrozenInstanceError):
        loose.id = "c2"


def test_what_left_comes_back_word_for_word() -> None:
    """Nothing that leaves the window is destroyed."""
    talk = worked()
    ctx = compacted(talk)
    for address in ctx.compactions[0].summarised:
        message = talk[int(address[1:]) - 1]
        if message["role"] == "tool":
            assert ctx.recall(address)[0].text == message["content"]
    assert filler(3) in ctx.recall("c1")[0].text


# -- the default -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [False, True])
def test_the_default_is_the_articles_own_choice(stored: bool, tmp_path: Path) -> None:
    """Six fields and engrams at every compaction, the journal beside them, written and read by code."""
    ctx = ContextManager(8_000, store=tmp_path if stored else None, session="s")
    ctx.add(worked())
    assert ctx.compact().outcome == "applied"
    ctx.add(writes("chat", "src/calc.py", CODE.replace("a / b", "a / b if b else 0"), id="w2"))
    ctx.add(runs("chat", PASSED, id="t2"))
    ctx.add([message for number in range(50, 64) for message in looks("chat", number)])
    assert ctx.compact().outcome == "applied"
    for receipt in ctx.compactions:
        assert receipt.summary is not None
        assert receipt.engrams
        assert receipt.read >= 1
        assert receipt.written >= 1
    records = steps(ctx.memory.records("s"))
    assert [(record.action, record.file) for record in records if record.action == "edit"] == [
        ("edit", "src/calc.py")
    ] * 2
    assert "4 passed" in records[-1].result
    assert (tmp_path / "memory.jsonl").is_file() is stored
    assert "Journal since the last record" in ctx.messages[0]["content"]
    assert "4 passed" in ctx.messages[0]["content"].split("Journal since the last record")[1]
    ctx.close()


@pytest.mark.parametrize("stored", [False, True])
def test_the_default_needs_none_of_the_additions(stored: bool, tmp_path: Path) -> None:
    """Nothing recalled, so nothing promoted; no background, probe, tick or other session: the paragraph still holds."""
    place: dict[str, Any] = {"store": tmp_path, "session": "s"} if stored else {}
    ctx = ContextManager(8_000, background=False, **place)
    ctx.add(worked())
    ctx.compact()
    ctx.add([*runs("chat", PASSED, id="t2"), *(m for n in range(50, 64) for m in looks("chat", n))])
    receipt = ctx.compact()
    bridge = str(ctx.messages[0]["content"])
    assert receipt.outcome == "applied"
    assert receipt.summary is not None
    assert all(getattr(receipt.summary, name) for name in ("original_goal", "completed_steps", "failed_attempts"))
    assert {engram.kind for engram in receipt.engrams} <= {"user", "file", "error", "contract", "promoted"}
    assert all(engram.hits == 0 or engram.kind != "promoted" for engram in receipt.engrams)
    assert (receipt.read, receipt.written) == (1, 1)
    assert (receipt.others, receipt.retrieved, receipt.changes) == ((), (), 0)
    assert "From other sessions" not in bridge
    assert "Left the window" not in bridge
    assert threading.active_count() == 1
    assert not (tmp_path / ".harness").exists()
    ctx.close()


def test_the_default_retrieves_from_other_sessions_only(tmp_path: Path) -> None:
    """With a second session in the store its records come in; this one's own old texts still don't."""
    with ContextManager(8_000, store=tmp_path, session="other") as other:
        other.memory.append(action="decide", file="src/calc.py", reason="Dividing by zero gives zero in src/calc.py.")
    ctx = ContextManager(16_000, store=tmp_path, session="s")
    ctx.add(worked())
    receipt = ctx.compact()
    section = str(ctx.messages[0]["content"]).rpartition("## From other sessions")[2]
    assert "(other, just now): Dividing by zero gives zero in src/calc.py." in section
    assert len(receipt.others) == 1
    assert receipt.retrieved == ()
    ctx.close()


@pytest.mark.parametrize(
    ("policy", "engrams", "journal"),
    [
        ("template", False, False),
        ("template+memory", False, True),
        ("template+engrams", True, False),
        ("default", True, True),
        ("layered", True, True),
    ],
)
def test_a_policy_names_what_is_done(policy: Any, engrams: bool, journal: bool) -> None:
    """The six fields always; the engrams and the journal where the policy says so. The newest words stay anyway."""
    ctx = compacted(worked(), policy=policy)
    receipt = ctx.compactions[0]
    assert receipt.summary is not None
    assert receipt.summary.original_goal == GOAL
    assert (set(kinds(ctx)) - {"user"} != set()) is engrams
    assert (receipt.read > 0) is journal
    assert NEWEST in told(ctx.messages)
    assert GOAL in told(ctx.messages)


def test_nothing_is_retrieved_into_the_window_within_a_session() -> None:
    """What left stays out until it is asked for: the model recalls, the program does not push."""
    ctx = compacted(worked())
    secret = filler(1).splitlines()[7]
    assert secret not in told(ctx.messages)
    ctx.add(user(f"What was that about {secret[:20]}?"))
    assert secret not in told(ctx.prepare())
    assert secret in ctx.recall(secret)[0].text


def test_a_model_changes_the_summary_and_nothing_else_that_is_promised() -> None:
    """With or without one: the same goal, the same engrams, the same files."""
    plain, spoken = compacted(worked()), compacted(worked(), llm=ScriptedLLM([REWRITTEN]), llm_window=60_000)
    assert spoken.compactions[0].summariser == "llm"
    assert [engram.text for engram in spoken.engrams] == [engram.text for engram in plain.engrams]
    assert spoken.summary is not None
    assert spoken.summary.key_decisions == REWRITTEN.key_decisions
    assert spoken.summary.original_goal == GOAL
