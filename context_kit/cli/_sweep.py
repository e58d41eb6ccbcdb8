"""The best band, tail and shares for somebody's own sessions, and how sure that is.

The invariant guarded here: a setting is chosen by one half of the sessions, where the evidence for it is clear, and
kept only where it is no worse than the default on the other half, which chose nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from context_kit._budget import Budget
from context_kit.cli._bill import bill
from context_kit.cli._evidence import Evidence, evidence, wanted
from context_kit.cli._jobs import Failed, Result
from context_kit.cli._prices import Price
from context_kit.cli._score import Score
from context_kit.cli._sources import Source
from context_kit.errors import BudgetError
from context_kit.harness.transcripts import TranscriptError

__all__ = ["LEAST", "Half", "Sweep", "Tried", "budgets", "sweep"]

BANDS = ((0.60, 0.65), (0.65, 0.70), (0.70, 0.75), (0.75, 0.78), (0.78, 0.80))
"""Soft and hard: those of `Budget.for_task`, one between, and the highest that leaves the default reserve."""


class Shape(NamedTuple):
    """Shares that are tried together; what isn't said is the default's."""

    target: float = 0.40
    tail: float = 0.10
    pins: float = 0.20


SHAPES = (
    Shape(),
    Shape(tail=0.05),
    Shape(target=0.35, tail=0.05),
    Shape(target=0.30, tail=0.04, pins=0.16),
    Shape(target=0.45, tail=0.15),
    Shape(target=0.50),
)
LEAST = 4
"""Sessions that can be split at all."""
ROUNDS = ((4, 8, 3), (2, 20, 3))
"""Of the sessions to choose by, one in so many, at most so many; of the settings, one in so many goes on."""

Run = Callable[[Sequence[tuple[Source, Budget]]], list[Result]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """A setting against the default, over some sessions."""

    sessions: int
    cost: Evidence
    """Prompts, summaries and what would be read again."""
    lost: int
    """Facts lost, less the default's."""
    fidelity: float
    """Share of facts that stand word for word in the window, less the default's; mean over classes, then sessions."""

    @property
    def verdict(self) -> str:
        """In a word or two, why it is taken or not."""
        if self.lost > 0:
            return "loses facts"
        if not self.keeps:
            return "keeps less"
        if self.cost.ratio >= 1:
            return "no cheaper"
        return "clear" if self.cost.clear else "not clear"

    @property
    def no_worse(self) -> bool:
        """The objective: nothing more lost, fidelity at least equal, and then not dearer."""
        return self.keeps and self.cost.ratio <= 1

    @property
    def keeps(self) -> bool:
        """Nothing more lost, and fidelity at least equal."""
        return self.lost <= 0 and self.fidelity >= -1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A setting that reached the last round."""

    budget: Budget
    chosen_by: Half
    checked_by: Half | None = None
    """Only of the one that was picked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What came out."""

    chosen: Budget
    reason: str
    settings: int
    """How many were tried."""
    train: tuple[str, ...]
    held_back: tuple[str, ...]
    finalists: tuple[Tried, ...]
    """Best first."""


def budgets(default: Budget) -> list[Budget]:
    """Every setting that is tried; the default first."""
    found = [default]
    for soft, hard in BANDS:
        for shape in SHAPES:
            try:
                budget = Budget(default.window, soft=soft, hard=hard, **shape._asdict())
            except BudgetError:
                continue
            if budget not in found:
                found.append(budget)
    return found


def sweep(sources: Sequence[Source], default: Budget, price: Price, run: Run, *, seed: int) -> Sweep:
    """Look for a better setting than the default.

    Args:
        sources: the sessions.
        default: what they are compared with.
        price: by which cost is counted.
        run: replays sessions under settings.
        seed: of the split and the resampling.

    Raises:
        TranscriptError: too few sessions for a split, or too few that fill the window; the text says what to do.
    """
    if len(sources) < LEAST:
        msg = (
            f"--sweep needs at least {LEAST} sessions, to choose by one half and check by the other: got {len(sources)}"
        )
        raise TranscriptError(msg)
    return _Sweep(sources, default, price, run, seed).result()


class _Sweep:
    """A sweep under way."""

    def __init__(self, sources: Sequence[Source], default: Budget, price: Price, run: Run, seed: int) -> None:
        self.default, self.price, self.run, self.seed = default, price, run, seed
        self.known: dict[tuple[str, Budget], Score] = {}
        self.ask(sources, [default])
        self.sources = [source for source in sources if (source.digest, default) in self.known]
        self.train, self.held = self.split()

    def ask(self, sources: Sequence[Source], settings: Sequence[Budget]) -> None:
        """Replay what wasn't yet."""
        wanted = [(s, b) for b in settings for s in sources if (s.digest, b) not in self.known]
        for (source, budget), found in zip(wanted, self.run(wanted), strict=True):
            if not isinstance(found, Failed):
                self.known[source.digest, budget] = found

    def split(self) -> tuple[list[Source], list[Source]]:
        """Two halves, each with its part of the sessions that compact at all."""
        rng = random.Random(self.seed)  # noqa: S311 - a split, no secret
        full = [each for each in self.sources if self.known[each.digest, self.default].compactions]
        if len(full) < 2:
            msg = (
                f"--sweep needs sessions that fill the window of {self.default.window} tokens, and {len(full)} of "
                f"{len(self.sources)} do: give a smaller --window or longer sessions"
            )
            raise TranscriptError(msg)
        rest = [each for each in self.sources if each not in full]
        rng.shuffle(full)
        rng.shuffle(rest)
        ordered = [*full, *rest]
        return ordered[::2], ordered[1::2]

    def result(self) -> Sweep:
        settings = budgets(self.default)
        finalists = self.finalists(settings)
        picked = next((each for each in finalists if each.chosen_by.keeps and each.chosen_by.cost.clear), None)
        chosen, reason = self.default, _none(finalists)
        if picked is not None:
            self.ask(self.held, [picked.budget])
            checked = self.half(self.held, picked.budget)
            finalists = [
                Tried(budget=each.budget, chosen_by=each.chosen_by, checked_by=checked) if each is picked else each
                for each in finalists
            ]
            chosen = picked.budget if checked.no_worse else self.default
            reason = _checked(checked)
        return Sweep(
            chosen=chosen,
            reason=reason,
            settings=len(settings),
            train=tuple(each.name for each in self.train),
            held_back=tuple(each.name for each in self.held),
            finalists=tuple(finalists),
        )

    def finalists(self, settings: list[Budget]) -> list[Tried]:
        """Successive halving: all settings on a few light sessions, the better ones on more, the best on all."""
        left, light = settings[1:], sorted(self.train, key=self.work)
        for part, most, share in ROUNDS:
            some = light[: max(2, min(math.ceil(len(light) / part), most))]
            self.ask(some, left)
            left = self.ranked(some, left)[: max(3, math.ceil(len(left) / share))]
        self.ask(self.train, left)
        return [Tried(budget=each, chosen_by=self.half(self.train, each)) for each in self.ranked(self.train, left)]

    def work(self, source: Source) -> tuple[bool, int]:
        """What comes first where little is to be replayed: sessions that compact, then those that take least."""
        made = self.known[source.digest, self.default].compactions
        return (not made, made * source.tokens)

    def ranked(self, sources: Sequence[Source], settings: Sequence[Budget]) -> list[Budget]:
        """Best first: what keeps as much as the default by cost, then the others by what they keep less."""

        def rank(budget: Budget) -> tuple[float, ...]:
            half = self.half(sources, budget)
            if half.keeps:
                return (0, half.cost.ratio)
            return (1, max(half.lost, 0), -half.fidelity, half.cost.ratio)

        return sorted(settings, key=rank)

    def half(self, sources: Sequence[Source], budget: Budget) -> Half:
        """A setting against the default on these sessions; one that it can't replay is lost whole."""
        ratios: list[float] = []
        lost, fidelity = 0, 0.0
        for source in sources:
            base, mine = self.known[source.digest, self.default], self.known.get((source.digest, budget))
            if mine is None:
                lost += 1
                continue
            ratios.append(self.cost(mine) / self.cost(base) if self.cost(base) else 1.0)
            lost += len(mine.lost) - len(base.lost)
            fidelity += kept(mine) - kept(base)
        return Half(
            sessions=len(sources),
            cost=evidence(ratios, seed=self.seed),
            lost=lost,
            fidelity=fidelity / len(sources) if sources else 0.0,
        )

    def cost(self, score: Score) -> float:
        """Prompts, summaries, and the file contents that would be read again, as new input."""
        price = self.price
        found = bill(score.requests, price, asked=score.asked, answered=score.answered).cost
        return found + score.reread * (price.miss if price.write is None else price.write) / 1e6


