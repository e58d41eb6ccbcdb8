"""Stale words: an instruction is superseded only by a later one that says so.

What was taken back may stand in the window as the person's words, but never unmarked.
"""

from __future__ import annotations

from collections.abc import Sequence

from context_kit.engrams._constraints import corrects, overrides
from context_kit.engrams._sentences import sentences
from context_kit.engrams._trail import Said

__all__ = ["taken_back"]


def taken_back(sentence: str, position: int, newer: Sequence[Said]) -> int:
    """Position of the later text that plainly takes a sentence back; 0 where none does."""
    for said in newer:
        if said.position > position and any(
            overrides(line, sentence) or corrects(line, sentence) for line in sentences(said.text)
        ):
            return said.position
    return 0
