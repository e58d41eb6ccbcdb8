"""Where problems are while files are edited: their lines move, their place is edited, or what was done is undone.

A problem is mended at its own line; an edit elsewhere in its function or file, or one of which it is not known where it
was, is near and no more. What was mended may be undone anywhere in its function.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from context_kit.engrams import Deed
from context_kit.harness.ticks._blocks import block_of
from context_kit.harness.ticks._findings import Finding, one_file
from context_kit.harness.ticks._moves import Move, moves_of
from context_kit.harness.ticks._stashing import stashing
from context_kit.tools import Act, Files
from context_kit.tools._disturb import disturbance
from context_kit.tools._shellwords import simples

__all__ = ["Places", "Spot"]

CLOSE = 12
"""Lines by which a place may be uncertain and still be one."""
FILE = re.compile(r"[\w./@+-]{0,400}\.\w{1,8}$")
How: TypeAlias = int
ELSEWHERE, BETWEEN, THERE = range(3)
"""How near to a place an edit was: not at it; lines were put next to it; its own line was changed."""
NOTHING = "No local changes to save"
RESTORES = ("checkout", "restore", "stash", "reset", "revert")


@dataclass(slots=True)
class Spot:
    """Where a problem is now, and what was done there."""

    finding: Finding
    line: int = 0
    """As far as edits moved it; 0 where unknown."""
    last: int = 0
    """The last line of a range, moved as well; the line itself where it is one."""
    since: int = 0
    """Position at which it was told; edits after that count."""
    slack: int = 0
    """Lines by which it may have moved unseen."""
    settled: int = 0
    """Position at which it was fixed; 0 while it is open."""
    edited: int = 0
    """Position of the newest edit at its place."""
    near: int = 0
    """Position of the newest edit of its file that is not known to be at its place."""
    undone: int = 0
    """Position of the newest change of its place after it was fixed."""

    @classmethod
    def of(cls, finding: Finding, since: int, **known: int) -> Spot:
        """The place that a finding tells."""
        return cls(finding, finding.line, max(finding.line, finding.last), since, **known)

    def touch(self, position: int, *, there: bool, undoes: bool) -> None:
        """Note an edit of the file."""
        if self.settled:
            self.undone = position if (there or undoes) and position > self.settled else self.undone
        elif there:
            self.edited = position
        else:
            self.near = position

    def move(self, moves: Iterable[Move]) -> How:
        """Go where the lines went; how near to the place they were changed."""
        how = ELSEWHERE
        for move in moves:
            how = max(how, self._at(move))
            grown = move.now - (move.last - move.first + 1)
            if self.line and move.last < self.line:
                self.line, self.last = max(1, self.line + grown), max(1, self.last + grown)
            elif self.line < move.last <= self.last or self.line < move.first <= self.last:
                self.last = max(self.line, self.last + grown)
        return how

    def _at(self, move: Move) -> How:
        if not self.line or self.slack > CLOSE:
            return ELSEWHERE
        first, last = self.line, self.last
        if self.settled:
            first, end = (each + move.offset + 1 for each in block_of(move.lines, self.line - 1 - move.offset))
            last = max(last, end)
        first, last = first - self.slack, last + self.slack
        if move.last < move.first:
            return BETWEEN if first <= move.first <= last + 1 else ELSEWHERE
        return THERE if move.first <= last and move.last >= first else ELSEWHERE


class Places:
    """The places of problems, followed through a log in its order."""

    def __init__(self) -> None:
        self.aside = False
        """Whether the newest command looked at files whose edits were laid aside, by `git stash`."""
        self._laid = False
        """Edits were laid aside, and nothing was edited since."""
        self._stashes: list[list[tuple[Spot, int, int, int]]] = []
        """What each stash changed: places as they were before it."""
        self.files = Files()
        self._spots: dict[str, list[Spot]] = {}
        self._edits: dict[str, list[tuple[str, str]]] = {}

    def watch(self, spot: Spot) -> Spot:
        """Follow one more."""
        if spot.finding.file:
            self._spots.setdefault(spot.finding.name, []).append(spot)
        return spot

    def follow(self, deed: Deed) -> None:
        """One act."""
        act = deed.done
        if act.kind == "edit" and not act.failed and act.path:
            self._edit(act, deed.until)
        elif act.kind == "run":
            self._restore(act, deed.until)
        self.files.fold(act, deed.until, deed.act)

    def _of(self, path: str, position: int) -> list[Spot]:
        named = self._spots.get(path.replace("\\", "/").rsplit("/", 1)[-1], [])
        return [spot for spot in named if spot.since < position and one_file(spot.finding.file, path)]

    def _edit(self, act: Act, position: int) -> None:
        self._laid = False
        earlier = self._edits.setdefault(act.path, [])
        undoes = any((new, old) in earlier for old, new in act.replacements) or _git(act)
        if spots := self._of(act.path, position):
            moves = moves_of(act, self.files)
            lines = [spot.line for spot in spots]
            near = [spot.move(moves) if moves is not None else ELSEWHERE for spot in spots]
            beside = {line for line, how in zip(lines, near, strict=True) if how == BETWEEN}
            for spot, how in zip(spots, near, strict=True):
                # what was put between two problems belongs to one of them, and nobody knows to which
                there = how == THERE or (how == BETWEEN and (len(beside) == 1 or spot.settled > 0))
                spot.touch(position, there=there, undoes=undoes)
        earlier += act.replacements

    def _stash(self, act: Act, position: int) -> bool:
        """Lay edits aside and bring them back; whether a command does no more to files than that."""
        self.aside = self._laid
        steps = [stashing(simple) for simple in simples(act.command)] if "stash" in act.command else []
        if NOTHING in act.output:
            return any(steps)
        for step in filter(None, steps):
            if step.does == "push":
                touched = [spot for spots in self._spots.values() for spot in spots if self._edited(spot, step.names)]
                self._stashes.append([(spot, spot.edited, spot.near, spot.undone) for spot in touched])
                for spot in touched:
                    spot.touch(position, there=False, undoes=True)
                self.aside = self._laid = True
            elif self._stashes:
                self._laid = False
                laid = self._stashes[-1] if step.does == "apply" else self._stashes.pop()
                for spot, edited, near, undone in laid if step.does in ("pop", "apply") else ():
                    spot.edited, spot.near, spot.undone = edited, near, undone
            else:
                return False
        return any(steps)

    def _edited(self, spot: Spot, names: Sequence[str]) -> bool:
        """Whether the log shows an edit of a place's file, where it is one of those named."""
        view = self.files.find(spot.finding.file)
        named = not names or any(one_file(spot.finding.file, each) for each in names)
        return named and view is not None and view.edits > 0

    def _restore(self, act: Act, position: int) -> None:
        """Commands that bring back other texts of files: of those that they name, else of all."""
        found = disturbance(act)
        if self._stash(act, position) or found is None or found.code:
            return
        named = found.names or tuple(_restored(act.command))
        for spots in self._spots.values():
            for spot in spots:
                if spot.since < position and (not named or any(one_file(spot.finding.file, each) for each in named)):
                    spot.touch(position, there=False, undoes=True)


def _git(act: Act) -> bool:
    return act.content is None and not act.replacements and "git " in act.command


def _restored(command: str) -> list[str]:
    """The files that `git checkout` and its like name."""
    words = [simple.words for simple in simples(command) if simple.name == "git" and set(RESTORES) & set(simple.words)]
    return [word for each in words for word in each[2:] if not word.startswith("-") and FILE.match(word)]
