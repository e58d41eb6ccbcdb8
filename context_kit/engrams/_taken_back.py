"""Stale words: an instruction is superseded only by a later one that says so.

What was taken back may stand in the window as the person's words, but never unmarked. A mark on
a rule that still holds is worse than none, so a prohibition is lifted only by words that name
the forbidden deed itself, or the rule as a rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from context_kit.engrams._constraints import corrects, overrides, revises
from context_kit.engrams._sentences import sentences
from context_kit.engrams._trail import Said

__all__ = ["taken_back"]

FORBIDDEN = re.compile(
    r"(?:\bnever|\bnot|n['’]t)\s+(?:ever\s+)?([a-z]+)|(?:不要|不得|不许|禁止|切勿|别)再?([\u4e00-\u9fff]{2})",
    re.IGNORECASE,
)
"""The deed that a sentence forbids."""
ALIKE = (
    frozenset({"touch", "edit", "change", "modify", "alter", "rewrite"}),
    frozenset({"use", "go", "switch", "prefer"}),
    frozenset({"修改", "改动", "更改", "编辑"}),
)
"""Words for one deed."""
AS_A_RULE = re.compile(
    r"\b(?:rule|said|told|constraint|instruction|requirement|restriction|limit|changed (?:my|our) mind)\b|"
    r"规定|要求|限制|说过",
    re.IGNORECASE,
)
"""A sentence that speaks of an earlier one as such."""


def taken_back(sentence: str, position: int, newer: Sequence[Said]) -> int:
    """Position of the later text that plainly takes a sentence back; 0 where none does."""
    for said in newer:
        if said.position > position and any(
            (overrides(line, sentence) or corrects(line, sentence)) and _lifts(line, sentence)
            for line in _revising(said.text)
        ):
            return said.position
    return 0


@lru_cache(maxsize=1024)
def _revising(text: str) -> tuple[str, ...]:
    """The sentences of a text that say that something no longer counts."""
    return tuple(line for line in sentences(text) if revises(line))


def _lifts(line: str, rule: str) -> bool:
    """Whether a sentence may take this one back: of a prohibition it must name the deed."""
    deeds = [(word or pair).lower() for word, pair in FORBIDDEN.findall(rule)]
    if not deeds or AS_A_RULE.search(line):
        return True
    names = {name for deed in deeds for name in next((group for group in ALIKE if deed in group), (deed,))}
    said = {_plain(word) for word in re.findall(r"[a-z]+", line.lower())}
    return any(_plain(name) in said if name.isascii() else name in line for name in names)


def _plain(word: str) -> str:
    """An English verb without its ending."""
    stem = re.sub(r"(?:ing|ed|es|s|e)$", "", word)
    return stem if len(stem) > 2 else word
