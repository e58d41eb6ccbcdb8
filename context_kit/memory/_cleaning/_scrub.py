"""A text taken out of other texts: whole, in the forms that JSON gives it, and in the parts that others quote.

Two ways. What somebody said or a tool showed (a source) loses long parts of the text only, so that two files that
share a line keep it; once it is known to quote the text it loses the short lines as well. What the library made of
it (bridge, receipt, journal, checkpoint) loses every part that no source left in the session has, single names too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["FORGOTTEN", "Scrub", "weight"]

FORGOTTEN = "[forgotten]"
"""What stands in the place of a part."""
GRAM = 16
GRAM_HAN = 8
"""Characters of the shortest part that is found; fewer where a letter is nearly a word."""
LONG = 32
"""Weight of a part that tells of a quote by itself."""
LEAST = 4
"""Characters of a line or a name below which it tells nothing."""
HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
NAME = re.compile(r"[^\s\"'`,;()\[\]{}<>，。；：、（）“”]{5,}")
TELLING = re.compile(r"\d|[_@=#$%&]|[a-z][A-Z]|\w[-:]\w")
"""What a name has that no plain word has."""
OVERLAP = 64
"""Positions in the text that a part of another one is compared with."""


def weight(text: str) -> int:
    """How much a part tells: its characters, those of Han and its like counted as the words they are."""
    return len(text) + 2 * len(HAN.findall(text))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A part of another text that is the forgotten one's."""

    start: int
    end: int


class Scrub:
    """What is to be forgotten, found in any text.

    Args:
        texts: the forgotten texts.
        literal: sources lose the texts themselves only, wherever they stand; without it, parts of them, too.
    """

    def __init__(self, texts: Iterable[str], *, literal: bool = False) -> None:
        given = [text for text in dict.fromkeys(texts) if text.strip()]
        self.literal = literal
        self._known: dict[tuple[str, bool], str] = {}
        self._forms = list(dict.fromkeys(form for text in given for form in _forms(text) if form.strip()))
        self._grams = {size: _grams(self._forms, size) for size in (GRAM, GRAM_HAN)}
        whole = [form.strip() for form in self._forms]
        lines = [line.strip() for form in self._forms for line in form.splitlines()]
        names = [name.rstrip(".:!?") for form in self._forms for name in NAME.findall(form)]
        self._names = [name for name in dict.fromkeys(names) if len(name) > LEAST and TELLING.search(name)]
        self._whole = _longest_first(text for text in whole if literal or self._tells(text))
        self._lines = _longest_first(line for line in lines if weight(line) > LEAST and not _is_plain(line))

    def _tells(self, text: str) -> bool:
        return weight(text) >= LONG or (weight(text) >= 2 * LEAST and any(name in text for name in self._names))

    def source(self, text: str, *, quotes: bool = False) -> str:
        """What is left of a text that somebody said or a tool showed.

        Args:
            text: the text.
            quotes: it is known to be about the same thing, so that short parts tell, too.
        """
        key = (text, quotes)
        if key not in self._known:
            self._known[key] = self._source(text, quotes=quotes)
        return self._known[key]

    def _source(self, text: str, *, quotes: bool) -> str:
        left = _without(text, self._whole)
        if self.literal:
            return left
        cuts = list(self._cuts(left))
        if not quotes and not any(weight(left[cut.start : cut.end]) >= LONG for cut in cuts):
            return left
        return _without_lines(_cut_out(left, cuts), self._lines)

    def made(self, text: str, sources: str) -> str:
        """What is left of a text that the library made.

        Args:
            text: the text.
            sources: what the session still has; parts of it may stay.
        """
        left = _without(text, [whole for whole in self._whole if self.literal or whole not in sources])
        cuts = [cut for cut in self._cuts(left) if left[cut.start : cut.end].strip() not in sources]
        left = _without_lines(_cut_out(left, cuts), [line for line in self._lines if line not in sources])
        return _without(left, [name for name in self._names if name in left and name not in sources])

    def _cuts(self, text: str) -> Iterator[_Cut]:
        """Parts of a text that the forgotten ones have, too; they don't overlap."""
        at, end = 0, len(text) - GRAM_HAN
        plain = text.isascii()
        step = GRAM if plain else GRAM_HAN
        while at <= end:
            cut = self._longest(text, at, step)
            if cut is None:
                at += 1
            else:
                yield cut
                at = cut.end

    def _longest(self, text: str, at: int, step: int) -> _Cut | None:
        """The longest part that begins here."""
        best = 0
        for size in (GRAM, GRAM_HAN) if step == GRAM_HAN else (GRAM,):
            gram = text[at : at + size]
            if size == GRAM_HAN and len(HAN.findall(gram)) < size - 2:
                continue
            for form, place in self._grams[size].get(gram, ()):
                best = max(best, _shared(text, at, self._forms[form], place))
            if best:
                return _Cut(at, at + best)
        return None


def _forms(text: str) -> Iterator[str]:
    """A text as it may stand in another one: as it is, in one line, and as JSON writes it once or twice."""
    yield text
    yield " ".join(text.split())
    for ascii_ in (False, True):
        once = json.dumps(text, ensure_ascii=ascii_)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_)[1:-1]


def _grams(forms: Sequence[str], size: int) -> dict[str, list[tuple[int, int]]]:
    """Where each run of so many characters stands."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, form in enumerate(forms):
        if size == GRAM_HAN and not HAN.search(form):
            continue
        for at in range(len(form) - size + 1):
            gram = form[at : at + size]
            if gram.strip() and len(places := found.setdefault(gram, [])) < OVERLAP:
                places.append((number, at))
    return found


def _shared(text: str, at: int, other: str, place: int) -> int:
    """How many characters are the same from here on."""
    length, step = 0, 1
    while step:
        if text[at + length : at + length + step] == other[place + length : place + length + step] and (
            at + length + step <= len(text) and place + length + step <= len(other)
        ):
            length += step
            step *= 2
        else:
            step //= 2
    return length


def _is_plain(line: str) -> bool:
    """Whether a line says nothing by itself: a brace, a rule, a word of a programming language."""
    return not re.search(r"\w", line) or line.rstrip(":(){},;").lower() in PLAIN


PLAIN = frozenset(
    "else try finally return pass break continue import from true false null none yes no ok end begin done passed "
    "failed error success".split()
)


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(dict.fromkeys(texts), key=len, reverse=True)


def _without(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        if part in text:
            text = text.replace(part, FORGOTTEN)
    return text


def _without_lines(text: str, lines: Sequence[str]) -> str:
    """Without those lines; a number or a mark that a tool put before one may stand there."""
    if not lines:
        return text
    known = set(lines)
    out = []
    for line in text.split("\n"):
        bare = BEFORE.sub("", line).strip()
        out.append(line.replace(bare, FORGOTTEN) if bare in known else line)
    return "\n".join(out)


BEFORE = re.compile(r"^\s*(?:\d+\s*[:|→\t-]|[>+|-])\s?")
"""What tools write before a line: its number, a mark of a diff or a quote."""


def _cut_out(text: str, cuts: Sequence[_Cut]) -> str:
    out, at = [], 0
    for cut in cuts:
        out += [text[at : cut.start], FORGOTTEN]
        at = cut.end
    return "".join([*out, text[at:]])
