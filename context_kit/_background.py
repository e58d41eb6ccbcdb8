"""A summary that is made while the agent goes on: one at a time, of a snapshot, and below hard nobody waits.

Only the asking runs in the background, and all it writes is its own answer. The turn that uses
the answer does the rest, so hooks, receipts and the store are as they are without it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakSet

from context_kit._commands import Ahead, Begin, Collect, Steps
from context_kit._cuts import legal
from context_kit._log import Log
from context_kit._plan import leaving
from context_kit._records import Compacted, Record, Skipped
from context_kit.summary import Answer

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

__all__ = ["Background", "legal_now", "outdated"]

WAIT = 0.005
"""Seconds between two looks of an awaiting task at whether the summary is done."""

Asking: TypeAlias = "Steps[Answer | None]"


def outdated(log: Log, ahead: Ahead) -> str:
    """Why a summary that was begun can't be used any more; empty where the old part is as it was."""
    snapshot = ahead.snapshot
    after = log.last.receipt.id if log.last else ""
    old = tuple(entry.position for entry in leaving(log, log.index_of(snapshot.position)))
    changed = "" if (after, old) == (snapshot.after, snapshot.old) else "the old part changed meanwhile"
    used = f"; it used {dict(ahead.answer.usage)}" if ahead.answer is not None and ahead.answer.usage else ""
    reason = ahead.lost or changed
    return f"the summary made in the background was dropped: {reason}{used}" if reason else ""


def legal_now(log: Log, ahead: Ahead) -> bool:
    """Whether the tail may start where the summary ends; in a tool loop with bound thinking it may not."""
    steps = log.steps.all
    index = log.index_of(ahead.snapshot.position)
    return index < len(steps) and legal(steps, index, log.opened.model)


@dataclass(slots=True, eq=False)
class _Job:
    """One summary under way."""

    begun: Begin
    loop: AbstractEventLoop | None = None
    """Where its task runs; None for a thread."""
    task: Task[None] | None = None
    process: int = field(default_factory=os.getpid)
    over: threading.Event = field(default_factory=threading.Event)
    wanted: bool = True
    answer: Answer | None = None
    lost: str = ""

    @property
    def fate(self) -> str:
        """Why it will never be done; empty where it is done or may be."""
        if self.lost or self.over.is_set():
            return self.lost
        if self.process != os.getpid():
            return "it was begun by the process that this one was forked from"
        return "its event loop has ended" if self.loop is not None and not self.loop.is_running() else ""

    def asking(self) -> Asking:
        """The asking, until nobody wants it any more: a second request is then never made."""
        asking = self.begun.asking
        try:
            command = next(asking)
            while self.wanted:
                command = asking.send((yield command))
        except StopIteration as stop:
            answer: Answer = stop.value
            return answer
        return None

    def fail(self, reason: str) -> None:
        """Code does the work of a model that could not be asked."""
        said = self.begun.snapshot.said
        self.answer = Answer(said=said, rung="extractive", complete=False, failures=[reason])


