"""Locks on open files, where the system has them: the one place that knows of their absence.

They end with the process. Windows has none: there one writer is the caller's business.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["lock", "unlock"]


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
