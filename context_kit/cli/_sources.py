"""The transcripts that a command was given: files, and whatever is one in folders.

The invariant guarded here: a file that was named is read or refused; what is no transcript in a folder is left out and
told; no session counts twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from context_kit.cli._bill import Request
from context_kit.cli._jobs import recording_of
from context_kit.cli._snapshots import Snapshot, reason_of, taken
from context_kit.cli._text import count
from context_kit.harness.transcripts import Transcript, TranscriptError

__all__ = ["Source", "Sources", "sources"]

LARGEST = 1 << 30
"""Bytes of a file in a folder that is looked into, and of a pipe that is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One transcript; its messages are read again where they are needed, so that thousands of sessions fit."""

    name: str
    """As it is shown: the file as it was given, or inside the folder that was."""
    snapshot: Snapshot
    tokens: int
    """Of the whole session, system prompt and tools included."""
    messages: int
    requests: tuple[Request, ...]
    """Of the session as it would be without a compaction."""
    prints: tuple[str, ...] = ()
    """Of its first message, of its first two, and so on: equal where sessions begin alike."""

    @property
    def digest(self) -> str:
        """Of the file's bytes."""
        return self.snapshot.digest


@dataclass(slots=True)
class Sources:
    """All of them, in order, and what was left out."""

    found: list[Source] = field(default_factory=list[Source])
    notes: list[str] = field(default_factory=list[str])
    seen: list[Path] = field(default_factory=list[Path])
    """Every file that was looked at."""


def sources(given: Sequence[str], *, model: str | None = None, scratch: Path, kept: Path | None = None) -> Sources:
    """Every transcript in the files and folders.

    Args:
        given: files and folders; `-` is standard input.
        model: that tokens are counted for.
        scratch: an empty directory, for what can be read only once.
        kept: a folder of results, which is no folder of transcripts.

    Raises:
        TranscriptError: a file that was named is no transcript, or there is none at all; one line.
    """
    out = Sources()
    for number, name in enumerate(given):
        path = _path(name, scratch / str(number))
        if path.is_dir():
            _walk(out, name, path, model, kept)
        else:
            out.seen.append(path)
            source, notes = _source(name, path, model)
            out.found.append(source)
            out.notes += [f"{name}: {note}" for note in notes]
    _once(out)
    if not out.found:
        why = f": {out.notes[-1].removeprefix(f'{given[-1]}: ')}" if out.notes else ""
        msg = f"{given[0]}: holds no transcript that can be replayed{why}"
        raise TranscriptError(msg)
    return out


def _path(name: str, spare: Path) -> Path:
    """The file or folder of that name; standard input, a pipe or a device as a file."""
    try:
        path = Path(name).expanduser()
        if name != "-" and (not path.exists() or path.is_dir() or path.is_file()):
            return path
        with nullcontext(sys.stdin.buffer) if name == "-" else path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except (OSError, RuntimeError, ValueError) as error:
        msg = f"{name}: can't be read: {reason_of(error)}"
        raise TranscriptError(msg) from None
    if len(data) > LARGEST:
        msg = f"{name}: is larger than {LARGEST:,} bytes and no file: write it to one first"
        raise TranscriptError(msg)
    spare.write_bytes(data)
    return spare


def _walk(out: Sources, name: str, folder: Path, model: str | None, kept: Path | None) -> None:
    try:
        os.scandir(folder).close()
    except OSError as error:
        msg = f"{name}: can't be read: {reason_of(error)}"
        raise TranscriptError(msg) from None
    left: list[str] = []
    partial: list[str] = []
    for path in _files(folder, kept, left):
        out.seen.append(folder / path)
        try:
            source, notes = _source(path, folder / path, model)
        except TranscriptError as error:
            left.append(str(error))
            continue
        out.found.append(replace(source, name=f"{name.rstrip('/')}/{path}"))
        partial += [f"{path}: {'; '.join(notes)}"] if notes else []
    if partial:
        have = "has" if len(partial) == 1 else "have"
        out.notes.append(f"{name}: {count(len(partial), 'file')} {have} gaps, first {partial[0]}")
    if left:
        were = "was" if len(left) == 1 else "were"
        out.notes.append(f"{name}: {count(len(left), 'file')} {were} left out, first {left[0]}")


def _files(folder: Path, kept: Path | None, left: list[str]) -> Iterator[str]:
    """Regular files below a folder, by their path in it, hidden ones aside, in the order of their names."""

    def refused(error: OSError) -> None:
        left.append(f"{_inside(folder, Path(error.filename))}: can't be read: {reason_of(error)}")

    for at, folders, names in os.walk(folder, onerror=refused):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and Path(at, each).resolve() != kept)
        for name in sorted(each for each in names if not each.startswith(".")):
            path = Path(at, name)
            shown = _inside(folder, path)
            try:
                found = path.stat()
            except OSError as error:
                left.append(f"{shown}: can't be read: {reason_of(error)}")
                continue
            if stat.S_ISREG(found.st_mode) and found.st_size > LARGEST:
                left.append(f"{shown}: is larger than {LARGEST:,} bytes: name it to have it read")
            elif stat.S_ISREG(found.st_mode):
                yield shown


def _inside(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _source(name: str, path: Path, model: str | None) -> tuple[Source, Sequence[str]]:
    try:
        snapshot = taken(path)
    except (OSError, ValueError) as error:
        msg = f"{name}: can't be read: {reason_of(error)}"
        raise TranscriptError(msg) from None
    try:
        recording = recording_of(snapshot, model)
        prints = _prints(recording.transcript)
    except TranscriptError as error:
        msg = f"{name}: {error}"
        raise TranscriptError(msg) from None
    except RecursionError:
        msg = f"{name}: a message of this transcript is nested too deeply"
        raise TranscriptError(msg) from None
    requests = tuple(recording.uncompacted())
    if not requests:
        msg = f"{name}: has no reply of a model after its first message: nothing was sent"
        raise TranscriptError(msg)
    found = Source(
        name=name,
        snapshot=snapshot,
        tokens=recording.tokens,
        messages=len(prints),
        requests=requests,
        prints=prints,
    )
    return found, recording.transcript.notes


def _prints(transcript: Transcript) -> tuple[str, ...]:
    running = hashlib.blake2b(json.dumps([transcript.system, transcript.tools]).encode(), digest_size=12)
    found: list[str] = []
    for message in transcript.messages:
        running.update(json.dumps(message).encode())
        found.append(running.hexdigest())
    return tuple(found)


def _once(out: Sources) -> None:
    """Leave out sessions that are the beginning of another, as a log is whose session was resumed in a new one."""
    first: dict[str, Source] = {}
    for source in sorted(out.found, key=lambda each: -len(each.prints)):
        for each in source.prints:
            first.setdefault(each, source)
    twice = [source for source in out.found if first[source.prints[-1]] is not source]
    out.found = [source for source in out.found if first[source.prints[-1]] is source]
    for source in twice[:1]:
        whole = first[source.prints[-1]]
        alike = len(whole.prints) == len(source.prints)
        more = f", and {len(twice) - 1} more of this kind" if len(twice) > 1 else ""
        told = f"{whole.name} again" if alike else f"the beginning of {whole.name}"
        out.notes.append(f"{source.name} is {told} and was left out{more}")
