"""Whether an answer commits itself: to one candidate, which it doesn't deny.

"17340 or 4170" is no answer, and neither is a list of what it could be, nor "not 17340 but 4170". What else an answer
tells beside the right thing ("17340, from jobs/settings.py") is no rival of it: rivals stand next to it, of its sort.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from context_kit._lazily import regex
from context_kit.probes._alike import UNITS, Sort
from context_kit.probes._heard import cleaned, tokens

__all__ = ["affirmed", "counted_otherwise", "hedged"]

MARK = r"[\s`\"'(),;/|]*"
JOINER = r"(?:\b(?:or|and|either|nor|maybe|perhaps|possibly|else|alternatively)\b|或者?|还是|和|与|[,;/|]|\s)"
JOINED = regex(rf"(?:{MARK}{JOINER}{MARK})+", re.IGNORECASE)
"""What joins the members of a list or of an alternative."""
RANGE = regex(r"\s*(?:-|\.\.|to|and|至|到|~)\s*", re.IGNORECASE)
"""What stands between the two ends of a range."""
EITHER = regex(r"\beither\b(?! way| case)|\bone of\b|\bbetween\b.{0,60}\band\b|要么|二者之一|其中之一", re.IGNORECASE)
DENIED = (
    r"(?:\b(?:not|isn['’]?t|wasn['’]?t|aren['’]?t|rather than|instead of|anything but|other than|unlike)|"
    r"不是|并非|而非|没有说)\s*(?:the |a |it is |it was )?[`\"'“]*"
)
BOUND = (
    r"(?:\b(?:more|less|fewer|greater|higher|lower|other) than|\bup to|\bat (?:least|most)|[<>]=?|"
    r"超过|少于|多于|不到)\s*"
)
SCALE = regex(r"\s?(?:k\b|million\b|thousand\b|billion\b|bn\b|e\d+\b|[万亿千])", re.IGNORECASE)
UNIT = regex(r"\s*(%|[a-zA-Zμ秒毫微分小天百千兆]+)")
OPTIONS = regex(r"[`\"]\s*,?\s*(?:\bor\b|或者?|还是)\s*(?:maybe |perhaps )?[`\"]", re.IGNORECASE)
ITEM = re.compile(r"[\s`\"']*([^\s`\"',;/|()]+)[\s`\"'.]*\Z")
LISTED = 3
"""Single words from which on an answer is a list of them."""


def affirmed(text: str, answers: Iterable[str], sort: Sort) -> str:
    """A cleaned answer without the right answers that it denies: "not X", "rather than X", "more than X"."""
    before = f"(?:{DENIED}|{BOUND})" if sort == "number" else DENIED
    for answer in dict.fromkeys(map(cleaned, answers)):
        if len(answer) > 1 and answer in text:
            text = re.sub(rf"{before}{re.escape(answer)}(?!\w)", " ", text, flags=re.IGNORECASE)
    return text


def hedged(text: str, answers: Sequence[str], others: Iterable[str], sort: Sort) -> bool:
    """Whether a right answer is one of several candidates.

    Args:
        text: the cleaned answer.
        answers: the right ones.
        others: names of the same sort that it has and that are none of them.
        sort: of the right answer.
    """
    right = [cleaned(answer) for answer in answers]
    if sort == "text":
        return OPTIONS.search(text) is not None and not any(OPTIONS.search(answer) for answer in right)
    if EITHER.search(text) and not any(EITHER.search(answer) for answer in right):
        return True
    if sort == "name" and _listed(text, right):
        return True
    spans = [found.span() for answer in right if answer for found in re.finditer(re.escape(answer), text)]
    rivals = [found.span() for other in others for found in re.finditer(rf"(?<!\w){re.escape(other)}(?!\w)", text)]
    return any(_joined(text, span, rival, sort) for span in spans for rival in rivals)


def _joined(text: str, one: tuple[int, int], other: tuple[int, int], sort: Sort) -> bool:
    first, second = sorted((one, other))
    between = text[first[1] : second[0]]
    if first[1] > second[0]:
        return False
    return JOINED.fullmatch(between) is not None or (sort == "number" and RANGE.fullmatch(between) is not None)


def _listed(text: str, right: Sequence[str]) -> bool:
    """Whether an answer is a list of single words, one of them right; two of them where "or" joins them."""
    parts = re.split(r"[,;/|、]|\b(?:or|and)\b|或者?|还是", text)
    items = [found[1] for part in parts if (found := ITEM.match(part))]
    wanted = {tokens(answer) for answer in right}
    strange = [item for item in items if tokens(item) not in wanted]
    least = LISTED - 1 if re.search(r"\bor\b|或|还是", text) else LISTED
    return len(items) == len(parts) >= least and len(strange) == len(items) - 1


def counted_otherwise(text: str, answer: str, question: str) -> bool:
    """Whether a bare number is told in a unit or a scale that neither it nor its question has."""
    bare = cleaned(answer).strip()
    if not re.fullmatch(r"[-+]?[\d.,_]+", bare):
        return False
    figures = r"[,_]?".join(map(re.escape, bare.replace(",", "").replace("_", "")))
    asked = {token for word in tokens(cleaned(question)) for token in (word, *word.split("_"))}
    known = {UNITS[word] for word in asked if word in UNITS}
    told = [text[found.end() :] for found in re.finditer(rf"(?<![\w.]){figures}(?!\d)", text)]
    return bool(told) and all(_otherwise(rest, known) for rest in told)


def _otherwise(rest: str, known: set[str]) -> bool:
    if SCALE.match(rest):
        return True
    found = UNIT.match(rest)
    unit = UNITS.get(found[1].lower(), "") if found else ""
    return bool(unit) and unit not in known
