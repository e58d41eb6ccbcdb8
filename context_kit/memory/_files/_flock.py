"""Locks on open files, where the system has them: the one place that knows of their absence.

They end with the process. Windows has none: there one writer is the caller's business.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

__all__ = ["hold", "lock", "locked", "release", "unlock"]


def _system() -> Any:
    try:
        return importlib.import_module("fcntl")
    except ImportError:  # pragma: no cover - Windows
        return None


_FCNTL = _system()


def lock(descriptor: int, *, wait: bool) -> None:
    """Hold a file for this process.

    Raises:
        OSError: somebody holds it, and `wait` is False.
    """
    if _FCNTL is not None:
        _FCNTL.flock(descriptor, _FCNTL.LOCK_EX | (0 if wait else _FCNTL.LOCK_NB))


def unlock(descriptor: int) -> None:
    """Give it back, also where a forked child still has the file open."""
    if _FCNTL is not None:
        _FCNTL.flock(descriptor, _FCNTL.LOCK_UN)


@contextmanager
def locked(descriptor: int) -> Generator[None]:
    """Wait for an open file, hold it, and close it at the end.

    Raises:
        OSError: it can't be locked.
    """
    try:
        lock(descriptor, wait=True)
        yield
    finally:
        unlock(descriptor)
        os.close(descriptor)


_HELD: dict[int, int] = {}
"""Open files that are held for long, with the process that holds each."""


def hold(descriptor: int) -> None:
    """Hold a file for long: a child forked meanwhile gives its copy up, so that the lock ends with this process.

    Raises:
        OSError: somebody holds it.
    """
    lock(descriptor, wait=False)
    _forget_when_forked()
    _HELD[descriptor] = os.getpid()


def release(descriptor: int) -> None:
    """Give a file back that this process holds, and close it; a forked child has done so already."""
    if _HELD.get(descriptor) == os.getpid():
        del _HELD[descriptor]
        unlock(descriptor)
        os.close(descriptor)


@cache
def _forget_when_forked() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget)


def _forget() -> None:
    for descriptor in _HELD:
        with suppress(OSError):
            os.close(descriptor)
    _HELD.clear()
