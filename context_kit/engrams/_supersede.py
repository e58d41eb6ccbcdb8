"""Stale words: a sentence is superseded only by a later one that says so, or gives the same subject another value.

What was taken back may stand in the window as the person's words, but never unmarked. A mark on
a rule that still holds is worse than none, so a prohibition is lifted only by words that name
the forbidden deed itself, or the rule as a rule; and a value only by words about the same subject.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from context_kit._lazily import regex
from context_kit.engrams._change_cues import CHANGED, DEED, OPEN, PLAINLY
from context_kit.engrams._claims import Claim, Reading, shape
from context_kit.engrams._claims_english import read_english
from context_kit.engrams._constraints import corrects, is_prose, overrides, revises
from context_kit.engrams._rule_acts import Rules
from context_kit.engrams._rule_cues import LEAVES
from context_kit.engrams._rules import ended, rules_of, settled

__all__ = ["Line", "ends", "lifted", "read", "supersedes"]

FORBIDDEN = regex(
    r"(?:\bnever|\bnot|n['’]t)\s+(?:ever\s+)?([a-z]+)|(?:不要|不得|不许|禁止|切勿|别)再?([\u4e00-\u9fff]{2})",
    re.IGNORECASE,
)
"""The deed that a sentence forbids."""
_RULE = regex(
    r"(?:\bnever|\b(?:do|must|should|may|shall|can)\s?not|(?:do|must|should|can|may)n['’]t)\s|"
    r"不要(?!再?用?[ \t]*[A-Za-z0-9`])|不得|不许|禁止|切勿|请勿|严禁|别(?!管|再?用?[ \t]*[A-Za-z0-9`])",
    re.IGNORECASE,
)
"""A sentence that forbids; "X, not Y" only sets one value against another."""
ALIKE = (
    frozenset({"touch", "edit", "change", "modify", "alter", "rewrite"}),
    frozenset({"use", "go", "switch", "prefer"}),
    frozenset({"修改", "改动", "更改", "编辑"}),
)
"""Words for one deed."""
AS_A_RULE = regex(
    r"\b(?:rule|said|told|constraint|instruction|requirement|restriction|limit|changed (?:my|our) mind)\b|"
    r"规定|要求|限制|说过",
    re.IGNORECASE,
)
"""A sentence that speaks of an earlier one as such."""
_USE = (
    r"\b(?:use|take|go (?:back )?(?:with|for|to)|prefer|pick|make (?:it|that|this)|switch (?:back )?to)\b|"
    r"用|换成?|改成?"
)
_ASKS = regex(_USE, re.IGNORECASE)
"""A sentence that asks for something to be used."""
_ASKS_ONLY = regex(
    rf"(?:{_USE})\s*(?:[\w-]+|[\u4e00-\u9fff]{{1,6}}?)(?:\s+(?:instead|then|please|after all)|吧|好了|就好)?\W*$",
    re.IGNORECASE,
)
"""A sentence that names nothing but what is to be used."""
_TELLING = 4
"""Characters of a value that is told apart from others by itself."""
SHORT = 100
"""Characters up to which a line is no data, however many of them are digits."""
LONGEST = 500
"""Characters of a sentence that states a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence, and what it says."""

    text: str
    reading: Reading
    rules: Rules
    revises: bool
    """It says that something no longer counts."""
    open: bool
    """It settles nothing, or forbids the change that it names."""
    claim: Claim | None
    """The value that it gives; a prohibition gives none."""


@lru_cache(maxsize=8192)
def read(sentence: str, /) -> Line:
    """What a sentence says: its subject, its values, and whether it takes something back."""
    plain = len(sentence) <= SHORT or (len(sentence) <= LONGEST and is_prose(sentence))
    reading, rules = (_reading(sentence), rules_of(sentence)) if plain else (Reading(), Rules())
    forbids = _RULE.search(sentence) or (rules.forbidden and LEAVES.search(sentence) is None)
    return Line(
        text=sentence,
        reading=reading,
        rules=rules,
        revises=revises(sentence),
        open=OPEN.search(sentence) is not None or DEED.search(sentence) is not None,
        claim=None if forbids else reading.claim,
    )


_HAN = regex(r"[\u4e00-\u9fff]")


def _reading(sentence: str) -> Reading:
    if sentence.isascii() or not _HAN.search(sentence):
        return read_english(sentence)
    from context_kit.engrams._claims_chinese import read_chinese

    return read_chinese(sentence)


def supersedes(newer: Line, older: Line, /, *, next_to: bool = False) -> bool:
    """Whether a later sentence makes an earlier one stale.

    Args:
        newer: the later sentence.
        older: the earlier one.
        next_to: the later one answers the earlier one: nothing else that has a value was said between them.
    """
    if newer.text.strip() == older.text.strip():
        return False
    if ends(newer, older):
        return True
    claim = older.claim
    if older.rules.forbidden and claim is None and not newer.rules.ends:
        return bool(older.rules.beside) and supersedes(newer, read(older.rules.beside), next_to=next_to)
    if settled(newer.rules, older.rules, claimed=claim is not None):
        return False
    if claim is not None:
        if claim.values & newer.reading.new or (not claim.hard and claim.values <= newer.reading.words):
            return False
        if not newer.open and _revalues(newer, older, claim, next_to=next_to):
            return True
        if claim.topic and (newer.reading.names or newer.claim is not None):
            return False
    if not newer.revises or (newer.open if claim is not None else OPEN.search(newer.text) is not None):
        return False
    return (overrides(newer.text, older.text) or corrects(newer.text, older.text)) and lifted(newer.text, older.text)


def ends(newer: Line, older: Line, /) -> bool:
    """Whether a later sentence ends the rule that an earlier one sets, or replaces the name that it gives."""
    return newer.text != older.text and OPEN.search(newer.text) is None and ended(newer.rules, older.rules)


def _revalues(newer: Line, older: Line, claim: Claim, *, next_to: bool) -> bool:
    """Whether a later sentence gives the subject of a claim another value."""
    said = newer.reading
    named = bool(claim.values & said.old)
    if not claim.topic or claim.topic not in said.topics:
        if not said.bare or not CHANGED.search(newer.text):
            return False
        if named and claim.hard and any(len(value) >= _TELLING and shape(value) != "name" for value in claim.values):
            return True
        return next_to and (named or _alike(claim, said.new) or (not claim.hard and _asked(newer, older)))
    if named and (said.new or said.words or PLAINLY.search(newer.text)):
        return True
    other = newer.claim
    same = other is not None and other.topic == claim.topic and other.alone and claim.alone
    if claim.hard and said.words and not said.new and all(shape(value) == "name" for value in claim.values):
        return PLAINLY.search(newer.text) is not None
    if claim.hard:
        return _alike(claim, said.new) and (same or CHANGED.search(newer.text) is not None)
    return bool(said.words or said.new) and PLAINLY.search(newer.text) is not None


def _alike(claim: Claim, values: frozenset[str]) -> bool:
    """Whether some new value is of the same kind as one of the claim's."""
    return bool({shape(value) for value in claim.values} & {shape(value) for value in values}) and claim.hard


def _asked(newer: Line, older: Line) -> bool:
    """Whether a bare answer asks for another thing in the place of the one that was asked for."""
    if not newer.reading.words or not PLAINLY.search(newer.text):
        return False
    return _ASKS_ONLY.search(newer.text) is not None and _ASKS.search(older.text) is not None


def lifted(line: str, rule: str, /) -> bool:
    """Whether a sentence may take this one back: of a prohibition it must name the deed."""
    deeds = [(word or pair).lower() for word, pair in FORBIDDEN.findall(rule)]
    if not deeds or AS_A_RULE.search(line):
        return True
    names = {name for deed in deeds for name in next((group for group in ALIKE if deed in group), (deed,))}
    said = {_plain(word) for word in re.findall(r"[a-z]+", line.lower())}
    return any(_plain(name) in said if name.isascii() else name in line for name in names)


def _plain(word: str) -> str:
    """An English verb without its ending."""
    found = re.sub(r"(?:ing|ed|es|s|e)$", "", word)
    return found if len(found) > 2 else word
