"""Findings: a problem at a place, known again after its lines moved and its words changed a little.

A line can have moved by as many lines as were added to its file or taken from it; how far a reader misses it is
added to that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from context_kit.memory._index._terms import begins, terms
from context_kit.tools import same_file

__all__ = ["Finding", "first_of", "same_finding"]

NEAR_SAID, NEAR_CHECKED = 20, 3
"""Lines by which a place may differ that somebody named, and one that a tool printed."""
ALIKE = 0.6
"""Of the words of the shorter message, what the longer one has where both say the same."""
FEW = 2
"""So many words have to be common, where a message has as many."""
EMPTY = frozenset(
    "a an the this that these those is are was were be been it its in on at of to for from by with and or but not no "
    "does do did has have had should must can could will would may when where which there here also still line file "
    "function method code 的 了 是 在 这 个 该".split()
)
"""Words that say nothing of a problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem, where it was found, and what became of it."""

    file: str = ""
    """Path; empty where no place was told."""
    line: int = 0
    """From 1; 0 where unknown."""
    text: str = ""
    """What is wrong, in one line, as it was said."""
    address: str = ""
    """Where the log says so, `m12`."""
    command: str = ""
    """The check that printed it; empty where somebody said it."""
    state: Literal["open", "fixed"] = "open"
    found_in: int = 0
    """Number of the tick that found it."""
    fixed_in: int = 0
    """Number of the tick that fixed it; 0 while it is open."""
    note: str = ""
    """How it was fixed, or why it is still open."""

    @property
    def place(self) -> str:
        """`file:line`, as far as it is known."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def name(self) -> str:
        """The file's own name: what the names of one file have in common."""
        return self.file.replace("\\", "/").rsplit("/", 1)[-1]

    @property
    def told(self) -> str:
        """Place and message in one line."""
        return " ".join(filter(None, (self.place, self.text)))


def same_finding(a: Finding, b: Finding, *, churn: int = 0) -> bool:
    """Whether two findings are one problem.

    Args:
        a: one of them.
        b: the other one.
        churn: lines that were added to the file and taken from it between the two.
    """
    return _near(a, b, churn) and _same_words(a, b)


def first_of(
    found: Iterable[Finding], wanted: Finding, churn: Callable[[Finding], int] | None = None
) -> Finding | None:
    """Of the same findings the one nearest to it; `churn` tells how far the lines of each may have moved since."""
    same = [
        each
        for each in found
        if _same_words(each, wanted) and (_near(each, wanted, 0) or (churn and _near(each, wanted, churn(each))))
    ]
    return min(same, key=lambda each: abs(each.line - wanted.line), default=None)


def _near(a: Finding, b: Finding, churn: int) -> bool:
    near = NEAR_CHECKED if a.command and b.command else NEAR_SAID
    return not (a.line and b.line) or abs(a.line - b.line) <= near + churn


def _same_words(a: Finding, b: Finding) -> bool:
    """One file and one message."""
    if bool(a.file) != bool(b.file) or not (a.file == b.file or _one_file(a.file, b.file)):
        return False
    return a.text == b.text or _alike(a.text, b.text)


def _one_file(a: str, b: str) -> bool:
    """Names of one file; a bare name is what a reader writes for a path."""
    if same_file(a, b):
        return True
    short, long = sorted((a, b), key=len)
    return "/" not in short and long.rsplit("/", 1)[-1] == short


def _alike(a: str, b: str) -> bool:
    ours, theirs = _words(a), _words(b)
    if not ours or not theirs:
        return False
    common, least = len(ours & theirs), min(len(ours), len(theirs))
    return common >= min(FEW, least) and common >= ALIKE * least


@lru_cache(maxsize=4_096)
def _words(text: str) -> frozenset[str]:
    """The words of a message that tell it from others: no numbers, no single characters of Han script."""
    return frozenset(t for t in terms(text) if t not in EMPTY and not begins(t) and not t.isdecimal())
