"""The ready hook: after a share of the compactions it checks by itself, and repairs; off unless it is given."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import context_kit
from context_kit import (
    BudgetError,
    Compaction,
    ContextKitError,
    ContextManager,
    PostCompact,
    ProbeReport,
    ProbeRequest,
    probing,
)
from context_kit.probes import Probe
from context_kit.testing import user
from context_kit.types import ProbeCounts
from context_kit.typing import Message
from tests.probes.checks import forgetful, model_of
from tests.talks import looks, told


def not_known(_: ProbeRequest) -> str:
    return "not known"


async def anot_known(_: ProbeRequest) -> str:
    await asyncio.sleep(0)
    return "not known"


def filled(ctx: ContextManager, start: int = 300) -> None:
    """As much as makes the next `prepare()` compact, its last message a result."""
    number = start
    while ctx.usage.level != "hard":
        ctx.add(looks("chat", number, lines=12))
        number += 1


def sent(ctx: ContextManager, *, awaited: bool) -> list[Message]:
    filled(ctx, start=1_000 * (len(ctx.compactions) + 1))
    return asyncio.run(ctx.aprepare()) if awaited else ctx.prepare()


def started(hook: Callable[..., Any] | list[Callable[..., Any]], **arguments: Any) -> ContextManager:
    ctx = ContextManager(8_000, policy="template", post_compact=hook, **arguments)
    ctx.add(user("Find the shard of zone-7 in the listings, and do not touch the archive folder of last year."))
    return ctx


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(1.0, [1, 1, 1, 1]), (0.5, [1, 0, 1, 0]), (0.25, [1, 0, 0, 0]), (1, [1, 1, 1, 1]), (0.75, [1, 1, 1, 0])],
)
def test_a_share_of_the_compactions_is_checked_the_first_among_them(rate: float, expected: list[int]) -> None:
    """Evenly and always the same: nothing is drawn."""
    reports: list[ProbeReport] = []
    ctx = started(probing(not_known, rate=rate, report=reports.append))
    seen: list[int] = []
    for _ in expected:
        before = len(reports)
        sent(ctx, awaited=False)
        seen.append(len(reports) - before)
    assert [receipt.outcome for receipt in ctx.compactions] == ["applied"] * len(expected)
    assert seen == expected


@pytest.mark.parametrize("llm", [not_known, anot_known])
@pytest.mark.parametrize("awaited", [False, True])
def test_it_repairs_what_failed_before_the_window_is_sent(llm: Any, awaited: bool) -> None:
    """A sync model in both calls, an async one in `aprepare()`; the window of the same call has the texts."""
    reports: list[ProbeReport] = []
    ctx = started(probing(llm, rate=1.0, k=6, report=reports.append))
    if llm is anot_known and not awaited:
        with pytest.raises(ContextKitError, match=r"use await aprepare\(\)"):
            sent(ctx, awaited=awaited)
        return
    window = sent(ctx, awaited=awaited)
    (report,) = reports
    assert report.unknown
    receipt = ctx.compactions[-1]
    assert receipt.repaired
    named = {p.address for p in report.unknown if any(p.address in failure for failure in report.failures)}
    assert {*receipt.repaired} | named == {p.address for p in report.unknown}
    assert "[put back by the program" in told(window[-1:])
    assert all("stands in the window, not used" in failure for failure in receipt.failures)
    assert (asyncio.run(ctx.aprepare()) if awaited else ctx.prepare()) == window


def test_it_may_only_look() -> None:
    reports: list[ProbeReport] = []
    ctx = started(probing(not_known, rate=1.0, repair=False, report=reports.append))
    assert "put back" not in told(sent(ctx, awaited=False))
    assert reports[0].unknown
    assert ctx.compactions[-1].repaired == ()


@pytest.mark.parametrize("awaited", [False, True])
def test_a_model_that_fails_is_on_the_receipt_and_the_turn_goes_on(awaited: bool, tmp_path: Path) -> None:
    """As what any hook raises; also once the session was opened again."""

    def broken(_: ProbeRequest) -> str:
        msg = "no model today"
        raise ConnectionError(msg)

    ctx = started(probing(broken, rate=1.0), store=tmp_path, session="s")
    window = sent(ctx, awaited=awaited)
    assert window == ctx.messages
    (receipt,) = ctx.compactions
    assert receipt.outcome == "applied"
    (failure,) = receipt.failures
    assert failure.startswith("post_compact hook: ContextKitError: recall check")
    assert "no model today" in failure
    ctx.close()
    assert ContextManager.open(tmp_path, "s", policy="template").compactions == (receipt,)


def test_what_any_hook_raises_after_a_compaction_is_on_its_receipt() -> None:
    """Also where nothing was applied; the call returns the receipt with it."""

    def broken(_: PostCompact) -> None:
        msg = "broken hook"
        raise RuntimeError(msg)

    ctx = started([broken, lambda _: None, broken])
    receipt = ctx.compact()
    assert receipt.outcome == "not_reduced"
    assert receipt.failures == ("post_compact hook: RuntimeError: broken hook",) * 2
    assert ctx.compactions == (receipt,)
    filled(ctx)
    receipt = ctx.compact()
    assert receipt.outcome == "applied"
    assert receipt.failures[-2:] == ("post_compact hook: RuntimeError: broken hook",) * 2
    assert ctx.compactions[-1] == receipt


def test_a_hook_of_ones_own_may_check_too() -> None:
    """The event has the session's `probe`; an event that was made by hand has none, and says so."""
    found: list[ProbeReport] = []

    def hook(event: PostCompact) -> None:
        assert event.probe is not None
        found.append(event.probe(not_known, k=1))

    ctx = started(hook)
    sent(ctx, awaited=False)
    assert len(found[0].probes) == 1
    alone = PostCompact(receipt=ctx.compactions[-1])
    assert alone.probe is None
    assert alone == PostCompact(receipt=ctx.compactions[-1])
    with pytest.raises(ContextKitError, match="belongs to no session"):
        probing(not_known)(alone)


