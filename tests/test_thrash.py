"""What compacting can't help is told once, with what to do, and costs no request at each call."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

from context_kit import ContextManager, SummaryRequest, TaskSummary
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.typing import Message

WINDOW = 10_000
STAYS = "the window stays at"


class Counting:
    """A summariser that says the same each time and counts how often."""

    def __init__(self, said: TaskSummary) -> None:
        self.said, self.asked = said, 0

    def __call__(self, _: SummaryRequest) -> str:
        self.asked += 1
        return self.said.model_dump_json()


def small(turns: int) -> Iterator[list[Message]]:
    """Steps of a session that grows slowly."""
    for number in range(turns):
        call = Call("Bash", {"command": f"ls {number}"}, result="a line of output " * 10, id=f"c{number}")
        yield tool_round([call], text="Let me look.")
        yield [*assistant(f"That was part {number}."), user(f"Go on with part {number}.")]


def giant_step() -> list[Message]:
    return tool_round([Call("Read", {"file_path": f"f{n}.py"}, result="out " * 700, id=f"g{n}") for n in range(10)])


def play(ctx: ContextManager, steps: Iterable[Sequence[Message]]) -> int:
    """Feed a session as a loop does; how often it was asked for the window."""
    prepared = 0
    for step in steps:
        ctx.add(list(step))
        ctx.prepare()
        prepared += 1
    return prepared


def crowded(llm: Counting, *, background: bool) -> ContextManager:
    """System prompt and tools above the trigger."""
    ctx = ContextManager(WINDOW, llm=llm, background=background, system="word " * 7_100)
    ctx.add(user("Begin."))
    return ctx


def blocked(llm: Counting, *, background: bool) -> ContextManager:
    """A newest step above the trigger."""
    ctx = ContextManager(WINDOW, llm=llm, background=background)
    ctx.add([user("Read them all."), *giant_step()])
    return ctx


@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize("make", [crowded, blocked])
def test_what_can_not_be_helped_is_told_once_with_what_to_do(
    make: Callable[..., ContextManager], background: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning and one receipt name the larger part and the ways out; nothing is said again until it was below."""
    llm = Counting(TaskSummary(todo=["Go on."]))
    ctx = make(llm, background=background)
    with caplog.at_level(logging.WARNING, logger="context_kit"):
        for _ in range(5):
            ctx.prepare()
    told = [receipt.reason for receipt in ctx.compactions if STAYS in receipt.reason]
    assert len(told) == 1
    assert "newest step" in told[0]
    assert "system prompt" in told[0]
    assert "larger window" in told[0]
    assert [STAYS in record.message for record in caplog.records] == [True]
    assert len(ctx.compactions) == 1
    assert llm.asked == 0


@pytest.mark.parametrize("background", [False, True])
def test_a_head_above_the_trigger_is_not_compacted_at_each_call(background: bool) -> None:
    """Only real growth brings the next compaction; the reason stands on the first receipt alone.

    In the background the first summary may have been begun at soft: at hard the rest is asked for beside it.
    """
    llm = Counting(TaskSummary(todo=["Go on."]))
    ctx = crowded(llm, background=background)
    prepared = play(ctx, small(30))
    assert len(ctx.compactions) < prepared / 4
    assert llm.asked <= len(ctx.compactions) + background
    assert sum(STAYS in receipt.reason for receipt in ctx.compactions) == 1


def test_it_is_told_again_once_it_was_below() -> None:
    """A second giant is another story than the first."""
    ctx = ContextManager(WINDOW)
    ctx.add([user("Read them all."), *giant_step()])
    ctx.prepare()
    play(ctx, small(12))
    assert ctx.usage.level == "ok"
    renamed = [Call("Read", {"file_path": f"h{n}.py"}, result="in " * 700, id=f"h{n}") for n in range(10)]
    ctx.add([user("And these."), *tool_round(renamed)])
    ctx.prepare()
    assert sum(STAYS in receipt.reason for receipt in ctx.compactions) == 2


def test_a_compaction_that_helped_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """No warning where the window went below the trigger."""
    llm = Counting(TaskSummary(todo=["Go on."]))
    ctx = ContextManager(WINDOW, llm=llm)
    ctx.add(user("Begin."))
    with caplog.at_level(logging.WARNING, logger="context_kit"):
        play(ctx, small(200))
    assert {receipt.reason for receipt in ctx.compactions} == {""}
    assert caplog.records == []
