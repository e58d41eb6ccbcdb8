"""What the commands write: the final window to a file, receipts and measures as JSON.

The invariant guarded here: a file is replaced whole or not at all, and never the one that was read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from context_kit.harness.transcripts import TranscriptError

__all__ = ["check_target", "print_json", "to_plain", "write_json", "write_lines"]


def check_target(out: str, source: str) -> None:
    """Refuse, before any work is done, a target that can't be written or is the input.

    Raises:
        TranscriptError: the text says which.
    """
    if out == "-":
        return
    if not out.strip():
        _refuse("''", "is no file name; give one, or - for standard output")
    try:
        target = Path(out).expanduser()
        if source != "-" and target.exists() and target.samefile(Path(source).expanduser()):
            _refuse(out, "is the input; give another name")
        if target.is_dir():
            _refuse(out, "is a directory; give a file name")
        folder = target.resolve().parent
        if not folder.is_dir():
            _refuse(out, "can't be written: its directory does not exist")
        if not os.access(folder if target.is_file() or not target.exists() else target, os.W_OK):
            _refuse(out, "can't be written: permission denied")
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, TranscriptError):
            raise
        _refuse(out, f"can't be written: {_reason(error)}")


def write_json(value: Any, out: str) -> None:
    """Write a value as JSON: to standard output for `-`, else into a new file that then takes the name.

    Raises:
        TranscriptError: it can't be written; the old file is as it was.
    """
    _write(_dumps(value, _encoding(out)), out)


def write_lines(values: Iterable[Any], out: str) -> None:
    """Write values as JSON Lines, one a line, in the same way."""
    encoding = _encoding(out)
    _write("".join(_line(value, encoding) for value in values), out)


def _line(value: Any, encoding: str) -> str:
    return json.dumps(to_plain(value), ensure_ascii=not _sound(value, encoding)) + "\n"


def _encoding(out: str) -> str:
    """What the text will be written in: a file is UTF-8, a terminal may be less."""
    return (sys.stdout.encoding or "ascii") if out == "-" else "utf-8"


def _write(text: str, out: str) -> None:
    if out == "-":
        sys.stdout.write(text)
        return
    target = Path(out).expanduser().resolve()
    try:
        if target.exists() and not target.is_file():  # a device or a pipe takes the text, and stays what it is
            target.write_text(text, encoding="utf-8")
        else:
            _replace(target, text)
    except OSError as error:
        _refuse(out, f"can't be written: {_reason(error)}")


def _reason(error: Exception) -> str:
    return ((error.strerror if isinstance(error, OSError) else None) or str(error)).lower()


def _replace(target: Path, text: str) -> None:
    handle, draft = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        Path(draft).replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(draft).unlink()


def _umask() -> int:
    """The process's own mask; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output."""
    write_json(value, "-")


def _dumps(value: Any, encoding: str) -> str:
    return json.dumps(to_plain(value), ensure_ascii=not _sound(value, encoding), indent=1) + "\n"


def _sound(value: Any, encoding: str) -> bool:
    """Whether it can be written as it is: a letter that the terminal lacks, half a surrogate pair need an escape."""
    try:
        json.dumps(to_plain(value), ensure_ascii=False).encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def to_plain(value: Any) -> Any:
    """Dataclasses, models, mappings, tuples and sets as what JSON has."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((to_plain(inner) for inner in value), key=json.dumps)
    return [to_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _refuse(out: str, why: str) -> None:
    msg = f"{out}: {why}"
    raise TranscriptError(msg)
