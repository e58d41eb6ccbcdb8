"""Who holds a session: written as JSON for programs, told in words to people."""

from __future__ import annotations

import json
import os
import socket

from context_kit.errors import StoreError

__all__ = ["held", "me"]

MOST = 200
"""Characters that are told of what another program wrote there."""


def me() -> str:
    """The running process, as a lock tells it."""
    return json.dumps({"process": os.getpid(), "host": socket.gethostname()})


def held(session: str, holder: str) -> StoreError:
    """The error of whoever wants a session that another one holds.

    Args:
        session: its name.
        holder: what the lock says, as `me()` wrote it; empty or anything else where it says nothing of use.
    """
    msg = f"session {session!r} is held by {_told(holder)}: close it there first, or use another session"
    return StoreError(msg)


def _told(holder: str) -> str:
    try:
        found = json.loads(holder)
        return f"process {found['process']} on host {found['host']}"
    except (ValueError, KeyError, TypeError):
        return " ".join(holder.split())[:MOST] or "another process"
