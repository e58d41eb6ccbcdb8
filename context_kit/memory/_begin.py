"""The first moment of a session with a store: started, or read back and told what is new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from context_kit._log import Log
from context_kit._records import Opened
from context_kit.errors import StoreError
from context_kit.memory._codec import VERSION, decode, encode_record
from context_kit.memory._files._lines import has_lines
from context_kit.memory._files._store import JOURNAL, FileStore
from context_kit.typing import IndexedStore, Store

__all__ = ["exists", "resumed", "started"]


def exists(store: Store, session: str) -> bool:
    """Whether a store has a live session of this name; of a directory only that one is looked for."""
    return has_lines(store.path(session)) if isinstance(store, FileStore) else session in store.sessions()


def started(store: Store, session: str, opened: Opened) -> Log:
    """The log of a new session, its first record written.

    Raises:
        StoreError: there is one of this name, or the record can't be written.
    """
    if exists(store, session):
        msg = f"session {session!r} exists: use ContextManager.open(store, session) to go on with it"
        raise StoreError(msg)
    if isinstance(store, IndexedStore):
        opened = replace(opened, since=store.newest())
    else:
        names = [line.get("session") for line in store.read(JOURNAL)]
        opened = replace(opened, earlier=names.count(session), heard=len(names))
    store.append(session, [encode_record(opened)], sync=True)
    return Log(opened)


def resumed(store: Store, session: str, opened: Opened) -> Log:
    """The log as the store has it; what it is opened with now is written where that is new.

    A window that was found smaller than believed stays so while window and model are the same.
    """
    lines = list(store.read(session))
    log = decode(lines, session, opened)
    before = log.opened
    same = (before.window, before.model) == (opened.window, opened.model)
    opened = replace(opened, earlier=before.earlier, since=before.since, heard=before.heard)
    opened = replace(opened, found=before.found if same else 0)
    if before != opened or _version(lines) < VERSION:
        store.append(session, [encode_record(opened)], sync=True)
        log.append(opened)
    return log


def _version(lines: Iterable[Mapping[str, Any]]) -> int:
    """The schema in which the newest lines are written."""
    told = [line.get("v", 0) for line in lines if line.get("k") == "open"]
    return told[-1] if told and isinstance(told[-1], int) else VERSION
