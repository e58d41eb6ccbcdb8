"""A file's bytes as they were when it was first read: a log may grow while it is replayed.

The invariant guarded here: whatever becomes of the file, the same snapshot gives the same transcript or an error.
"""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from context_kit.harness.transcripts import Transcript, TranscriptError, load

__all__ = ["ChangedError", "Snapshot", "loaded", "reason_of", "taken"]


class ChangedError(TranscriptError):
    """The file no longer begins with the bytes that it had."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file at one time."""

    path: str
    digest: str
    """SHA-256 of its bytes, as hexadecimal digits."""
    size: int
    """Bytes that it had; those behind them came later."""


def taken(path: Path) -> Snapshot:
    """A file as it is now.

    Raises:
        OSError, ValueError: it can't be read.
    """
    data = path.read_bytes()
    return Snapshot(str(path), hashlib.sha256(data).hexdigest(), len(data))


def loaded(snapshot: Snapshot) -> Transcript:
    """The transcript that a file had then.

    Raises:
        ChangedError: these bytes are there no more.
        TranscriptError: they are no transcript. Neither text names the file.
    """
    try:
        data = Path(snapshot.path).read_bytes()[: snapshot.size]
    except (OSError, ValueError) as error:
        msg = f"can't be read any more: {reason_of(error)}"
        raise ChangedError(msg) from None
    if hashlib.sha256(data).hexdigest() != snapshot.digest:
        msg = "was changed while it was replayed: run the command again"
        raise ChangedError(msg)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "transcript")
        path.write_bytes(data)
        try:
            return load(str(path))
        except TranscriptError as error:
            raise TranscriptError(str(error).removeprefix(f"{path}: ")) from None


def reason_of(error: Exception) -> str:
    """Why the system refused, in its own words."""
    return ((error.strerror if isinstance(error, OSError) else None) or str(error)).lower()
