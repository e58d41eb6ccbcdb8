"""A summary in the background: nobody waits below hard, and what is applied is what a foreground compaction gives."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from benchmarks._judge import Judge, count_tokens, request_types
from benchmarks.transcripts import TRANSCRIPTS, windows
from context_kit import (
    Budget,
    BudgetError,
    Compaction,
    ContextKitError,
    ContextManager,
    Decision,
    Pin,
    PostCompact,
    PreCompact,
    Replace,
    StoreError,
    SummaryError,
    SummaryReply,
    SummaryRequest,
    TaskSummary,
    Veto,
    WindowExceededError,
    _background,
)
from context_kit._asking import outdated
from context_kit._background import Background
from context_kit._commands import Ahead, Snapshot
from context_kit.testing import Call, assistant, conversations, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import faults
from tests.talks import SHAPES, accepted, due, known, looks, prints, session, told, warm
from tests.test_fidelity import crowded, withholding
from tests.test_threads import PATIENCE, together

SAID = TaskSummary(todo=["Go on with part 9."])
WINDOW = 20_000


class Slow:
    """A summariser that answers when it is released, and remembers what it was asked."""

    def __init__(self, *replies: Any, released: bool = False) -> None:
        self.replies = list(replies)
        self.requests: list[SummaryRequest] = []
        self.asked, self.released = threading.Event(), threading.Event()
        if released:
            self.released.set()

    def __call__(self, request: SummaryRequest) -> Any:
        self.requests.append(request)
        self.asked.set()
        assert self.released.wait(PATIENCE)
        reply = self.replies.pop(0) if self.replies else SAID
        if isinstance(reply, BaseException):
            raise reply
        return SummaryReply(reply.model_dump_json(), usage={"input_tokens": 100, "output_tokens": 10, "requests": 1})


class SlowAsync(Slow):
    """Its async twin; released on the loop."""

    async def __call__(self, request: SummaryRequest) -> Any:
        self.requests.append(request)
        self.asked.set()
        while not self.released.is_set():
            await asyncio.sleep(0)
        return SummaryReply(SAID.model_dump_json(), usage={"input_tokens": 100, "output_tokens": 10, "requests": 1})


def filled(llm: Any, level: str = "soft", *, shape: Shape = "chat", **more: Any) -> ContextManager:
    """A session that has just reached a level, at a turn boundary."""
    given_: dict[str, Any] = {"llm_window": 60_000, "background": True, **more}
    ctx = ContextManager(WINDOW, llm=llm, **given_)
    ctx.add(session(shape, looked=4))
    fill(ctx, level, 100, shape=shape)
    ctx.add(assistant("That was all of it.", shape=shape))
    ctx.add(user("Go on with the next part.", shape=shape))
    return ctx


def fill(ctx: ContextManager, level: str, first: int, *, shape: Shape = "chat") -> None:
    """Add output until the window is at a level."""
    number = first
    while ctx.usage.level != level:
        ctx.add(looks(shape, number, lines=20))
        number += 1


def background(ctx: ContextManager) -> Background:
    return ctx._session._background


def made(ctx: ContextManager, llm: Slow) -> None:
    """Let the summariser answer, and wait until the answer is there."""
    job = background(ctx)._job
    assert job is not None
    llm.released.set()
    assert job.over.wait(PATIENCE)


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "context_kit summary"]


class Heard(threading.Event):
    """An event that tells when somebody begins to wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waited = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.waited.set()
        return super().wait(timeout)


def watched(ctx: ContextManager) -> Heard:
    """The end of the summary under way, so that a test sees who waits for it."""
    job = background(ctx)._job
    assert job is not None
    assert not job.over.is_set()
    heard = Heard()
    job.over = heard
    return heard


# -- at soft nobody waits ------------------------------------------------------------------


def test_at_soft_the_window_is_handed_out_as_it_stands() -> None:
    """`prepare()` returns while the model is still at work; nothing has been compacted."""
    llm = Slow()
    ctx = filled(llm)
    before = ctx.messages
    assert prints(ctx.prepare()) == prints(before)
    assert llm.asked.wait(PATIENCE)
    assert not ctx.compactions
    ctx.close()
    llm.released.set()


