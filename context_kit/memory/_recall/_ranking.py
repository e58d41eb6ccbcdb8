"""The ranking of recall: an index that grows with the log, and the best texts of it for words.

BM25 with length normalisation over two fields: what a text says, and what it is about (the path and command of the
call that it makes or answers, the error that it tells). The best by that are ranked again by how near to each other
the words stand. Nothing is done before the first question; after it only what is new is read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from context_kit._steps import Entry
from context_kit.engrams import Deed, Trail
from context_kit.memory._index._terms import LONGEST, terms
from context_kit.memory._recall._asked import Question
from context_kit.memory._recall._nearness import nearness
from context_kit.summary import archived
from context_kit.tools import closing_line, error_line
from context_kit.types import Record

__all__ = ["Found", "Index", "Text", "text_of"]

SATURATION = 1.0
NORM = 0.6
"""BM25's k1 and b."""
ABOUT = 1.6
"""What a hit in what a text is about counts, beside 1.0 for one in what it says."""
NEAR = 1.2
"""What nearness counts, as a share of the question's whole weight."""
ABOUT_NEAR = 1.0
"""The same for words that stand near each other in what a text is about."""
QUOTED = 3.0
"""What a text gains that has the query word for word, as a share of the question's whole weight."""
KIND = 0.5
"""What a text of the kind that was asked for gains, as a share of the question's whole weight."""
FRESH = 0.04
"""What the newest text gains over the oldest."""
LOOKED = 60
"""Texts that are looked at for nearness."""
ALIKE = 0.9
"""Of two versions of one thing whose scores are as near as this, the newer one comes first."""
FOLDER = re.compile(r"(?<=[/\\])\w+[._-][\w.-]{1,60}(?=[/\\])")
"""A folder with a name of several parts: in a path only the file's own name is a term as a whole."""
COMMAND = 240
"""Characters of a command that say what a call is about."""


@dataclass(slots=True, eq=False)
class Text:
    """A text that can be recalled."""

    address: str
    kind: str
    text: str
    """Without its secrets."""
    position: int
    session: str
    size: int = 0
    """How many terms it has."""
    about: dict[str, None] = field(default_factory=dict[str, None])
    """Paths and commands that it is about, errors that it tells."""
    kinds: set[str] = field(default_factory=set[str])
    """What was done in it: `edit`, `read`, `run`, `search`, `error`; and whose it is."""


