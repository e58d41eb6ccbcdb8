"""A directory as a store: one folder a session, one journal for all of them.

<store>/memory.jsonl             the journal, all sessions
<store>/index.sqlite3            its index; made anew where it is missing
<store>/<session>/log.jsonl      every record of a session, append-only
<store>/<session>/checkpoint.md  what was in hand at the last compaction
<store>/<session>/archive.jsonl  lines of it that were rewritten
<store>/archive/<session>/       a session whose task has ended; a second one of its name is <session>~2
<store>/archive/memory.jsonl     lines of the journal that were rewritten
<store>/<session>/lock           held by the session's one writer
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from context_kit.errors import StoreError
from context_kit.memory._files._flock import hold, release
from context_kit.memory._files._journal_file import JournalFile
from context_kit.memory._files._lines import append_lines, has_lines, lines_with, read_lines, write_whole
from context_kit.memory._files._private import FILE_MODE, clear_drafts, private_directory, sync_directory, tell_rights
from context_kit.memory._files._rewrite import Change, rewritten
from context_kit.memory._holder import held, me
from context_kit.memory._index._database import Index
from context_kit.typing import Embed

__all__ = ["JOURNAL", "FileStore"]

JOURNAL = ""
"""Name under which the journal is appended and read."""
ARCHIVE = "archive"
"""Folder of the finished sessions."""
JOURNAL_FILE = "memory.jsonl"
LOG_FILE = "log.jsonl"
CHECKPOINT_FILE = "checkpoint.md"
INDEX_FILE = "index.sqlite3"
LOCK_FILE = "lock"
KEPT_FILE = "archive.jsonl"
"""Lines of a session's log that were rewritten, as they were."""
TAKEN = (ARCHIVE, JOURNAL_FILE, INDEX_FILE, f"{INDEX_FILE}-wal", f"{INDEX_FILE}-shm", f"{INDEX_FILE}-journal")
"""What the store itself has in its directory: no names of sessions."""
SESSION_NAME = re.compile(r"[A-Za-z0-9_\u4e00-\u9fff][A-Za-z0-9_.\-\u4e00-\u9fff]{0,127}")


