"""The ranking of recall: an index that grows with the log, and the best texts of it for words.

BM25 with length normalisation over two fields: what a text says, and what it is about (the path and command of the
call that it makes or answers, the error that it tells). The best by that are ranked again by how near to each other
the words stand, for words of one line or one name belong together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from context_kit._steps import Entry
from context_kit.engrams import Deed, Trail
from context_kit.memory._asked import Asked
from context_kit.memory._nearness import nearness
from context_kit.memory._words import terms
from context_kit.summary import archived
from context_kit.tools import closing_line, error_line

__all__ = ["Index", "Text"]

SATURATION = 1.0
NORM = 0.6
"""BM25's k1 and b."""
ABOUT = 1.6
"""What a hit in what a text is about counts, beside 1.0 for one in what it says."""
NEAR = 1.2
"""What nearness counts, as a share of the query's whole weight."""
ABOUT_NEAR = 1.0
"""The same for words that stand near each other in what a text is about."""
LOOKED = 60
"""Texts that are looked at for nearness."""
KIND = 0.5
"""What a text of the kind that was asked for gains, as a share of the query's whole weight."""
FRESH = 0.04
"""What the newest text gains over the oldest."""
COMMAND = 240
"""Characters of a command that say what a call is about."""


@dataclass(slots=True, eq=False)
class Text:
    """A text that can be recalled."""

    address: str
    kind: str
    text: str
    position: int
    session: str
    size: int = 0
    """How many terms it has."""
    about: dict[str, None] = field(default_factory=dict[str, None])
    """Paths and commands that it is about, errors that it tells."""
    kinds: set[str] = field(default_factory=set[str])
    """What was done: `edit`, `read`, `run`, `search`, `error`; its role."""


class Index:
    """Texts of one session, by their terms."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self.texts: list[Text] = []
        self._at: dict[int, int] = {}
        """Index of a text by its position in the log."""
        self._said: dict[str, dict[int, int]] = {}
        self._about: dict[str, dict[int, int]] = {}
        self._size = 0
        self._entries = 0
        self._deeds = 0

    def follow(self, entries: Sequence[Entry], trail: Trail, session: str) -> None:
        """Take in what is new in the log; the trail must have followed it."""
        for entry in entries[self._entries :]:
            if not entry.injected:
                text = Text(entry.address, entry.message.role, self._redact(archived(entry.message)), entry.position, session)
                self._at[entry.position] = len(self.texts)
                self._add(text)
        self._entries = len(entries)
        for deed in trail.deeds[self._deeds :]:
            self._tell(deed)
        self._deeds = len(trail.deeds)

    def _add(self, text: Text) -> None:
        found = terms(text.text)
        text.size = found.total()
        text.kinds.add(text.kind)
        number = len(self.texts)
        self.texts.append(text)
        self._size += text.size
        for term, times in found.items():
            self._said.setdefault(term, {})[number] = times

    def _tell(self, deed: Deed) -> None:
        """What a deed's call and result are about."""
        act = deed.act
        about = [part for part in (act.path, act.command[:COMMAND].partition("\n")[0]) if part]
        for position in {deed.position, deed.until}:
            number = self._at.get(position)
            if number is None:
                continue
            text = self.texts[number]
            if not act.failed or act.kind == "run":
                text.kinds.add(act.kind)
            told = list(about)
            if act.failed and position == deed.until:
                text.kinds.add("error")
                told += [line for line in (error_line(act.error), closing_line(act.error)) if line]
            for part in told:
                if part not in text.about:
                    text.about[part] = None
                    for term, times in terms(part).items():
                        place = self._about.setdefault(term, {})
                        place[number] = place.get(number, 0) + times

    def best(self, asked: Asked, allowed: Callable[[Text], bool]) -> list[tuple[float, Text]]:
        """Texts that hold a word of what is asked, best first; the newer one where they tie."""
        known = [name for name in asked.names if name in self._said or name in self._about]
        weights = {term: weight * self.rarity(term) for term, weight in asked.terms.items()}
        weights |= {name: self.rarity(name) for name in known}
        scores: Counter[int] = Counter()
        mean = max(self._size / max(len(self.texts), 1), 1.0)
        for term, weight in weights.items():
            said, about = self._said.get(term, {}), self._about.get(term, {})
            for number in {**said, **about}:
                norm = 1 - NORM + NORM * self.texts[number].size / mean
                times = said.get(number, 0) / norm + ABOUT * about.get(number, 0)
                scores[number] += weight * times * (SATURATION + 1) / (times + SATURATION)
        ranked = [(score, number) for number, score in scores.items() if allowed(self.texts[number])]
        ranked.sort(key=lambda pair: (-pair[0], -pair[1]))
        whole = sum(weights.values()) or 1.0
        again = [(self._again(score, self.texts[number], asked, weights, whole), number) for score, number in ranked[:LOOKED]]
        again.sort(key=lambda pair: (-pair[0], -pair[1]))
        return [(score, self.texts[number]) for score, number in again]

    def rarity(self, term: str) -> float:
        """How much a term tells: the rarer, the more."""
        said, about = self._said.get(term, {}), self._about.get(term, {})
        often = len(said.keys() | about.keys())
        return math.log(1 + (len(self.texts) - often + 0.5) / (often + 0.5))

    def _again(self, score: float, text: Text, asked: Asked, weights: dict[str, float], whole: float) -> float:
        near = nearness(text.text, weights)[0] / whole
        about = max((nearness(part, weights)[0] / whole for part in text.about), default=0.0)
        kind = bool(asked.kinds & text.kinds)
        fresh = FRESH * text.position / max(self.texts[-1].position, 1)
        return score + whole * (NEAR * near + ABOUT_NEAR * about + KIND * kind + fresh)
