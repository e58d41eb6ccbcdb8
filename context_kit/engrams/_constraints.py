"""Standing constraints in a person's text: what stays forbidden or required after the step is done.

Word for word: every constraint is a substring of the text. Rules are cues in the wording, English and Chinese;
a cue in a plain description ("it never returns", "特别") is told apart by the words beside it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from context_kit._lazily import regex
from context_kit.engrams._constraint_cues import CORRECTED, EN, NEGATED, REPLACED, TAKEN_BACK, ZH
from context_kit.engrams._sentences import has_han, sentences

__all__ = ["constraints", "corrects", "is_constraint", "is_prose", "overrides", "revises", "stem", "terms"]

_LONGEST: Final = 2_000
"""Characters; a longer run without a full stop is data that was pasted, not something a person asked for."""
_WORDY: Final = 0.55
"""Share of letters and spaces under which a line is code, a log or a drawing."""

IS_NOW: Final = regex(r"\b(?:is|are|was) now\b", re.IGNORECASE)
"""A state that is told, beside a value that stays: no correction of it."""
_TRACE: Final = regex(r"at [^\s(]+ \(|at \S+:[0-9]+|File \"|[$➜│] ?|\|--|//|/\*")
"""How a line of a stack trace, a shell session, a drawing or a code comment begins."""


def is_constraint(sentence: str, /) -> bool:
    """Whether a sentence of a person's states a constraint that stands beyond the next step."""
    if not 2 <= len(sentence) <= _LONGEST:
        return False
    chinese = has_han(sentence) and ZH.search(sentence) is not None
    if not (chinese or EN.search(sentence)):
        return False
    return is_prose(sentence)


def constraints(text: str, /) -> tuple[str, ...]:
    """The sentences and list items that set a standing constraint, each a substring of the text.

    In their order, each once. Fenced code is left out. Give it a person's words (`human`), not a whole message.
    """
    return tuple(dict.fromkeys(sentence for sentence in sentences(text) if is_constraint(sentence)))


def is_prose(sentence: str, /) -> bool:
    """Whether a line is words: code, logs, tables of boxes and stack frames are not."""
    head = sentence[:400]
    words = sum(char.isalpha() or char == " " for char in head)
    if words < _WORDY * len(head) or sentence[-1] in "{}" or '{"' in head:
        return False
    return _TRACE.match(head) is None


_TERM = regex(r"[A-Za-z_][\w./-]*|[0-9]+")
_TERM_OR_HAN = regex(r"[A-Za-z_][\w./-]*|[0-9]+|[\u4e00-\u9fff]+")
"""The same with Chinese words: only where there are some, for a range of so many signs takes long to compile."""
_IDLE_EN_WORDS = (
    "the a an and or but to of in on for with at by from is are be it its this that these those you your we our i "
    "my me do don't dont not no never always must should only please just now use using used make sure keep all "
    "any can may will so as if then than into anymore more actually let lets let's instead again about what "
    "forget ignore drop never mind need needs have has want ok okay fine allowed longer rule constraint also new "
    "up out when after before old move moved change changed switch set put replace replaced update updated they"
)
_IDLE: Final = frozenset(_IDLE_EN_WORDS.split())
_IDLE_ZH_WORDS = (
    "不要 必须 只能 禁止 不得 不用 可以 需要 一定 使用 现在 之前 算了 改成 改用 这个 那个 我们 不能 的时 请勿 务必"
)
_IDLE_ZH: Final = frozenset(_IDLE_ZH_WORDS.split())


def overrides(newer: str, older: str, /) -> bool:
    """Whether a later instruction plainly takes an older constraint back.

    It must say so ("forget ...", "you may now ...", "actually, use ...", 不用再…了, 改成) and speak of the same
    thing. A bare "never mind" names nothing and overrides nothing.
    """
    newer, older = newer[:_LONGEST], older[:_LONGEST]
    replaced = REPLACED.search(newer) is not None and NEGATED.search(newer) is None
    if not replaced and TAKEN_BACK.search(newer) is None:
        return False
    about, said = terms(older), terms(newer)
    return len(about & said) >= min(2, max(1, len(about) // 3))


def revises(sentence: str, /) -> bool:
    """Whether a sentence says that something said before no longer counts, whatever it is."""
    sentence = sentence[:_LONGEST]
    return any(cue.search(sentence) is not None for cue in (TAKEN_BACK, REPLACED, CORRECTED))


def corrects(newer: str, older: str, /) -> bool:
    """Whether a later sentence plainly replaces a fact that an older one states.

    It must say so ("correction: ...", "... is now ...", "replace A with B", 更正, 改为) and either name the
    old value or speak of the same thing with another value.
    """
    newer, older = newer[:_LONGEST], older[:_LONGEST]
    if newer == older or not (CORRECTED.search(newer) or REPLACED.search(newer)):
        return False
    was, now = _values(older), _values(newer)
    about, said = terms(older) - was, terms(newer) - now
    if was & now:
        if said and not about & said:
            return False
        return bool(now - was) or (IS_NOW.search(newer) is None and bool(terms(newer) - terms(older)))
    return bool(was) and bool(now) and bool(about) and len(about & said) >= min(2, len(about))


_VALUE = regex(r"[\w.\-/:]*\d[\w.\-/:]*|`[^`\n]{1,80}`|\"[^\"\n]{1,80}\"|[A-Za-z]\w*[_./-]\w[\w./-]*|[a-z]+[A-Z]\w+")


@lru_cache(maxsize=8192)
def _values(text: str) -> frozenset[str]:
    """What a sentence states of something: numbers, versions, paths, identifiers, quoted words."""
    return frozenset(value.strip('`".,:;') for value in _VALUE.findall(text))


@lru_cache(maxsize=8192)
def terms(text: str, /) -> frozenset[str]:
    """The words that say what a sentence is about: stems of English ones, pairs of Han characters."""
    found: set[str] = set()
    for word in (_TERM_OR_HAN if has_han(text) else _TERM).findall(text):
        if word[0] >= "\u4e00":
            found.update(pair for pair in (word[at : at + 2] for at in range(len(word) - 1)) if pair not in _IDLE_ZH)
        elif (plain := word.lower().rstrip("./-")) not in _IDLE and len(plain) > 1:
            found.add(stem(plain))
    return frozenset(found)


def stem(word: str, /) -> str:
    """An English word in lower case without its ending."""
    for ending in ("ies", "ing", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
