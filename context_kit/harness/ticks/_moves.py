"""Which lines an edit changed, as far as that can be told from the call and from what is known of the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from context_kit.tools import Act, Files, FileView
from context_kit.tools._shellwords import simples

__all__ = ["Move", "moves_of"]

LAST = 10**9
"""The last line of a file of unknown length."""
COMPARED = 1_000
"""Lines of a file written anew that are compared one by one; more count as one change."""
ADDRESS = re.compile(r"(\d{1,7})(?:,(\d{1,7}|\$))?\s*([sdcaiy])")
"""A command of `sed` that names its lines."""
WORDED = re.compile(r"s([/|#,])(\^?)([\w \"'=:()<>!+-]{1,200}?)(\$?)\1")
"""One that takes the place of plain words."""


@dataclass(frozen=True, slots=True)
class Move:
    """Lines of a file that others took the place of."""

    first: int
    """From 1, before the change."""
    last: int
    """`first - 1` where lines were put before `first`."""
    now: int
    """How many stand there after it."""
    lines: Sequence[str] = ()
    """The file before the change, as far as it is known ..."""
    offset: int = 0
    """... from the line after this one on."""


def moves_of(act: Act, files: Files) -> list[Move] | None:
    """What an edit changed, in its order; None where it can't be told.

    Args:
        act: the edit, as it was done.
        files: what is known of files before it.
    """
    view = files.find(act.path)
    text, offset = _known(view)
    if act.content is not None and act.whole:
        return _rewritten(text if not offset else None, act.content)
    if act.gone and act.gone == act.path:
        return [Move(1, LAST, 0)]
    if act.first:
        return _ranged(act, text, offset)
    if act.replacements:
        return None if text is None else _replaced(act, text, offset)
    return _addressed(act, text.splitlines() if text is not None else [], offset)


def _known(view: FileView | None) -> tuple[str | None, int]:
    if view is None or view.gone or view.text is None:
        return None, 0
    if view.whole:
        return view.text, 0
    return (view.text, view.first - 1) if view.first > 0 else (None, 0)


def _rewritten(text: str | None, content: str) -> list[Move]:
    new = content.splitlines()
    if text is None:
        return [Move(1, LAST, len(new))]
    old = text.splitlines()
    return _differing(old, new, 1, old, 0)


def _differing(old: Sequence[str], new: Sequence[str], at: int, lines: Sequence[str], offset: int) -> list[Move]:
    """What differs between the lines that stood from `at` on and those that stand there now, the last one first."""
    head, tail = _common(old, new)
    ours, theirs = old[head : len(old) - tail], new[head : len(new) - tail]
    at += head
    if max(len(ours), len(theirs)) > COMPARED:
        return [Move(at, at + len(ours) - 1, len(theirs), lines, offset)]
    steps = SequenceMatcher(None, ours, theirs).get_opcodes()
    return [Move(at + a, at + b - 1, d - c, lines, offset) for tag, a, b, c, d in reversed(steps) if tag != "equal"]


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines both begin with, and end with."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    return head, tail


def _ranged(act: Act, text: str | None, offset: int) -> list[Move] | None:
    new = "".join(each for _, each in act.replacements).splitlines()
    lines = text.splitlines() if text is not None else []
    if act.first < 0:
        return None if text is None else [Move(offset + len(lines) + 1, offset + len(lines), len(new), lines, offset)]
    last = act.last if act.last >= act.first - 1 and act.last > 0 else act.first
    old = lines[act.first - 1 - offset : last - offset] if act.first > offset else []
    if len(old) == last - act.first + 1:
        return _differing(old, new, act.first, lines, offset)
    return [Move(act.first, last, len(new), lines, offset)]


def _replaced(act: Act, text: str, offset: int) -> list[Move] | None:
    moves: list[Move] = []
    for old, new in act.replacements:
        at = text.rfind(old) if act.every and old else text.find(old) if old else -1
        if at < 0:
            return None
        while at >= 0:
            first = offset + text.count("\n", 0, at) + 1
            moves += _differing(old.split("\n"), new.split("\n"), first, text.splitlines(), offset)
            text = text[:at] + new + text[at + len(old) :]
            at = text.rfind(old, 0, at) if act.every else -1
    return moves


def _addressed(act: Act, lines: Sequence[str], offset: int) -> list[Move] | None:
    """The lines that commands of `sed` name, by their numbers or by plain words that stand there."""
    moves: list[Move] = []
    for simple in simples(act.command) if "sed " in act.command else []:
        if simple.name not in ("sed", "gsed"):
            continue
        scripts = [word for word in simple.words[1:] if not word.startswith("-")]
        for step in (each.strip() for each in (scripts[0].split(";") if scripts else [])):
            named = _numbered(step) or _worded(step, lines, offset)
            if named is None:
                return None
            moves += named
    return moves or None


def _numbered(step: str) -> list[Move] | None:
    found = ADDRESS.match(step)
    if found is None:
        return None
    first = int(found[1])
    last = LAST if found[2] == "$" else int(found[2] or first)
    return [Move(first, last, {"d": 0}.get(found[3], last - first + 1))]


def _worded(step: str, lines: Sequence[str], offset: int) -> list[Move] | None:
    found = WORDED.match(step)
    if found is None or not lines:
        return None
    wanted = re.compile(("^" if found[2] else "") + re.escape(found[3]) + ("$" if found[4] else ""))
    places = [offset + at for at, line in enumerate(lines, 1) if wanted.search(line)]
    return [Move(at, at, 1, lines, offset) for at in places]
