"""Later words, found by what they speak of: an earlier sentence is compared only with those that may concern it.

Whether one makes the other stale is decided in `_supersede`. What was compared once is never compared again, and a
word that many later sentences hold counts for the first of them only: the work grows with the texts, not their pairs.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

from context_kit._lazily import regex
from context_kit.engrams._constraints import terms
from context_kit.engrams._sentences import sentences

if TYPE_CHECKING:
    from context_kit.engrams._supersede import Line

__all__ = ["Later", "taken_back"]

COMMON = 50
"""So many later sentences that share a word are looked at for it."""
RULE = regex(
    r"\b(?:rule|ban|freeze|restriction|constraint|requirement|policy)\b|规定|规矩|规则|限制|禁令|要求", re.IGNORECASE
)
ENDED = regex(
    r"\W*(?:(?P<verb>forget|drop|scrap|scratch|ignore|lift|cancel|revoke|disregard) (?:about )?(?:it|that)|"
    r"(?:it['’]?s |it is |that['’]?s )?(?:gone|off|over|lifted|dropped|history)|作废|取消|忘掉|不算)\W*(?:了|吧|"
    r"now)?\W*$",
    re.IGNORECASE,
)
"""An answer to a question that names a rule, which ends it."""
LONGEST_TEXT = 20_000
"""Characters of a text in which values are looked for; a longer one is data."""


class Later(Sequence[int]):
    """Sentences that may take an earlier one back, in the order they were said; a sequence of their positions."""

    __slots__ = ("_answers", "_at", "_by", "_claims", "_kept", "_lines", "_order", "_positions", "_telling")

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._at: list[int] = []
        self._telling: list[bool] = []
        """Whether a line may take anything back, of the lines whose values were looked at."""
        self._kept: list[int] = []
        """Positions of those that may."""
        self._by: dict[tuple[str, object], list[int]] = {}
        self._answers: dict[tuple[str, int], tuple[int, int]] = {}
        self._positions: list[int] = []
        self._claims: Counter[int] = Counter()
        self._order: dict[int, int] = {}

    def __len__(self) -> int:
        self._weigh()
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        self._weigh()
        return self._kept[index]

    def add(self, position: int, told: Iterable[str]) -> None:
        """Take in sentences of one text.

        Args:
            position: of the text; not before those already taken in.
            told: the sentences.
        """
        from context_kit.engrams._supersede import read  # loaded where words are compared, which most sessions never do

        for sentence in told:
            line = read(sentence)
            for key in self._ruling(line):
                self._by.setdefault(key, []).append(len(self._lines))
            self._lines.append(line)
            self._at.append(position)
        if not self._positions or self._positions[-1] != position:
            self._order[position] = len(self._positions)
            self._positions.append(position)

    def _weigh(self) -> None:
        """Look at the values that the lines give: only where one may be replaced, for the look is long."""
        for number in range(len(self._telling), len(self._lines)):
            line, position = self._lines[number], self._at[number]
            self._claims[position] += line.claim is not None
            says = _says(line)
            self._telling.append(says or bool(line.rules.offered()))
            self._kept += [position] if self._telling[-1] else []
            for key in self._values(line) if says else ():
                self._by.setdefault(key, []).append(number)

    def add_text(self, position: int, text: str) -> None:
        """Take in a whole text."""
        self.add(position, _joined(sentences(text)) if len(text) <= LONGEST_TEXT else ())

    def by(self, sentence: str, position: int) -> int:
        """Position of the text that makes a sentence stale; 0 where none does."""
        found, seen = self._answers.get((sentence, position), (0, 0))
        if found or seen == len(self._lines) or not self._at or self._at[-1] <= position:
            return found
        from context_kit.engrams._supersede import ends, read, supersedes

        line = read(sentence)
        near, ruled = self._near(line, position, seen), self._ruled(line, position, seen)
        valued = line.claim is not None or bool(line.rules.beside)
        for number in sorted(near | ruled):
            other, next_to = self._lines[number], valued and self._next(position, self._at[number])
            if supersedes(other, line, next_to=next_to) if number in near else ends(other, line):
                found = self._at[number]
                break
        self._answers[sentence, position] = (found, len(self._lines))
        return found

    def _next(self, position: int, later: int) -> bool:
        """Whether a text answers the one before it, which gives one value only."""
        self._weigh()
        at = self._order.get(position, -1)
        return at >= 0 and self._claims[position] == 1 and self._order[later] == at + 1

    @staticmethod
    def _ruling(line: Line) -> Iterator[tuple[str, object]]:
        for key in line.rules.offered():
            yield "rule", key
        if line.revises or line.rules.ends:
            for term in terms(line.text):
                yield "term", term

    @staticmethod
    def _values(line: Line) -> Iterator[tuple[str, object]]:
        reading = line.reading
        for topic in reading.topics:
            yield "topic", topic
        if reading.bare:
            yield "bare", ""
            for name in reading.names:
                yield "name", name

    def _ruled(self, line: Line, position: int, seen: int) -> set[int]:
        """The later sentences that may end a rule of this one, from number `seen` on."""
        start = bisect_right(self._at, position)
        return {number for key in line.rules.sought() for number in self._after("rule", key, start, seen)}

    def _near(self, line: Line, position: int, seen: int) -> set[int]:
        """The later sentences that may concern this one, from number `seen` on."""
        start = bisect_right(self._at, position)
        claim = line.claim
        found: set[int] = set()
        if claim is not None:
            self._weigh()
            found.update(self._after("topic", claim.topic, start, seen))
            for value in claim.values:
                found.update(self._after("name", value, start, seen))
            at = self._order.get(position, len(self._positions))
            if at + 1 < len(self._positions):
                answer = self._positions[at + 1]
                first, last = bisect_right(self._at, answer - 1), bisect_right(self._at, answer)
                found.update(
                    number
                    for number in range(max(first, seen), last)
                    if self._telling[number] and self._lines[number].reading.bare
                )
        about = terms(line.text)
        shared = Counter(number for term in about for number in self._after("term", term, start, seen))
        least = min(2, max(1, len(about) // 3))
        found.update(number for number, count in shared.items() if count >= least)
        return found

    def _after(self, kind: str, what: object, start: int, seen: int) -> list[int]:
        """Of the first ones from number `start` on that hold it, those from number `seen` on."""
        numbers = self._by.get((kind, what), [])
        first = bisect_left(numbers, start)
        return numbers[max(first, bisect_left(numbers, seen)) : first + COMMON]


def _joined(told: Sequence[str]) -> Iterator[str]:
    """Sentences, those that only answer the one before in one with it: "That rule? Forget it."."""
    before = ""
    for sentence in told:
        found = ENDED.match(sentence) if before[-1:] in ("?", "？") and RULE.search(before) else None
        if found is not None:
            yield f"{found['verb'] or 'Forget'} {before.rstrip('?？ ')}"
        yield sentence
        before = sentence


def _says(line: Line) -> bool:
    """Whether a sentence gives a value, gives one up, or says that something no longer counts."""
    return bool(line.revises or line.claim or line.reading.new or line.reading.old or line.rules.ends)


def taken_back(sentence: str, position: int, newer: Later) -> int:
    """Position of the later text that plainly takes a sentence back; 0 where none does."""
    return newer.by(sentence, position)
