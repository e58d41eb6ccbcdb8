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
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakSet

from context_kit._commands import Ahead, Begin, Collect, Steps
from context_kit._records import Compacted, Record, Skipped
from context_kit.errors import told
from context_kit.summary import Answer

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

__all__ = ["Background"]

WAIT = 0.005
"""Seconds between two looks of an awaiting task at whether the summary is done."""

LONGEST = 300.0
"""Seconds after which nobody waits any longer for a summary that was begun; the adapters' own deadline, too."""

Asking: TypeAlias = "Steps[Answer | None]"


@dataclass(slots=True, eq=False)
class _Job:
    """One summary under way."""

    begun: Begin
    loop: AbstractEventLoop | None = None
    """Where its task runs; None for a thread."""
    task: Task[None] | None = None
    thread: threading.Thread | None = None
    process: int = field(default_factory=os.getpid)
    ends: float = field(default_factory=lambda: monotonic() + LONGEST)
    """When nobody waits for it any longer, by the monotonic clock."""
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
        """Code does the work of a model that could not be asked, or did not answer."""
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
        self._silent: threading.Thread | None = None
        """Still in a request that nobody waits for any longer."""

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
        if job is not None and command.wait and not job.fate and not job.over.wait(max(job.ends - monotonic(), 0.0)):
            self._give_up(job)
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
            if monotonic() >= job.ends:
                self._give_up(job)
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
            if self._silent is not None and self._silent.is_alive():
                job.fail("the summariser is still silent on an earlier request: it is not asked until that one ends")
                job.over.set()
                return
            job.thread = work
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
            self._end(job, self._run(job.asking()))
        except BaseException as error:  # noqa: BLE001 - nobody else hears of it: it becomes a step down
            self._end(job, self._redact(told(error)))

    async def _await(self, job: _Job) -> None:
        try:
            self._end(job, await self._arun(job.asking()))
        except Exception as error:  # noqa: BLE001 - nobody else hears of it: it becomes a step down
            self._end(job, self._redact(told(error)))

    def _over(self, job: _Job) -> None:
        with self.lock:
            if not job.over.is_set():
                job.lost = "its task was cancelled"
                job.over.set()

    def _end(self, job: _Job, found: Answer | str | None) -> None:
        """Take an answer, or why there is none, unless it came too late."""
        with self.lock:
            if job.over.is_set():
                return
            if isinstance(found, str):
                job.fail(found)
            else:
                job.answer = found
            job.over.set()

    def _give_up(self, job: _Job) -> None:
        """Go on without an answer: the thread can't be ended, so the summariser isn't asked again until it has."""
        with self.lock:
            if job.over.is_set():
                return
            self._end(job, f"the summariser did not answer within {LONGEST:.0f} s")
            self._silent = job.thread
            self._let_go_of(job)

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
        if not job.over.is_set():
            self._let_go_of(job)
        job.over.set()

    def _let_go_of(self, job: _Job) -> None:
        job.wanted = False
        if job.loop is not None and job.task is not None:
            with suppress(RuntimeError):  # a closed loop has ended its tasks
                job.loop.call_soon_threadsafe(job.task.cancel)


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
