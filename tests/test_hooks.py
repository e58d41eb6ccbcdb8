"""Hooks: plain functions of one frozen event, sync or async, one or several."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import pytest

from context_kit import (
    Compaction,
    ContextKitError,
    ContextManager,
    Pin,
    PostCompact,
    PreCompact,
    Replace,
    TaskSummary,
    Veto,
)
from tests.talks import GOAL, looks, prints, session, told


def filled(**arguments: Any) -> ContextManager:
    ctx = ContextManager(8_000, **arguments)
    ctx.add(session(looked=8))
    return ctx


def test_one_function_or_several() -> None:
    """Called in order, each with the same event."""
    seen: list[tuple[str, str]] = []
    ctx = filled(
        pre_compact=[
            lambda event: seen.append(("one", event.trigger)),
            lambda event: seen.append(("two", event.trigger)),
        ],
        post_compact=lambda event: seen.append(("after", event.receipt.id)),
    )
    ctx.compact()
    assert seen == [("one", "manual"), ("two", "manual"), ("after", "c1")]


def test_the_events_are_frozen() -> None:
    """A hook asks by what it returns, not by changing what it was given."""
    events: list[Any] = []
    filled(pre_compact=events.append, post_compact=events.append).compact()
    before, after = events
    assert isinstance(before, PreCompact)
    assert isinstance(after, PostCompact)
    for event, name in ((before, "trigger"), (after, "receipt"), (before.plan, "old"), (before.usage, "tokens")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(event, name, None)


def test_post_compact_sees_every_outcome() -> None:
    """Applied, vetoed, not reduced: the receipt says which."""
    seen: list[Compaction] = []
    veto = [True]
    ctx = filled(
        pre_compact=lambda _: Veto("later") if veto[0] else None, post_compact=lambda event: seen.append(event.receipt)
    )
    ctx.compact()
    veto[0] = False
    while ctx.compact().outcome == "applied":
        assert len(seen) < 9
    assert list(dict.fromkeys(receipt.outcome for receipt in seen)) == ["vetoed", "applied", "not_reduced"]
    assert tuple(seen) == ctx.compactions


def test_all_hooks_wishes_count() -> None:
    """A pin of one, a replacement of another; the first replacement wins."""
    first, second = TaskSummary(todo=["first"]), TaskSummary(todo=["second"])
    ctx = filled(pre_compact=[lambda _: Pin("Keep me."), lambda _: Replace(first), lambda _: Replace(second)])
    receipt = ctx.compact()
    assert receipt.summary is not None
    assert receipt.summary.todo == ["first"]
    assert receipt.summary.original_goal == GOAL
    assert "Keep me." in told(ctx.messages)


@pytest.mark.parametrize("wish", ["pin this", 7, {"pin": "x"}, TaskSummary()])
def test_a_wish_that_nobody_knows_is_noted(wish: Any) -> None:
    """It isn't silently dropped: the receipt says that the hook returned something else."""
    receipt = filled(pre_compact=lambda _: wish).compact()
    assert receipt.outcome == "applied"
    assert any("pre_compact" in failure for failure in receipt.failures)


def test_a_hook_that_raises_does_not_stop_the_compaction() -> None:
    """Before: on the receipt. After: the compaction is done; the error is not the session's."""

    def broken(_: object) -> None:
        msg = "broken hook"
        raise RuntimeError(msg)

    ctx = filled(pre_compact=broken, post_compact=broken)
    receipt = ctx.compact()
    assert receipt.outcome == "applied"
    assert any("RuntimeError: broken hook" in failure for failure in receipt.failures)
    assert ctx.compactions == (receipt,)


def test_a_veto_holds_until_hard() -> None:
    """A hook may put a compaction off; when the window is about to overflow nobody asks it."""
    ctx = ContextManager(8_000, pre_compact=lambda _: Veto("tests are running"))
    number = 0
    while not any(receipt.outcome == "applied" for receipt in ctx.compactions):
        ctx.add(looks("chat", number, lines=6))
        ctx.add({"role": "user", "content": f"go on {number}"})
        ctx.prepare()
        number += 1
        assert number < 300
    *vetoed, last = ctx.compactions
    assert vetoed
    assert all((receipt.trigger, receipt.outcome) == ("soft", "vetoed") for receipt in vetoed)
    assert last.trigger == "hard"
    assert last.failures[0] == "pre_compact hook: Veto('tests are running') does not hold at hard"


def test_a_veto_is_honoured_for_a_manual_compaction() -> None:
    """Only hard is stronger."""
    ctx = filled(pre_compact=lambda _: Veto("no"))
    before = prints(ctx.messages)
    assert ctx.compact().outcome == "vetoed"
    assert prints(ctx.messages) == before


def test_async_hooks_are_awaited() -> None:
    """Under `aprepare` and `acompact`, in order."""
    seen: list[str] = []

    async def before(_: PreCompact) -> Pin:
        await asyncio.sleep(0)
        seen.append("before")
        return Pin("Keep me.")

    async def after(event: PostCompact) -> None:
        await asyncio.sleep(0)
        seen.append(event.receipt.outcome)

    ctx = filled(pre_compact=before, post_compact=after)
    asyncio.run(ctx.acompact())
    assert seen == ["before", "applied"]
    assert "Keep me." in told(ctx.messages)


def test_an_async_hook_in_a_blocking_call_is_refused_with_advice() -> None:
    """At once, before anything is done."""

    async def before(_: PreCompact) -> None:
        return None

    ctx = filled(pre_compact=before)
    with pytest.raises(ContextKitError, match="await"):
        ctx.compact()
    assert ctx.compactions == ()


def test_a_callable_object_is_a_hook() -> None:
    """Sync or async, by its `__call__`."""

    class Counter:
        def __init__(self) -> None:
            self.calls = 0

        def __call__(self, _: object) -> None:
            self.calls += 1

    class Later(Counter):
        async def __call__(self, _: object) -> None:  # type: ignore[override]  # an async one on purpose
            self.calls += 1

    plain, later = Counter(), Later()
    filled(pre_compact=plain).compact()
    asyncio.run(filled(pre_compact=later).acompact())
    assert (plain.calls, later.calls) == (1, 1)


def test_a_hook_may_read_and_add() -> None:
    """It sees the window as it stands, and what it adds comes after the compaction."""
    counts: list[int] = []

    def before(_: PreCompact) -> None:
        counts.append(len(ctx.messages))
        ctx.add({"role": "user", "content": "A hook was here."})

    ctx = filled(pre_compact=before)
    receipt = ctx.compact()
    assert receipt.outcome == "applied"
    assert counts == [len(session(looked=8))]
    assert ctx.messages[-1]["content"] == "A hook was here."


def test_live_state_may_be_async() -> None:
    """A provider is a function like any other."""

    async def jobs() -> str:
        await asyncio.sleep(0)
        return "2 running"

    ctx = filled()
    ctx.provide("jobs", jobs)
    asyncio.run(ctx.acompact())
    assert "jobs: 2 running" in told(ctx.messages)
    blocking = filled()
    blocking.provide("jobs", jobs)
    with pytest.raises(ContextKitError, match="await"):
        blocking.compact()