@dataclass(frozen=True, slots=True)
class Found:
    """A text that answers, how well, and where in it."""

    score: float
    text: Text
    place: int


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A question with what each of its terms tells in this session."""

    weights: Mapping[str, float]
    whole: float
    kinds: frozenset[str]
    newest: int
    quote: str


class Index:
    """The messages of one session by their terms."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self.texts: list[Text] = []
        self.notes: list[Record] = []
        """Records of this session's own that its log doesn't say."""
        self.read_to = 0
        """Position in the journal up to which they were read."""
        self.mine = 0
        """Records of this session's own up to there."""
        self._at: dict[int, int] = {}
        """Index of a text by its position in the log."""
        self._done: dict[int, list[Deed]] = {}
        """What was done, by the positions of its call and its result."""
        self._said: dict[str, dict[int, int]] = {}
        self._about: dict[str, dict[int, int]] = {}
        self._size = 0
        self._deeds = 0

    def follow(self, gone: Iterable[Entry], trail: Trail, session: str, *, without: Container[str] = ()) -> None:
        """Take in what is new.

        Args:
            gone: the messages that left the window; those that were taken in before are passed over.
            trail: what was done; it must have followed the log.
            session: the session's name.
            without: ids of calls that brought text back: neither they nor their results are anything new.
        """
        for deed in trail.deeds[self._deeds :]:
            for position in {deed.position, deed.until}:
                self._done.setdefault(position, []).append(deed)
                if position in self._at:
                    self._tell(self._at[position], deed)
        self._deeds = len(trail.deeds)
        for entry in gone:
            if entry.position not in self._at:
                self._add(text_of(entry, session, self._redact, without=without))

    def _add(self, text: Text) -> None:
        found = _counted(text.text)
        text.size = found.total()
        number = self._at[text.position] = len(self.texts)
        self.texts.append(text)
        self._size += text.size
        for term, times in found.items():
            self._said.setdefault(term, {})[number] = times
        for deed in self._done.get(text.position, ()):
            self._tell(number, deed)

    def _tell(self, number: int, deed: Deed) -> None:
        """Note of a call or a result what it is about."""
        act, text = deed.act, self.texts[number]
        told = [part for part in (act.path, act.command[:COMMAND].partition("\n")[0]) if part]
        if not act.failed or act.kind == "run":
            text.kinds.add(act.kind)
        if act.failed and text.position == deed.until:
            text.kinds.add("error")
            told += [line for line in (error_line(act.error), closing_line(act.error)) if line]
        for part in told:
            self._note(number, text, part)

    def _note(self, number: int, text: Text, part: str) -> None:
        if part in text.about:
            return
        text.about[part] = None
        for term, times in _counted(part).items():
            place = self._about.setdefault(term, {})
            place[number] = place.get(number, 0) + times

    # -- asked ---------------------------------------------------------------------

    def best(self, asked: Question, others: Sequence[Text] = ()) -> Iterator[Found]:
        """Texts that hold a word of what is asked, best first, equal ones once, of versions the newest first.

        Args:
            asked: the question.
            others: texts from elsewhere that may answer as well.
        """
        weighed = self._weighed(asked)
        scores = self._scores(weighed)
        ranked = sorted(((score, number) for number, score in scores.items()), reverse=True)
        looked = ranked[:LOOKED] + [each for each in ranked[LOOKED:] if _quotes(self.texts[each[1]], asked.quote)]
        found = [self._again(score, self.texts[number], weighed) for score, number in looked]
        found += [self._again(score, text, weighed) for text in others if (score := self._outside(text, weighed))]
        found.sort(key=lambda each: (-each.score, -each.text.position))
        return _once(_newest_first(found))

    def _weighed(self, asked: Question) -> _Weighed:
        weights = {term: weight * self._rarity(term) for term, weight in asked.terms.items()}
        named = (name for name in asked.names if name in self._said or name in self._about)
        weights |= {name: self._rarity(name) for name in named}
        newest = max((text.position for text in self.texts[-1:]), default=1)
        return _Weighed(weights, sum(weights.values()) or 1.0, asked.kinds, newest, asked.quote)

    def _rarity(self, term: str) -> float:
        """How much a term tells: the rarer, the more."""
        often = len(self._said.get(term, {}).keys() | self._about.get(term, {}).keys())
        return math.log(1 + (len(self.texts) - often + 0.5) / (often + 0.5))

    def _scores(self, weighed: _Weighed) -> Mapping[int, float]:
        """BM25 of every text that holds a term, by its index."""
        scores: dict[int, float] = {}
        for term, weight in weighed.weights.items():
            said, about = self._said.get(term, {}), self._about.get(term, {})
            for number in said.keys() | about.keys():
                gain = self._gain(weight, said.get(number, 0), about.get(number, 0), self.texts[number].size)
                scores[number] = scores.get(number, 0.0) + gain
        return scores

    def _gain(self, weight: float, said: int, about: int, size: int) -> float:
        mean = max(self._size / max(len(self.texts), 1), 1.0)
        times = said / (1 - NORM + NORM * size / mean) + ABOUT * about
        return weight * times * (SATURATION + 1) / (times + SATURATION)

    def _outside(self, text: Text, weighed: _Weighed) -> float:
        """BM25 of a text that isn't in the index."""
        said, about = _counted(text.text), _counted("\n".join(text.about))
        size = max(said.total(), int(self._size / max(len(self.texts), 1)))
        gains = (self._gain(weight, said[term], about[term], size) for term, weight in weighed.weights.items())
        return sum(gains)

    def _again(self, score: float, text: Text, weighed: _Weighed) -> Found:
        """A text judged by how near its words stand, by its kind and its age."""
        near, place = nearness(text.text, weighed.weights)
        about = max((nearness(part, weighed.weights)[0] for part in text.about), default=0.0)
        kind = KIND * bool(weighed.kinds & text.kinds) + FRESH * text.position / max(weighed.newest, 1)
        if (at := _quoted(text.text, weighed.quote)) >= 0:
            kind, place = kind + QUOTED, at
        return Found(score + NEAR * near + ABOUT_NEAR * about + weighed.whole * kind, text, place)


def text_of(entry: Entry, session: str, redact: Callable[[str], str] = str, *, without: Container[str] = ()) -> Text:
    """A message as a text that can be recalled."""
    kind = entry.message.role
    said = redact(archived(entry.message, without=without))
    return Text(entry.address, kind, said, entry.position, session, kinds={kind})


def _counted(text: str) -> Counter[str]:
    """How often each term is in a text, however long it is."""
    found: Counter[str] = Counter()
    for at in range(0, len(text), LONGEST):
        found.update(terms(text[at : at + LONGEST]))
    found.update(folder.lower() for folder in FOLDER.findall(text))
    return found


def _quotes(text: Text, quote: str) -> bool:
    return _quoted(text.text, quote) >= 0


def _quoted(text: str, quote: str) -> int:
    """Where a text has a quote word for word; -1 where it hasn't, or has only the beginning of a longer word."""
    low = text.lower() if quote else ""
    at = low.find(quote) if quote else -1
    while at >= 0 and (_joined(low, at) or _joined(low, at + len(quote))):
        at = low.find(quote, at + 1)
    return at


def _joined(text: str, at: int) -> bool:
    """Whether a name goes on over a place."""
    around = text[max(at - 1, 0) : at + 1] if at else ""
    return len(around) == 2 and all(each.isascii() and (each.isalnum() or each == "_") for each in around)


def _newest_first(found: list[Found]) -> list[Found]:
    """The same, but of two versions of one thing that answer equally well the newer one first."""
    out: list[Found] = []
    for each in found:
        at = len(out)
        while at and _older(out[at - 1], each):
            at -= 1
        out.insert(at, each)
    return out


def _older(first: Found, second: Found) -> bool:
    one, other = first.text, second.text
    same = one.about and one.about == other.about and one.kinds == other.kinds
    return bool(same) and one.position < other.position and second.score >= ALIKE * first.score


def _once(found: Sequence[Found]) -> Iterator[Found]:
    seen: set[str] = set()
    for each in found:
        squeezed = " ".join(each.text.text.split())
        if squeezed not in seen:
            seen.add(squeezed)
            yield each
