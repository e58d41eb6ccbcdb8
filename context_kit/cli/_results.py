"""Results that outlive a run: one file each, in a folder that several runs may use at once.

The invariant guarded here: a result is there whole or not at all, and no two processes work at the same one.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import weakref
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from context_kit.cli._output import write_json

__all__ = ["Results"]

CLAIMS = ".claims"
"""A file of which each result has one byte: who holds a lock on it works at that result."""


class Results:
    """A folder of results by name.

    Args:
        folder: is there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, key: str) -> Any:
        """A result; None where there is none, or one that is no JSON."""
        with contextlib.suppress(OSError, ValueError):
            return json.loads((self.folder / f"{key}.json").read_text("utf-8"))
        return None

    def write(self, key: str, found: Mapping[str, Any]) -> None:
        """Keep a result.

        Raises:
            TranscriptError: it can't be written.
        """
        write_json(found, str(self.folder / f"{key}.json"))

    @contextmanager
    def claim(self, key: str) -> Generator[None, None, None]:
        """Wait until nobody else works at a result; the claim ends with its process.

        Where the system has no such locks, nobody is waited for: then two runs may do the same work.
        """
        place, locks = int(key[:12], 16), _locks()
        if locks is not None:
            with contextlib.suppress(OSError):
                locks.lockf(self._claims, locks.LOCK_EX, 1, place)
        try:
            yield
        finally:
            if locks is not None:
                with contextlib.suppress(OSError):
                    locks.lockf(self._claims, locks.LOCK_UN, 1, place)

    @cached_property
    def _claims(self) -> int:
        found = os.open(self.folder / CLAIMS, os.O_RDWR | os.O_CREAT, 0o666)
        weakref.finalize(self, os.close, found)
        return found


def _locks() -> Any:
    """The module for locks on parts of a file; None on Windows."""
    try:
        return importlib.import_module("fcntl")
    except ImportError:
        return None