def test_the_next_prepare_applies_it_and_keeps_what_was_added_since() -> None:
    """The old part becomes the summary; each message that came later stands word for word."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    later = [*looks("chat", 500, lines=5), user("And one more thing."), *looks("chat", 501, lines=5)]
    for message in later:
        ctx.add(message)
        ctx.prepare()
    assert not ctx.compactions
    made(ctx, llm)
    window = ctx.prepare()
    (receipt,) = ctx.compactions
    assert (receipt.outcome, receipt.trigger, receipt.summariser, receipt.rung) == ("applied", "soft", "llm", "llm")
    assert receipt.failures == ()
    assert receipt.usage == {"input_tokens": 100, "output_tokens": 10, "requests": 1}
    assert window[-len(later) :] == later
    assert "Go on with part 9." in told(window)
    assert len(llm.requests) == 1


def test_nothing_that_the_model_did_not_read_is_taken_out() -> None:
    """What leaves the window is what stood in the request."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    ctx.add(looks("chat", 500))
    made(ctx, llm)
    ctx.prepare()
    (receipt,) = ctx.compactions
    (request,) = llm.requests
    assert receipt.summarised
    assert [address for address in receipt.summarised if f"[{address} " not in request.transcript] == []


def test_it_is_the_compaction_that_the_foreground_makes() -> None:
    """With the same answer and nothing added since, window and receipt are equal."""
    windows: list[list[str]] = []
    receipts: list[Compaction] = []
    for behind in (False, True):
        llm = Slow(released=True)
        ctx = filled(llm, background=behind)
        ctx.prepare()
        if behind:
            made(ctx, llm)
        windows.append(prints(ctx.prepare()))
        receipts.append(replace(ctx.compactions[0], seconds=0.0))
    assert windows[1] == windows[0]
    assert receipts[1] == receipts[0]


def test_one_summary_at_a_time() -> None:
    """However often and from however many threads the loop asks, the model is asked once."""
    llm = Slow()
    ctx = filled(llm)
    together(*[ctx.prepare] * 5)
    for _ in range(3):
        ctx.prepare()
    made(ctx, llm)
    together(*[ctx.prepare] * 5)
    assert len(llm.requests) == 1
    assert [receipt.outcome for receipt in ctx.compactions] == ["applied"]


def test_in_a_tool_loop_it_begins_as_well() -> None:
    """There is time to make it: an agent that works without a pause doesn't wait at the end of the band."""
    llm = Slow()
    ctx = ContextManager(WINDOW, llm=llm, llm_window=60_000, background=True)
    ctx.add(session(looked=4))
    fill(ctx, "soft", 100)
    ctx.prepare()
    assert background(ctx)._job is not None
    ctx.add(looks("chat", 500, lines=5))
    made(ctx, llm)
    assert ctx.prepare()[-2:] == looks("chat", 500, lines=5)
    assert [receipt.trigger for receipt in ctx.compactions] == ["soft"]
    assert ctx.prepare() == ctx.messages
    assert len(llm.requests) == 1


def test_it_waits_for_a_place_where_the_provider_accepts_the_cut() -> None:
    """Manual thinking: in an open tool loop the tail may not begin behind the loop's thinking."""
    llm = Slow()
    ctx = ContextManager(WINDOW, model="claude-sonnet-4-5", llm=llm, llm_window=60_000, background=True)
    ctx.add(user("Look at everything.", shape="anthropic"))
    ctx.add(tool_round([Call("Bash", {"command": "ls"}, result="a b")], shape="anthropic", reasoning="Where to begin?"))
    fill(ctx, "soft", 100, shape="anthropic")
    ctx.add(assistant("That was the first half.", shape="anthropic"))
    ctx.prepare()
    later = looks("anthropic", 500, lines=5)
    ctx.add(later)
    made(ctx, llm)
    assert ctx.prepare()[-2:] == later
    assert not ctx.compactions
    ctx.add(user("Stop here.", shape="anthropic"))
    ctx.prepare()
    assert [receipt.outcome for receipt in ctx.compactions] == ["applied"]
    assert len(llm.requests) == 1


