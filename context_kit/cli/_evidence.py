"""How sure a comparison over sessions is: each session is compared with itself, nothing else is assumed.

The invariant guarded here: the same pairs and seed give the same answer.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["CLEAR", "Evidence", "evidence", "wanted"]

RESAMPLES = 2_000
INTERVAL = 0.95
CLEAR = 0.1
"""Chance, at most, that so many sessions would get cheaper where a setting makes no difference."""
MANY = 2_000
"""Sessions beyond which nobody is told to look for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A setting's cost against the default's, session by session."""

    ratio: float
    """Geometric mean of the cost ratios; below 1 is cheaper."""
    low: float
    high: float
    """Ends of the bootstrap interval of that mean, 95 %."""
    better: int
    """Sessions that got cheaper."""
    worse: int
    chance: float
    """One-sided sign test over the sessions that differ."""

    @property
    def clear(self) -> bool:
        """Whether both say that it is cheaper."""
        return self.high < 1 and self.chance <= CLEAR


def evidence(ratios: Sequence[float], *, seed: int) -> Evidence:
    """What cost ratios, one a session, say.

    Args:
        ratios: above 0; those of 1 are ties: they count in the mean and not in the sign test.
        seed: of the resampling.
    """
    logs = [math.log(ratio) for ratio in ratios]
    better, worse = sum(each < 0 for each in logs), sum(each > 0 for each in logs)
    means = sorted(_resampled(logs, random.Random(seed))) or [0.0]  # noqa: S311 - resampling, no secret
    edge = (1 - INTERVAL) / 2
    low, high = means[int(edge * len(means))], means[min(int((1 - edge) * len(means)), len(means) - 1)]
    return Evidence(
        ratio=math.exp(_mean(logs)),
        low=math.exp(low),
        high=math.exp(high),
        better=better,
        worse=worse,
        chance=_sign(better, better + worse),
    )


def wanted(found: Evidence, *, sessions: int) -> int | None:
    """So many sessions, were they like those that were seen, would make it clear; None where none or too many would.

    The interval shrinks with the root of their number, and as large a share of them gets cheaper.

    Args:
        found: what the sessions said.
        sessions: how many they were.
    """
    differ = found.better + found.worse
    if found.ratio >= 1 or 2 * found.better <= differ:
        return None
    mean = -math.log(found.ratio)
    narrow = sessions * ((math.log(found.high) + mean) / mean) ** 2
    share = found.better / differ
    agree = next((n for n in range(1, MANY + 1) if _sign(round(share * n), n) <= CLEAR), MANY + 1)
    many = max(math.ceil(narrow), math.ceil(agree * sessions / differ), sessions)
    return many if many <= MANY else None


def _resampled(logs: Sequence[float], rng: random.Random) -> list[float]:
    return [_mean(rng.choices(logs, k=len(logs))) for _ in range(RESAMPLES)] if logs else []


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _sign(better: int, of: int) -> float:
    """Chance of at least so many heads."""
    return sum(math.comb(of, each) for each in range(better, of + 1)) / 2.0**of
