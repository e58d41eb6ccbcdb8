"""A file of lines rewritten: at once, durably, beside writers who go on appending.

A fresh file is made beside the old one and takes its name when it is whole. Writers append to the old one
until then; the last part of it is read under their own lock, and who waited for that lock finds the new file
at the path. Killed at any moment, the old file stands or the new one does. What is archived is durable
before; after a kill in between it is not archived a second time.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from context_kit.errors import StoreError
from context_kit.memory._files._flock import lock, unlock
from context_kit.memory._files._lines import append_bytes, encode, held, stands
from context_kit.memory._files._positions import (
    HEAD_SIZE,
    Head,
    Spot,
    head_line,
    head_of,
    parsed,
    placed,
    spots,
    whole_end,
)
from context_kit.memory._files._private import FILE_MODE, private_directory, sync_directory

__all__ = ["Change", "rewritten"]

Change = Callable[[dict[str, Any]], Iterable[Mapping[str, Any]]]
"""What stands in a line's place: itself, others, nothing."""
TRIES = 100
"""How often a rewrite begins again because another one was faster."""


def rewritten(path: Path, change: Change, *, journal: bool, archive: Path | None) -> int:
    """Rewrite a file's lines; how many changed.

    Args:
        path: the file; one that isn't there has no lines. Where it is a link, what it leads to is rewritten.
        change: what stands in a line's place. A journal's lines come with their position under `at`. Where
            nothing is archived, a damaged line comes as `{"damaged": its text}`.
        journal: its lines keep their positions.
        archive: file that takes the lines that changed; None: they are gone.

    Raises:
        StoreError: it can't be written; the file is as it was.
    """
    path = Path(os.path.realpath(path))
    try:
        for _ in range(TRIES):
            for each in (path, *([archive] if archive else ())):
                _clean(each)
            with suppress(_OvertakenError):
                return _once(path, change, journal=journal, archive=archive)
    except FileNotFoundError:
        return 0
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        msg = f"store: {str(path)!r} can't be rewritten ({error.strerror}): make room or check its permissions"
        raise StoreError(msg) from error
    msg = f"store: {str(path)!r} is being rewritten by others all the time: try again later"
    raise StoreError(msg)


class _OvertakenError(Exception):
    """Another rewrite was faster."""


@dataclass(slots=True)
class _Fresh:
    """The file that is being made."""

    change: Change
    journal: bool
    forget: bool
    out: Any
    gone: list[bytes] = field(default_factory=list[bytes])
    """The lines that changed."""
    count: int = 0

    def take(self, lines: Iterable[Spot]) -> None:
        """Write what stands in the place of these lines."""
        for spot in lines:
            self.out.writelines(data + b"\n" for data in self._made(spot))

    def _made(self, spot: Spot) -> Iterator[bytes]:
        found = parsed(spot.data)
        if found is None and not self.forget:
            yield spot.data
            return
        given = {"damaged": spot.data.decode("utf-8", "replace")} if found is None else self._at(found, spot.at)
        before = self._at(dict(given) if found is None else parsed(spot.data) or {}, None)
        made = [self._at(line, None) for line in self.change(given)]
        if made == [before] or [encode(line) for line in made] == [encode(before)]:  # NaN equals nothing
            yield self._kept(spot) if found is not None else spot.data
            return
        self.count += 1
        if not self.forget:
            self.gone.append(self._kept(spot))
        for number, line in enumerate(made, spot.at - len(made) + 1):
            data = encode(line).rstrip(b"\n")
            yield placed(data, number) if self.journal else data

    def _at(self, line: Mapping[str, Any], at: int | None) -> dict[str, Any]:
        """A line of the journal with its position, or without."""
        if not self.journal:
            return dict(line)
        rest = {key: value for key, value in line.items() if key != "at"}
        return rest if at is None else {"at": at, **rest}

    def _kept(self, spot: Spot) -> bytes:
        return placed(spot.data, spot.at) if self.journal else spot.data


def _once(path: Path, change: Change, *, journal: bool, archive: Path | None) -> int:
    old = held(path, os.O_RDWR)
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    try:
        head = head_of(old) if journal else Head()
        end = whole_end(old)
        unlock(old)
        new = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE)
        with os.fdopen(new, "w+b") as out:
            lock(out.fileno(), wait=True)
            making = _Fresh(change, journal, forget=archive is None, out=out)
            if journal:
                out.write(b" " * HEAD_SIZE)
            making.take(spots(old, head, 0, end))
            lock(old, wait=True)
            if not stands(old, path):
                raise _OvertakenError
            _rest(old, making, head, end)
            if making.count:
                _finish(making, head, os.fstat(old).st_size)
                _archive(archive, making.gone)
                _rename(fresh, path)
            return making.count
    finally:
        fresh.unlink(missing_ok=True)
        os.close(old)


def _rest(old: int, making: _Fresh, head: Head, end: int) -> None:
    """What was appended meanwhile, the torn line of a writer who died included."""
    size = os.fstat(old).st_size
    if size and os.pread(old, 1, size - 1) != b"\n":
        os.lseek(old, 0, os.SEEK_END)
        os.write(old, b"\n")
    making.take(spots(old, head, end))


def _finish(making: _Fresh, head: Head, size: int) -> None:
    """The first line of the new file, and all of it on the disk."""
    out = making.out
    if making.journal:
        upto = out.tell()
        out.seek(0)
        out.write(head_line(Head(HEAD_SIZE, head.base + size - upto, upto, secrets.token_hex(8))))
    out.flush()
    os.fsync(out.fileno())


def _archive(archive: Path | None, lines: list[bytes]) -> None:
    """Keep the lines that changed; those that a rewrite which died had kept already are not doubled."""
    if archive is None or not lines:
        return
    if not archive.parent.is_dir():
        private_directory(archive.parent)
        sync_directory(archive.parent.parent)
    data = b"".join(line + b"\n" for line in lines)
    append_bytes(archive, data, sync=True, known=True)


def _rename(fresh: Path, path: Path) -> None:
    try:
        fresh.replace(path)
    except FileNotFoundError as error:
        raise _OvertakenError from error
    sync_directory(path.parent)


def _clean(path: Path) -> None:
    """Remove what rewrites left that were killed; one at work has its file locked."""
    for left in path.parent.glob(f".{path.name}.*.new"):
        with suppress(OSError):
            descriptor = os.open(left, os.O_RDWR)
            try:
                lock(descriptor, wait=False)
                left.unlink(missing_ok=True)
            finally:
                os.close(descriptor)
