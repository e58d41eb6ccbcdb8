r"""Where the lines of the journal stand: positions only grow, whatever is put in the place of older lines.

A line's position is the number of its last byte in a journal that was never rewritten. A rewrite begins the
file with a line of its own, and gives each line that it keeps its old position:

    {"k":"journal","v":1,"base":4100,"upto":900,"mark":"5f0c…"}
    {"at":412,"id":"r1",…}
    {"id":"r9",…}                     appended later: its last byte's number and `base`

So the position of the newest line follows from the file's size, and a look costs one read of the first line.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["HEAD_SIZE", "Head", "Spot", "head_line", "head_of", "line_start", "parsed", "placed", "spots", "whole_end"]

HEAD_SIZE = 160
"""Bytes of the first line of a rewritten journal; padded with spaces."""
BLOCK = 1 << 20
"""Bytes that are read at once."""
LOOK = 4_096
"""Bytes that are read at once where one line is looked for."""
_BEGINS = b'{"k":"journal"'
_AT = re.compile(rb'\{"at":(\d{1,18})[,}]')


@dataclass(frozen=True, slots=True)
class Head:
    """What the first line of a journal says of its positions."""

    size: int = 0
    """Bytes of that line; 0 where the journal was never rewritten."""
    base: int = 0
    """Position less byte number, of lines after `upto`."""
    upto: int = 0
    """Bytes in which each line tells its own position."""
    mark: str = ""
    """Another one for each rewrite."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One line of the journal."""

    at: int
    """Its position."""
    start: int
    """Number of its first byte."""
    data: bytes
    """The line, without its newline."""


def head_of(descriptor: int) -> Head:
    """What a journal's first line says."""
    data = os.pread(descriptor, HEAD_SIZE, 0)
    if not data.startswith(_BEGINS) or not data.endswith(b"\n"):
        return Head()
    try:
        said = json.loads(data)
        return Head(HEAD_SIZE, int(said["base"]), int(said["upto"]), str(said["mark"]))
    except (ValueError, KeyError, TypeError):
        return Head()


def head_line(head: Head) -> bytes:
    """The first line of a rewritten journal."""
    said = {"k": "journal", "v": 1, "base": head.base, "upto": head.upto, "mark": head.mark}
    return json.dumps(said, separators=(",", ":")).encode().ljust(HEAD_SIZE - 1) + b"\n"


def placed(data: bytes, at: int) -> bytes:
    """A line that tells its position; nothing else of it changes."""
    found = _AT.match(data)
    if found:
        return data if int(found[1]) == at else b'{"at":%d%s' % (at, data[found.end(1) :])
    rest = data.lstrip()[1:].lstrip()
    return b'{"at":%d%s%s' % (at, b"" if rest.startswith(b"}") else b",", rest)


def parsed(data: bytes) -> dict[str, Any] | None:
    """A line as an object; None where it is damaged, or is none of the journal's own records."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("k") != "journal" else None


def whole_end(descriptor: int) -> int:
    """Bytes up to the end of the last whole line."""
    end, size = os.fstat(descriptor).st_size, LOOK
    while end > 0:
        start, size = max(0, end - size), BLOCK
        data = os.pread(descriptor, end - start, start)
        found = data.rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def line_start(descriptor: int, at: int, least: int = 0) -> int:
    """Where the line begins that has a byte; not before `least`, which begins one."""
    while at > least:
        start = max(least, at - LOOK)
        found = os.pread(descriptor, at - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
    return least


def spots(
    descriptor: int, head: Head, start: int = 0, stop: int | None = None, holding: Collection[bytes] = ()
) -> Iterator[Spot]:
    """The whole lines between two bytes, where lines begin; with `holding` at least those with one of these words."""
    start, before = max(start, head.size), 0
    for line, data in _lines(descriptor, start, whole_end(descriptor) if stop is None else stop, holding):
        end = line + len(data) + 1
        at = head.base + end
        if end <= head.upto:
            found = _AT.match(data)
            at = max(before + 1, int(found[1]) if found else 0)
        before = at
        if data.strip():
            yield Spot(at, line, data)


def _lines(descriptor: int, start: int, stop: int, holding: Collection[bytes]) -> Iterator[tuple[int, bytes]]:
    """Where each line begins, and the line."""
    for begun, block in _blocks(descriptor, start, stop):
        at = begun
        if holding and not any(word in block for word in holding):
            continue
        for line in block.split(b"\n")[:-1]:
            yield at, line
            at += len(line) + 1


def _blocks(descriptor: int, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """Pieces of whole lines."""
    held: list[bytes] = []
    begun = at = start
    while at < stop and (block := os.pread(descriptor, min(BLOCK, stop - at), at)):
        at += len(block)
        end = block.rfind(b"\n") + 1
        if end:
            whole = b"".join([*held, block[:end]])
            yield begun, whole
            begun += len(whole)
            held = []
        held.append(block[end:])