def test_after_one_comes_the_next() -> None:
    """Over a long session each applied compaction has one request, told the record of the one before."""
    llm = Slow(released=True)
    ctx = filled(llm)
    for number in range(1_000, 1_200):
        ctx.prepare()
        if background(ctx)._job is not None:
            made(ctx, llm)
        ctx.add(looks("chat", number, lines=20))
    assert len(ctx.compactions) >= 3
    assert {receipt.outcome for receipt in ctx.compactions} == {"applied"}
    assert len(llm.requests) == len(ctx.compactions) + (background(ctx)._job is not None)
    assert all(
        "Go on with part 9." in told([{"content": request.instructions + request.transcript}]) or request.previous
        for request in llm.requests[1:]
    )


def test_without_a_model_there_is_nothing_to_wait_for() -> None:
    """With `llm=None` the compaction is made at once, as without `background`."""
    behind, plain = (filled(None, background=value) for value in (True, False))
    assert prints(behind.prepare()) == prints(plain.prepare())
    assert [receipt.outcome for receipt in behind.compactions] == ["applied"]


def test_hooks_see_the_compaction_that_is_applied() -> None:
    """Hooks run once, in the thread that calls `prepare`, when the answer is used; pins of theirs hold."""
    llm = Slow()
    seen: list[tuple[str, threading.Thread]] = []

    def before(event: PreCompact) -> Pin:
        seen.append((event.trigger, threading.current_thread()))
        return Pin("The port is 8099.")

    def after(event: PostCompact) -> None:
        seen.append((event.receipt.outcome, threading.current_thread()))

    ctx = filled(llm, pre_compact=before, post_compact=after)
    ctx.prepare()
    assert seen == []
    made(ctx, llm)
    assert "The port is 8099." in told(ctx.prepare())
    assert seen == [("soft", threading.current_thread()), ("applied", threading.current_thread())]


def test_a_veto_keeps_the_answer() -> None:
    """What was paid for is used later; until then the hook is not asked at each call."""
    llm = Slow()
    asked: list[str] = []

    def never(event: PreCompact) -> Veto:
        asked.append(event.trigger)
        return Veto("not now")

    ctx = filled(llm, pre_compact=never)
    ctx.prepare()
    made(ctx, llm)
    for _ in range(3):
        ctx.prepare()
    assert asked == ["soft"]
    fill(ctx, "hard", 500)
    ctx.add(looks("chat", 600, lines=80))
    ctx.prepare()
    assert [receipt.outcome for receipt in ctx.compactions] == ["vetoed", "applied"]
    assert len(llm.requests) == 1


def test_a_hooks_own_summary_wins() -> None:
    """`Replace` at the end: the answer is not used, its cost is told."""
    llm = Slow()
    own = TaskSummary(key_decisions=[Decision(decision="Keep the old parser", reason="it is fast")])
    ctx = filled(llm, pre_compact=lambda _: Replace(own))
    ctx.prepare()
    made(ctx, llm)
    assert "Keep the old parser" in told(ctx.prepare())
    assert ctx.compactions[0].usage == {"input_tokens": 100, "output_tokens": 10, "requests": 1}


# -- at hard ---------------------------------------------------------------------------------


def test_at_hard_prepare_waits_for_the_summary_under_way() -> None:
    """The same request is used; nobody asks a second time."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    fill(ctx, "hard", 500)
    heard = watched(ctx)

    def releasing() -> None:
        assert heard.waited.wait(PATIENCE)
        llm.released.set()

    together(ctx.prepare, releasing)
    (receipt,) = ctx.compactions
    assert (receipt.outcome, receipt.trigger, receipt.summariser) == ("applied", "hard", "llm")
    assert len(llm.requests) == 1


def test_what_is_not_enough_is_gone_on_with() -> None:
    """Too much came since: the rest is asked for on top of the answer, in one compaction, and told once."""
    llm = Slow(SAID, TaskSummary(todo=["Look at part 500 again."]))
    ctx = filled(llm)
    ctx.prepare()
    for number in range(500, 520):
        ctx.add(looks("chat", number))
    made(ctx, llm)
    window = ctx.prepare()
    first, second = llm.requests
    (receipt,) = ctx.compactions
    assert receipt.usage == {"input_tokens": 200, "output_tokens": 20, "requests": 2}
    assert ctx.usage.level == "ok"
    assert "Look at part 500 again." in told(window)
    both = first.transcript + second.transcript
    assert [address for address in receipt.summarised if both.count(f"[{address} ") != 1] == []


def test_a_full_window_without_a_summary_under_way_is_compacted_at_once() -> None:
    """At hard `prepare()` does the work itself, as it always did."""
    llm = Slow(released=True)
    ctx = filled(llm, "hard")
    ctx.prepare()
    assert [receipt.trigger for receipt in ctx.compactions] == ["hard"]
    ended(ctx, llm)


def test_compact_uses_the_summary_under_way() -> None:
    """A manual compaction is not billed twice."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    made(ctx, llm)
    receipt = ctx.compact()
    assert (receipt.outcome, receipt.trigger, receipt.summariser) == ("applied", "manual", "llm")
    assert len(llm.requests) == 1


