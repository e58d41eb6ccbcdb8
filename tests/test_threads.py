"""One object, many threads and tasks: nothing is lost, and there is one compaction at a time."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from context_kit import ContextKitError, ContextManager, PreCompact, SummaryRequest, TaskSummary, _turn
from context_kit._commands import Append, Flow
from context_kit._drive import arun, run
from context_kit._records import Released
from context_kit.testing import user
from tests.talks import looks, prints, session, told

SUMMARY = TaskSummary(todo=["Go on."]).model_dump_json()
PATIENCE = 30
"""Seconds after which a test says that something hangs."""


def together(*jobs: Any) -> None:
    """Run functions in threads of their own; the first error of any comes out."""
    errors: list[BaseException] = []

    def run(job: Any) -> None:
        try:
            job()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]


def test_add_never_waits_for_a_model() -> None:
    """While one thread waits for the summariser, another adds; what it added stands after the bridge."""
    asked, added = threading.Event(), threading.Event()

    def slow(_: SummaryRequest) -> str:
        asked.set()
        assert added.wait(PATIENCE)
        return SUMMARY

    ctx = ContextManager(8_000, llm=slow, llm_window=60_000)
    ctx.add(session(looked=8))

    def adding() -> None:
        assert asked.wait(PATIENCE)
        for number in range(20):
            ctx.add(user(f"meanwhile {number}"))
        assert ctx.messages[-1] == user("meanwhile 19")
        assert ctx.usage.tokens > 0
        added.set()

    together(ctx.compact, adding)
    assert ctx.compactions[0].outcome == "applied"
    assert ctx.messages[-20:] == [user(f"meanwhile {number}") for number in range(20)]


@pytest.mark.parametrize("stored", [False, True])
def test_no_message_is_lost_between_threads(stored: bool, tmp_path: Path) -> None:
    """Four threads add while a fifth compacts: every message is in the log once, each thread's in its order."""
    ctx = ContextManager(6_000, store=tmp_path if stored else None, session="s")

    def adding(name: str) -> Any:
        def run() -> None:
            for number in range(60):
                ctx.add(user(f"{name} {number} " + "word " * 20))

        return run

    def preparing() -> None:
        for _ in range(40):
            ctx.prepare()
            ctx.compact()

    together(*(adding(name) for name in "abcd"), preparing)
    texts = [entry.message.text for entry in ctx._session.log.entries]
    assert len(texts) == 240
    for name in "abcd":
        mine = [int(text.split()[1]) for text in texts if text.startswith(f"{name} ")]
        assert mine == list(range(60))
    assert [entry.position for entry in ctx._session.log.entries] == list(range(1, 241))
    window = prints(ctx.messages)
    ctx.close()
    if stored:
        with ContextManager.open(tmp_path, "s") as again:
            assert prints(again.messages) == window


def test_two_threads_that_prepare_make_one_compaction() -> None:
    """Who comes second waits and finds the work done."""
    calls: list[int] = []

    def slow(_: SummaryRequest) -> str:
        calls.append(1)
        threading.Event().wait(0.05)
        return SUMMARY

    ctx = ContextManager(8_000, llm=slow, llm_window=60_000)
    ctx.add(session(looked=20))
    windows: list[list[str]] = []
    together(*[lambda: windows.append(prints(ctx.prepare()))] * 5)
    assert len(calls) == 1
    assert len(ctx.compactions) == 1
    assert all(window == windows[0] for window in windows)


def test_five_tasks_that_prepare_make_one_compaction() -> None:
    """The others wait for it and return the same list."""
    calls: list[int] = []

    async def slow(_: SummaryRequest) -> str:
        calls.append(1)
        await asyncio.sleep(0.02)
        return SUMMARY

    async def play() -> list[list[Any]]:
        ctx = ContextManager(8_000, llm=slow, llm_window=60_000)
        ctx.add(session(looked=20))
        lists = await asyncio.wait_for(asyncio.gather(*[ctx.aprepare() for _ in range(5)]), PATIENCE)
        assert [receipt.outcome for receipt in ctx.compactions] == ["applied"]
        return list(lists)

    lists = asyncio.run(play())
    assert len(calls) == 1
    assert all(prints(found) == prints(lists[0]) for found in lists)


