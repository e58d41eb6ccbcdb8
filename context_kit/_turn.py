"""One turn of a session at a time: who comes second waits, who comes from within is refused.

No lock is held while another task's turn is awaited: the waiting task looks now and then, so
that cancelling it leaves nothing behind. A turn whose event loop has stopped is taken over: its
task, should it ever go on, finds that it has lost the turn and changes nothing any more.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from context_kit.errors import ContextKitError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["LostTurn", "Turn"]

WAIT = 0.005
"""Seconds between two looks at whether another task's turn is over."""
STILL = 1.0
"""Seconds that an event loop stands still, not closed, until the turn of its task is taken over."""

_turning: ContextVar[frozenset[int]] = ContextVar("context_kit_turning", default=frozenset())
"""The turns that are under way in this thread or task, and in what it started."""


class LostTurn(Exception):  # noqa: N818 - who hears of it begins again: it reaches no caller
    """The turn was taken over while its event loop stood still."""


@dataclass(slots=True, eq=False)
class _Holder:
    """Who holds the turn."""

    thread: int
    loop: AbstractEventLoop | None = None
    """Where its task runs; None for a thread, which always comes back."""
    still_since: float | None = None
    """When a waiting one first saw that the loop stands still, by the monotonic clock."""

    def gone(self) -> bool:
        """Whether its loop will not, or does not, go on; a thread that waits for a loop of its own stops it."""
        if self.loop is None or self.loop.is_running():
            self.still_since = None
            return False
        if self.loop.is_closed() or self.thread == threading.get_ident():
            return True
        self.still_since = self.still_since or monotonic()
        return monotonic() - self.still_since >= STILL


class Turn:
    """The right to compact one session."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._holder: _Holder | None = None

    @contextmanager
    def blocking(self) -> Generator[None]:
        """Hold the turn, waiting for it.

        Raises:
            ContextKitError: this thread or task is inside a turn of the same session, or its event loop is.
        """
        mine = _Holder(threading.get_ident())
        with self._within():
            with self._free:
                while not self._take(mine):
                    self._refuse_deadlock()
                    self._free.wait(WAIT if self._holder and self._holder.loop else None)
            try:
                yield
            finally:
                self._leave(mine)

    @asynccontextmanager
    async def waiting(self) -> AsyncGenerator[Callable[[], bool]]:
        """Hold the turn, awaiting it; whether it is held still.

        Raises:
            ContextKitError: this thread or task is inside a turn of the same session.
        """
        from asyncio import get_running_loop, sleep

        mine = _Holder(threading.get_ident(), get_running_loop())
        with self._within():
            while not self._taken(mine):
                await sleep(WAIT)
            try:
                yield lambda: self._holder is mine
            finally:
                self._leave(mine)

    def _taken(self, mine: _Holder) -> bool:
        with self._free:
            return self._take(mine)

    def _take(self, mine: _Holder) -> bool:
        """Take the turn where it is free or was left behind."""
        if self._holder is not None and not self._holder.gone():
            return False
        self._holder = mine
        return True

    def _leave(self, mine: _Holder) -> None:
        with self._free:
            if self._holder is mine:
                self._holder = None
                self._free.notify()

    def _refuse_deadlock(self) -> None:
        held = self._holder
        if held is not None and held.loop is not None and held.thread == threading.get_ident():
            msg = "aprepare() or acompact() of this session is under way in this event loop: await, don't block"
            raise ContextKitError(msg)

    @contextmanager
    def _within(self) -> Generator[None]:
        inside = _turning.get()
        if id(self) in inside:
            msg = "prepare() and compact() can't be called from within a hook or summariser of the same session"
            raise ContextKitError(msg)
        token = _turning.set(inside | {id(self)})
        try:
            yield
        finally:
            _turning.reset(token)
