"""Whether later words correct what was said: a value that a person or the assistant took back is asked for no more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from context_kit.engrams import Said, Trail, sentences, taken_back
from context_kit.engrams._change_cues import PLAINLY
from context_kit.probes._telling import HAN, IDLE

__all__ = ["Revised"]

DENIED = (
    r"(?:\b(?:not|isn['’]t|wasn['’]t|no longer|instead of|rather than|in place of|replac(?:e[sd]?|ing)|drop(?:ped|s)?|"
    r"scrap|forget|(?:chang|mov|switch|renam|migrat|bump|rais|lower)(?:e|ed|ing)? (?:it |this |the [\w ]{1,30})?from|"
    r"back from|was wrong(?:ly)?)|不是|而不是|而非|并非|不再(?:用|是|使用)?|不(?:要再?)?用|别用|代替|取代|替换)"
    r"\s*(?:the |a |port |gate |to )?[\"'`“「]?"
)
BEHIND = (
    r"[\"'`”」]?\s*(?:(?:is|was|were)(?: just| plain| simply)? (?:wrong|outdated|obsolete|stale|a typo|a mistake|incorrect|not (?:right|"
    r"correct))|no longer|isn['’]t (?:right|correct|valid)|(?:->|→|⇒)|(?:改|换|变)(?:成|为|到)|不对|错了|有误|作废)"
)
CUE = re.compile(r"\b(?:no[,:]|no wait|wait[,:]|correct(?:ion|ed)\b)|更正|纠正", re.IGNORECASE)
"""What a correction begins with, beside the plain words of a change."""
VALUE = re.compile(r"[\"'`“]?(?P<value>[A-Za-z0-9][\w./:@%+-]*[A-Za-z0-9%]|\d)", re.ASCII)
"""What may be a value: a name, a number, a path."""
WORD = re.compile(rf"[A-Za-z][a-z]+|[A-Z]{{2,}}|[{HAN}]{{2}}")
NEAR, SHORT = 28, 600
"""Characters beside a value in which its subject stands, and of a person's text whose sentences all belong to one cue."""


class _Later(NamedTuple):
    """A text, or one sentence of it, that corrects something."""

    position: int
    text: str


class Revised:
    """The corrections of one session."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._cued: list[_Later] | None = None
        self._said: Sequence[Said] = sorted(chain(trail.words, trail.statements), key=lambda said: said.position)

    def __call__(self, line: str, answer: str, position: int) -> bool:
        """Whether later words say that a line, or the answer in it, no longer counts.

        Args:
            line: the sentence or the line, as it was said or printed.
            answer: the part of it that is asked for; as long as the line where all of it is.
            position: where it stands.
        """
        if taken_back(line, position, self._trail.newer):
            return True
        return self._denied(answer, position) or self._other(line, answer, position)

    def _denied(self, answer: str, position: int) -> bool:
        later = [said for said in self._said if said.position > position and answer in said.text]
        if not later:
            return False
        value = re.escape(answer)
        told = re.compile(rf"{DENIED}{value}(?![\w-])|(?<![\w-]){value}{BEHIND}", re.IGNORECASE)
        return any(told.search(said.text) for said in later)

    def _other(self, line: str, answer: str, position: int) -> bool:
        """Whether a correction gives the subject of an answer another value of its form."""
        at = line.find(answer)
        subject = _subject(line, at, at + len(answer)) if at >= 0 and VALUE.fullmatch(answer) else set[str]()
        if not subject:
            return False
        form, own = _form(answer), {found["value"] for found in VALUE.finditer(line)}
        for later in self._corrections:
            if later.position <= position or answer in later.text:
                continue
            for found in VALUE.finditer(later.text):
                value = found["value"]
                if value not in own and _form(value) == form and subject & _subject(later.text, *found.span("value")):
                    return True
        return False

    @property
    def _corrections(self) -> list[_Later]:
        if self._cued is None:
            self._cued = [
                *(later for said in self._trail.words for later in _cued(said, whole=True)),
                *(later for said in self._trail.statements for later in _cued(said, whole=False)),
            ]
        return self._cued


def _cued(said: Said, *, whole: bool) -> Iterator[_Later]:
    """A short text that corrects something; of a longer one the sentences that do."""
    if not _corrects(said.text):
        return
    if whole and len(said.text) <= SHORT:
        yield _Later(said.position, said.text)
        return
    for sentence in sentences(said.text):
        if _corrects(sentence):
            yield _Later(said.position, sentence)


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


def _form(value: str) -> str:
    """The form of a value: figures, letters, or both, and the signs between them."""
    return "".join(dict.fromkeys(re.sub(r"[A-Za-z_]+", "a", re.sub(r"\d+", "9", value))))
