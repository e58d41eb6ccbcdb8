"""Whether an answer commits itself: to one candidate, which it doesn't deny.

"17340 or 4170" is no answer, and neither is a list of what it could be, nor "not 17340 but 4170". What else an answer
tells beside the right thing ("17340, from jobs/settings.py") is no rival of it: rivals stand next to it, of its sort.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from context_kit._lazily import regex
from context_kit.probes._alike import Sort
from context_kit.probes._denied import bounded
from context_kit.probes._heard import HAN, cleaned, run_of, tokens
from context_kit.probes._same_text import STOP

__all__ = ["hedged", "lists"]

MARK = r"[\s`\"'(),;/|]*"
JOINER = r"(?:\b(?:or|and|either|nor|vs|versus|maybe|perhaps|possibly|else|alternatively)\b|或者?|还是|和|与|[,;/|]|\s)"
JOINED = regex(rf"(?:{MARK}{JOINER}{MARK})+", re.IGNORECASE)
"""What joins the members of a list or of an alternative."""
RANGE = regex(r"\s*(?:-|\.\.|to|and|至|到|~)\s*", re.IGNORECASE)
"""What stands between the two ends of a range."""
EITHER = regex(
    r"\beither\b(?! way| case)|\bone of\b|\bbetween\b.{0,60}\band\b|"
    r"\b(?:could|might|may) also be\b|要么|二者之一|其中之一|也可能是",
    re.IGNORECASE,
)
QUOTED = r"(?:`([^`\n]+)`|\"([^\"\n]+)\")"
OPTIONS = regex(rf"{QUOTED}\s*,?\s*(?:\bor\b|或者?|还是)\s*(?:maybe |perhaps )?{QUOTED}", re.IGNORECASE)
"""Two quotes to choose from."""
ITEM = re.compile(r"[\s`\"']*([^\s`\"',;/|()]+)[\s`\"'.]*\Z")
LISTED = 3
"""Single words from which on an answer is a list of them."""
OR = regex(r"\s*(?:\bor\b(?! (?:so|more|less|not)\b)|或者?(?!多)|还是)\s*", re.IGNORECASE)
BREAK = regex(r"[\n;|、]|,\s|\.\s")
SPAN = regex(r"`([^`\n]+)`|\"([^\"\n]+)\"|^\s*(\S[^\n]*)$", re.MULTILINE)
WORD = rf"(?<![^\W{HAN}]){{}}(?![^\W{HAN}])"
"""A word by itself; Chinese ones stand beside it without a space."""
SUBJECT = regex(r"[`\"']?(?:\(\))?\s+(?!or\b|and\b)[a-z]+")
BRIEF = 8
"""Words up to which a piece without any that join a sentence is no prose: a name, a command."""


def hedged(text: str, answers: Sequence[str], others: Iterable[str], sort: Sort) -> bool:
    """Whether a right answer is one of several candidates.

    Args:
        text: the cleaned answer.
        answers: the right ones.
        others: names of the same sort that it has and that are none of them.
        sort: of the right answer.
    """
    right = [cleaned(answer) for answer in answers]
    if _quoted(text, right) or (sort == "text" and _alternatives(text, right)):
        return True
    if sort == "text":
        return False
    if EITHER.search(text) and not any(EITHER.search(answer) for answer in right):
        return True
    if sort == "name" and _listed(text, right):
        return True
    spans = [found.span() for answer in right if answer for found in re.finditer(re.escape(answer), text)]
    rivals = [found.span() for other in others for found in re.finditer(WORD.format(re.escape(other)), text)]
    rivals = [rival for rival in rivals if not bounded(text, rival[0]) and not _subject(text, rival)]
    return any(_joined(text, span, rival, sort) for span in spans for rival in rivals)


def _subject(text: str, rival: tuple[int, int]) -> bool:
    """Whether a sentence of its own begins with it: "X; Y calls it"."""
    return SUBJECT.match(text, rival[1]) is not None and text[: rival[0]].rstrip(" `\"'").endswith(";")


def _quoted(text: str, right: Sequence[str]) -> bool:
    """Whether a right answer in quotes is one of two to choose from."""
    wanted = {tokens(answer) for answer in right}
    pairs = [[tokens(item) in wanted for item in found.groups() if item] for found in OPTIONS.finditer(text)]
    return any(any(pair) and not all(pair) for pair in pairs)


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


def _alternatives(text: str, right: Sequence[str]) -> bool:
    """Whether a right text stands on one side of an "or", and another one on the other side."""
    if any(OR.search(answer) for answer in right):
        return False
    sides = OR.split(text)
    for one, other in pairwise(sides):
        near = (one, BREAK.split(other)[0]), (other, BREAK.split(one)[-1])
        if any(_brief(rival) and any(run_of(answer, side) for answer in right) for side, rival in near):
            return True
    return False


def _brief(piece: str) -> bool:
    words = tokens(piece)
    return 0 < len(words) <= BRIEF and not STOP & set(words)


def lists(text: str) -> set[str]:
    """The texts that an answer may be a list of: what it quotes, its lines, its short pieces that are no prose."""
    quoted = {" ".join(next(filter(None, found)).split()) for found in SPAN.findall(text)}
    return quoted | {piece.strip() for piece in BREAK.split(text) if _brief(piece)}
