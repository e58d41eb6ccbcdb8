"""Questions about what the session never had: the right answer is that it isn't known.

Each is a real question of the session with its names exchanged, so that neither its form nor the shape of its names
tells it apart; none of the new names stands anywhere in the log or beside it. A tool's own name is never exchanged.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from zlib import crc32

from context_kit.probes._gone import Gone
from context_kit.probes._telling import COMMON, FILE, KEYWORDS, SMALL, TRIVIAL, words_of
from context_kit.probes._types import NOT_KNOWN, Probe
from context_kit.probes._words import GAP

__all__ = ["Distractors"]

PLAIN = "load save parse build merge check render retry cache token session buffer queue report limit".split()
"""Words for names where the session has few of its own."""
NAMES = re.compile(
    r"(?<!\\)\b[a-z]+(?:[_-][a-z]+)+\b|\b[A-Z]+(?:_[A-Z]+)+\b|\b[a-z]+[A-Z][A-Za-z]+\b|\b[A-Z][a-z]+[A-Z][A-Za-z]+\b"
)
SPOKEN = re.compile(r"(?=[^aeiou]{0,2}[aeiou])[a-z]{4,12}")
"""A word that can be spoken: no piece of an id."""
WORDS = 60
"""So many words of the session's names are put together."""
TRIED = 24
"""So many exchanges of one name are tried."""
PIECE = re.compile(r"`(?P<ticked>[^`]+)`|“(?P<line>[^”]+)”")
"""What a question quotes."""
TOKEN = re.compile(r"[A-Za-z0-9][\w-]*[A-Za-z0-9]", re.ASCII)
OWN = re.compile(r"[a-z][A-Z]|\w_\w|[A-Za-z]-?\d")
"""A name that is no word of a language: only such a one is exchanged in what was said."""
WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}|(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{2,}")
"""A word of a name, or a number in it that is no year."""
DATE = re.compile(r"(?:19|20)\d\d[-_]?[01]?\d[-_]?[0-3]?\d(?!\d)")
"""Another number in it would make a day that no calendar has."""
IDENTIFIER = re.compile(r"[A-Za-z]\w*", re.ASCII)
FEW = SMALL | TRIVIAL | COMMON | KEYWORDS


class Distractors:
    """Makes them for one session."""

    def __init__(self, gone: Gone) -> None:
        self._gone = gone
        self._random = random.Random(crc32(gone.whole[:4_000].encode("utf-8", "replace")))  # noqa: S311 - the same each time, no secret
        self._tools = {call.name for entry in gone.entries for call in entry.message.calls}
        found = (word for name in NAMES.findall(gone.whole[:200_000]) for word in words_of(name))
        words = sorted({word for word in found if SPOKEN.fullmatch(word) and word not in FEW})
        self._words = [*self._random.sample(words, min(len(words), WORDS)), *PLAIN]

    def of(self, probes: Sequence[Probe]) -> Iterator[Probe]:
        """Of each of these, in any order, the same question about what never was."""
        for probe in self._random.sample(probes, len(probes)):
            question = self._other(probe.question)
            if question:
                yield replace(probe, question=question, answer=NOT_KNOWN, address="", also=())

    def _other(self, question: str) -> str:
        """The question with other names in it; empty where one of them can't be exchanged."""
        pieces = list(PIECE.finditer(question))
        if not pieces:
            found = FILE.search(question)
            return _put(question, found.span(), self._exchanged(found[0])) if found else ""
        for piece in reversed(pieces):
            text, span = piece[piece.lastgroup or 0], piece.span(piece.lastgroup or 0)
            other = "" if "`" in text or text in self._tools else self._exchanged(text, said=piece.lastgroup == "line")
            question = _put(question, span, other)
            if not question:
                return ""
        return question

    def _exchanged(self, text: str, *, said: bool = False) -> str:
        """A text with one name in it exchanged for one of the same shape that is nowhere; empty where that fails."""
        tokens = [
            token for token in TOKEN.finditer(text) if GAP not in text[max(token.start() - 4, 0) : token.end() + 4]
        ]
        tokens = [token for token in tokens if token[0] not in self._tools]
        compound = [token for token in tokens if len(words_of(token[0])) > 1 and (not said or OWN.search(token[0]))]
        for token in self._random.sample(compound, len(compound)):
            if (name := self._named(token[0])) and self._nowhere(text, other := _put(text, token.span(), name)):
                return other
        if IDENTIFIER.fullmatch(text):
            longer = (
                f"{text}{word.title()}" if text[:1].islower() and self._camel else f"{text}_{word}"
                for word in self._some
            )
            return next((name for name in longer if self._nowhere(text, name)), "")
        return ""

    def _named(self, name: str) -> str:
        """Another name of the same shape that the log has in no spelling."""
        parts = [part for part in WORD.finditer(name) if part[0].lower() not in COMMON]
        dates = [found.span() for found in DATE.finditer(name)]
        parts = [part for part in parts if not any(start <= part.start() < end for start, end in dates)]
        for part in self._random.sample(parts, len(parts)):
            for word in self._digits(part[0]) if part[0].isdigit() else self._some:
                other = _put(name, part.span(), _cased(part[0], word))
                if other != name and not self._known(other):
                    return other
        return ""

    @property
    def _some(self) -> list[str]:
        return self._random.sample(self._words, min(len(self._words), TRIED))

    def _digits(self, number: str) -> list[str]:
        least = 10 ** (len(number) - 1)
        return [str(self._random.randrange(least, 10 * least)) for _ in range(TRIED)]

    def _known(self, name: str) -> bool:
        low = name.lower()
        spelled = {low, *(sign.join(words_of(name)) for sign in ("_", "-", "", " "))}
        return any(each in self._gone.everything for each in spelled)

    def _nowhere(self, text: str, other: str) -> bool:
        return other != text and other.lower() not in self._gone.everything

    @cached_property
    def _camel(self) -> bool:
        """Whether the session's names are written with capitals inside rather than with underscores."""
        found = NAMES.findall(self._gone.whole[:200_000])
        return sum("_" not in name for name in found) > len(found) / 2


def _put(text: str, span: tuple[int, int], other: str) -> str:
    return f"{text[: span[0]]}{other}{text[span[1] :]}" if other else ""


def _cased(one: str, other: str) -> str:
    return other.upper() if one.isupper() else other.title() if one.istitle() else other
