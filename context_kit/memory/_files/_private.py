"""Files that only their user can read, and names of files that survive a power cut.

What the library makes is 0600 or 0700 under any umask, and is made so again where a copy or a backup loosened it.
A directory that was there before belongs to its user: it is told, not changed.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

from context_kit.errors import StoreError

__all__ = [
    "FILE_MODE",
    "clear_drafts",
    "draft_of",
    "keep_private",
    "private_directory",
    "sync_directory",
    "tell_rights",
]

log = logging.getLogger("context_kit")
FILE_MODE = 0o600
DIRECTORY_MODE = 0o700
OTHERS = 0o077
"""Rights of everybody but the user."""
DRAFT = ".new"
"""How the name ends of a file that will take another one's place."""


def private_directory(path: Path, *, own: bool = True) -> None:
    """Make a directory, and what is missing above it, that only its user can read.

    Args:
        path: the directory.
        own: it is the library's, so that rights somebody loosened are taken back.

    Raises:
        StoreError: it can't be made.
    """
    try:
        if not _is_new(path) and own and path.stat().st_mode & OTHERS and os.name != "nt":
            with suppress(OSError):  # somebody else's by now: its files are private all the same
                path.chmod(DIRECTORY_MODE)
    except OSError as error:
        msg = f"store: {str(path)!r} can't be made ({error.strerror}): give a directory that can be written"
        raise StoreError(msg) from error


def tell_rights(path: Path) -> None:
    """Say what rights others have on a directory that is its user's own."""
    mode = path.stat().st_mode
    if mode & OTHERS and os.name != "nt":
        rights = f"{stat.S_IMODE(mode):o}"
        log.warning("store %r has rights %s: its files are private, chmod 700 hides their names", str(path), rights)


def _is_new(path: Path) -> bool:
    """Whether it was made now; its parents, too, each with the same rights."""
    if path.is_dir():
        return False
    if not path.parent.exists():
        _is_new(path.parent)
    try:
        path.mkdir(mode=DIRECTORY_MODE)
    except FileExistsError:
        if path.is_dir():
            return False
        raise
    path.chmod(DIRECTORY_MODE)
    return True


def keep_private(descriptor: int) -> os.stat_result:
    """Take back what rights others have on an open file of ours; what the system says of it."""
    found = os.fstat(descriptor)
    if found.st_mode & OTHERS and os.name != "nt":
        with suppress(OSError):
            os.fchmod(descriptor, FILE_MODE)
    return found


def draft_of(path: Path) -> Path:
    """Where the text is written that will take a file's place: one name, so that drafts of the dead never pile up."""
    return path.with_name(f".{path.name}{DRAFT}")


def clear_drafts(folder: Path) -> None:
    """Remove what a killed process began to write in a directory that is held now."""
    for path in folder.glob(f".checkpoint*{DRAFT}"):
        with suppress(OSError):
            path.unlink()


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable, where the system can."""
    if os.name == "nt":
        return
    with suppress(OSError):  # some file systems have no such thing
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
