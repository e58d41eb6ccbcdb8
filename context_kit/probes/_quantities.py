"""The numbers of a text, each with what it counts: two are one where they mean one quantity.

`250 ms` is `0.25 s`, `17,340` is `17 340` and `17.34k`, `42%` is `0.42`; `2.3.1` and `zone-17` are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from context_kit._lazily import regex
from context_kit.probes._denied import bounded
from context_kit.probes._heard import HAN, cleaned, tokens

__all__ = ["COUNT", "counted_otherwise", "in_figures", "quantities", "same_quantity"]

FACTORS: Mapping[str, Mapping[str, tuple[int | Fraction, ...]]] = {
    "share": {"% percent per_cent pct": (Fraction(1, 100),)},
    "time": {
        "ns nanosecond nanoseconds 纳秒": (Fraction(1, 10**9),),
        "us µs \u03bcs usec microsecond microseconds 微秒": (Fraction(1, 10**6),),
        "ms msec msecs millisecond milliseconds 毫秒": (Fraction(1, 1000),),
        "s sec secs second seconds 秒 秒钟": (1,),
        "m min mins minute minutes 分钟 分": (60,),
        "h hr hrs hour hours 小时": (3_600,),
        "d day days 天": (86_400,),
    },
    "size": {
        "b byte bytes 字节": (1,),
        "k kb kilobytes 千字节": (10**3, 2**10),
        "kib": (2**10,),
        "m mb megabytes 兆 兆字节": (10**6, 2**20),
        "mib": (2**20,),
        "g gb gigabytes 吉字节": (10**9, 2**30),
        "gib": (2**30,),
        "t tb terabytes": (10**12, 2**40),
    },
    "": {
        "k thousand 千": (10**3,),
        "万 萬": (10**4,),
        "million mn mio 百万": (10**6,),
        "亿": (10**8,),
        "billion bn": (10**9,),
    },
}
"""What a word behind a number makes of it: by what is measured, in its base unit; "" is a mere scale."""
MEANT: Mapping[str, frozenset[tuple[str, Fraction]]] = {
    word: frozenset(
        (dimension, Fraction(factor))
        for dimension, units in FACTORS.items()
        for words, factors in units.items()
        if word in words.split()
        for factor in factors
    )
    for word in " ".join(words for units in FACTORS.values() for words in units).split()
}
LONGEST_HAN = 3
COUNT = regex(
    rf"(?:[-+]?(?:\d{{1,3}}(?:[,_]\d{{3}})+|\d+)(?:\.\d+)?\s*(?:%|[a-zA-Zµ\u03bc{HAN}]{{1,10}})?|"
    rf"(?:\d+\s?(?:h|m|min)\s?){{1,2}}\d+(?:\.\d+)?\s?(?:m|min|s|sec))\Z"
)
"""A text that is one number, with a word of what it counts."""
NUMBER = regex(rf"(\d+(?:\.\d+)?(?:e[-+]?\d{{1,3}}(?!\w))?)\s?(%|[a-zA-Zµ\u03bc]{{1,16}}|[{HAN}]{{1,6}})?", re.ASCII)
GROUPED = regex(r"(?<![\d.,:/-])\d{1,3}(?: \d{3})+(?![\d]|[.,]\d)")
DOTTED = regex(r"(?<![\d.,])\d{1,3}(?:(?:\.\d{3}){2,}(?![\d.])|(?:\.\d{3})+(?=,\d))(?:,(\d{1,2})(?!\d))?")
"""Thousands with dots, where they can be nothing else: several, or a decimal comma behind them."""
RUN_TOGETHER = regex(r"(?<!\w)(\d+(?:h|m|min))(?=\d+(?:\.\d+)?(?:m|min|s|sec)?\b)")
"""The first part of a duration without a space: `1m30s`."""
TENS: Sequence[str] = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ONES: Sequence[str] = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split()
)
WORDED = regex(rf"\b(?:({'|'.join(TENS)})(?:[- ]({'|'.join(ONES[1:10])}))?|({'|'.join(ONES)}))\b", re.IGNORECASE)
DIGITS = "零一二三四五六七八九"
PLACES = {"十": 10, "百": 100, "千": 1000}
HAN_NUMBER = regex(rf"[{DIGITS}两〇{''.join(PLACES)}]{{2,8}}|[{DIGITS}两十](?:(?![{HAN}])|(?=[万亿秒行次]))")
NEXT = regex(rf"\s?(?:%|[a-zA-Zµ\u03bc]+|[{HAN}]*)(?:\s*,?\s*(?:and\s+)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a text."""

    figure: Fraction
    """Its digits alone."""
    word: str
    """What stands behind it."""
    meant: frozenset[tuple[str, Fraction]]
    """Every reading of it: what is measured, and how much in its base unit."""

    @property
    def bare(self) -> bool:
        """Whether no unit or scale stands behind it."""
        return ("", self.figure) in self.meant and self.word.lower() not in MEANT


def same_quantity(expected: str, said: str) -> bool:
    """Whether a text has the quantity that another one is."""
    wanted = next(quantities(expected), None)
    return wanted is not None and any(_equal(wanted, found) for found in quantities(said))


def _equal(wanted: Quantity, found: Quantity) -> bool:
    if wanted.word and wanted.bare:  # "12 passed" and "12 failed" are two
        return wanted.figure == found.figure and found.bare and _noun(found.word) in ("", _noun(wanted.word))
    if wanted.meant & found.meant:
        return True
    shares = {value for kind, value in wanted.meant | found.meant if kind == "share"}
    if shares & {value for kind, value in wanted.meant | found.meant if not kind}:
        return True
    counts = found.bare and found.word.endswith("s") and len(found.word) > LONGEST_HAN
    return wanted.figure == found.figure and not counts and (wanted.bare or found.bare)


