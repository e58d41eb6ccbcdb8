"""Whether a text names a thing: an identifier, a version, a date, a hash, each as it is usually written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from context_kit._lazily import regex
from context_kit.probes._heard import HAN

__all__ = ["same_name"]

HEX = regex(r"(?:0x)?(?=[a-f0-9-]*\d)[a-f0-9]{6,}(?:-[a-f0-9]{4,})*", re.IGNORECASE)
VERSION = regex(r"v?\d+(?:\.\d+){1,4}(?:[-+.]?(?:rc|a|b|alpha|beta|dev|post)[\w.]*)?", re.IGNORECASE)
DATE = regex(r"(?<!\d)(\d{4})(?:[-/.](\d{1,2})[-/.](\d{1,2})|\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日?)(?!\d)")
BEFORE, BEHIND = rf"(?<![^\W{HAN}])(?<!-)(?<!\d\.)(?<!\w[/\\])", rf"(?![^\W{HAN}]|-|[./\\]\w)"
"""What makes another name of one: `parse_config.py`, `src/parse_config`."""
MONTHS: Sequence[str] = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WORDED_DATE = regex(
    rf"\b(?:({'|'.join(MONTHS)})[a-z]*\.?\s+(\d{{1,2}})|(\d{{1,2}})(?:st|nd|rd|th)?\s+({'|'.join(MONTHS)})[a-z]*\.?),?"
    r"\s+(\d{4})\b",
    re.IGNORECASE,
)
JOINED = regex(r"(?:[^\w\n]|\b(?:of|in|on|from|the|its|class|method|function|field|s)\b|方法|类|的|中|里)*")
"""What stands between a class and its member."""


def same_name(expected: str, said: str) -> bool:
    """Whether a text has this name; a class and its member also apart from each other."""
    bare = expected.strip("`\"'").removesuffix("()")
    if (dates := set(_dates(bare))) and (DATE.fullmatch(bare) or WORDED_DATE.fullmatch(bare)):
        return bool(dates & set(_dates(said)))
    if VERSION.fullmatch(bare):
        return _version(bare.lstrip("vV"), said)
    if HEX.fullmatch(bare):
        return _hex(bare.removeprefix("0x"), said)
    found = re.finditer(f"{BEFORE}{re.escape(bare)}{BEHIND}", said, re.IGNORECASE)
    return any(_same_case(bare, each[0], first=each.start() <= 1) for each in found) or _apart(bare, said)


def _version(bare: str, said: str) -> bool:
    before, behind = rf"(?<![^\W{HAN}vV])(?<![\d.-])[vV]?", rf"(?![^\W{HAN}]|-\w|\.\d)"
    return re.search(f"{before}{re.escape(bare)}{behind}", said) is not None


def _hex(bare: str, said: str) -> bool:
    return re.search(rf"(?<![^\W{HAN}])(?:0x)?{re.escape(bare)}(?![^\W{HAN}]|-)", said, re.IGNORECASE) is not None


def _same_case(wanted: str, said: str, *, first: bool) -> bool:
    """Whether another case is no other name: `TIMEOUT` and `timeout`, `User` and `user` are two."""
    if wanted == said:
        return True
    if wanted.isupper() != said.isupper():
        return False
    if wanted[1:] == said[1:]:
        return first or not wanted.isidentifier() or "_" in wanted
    return "_" in wanted or "-" in wanted or "." in wanted


def _apart(bare: str, said: str) -> bool:
    """Whether a member and what it belongs to stand there one after the other: "`refresh` of TokenStore"."""
    pieces = [piece for piece in re.split(r"::|[.#]", bare) if piece.isidentifier()]
    if len(pieces) != 2:
        return False
    stands = [[each.span() for each in re.finditer(rf"(?<!\w){re.escape(piece)}(?!\w)", said)] for piece in pieces]
    return any(
        JOINED.fullmatch(said[min(one[1], other[1]) : max(one[0], other[0])]) is not None
        for one in stands[0]
        for other in stands[1]
        if one != other
    )


def _dates(text: str) -> Iterator[tuple[int, int, int]]:
    for found in DATE.finditer(text):
        yield int(found[1]), int(found[2] or found[4]), int(found[3] or found[5])
    for found in WORDED_DATE.finditer(text):
        month = MONTHS.index((found[1] or found[4])[:3].lower()) + 1
        yield int(found[5]), month, int(found[2] or found[3])
