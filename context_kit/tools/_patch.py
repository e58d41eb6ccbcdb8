"""Patches: what they do to which file, and what a text becomes by them.

Two forms are read: `*** Begin Patch` (OpenAI's apply_patch) and unified diffs. A hunk that isn't
found exactly makes the whole text unknown; nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from context_kit._lazily import regex
from context_kit.tools._paths import plain_path

__all__ = ["Change", "parse_patch", "replace_in", "search_blocks"]

Verb = Literal["add", "delete", "update"]
FILE = regex(r"\*\*\* (Add|Update|Delete) File: (.+)")
MOVE = "*** Move to: "
HUNK = regex(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a patch does to one file."""

    verb: Verb
    path: str
    """The file afterwards."""
    gone: str = ""
    """The old name of a moved file, or the deleted file."""
    content: str | None = None
    """Whole content of an added file."""
    hunks: tuple[tuple[str, str], ...] = ()
    """(old, new) lines of each hunk, context included."""


def parse_patch(text: str) -> list[Change]:
    """The changes of a patch in either form; nothing where it is no patch."""
    if "*** Begin Patch" in text or text.lstrip().startswith("*** "):
        return _apply_patch(text)
    if "@@ -" in text or "\n+++ " in text or text.startswith("diff --git"):
        return _unified(text)
    return []


def replace_in(text: str, hunks: tuple[tuple[str, str], ...], *, every: bool = False) -> str | None:
    """The text after these replacements, each from the place of the one before on; None where one isn't found."""
    start = 0
    for hunk in hunks:
        old, new = hunk
        if not old:
            return None
        if every:
            if old not in text:
                return None
            text = text.replace(old, new)
            continue
        at = text.find(old, start)
        at = text.find(old) if at < 0 and start else at
        if at < 0 and old.endswith("\n") and text.endswith(old[:-1]):
            old, new, at = old[:-1], new.removesuffix("\n"), len(text) - len(old) + 1
        if at < 0:
            return None
        text, start = text[:at] + new + text[at + len(old) :], at + len(new)
    return text


def _apply_patch(text: str) -> list[Change]:
    changes: list[Change] = []
    verb, path, moved = "", "", ""
    lines: list[str] = []
    for line in [*text.split("\n"), "*** End Patch"]:
        if line.startswith("*** "):
            found = FILE.match(line)
            if line.startswith(MOVE):
                moved = plain_path(line[len(MOVE) :])
                continue
            if found or line.startswith("*** End Patch"):
                if verb:
                    changes.append(_change(verb, path, moved, lines))
                verb, path = (found.group(1), plain_path(found.group(2))) if found else ("", "")
                moved, lines = "", []
            continue
        lines.append(line)
    return changes


def _change(verb: str, path: str, moved: str, lines: list[str]) -> Change:
    if verb == "Delete":
        return Change(verb="delete", path=path, gone=path)
    if verb == "Add":
        return Change(verb="add", path=path, content="".join(line[1:] + "\n" for line in lines if line.startswith("+")))
    hunks = tuple(_hunks(lines))
    return Change(verb="update", path=moved or path, gone=path if moved else "", hunks=hunks)


def _hunks(lines: list[str]) -> list[tuple[str, str]]:
    """(old, new) of each hunk that changes something."""
    hunks: list[tuple[str, str]] = []
    old: list[str] = []
    new: list[str] = []
    for line in [*lines, "@@"]:
        if line.startswith("@@"):
            if old != new:
                hunks.append(("".join(old), "".join(new)))
            old, new = [], []
        elif line.startswith("+"):
            new.append(line[1:] + "\n")
        elif line.startswith("-"):
            old.append(line[1:] + "\n")
        elif line.startswith(" ") or not line:
            old.append(line[1:] + "\n")
            new.append(line[1:] + "\n")
    return hunks


def _unified(text: str) -> list[Change]:
    changes: list[Change] = []
    before = after = ""
    lines: list[str] = []
    inside = False
    left = right = 0
    for line in [*text.split("\n"), "diff --git"]:
        found = HUNK.match(line) if line.startswith("@@ ") else None
        if found:
            inside, left, right = True, int(found.group(2) or 1), int(found.group(4) or 1)
            lines.append("@@")
        elif inside and (left > 0 or right > 0) and line[:1] in (" ", "+", "-", ""):
            left -= line[:1] != "+"
            right -= line[:1] != "-"
            lines.append(line)
        elif line.startswith(("--- ", "diff --git")):
            if lines:
                changes.append(_diffed(before, after, lines))
            before, lines, inside = _named(line) if line.startswith("--- ") else "", [], False
        elif line.startswith("+++ "):
            after = _named(line)
    return changes


def _diffed(before: str, after: str, lines: list[str]) -> Change:
    hunks = tuple(_hunks(lines))
    if not after:
        return Change(verb="delete", path=before, gone=before)
    if not before and len(hunks) == 1 and not hunks[0][0]:
        return Change(verb="add", path=after, content=hunks[0][1])
    return Change(verb="update", path=after, gone=before if before and before != after else "", hunks=hunks)


def _named(line: str) -> str:
    """The path of a `---` or `+++` line, without `a/`, `b/` and time; empty for /dev/null."""
    path = plain_path(line[4:].split("\t")[0])
    if path == "/dev/null":
        return ""
    return path[2:] if path[:2] in ("a/", "b/") else path


SEARCH = regex(r"^[ \t]*(?:<{5,9} ?SEARCH>?|-{5,9} ?SEARCH>?)[ \t]*$", re.MULTILINE)


def search_blocks(text: str) -> tuple[tuple[str, str], ...]:
    """(old, new) pairs of SEARCH/REPLACE blocks, as Cline's replace_in_file and aider write them."""
    if not SEARCH.search(text):
        return ()
    pairs: list[tuple[str, str]] = []
    old: list[str] = []
    new: list[str] = []
    where = 0
    for line in text.splitlines(keepends=True):
        mark = line.strip()
        if SEARCH.match(mark):
            where, old, new = 1, [], []
        elif where == 1 and len(mark) >= 5 and set(mark) == {"="}:
            where = 2
        elif where == 2 and mark.startswith((">>>>>", "+++++ REPLACE", "+++++++ REPLACE")):
            pairs.append(("".join(old), "".join(new)))
            where = 0
        elif where == 1:
            old.append(line)
        elif where == 2:
            new.append(line)
    return tuple(pairs)
