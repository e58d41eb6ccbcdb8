"""Fifty compactions with a summariser: the record stays true and of one size; a request always fits its window."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import ContextManager, Decision, FailedAttempt, FileState, Replace, Step, SummaryRequest, TaskSummary
from context_kit.memory._codec import encode_record
from context_kit.summary import lines, merge, pieces
from context_kit.testing import ScriptedLLM, user
from tests.summary.replies import COUNT, entries_of, ran, same, shown, summary, wrote
from tests.talks import looks

GOAL = "Move the ledger to version 2. Never touch legacy/keep.py. 保留所有测试。"
ROUNDS = 50


def adding(request: SummaryRequest | None, number: int) -> TaskSummary:
    """New entries in every field, each time."""
    words = [f"round{number}n{n}" for n in range(12)]
    return TaskSummary(
        original_goal="Something else altogether. " * 20,
        completed_steps=[
            Step(text=f"Went over src/part_{number}.py, part {'abc'[n % 3]}, for the {n}th time") for n in range(9)
        ],
        current_files=[FileState(path=f"src/part_{number}.py", state=f"in work {word[-2:]}") for word in words],
        key_decisions=[
            Decision(decision=f"Keep src/part_{number}.py as it is", reason="It works. " * n) for n in range(9)
        ],
        failed_attempts=[FailedAttempt(attempt=f"Tried it way {n}", error="It did not help. " * n) for n in range(9)],
        todo=[f"Look at src/part_{number}.py once more, way {n}" for n in range(9)],
    )


def repeating(request: SummaryRequest, number: int) -> TaskSummary:
    """The same words for ever."""
    return summary("Looked around.", todo=["Go on."], key_decisions=[Decision(decision="Keep it small.")])


def lying(request: SummaryRequest, number: int) -> TaskSummary:
    """Nothing but inventions."""
    return summary(
        f"Rewrote src/zz_{number}.py",
        todo=[f"Call zzFrob{number}Now()"],
        key_decisions=[Decision(decision=f"Set the limit of zz_{number} to {77_000 + number}")],
    )


class Said:
    """A summariser that goes on for ever."""

    def __init__(self, reply: Callable[[SummaryRequest, int], TaskSummary]) -> None:
        self.reply, self.times = reply, 0

    def __call__(self, request: SummaryRequest) -> str:
        """The reply, as its JSON."""
        self.times += 1
        return self.reply(request, self.times).model_dump_json()


def size(found: TaskSummary) -> int:
    fields = (found.completed_steps, found.current_files, found.key_decisions, found.failed_attempts, found.todo)
    return sum(COUNT(lines(entry)) for field in fields for entry in field)


@pytest.mark.parametrize("reply", [adding, repeating, lying])
def test_fifty_compactions_leave_the_size_of_one(reply: Any) -> None:
    """The goal letter by letter, nothing lost, the window's summary and the stored record flat."""
    ctx = ContextManager(8_000, llm=Said(reply), llm_window=60_000)
    ctx.add(user(GOAL))
    ceiling = int(0.06 * 8_000)
    stored: list[int] = []
    for number in range(1, ROUNDS + 1):
        ctx.add(wrote(f"src/part_{number}.py", f"def part_{number}(row):\n    return row\n", id=f"w{number}"))
        ctx.add(
            ran(
                "pytest -q",
                f"{number} failed" if number % 3 else "all passed",
                failed=bool(number % 3),
                id=f"t{number}",
            )
        )
        ctx.add([message for n in range(6) for message in looks("chat", 100 * number + n)])
        receipt = ctx.compact()
        assert (receipt.outcome, receipt.summariser) == ("applied", "llm")
        assert receipt.fidelity.lost == ()
        assert receipt.coverage == 1.0
        assert receipt.summary is not None
        assert receipt.summary.original_goal == GOAL
        assert size(receipt.summary) <= ceiling
        assert "zz" not in str(ctx.messages)
        last = ctx._session.log.last
        assert last is not None
        stored.append(len(json.dumps(encode_record(last)["said"])))
    assert max(stored[25:]) <= 1.3 * max(stored[2:10])


def test_a_hooks_own_summary_is_stored_within_the_ceiling_as_well() -> None:
    """However much a hook says, the log's record of it is bounded, and the goal is the person's."""
    said = adding(None, 1)
    ctx = ContextManager(8_000, pre_compact=lambda _: Replace(said))
    ctx.add([user(GOAL), *(message for number in range(14) for message in looks("chat", number))])
    assert ctx.compact().outcome == "applied"
    last = ctx._session.log.last
    assert last is not None
    assert last.said is not None
    assert size(last.said) <= 0.06 * 8_000
    assert last.said.original_goal == ""
    assert ctx.summary is not None
    assert ctx.summary.original_goal == GOAL


