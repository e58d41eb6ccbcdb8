"""Files that are written beside a store, by ticks and by the hooks of coding agents, without what is forgotten.

Each is changed under the lock of its folder, where that has one, and replaced whole. What can't be read as text is
left alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from context_kit.errors import StoreError
from context_kit.memory._cleaning._tombs import mapped
from context_kit.memory._files._flock import locked
from context_kit.memory._files._lines import write_whole

__all__ = ["HARNESS", "folders_beside", "scrubbed_beside"]

HARNESS = ".harness"
"""Where the harness writes, unless it is told otherwise."""
LOCK = "lock"
LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is looked into."""


def folders_beside(
    store: Path | None, lines: Iterable[Mapping[str, Any]], named: Iterable[str | os.PathLike[str]]
) -> list[Path]:
    """The folders that belong to a store: its own, the one beside it, those of its sessions' ticks, and named ones.

    Args:
        store: the store's directory; None where it is none.
        lines: of its sessions' logs.
        named: what the caller names besides.

    Raises:
        StoreError: a named one doesn't exist.
    """
    given = [Path(each).expanduser() for each in named]
    missing = next((each for each in given if not each.is_dir()), None)
    if missing is not None:
        msg = f"harness: {str(missing)!r} is no directory: name the one that ticks or hooks write to"
        raise StoreError(msg)
    of_ticks = [Path(str(line["folder"])) for line in lines if line.get("k") == "tick" and line.get("folder")]
    of_store = [] if store is None else [store / HARNESS, store.absolute().parent / HARNESS]
    found = [*given, *of_store, *of_ticks]
    if store is not None and store.absolute().name == HARNESS:
        found.append(store)
    return list(dict.fromkeys(each.resolve() for each in found if each.is_dir()))


def scrubbed_beside(folders: Iterable[Path], left: Callable[[str], str]) -> int:
    """Change every text in them; how many files changed.

    Args:
        folders: what `folders_beside` gave.
        left: what is left of a text.

    Raises:
        StoreError: a file that has to change can't be written.
    """
    count = 0
    for folder in folders:
        for base, _, names in os.walk(folder):
            with _held(Path(base), names):
                count += sum(_scrubbed(path, left) for path in _files(Path(base), names))
    return count


def _files(base: Path, names: Iterable[str]) -> Iterator[Path]:
    for name in sorted(names):
        path = base / name
        if name != LOCK and path.is_file() and path.stat().st_size <= LARGEST:
            yield path.resolve() if path.is_symlink() else path


@contextmanager
def _held(base: Path, names: Iterable[str]) -> Generator[None]:
    """Hold a folder whose writers hold it, too."""
    if LOCK not in names:
        yield
        return
    try:
        descriptor = os.open(base / LOCK, os.O_RDWR)
    except OSError as error:
        msg = f"harness: {str(base / LOCK)!r} can't be opened ({error.strerror}): check its permissions"
        raise StoreError(msg) from error
    with locked(descriptor):
        yield


def _scrubbed(path: Path, left: Callable[[str], str]) -> bool:
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    made = "" if "\0" in text else _changed(text, left)
    if not made or made == text:
        return False
    write_whole(path, made)
    return True


def _changed(text: str, left: Callable[[str], str]) -> str:
    """A JSON document text by text, so that it stays one; anything else as one text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return left(text)
    made = mapped(value, left, kept=frozenset())
    if made is value:
        return text
    layout: dict[str, Any] = {"indent": 2} if "\n" in text.strip() else {"separators": (",", ":")}
    return json.dumps(made, ensure_ascii=text.isascii(), **layout) + ("\n" if text.endswith("\n") else "")
