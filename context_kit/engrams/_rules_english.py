"""What an English sentence rules: each clause by the words that stand before its deed or behind its thing.

A clause that can't be told rules nothing. Linear in the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from context_kit._lazily import Cued, cue, cued, regex
from context_kit.engrams._rule_acts import Act, Rules, nominal
from context_kit.engrams._rule_cues import (
    ALIKE,
    ALLOWS,
    ASKS,
    BOUND,
    CLAUSE,
    CONDITION,
    DEFINITE,
    DROPS,
    ENDS,
    FINE,
    FORBIDS,
    FORBIDS_AFTER,
    IDLE,
    KIND,
    KINDS,
    LEAVES,
    NAMES,
    NOT_NEEDED,
    OF_RULE,
    ONLY,
    PASSIVE,
    PLACES,
    RENAMES,
    REQUIRES,
    TURNS,
    UNDONE,
    WIDE,
)

__all__ = ["named", "rules_english"]

_WORD = regex(r"[`\"']?[A-Za-z0-9_.@/-]*[A-Za-z0-9_/+#]+[`\"']?")
_LISTED = regex(r"\s+(?:and|or|nor|&)\s+", re.IGNORECASE)
_ON = regex(r"^\s+(?:up)?on\b", re.IGNORECASE)
_GONE = cued(
    cue(
        "optional longer not",
        r"\s(?:is|are)\s+(?:(?:now\s+)?optional|no longer (?:needed|required|necessary|supported|a requirement)|"
        r"not (?:needed|required|necessary)(?: any ?more| now))\b",
    ),
    flags=re.IGNORECASE,
)
"""What stands behind a thing that is required no more."""
_NO_PLURALS = frozenset(["https"])
_CONTRASTED = 2
"""Words of a thing that is set against another."""
_SUPPORT = ("support", "compatibility")
_WORDS = 6
"""Words that name a thing; more of them tell a story."""


def rules_english(sentence: str) -> Rules:
    """What an English sentence forbids, requires, allows and drops."""
    clauses = _clauses(sentence)
    turned = UNDONE.search(sentence) is not None
    bound = BOUND.search(sentence) is not None
    against = [_against(clause) if at else None for at, clause in enumerate(clauses)]
    forbidden = [[act] if act else list(_forbidden(clause)) for act, clause in zip(against, clauses, strict=True)]
    contrast = any(forbidden) and all(act is not None or not acts for act, acts in zip(against, forbidden, strict=True))
    return Rules(
        forbidden=tuple(replace(act, bound=bound) for acts in forbidden for act in acts),
        beside=", ".join(clause for clause, acts in zip(clauses, forbidden, strict=True) if not acts)
        if contrast
        else "",
        only=tuple(act for clause in clauses for act in _only(clause)),
        required=tuple(act for clause in clauses for act in _required(clause)),
        allowed=tuple(act for clause in clauses for act in _allowed(clause, turned=turned)),
        dropped=tuple(act for clause in clauses for act in _dropped(clause)),
        names=named(NAMES, sentence),
        renamed=frozenset[str]().union(*(_renamed(clause) for clause in clauses)),
        ends=OF_RULE.search(sentence) is not None,
    )


def named(cue: Cued, sentence: str) -> frozenset[str]:
    """The names that a cue finds."""
    names = {name.lower() for found in cue.finditer(sentence) for name in found.groups() if name}
    return frozenset(name for name in names if KIND.fullmatch(name) is None)


def _renamed(clause: str) -> frozenset[str]:
    """The names that a clause replaces wherever they stand."""
    found = RENAMES.search(clause)
    if found is None or CONDITION.search(clause) is not None:
        return frozenset()
    elsewhere = re.search(r"\b(?:in|of|for|inside|within)\b(?!\s+(?:all|every|the whole))", clause[found.end() :])
    return frozenset() if elsewhere else named(RENAMES, clause)


def _against(clause: str) -> Act | None:
    """The thing that a clause sets against another: "never tabs"."""
    found = FORBIDS.search(clause)
    if found is None or clause[: found.start()].strip() or not found[0].strip().lower().startswith("never"):
        return None
    rest = clause[found.end() :]
    known = _verb(rest) in ALIKE or _verb(rest) in _BARE
    return None if known or len(rest.split()) > _CONTRASTED else replace(_thing(rest), deed="use")


def _clauses(sentence: str) -> list[str]:
    parts, last = list[str](), 0
    for stop in CLAUSE.finditer(sentence):
        parts.append(sentence[last : stop.start()])
        last = stop.end() if not stop[0][0].isalpha() else stop.start()
    return [part for part in (*parts, sentence[last:]) if part.strip()]


def _forbidden(clause: str) -> Iterator[Act]:
    if (found := LEAVES.search(clause)) is not None:
        yield replace(_thing(found[1]), deed="touch")
    elif (found := FORBIDS_AFTER.search(clause)) is not None:
        yield _subject(clause[: found.start()])
    elif (found := FORBIDS.search(clause)) is not None:
        lead = found[0].lower()
        if "no more" in lead or lead.strip(" *_-") == "no" or "hands off" in lead or " of " in lead:
            yield from (replace(_thing(part), deed="") for part in _LISTED.split(clause[found.end() :]))
        elif "away" in lead or "avoid" in lead:
            yield from (_subject(part) for part in _LISTED.split(clause[found.end() :]))
        else:
            yield from _deeds(clause[found.end() :])


def _only(clause: str) -> Iterator[Act]:
    found = ONLY.search(clause)
    if found is None:
        return
    before = re.search(r"([a-z]+)\s+$", clause[: found.start()], re.IGNORECASE)
    verb = _deed(before[1]) if before else ""
    rest = clause[found.end() :]
    if found["deed"] is not None:
        yield replace(_thing(rest), deed=_deed(found["deed"]))
    elif verb in ALIKE.values():
        yield replace(_thing(rest), deed=verb)
    elif found[0].lower().lstrip().startswith("only"):
        yield _act(rest)
    else:
        yield replace(_thing(rest), deed="use")


def _required(clause: str) -> Iterator[Act]:
    found = REQUIRES.search(clause)
    if found is not None and FORBIDS.search(clause) is None:
        yield from (_supported(act) for act in _deeds(clause[found.end() :]))


def _allowed(clause: str, *, turned: bool) -> Iterator[Act]:
    found = FINE.search(clause) or PASSIVE.search(clause)
    if found is not None:
        yield from _fine(clause, found, turned=turned)
    if CONDITION.search(clause) is not None:
        return
    if (found := ALLOWS.search(clause)) is not None:
        rest = clause[found.end() :]
        acts = [_subject(rest)] if found[0].rstrip().endswith("with") else _deeds(rest)
        yield from (replace(act, granted=True, sure=True, lasting=turned) for act in acts)
    elif (found := TURNS.search(clause)) is not None:
        things = (_thing(part) for part in _LISTED.split(clause[found.end() :]))
        yield from (replace(thing, deed="use", sure=turned, lasting=turned) for thing in things)
    else:
        for found in ASKS.finditer(clause):
            rest = clause[found.end() :]
            if _first(rest) in ALIKE or _first(rest) in _BARE:
                yield from (replace(act, sure=turned, lasting=turned) for act in _deeds(rest))
                return


def _fine(clause: str, found: re.Match[str], *, turned: bool) -> Iterator[Act]:
    """The thing, or the deed, that is told to be fine."""
    if CONDITION.search(clause[: found.start()]) or CONDITION.search(clause, found.end()):
        return
    subject = nominal(_subject(clause[: found.start()]))
    if "deed" in found.groupdict():
        yield replace(subject, deed=_participle(found["deed"].lower()), granted=True, sure=True, lasting=turned)
        return
    undone = turned and UNDONE.search(clause) is None
    sure = found["sure"] is not None or undone or subject.deed != ""
    yield replace(subject, granted=sure, sure=sure, lasting=turned)


_BARE = frozenset(
    "push commit merge deploy delete rebase install touch edit use run access call publish release".split()
)
"""Deeds that are asked for by their bare word."""


def _dropped(clause: str) -> Iterator[Act]:
    found = NOT_NEEDED.search(clause)
    if found is not None:
        yield from (_supported(act) for act in _deeds(clause[found.end() :]))
        return
    gone = _GONE.search(clause)
    if gone is not None:
        yield replace(_supported(replace(_thing(clause[: gone.start()]), deed="*")), sure=True)
    elif (found := DROPS.search(clause)) is not None and CONDITION.search(clause) is None:
        yield _supported(replace(_thing(clause[found.end() :]), deed="*"))


def _supported(act: Act) -> Act:
    """The deed with its thing for "Python 3 support" and "support for Python 3"."""
    if len(act.what) > 1 and act.what[-1] in (*_SUPPORT, "requirement"):
        return replace(act, deed="support" if act.what[-1] in _SUPPORT else "*", what=act.what[:-1])
    if act.what[-1:] in (("support",), ("compatibility",), ("compatible",)) and act.where:
        return replace(act, deed="support", what=tuple(sorted(act.where)), where=frozenset())
    return act


def _deeds(text: str) -> Iterator[Act]:
    """A deed and its things: "use A or B", "push or merge"."""
    first, *others = _LISTED.split(text)
    act = _act(first)
    yield act
    for other in others:
        listed = _verb(other) in ALIKE or not act.what
        yield _act(other) if listed else replace(_thing(other), deed=act.deed)


def _subject(text: str) -> Act:
    """A thing, or a deed with its thing where the first word ends in -ing: "using A"."""
    return _act(text) if _verb(text) != _first(text) else replace(_thing(text), deed="")


def _act(text: str) -> Act:
    words = _WORD.findall(text)
    if not words:
        return Act(deed="")
    rest = text[text.index(words[0]) + len(words[0]) :]
    return replace(_thing(_ON.sub("", rest) if _verb(words[0]) in ("rely", "depend") else rest), deed=_deed(words[0]))


def _first(text: str) -> str:
    found = _WORD.search(text)
    return found[0].lower() if found else ""


def _verb(text: str) -> str:
    """The first word without the ending of a gerund."""
    word = _first(text)
    if not word.endswith("ing") or len(word) < 5:
        return word
    bare = word[:-3]
    known = [form for form in (bare, f"{bare}e", bare[:-1]) if form in ALIKE or form in _BARE]
    return known[0] if known else bare


def _participle(word: str) -> str:
    """The deed that a participle tells: "edited"."""
    known = [form for form in (word, word[:-1], word[:-2], word[:-3]) if form in ALIKE or form in _BARE]
    return _deed(known[0] if known else word.removesuffix("ed"))


def _deed(word: str) -> str:
    verb = _verb(word)
    return ALIKE.get(verb, verb)


def _thing(text: str) -> Act:
    """The name of a thing up to the word that ends it, and the words that say where."""
    names: list[str] = []
    where: set[str] = set()
    placed = definite = plural = False
    kind = ""
    for match in _WORD.finditer(text):
        told = match[0].strip("`\"'").rstrip(".")
        word = told.lower()
        if word in ENDS or len(names) > _WORDS:
            break
        if word in PLACES:
            placed = True
        elif word and word not in IDLE:
            name = word if told.isupper() or word in _NO_PLURALS else _singular(word)
            where.add(name) if placed else names.append(name)
            plural = plural if placed else name != word
        definite = definite or (word in DEFINITE and not placed)
    while len(names) > 1 and names[-1] in KINDS and names[-2] not in WIDE:
        kind = names.pop()
    single = definite and not plural
    return Act(deed="", what=tuple(names), where=frozenset(where), kind=kind, definite=definite, single=single)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word
