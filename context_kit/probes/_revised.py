"""Whether later words correct what was said: a value that a person or the assistant took back is asked for no more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from context_kit.engrams import Said, Trail, sentences, taken_back
from context_kit.engrams._change_cues import PLAINLY
from context_kit.probes._telling import HAN, IDLE

__all__ = ["Revised"]

DENIED = re.compile(
    r"(?:\b(?:not|isn['’]t|wasn['’]t|no longer|instead of|rather than|in place of|replac(?:e[sd]?|ing)|drop(?:ped|s)?|"
    r"scrap|forget|(?:chang|mov|switch|renam|migrat|bump|rais|lower)(?:e|ed|ing)? (?:it |this |the [\w ]{1,30})?from|"
    r"back from|was wrong(?:ly)?)|不是|而不是|而非|并非|不再(?:用|是|使用)?|不(?:要再?)?用|别用|代替|取代|替换)"
    r"\s*(?:the |a |port |gate |to )?[\"'`“「]?\Z",
    re.IGNORECASE,
)
"""What stands before a value that is denied."""
BEHIND = re.compile(
    r"[\"'`”」]?\s*(?:(?:is|was|were)(?: just| plain| simply)? "
    r"(?:wrong|outdated|obsolete|stale|a typo|a mistake|incorrect|not (?:right|correct))|no longer|"
    r"isn['’]t (?:right|correct|valid)|(?:->|→|⇒)|(?:改|换|变)(?:成|为|到)|不对|错了|有误|作废)",
    re.IGNORECASE,
)
"""What stands behind it."""
BEFORE = 80
"""Characters before a value that are looked at."""
CUE = re.compile(r"\b(?:no[,:]|no wait|wait[,:]|correct(?:ion|ed)\b)|更正|纠正", re.IGNORECASE)
"""What a correction begins with, beside the plain words of a change."""
VALUE = re.compile(r"[\"'`“]?(?P<value>[A-Za-z0-9][\w./:@%+-]*[A-Za-z0-9%]|\d)", re.ASCII)
"""What may be a value: a name, a number, a path."""
WORD = re.compile(rf"[A-Za-z][a-z]+|[A-Z]{{2,}}|[{HAN}]{{2}}")
NEAR, SHORT = 28, 600
"""Characters beside a value in which its subject stands, and of a text whose sentences all belong to one cue."""


BARE = frozenset(
    "actually use make it that take instead no wait sorry rather please then change switch go with let pick put set "
    "correction corrected oops mean meant should".split()
)
HAN_BARE = frozenset("更正纠改用换成为是应该其实不对到了错请把它")
"""Words and signs that give a value no subject of its own."""


class _Later(NamedTuple):
    """A value in a text that corrects something."""

    position: int
    value: str
    subject: frozenset[str]
    text: str
    """The sentence, or all of a short text."""


class Revised:
    """The corrections of one session."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._said: Sequence[Said] = sorted(chain(trail.words, trail.statements), key=lambda said: said.position)
        self._spoken = {said.position for said in self._said}

    def __call__(self, line: str, answer: str, position: int) -> bool:
        """Whether later words say that a line, or the answer in it, no longer counts.

        Args:
            line: the sentence or the line, as it was said or printed.
            answer: the part of it that is asked for; as long as the line where all of it is.
            position: where it stands.
        """
        if position in self._spoken and taken_back(line, position, self._trail.newer):
            return True
        return self._denied(line, answer, position) or self._other(line, answer, position)

    def _denied(self, line: str, answer: str, position: int) -> bool:
        """Whether its own line or a later text denies an answer."""
        later = (said.text for said in self._said if said.position > position and answer in said.text)
        return any(_denies(text, answer) for text in chain([line], later))

    def _other(self, line: str, answer: str, position: int) -> bool:
        """Whether a correction gives the subject of an answer another value of its form."""
        at = line.find(answer)
        subject = _subject(line, at, at + len(answer)) if at >= 0 and VALUE.fullmatch(answer) else set[str]()
        if not subject:
            return False
        own = {found["value"] for found in VALUE.finditer(line)}
        for later in self._corrections.get(_form(answer), ()):
            if later.position <= position or later.value in own or answer in later.text:
                continue
            if subject & later.subject or (self._answers(later.position, position) and _is_bare(later.subject)):
                return True
        return False

    def _answers(self, later: int, position: int) -> bool:
        """Whether a person's text is the next one after a position."""
        return next((said.position for said in self._trail.words if said.position > position), 0) == later

    @cached_property
    def _corrections(self) -> dict[str, list[_Later]]:
        """The values of all corrections, by their form."""
        found: dict[str, list[_Later]] = {}
        words = (later for said in self._trail.words for later in _cued(said, whole=True))
        for later in chain(words, (later for said in self._trail.statements for later in _cued(said, whole=False))):
            found.setdefault(_form(later.value), []).append(later)
        return found


def _cued(said: Said, *, whole: bool) -> Iterator[_Later]:
    """The values of a short text that corrects something; of a longer one those of the sentences that do."""
    if not _corrects(said.text):
        return
    short = whole and len(said.text) <= SHORT
    for text in [said.text] if short else filter(_corrects, sentences(said.text)):
        for each in VALUE.finditer(text):
            yield _Later(said.position, each["value"], frozenset(_subject(text, *each.span("value"))), text)


def _denies(text: str, answer: str) -> bool:
    """Whether a text takes an answer back at some place where it has it."""
    at = text.find(answer)
    while at >= 0:
        end = at + len(answer)
        joined = text[end : end + 1] in ("-", "_") or text[end : end + 1].isalnum()
        if BEHIND.match(text, end) or (not joined and DENIED.search(text, max(at - BEFORE, 0), at)):
            return True
        at = text.find(answer, end)
    return False


def _corrects(text: str) -> bool:
    return CUE.search(text) is not None or PLAINLY.search(text) is not None


def _subject(text: str, start: int, end: int) -> set[str]:
    """The words beside a value that say what it is of; those before it, where there are any, up to a pause."""
    before = re.split(r"[.!?;。！？；\n]\s|[，,]", text[max(start - NEAR, 0) : start])[-1]
    found = _words(before)
    return found or _words(re.split(r"[.!?;,。！？；，\n]", text[end : end + NEAR])[0])


def _words(text: str) -> set[str]:
    words = {word.lower() for word in WORD.findall(text)} - IDLE
    han = "".join(re.findall(rf"[{HAN}]", text))
    return words | {han[at : at + 2] for at in range(len(han) - 1)}


def _is_bare(subject: frozenset[str]) -> bool:
    return all(word in BARE or HAN_BARE.issuperset(word) for word in subject)


def _form(value: str) -> str:
    """The form of a value: figures, letters, or both, and the signs between them."""
    return "".join(dict.fromkeys(re.sub(r"[A-Za-z_]+", "a", re.sub(r"\d+", "9", value))))