def test_a_focus_is_heard_for_what_was_not_read_yet() -> None:
    """The summary under way stands; the messages after it are asked for with the focus."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    for number in range(500, 508):
        ctx.add(looks("chat", number))
    made(ctx, llm)
    ctx.compact(focus="the failing test")
    assert [request.focus for request in llm.requests] == [None, "the failing test"]


# -- when it goes wrong ------------------------------------------------------------------------


def test_a_failure_stands_on_the_receipt() -> None:
    """Code does the work when the answer would have been used, and the model is not asked again at each call."""
    llm = Slow(ConnectionError("the line is dead"), released=True)
    ctx = filled(llm)
    ctx.prepare()
    made(ctx, llm)
    ctx.prepare()
    ctx.prepare()
    (receipt,) = ctx.compactions
    assert (receipt.outcome, receipt.summariser) == ("applied", "extractive")
    assert receipt.failures == ("ConnectionError: the line is dead",)
    assert len(llm.requests) == 1


def test_an_error_in_the_thread_itself_is_a_failure_too() -> None:
    """Even an exit: the session goes on, the secret in its text doesn't."""
    llm = Slow(SystemExit("token ghp_" + "a1B2c3D4e5" * 4), released=True)
    ctx = filled(llm)
    ctx.prepare()
    made(ctx, llm)
    ctx.prepare()
    (receipt,) = ctx.compactions
    assert receipt.summariser == "extractive"
    assert [failure.split(":")[0] for failure in receipt.failures] == ["SystemExit"]
    assert "a1B2c3D4e5" not in receipt.failures[0]


def test_a_thread_that_can_not_be_started_leaves_the_work_to_prepare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system is out of threads: as without `background`."""

    def refuses(_: threading.Thread) -> None:
        msg = "can't start new thread"
        raise RuntimeError(msg)

    ctx = filled(Slow(released=True))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuses)
        ctx.prepare()
    assert [receipt.summariser for receipt in ctx.compactions] == ["llm"]


def test_a_summariser_that_calls_the_session_is_refused() -> None:
    """It would wait for itself."""
    ctx: ContextManager
    errors: list[Exception] = []

    def inward(_: SummaryRequest) -> str:
        try:
            ctx.prepare()
        except ContextKitError as error:
            errors.append(error)
        return SAID.model_dump_json()

    ctx = filled(inward)
    ctx.prepare()
    job = background(ctx)._job
    assert job is not None
    assert job.over.wait(PATIENCE)
    assert ["from within" in str(error) for error in errors] == [True]


def change(ctx: ContextManager) -> None:
    """As if another compaction had come between."""
    job = background(ctx)._job
    assert job is not None
    job.begun = replace(job.begun, snapshot=replace(job.begun.snapshot, after="c9"))


def test_an_answer_to_another_old_part_is_dropped_and_asked_for_anew() -> None:
    """At soft nobody waits for the new one either; the reason, and what it cost, stand on the next receipt."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    made(ctx, llm)
    change(ctx)
    ctx.prepare()
    assert not ctx.compactions
    made(ctx, llm)
    ctx.prepare()
    (receipt,) = ctx.compactions
    assert receipt.summariser == "llm"
    (failure,) = receipt.failures
    assert "the old part changed" in failure
    assert "'input_tokens': 100" in failure
    assert len(llm.requests) == 2


