"""What a session learns for the next one: decisions, contracts, pitfalls and the user's standing constraints.

Written by code as it watches, in the session's own words, each once: ids come from the session and what is
recorded, so a session that is opened again writes nothing twice. Contracts and pitfalls as they come, words at each
compaction and at the end. Records of what no longer holds stay; whoever reads them judges by the newer ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from operator import attrgetter
from typing import Final

from context_kit.engrams import PROMOTED, Deed, Said, Trail, revises, sentences
from context_kit.memory._journal._book import LONGEST, REFERENCE, Book
from context_kit.memory._journal._declarations import Declarations
from context_kit.memory._journal._pitfalls import Pitfalls
from context_kit.memory._journal._standing_rules import bound, standing
from context_kit.memory._journal._undone import retraction, undone_at
from context_kit.summary import decisions
from context_kit.types import Decision

__all__ = ["LESSONS", "Lessons"]

LESSONS: Final = ("decide", "contract", "pitfall", "constraint", "revise", REFERENCE)
"""Actions of the records that are written here."""
STATEMENTS: Final = 200
"""So many newest statements are looked at at once."""
PERSON: Final = 20_000
"""Characters of a person's text; a longer one is data that was pasted."""
REQUEST: Final = 2_000
"""Characters of a text in which a person decides something; a longer one is a report or a document."""


@dataclass(slots=True)
class Lessons:
    """What of a session's trail stands in the journal as something to know later."""

    book: Book
    since: int = 0
    """Position before which everything is another session's own: a fork's parent."""
    pitfalls: Pitfalls = field(init=False)
    declarations: Declarations = field(init=False)
    _said: int = 0
    _heard: int = 0
    _done: int = 0
    _decided: set[str] = field(default_factory=set[str])
    _fetched: Counter[str] = field(default_factory=Counter[str])
    """How often each record of another session was fetched, since this one was opened."""

    def __post_init__(self) -> None:
        self.pitfalls, self.declarations = Pitfalls(self.book), Declarations(self.book)

    def follow(self, trail: Trail) -> None:
        """Record what the work taught: contracts and pitfalls, as soon as they are known.

        Raises:
            StoreError: the journal can't be written; what was not written is tried again next time.
        """
        self._deeds(trail)
        self.book.write()

    def conclude(self, trail: Trail, summarised: Sequence[Decision] = (), compaction: str = "") -> None:
        """Record what was said: rules and decisions, which count once nothing near takes them back.

        Args:
            trail: the session up to now.
            summarised: decisions that a model's summary holds.
            compaction: id of the compaction that it was made for.

        Raises:
            StoreError: the journal can't be written; what was not written is tried again next time.
        """
        self._words(trail)
        self._statements(trail)
        self._summary(summarised, compaction)
        self.book.write()

    # -- words -------------------------------------------------------------------------

    def _words(self, trail: Trail) -> None:
        """A person's standing constraints, decisions, and the words that take something back."""
        for said in trail.words[self._heard :]:
            clean = trail.clean(said, trail.redact)
            if said.position < self.since or len(clean.text) > PERSON:
                continue
            rules = frozenset(trail.once(standing, clean))
            chosen = dict(trail.once(decisions, clean)) if len(clean.text) <= REQUEST else {}
            for line in sentences(clean.text):
                action = "constraint" if line in rules else "decide" if line in chosen else "revise"
                if len(line) <= LONGEST and (action != "revise" or revises(line)) and not bound(line):
                    self.book.note(said.position, action, line, action=action, reason=_with(line, chosen.get(line, "")))
        self._heard = len(trail.words)

    def _statements(self, trail: Trail) -> None:
        """What the assistant decided, with its reason."""
        fresh = trail.statements[max(self._said, len(trail.statements) - STATEMENTS) :]
        for said in fresh:
            clean = trail.clean(said, trail.redact)
            taken_back = self._undone(trail, said, clean)
            for sentence, why in trail.once(decisions, clean):
                if sentence in taken_back:
                    continue
                self._decided.add(_plain(sentence))
                file, told = _file_at(trail, said), _line(_with(sentence, why))
                self.book.note(said.position, "decide", sentence, action="decide", file=file, reason=told)
        self._said = len(trail.statements)

    def _undone(self, trail: Trail, said: Said, clean: Said) -> str:
        """What the assistant takes back as it undoes its edit: recorded with its reason, under what it decided then."""
        told, recorded = trail.once(retraction, clean), ""
        for edit, then in undone_at(trail, said) if told else ():
            for sentence, why in trail.once(decisions, trail.clean(then, trail.redact)):
                was = {"name": self.book.id_of(then.position, "decide", sentence), "was": _line(_with(sentence, why))}
                what = {"action": "decide", "file": edit.act.path, "reason": _line(told), **was}
                self.book.note(said.position, "revise", sentence, **what)
                recorded = told
        return recorded

    def _summary(self, summarised: Sequence[Decision], compaction: str) -> None:
        """What only the summary tells."""
        for decision in summarised:
            plain = _plain(decision.decision)
            if plain and not any(plain in known or known in plain for known in self._decided):
                self._decided.add(plain)
                told = f"{decision.decision}: {decision.reason}" if decision.reason else decision.decision
                self.book.note(compaction, "decide", plain, action="decide", reason=_line(told))

    def refer(self, record: str) -> None:
        """Note that another session's record was fetched; up to the count that promotes it.

        Raises:
            StoreError: the journal can't be written; it is tried again next time.
        """
        self._fetched[record] += 1
        times = self._fetched[record]
        if times <= PROMOTED:
            session = self.book.memory.session
            self.book.note(REFERENCE, record, times, action=REFERENCE, name=record, result=f"{times}× by {session}")
            self.book.write()

    def _deeds(self, trail: Trail) -> None:
        edited: dict[str, Deed] = {}
        for deed in trail.deeds[self._done :]:
            act = deed.act
            if act.kind == "run" and act.command:
                self.pitfalls.ran(deed, trail.redact)
            elif act.failed or not act.path:
                continue
            elif act.kind == "read":
                self.declarations.read(act)
            elif act.kind == "edit":
                edited[act.path] = deed
                self.pitfalls.cured(deed)
        for path, deed in edited.items():
            view = trail.files.find(path)
            if view is not None:
                self.declarations.edited(trail, view, deed, path)
        self._done = len(trail.deeds)


def _file_at(trail: Trail, said: Said) -> str:
    """The file that was edited in the same message; empty where none was."""
    at = bisect_left(trail.deeds, said.position, key=attrgetter("position"))
    same = takewhile(lambda deed: deed.position == said.position, trail.deeds[at:])
    return next((trail.redact(deed.act.path) for deed in same if deed.act.kind == "edit" and deed.act.path), "")


def _with(sentence: str, why: str) -> str:
    """A sentence and its reason, where that stands in the next one."""
    return sentence if not why or why in sentence else f"{sentence} {why}"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .。!！")


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST]
