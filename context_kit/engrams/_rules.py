"""Rules and their end: what is forbidden is lifted only by who allows or asks for that very thing.

A thing on the rejected side ("B instead of A", 不用 A 了) confirms the rule against it. What is allowed in
part, under a condition, or of another kind leaves the rule as it is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from context_kit.engrams._rule_acts import Act, Rules
from context_kit.engrams._rules_english import rules_english
from context_kit.engrams._sentences import has_han
from context_kit.engrams._withdrawn import english_withdrawal, plain_words, withdraws

__all__ = ["ended", "rules_of", "settled"]

_LONGEST = 500
"""Characters of a sentence that rules something."""
_HAVING = frozenset(["use", "add", "使用", "新增"])
"""Deeds that are meant where only a thing is named."""
_REACHING = frozenset(["use", "access"])
"""Deeds that are one where they are told of one thing: the network."""
_MORE = frozenset(["new", "more", "extra", "additional", "further", "other"])
"""Words that tell a thing from what is there already."""
_LIBRARIES = ("library", "lib", "package", "module", "framework", "库", "依赖库", "模块", "软件包", "框架")
_WITH_THING = frozenset(["", "use", "be", "have", "do", "make", "need", "使用"])
"""Deeds that are none without their thing: it was not understood."""
_AWAY = frozenset(["delete", "删除"])
"""Deeds after which a thing is no more."""
_GIVEN_UP = frozenset(["support", "keep", "use", "have", "maintain", "offer", "need", "require", "target", "touch"])
"""Required deeds whose thing is given up by a plain "drop"."""


@lru_cache(maxsize=8192)
def rules_of(sentence: str, /) -> Rules:
    """What a sentence rules, English or Chinese."""
    if len(sentence) > _LONGEST:
        return Rules()
    if not has_han(sentence):
        rules = rules_english(sentence)
        gone = english_withdrawal(sentence)
        if not (rules.forbidden or gone.offered() or gone.uses or gone.asks is not None):
            return rules
        words = (word for act in rules.forbidden for word in (act.deed, *act.what, *act.where))
        return replace(rules, gone=gone, about=plain_words(" ".join(words)))
    from context_kit.engrams._rules_chinese import rules_chinese
    from context_kit.engrams._withdrawn_chinese import chinese_withdrawal

    rules = rules_chinese(sentence)
    deeds = frozenset(act.deed for act in rules.forbidden)
    return replace(rules, gone=chinese_withdrawal(sentence), about=deeds, chinese=True)


def ended(newer: Rules, older: Rules, /) -> bool:
    """Whether a later sentence lifts all that an earlier one forbids, or drops what it requires."""
    if withdraws(newer, older) or (newer.chinese and older.chinese and _withdraws_chinese(newer, older)):
        return True
    if older.forbidden:
        return all(any(_lifts(given, act) for given in newer.allowed) for act in older.forbidden)
    if older.names & newer.renamed:
        return True
    if older.only:
        return any(_widens(given, act) for given in newer.allowed for act in older.only)
    return bool(older.required) and all(any(_drops(gone, act) for gone in newer.dropped) for act in older.required)


def _withdraws_chinese(newer: Rules, older: Rules) -> bool:
    from context_kit.engrams._rules_chinese import DEEDS
    from context_kit.engrams._withdrawn_chinese import withdraws_chinese

    return withdraws_chinese(newer.gone, older.gone, older.forbidden, DEEDS)


def settled(newer: Rules, older: Rules, /, *, claimed: bool) -> bool:
    """Whether a later sentence that doesn't end a rule speaks of another one, so that no other word of it may."""
    if (older.required and newer.dropped) or (older.names and newer.renamed):
        return True
    if older.gone.asks is not None and newer.gone.unasked is not None:
        return True
    return not claimed and any(given.deed == act.deed for given in newer.allowed for act in older.only)


def _lifts(given: Act, act: Act) -> bool:
    """Whether what is allowed is what is forbidden, whole."""
    if act.bound or (_one_of_them(given) and not _one_of_them(act) and not given.lasting):
        return False
    if not act.what:
        return _lifts_deed(given, act)
    if not _same_deed(given, act) or not _covers(given, act):
        return False
    if given.where and act.where:
        return act.where <= given.where or given.where <= act.where
    return given.sure or given.where == act.where


def _one_of_them(act: Act) -> bool:
    """Whether one known thing is meant, as in a single task, and not its kind."""
    return act.single or (act.definite and not act.sure)


def _lifts_deed(given: Act, act: Act) -> bool:
    """The same where nothing but the deed is forbidden, or the deed at some place."""
    if given.deed != act.deed or act.deed in _WITH_THING:
        return False
    if act.where and given.granted and given.what and not given.where:  # "anything in tests/", and "the tests"
        return plain_words(" ".join(given.what)) == plain_words(" ".join(act.where))
    if act.where and not act.where <= given.where:
        return False
    if act.where:
        return True
    return given.sure and (given.lasting or not (given.what or given.where))


def _same_deed(given: Act, act: Act) -> bool:
    if not act.deed:
        return given.deed not in _AWAY
    if given.deed in _REACHING and act.deed in _REACHING:
        return True
    return given.deed == act.deed or (not given.deed and given.granted and act.deed in _HAVING)


def _covers(given: Act, act: Act) -> bool:
    """Whether the thing that is allowed is the forbidden one, or a wider one that holds it."""
    if not given.what or given.what[-1] != act.what[-1]:
        return False
    named, what = set(given.what), set(act.what)
    return named - _MORE == what - _MORE or (named < what and given.granted and not given.definite)


def _widens(given: Act, act: Act) -> bool:
    """Whether something beside the only allowed thing is allowed for the same deed."""
    if not given.granted or not given.lasting or given.deed != act.deed or not (given.what or given.where):
        return False
    if given.deed in _HAVING and (given.definite or act.kind not in _LIBRARIES or given.kind not in ("", *_LIBRARIES)):
        return False
    if given.deed in _HAVING and (given.where or act.where or not (given.kind or given.what[-1].isascii())):
        return False
    return not any(word.startswith(part) for word in (*given.what, *given.where) for part in (act.where or act.what))


def _drops(gone: Act, act: Act) -> bool:
    """Whether what is dropped is what is required."""
    if gone.where and not gone.where <= act.where:
        return False
    if gone.deed not in (act.deed, "*") or (gone.deed == "*" and not gone.sure and act.deed not in _GIVEN_UP):
        return False
    named = bool(act.what) or (bool(act.where) and gone.where == act.where)
    said, what = set(gone.what), set(act.what)
    return named and (said == what or (said < what and any(word[:1].isdigit() for word in said)))
