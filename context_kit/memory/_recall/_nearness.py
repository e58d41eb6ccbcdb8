"""How near to each other words stand in a text, and where: words of one line or one name belong together."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["nearness"]

REACH = 90
"""Characters on each side of a word that are near to it."""
TIGHT = 24
"""Characters on each side within which words make one name."""
TIGHTER = 0.3
"""What a word so near counts more than one that is only near, of 1.0."""
ANCHORS = 3
"""Words that are tried as the middle, the ones that tell most."""
PLACES = 40
"""Places of one word that are tried."""


def nearness(text: str, weights: Mapping[str, float]) -> tuple[float, int]:
    """The greatest weight of words that stand near each other, and where; a word is found inside others too."""
    low = text.lower()
    here = sorted((term for term in weights if term in low), key=lambda term: -weights[term])
    best, place = 0.0, 0
    for term in here[:ANCHORS]:
        at = low.find(term)
        for _ in range(PLACES):
            if at < 0:
                break
            wide = low[max(at - REACH, 0) : at + len(term) + REACH]
            tight = low[max(at - TIGHT, 0) : at + len(term) + TIGHT]
            told = sum(weights[each] * (1 - TIGHTER + TIGHTER * (each in tight)) for each in here if each in wide)
            if told > best:
                best, place = told, at
            at = low.find(term, at + len(term))
    return best, place