def test_at_hard_a_dropped_answer_is_replaced_at_once() -> None:
    """The compaction that is due is made, and says why the answer was of no use."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    made(ctx, llm)
    change(ctx)
    fill(ctx, "hard", 500)
    ctx.prepare()
    (receipt,) = ctx.compactions
    assert receipt.summariser == "llm"
    assert len(receipt.failures) == 1
    assert len(llm.requests) == 2


def test_nobody_waits_for_an_answer_that_is_of_no_use_already() -> None:
    """At hard, with a summary under way for another old part: the next one is made at once."""
    first = Slow()
    other = Slow(released=True)

    def llm(request: SummaryRequest) -> Any:
        return other(request) if first.asked.is_set() else first(request)

    ctx = filled(llm)
    ctx.prepare()
    assert first.asked.wait(PATIENCE)
    change(ctx)
    fill(ctx, "hard", 500)
    together(ctx.prepare)
    first.released.set()
    (receipt,) = ctx.compactions
    assert receipt.summariser == "llm"
    assert ["the old part changed" in failure for failure in receipt.failures] == [True]
    assert len(other.requests) == 1


@pytest.mark.parametrize("changed", ["after", "old", "lost"])
def test_what_makes_an_answer_useless(changed: str) -> None:
    """Another compaction, another old part, or an end before the answer."""
    ctx = filled(None, background=False)
    log = ctx._session.log
    old = tuple(range(2, log.steps.all[5].first))
    snapshot = Snapshot(position=log.steps.all[5].first, old=old)
    assert outdated(log, Ahead(snapshot=snapshot)) == ""
    other = {"after": replace(snapshot, after="c1"), "old": replace(snapshot, old=old[:-1])}.get(changed, snapshot)
    assert outdated(log, Ahead(snapshot=other, lost="its task was cancelled" if changed == "lost" else ""))


def test_strict_fidelity_refuses_it_as_in_the_foreground() -> None:
    """The error comes out of the `prepare` that would have applied it; the answer isn't tried for ever."""
    llm = Slow(released=True)
    tight = Budget(18_600, pins=0.02, summary=0.01)
    ctx = ContextManager(
        budget=tight, llm=llm, llm_window=60_000, background=True, fidelity="strict", redact=withholding()
    )
    ctx.add([*crowded(), user("Go on.")])
    before = prints(ctx.prepare())
    made(ctx, llm)
    with pytest.raises(SummaryError, match="would be lost"):
        ctx.prepare()
    assert [receipt.outcome for receipt in ctx.compactions] == ["failed"]
    assert prints(ctx.prepare()) == before
    assert len(llm.requests) == 1


def test_a_store_that_can_not_write_costs_no_second_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer waits until there is room again."""
    llm = Slow(released=True)
    ctx = filled(llm, store=tmp_path, session="s")
    ctx.prepare()
    made(ctx, llm)
    store: Any = ctx._session._store

    def full(*_: object) -> str:
        msg = "the disk is full"
        raise StoreError(msg)

    with monkeypatch.context() as patched:
        patched.setattr(store, "checkpoint", full)
        with pytest.raises(StoreError, match="full"):
            ctx.prepare()
    ctx.prepare()
    assert [receipt.outcome for receipt in ctx.compactions] == ["applied"]
    assert len(llm.requests) == 1
    ctx.close()


# -- the end -------------------------------------------------------------------------------------


def test_close_does_not_wait_and_nothing_is_written_after_it(tmp_path: Path) -> None:
    """The thread ends by itself: no second request, no record, no file touched."""
    llm = Slow(TaskSummary(), released=False)  # an empty record is asked for again, were anyone still interested
    ctx = filled(llm, store=tmp_path, session="s")
    ctx.prepare()
    assert llm.asked.wait(PATIENCE)
    (worker,) = workers()
    ctx.close()
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    records = len(ctx._session.log.records)
    llm.released.set()
    worker.join(PATIENCE)
    assert not worker.is_alive()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files
    assert len(ctx._session.log.records) == records
    assert len(llm.requests) == 1
    with ContextManager.open(tmp_path, "s") as again:
        assert prints(again.messages) == prints(ctx.messages)


def test_who_waits_at_hard_is_told_of_the_close() -> None:
    """No thread hangs in a session that is gone."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    fill(ctx, "hard", 500)
    heard = watched(ctx)

    def waiting() -> None:
        with pytest.raises(StoreError, match="closed"):
            ctx.prepare()

    def closing() -> None:
        assert heard.waited.wait(PATIENCE)
        ctx.close()

    together(waiting, closing)
    llm.released.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_fork_does_not_wait_for_a_thread_that_it_does_not_have() -> None:
    """In the child the summary is lost and made anew; the parent's goes on."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    assert llm.asked.wait(PATIENCE)
    fill(ctx, "hard", 500)
    child = os.fork()
    if child == 0:
        code = 1
        signal.alarm(PATIENCE)
        try:
            llm.released.set()
            ctx.prepare()
            failures = ctx.compactions[0].failures
            code = 0 if len(failures) == 1 and "forked" in failures[0] else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    made(ctx, llm)
    ctx.prepare()
    assert ctx.compactions[0].failures == ()


class Telling:
    """A lock that tells when somebody wants it."""

    def __init__(self, lock: Any) -> None:
        self.lock = lock
        self.wanted = threading.Event()

    def acquire(self) -> None:
        self.wanted.set()
        self.lock.acquire()

    def release(self) -> None:
        self.lock.release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_fork_waits_until_no_thread_holds_the_lock() -> None:
    """The child would find it held for ever."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    telling: Any = Telling(ctx._session.lock)
    background(ctx).lock = telling
    held = threading.Event()
    status: list[int] = []

    def holding() -> None:
        with ctx._session.lock:
            held.set()
            telling.wanted.wait(PATIENCE / 10)

    def forking() -> None:
        assert held.wait(PATIENCE)
        child = os.fork()
        if child == 0:
            os._exit(0 if ctx._session.lock.acquire(timeout=PATIENCE / 30) else 1)
        status.append(os.waitpid(child, 0)[1])

    together(holding, forking)
    assert status == [0]
    background(ctx).lock = telling.lock
    made(ctx, llm)


