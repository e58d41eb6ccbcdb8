"""Texts in which words, numbers and sentences are looked up; each is prepared once, when it is first asked.

Looked up, never interpreted: whatever the case, the quotes, the escapes of JSON around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from context_kit.engrams import sentences

__all__ = ["AROUND", "Text", "alike", "lowered", "places", "squeeze", "stands", "units"]

_WORDS = re.compile(r"[a-z0-9_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+")
_DIGITS = re.compile(r"\d+(?:[.:,_/-]\d+)*")
_ESCAPED = (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\\\", "/"), ("\\", "/"), ("’", "'"))
"""What JSON in call arguments hides, and what is written in two ways."""
_UNITS = re.compile(r"[a-z0-9_]+|[\u3400-\u9fff]")
AROUND = 400
"""Characters on both sides of a word that count as its place."""
_PLACES = 200
"""So many places of one word are looked at."""


class Text:
    """One text, with what is looked up in it."""

    def __init__(self, text: str) -> None:
        self.raw = text

    @cached_property
    def low(self) -> str:
        """In lower case, escapes undone."""
        return lowered(self.raw)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, whole identifiers."""
        return frozenset(_WORDS.findall(self.low))

    @cached_property
    def joined(self) -> frozenset[str]:
        """Its words without the underscores in them."""
        return frozenset(word.replace("_", "") for word in self.words)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its numbers, whole and in their parts."""
        found: set[str] = set()
        for run in set(_DIGITS.findall(self.low)):
            found.update((run, run.replace(",", "").replace("_", ""), *re.split(r"[.:,_/-]", run)))
        return frozenset(found)

    @cached_property
    def squeezed(self) -> str:
        """Its words alone, one space between them."""
        return squeeze(self.low)

    @cached_property
    def units(self) -> frozenset[str]:
        """Its words, and its pairs of Han characters."""
        return units(self.low)


def lowered(text: str) -> str:
    text = text.lower()
    for old, new in _ESCAPED:
        text = text.replace(old, new)
    return text


def squeeze(text: str) -> str:
    """Words alone, one space between them, so that marks and line ends don't tell two texts apart."""
    return f" {' '.join(_UNITS.findall(text.lower()))} "


def stands(path: str, text: str) -> bool:
    """Whether a path stands in a text and is not the end or the beginning of another name."""
    at = text.find(path)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(path) : at + len(path) + 1]
        joined = before and path[0] not in "/." and ((before.isalnum() and before.isascii()) or before in "_-.")
        longer = after and ((after.isalnum() and after.isascii()) or after in "_-")
        if not joined and not longer:
            return True
        at = text.find(path, at + 1)
    return False


def places(text: str, word: str, *, after: int = AROUND) -> Iterator[str]:
    """The text around each place of a word, up to a bound."""
    at = text.find(word)
    for _ in range(_PLACES):
        if at < 0:
            return
        yield text[max(at - AROUND, 0) : at + len(word) + after]
        at = text.find(word, at + len(word))


def units(text: str) -> frozenset[str]:
    """The words of a sentence: Latin ones, and pairs of Han characters."""
    found = _UNITS.findall(text.lower())
    pairs = {a + b for a, b in pairwise(found) if a >= "\u3400" and b >= "\u3400"}
    return frozenset(word for word in found if word < "\u3400") | pairs


def alike(wanted: frozenset[str], text: str, share: float) -> Iterator[str]:
    """Sentences of a text that have this share of the words; found by the words that are longest."""
    fewest = int((1 - share) * len(wanted)) + 1
    for word in sorted(wanted, key=lambda word: (-len(word), word))[:fewest]:
        for place in places(text, word):
            if sum(each in place for each in wanted) < share * len(wanted):
                continue
            yield from (line for line in sentences(place) if len(wanted & units(line)) >= share * len(wanted))
