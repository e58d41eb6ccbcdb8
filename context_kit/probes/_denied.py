"""What stands around a right answer and takes it back: "not X", "rather than X", "more than X", "X is wrong"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from context_kit._lazily import regex
from context_kit.probes._heard import HAN, cleaned

__all__ = ["affirmed", "bounded"]

_BEFORE = (
    r"(?:\b(?:not|never|isn['’]?t|wasn['’]?t|aren['’]?t|rather than|instead of|anything but|other than|"
    r"different from|"
    r"unlike|except(?: for)?)|不是|并非|而非|没有说|不等于|除了)\s*(?:the |a |it is |it was |exactly |quite )?[`\"'“]*"
)
_BEGIN, _END = rf"(?<![^\W{HAN}])", rf"(?![^\W{HAN}])"
_AFTER = (
    r"[`\"'”]*\s*(?:(?:is|was)\s+(?:wrong|incorrect|false|not (?:it|right|correct|the (?:answer|one)))\b|"
    r"(?:isn['’]?t|wasn['’]?t) (?:it|right|correct|the (?:answer|one))\b|(?:是错的|不对|不正确|并不是))"
)
_BOUND = (
    r"(?:\b(?:more|less|fewer|greater|higher|lower|other|bigger|smaller) than|\b(?:up to|under|over|above|below|almost|"
    r"nearly|beyond)|\bat (?:least|most)|[<>]=?|超过|少于|多于|大于|小于|不到|至少|至多|最多|最少)\s*"
)
_FOLDERS = r"(?:\.?/)?"
_DENIES = regex(rf"(?:{_BEFORE}|{_BOUND})[$~≈]*\Z", re.IGNORECASE)
AROUND = 40
"""Characters in which a denial stands."""


def affirmed(text: str, answers: Iterable[str]) -> str:
    """A cleaned answer without the right answers that it takes back."""
    for answer in dict.fromkeys(map(cleaned, answers)):
        if len(answer) > 1 and answer in text:
            right = _FOLDERS + re.escape(answer)
            denied = rf"{_BEFORE}{right}{_END}|{_BEGIN}{right}{_END}{_AFTER}"
            text = re.sub(denied, " ", text, flags=re.IGNORECASE)
    return text


def bounded(text: str, start: int) -> bool:
    """Whether what begins here is denied, or only a bound of what is meant."""
    return _DENIES.search(text[max(start - AROUND, 0) : start]) is not None
