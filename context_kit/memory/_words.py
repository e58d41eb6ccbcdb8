"""Terms: what a text is found by, the same for what is looked for and for where it is looked.

Words in lower case without their English endings, names whole and by their parts (snake, camel, dotted), Han text
by pairs of characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

__all__ = ["SMALL", "parts_of", "stem", "terms", "words"]

WORD = re.compile(r"[A-Za-z0-9_\u00c0-\u024f\u0400-\u04ff]+(?:[.-][A-Za-z0-9_]+)*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u00c0-\u024f\u0400-\u04ff]+")
SPLIT = re.compile(r"[.-]+")
LONGEST = 80
"""Characters above which a word is data, not a name; only its parts count."""
MOST_PARTS = 12
"""Parts of one word that count."""
SMALL = frozenset(
    "a an and are as at be been by can could did do does for from had has have he her his how i if in into is it its "
    "me my no not of on or our she should so than that the their them then there these they this those to us was we "
    "were what when where which who why will with would you your about said say".split()
)
"""English words that say nothing of a text."""
ENDINGS = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
DOUBLED = re.compile(r"([bdgmnprt])\1$")


def stem(word: str) -> str:
    """An English word without its ending; roughly, and the same for every form of it."""
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    for ending, left in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: len(word) - len(ending)] + left
            break
    word = DOUBLED.sub(r"\1", word)
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@lru_cache(maxsize=100_000)
def parts_of(word: str) -> tuple[str, ...]:
    """The terms of one word: itself first; of a name its parts too, of Han text its pairs."""
    if word[0] >= "\u3040":
        return tuple(dict.fromkeys(word[i : i + 2] for i in range(len(word) - 1))) or (word,)
    found = PART.findall(word)[:MOST_PARTS]
    if len(found) == 1 and found[0] == word and len(word) <= LONGEST:
        return (stem(word.lower()),)
    names = [word, *(piece for piece in SPLIT.split(word) if piece != word and len(PART.findall(piece)) > 1)]
    parts = [stem(part.lower()) for part in found if len(part) > 1]
    return tuple(dict.fromkeys([*(name.lower() for name in names if len(name) <= LONGEST), *parts])) or (word.lower(),)


def words(text: str) -> list[str]:
    """The words of a text as they stand; names whole."""
    return WORD.findall(text)


def terms(text: str) -> Counter[str]:
    """How often each term is in a text."""
    found: Counter[str] = Counter()
    for word, times in Counter(WORD.findall(text)).items():
        for term in parts_of(word):
            found[term] += times
    return found


def distinct(found: Iterable[str]) -> Iterator[str]:
    """Terms of several words, each once."""
    return iter(dict.fromkeys(term for word in found for term in parts_of(word)))