def kept(score: Score) -> float:
    """Share of facts word for word in the window, mean over classes; 1 where nothing had to leave."""
    shares = [one.present / one.expected for one in score.classes.values() if one.expected]
    return sum(shares) / len(shares) if shares else 1.0


def _none(finalists: Sequence[Tried]) -> str:
    keeping = [each for each in finalists if each.chosen_by.keeps]
    if not keeping:
        return "No other setting keeps as much: the default stays"
    best = keeping[0].chosen_by
    if best.cost.ratio >= 1:
        return "No setting that keeps as much is cheaper: the default stays"
    return (
        f"The cheapest setting that keeps as much costs {_less(best.cost)}: not clear enough, so the default stays. "
        f"{_more(best)}"
    )


def _more(half: Half) -> str:
    """How many sessions would tell."""
    number = wanted(half.cost, sessions=half.sessions)
    if number is None:
        return "More sessions of this kind would hardly make it clear"
    return f"About {2 * number} sessions of this kind, half of them to choose by, would make it clear"


def _less(cost: Evidence) -> str:
    """A saving with its evidence."""
    return (
        f"{1 - cost.ratio:.1%} less on average (95 %: {1 - cost.high:.1%} to {1 - cost.low:.1%}), less on "
        f"{cost.better} of {cost.better + cost.worse} sessions that differ"
    )


def _checked(checked: Half) -> str:
    first = "Clearly cheaper on the sessions to choose by"
    if not checked.no_worse:
        why = "dearer" if checked.keeps else checked.verdict
        return f"{first}, but not on those held back ({why}): the default stays"
    sure = "clear there, too" if checked.cost.clear else "no worse there, but by itself not clear"
    return f"{first}. On those held back it costs {_less(checked.cost)}: {sure}"
