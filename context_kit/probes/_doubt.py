"""What is no longer sure of the files: nothing that was known of them before is asked for, until it was seen again.

The trail folds what each act says. Here is what acts leave open (a glob, a folder, a `git pull`, an edit that was
undone), and what a later print contradicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from context_kit.engrams import Deed, Trail
from context_kit.tools import same_file
from context_kit.tools._disturb import CODE_ALONE, disturbance
from context_kit.tools._unsure import EVERY, matches, unsure

__all__ = ["Doubts"]

HEAD = re.compile(
    r"(?:(?:export|public|private|static|final|readonly|async|pub|const|let|var)\s+)*"
    r"(?:(?:def|class|function|func|fn|interface|struct|type|enum)\s+[\w.$]{2,60}(?=\W|$)|"
    r"[\"']?[A-Za-z_$][\w.$-]{2,60}[\"']?(?=\s*(?::\s*[\w\[\], .|]{1,40}?)?\s*(?::=|=(?![=>])|:(?!:))))"
)
"""What a line names: a constant, a key, a function; the rest is what it says of it."""
PRINTED = re.compile(r"(?:(?P<path>[\w~.@/\\+-]+\.\w{1,8})[:-])?(?:\d{1,6}[:\t→|-]\s?)?(?P<text>.*)")
"""A line as searches, viewers and diffs print it."""
FILE = re.compile(r"[\w/-]\.\w{1,8}\b")
MOST = 300
"""Characters of a printed line; a longer one is data."""


class _Doubt(NamedTuple):
    until: int
    pattern: str
    code: bool
    """Files of code only."""


class _Print(NamedTuple):
    """A line with a head that a command or a search printed."""

    until: int
    path: str
    """The file that stands before it; else empty."""
    command: str
    text: str


class Doubts:
    """What acts left open, for one trail."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._doubts = [doubt for deed in trail.deeds for doubt in _doubts(deed, trail)]
        self._since: dict[str, int] = {}
        self._looks: dict[str, list[Deed]] = {}
        for deed in trail.deeds:
            if deed.act.kind in ("read", "edit") and not deed.act.failed:
                self._looks.setdefault(_base(deed.act.path), []).append(deed)
        self._prints: dict[str, list[_Print]] | None = None
        self._replaced: dict[str, int] | None = None

    def since(self, path: str) -> int:
        """Position since which a file may be another one than it was; 0 where nothing touched it unseen."""
        if path not in self._since:
            found = (doubt.until for doubt in reversed(self._doubts) if _touches(doubt, path))
            self._since[path] = next(found, 0)
        return self._since[path]

    def looks(self, path: str) -> list[Deed]:
        """The acts that read or wrote a file, oldest first."""
        return [deed for deed in self._looks.get(_base(path), ()) if same_file(deed.act.path, path)]

    def after(self, position: int) -> bool:
        """Whether any file may have been changed unseen after a position."""
        return bool(self._doubts) and self._doubts[-1].until > position

    def unseen(self, path: str, *lines: str) -> bool:
        """Whether a file may have changed after these lines of it were seen or written last."""
        since = self.since(path)
        if not since:
            return False
        return not any(deed.until > since and _shows(deed, lines) for deed in self.looks(path))

    def elsewhere(self, path: str, position: int) -> bool:
        """Whether a file that was seen at a position is deleted, moved, or may be by now."""
        view = self._trail.files.find(path)
        return (view is not None and view.gone) or self.since(path) > position

    def replaced(self, line: str, position: int) -> bool:
        """Whether an edit after a position took a line away that nothing put back."""
        if self._replaced is None:
            self._replaced = _taken_away(self._trail.deeds)
        return self._replaced.get(line.strip(), 0) > position

    def moved(self, path: str, line: str, position: int) -> bool:
        """Whether a line of a file may stand elsewhere in it than at a position of the log: any edit moves lines."""
        edited = any(deed.act.kind == "edit" and deed.until > position for deed in self.looks(path))
        return edited or self.elsewhere(path, position) or self.replaced(line, position)

    def otherwise(self, path: str, line: str, position: int) -> bool:
        """Whether something that was printed after a position gives the name of a line another value."""
        head = _head(line)
        if not head:
            return False
        if self._prints is None:
            self._prints = _prints(self._trail.deeds)
        return any(
            each.until > position and _bare(each.text) != _bare(line) and _about(each, path)
            for each in self._prints.get(head, ())
        )


def _doubts(deed: Deed, trail: Trail) -> Iterator[_Doubt]:
    act = deed.act
    if act.kind == "edit" and act.path and not act.failed and act.content is None and not act.replacements:
        yield _Doubt(deed.until, act.gone if act.gone == act.path else "" if act.gone else act.path, False)
    if act.kind != "run" or act.refused:
        return
    found = disturbance(act)
    if found is not None:
        patch = trail.files.find(found.patch) if found.patch else None
        if patch is None or not patch.text:
            for pattern in found.names or (EVERY,):
                yield _Doubt(deed.until, pattern, found.code)
    for pattern in unsure(act.command):
        yield _Doubt(deed.until, pattern, False)


def _touches(doubt: _Doubt, path: str) -> bool:
    if doubt.code and path.endswith(CODE_ALONE):
        return False
    return bool(doubt.pattern) and matches(doubt.pattern, path)


def _shows(deed: Deed, lines: Sequence[str]) -> bool:
    """Whether an act shows or writes all of these lines."""
    act = deed.act
    text = "\n".join(
        [act.content or "", *(new for _, new in act.replacements), act.output if act.kind == "read" else ""]
    )
    return all(line in text for line in lines)


def _taken_away(deeds: Sequence[Deed]) -> dict[str, int]:
    """Lines that edits took away, with the position of the newest one."""
    found: dict[str, int] = {}
    for deed in deeds:
        for old, new in deed.act.replacements if deed.act.kind == "edit" and not deed.act.failed else ():
            before, after = _lines(old), _lines(new)
            for line in before - after:
                found[line] = deed.until
            for line in after - before:
                found.pop(line, None)
    return found


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n") if line.strip()}


def _prints(deeds: Sequence[Deed]) -> dict[str, list[_Print]]:
    """Lines with a head that were printed by what is no look at a file: those the trail has folded already."""
    looks = {(deed.until, deed.act.id) for deed in deeds if deed.act.kind in ("read", "edit")}
    found: dict[str, list[_Print]] = {}
    seen: set[tuple[int, str]] = set()
    for deed in deeds:
        place = (deed.until, deed.act.id)
        if deed.act.kind not in ("run", "search", "other") or place in looks or place in seen:
            continue
        seen.add(place)
        for line in deed.act.output.split("\n"):
            printed = PRINTED.match(line.strip().lstrip("+")) if len(line) <= MOST else None
            if printed is not None and (head := _head(text := printed["text"].strip())):
                given = _Print(deed.until, printed["path"] or "", deed.act.command or deed.act.path, text)
                found.setdefault(head, []).append(given)
    return found


def _head(line: str) -> str:
    found = HEAD.match(line)
    return " ".join(found[0].strip("\"'").split()) if found else ""


def _bare(line: str) -> str:
    """A line without its spaces, its last sign and the remark behind it."""
    return re.sub(r"\s+|[,;]\s*$", "", re.sub(r"\s+(?:#|//).*$", "", line)).strip("'\"").replace("'", '"')


def _about(printed: _Print, path: str) -> bool:
    """Whether a printed line may be one of a file: it names it, or names no file at all."""
    if printed.path:
        return same_file(printed.path, path)
    return _base(path) in printed.command or not FILE.search(printed.command)


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
