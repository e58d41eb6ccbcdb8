"""A directory as a store: one folder a session, one journal for all of them.

<store>/memory.jsonl             the journal, all sessions
<store>/<session>/log.jsonl      every record of a session, append-only
<store>/<session>/checkpoint.md  what was in hand at the last compaction
<store>/archive/<session>/       a session whose task has ended
<store>/<session>/lock           held by the session's one writer
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from context_kit.errors import StoreError
from context_kit.memory._flock import hold, release
from context_kit.memory._lines import append_lines, has_lines, read_lines, write_whole
from context_kit.memory._private import FILE_MODE, clear_drafts, private_directory, sync_directory

__all__ = ["JOURNAL", "FileStore"]

JOURNAL = ""
"""Name under which the journal is appended and read."""
ARCHIVE = "archive"
"""Folder of the finished sessions."""
JOURNAL_FILE = "memory.jsonl"
TAKEN = (ARCHIVE, JOURNAL_FILE)
"""What the store itself has in its directory: no names of sessions."""
SESSION_NAME = re.compile(r"[A-Za-z0-9_\u4e00-\u9fff][A-Za-z0-9_.\-\u4e00-\u9fff]{0,127}")


class FileStore:
    """Sessions and their journal in one directory.

    Raises:
        StoreError: the directory can't be made.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).expanduser()
        private_directory(self.folder, own=False)

    def path(self, session: str, name: str = "log.jsonl") -> Path:
        """Where a file of a session stands.

        Raises:
            StoreError: the session's name is no plain file name.
        """
        if session == JOURNAL:
            return self.folder / JOURNAL_FILE
        if not SESSION_NAME.fullmatch(session) or session in TAKEN:
            taken = " or ".join(map(repr, TAKEN))
            msg = f"session: {session!r} is no plain name: use letters, digits, '_', '-' and '.', not {taken}"
            raise StoreError(msg)
        return self.folder / session / name

    def append(self, session: str, lines: Sequence[Mapping[str, Any]], /, *, sync: bool = False) -> None:
        """Write lines at the end of a session's log; durable on return."""
        path = self.path(session)
        if not path.parent.is_dir():
            private_directory(path.parent)
        append_lines(path, lines, sync=sync)

    def read(self, session: str, /) -> Iterable[dict[str, Any]]:
        """Every whole line of a session, oldest first."""
        return read_lines(self.path(session))

    def search(self, query: str, /, *, limit: int = 20) -> Iterable[dict[str, Any]]:
        """Journal lines that hold all words of the query, newest first."""
        words = query.lower().split()
        found = [line for line in self.read(JOURNAL) if all(word in _words(line) for word in words)]
        return found[-limit:][::-1]

    @contextmanager
    def lock(self, session: str, /) -> Generator[None]:
        """Hold a session as its one writer; a dead holder's lock is free.

        Raises:
            StoreError: another process or object holds it; the text names it.
        """
        if session == JOURNAL:
            msg = "session: is empty: give it a name"
            raise StoreError(msg)
        path = self.path(session, "lock")
        private_directory(path.parent)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        except OSError as error:
            msg = f"store: {str(path)!r} can't be opened ({error.strerror}): check its permissions"
            raise StoreError(msg) from error
        try:
            _take(descriptor, session)
        except BaseException:
            os.close(descriptor)
            raise
        try:
            clear_drafts(path.parent)
            yield
        finally:
            release(descriptor)

    def sessions(self) -> Sequence[str]:
        """Names of the sessions that exist, sorted."""
        return sorted(path.parent.name for path in self.folder.glob("*/log.jsonl") if has_lines(path))

    def checkpoint(self, session: str, text: str) -> str:
        """Write a session's checkpoint file; what is read back from it."""
        path = self.path(session, "checkpoint.md")
        private_directory(path.parent)
        write_whole(path, text + "\n")
        return path.read_text("utf-8").removesuffix("\n")

    def archive(self, session: str) -> None:
        """Move a finished session out of the live ones; its journal records stay where they are.

        Raises:
            StoreError: it can't be moved; the session stays live.
        """
        place = self.folder / ARCHIVE
        private_directory(place)
        target, number = place / session, 1
        while target.exists():
            number += 1
            target = place / f"{session}.{number}"
        try:
            self.path(session).parent.rename(target)
            sync_directory(place)
            sync_directory(self.folder)
        except OSError as error:
            msg = f"session {session!r} can't be archived ({error.strerror}): check the store's permissions"
            raise StoreError(msg) from error


def _words(line: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in line.values()).lower()


def _take(descriptor: int, session: str) -> None:
    """Lock the file for this process, and say so in it."""
    try:
        hold(descriptor)
    except OSError as error:
        holder = os.pread(descriptor, 400, 0).decode("utf-8", "replace").strip() or "another process"
        msg = f"session {session!r} is held by {holder}: close it there first, or use another session"
        raise StoreError(msg) from error
    os.ftruncate(descriptor, 0)
    told = json.dumps({"process": os.getpid(), "host": socket.gethostname()})
    os.pwrite(descriptor, told.encode(), 0)