def test_finished_tasks_leave_and_open_ones_stay() -> None:
    """A task that a later step has all the words of is done; a step that failed did nothing."""
    before = summary(todo=["Fix the parser in src/parse.py", "Write the release notes", "跑一遍全部测试"])
    new = summary("Fixed the parser of src/parse.py", "Tried to write the release notes, failed", "已跑一遍全部测试")
    assert merge(before, new).todo == ["Write the release notes"]


def test_a_corrected_fact_replaces_the_old_one() -> None:
    """Where the newer entry says so; a fact about something else stays."""
    before = summary(
        key_decisions=[Decision(decision="The retry limit is 5"), Decision(decision="The page size is 40")]
    )
    new = summary(key_decisions=[Decision(decision="Correction: the retry limit is now 8")])
    assert [made.decision for made in merge(before, new).key_decisions] == [
        "The page size is 40",
        "Correction: the retry limit is now 8",
    ]


def test_the_newest_files_come_first() -> None:
    """So that a fold keeps what is in work now."""
    before = summary(current_files=[FileState(path="a.py", state="x"), FileState(path="b.py", state="y")])
    new = summary(current_files=[FileState(path="b.py", state="z")])
    assert [file.path for file in merge(before, new).current_files] == ["b.py", "a.py"]


# -- bounded input --------------------------------------------------------------------------------


def fits(request: SummaryRequest, room: int) -> bool:
    return COUNT(request.instructions) + COUNT(request.transcript) + request.max_tokens <= room


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("\n".join(f"line {n} of the log: worker {n * 7919 % 9973} is done" for n in range(4_000)), "line 3999"),
        ("一段很长的中文日志，没有空格也没有换行。" * 3_000 + "结尾标记", "结尾标记"),
        ("x1y2" * 20_000 + "theend", "theend"),
    ],
)
def test_a_giant_message_is_read_in_parts_and_whole(text: str, mark: str) -> None:
    """A summariser's window far smaller than the message: several requests, each fits, every part is seen once."""
    llm = ScriptedLLM(lambda _: summary("Looked at the log.") for _ in range(400))
    ctx = ContextManager(200_000, llm=llm, llm_window=4_000)
    ctx.add([user("Read the log."), *shown("big.log", text), *(m for n in range(40) for m in looks("chat", n))])
    receipt = ctx.compact()
    assert (receipt.outcome, receipt.summariser, receipt.coverage) == ("applied", "llm", 1.0)
    assert len(llm.requests) > 5
    room = int(4_000 / ctx._session.log.ledger.scale)
    assert all(fits(request, room) for request in llm.requests)
    seen = "".join(request.transcript for request in llm.requests)
    assert "part 2]" in seen
    assert "".join(text.split())[-400:-200] in "".join(seen.split()).replace("\\n", "") or mark in seen
    assert mark in seen


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 3_000), min_size=1, max_size=12), st.integers(300, 2_000), st.booleans(), st.randoms())
def test_parts_hold_all_of_a_transcript(sizes: list[int], room: int, chinese: bool, rng: random.Random) -> None:
    """Whatever the sizes: nothing is left out, nothing stands twice, no part is over its room."""
    from collections import deque

    from context_kit.summary._transcript import HEAD, take

    letters = "日志记录了每一步的结果\n" if chinese else "abc de\nfghi jk lmno"
    texts = ["".join(rng.choice(letters) for _ in range(length)) for length in sizes]
    left = deque(pieces(entries_of([user(text) for text in texts]), redact=same, count=COUNT))
    whole = sum(piece.whole for piece in left)
    runs = []
    while left:
        runs.append(take(left, room, COUNT))
    assert all(sum(piece.tokens + 1 for piece in run) <= room + 1 for run in runs)
    told = "\n".join(HEAD.sub("", piece.text) for run in runs for piece in run)
    assert "".join(told.split()) == "".join("".join(texts).split())
    assert sum(piece.whole for run in runs for piece in run) >= 0.9 * whole


def test_a_large_record_never_crowds_out_the_transcript() -> None:
    """What was said before takes a third of a small summariser's window at most."""
    llm = ScriptedLLM(lambda _: adding(_, 1) for _ in range(200))
    ctx = ContextManager(100_000, llm=llm, llm_window=3_000)
    ctx.add([user("Go over src/part_1.py."), *(m for n in range(60) for m in looks("chat", n))])
    ctx.compact()
    room = int(3_000 / ctx._session.log.ledger.scale)
    assert all(fits(request, room) for request in llm.requests)
    assert len(llm.requests) > 3
