"""Whether two wordings of one sentence say two things: a word stands in the place of another one."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from context_kit._lazily import regex

__all__ = ["exchanged"]

SAME_NOT = regex(r"not?|never|do|does|did|must|should|may")
"""What may stand for each other where a "not" stands on both sides."""
TURNED = frozenset("forget hesitate fail refuse".split())
"""What makes of "don't" its contrary."""
NEGATIVE = frozenset(("not", "no", "never"))
STEM = 4
"""Letters in which two forms of one word agree."""


def exchanged(wanted: Sequence[str], said: Sequence[str]) -> bool:
    """Whether a word stands in the place of another one, or turns a "not" around: "before" for "after"."""
    for kind, first, last, begin, end in SequenceMatcher(None, wanted, said, autojunk=False).get_opcodes():
        ours, theirs = _telling(wanted[first:last]), _telling(said[begin:end])
        inside = kind != "insert" or 0 < first < len(wanted)
        if kind != "equal" and inside and _negative(wanted[first:last]) != _negative(said[begin:end]):
            return True
        if kind == "insert" and theirs & TURNED:
            return True
        if kind == "replace" and ours and theirs and not _stems(ours) & _stems(theirs):
            return True
    return False


def _telling(tokens: Sequence[str]) -> set[str]:
    return {token for token in tokens if not SAME_NOT.fullmatch(token)}


def _negative(tokens: Sequence[str]) -> bool:
    return not NEGATIVE.isdisjoint(tokens)


def _stems(tokens: set[str]) -> set[str]:
    return {token[:STEM] for token in tokens}
