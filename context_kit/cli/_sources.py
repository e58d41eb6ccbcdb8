"""The transcripts that a command was given: files, and whatever is one in folders.

The invariant guarded here: a file that was named is read or refused; what is no transcript in a folder is left out and
told; nothing is counted twice.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context_kit.cli._jobs import recording_of
from context_kit.cli._recording import Recording
from context_kit.harness.transcripts import TranscriptError

__all__ = ["Source", "Sources", "sources"]

LARGEST = 1 << 30
"""Bytes of a file in a folder that is looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One transcript."""

    name: str
    """As it is shown: the file as it was given, or inside the folder that was."""
    path: str
    digest: str
    """Of its bytes."""
    recording: Recording


@dataclass(slots=True)
class Sources:
    """All of them, in order, and what was left out."""

    found: list[Source] = field(default_factory=list[Source])
    notes: list[str] = field(default_factory=list[str])


def sources(given: Sequence[str], *, model: str | None = None, scratch: Path) -> Sources:
    """Every transcript in the files and folders.

    Args:
        given: files and folders; `-` is standard input.
        model: that tokens are counted for.
        scratch: an empty directory, for standard input.

    Raises:
        TranscriptError: a file that was named is no transcript, or there is none at all; one line.
    """
    out, seen = Sources(), dict[str, str]()
    for name in given:
        path = _path(name, scratch)
        if path.is_dir():
            _walk(out, seen, name, path, model)
            continue
        source = _source(name, path, model)
        if source.digest in seen:
            out.notes.append(f"{name} is {seen[source.digest]} again and was left out")
            continue
        seen[source.digest] = name
        out.found.append(source)
        out.notes += [f"{name}: {note}" for note in source.recording.transcript.notes]
    if not out.found:
        msg = f"{given[0]}: holds no transcript that can be replayed"
        raise TranscriptError(msg)
    return out


def _path(name: str, scratch: Path) -> Path:
    if name == "-":
        path = scratch / "standard-input"
        path.write_bytes(sys.stdin.buffer.read())
        return path
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        msg = f"{name}: can't be read: {error}"
        raise TranscriptError(msg) from None


def _walk(out: Sources, seen: dict[str, str], name: str, folder: Path, model: str | None) -> None:
    left: list[str] = []
    for path in _files(folder):
        shown = f"{name.rstrip('/')}/{path.relative_to(folder).as_posix()}"
        try:
            source = _source(shown, path, model)
        except TranscriptError as error:
            left.append(str(error))
            continue
        if source.digest not in seen:
            seen[source.digest] = shown
            out.found.append(source)
    if left:
        files = "1 file was" if len(left) == 1 else f"{len(left)} files were"
        out.notes.append(f"{name}: {files} left out, first {left[0]}")


def _files(folder: Path) -> Iterator[Path]:
    """Regular files, hidden ones aside, in the order of their names."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            path = Path(at, name)
            if not name.startswith(".") and path.is_file() and path.stat().st_size <= LARGEST:
                yield path


def _source(name: str, path: Path, model: str | None) -> Source:
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        msg = f"{name}: can't be read: {reason.lower()}"
        raise TranscriptError(msg) from None
    try:
        recording = recording_of(str(path), digest, model)
    except TranscriptError as error:
        msg = f"{name}: {str(error).removeprefix(f'{path}: ')}"
        raise TranscriptError(msg) from None
    except RecursionError:
        msg = f"{name}: a message of this transcript is nested too deeply"
        raise TranscriptError(msg) from None
    return Source(name=name, path=str(path), digest=digest, recording=recording)