class Background:
    """The summary of one session that is under way, or done and not used yet."""

    def __init__(
        self,
        lock: threading.RLock,
        *,
        run: Callable[[Asking], Any],
        arun: Callable[[Asking], Awaitable[Any]],
        alive: Callable[[], None],
        redact: Callable[[str], str],
        awaited: bool,
    ) -> None:
        """Take what drives the asking, blocking or awaiting, and whether the summariser has to be awaited."""
        self.lock = lock
        self._run = run
        self._arun = arun
        self._alive = alive
        self._redact = redact
        self._awaited = awaited
        self._job: _Job | None = None

    @property
    def ready(self) -> bool:
        """Whether a summary waits to be used."""
        return self._job is not None and self._job.over.is_set()

    # -- what the drivers do -------------------------------------------------------------

    def do(self, command: Begin | Collect) -> Ahead | None:
        """Begin a summary, or tell what became of it, blocking.

        Raises:
            StoreError: the session was closed.
            RuntimeError: no thread can be started.
        """
        if isinstance(command, Begin):
            self._start(command)
            return None
        job = self._job
        if job is not None and command.wait and not job.fate:
            job.over.wait()
        return self._found()

    async def ado(self, command: Begin | Collect) -> Ahead | None:
        """`do` for an event loop; who stops waiting stops nothing else.

        Raises:
            StoreError: the session was closed.
            RuntimeError: no thread can be started.
        """
        from asyncio import sleep

        if isinstance(command, Begin):
            (self._schedule if self._awaited else self._start)(command)
            return None
        job = self._job
        while job is not None and command.wait and not (job.over.is_set() or job.fate):
            await sleep(WAIT)
        return self._found()

    def _found(self) -> Ahead | None:
        self._alive()
        job = self._job
        if job is None:
            return None
        return Ahead(snapshot=job.begun.snapshot, answer=job.answer if job.over.is_set() else None, lost=job.fate)

    def _start(self, command: Begin) -> None:
        job = _Job(command)
        _guard_forks(self)
        work = threading.Thread(
            target=copy_context().run, args=(self._work, job), name="context_kit summary", daemon=True
        )
        with self._put(job):
            work.start()

    def _schedule(self, command: Begin) -> None:
        from asyncio import get_running_loop

        job = _Job(command, loop=get_running_loop())
        with self._put(job):
            job.task = get_running_loop().create_task(self._await(job))
            job.task.add_done_callback(lambda _: self._over(job))

    @contextmanager
    def _put(self, job: _Job) -> Generator[None]:
        """Take a job in place of any other, unless it can't be started."""
        with self.lock:
            self._alive()
            self.drop()
            self._job = job
            try:
                yield
            except BaseException:
                self._job = None
                raise

    # -- what runs in the background -------------------------------------------------------

    def _work(self, job: _Job) -> None:
        try:
            job.answer = self._run(job.asking())
        except BaseException as error:  # noqa: BLE001 - nobody else hears of it: it becomes a step down
            job.fail(self._redact(f"{type(error).__name__}: {error}"))
        job.over.set()

    async def _await(self, job: _Job) -> None:
        try:
            job.answer = await self._arun(job.asking())
        except Exception as error:  # noqa: BLE001 - nobody else hears of it: it becomes a step down
            job.fail(self._redact(f"{type(error).__name__}: {error}"))

    def _over(self, job: _Job) -> None:
        if job.answer is None:
            job.lost = "its task was cancelled"
        job.over.set()

    # -- when it is not wanted any more ------------------------------------------------------

    def heard(self, record: Record) -> None:
        """Forget the summary where a compaction used it, or came to nothing with it."""
        applied = isinstance(record, Compacted)
        if applied or (isinstance(record, Skipped) and record.receipt.outcome != "vetoed"):
            self.drop()

    def drop(self) -> None:
        """Forget the summary: what is under way ends by itself and changes nothing; who waits for it goes on."""
        job, self._job = self._job, None
        if job is None:
            return
        job.wanted = False
        if job.loop is not None and job.task is not None and not job.over.is_set():
            with suppress(RuntimeError):  # a closed loop has ended its tasks
                job.loop.call_soon_threadsafe(job.task.cancel)
        job.over.set()


# -- forks ---------------------------------------------------------------------------------

_live: WeakSet[Background] = WeakSet()
_forking = threading.RLock()
_held: list[threading.RLock] = []


def _guard_forks(background: Background) -> None:
    """A child that is forked while a thread summarises must not inherit a lock that nobody releases."""
    _register()
    with _forking:
        _live.add(background)


@cache
def _register() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)


def _hold() -> None:
    _forking.acquire()
    for background in sorted(_live, key=id):
        background.lock.acquire()
        _held.append(background.lock)


def _let_go() -> None:
    while _held:
        _held.pop().release()
    _forking.release()
