"""The folder of a harness: every change of it under one lock, every file replaced whole or not at all.

Two processes, or two threads, may write to it: who comes second waits. Nothing is made before the first write.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from context_kit.errors import StoreError
from context_kit.memory._files._flock import locked
from context_kit.memory._files._lines import write_whole
from context_kit.memory._files._private import FILE_MODE, private_directory

__all__ = ["Folder"]

report = logging.getLogger("context_kit")
LARGEST = 4_000_000
"""Characters of a file that are read; a hand-written one has far fewer."""

IGNORED = b"lock\n*.draft.json\n*.new\n.gitignore\n"
"""Of a folder what is no part of a repository; the rest may be committed."""


class Folder:
    """A directory, its lock and its files."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser().absolute()  # it stays where it is, wherever the process goes

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def read(self, name: str) -> str:
        """A file's text; empty where there is none.

        Raises:
            StoreError: it is there but can't be read.
        """
        return self._text(name, LARGEST)

    def _text(self, name: str, most: int | None) -> str:
        try:
            with (self.path / name).open("rb") as file:
                return file.read(most).decode("utf-8-sig", "replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            msg = f"harness: {str(self.path / name)!r} can't be read ({error.strerror}): check its permissions"
            raise StoreError(msg) from error

    def read_end(self, name: str) -> str:
        """The end of a file's text, as much as is read; of one that is shorter all of it."""
        text = self.read_all(name)
        return text if len(text) <= LARGEST else text[-LARGEST:]

    def read_all(self, name: str) -> str:
        """The same of a file that this program alone writes, whatever its size."""
        return self._text(name, None)

    def write(self, name: str, text: str) -> None:
        """Replace a file at once, durably; a link stays one.

        Raises:
            StoreError: it can't be written; the file is as it was.
        """
        path = self.path / name
        write_whole(path.resolve() if path.is_symlink() else path, text)

    def names(self) -> list[str]:
        """What stands in it; nothing where there is none.

        Raises:
            StoreError: it can't be read.
        """
        try:
            return sorted(os.listdir(self.path))  # noqa: PTH208 - names are all that is wanted
        except FileNotFoundError:
            return []
        except OSError as error:
            msg = f"harness: {str(self.path)!r} can't be read ({error.strerror}): check its permissions"
            raise StoreError(msg) from error

    def _ignore(self) -> None:
        """Keep what is of this machine out of the project's repository; a file of that name is left as it is."""
        with suppress(OSError):
            descriptor = os.open(self.path / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
            os.write(descriptor, IGNORED)
            os.close(descriptor)

    @contextmanager
    def locked(self) -> Generator[None]:
        """Hold the folder, waiting for it; the lock ends with the process.

        Raises:
            StoreError: it can't be made or locked.
        """
        private_directory(self.path, own=False)
        self._ignore()
        path = self.path / "lock"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        except OSError as error:
            msg = f"harness: {str(path)!r} can't be opened ({error.strerror}): check its permissions"
            raise StoreError(msg) from error
        with locked(descriptor):
            yield