# -- tasks -----------------------------------------------------------------------------------------


def play(job: Callable[[], Any]) -> None:
    asyncio.run(asyncio.wait_for(job(), PATIENCE))


@pytest.mark.parametrize("kind", [Slow, SlowAsync])
def test_tasks_do_not_wait_at_soft(kind: type[Slow]) -> None:
    """`aprepare()`: an async summariser is a task of the loop, a sync one a thread; five callers start one."""
    llm = kind()

    async def job() -> None:
        ctx = filled(llm)
        before = prints(ctx.messages)
        lists = await asyncio.gather(*[ctx.aprepare() for _ in range(5)])
        assert [prints(found) for found in lists] == [before] * 5
        ctx.add(user("meanwhile"))
        await ctx.aprepare()
        assert not ctx.compactions
        llm.released.set()
        while not background(ctx).ready:
            await asyncio.sleep(0)
        window = await ctx.aprepare()
        assert window[-1] == user("meanwhile")
        assert [receipt.summariser for receipt in ctx.compactions] == ["llm"]
        assert len(llm.requests) == 1

    play(job)


def test_the_async_twin_gives_the_same_window() -> None:
    """Task or thread, the same answer gives the same bytes."""
    windows: list[list[str]] = []

    async def job() -> None:
        for kind in (Slow, SlowAsync):
            llm = kind(released=True)
            ctx = filled(llm)
            await ctx.aprepare()
            while not background(ctx).ready:
                await asyncio.sleep(0)
            windows.append(prints(await ctx.aprepare()))

    play(job)
    assert windows[1] == windows[0]


@pytest.mark.parametrize("kind", [Slow, SlowAsync])
def test_who_is_cancelled_at_hard_loses_nothing(kind: type[Slow]) -> None:
    """The loop goes on while one waits; the next call finds the same summary."""
    llm = kind()

    async def job() -> None:
        ctx = filled(llm)
        await ctx.aprepare()
        fill(ctx, "hard", 500)
        waiting = asyncio.create_task(ctx.aprepare())
        for _ in range(20):
            await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert not ctx.compactions
        llm.released.set()
        await ctx.aprepare()
        (receipt,) = ctx.compactions
        assert (receipt.trigger, receipt.summariser, receipt.failures) == ("hard", "llm", ())
        assert len(llm.requests) == 1

    play(job)


def test_close_cancels_the_task() -> None:
    """The loop is left with nothing to do."""
    llm = SlowAsync()

    async def job() -> None:
        async with filled(llm) as ctx:
            await ctx.aprepare()
            while not llm.asked.is_set():
                await asyncio.sleep(0)
            held = background(ctx)._job
            assert held is not None
            task = held.task
        assert task is not None
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) <= 2  # this one, and the one that times it

    play(job)