class FileStore:
    """Sessions and their journal in one directory.

    Args:
        folder: the directory; made, private to its user, where there is none.
        embed: gives a vector for each of several texts; then journal lines are found by their meaning as well.
            Its vectors are kept in the index. What it can't do is reported, and the words alone decide.

    Raises:
        StoreError: the directory can't be made.
    """

    def __init__(self, folder: str | os.PathLike[str], *, embed: Embed | None = None) -> None:
        self.folder = Path(folder).expanduser()
        private_directory(self.folder, own=False)
        if not self._used():
            tell_rights(self.folder)
        self._held: dict[str, os.stat_result] = {}
        """The lock files of the sessions that are held through this object."""
        self._index = Index(self.folder / INDEX_FILE)
        self._journal = JournalFile(self.folder / JOURNAL_FILE, self._index, embed)

    def _used(self) -> bool:
        """Whether it was a store before: then its user was told of its rights."""
        return self.path(JOURNAL).exists() or any(True for _ in self.folder.glob(f"*/{LOG_FILE}"))

    def path(self, session: str, name: str = LOG_FILE) -> Path:
        """Where a file of a session stands.

        Raises:
            StoreError: the session's name is no plain file name.
        """
        if session == JOURNAL:
            return self.folder / JOURNAL_FILE
        if not SESSION_NAME.fullmatch(session) or session in TAKEN:
            taken = " or ".join(map(repr, TAKEN[:3]))
            msg = f"session: {session!r} is no plain name: use letters, digits, '_', '-' and '.', not {taken}"
            raise StoreError(msg)
        return self.folder / session / name

    def append(self, session: str, lines: Sequence[Mapping[str, Any]], /, *, sync: bool = False) -> None:
        """Write lines at the end of a session's log; durable on return.

        Raises:
            StoreError: they can't be written, or the session's directory was moved or deleted while it was open.
        """
        path = self.path(session)
        self._here(session)
        if not path.parent.is_dir():
            private_directory(path.parent)
        append_lines(path, lines, sync=sync)

    def _here(self, session: str) -> None:
        """Refuse to begin anew where a held session's directory stood: its log would be torn in two."""
        names = [session] if session in self._held else [*self._held] if session == JOURNAL else []
        if names and not any(self._stands(name) for name in names):
            place = str(self.path(names[0]).parent)
            msg = f"session {names[0]!r}: {place!r} was moved or deleted while it is open: close it, and open it anew"
            raise StoreError(msg)

    def _stands(self, session: str) -> bool:
        held = self._held.get(session)
        try:
            return held is None or os.path.samestat(held, self.path(session, LOCK_FILE).stat())
        except FileNotFoundError:
            return False

    def read(self, session: str, /) -> Iterable[dict[str, Any]]:
        """Every whole line of a session, oldest first."""
        found = read_lines(self.path(session))
        return (line for line in found if line.get("k") != "journal") if session == JOURNAL else found

    def search(self, query: str, /, *, limit: int = 20) -> Iterable[dict[str, Any]]:
        """Journal lines that hold all words of the query, best first; then those that hold some."""
        return self._journal.search(query, limit)

    def records(self, session: str | None = None, /, *, after: int = 0) -> Iterable[dict[str, Any]]:
        """Journal lines of one session, or of all, after a position; oldest first, each with its own under `at`."""
        return self._journal.records(session, after)

    def newest(self) -> int:
        """Position of the newest journal line, 0 where there is none."""
        return self._journal.newest()

    def related(
        self,
        words: str,
        /,
        *,
        files: Sequence[str] = (),
        without: str = "",
        actions: Collection[str] = (),
        limit: int = 20,
    ) -> Iterable[dict[str, Any]]:
        """Journal lines about these words or files, best first, each with its `score`; in bounded time."""
        return self._journal.related(words, files=files, without=without, actions=actions, limit=limit)

    def rewrite(self, session: str, change: Change, /, *, archive: bool) -> int:
        """Put in each line's place what `change` makes of it; how many lines changed.

        A damaged line stays; where nothing is archived it is given to `change` as `{"damaged": its text}`.

        Raises:
            StoreError: it can't be written; the lines are as they were.
        """
        if session == JOURNAL:
            kept = self.folder / ARCHIVE / JOURNAL_FILE
            count = rewritten(self.path(JOURNAL), change, journal=True, archive=kept if archive else None)
            if not archive:
                count += rewritten(kept, change, journal=False, archive=None)
                self._index.wipe()
            if count or not archive:
                self._journal.finish()
            return count
        count = 0
        for place in self._folders(session):
            kept = place / KEPT_FILE
            count += rewritten(place / LOG_FILE, change, journal=False, archive=kept if archive else None)
            if not archive:
                count += rewritten(kept, change, journal=False, archive=None)
        return count

    def _folders(self, session: str) -> list[Path]:
        """Where the sessions of a name stand: the live one, then the finished ones."""
        own = self.path(session).parent
        finished = (self.folder / ARCHIVE).glob(f"{session}~*")
        return [place for place in (own, self.folder / ARCHIVE / session, *sorted(finished)) if place.is_dir()]

    @contextmanager
    def lock(self, session: str, /) -> Generator[None]:
        """Hold a session as its one writer; a dead holder's lock is free.

        Raises:
            StoreError: another process or object holds it; the text names it.
        """
        if session == JOURNAL:
            msg = "session: is empty: give it a name"
            raise StoreError(msg)
        path = self.path(session, LOCK_FILE)
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
            self._held[session] = os.fstat(descriptor)
            yield
        finally:
            self._held.pop(session, None)
            release(descriptor)

    def sessions(self) -> Sequence[str]:
        """Names of the sessions that exist, sorted."""
        return sorted(path.parent.name for path in self.folder.glob("*/log.jsonl") if has_lines(path))

    def finished(self) -> Sequence[str]:
        """Names of the sessions whose task has ended, sorted."""
        found = (self.folder / ARCHIVE).glob(f"*/{LOG_FILE}")
        return sorted({path.parent.name.partition("~")[0] for path in found})

    def ended(self) -> Iterator[tuple[str, Iterable[dict[str, Any]]]]:
        """Each finished session with its lines; the second one of a name is `name~2`."""
        found = (self.folder / ARCHIVE).glob(f"*/{LOG_FILE}")
        for path in sorted(found, key=lambda path: _numbered(path.parent.name)):
            yield path.parent.name, read_lines(path)

    def archived(self, name: str) -> dict[str, Any] | None:
        """A journal line that was folded or superseded, by its id, as it was; None where there is none."""
        return next((line for line in lines_with(self.folder / ARCHIVE / JOURNAL_FILE, name)), None)

    def checkpoint(self, session: str, text: str) -> str:
        """Write a session's checkpoint file; what is read back from it."""
        path = self.path(session, CHECKPOINT_FILE)
        self._here(session)
        private_directory(path.parent)
        write_whole(path, text + "\n")
        return path.read_text("utf-8").removesuffix("\n")

    def checkpoints(self, session: str) -> list[Path]:
        """The checkpoint files of a session, live and finished."""
        return [path for place in self._folders(session) if (path := place / CHECKPOINT_FILE).is_file()]

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
            target = place / f"{session}~{number}"
        try:
            self._held.pop(session, None)
            self.path(session).parent.rename(target)
            sync_directory(place)
            sync_directory(self.folder)
        except OSError as error:
            msg = f"session {session!r} can't be archived ({error.strerror}): check the store's permissions"
            raise StoreError(msg) from error


def _numbered(folder: str) -> tuple[str, int]:
    """A finished session's name, and its number among those of that name."""
    name, _, number = folder.partition("~")
    return name, int(number) if number.isdecimal() else 1


def _take(descriptor: int, session: str) -> None:
    """Lock the file for this process, and say so in it."""
    try:
        hold(descriptor)
    except OSError as error:
        raise held(session, os.pread(descriptor, 400, 0).decode("utf-8", "replace")) from error
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, me().encode(), 0)