def test_a_message_added_while_a_task_awaits_survives() -> None:
    """The event loop goes on while the model is awaited."""

    async def slow(_: SummaryRequest) -> str:
        await asyncio.sleep(0.02)
        return SUMMARY

    async def play() -> ContextManager:
        ctx = ContextManager(8_000, llm=slow, llm_window=60_000)
        ctx.add(session(looked=20))
        task = asyncio.create_task(ctx.aprepare())
        await asyncio.sleep(0.005)
        ctx.add(user("meanwhile"))
        await asyncio.wait_for(task, PATIENCE)
        return ctx

    ctx = asyncio.run(play())
    assert ctx.messages[-1] == user("meanwhile")
    assert len(ctx.compactions) == 1


def test_a_blocking_summariser_does_not_stop_the_event_loop() -> None:
    """Under `aprepare` a sync model, hook or provider runs in a worker thread."""
    ticks: list[int] = []
    places: list[str] = []

    def slow(_: SummaryRequest) -> str:
        places.append(threading.current_thread().name)
        threading.Event().wait(0.1)
        return SUMMARY

    def hook(_: PreCompact) -> None:
        places.append(threading.current_thread().name)

    async def ticking() -> None:
        while True:
            ticks.append(1)
            await asyncio.sleep(0.005)

    async def play() -> None:
        ctx = ContextManager(8_000, llm=slow, llm_window=60_000, pre_compact=hook)
        ctx.add(session(looked=20))
        task = asyncio.create_task(ticking())
        await ctx.aprepare()
        task.cancel()

    asyncio.run(asyncio.wait_for(play(), PATIENCE))
    assert len(ticks) > 3
    assert threading.current_thread().name not in places


def test_sync_and_async_callers_share_one_turn() -> None:
    """A thread that blocks and a task that awaits never compact at once."""
    running: list[int] = []
    most: list[int] = []

    def slow(_: SummaryRequest) -> str:
        running.append(1)
        most.append(len(running))
        threading.Event().wait(0.02)
        running.pop()
        return SUMMARY

    ctx = ContextManager(8_000, llm=slow, llm_window=60_000)
    ctx.add(session(looked=8))

    def blocking() -> None:
        for number in range(3):
            ctx.add([message for n in range(8) for message in looks("chat", 100 * number + n)])
            ctx.compact()

    def awaiting() -> None:
        async def play() -> None:
            for number in range(3):
                ctx.add(user("and " * 400 + str(number)))
                await ctx.acompact()

        asyncio.run(play())

    together(blocking, awaiting)
    assert max(most) == 1
    assert [receipt.id for receipt in ctx.compactions] == [
        f"c{number}" for number in range(1, len(ctx.compactions) + 1)
    ]


class Halting:
    """An async summariser whose first request waits to be let go."""

    def __init__(self) -> None:
        self.asked = 0
        self.free = False

    async def __call__(self, _: SummaryRequest) -> str:
        self.asked += 1
        while self.asked == 1 and not self.free:
            await asyncio.sleep(0)
        return SUMMARY


