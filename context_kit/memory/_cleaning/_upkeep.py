"""A directory's journal tidied in the background, when a session is closed: rarely, by one process, never in the way.

It is due once the journal has grown by a MiB since the last time and a day has passed. The thread ends with the
process, at any moment: a rewrite is done whole or not at all.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from context_kit.memory._cleaning._tidy import tidy
from context_kit.memory._files._flock import hold, release
from context_kit.memory._files._private import FILE_MODE
from context_kit.memory._files._store import JOURNAL, FileStore

__all__ = ["upkeep"]

log = logging.getLogger("context_kit")
STAMP = ".tidied"
"""File that says when a journal was tidied last, and its size then; held by who tidies it."""
GROWN = 1 << 20
"""Bytes that are worth the work."""
RARELY = 86_400.0
"""Seconds between two times."""


def upkeep(store: Any) -> threading.Thread | None:
    """Tidy a store's journal in a thread where that is due; None where it isn't, or where the store is no directory."""
    if not isinstance(store, FileStore):
        return None
    with suppress(OSError, RuntimeError):  # no room for a thread: another time
        if _due(_stamp(store.folder / STAMP), store.path(JOURNAL).stat().st_size):
            thread = threading.Thread(target=_tidied, args=(store.folder,), name="context_kit-tidy", daemon=True)
            thread.start()
            return thread
    return None


def _due(stamp: dict[str, Any], size: int) -> bool:
    try:
        grown, waited = size - int(stamp.get("size", 0)), time.time() - float(stamp.get("time", 0))
    except (TypeError, ValueError):
        return True
    return grown >= GROWN and (waited >= RARELY or waited < 0)


def _stamp(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _tidied(folder: Path) -> None:
    """One clean-up, unless another process is at it or has just done it."""
    try:
        descriptor = os.open(folder / STAMP, os.O_RDWR | os.O_CREAT, FILE_MODE)
    except OSError:
        return
    try:
        hold(descriptor)
    except OSError:
        os.close(descriptor)
        return
    try:
        store = FileStore(folder)
        if _due(_stamp(folder / STAMP), store.path(JOURNAL).stat().st_size):
            tidy(store)
            said = {"time": time.time(), "size": store.path(JOURNAL).stat().st_size}
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(said).encode(), 0)
    except Exception as error:  # noqa: BLE001 - nobody waits for it: what went wrong is told, and tried again
        log.info("%s: its journal was not tidied (%s)", folder, error)
    finally:
        release(descriptor)
