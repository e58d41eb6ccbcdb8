"""One problem and what the log shows of it; the problems of a tick."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from context_kit.engrams import Deed
from context_kit.harness.ticks._findings import Finding, first_of
from context_kit.harness.ticks._places import Spot
from context_kit.harness.ticks._words import WORDS, TickWords
from context_kit.tools import Check

__all__ = ["Case", "Judged", "how_fixed"]

NEAR, BESIDE = (
    re.compile(rf"(?:{'|'.join(words[name] for words in WORDS.values())}) \(m(\d{{1,9}})\)")
    for name in ("near", "beside")
)
"""The marks of an edit, as they stand in a tick file."""

ORIGIN = re.compile(
    rf"(?:{'|'.join(words[name] for words in WORDS.values() for name in ('by', 'test'))}) `[^`]{{1,8192}}`"
    rf"|(?:{'|'.join(words[name] for words in WORDS.values() for name in ('in', 'back', 'undone'))}) \d{{1,9}}"
)


def how_fixed(note: str) -> str:
    """Of what is told beside a finding, how it was fixed."""
    return ", ".join(part for part in ORIGIN.sub("", note).split(", ") if part.strip())


@dataclass(slots=True)
class Case:
    """One problem and what the log shows of it."""

    finding: Finding
    new: bool = True
    """Found in this tick."""
    edited: int = 0
    """Position of an edit at its place, as an earlier tick marked it."""
    near: int = 0
    """The same of an edit that may have been elsewhere."""
    spot: Spot | None = None
    """Its place."""
    waits: tuple[Check, ...] = ()
    """Of the check that printed it, what has not passed since."""
    skipped: int | None = None
    """How many tests the run that printed it left out; None where that isn't known."""
    missing: int = 0
    """Position of a failed run of its check that no longer printed it."""
    fixed: str = ""
    """How it was fixed; empty while it is open."""
    back: int = 0
    """Number of the tick that had fixed it before."""
    undone: bool = False
    """Its place was changed after that, and it was reported again."""

    @classmethod
    def left(cls, finding: Finding) -> Case:
        """A problem that an earlier tick left open."""
        marks = NEAR.search(finding.note), BESIDE.search(finding.note)
        edited, near = (int(found[1]) if found else 0 for found in marks)
        return cls(finding, new=False, edited=edited, near=near)

    def origin(self, words: TickWords) -> list[str]:
        """Who found it, and whether it is back."""
        finding = self.finding
        found = [f"{words['by']} `{finding.command}`"] if finding.command else []
        found += [f"{words['test']} `{finding.test}`"] if finding.test else []
        back = f"{words['undone' if self.undone else 'back']} {self.back}"
        return found + ([back] if self.back else [])

    def notes(self, words: TickWords, number: int) -> list[str]:
        """What is told beside it."""
        finding, spot = self.finding, self.spot
        found = self.origin(words)
        if finding.found_in != number:
            found.insert(bool(finding.command) + bool(finding.test), f"{words['in']} {finding.found_in}")
        if self.fixed:
            again = [f"{words['after']} (m{spot.undone})"] if spot is not None and spot.undone else []
            return [*found, self.fixed, *again]
        edited, near = (spot.edited, spot.near) if spot is not None else (self.edited, self.near)
        if edited:
            found.append(f"{words['near']} (m{edited}), {words['unverified']}")
        elif near:
            found.append(f"{words['beside']} (m{near})")
        return found + ([f"{words['missing']} (m{self.missing})"] if self.missing else [])


@dataclass(slots=True)
class Judged:
    """The problems of a tick."""

    cases: list[Case] = field(default_factory=list[Case])
    again: list[tuple[Finding, Finding]] = field(default_factory=list[tuple[Finding, Finding]])
    """Reported once more, and as an earlier tick fixed it."""
    checked: list[Deed] = field(default_factory=list[Deed])
    """Runs of checks that tested something, oldest first."""

    _named: dict[str, list[Case]] = field(default_factory=dict[str, list[Case]])
    """The cases by the file's own name."""

    def add(self, case: Case) -> Case:
        """One case more."""
        self.cases.append(case)
        self._named.setdefault(case.finding.name, []).append(case)
        return case

    def case(self, wanted: Finding, churn: Callable[[Finding], int]) -> Case | None:
        """The case of a finding that is known in this tick."""
        named = self._named.get(wanted.name, [])
        found = first_of((case.finding for case in named), wanted, churn)
        return next((case for case in named if case.finding is found), None)