def left_alone(ctx: ContextManager, llm: Halting) -> tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]:
    """A loop that stopped in the middle of its turn, and its task."""
    loop = asyncio.new_event_loop()

    async def begun() -> asyncio.Task[Any]:
        task = asyncio.ensure_future(ctx.acompact())
        while not (llm.asked or task.done()):
            await asyncio.sleep(0)
        return task

    return loop, loop.run_until_complete(begun())


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_turn_whose_loop_stands_still_is_taken_over(*, elsewhere: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another loop, in this thread or another, is not held up; the task that lost its turn begins again."""
    monkeypatch.setattr(_turn, "STILL", 0.05)
    llm = Halting()
    ctx = ContextManager(8_000, llm=llm, llm_window=60_000)
    ctx.add(session(looked=8))
    loop, task = left_alone(ctx, llm)

    def other() -> None:
        asyncio.run(asyncio.wait_for(ctx.acompact(), PATIENCE))

    together(other) if elsewhere else other()
    (before,) = ctx.compactions
    assert before.outcome == "applied"
    llm.free = True
    after = loop.run_until_complete(task)
    assert ctx.compactions == (before, after)
    assert after.id == "c2"
    loop.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_turn_whose_loop_was_closed_is_taken_over() -> None:
    """Also by another thread, and at once; what is left of the old task frees nobody else's turn."""
    llm = Halting()
    ctx = ContextManager(8_000, llm=llm, llm_window=60_000)
    ctx.add(session(looked=8))
    loop, task = left_alone(ctx, llm)
    loop.close()
    together(lambda: asyncio.run(asyncio.wait_for(ctx.acompact(), PATIENCE)))
    assert [receipt.outcome for receipt in ctx.compactions] == ["applied"]
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    del task
    assert asyncio.run(asyncio.wait_for(ctx.aprepare(), PATIENCE)) == ctx.messages


def test_the_journal_takes_records_from_many_threads(tmp_path: Path) -> None:
    """Whole lines, each once."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:

        def writing(name: str) -> Any:
            return lambda: [ctx.memory.append(action="decide", file=f"{name}{n}", reason="x" * 500) for n in range(30)]

        together(*(writing(name) for name in "abcd"))
        records = ctx.memory.records("s")
        assert sorted(record.file for record in records) == sorted(f"{name}{n}" for name in "abcd" for n in range(30))
        assert len({record.id for record in records}) == 120


def test_pins_and_recall_from_other_threads() -> None:
    """Everything public may be called while a compaction runs."""
    ctx = ContextManager(12_000)
    ctx.add(session(looked=8))

    def compacting() -> None:
        for number in range(10):
            ctx.add([message for n in range(6) for message in looks("chat", 100 * number + n)])
            ctx.compact()

    def pinning() -> None:
        for number in range(10):
            ctx.pin(f"Fact {number}.")

    def reading() -> None:
        for _ in range(20):
            ctx.recall("listing value")
            assert ctx.messages
            assert ctx.usage.window == 12_000
            _ = (ctx.engrams, ctx.summary, ctx.compactions)

    together(compacting, pinning, reading)
    ctx.prepare()
    assert all(f"Fact {number}." in told(ctx.messages) for number in range(10))


def test_a_blocking_call_inside_the_loop_of_a_running_turn_is_refused() -> None:
    """It would wait for a task that can't go on."""
    ctx = ContextManager(8_000, llm=lambda _: SUMMARY)
    ctx.add([user("Go."), *(message for number in range(12) for message in looks("chat", number))])

    async def both() -> None:
        task = asyncio.ensure_future(ctx.acompact())
        await asyncio.sleep(0)
        with pytest.raises(ContextKitError, match="await, don't block"):
            ctx.compact()
        assert (await task).outcome == "applied"

    asyncio.run(asyncio.wait_for(both(), PATIENCE))


def test_what_a_summariser_raises_never_hangs_or_escapes() -> None:
    """StopIteration, which no task can carry, and an error without a text."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    def mute(_: SummaryRequest) -> str:
        raise Mute

    for llm in (lambda _: next(iter(())), mute):
        ctx = ContextManager(8_000, llm=llm)
        ctx.add([user("Go."), *(message for number in range(12) for message in looks("chat", number))])
        receipt = asyncio.run(asyncio.wait_for(ctx.acompact(), PATIENCE))
        assert (receipt.outcome, receipt.summariser) == ("applied", "extractive")
        assert receipt.failures


@pytest.mark.parametrize("awaited", [False, True])
def test_what_is_decided_is_written_before_anyone_adds(awaited: bool) -> None:
    """A notice has its place in the list from the moment on that it is decided: no other message gets the same one."""

    class Watched:
        """A lock that tells when it was let go."""

        def __init__(self) -> None:
            self.lock = threading.RLock()
            self.let_go: list[int] = []

        def __enter__(self) -> None:
            self.lock.acquire()

        def __exit__(self, *_: object) -> None:
            self.lock.release()
            self.let_go.append(len(self.let_go))

    watched = Watched()
    decided: list[int] = []

    def flow() -> Flow:
        decided.append(len(watched.let_go))
        yield Append(Released(id="p1"))

    def append(*_: object) -> None:
        assert len(watched.let_go) == decided[0]

    ctx = ContextManager(8_000)
    effects = replace(ctx._session.effects, append=append)
    if awaited:
        asyncio.run(arun(flow(), effects, watched))
    else:
        run(flow(), effects, watched)
    assert decided == [0]
