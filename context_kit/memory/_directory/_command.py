"""What a command of Anthropic's memory tool says: paths under `/memories`, texts, ranges of lines.

A path is names that can be seen, one below the other: nothing of it can lead out of the directory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from context_kit.memory._directory._confined import DEEPEST, Refused

__all__ = ["ROOT", "file_in", "path_in", "range_of", "size_text", "words_in"]

ROOT = "/memories"
LONGEST_NAME = 200
"""Bytes of one name."""


def path_in(given: Mapping[str, Any], key: str) -> tuple[str, tuple[str, ...]]:
    """A path as it was given, and its names below the root."""
    path = given.get(key)
    if not isinstance(path, str):
        msg = f"{key}: {path!r:.60} is no path"
        raise Refused(msg)
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        msg = f"Path must start with {ROOT}, got: {path[:200]}"
        raise Refused(msg)
    names = tuple(name for name in path[len(ROOT) :].split("/") if name)
    if any(_unfit(name) for name in names) or len(names) > DEEPEST:
        msg = f"Path {path[:200]!r} would escape {ROOT} directory, or is no plain path of visible names"
        raise Refused(msg)
    return path.rstrip("/"), names


def _unfit(name: str) -> bool:
    plain = name.isprintable() and "\\" not in name and not name.startswith(".")
    return not plain or len(name.encode("utf-8", "replace")) > LONGEST_NAME


def file_in(given: Mapping[str, Any], key: str) -> tuple[str, tuple[str, ...]]:
    path, names = path_in(given, key)
    if not names:
        msg = f"The path {path} is not a file."
        raise Refused(msg)
    return path, names


def words_in(given: Mapping[str, Any], key: str, default: str | None = None) -> str:
    text = given.get(key, default)
    if not isinstance(text, str):
        msg = f"{key}: {text!r:.60} is no text"
        raise Refused(msg)
    text.encode()
    return text


def range_of(given: object, lines: int) -> tuple[int, int]:
    """First and last line of a view."""
    if given is None or given == []:
        return 1, lines
    both = given if isinstance(given, (list, tuple)) and len(given) == 2 else ()
    numbers = [each for each in both if isinstance(each, int) and not isinstance(each, bool)]
    if len(numbers) != 2:
        msg = f"Invalid `view_range` parameter: {given!r:.60}. Give two line numbers; -1 is the end"
        raise Refused(msg)
    first, last = max(numbers[0], 1), lines if numbers[1] == -1 else min(numbers[1], lines)
    if first > last:
        msg = f"Invalid `view_range` parameter: {given!r:.60}. The file has {lines} lines"
        raise Refused(msg)
    return first, last


def size_text(number: int) -> str:
    """Bytes as a person reads them."""
    size, unit = float(number), "B"
    for larger in "KMG":
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{int(size)}{unit}" if size == int(size) else f"{size:.1f}{unit}"