def _noun(word: str) -> str:
    return "" if word.lower() in PARTICLES else word.lower()[:4]


PARTICLES = frozenset("in on at of for to by as and or is was the with from there here total altogether".split())


def quantities(text: str) -> Iterator[Quantity]:
    """The numbers of a cleaned text that it doesn't deny; `1m 30s` is one."""
    text = in_figures(text)
    found = [each for each in NUMBER.finditer(text) if not _inside(text, each.start(1), each.end(1))]
    at = 0
    while at < len(found):
        one, begun = _read(text, found[at]), found[at].start()
        while at + 1 < len(found) and (more := _continued(text, found[at], found[at + 1], one)):
            one, at = more, at + 1
        at += 1
        if not bounded(text, begun - (text[begun - 1 : begun] in "-+")):
            yield one


def _read(text: str, found: re.Match[str]) -> Quantity:
    sign = -1 if text[found.start() - 1 : found.start()] == "-" and not _joined(text, found.start() - 1) else 1
    figure, word = sign * Fraction(found[1]), found[2] or ""
    if not word.isascii() and word[:1] not in "µ\u03bc":
        word = next((word[:size] for size in range(LONGEST_HAN, 0, -1) if word[:size] in MEANT), word[:1])
    factors = MEANT.get(word.lower(), frozenset())
    if word == "M":
        factors = frozenset((kind, factor) for kind, factor in factors if kind == "size") | {("", Fraction(10**6))}
    meant = frozenset((kind, figure * factor) for kind, factor in factors)
    return Quantity(figure, word, meant or frozenset({("", figure)}))


def _continued(text: str, first: re.Match[str], second: re.Match[str], before: Quantity) -> Quantity | None:
    """Two parts of one duration: "1 min 30 s"."""
    between = NEXT.match(text, first.end(1))
    if between is None or between.end() != second.start():
        return None
    units = [_seconds(_read(text, each)) for each in (first, second)]
    if not all(units) or not units[0] > units[1]:
        return None
    values = {value for kind, value in before.meant if kind == "time"}
    more = {value for kind, value in _read(text, second).meant if kind == "time"}
    return Quantity(before.figure, "h", frozenset(("time", one + other) for one in values for other in more))


def _seconds(quantity: Quantity) -> Fraction:
    return next((factor for kind, factor in MEANT.get(quantity.word.lower(), ()) if kind == "time"), Fraction(0))


def _joined(text: str, at: int) -> bool:
    """Whether the mark here joins what stands before it: `zone-17`, `5-17`."""
    return text[at - 1 : at].isalnum() or text[at - 1 : at] in ("_", ")", "]")


def _inside(text: str, start: int, end: int) -> bool:
    """Whether digits are a part of a name, of a version or of another number."""
    before, after = text[start - 1 : start], text[end : end + 2]
    joined = (before.isalnum() and before.isascii()) or before in ("_", ".")
    if before == "-" and text[start - 2 : start - 1].isalpha() and text[start - 2 : start - 1].isascii():
        return True
    return bool(before and joined) or after[:1] == "_" or (after[:1] == "." and after[1:].isdigit())


def in_figures(text: str) -> str:
    """A text with its numbers in figures: no separators, no number words."""
    text = RUN_TOGETHER.sub(r"\1 ", re.sub(r"(?<=\d)[,_](?=\d{3}(?!\d))", "", text))
    text = DOTTED.sub(lambda m: m[0].partition(",")[0].replace(".", "") + (f".{m[1]}" if m[1] else ""), text)
    text = GROUPED.sub(lambda m: m[0].replace(" ", ""), text)
    text = WORDED.sub(_english, HAN_NUMBER.sub(_chinese, text))
    text = re.sub(r"百分之\s*(\d+(?:\.\d+)?)", r"\1%", text)
    text = re.sub(r"(?<![\w.])\.(?=\d)", "0.", text)
    return re.sub(r"\b[Ll](?=\d)|(?:\b(?:minus|negative)\s+|负\s?)(?=\d)", lambda m: "" if m[0] in "Ll" else "-", text)


def _english(found: re.Match[str]) -> str:
    tens = 10 * (TENS.index(found[1].lower()) + 2) if found[1] else 0
    ones = found[2] or found[3]
    return str(tens + (ONES.index(ones.lower()) if ones else 0))


def _chinese(found: re.Match[str]) -> str:
    """`二十五`; a row of digits without places, as `二五`, is one after the other."""
    word = found[0].replace("两", "二").replace("〇", "零")
    if not any(place in word for place in PLACES):
        return "".join(str(DIGITS.index(each)) for each in word)
    total, digit = 0, 0
    for each in word:
        if each in PLACES:
            total, digit = total + (digit or 1) * PLACES[each], 0
        else:
            digit = DIGITS.index(each)
    return str(total + digit)


def counted_otherwise(text: str, answer: str, question: str) -> bool:
    """Whether a bare number is told in a unit that neither it nor its question has."""
    wanted = next(quantities(cleaned(answer)), None)
    if wanted is None or wanted.word:
        return False
    told = [found for found in quantities(text) if found.figure == wanted.figure]
    if not told or any(wanted.meant & found.meant for found in told):
        return False
    asked = {part for word in tokens(cleaned(question)) for part in (word, *word.split("_"))}
    known = {unit for word in asked for unit in MEANT.get(word, ())}
    return not any(known & MEANT.get(found.word.lower(), frozenset()) for found in told)
