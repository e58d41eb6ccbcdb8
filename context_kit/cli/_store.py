"""Opens a store that is there: a directory, a journal file, or a server's address; a command never makes one.

The invariant guarded here: looking at a store leaves nothing behind where there was none.
"""

from __future__ import annotations

from pathlib import Path

from context_kit.harness.transcripts import TranscriptError
from context_kit.memory import FileStore, PostgresStore

__all__ = ["known_session", "open_store", "session_names"]

SERVERS = ("postgresql://", "postgres://")
SCHEMA = "context_kit"


def open_store(where: str, schema: str | None = None) -> FileStore | PostgresStore:
    """The store at a place.

    Args:
        where: a directory, or a server's address.
        schema: which one of the server's; by default the library's own.

    Raises:
        TranscriptError: there is none.
        StoreError: it is there and can't be used.
    """
    if where.startswith(SERVERS):
        return PostgresStore(where, schema=schema or SCHEMA, create=False)
    if schema is not None:
        msg = f"--schema: {where} is no server: only a database has schemas"
        raise TranscriptError(msg)
    try:
        path = Path(where).expanduser()
        known = path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        msg = f"{where}: can't be read: {str(error).lower()}"
        raise TranscriptError(msg) from None
    if not known:
        what = "is a file" if path.exists() else "does not exist"
        msg = f"{where}: {what}; give the directory that is the session's store"
        raise TranscriptError(msg)
    return FileStore(path)


def session_names(store: FileStore | PostgresStore) -> tuple[list[str], list[str]]:
    """Names of the live sessions, and of the finished ones."""
    return list(store.sessions()), list(store.finished())


def known_session(store: FileStore | PostgresStore, session: str, where: str) -> None:
    """Refuse a session that is not in the store.

    Raises:
        TranscriptError: the text names those that are.
    """
    live, finished = session_names(store)
    if session not in (*live, *finished):
        names = ", ".join([*live, *finished][:8]) or "none"
        msg = f"{where}: has no session {session!r}; it has: {names}"
        raise TranscriptError(msg)
