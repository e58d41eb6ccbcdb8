"""The log of a session: started in the store, or read back exactly as it was. The store is locked meanwhile."""

from __future__ import annotations

from dataclasses import replace

from context_kit._log import Log
from context_kit._records import Opened
from context_kit.errors import StoreError
from context_kit.memory._codec import decode, encode_record
from context_kit.memory._files import JOURNAL
from context_kit.typing import Store

__all__ = ["resumed", "started"]


def resumed(store: Store, session: str, opened: Opened) -> Log:
    """The log of a session that is in the store."""
    log = decode(store.read(session), session, opened)
    opened = replace(opened, earlier=log.opened.earlier)
    if log.opened != opened:
        store.append(session, [encode_record(opened)], sync=True)
        log.append(opened)
    return log


def started(store: Store, session: str, opened: Opened) -> Log:
    """The log of a new session.

    Raises:
        StoreError: the store has a session of this name.
    """
    if session in store.sessions():
        msg = f"session {session!r} exists: use ContextManager.open(store, session) to go on with it"
        raise StoreError(msg)
    opened = replace(opened, earlier=sum(line.get("session") == session for line in store.read(JOURNAL)))
    store.append(session, [encode_record(opened)], sync=True)
    return Log(opened)
