"""Appends whose answer is not known: the server may have done them.

Each append has a key, under which it is done once however often it is sent. One that the caller was told to have
failed stays here until the next one of its session: the same lines again are the same append, other lines first
take back what may have arrived.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

__all__ = ["Append", "Doubts"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Append:
    """Lines that go to the server under one key."""

    lines: list[str]
    key: UUID
    undo: tuple[UUID, ...] = ()
    """Keys of those that were given up."""
    after: Append | None = None
    """What was in doubt when it began."""


class Doubts:
    """By process and session; a fork knows nothing of its parent's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[int, str], Append] = {}

    def write(self, session: str, lines: list[str], send: Callable[[Append], bool]) -> None:
        """Send lines until they are there.

        Args:
            session: whose they are.
            lines: the lines.
            send: writes them, raises where it is not known to have been done; False where another thread gave
                the key up meanwhile.
        """
        append = self._begun(session, lines)
        try:
            while not send(append):
                append = replace(append, key=uuid4())
        except BaseException:
            self._failed(session, append)
            raise
        self._done(session, append)

    def _begun(self, session: str, lines: list[str]) -> Append:
        with self._lock:
            before = self._open.get((os.getpid(), session))
        if before is None:
            return Append(lines=lines, key=uuid4())
        if before.lines == lines:
            return replace(before, after=before)
        return Append(lines=lines, key=uuid4(), undo=(*before.undo, before.key), after=before)

    def _failed(self, session: str, append: Append) -> None:
        with self._lock:
            now = self._open.get((os.getpid(), session))
            if now is not None and now is not append.after:  # another thread's failed, too
                append = replace(append, undo=(*append.undo, *now.undo, now.key))
            self._open[os.getpid(), session] = replace(append, after=None)

    def _done(self, session: str, append: Append) -> None:
        with self._lock:
            if self._open.get((os.getpid(), session)) is append.after:
                self._open.pop((os.getpid(), session), None)
