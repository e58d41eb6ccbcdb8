"""JSON Lines files: appended, durable, private; damage costs the damaged line and no other.

A line is written with one `write` on a file opened for appending, so that two writers never
interleave; a write that didn't arrive whole is taken back before the error is raised.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from context_kit.errors import StoreError
from context_kit.memory._files._flock import lock
from context_kit.memory._files._private import FILE_MODE, draft_of, keep_private, sync_directory

__all__ = [
    "append_bytes",
    "append_lines",
    "encode",
    "has_lines",
    "held",
    "lines_with",
    "read_lines",
    "stands",
    "write_whole",
]

log = logging.getLogger("context_kit")
BEGINNING = 1 << 20
"""Bytes in which the first line of a file must end."""
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode(line: Mapping[str, Any]) -> bytes:
    """One record as UTF-8 with its newline; lone surrogates as JSON escapes."""
    try:
        return f"{_JSON(line)}\n".encode()
    except UnicodeEncodeError:
        return (json.dumps(line, separators=(",", ":")) + "\n").encode("ascii")


def append_lines(path: Path, lines: Sequence[Mapping[str, Any]], *, sync: bool) -> None:
    """Add lines at the end of a file; they are there, whole, when this returns.

    Raises:
        StoreError: the disk is full, the directory is read-only; the file is as it was.
    """
    append_bytes(path, b"".join(map(encode, lines)), sync=sync)


def append_bytes(path: Path, data: bytes, *, sync: bool, known: bool = False) -> None:
    """Add whole lines at the end of a file; with `known` those first ones that it ends with are not added again.

    Raises:
        StoreError: the disk is full, the directory is read-only; the file is as it was.
    """
    try:
        descriptor = held(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    except OSError as error:
        msg = f"store: {str(path)!r} can't be opened ({error.strerror}): check its permissions"
        raise StoreError(msg) from error
    try:
        _append(descriptor, data[_known(descriptor, data) if known else 0 :], path, sync=sync)
    finally:
        os.close(descriptor)


def _known(descriptor: int, data: bytes) -> int:
    """Bytes of whole lines that begin the data and end the file; a torn line behind them is taken off."""
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, min(size, len(data) + 1), max(0, size - len(data) - 1))
    torn = len(tail) - tail.rfind(b"\n") - 1
    os.ftruncate(descriptor, size - torn)
    tail = tail[: len(tail) - torn]
    first = data[: data.find(b"\n") + 1]
    at = 0 if size <= len(data) and tail.startswith(first) else tail.find(b"\n" + first) + 1 or -1
    while at >= 0 and not data.startswith(tail[at:]):
        at = tail.find(b"\n" + first, at) + 1 or -1
    return len(tail) - at if at >= 0 else 0


def held(path: Path, flags: int) -> int:
    """The file at a path, opened and locked; whoever put another one there meanwhile has that one opened.

    Raises:
        OSError: it can't be opened.
    """
    while True:
        descriptor = os.open(path, flags, FILE_MODE)
        lock(descriptor, wait=True)  # several sessions write one journal: what one takes back is never another's
        if stands(descriptor, path):
            return descriptor
        os.close(descriptor)


def stands(descriptor: int, path: Path) -> bool:
    """Whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _append(descriptor: int, data: bytes, path: Path, *, sync: bool) -> None:
    size = keep_private(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        data = b"\n" + data
    try:
        written = os.write(descriptor, data)
        if written != len(data):
            written += _rest(descriptor, data[written:])
        if sync:
            os.fsync(descriptor)
        if sync and not size:
            sync_directory(path.parent)
    except OSError as error:
        with suppress(OSError):  # a half line that can't be taken back is set aside when it is read
            os.ftruncate(descriptor, size)
        msg = f"store: {str(path)!r} can't be written ({error.strerror}): make room, then go on; nothing was lost"
        raise StoreError(msg) from error


def _rest(descriptor: int, data: bytes) -> int:
    done = 0
    while done < len(data):
        done += os.write(descriptor, data[done:])
    return done


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Every whole record of a file; damaged lines are set aside and reported to the log.

    Raises:
        StoreError: the file is there but can't be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        msg = f"store: {str(path)!r} can't be read ({error.strerror}): check its permissions"
        raise StoreError(msg) from error
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        if (found := _object(line)) is not None:
            yield found
        else:
            log.warning("%s: line %d is damaged and was set aside (%d bytes)", path.name, number, len(line))


def lines_with(path: Path, name: str) -> Iterator[dict[str, Any]]:
    """The records of a file whose id this is; no other line is parsed."""
    sign = json.dumps(name).encode()
    try:
        with path.open("rb") as file:
            for data in file:
                if sign in data and (found := _object(data)) is not None and found.get("id") == name:
                    yield found
    except FileNotFoundError:
        return
    except OSError as error:
        msg = f"store: {str(path)!r} can't be read ({error.strerror}): check its permissions"
        raise StoreError(msg) from error


def _object(data: bytes) -> dict[str, Any] | None:
    """A line as an object; None where it is damaged."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def has_lines(path: Path) -> bool:
    """Whether a file has one whole line at least; one that a killed process began holds nothing acknowledged."""
    try:
        with path.open("rb") as file:
            return file.readline(BEGINNING).endswith(b"\n")
    except FileNotFoundError:
        return False
    except OSError:
        return True


def write_whole(path: Path, text: str) -> None:
    """Replace a file's content at once, durably.

    Raises:
        StoreError: it can't be written; the file is as it was.
    """
    fresh = draft_of(path)
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        keep_private(descriptor)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        msg = f"store: {str(path)!r} can't be written ({error.strerror}): make room or check its permissions"
        raise StoreError(msg) from error
