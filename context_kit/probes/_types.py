"""What a recall check is made of: a probe, the request that asks it, the report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from context_kit.summary import Name
from context_kit.types import ProbeCounts, ProbeRequest

__all__ = ["NOT_KNOWN", "Difficulty", "Has", "Judging", "Probe", "ProbeKind", "ProbeReport", "ProbeRequest"]

ProbeKind: TypeAlias = Literal["recall", "artifact", "continuation", "decision", "constraint"]
Difficulty: TypeAlias = Literal["easy", "medium", "hard"]

NOT_KNOWN = "not known"
"""The right answer to a distractor: a question about what the session never had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One question about what left the window, with the answer that the log has.

    Attributes:
        kind: what is asked for; see `ProbeKind`.
        question: complete by itself, in the session's language; it never holds its answer.
        answer: the log's own words, or `not known` for a distractor.
        address: where the log says it (`m12`); empty for a distractor.
        difficulty: how much must be kept in mind to answer.
        also: other answers that are right, whole.
    """

    kind: ProbeKind
    question: str
    answer: str
    address: str
    difficulty: Difficulty
    also: tuple[str, ...] = ()

    @property
    def distractor(self) -> bool:
        """Whether the honest answer is that it isn't known."""
        return not self.address


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ProbeReport:
    """How the answers came out. Every probe that was answered is in exactly one of the four.

    The four and `answers` tell of the window as it was before a repair, whatever came of that.

    Attributes:
        probes: all that were answered.
        right: answered with the log's answer, or honestly not known where the session never had it.
        unknown: honestly not known, of what the log has.
        wrong: another answer, or a vague one.
        fabricated: a name, number or path that the log never had.
        answers: what was answered, by probe.
        second: what was answered by those that were asked again, once their text had been put back.
        repaired: those of them that were right then. A receipt's `repaired` are the addresses of the texts.
        failures: why a question got no answer: what the model raised or returned, and whether others were not asked;
            and what was not put back, with the reason.
    """

    probes: tuple[Probe, ...] = ()
    right: tuple[Probe, ...] = ()
    unknown: tuple[Probe, ...] = ()
    wrong: tuple[Probe, ...] = ()
    fabricated: tuple[Probe, ...] = ()
    answers: Mapping[Probe, str] = field(default_factory=dict[Probe, str])
    second: Mapping[Probe, str] = field(default_factory=dict[Probe, str])
    repaired: tuple[Probe, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[Probe, ...]:
        """Every probe that was not answered right, in the order in which they were asked."""
        passed = set(self.right)
        return tuple(probe for probe in self.probes if probe not in passed)

    @property
    def share(self) -> float:
        """Share of the answers that were right; 1.0 where nothing was answered."""
        return len(self.right) / len(self.probes) if self.probes else 1.0

    @property
    def counts(self) -> ProbeCounts:
        """How many came out how."""
        return ProbeCounts(
            **{grade: len(getattr(self, grade)) for grade in ("right", "unknown", "wrong", "fabricated")}
        )

    def __repr__(self) -> str:
        counts = self.counts
        told = [f"{name}={getattr(counts, name)}" for name in ("right", "unknown", "wrong", "fabricated")]
        return f"ProbeReport({', '.join(told)}, repaired={len(self.repaired)}, failures={len(self.failures)})"


Judging: TypeAlias = "Callable[[Probe, str], bool | Awaitable[bool | None] | None]"
"""The caller's judge of an answer, sync or async: True is right, False is not, None leaves it to the rules."""

Has: TypeAlias = Callable[[Name], bool]
"""Whether the session's log has a name, a number or a path."""