def test_a_summary_whose_loop_has_ended_is_made_anew() -> None:
    """The task went with its loop: the next one begins again, and the receipt says why."""
    llm = SlowAsync()
    ctx = filled(llm)
    play(ctx.aprepare)
    fill(ctx, "hard", 500)
    llm.released.set()
    play(ctx.aprepare)
    (receipt,) = ctx.compactions
    assert receipt.summariser == "llm"
    assert ["cancelled" in failure for failure in receipt.failures] == [True]


def test_a_summary_whose_loop_was_left_is_made_anew() -> None:
    """A loop that was stopped without ending its tasks can't hold a session up."""
    llm = SlowAsync()
    ctx = filled(llm)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(ctx.aprepare())
    fill(ctx, "hard", 500)
    llm.released.set()
    play(ctx.aprepare)
    assert ["event loop" in failure for failure in ctx.compactions[0].failures] == [True]
    loop.run_until_complete(asyncio.sleep(0))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


# -- a summariser that never answers --------------------------------------------------------------


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits at all for a summary in the background."""
    monkeypatch.setattr(_background, "LONGEST", 0.0)


def ended(ctx: ContextManager, llm: Slow) -> None:
    """Let the summariser go, and wait until its thread has ended."""
    llm.released.set()
    for thread in workers():
        thread.join(PATIENCE)
    assert workers() == []
    ctx.close()


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("begun", [True, False])
def test_who_never_answers_holds_nobody_up_for_ever(begun: bool) -> None:
    """At hard code does the work after a while, whether a summary was begun or not; the receipt says why."""
    llm = Slow()
    ctx = filled(llm, "soft" if begun else "hard")
    if begun:
        ctx.prepare()
        fill(ctx, "hard", 500)
    ctx.prepare()
    (receipt,) = ctx.compactions
    assert (receipt.outcome, receipt.trigger, receipt.summariser) == ("applied", "hard", "extractive")
    assert ["did not answer" in failure for failure in receipt.failures] == [True]
    ended(ctx, llm)


@pytest.mark.usefixtures("hasty")
def test_who_is_silent_is_not_asked_again_until_that_ends() -> None:
    """One thread hangs at most; once it has ended, the model is asked as before."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    assert llm.asked.wait(PATIENCE)
    for first in (500, 700):
        fill(ctx, "hard", first)
        ctx.prepare()
    assert ["still silent" in failure for failure in ctx.compactions[1].failures] == [True]
    assert (len(llm.requests), len(workers())) == (1, 1)
    llm.asked.clear()
    llm.released.set()
    workers()[0].join(PATIENCE)
    fill(ctx, "soft", 900)
    ctx.add(assistant("That was all of it."))
    ctx.prepare()
    assert llm.asked.wait(PATIENCE)
    assert len(llm.requests) == 2
    ended(ctx, llm)


@pytest.mark.usefixtures("hasty")
def test_a_late_answer_is_of_no_use() -> None:
    """What comes after the receipt changes neither window nor receipts."""
    llm = Slow()
    ctx = filled(llm)
    ctx.prepare()
    assert llm.asked.wait(PATIENCE)
    fill(ctx, "hard", 500)
    window = prints(ctx.prepare())
    llm.released.set()
    for thread in workers():
        thread.join(PATIENCE)
    assert prints(ctx.prepare()) == window
    assert len(ctx.compactions) == 1
    ended(ctx, llm)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("kind", [Slow, SlowAsync])
def test_a_task_is_not_held_up_either(kind: type[Slow]) -> None:
    """`aprepare()` goes on; a summariser that is awaited is cancelled."""
    llm = kind()
    ctx = filled(llm, "hard")

    async def job() -> None:
        await ctx.aprepare()
        await asyncio.sleep(0.01)
        assert len(asyncio.all_tasks()) <= 2  # this one, and the one that times it

    play(job)
    (receipt,) = ctx.compactions
    assert ["did not answer" in failure for failure in receipt.failures] == [True]
    ended(ctx, llm)


