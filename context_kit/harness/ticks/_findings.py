"""Findings: a problem at a place, known again after its lines moved and its words changed a little.

A line can have moved by as many lines as were added to its file or taken from it; how far a reader misses it is
added to that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from context_kit.harness.ticks._spots import spot_of, without_spots
from context_kit.memory._index._terms import begins, terms
from context_kit.tools import checks_of, elsewhere, same_file

__all__ = ["Finding", "apart", "by_name", "first_of", "one_file", "same_finding"]

NEAR_SAID, NEAR_CHECKED = 20, 3
"""Lines by which a place may differ that somebody named, and one that a tool printed."""
MOSTLY, MANY = 0.8, 5
"""Of the words of both messages, and how many at least, what they have in common where each has words of its own."""
PAIRS = 0.75
"""The same of pairs of Han characters, which a word more changes on both sides."""
FEW = 1
"""A message of one word is part of one that has no more than these."""
EMPTY = frozenset(
    "a an the this that these those is are was were be been it its in on at of to for from by with and or but "
    "does do did has have had should must can could will would may might when where which there here also still line "
    "file function method code because since if then than so as into onto over under around surrounding surround "
    "keep kept get got make made use used cause happen there's wrong wrongly bug issue problem error defect fault "
    "incorrect incorrectly critical high medium low severity case 的 了 是 在 这 个 该".split()
)
"""Words that say nothing of a problem."""
NOT = re.compile(
    r"\b(?:not?|never|nothing|none|nobody|without|missing|misses|lacks?|incomplete\w*|cannot|forg[eo]t\w*|un\w{4,})\b|"
    r"n't\b|不|没|未|缺|漏",
    re.IGNORECASE,
)
"""Words that say that something is not there."""
DENIED = frozenset(
    "not no never nothing none nobody without missing misses lack lacks incomplete incompletely cannot forgets forgot "
    "isn doesn don didn won can't isn't doesn't 不 没 未".split()
)
"""Their own terms: a message says more with them, but of nothing else."""
HEX = re.compile(r"\b0x[0-9a-fA-F]+\b")
CUT = re.compile(r"(?:\.\.\.|…)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem, where it was found, and what became of it."""

    file: str = ""
    """Path; empty where no place was told."""
    line: int = 0
    """From 1; 0 where unknown."""
    last: int = 0
    """Its last line, where it is a range; 0 where it is one line."""
    text: str = ""
    """What is wrong, in one line, as it was said."""
    address: str = ""
    """Where the log says so, `m12`."""
    command: str = ""
    """The check that printed it; empty where somebody said it."""
    test: str = ""
    """The test that failed with it, `tests/test_a.py::test_b`; empty where none was named."""
    state: Literal["open", "fixed"] = "open"
    found_in: int = 0
    """Number of the tick that found it."""
    fixed_in: int = 0
    """Number of the tick that fixed it; 0 while it is open."""
    note: str = ""
    """How it was fixed, or why it is still open."""

    @property
    def place(self) -> str:
        """`file:line` or `file:line-last`, as far as it is known."""
        lines = f"{self.line}-{self.last}" if self.last else f"{self.line}"
        return f"{self.file}:{lines}" if self.line else self.file

    @property
    def name(self) -> str:
        """The file's own name: what the names of one file have in common."""
        return self.file.replace("\\", "/").rsplit("/", 1)[-1]

    @property
    def told(self) -> str:
        """Place and message in one line, the place once."""
        spot = spot_of(self.text)
        if spot is not None and spot.line == self.line and spot.file == self.file:
            return self.text
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
    return min(same, key=lambda each: (apart(each, wanted), abs(each.line - wanted.line)), default=None)


def apart(a: Finding, b: Finding) -> int:
    """Lines between the places of two findings; 0 where one lies in the other's range, or a line isn't known."""
    if not (a.line and b.line):
        return 0
    return max(0, a.line - max(b.line, b.last), b.line - max(a.line, a.last))


def by_name(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Findings by their file's own name: what the names of one file have in common."""
    named: dict[str, list[Finding]] = {}
    for finding in findings:
        named.setdefault(finding.name, []).append(finding)
    return named


def _near(a: Finding, b: Finding, churn: int) -> bool:
    near = NEAR_CHECKED if a.command and b.command else NEAR_SAID
    return apart(a, b) <= near + churn


def _same_words(a: Finding, b: Finding) -> bool:
    """One file and one message."""
    if bool(a.file) != bool(b.file) or not (a.file == b.file or one_file(a.file, b.file)):
        return False
    if a.test and b.test and a.test != b.test:
        return False
    if a.command and b.command:
        if elsewhere(a.command, b.command):
            return False
        return _same_print(a.text, b.text) and (bool(a.file) or checks_of(a.command) == checks_of(b.command))
    return a.text == b.text or _alike(a.text, b.text)


def _same_print(a: str, b: str) -> bool:
    """Whether a check printed the same; one of both may be cut."""
    a, b = (HEX.sub("0x", text) for text in (a, b))
    short, long = sorted((a, b), key=len)
    cut = CUT.search(short)
    return a == b or (cut is not None and long.startswith(short[: cut.start()]))


def one_file(a: str, b: str) -> bool:
    """Names of one file; a bare name is what a reader writes for a path."""
    if same_file(a, b):
        return True
    short, long = sorted((a, b), key=len)
    return "/" not in short and long.rsplit("/", 1)[-1] == short


def _alike(a: str, b: str) -> bool:
    """Whether two messages say one thing: the shorter one has no word that says another thing than the longer one."""
    ours, theirs = _words(a), _words(b)
    common = len(ours & theirs)
    if not common:
        return False
    more, less = ours - theirs, theirs - ours
    if more and less:
        if not any(map(str.isascii, more | less)):
            return common >= PAIRS * min(len(ours), len(theirs))
        most = max(len(_whole(ours)), len(_whole(theirs)))
        return len(_whole(ours & theirs)) >= max(MANY, MOSTLY * most)
    least, most = sorted((len(ours), len(theirs)))
    if least == 1 and most > FEW:
        return False
    denied = NOT.search(a) is not None, NOT.search(b) is not None
    return denied[0] == denied[1] or not (less if denied[0] else more)


@lru_cache(maxsize=4_096)
def _words(text: str) -> frozenset[str]:
    """The words of a message that tell it from others: no numbers, no single characters of Han script."""
    found = (
        t
        for t in terms(without_spots(text))
        if t not in EMPTY and t not in DENIED and not begins(t) and not t.isdecimal()
    )
    return frozenset(stem for t in found if (stem := _stem(t)) and stem not in EMPTY)


def _whole(words: frozenset[str]) -> set[str]:
    """Without the words that are parts of longer ones: `parse` beside `parse_line`."""
    return {word for word in words if not any(word != other and word in other for other in words)}


def _stem(word: str) -> str:
    """A word without its ending, so that `clears`, `cleared` and `clearing` are one."""
    if not word.isascii() or not word.isalpha() or len(word) < 4:
        return word
    for ending in ("ingly", "edly", "ion", "ing", "ied", "ies", "ed", "es", "ly", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    word = word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiosl" else word
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word
