"""Where a text may be cut so that no character as a reader sees it falls apart.

The common rules of Unicode's text segmentation (UAX #29, grapheme clusters), by code point: marks and joiners
stay with what they follow, emoji sequences and flags stay whole, so do Hangul syllables, CR LF and surrogate pairs.
"""

from __future__ import annotations

from unicodedata import category

__all__ = ["boundary_after", "boundary_before"]

ZWJ = "\u200d"
_EXTENDS = frozenset(("Mn", "Mc", "Me"))
_VIRAMAS = frozenset("\u094d\u09cd\u0a4d\u0acd\u0b4d\u0c4d\u0d4d")


def boundary_before(text: str, at: int) -> int:
    """The last place at or before `at` where a cut splits nothing."""
    while 0 < at < len(text) and not _splits(text, at):
        at -= 1
    return at


def boundary_after(text: str, at: int) -> int:
    """The first place at or after `at` where a cut splits nothing."""
    while 0 < at < len(text) and not _splits(text, at):
        at += 1
    return at


def _splits(text: str, at: int) -> bool:
    """A cut between the two characters around `at` parts two clusters."""
    left, right = text[at - 1], text[at]
    if right < "\u0300" and left < "\u0300":
        return not (left == "\r" and right == "\n")
    if left == ZWJ or left in _VIRAMAS or _extends(right):
        return False
    if _is_flag(left) and _is_flag(right):
        return _flags_before(text, at) % 2 == 0
    surrogates = "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff"
    return not surrogates and not _one_syllable(left, right)


def _extends(char: str) -> bool:
    """Belongs to the character before it: marks, joiners, variation selectors, skin tones, tags."""
    return (
        category(char) in _EXTENDS
        or char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or "\uff9e" <= char <= "\uff9f"
    )


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    start = at
    while start and _is_flag(text[start - 1]):
        start -= 1
    return at - start


def _one_syllable(left: str, right: str) -> bool:
    """Two Hangul characters of one syllable: a lead and what follows it, a vowel or a tail."""
    lead, vowel, tail = ("\u1100" <= left <= "\u115f", "\u1160" <= right <= "\u11a7", "\u11a8" <= right <= "\u11ff")
    whole = "\uac00" <= left <= "\ud7a3"
    if lead:
        return vowel or "\u1100" <= right <= "\u115f" or "\uac00" <= right <= "\ud7a3"
    if whole or "\u1160" <= left <= "\u11a7":
        open_ended = not whole or (ord(left) - 0xAC00) % 28 == 0
        return tail or (vowel and open_ended)
    return "\u11a8" <= left <= "\u11ff" and tail
