"""What an assistant's own text states, word for word: decisions, intents, findings, questions.

Rules over single sentences, English and Chinese. Few and sure: a sentence is taken for what it says in so many
words, never for what it may mean. Nothing is composed and nothing is clipped; the caller does that.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import Cued
from context_kit.engrams._sentences import sentences
from context_kit.summary._choice_cues import (
    BECAUSE,
    CHOICES,
    CLAUSE_END,
    COMMA,
    DECISION,
    INSTEAD,
    OPEN,
    OPENING,
    REVISED,
    WEIGHED,
)
from context_kit.summary._statement_cues import ASKING, DONE, FINDING, HEADING, INTENT, SHORTEST, TAIL

__all__ = ["decisions", "findings", "intent", "question"]

_LONGEST: Final = 2_000
"""Characters; a longer run without a full stop is data."""


def decisions(text: str, /) -> tuple[tuple[str, str], ...]:
    """Each sentence that states a choice, a rejection or a root cause, with its reason or ''.

    The reason is the clause after "because", "since", 因为 and the like in the sentence, else the next sentence
    where that opens as one.
    """
    told = sentences(text)
    found: dict[str, str] = {}
    for at, sentence in enumerate(told):
        if _decides(sentence):
            following = told[at + 1] if at + 1 < len(told) else ""
            found.setdefault(sentence, _reason(sentence) or (following if OPENING.search(following) else ""))
    return tuple(found.items())


def _decides(sentence: str) -> bool:
    """Whether a sentence settles something: a choice, or a value that is chosen, given up or revised."""
    if OPEN.search(sentence) or len(sentence) > _LONGEST:
        return False
    if _says(sentence, DECISION) or (_says(sentence, WEIGHED) and _reason(sentence)):
        return True
    for look, grounded in CHOICES:
        if look.search(sentence):
            from context_kit.engrams._supersede import read

            line = read(sentence)
            old = sentence.isascii() and (line.claim or line.reading.words or line.reading.old)
            named = line.reading.new or old or (look is REVISED and _reason(sentence))
            if named and not line.open and (not grounded or _reason(sentence) or INSTEAD.search(sentence)):
                return True
    return False


def intent(text: str, /) -> str:
    """The last sentence that says what comes next; '' where none does."""
    told = sentences(text)
    for at in range(len(told) - 1, -1, -1):
        sentence = told[at]
        if len(sentence) > _LONGEST or not INTENT.search(sentence) or DONE.search(sentence):
            continue
        if not HEADING.fullmatch(sentence):
            return sentence
        if at + 1 < len(told) and len(told[at + 1]) <= _LONGEST and not DONE.search(told[at + 1]):
            return told[at + 1]  # what the heading announces
    return ""


def findings(text: str, /) -> tuple[str, ...]:
    """The sentences that state a finding, a pitfall or a cause."""
    told = (sentence for sentence in sentences(text) if _says(sentence, FINDING) and not OPEN.search(sentence))
    return tuple(dict.fromkeys(told))


def question(text: str, /) -> bool:
    """Whether a text ends by asking the person something."""
    told = sentences(text[-4 * _LONGEST :])[-2:]
    if not told:
        return False
    if _asks(told[-1]):
        return True
    return len(told) == 2 and len(told[-1]) <= TAIL and not INTENT.search(told[-1]) and _asks(told[0])


def _says(sentence: str, look: re.Pattern[str] | Cued) -> bool:
    """Whether a sentence long enough to say something, and short enough to be one, has the cue."""
    least = SHORTEST[sentence.isascii() is False and sum("\u4e00" <= char <= "\u9fff" for char in sentence[:80]) > 4]
    return least <= len(sentence) <= _LONGEST and look.search(sentence) is not None


def _reason(sentence: str) -> str:
    """The clause that gives the reason; up to the comma where it comes first in its sentence."""
    found = BECAUSE.search(sentence)
    if found is None:
        return ""
    purpose = found[0].lower() in ("to avoid", "in order to", "so that", "以避免", "以便", "为了")
    start = found.start() if purpose else found.end()
    clause = sentence[start:]
    first = not sentence[: found.start()].strip(" \t*_-—–,.;:，：")
    end = (COMMA if first else CLAUSE_END).search(clause) if first or found[0] >= "\u4e00" else None
    return clause[: end.start() if end else len(clause)].strip(" \t\n.。!！*_`")


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \t*_`\"'”’」』)）]】😊🙂👍").endswith(("?", "？")) or ASKING.search(sentence) is not None