def test_only_what_was_applied_is_checked() -> None:
    """A compaction that came to nothing left nothing to ask about, and takes no place in the share."""
    asked: list[ProbeRequest] = []

    def llm(request: ProbeRequest) -> str:
        asked.append(request)
        return "not known"

    ctx = started(probing(llm, rate=0.5))
    assert ctx.compact().outcome == "not_reduced"
    assert ctx.compact().outcome == "not_reduced"
    assert asked == []
    sent(ctx, awaited=False)
    assert asked


@pytest.mark.parametrize("rate", [0, 1.5, -0.1, True, "often", None])
def test_a_rate_that_is_no_share_is_refused(rate: Any) -> None:
    with pytest.raises(BudgetError, match="rate"):
        probing(not_known, rate=rate)


def test_compacting_from_within_the_model_is_refused_as_ever() -> None:
    """No deadlock, no recursion: it is told on the receipt."""
    ctx = started(probing(lambda _: str(ctx.compact()), rate=1.0))
    sent(ctx, awaited=False)
    assert "can't be called from within a hook" in ctx.compactions[-1].failures[0]


def test_a_check_within_a_check_ends() -> None:
    """The model may look at the session, and even ask it; nothing hangs."""
    depth: list[int] = []

    def llm(request: ProbeRequest) -> str:
        if not depth:
            depth.append(1)
            assert ctx.probe(not_known, k=1).probes
            assert ctx.messages
            assert ctx.usage.tokens
        return "not known"

    ctx = started(probing(llm, rate=1.0, k=3))
    sent(ctx, awaited=False)
    assert ctx.compactions[-1].probed.unknown
    assert not any("can't be called" in failure for failure in ctx.compactions[-1].failures)


def test_messages_may_come_in_while_the_hook_asks() -> None:
    """`add` never waits for a model."""
    added: list[bool] = []

    def meanwhile() -> None:
        ctx.add(user("Meanwhile."))
        added.append(True)

    def llm(_: ProbeRequest) -> str:
        if not added:
            work = threading.Thread(target=meanwhile)
            work.start()
            work.join(timeout=20)
            assert added
        return "not known"

    ctx = started(probing(llm, rate=1.0, k=3))
    window = sent(ctx, awaited=False)
    assert "Meanwhile." in told(window)
    assert "[put back by the program" in told(window)


@pytest.mark.parametrize("awaited", [False, True])
def test_the_loop_sees_on_the_receipt_how_the_answers_came_out(awaited: bool, tmp_path: Path) -> None:
    """Four counts, of this compaction's checks alone; they survive a reopen, and the loop can stop by them."""

    def pretender(_: ProbeRequest) -> str:
        return "It was `reticulate_splines` in src/core/spline_engine.py."

    reports: list[ProbeReport] = []
    hook = probing(pretender, rate=0.5, k=6, report=reports.append)
    ctx = started(hook, store=tmp_path, session="s")
    sent(ctx, awaited=awaited)
    (report,) = reports
    receipt = ctx.compactions[-1]
    assert receipt.probed == report.counts
    assert receipt.probed.fabricated == len(report.fabricated) > 0
    sent(ctx, awaited=awaited)
    assert ctx.compactions[-1].probed == ProbeCounts()
    ctx.close()
    assert ContextManager.open(tmp_path, "s").compactions[0].probed == receipt.probed


def test_two_hooks_of_one_compaction_are_added_up() -> None:
    reports: list[ProbeReport] = []
    hook = probing(not_known, rate=1.0, k=4, repair=False, report=reports.append)
    ctx = started([hook, hook])
    sent(ctx, awaited=False)
    assert ctx.compactions[-1].probed == reports[0].counts + reports[1].counts


@pytest.mark.parametrize("given", [{"llm": None}, {"llm": print, "k": 0}, {"llm": print, "judge": 3}])
def test_what_can_not_work_is_refused_before_a_session_is_made(given: dict[str, Any]) -> None:
    with pytest.raises(BudgetError):
        probing(**given)


def test_one_hook_for_several_sessions() -> None:
    """Its share is of all their compactions."""
    reports: list[ProbeReport] = []
    hook = probing(not_known, rate=0.5, report=reports.append)
    for _ in range(4):
        sent(started(hook), awaited=False)
    assert len(reports) == 2


def test_off_by_default() -> None:
    """No hook, no model, no question."""
    ctx = forgetful()
    assert ctx.compactions[-1].repaired == ()
    assert "put back" not in told(ctx.messages)


def test_the_top_level_has_the_names() -> None:
    """As the design says; a receipt of an older log has nothing repaired."""
    for name in ("Probe", "ProbeReport", "ProbeRequest", "probing"):
        assert name in context_kit.__all__
    assert context_kit.Probe is Probe
    assert Compaction.__dataclass_fields__["repaired"].default == ()


def test_a_right_model_leaves_the_window_alone() -> None:
    ctx = forgetful()
    model = model_of(ctx, lambda probe, _: probe.answer)
    before = ctx.messages
    assert ctx.probe(model, repair=True).failed == ()
    assert ctx.messages == before