EXITING = """
import asyncio, sys, threading
from context_kit import ContextManager

def hangs(_):
    threading.Event().wait()

async def ahangs(_):
    await asyncio.Event().wait()

async def main(ctx):
    await ctx.aprepare()

ctx = ContextManager(8_000, llm=ahangs if sys.argv[1] == "task" else hangs, background=True)
while ctx.usage.level != "soft":
    ctx.add([{"role": "user", "content": "word " * 100}, {"role": "assistant", "content": "word " * 100}])
if sys.argv[1] == "thread":
    ctx.prepare()
else:
    asyncio.run(main(ctx))
assert ctx._session._background._job is not None
if sys.argv[2] == "closed":
    ctx.close()
print("the end")
"""


@pytest.mark.parametrize(
    ("kind", "closed"), [("thread", "closed"), ("thread", "open"), ("task", "open"), ("thread in a loop", "open")]
)
def test_an_interpreter_ends_while_a_summariser_hangs(kind: str, closed: str) -> None:
    """Closed or not: nothing holds the process, nothing is printed."""
    command = [sys.executable, "-W", "error", "-c", EXITING, kind, closed]
    root = Path(__file__).resolve().parents[1]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE * 4, check=False, cwd=root)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "the end\n", "")


# -- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_every_window_is_legal_and_fits_whenever_the_answer_comes(shape: Shape, data: st.DataObject) -> None:
    """Whatever is said, at each step, whether the summary is under way, just done or used; nothing is billed twice."""
    talk: Sequence[Message] = data.draw(conversations(shape, min_steps=6, giant=2_000))
    window = data.draw(st.sampled_from((1_500, 2_500, 5_000)))
    llm = Slow()
    ctx = ContextManager(window, llm=llm, llm_window=90_000, background=True)
    for at, message in enumerate(talk):
        if due(talk, at):
            if data.draw(st.booleans()) and background(ctx)._job is not None:
                made(ctx, llm)
            if ctx.usage.level == "hard":
                llm.released.set()
            try:
                sent = ctx.prepare()
            except WindowExceededError:
                break
            llm.released.clear()
            accepted(sent, shape)
            assert faults(sent, shape=known(ctx)) == ()
            assert ctx.usage.tokens <= ctx._session.settings.budget.room
        ctx.add(message)
    under_way = background(ctx)._job is not None
    if under_way:
        made(ctx, llm)
    ctx.close()
    billed = sum((receipt.usage or {}).get("requests", 0) for receipt in ctx.compactions)
    assert billed == len(llm.requests) - under_way
    event(f"{len(ctx.compactions)} compactions")


def real() -> list[Any]:
    """Some of the smaller real sessions beside this repository, where there are any."""
    return sorted(TRANSCRIPTS.glob("*.json"), key=lambda path: path.stat().st_size)[4:10]


@pytest.mark.parametrize("late", [0, 2, 8])
@pytest.mark.parametrize("path", real(), ids=lambda path: path.stem)
def test_real_sessions_stay_legal_however_late_the_answer_comes(path: Path, late: int) -> None:
    """The judge of the transcripts finds no fault; each request is on one receipt."""
    warm()
    document = json.loads(path.read_text("utf-8"))
    beside = {name: document.get(name) for name in ("system", "tools")}
    window, found, llm, pace = windows(document)[-1], list[str](), Slow(), random.Random(late)
    types = request_types(anthropic=document["format"] == "anthropic-messages")
    fixed = sum(count_tokens(part) for part in beside.values())
    judge = Judge(document["messages"], window, fixed, types, found)
    ctx = ContextManager(window, llm=llm, llm_window=400_000, background=True, **beside)
    for index, message in enumerate(document["messages"]):
        if message["role"] == "assistant" and index:
            if background(ctx)._job is not None and pace.randint(0, late) == 0:
                made(ctx, llm)
            if ctx.usage.level == "hard":
                llm.released.set()
            judge.look(ctx.prepare(), index, len(ctx.compactions))
            llm.released.clear()
        ctx.add(message)
    assert found == []
    under_way = background(ctx)._job is not None
    if under_way:
        made(ctx, llm)
    ctx.close()
    assert ctx.compactions
    assert sum((receipt.usage or {})["requests"] for receipt in ctx.compactions) == len(llm.requests) - under_way


@pytest.mark.parametrize("value", [1, "yes"])
def test_background_is_a_switch(value: Any) -> None:
    """Anything but True and False is refused by name."""
    with pytest.raises(BudgetError, match="background"):
        ContextManager(8_000, background=value)
