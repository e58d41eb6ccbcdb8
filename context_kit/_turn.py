"""One turn of a session at a time: who comes second waits, who comes from within is refused.

No lock is held while another task's turn is awaited: the waiting task looks now and then, so
that cancelling it leaves nothing behind.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from context_kit.errors import ContextKitError

__all__ = ["Turn"]

WAIT = 0.005
"""Seconds between two looks at whether another task's turn is over."""

_turning: ContextVar[frozenset[int]] = ContextVar("context_kit_turning", default=frozenset())
"""The turns that are under way in this thread or task, and in what it started."""


class Turn:
    """The right to compact one session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._awaited_in = 0
        """The thread whose event loop holds the turn; 0 where none does."""

    @contextmanager
    def blocking(self) -> Generator[None]:
        """Hold the turn, waiting for it.

        Raises:
            ContextKitError: this thread or task is inside a turn of the same session, or its event loop is.
        """
        with self._within():
            if self._awaited_in == threading.get_ident() and self._lock.locked():
                msg = "aprepare() or acompact() of this session is under way in this event loop: await, don't block"
                raise ContextKitError(msg)
            with self._lock:
                yield

    @asynccontextmanager
    async def waiting(self) -> AsyncGenerator[None]:
        """Hold the turn, awaiting it.

        Raises:
            ContextKitError: this thread or task is inside a turn of the same session.
        """
        from asyncio import sleep

        with self._within():
            while not self._lock.acquire(blocking=False):
                await sleep(WAIT)
            self._awaited_in = threading.get_ident()
            try:
                yield
            finally:
                self._awaited_in = 0
                self._lock.release()

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
