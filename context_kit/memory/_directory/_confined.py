"""Files under one directory, and nothing else: every folder on the way is opened by itself, no link is followed.

So a name that is swapped for a link while it is used leads nowhere: the system refuses to open it.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from context_kit.memory._files._flock import locked

__all__ = ["Confined", "Refused"]

FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
FILE_MODE, FOLDER_MODE = 0o600, 0o700
LOCK = ".lock"
DEEPEST = 12
"""Folders below each other."""
Names = Sequence[str]


class Refused(Exception):  # noqa: N818 - it is told to a model as what happened, not raised to a caller
    """What is there is no plain file or folder, or is too much."""


class Confined:
    """Plain files and folders below a root; names are checked by who calls."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def writing(self) -> Generator[None]:
        """Hold the directory as its one writer."""
        with self._folder(()) as top:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(LOCK, flags, FILE_MODE, dir_fd=top)
        with locked(descriptor):
            yield

    @contextmanager
    def _folder(self, names: Names, *, make: bool = False) -> Generator[int]:
        """A folder's descriptor."""
        opened = os.open(self.root, FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            for name in names:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, FOLDER_MODE, dir_fd=opened)
                below = os.open(name, FOLDER, dir_fd=opened)
                os.close(opened)
                opened = below
            yield opened
        finally:
            os.close(opened)

    def kind(self, names: Names) -> str:
        """`file`, `folder`, or empty where there is neither; a link is neither."""
        if not names:
            return "folder"
        try:
            with self._folder(names[:-1]) as above:
                mode = os.stat(names[-1], dir_fd=above, follow_symlinks=False).st_mode
        except OSError:
            return ""
        return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else ""

    def missing(self, names: Names) -> int:
        """How many of these names, each below the one before it, are not there yet."""
        return sum(not self.kind(names[:count]) for count in range(1, len(names) + 1))

    def read(self, names: Names, most: int) -> bytes:
        """A file's content.

        Raises:
            Refused: it is no plain file, or larger than `most` bytes.
            OSError: it can't be opened.
        """
        with self._folder(names[:-1]) as above:
            descriptor = os.open(names[-1], FILE, dir_fd=above)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                msg = "it is no plain file"
                raise Refused(msg)
            data = file.read(most + 1)
        if len(data) > most:
            msg = f"it is larger than {most:,} bytes"
            raise Refused(msg)
        return data

    def write(self, names: Names, data: bytes, *, new: bool) -> None:
        """Write a file at once; a `new` one only where there is none, its folders are made.

        Raises:
            FileExistsError: a new file is there already.
        """
        fresh = f".{secrets.token_hex(8)}.new"
        with self._folder(names[:-1], make=new) as above:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE, dir_fd=above)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(descriptor)
                if new:
                    os.link(fresh, names[-1], src_dir_fd=above, dst_dir_fd=above)
                else:
                    os.replace(fresh, names[-1], src_dir_fd=above, dst_dir_fd=above)
                os.fsync(above)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(fresh, dir_fd=above)

    def delete(self, names: Names) -> None:
        """Delete a file, or a folder with all that is in it."""
        with self._folder(names[:-1]) as above:
            _delete(above, names[-1])

    def rename(self, old: Names, new: Names) -> None:
        """Move a file or a folder to a name that is free; its folders are made.

        Raises:
            FileExistsError: the name is taken.
            Refused: something in it would stand deeper than names may.
        """
        with self._folder(old[:-1]) as above:
            os.stat(old[-1], dir_fd=above, follow_symlinks=False)
            below = self.listed(old) if self.kind(old) == "folder" else ()
            if len(new) + max((len(found) for found, _, _ in below), default=0) > DEEPEST:
                msg = f"it would stand deeper than {DEEPEST} folders"
                raise Refused(msg)
            with self._folder(new[:-1], make=True) as target:
                if _there(target, new[-1]):
                    raise FileExistsError(errno.EEXIST, "exists")
                os.rename(old[-1], new[-1], src_dir_fd=above, dst_dir_fd=target)

    def listed(self, names: Names, deep: int = DEEPEST) -> Iterator[tuple[tuple[str, ...], int, bool]]:
        """What is below a folder, by name: the names from there, bytes, whether it is a folder. No hidden names."""
        with self._folder(names) as opened:
            yield from _listed(opened, (), deep)


def _there(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _listed(folder: int, above: tuple[str, ...], deep: int) -> Iterator[tuple[tuple[str, ...], int, bool]]:
    for name in sorted(os.listdir(folder)):
        if name.startswith("."):
            continue
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            continue
        below = stat.S_ISDIR(found.st_mode)
        if below or stat.S_ISREG(found.st_mode):
            yield (*above, name), found.st_size, below
        if below and deep > 1:
            try:
                opened = os.open(name, FOLDER, dir_fd=folder)
            except OSError:
                continue
            try:
                yield from _listed(opened, (*above, name), deep - 1)
            finally:
                os.close(opened)


def _delete(folder: int, name: str) -> None:
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=folder)
        return
    opened = os.open(name, FOLDER, dir_fd=folder)
    try:
        for each in list(os.scandir(opened)):
            _delete(opened, each.name)
    finally:
        os.close(opened)
    os.rmdir(name, dir_fd=folder)
