"""Which language a text is written in, code and identifiers aside; nothing where that isn't sure.

By script, and among Latin ones by the small words that every sentence of a language has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from context_kit.summary._names import plain

__all__ = ["tongue", "tongues"]

SCRIPTS = {
    "ja": re.compile(r"[\u3041-\u30ff]"),
    "zh": re.compile(r"[\u3400-\u9fff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
    "hebrew": re.compile(r"[\u0590-\u05ff]"),
    "greek": re.compile(r"[\u0370-\u03ff]"),
    "thai": re.compile(r"[\u0e00-\u0e7f]"),
    "devanagari": re.compile(r"[\u0900-\u097f]"),
}
"""Letters of scripts other than Latin; kana before Han, because Japanese has both."""
WORD = re.compile(r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+")
SMALL = {
    "en": "the of and to in is for that with was on as it not this are from by be at or an which has have were but",
    "es": "el la los las de que en un una por con para se del al es como más pero sus le ya fue está este porque",
    "fr": "le la les des du de et un une dans est pour que qui sur pas plus par avec ce il sont au aux été cette nous",
    "de": "der die das und ist nicht ein eine zu den mit von auf für im dem des wird wurde auch sich als bei nach noch",
    "pt": "o os as de que em um uma para com não por mais do da dos das se no na ao foi como mas são está pelo",
    "it": "il lo gli le di che in un una per con non del della dei è sono come più ma al alla nel questo stato anche",
    "nl": "de het een en van in is dat op te voor met niet zijn aan door wordt werd ook als bij naar nog maar deze",
    "tr": "ve bir bu için ile de da olarak olan çok daha gibi ancak sonra kadar değil ise her ama veya",
    "pl": "i w na z do się nie jest że o to jak po dla przez od ale są przy oraz został jako tego",
}
"""The most frequent small words of languages in Latin letters."""
_SMALL = {name: frozenset(word for word in words.split() if len(word) > 1) for name, words in SMALL.items()}
FEWEST = 12
"""Words of prose under which nothing is sure; a Han or kana letter counts as one."""
DISTINCT = 3
"""Small words of a language, each counted once, under which a text is not said to be in it."""
SURE = 0.15
"""Share of small words that a text of a language has at least."""
FOREIGN = 0.6
"""Share of letters of another script that makes a text one of that script."""


def tongue(text: str) -> str:
    """The language of a text; empty where it is too short or mixed to say."""
    prose = plain(text) if text.isascii() else text
    words = [word.lower() for word in WORD.findall(prose if text.isascii() else plain(prose))]
    counts = {name: len(script.findall(prose)) for name, script in SCRIPTS.items()}
    weight = sum(counts.values())
    if weight + len(words) < FEWEST:
        return ""
    name = max(counts, key=lambda each: counts[each])
    if counts["ja"] > 0.1 * max(counts["zh"], 1) and counts["ja"] >= FEWEST // 2:
        name = "ja"
    if weight >= FOREIGN * (weight + sum(map(len, words)) / 4):
        return name
    return _latin(words) if not weight else ""


def _latin(words: list[str]) -> str:
    """The language whose small words these words hold most of, by far."""
    if len(words) < FEWEST:
        return ""
    counts = Counter(words)
    shares = {name: sum(counts[word] for word in small) / len(words) for name, small in _SMALL.items()}
    first, second, *_ = sorted(shares, key=lambda name: -shares[name])
    sure = shares[first] >= SURE and shares[first] > 1.25 * shares[second]
    return first if sure and len(_SMALL[first] & counts.keys()) >= DISTINCT else ""


def tongues(lines: Iterable[str]) -> frozenset[str]:
    """Every language in which at least a tenth of the lines that tell one are written."""
    found = Counter(name for line in lines if (name := tongue(line)))
    return frozenset(name for name, times in found.items() if times >= 0.1 * sum(found.values()))
