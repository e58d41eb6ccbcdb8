"""The first moment of a session with a store: started, or read back and told what is new."""

from __future__ import annotations

from dataclasses import replace

from context_kit._log import Log
from context_kit._records import Opened
from context_kit.errors import StoreError
from context_kit.memory._codec import decode, encode_record
from context_kit.memory._files import JOURNAL, FileStore
from context_kit.typing import IndexedStore, Store

__all__ = ["exists", "resumed", "started"]


def exists(store: Store, session: str) -> bool:
    """Whether a store has a live session of this name; of a directory only that one is looked for."""
    return store.path(session).is_file() if isinstance(store, FileStore) else session in store.sessions()


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
        opened = replace(opened, earlier=sum(line.get("session") == session for line in store.read(JOURNAL)))
    store.append(session, [encode_record(opened)], sync=True)
    return Log(opened)


def resumed(store: Store, session: str, opened: Opened) -> Log:
    """The log as the store has it; what it is opened with now is written where that is new.

    A window that was found smaller than believed stays so while window and model are the same.
    """
    log = decode(store.read(session), session, opened)
    before = log.opened
    same = (before.window, before.model) == (opened.window, opened.model)
    opened = replace(opened, earlier=before.earlier, since=before.since, found=before.found if same else 0)
    if before != opened:
        store.append(session, [encode_record(opened)], sync=True)
        log.append(opened)
    return log
