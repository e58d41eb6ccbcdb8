"""Rows as text: a table for the terminal, Markdown and a chart for a page, all from the same sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks._page import bars, table
from benchmarks._refactoring._play import Row

__all__ = ["KINDS", "chart", "page", "sums", "terminal"]

KINDS: Final = ("repeated", "contradicted", "drift", "invented")
COLUMNS: Final = {
    "strategy": "strategy",
    **{kind: kind for kind in KINDS},
    "faults": "faults",
    "steps": "steps",
    "tokens": "tokens sent",
    "compactions": "compactions",
    "solved": "solved",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """One strategy in one window, summed over the seeds."""

    strategy: str
    window: int
    repeated: int
    contradicted: int
    drift: int
    invented: int
    faults: int
    steps: int
    tokens: int
    compactions: int
    solved: str
    """How many of how many."""
    extracted: int
    """Texts that a model failed at."""


def sums(rows: Sequence[Row]) -> list[Sum]:
    """A line for each window and strategy, in the order in which they come."""
    found: list[Sum] = []
    for window in dict.fromkeys(row.window for row in rows):
        for name in dict.fromkeys(row.strategy for row in rows):
            mine = [row for row in rows if (row.strategy, row.window) == (name, window)]
            figures = {
                key: sum(getattr(row, key) for row in mine)
                for key in (*KINDS, "faults", "steps", "tokens", "compactions", "extracted")
            }
            solved = f"{sum(row.solved for row in mine)}/{len(mine)}"
            found.append(Sum(strategy=name, window=window, solved=solved, **figures))
    return found


def terminal(rows: Sequence[Row]) -> str:
    """The sums as lines of equal width."""
    failed = any(row.extracted for row in rows)
    figures = (*KINDS, "faults", "steps", "tokens", "compactions", *(("extracted",) if failed else ()))
    lines = [f"{'strategy':24} {'window':>7} " + " ".join(f"{name:>12}" for name in figures) + f" {'solved':>8}"]
    for each in sums(rows):
        told = " ".join(f"{getattr(each, figure):>12,}" for figure in figures)
        lines.append(f"{each.strategy:24} {each.window:>7} {told} {each.solved:>8}")
    return "\n".join(lines)


def page(rows: Sequence[Row], equal: Mapping[int, Mapping[str, int]]) -> str:
    """The sums as Markdown, a table for each window.

    Args:
        rows: of all runs.
        equal: by window, how often each strategy compacts over the same messages, where that was counted.
    """
    return "\n".join(_tables(rows, equal))


def _tables(rows: Sequence[Row], equal: Mapping[int, Mapping[str, int]]) -> Iterator[str]:
    seeds = sorted({row.seed for row in rows})
    whole = sums(rows)
    for window in dict.fromkeys(each.window for each in whole):
        mine = [each for each in whole if each.window == window]
        told = f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"
        yield f"**A window of {window:,} tokens**, {told} summed:\n"
        yield table(mine, COLUMNS | ({"extracted": "extracted"} if any(each.extracted for each in mine) else {}))
        if window in equal:
            yield f"Compactions in a window of {window:,} tokens, were the messages the same for all:\n"
            yield table([equal[window]], list(equal[window]))


def chart(rows: Sequence[Row]) -> str:
    """The faults of the smallest window as stacked bars."""
    window = min(row.window for row in rows)
    mine = [each for each in sums(rows) if each.window == window]
    seeds = len({row.seed for row in rows})
    return bars(
        [each.strategy for each in mine],
        {kind: [float(getattr(each, kind)) for each in mine] for kind in KINDS},
        f"Faults in {seeds} long refactorings, window of {window:,} tokens",
        note="Counted by the referee; a run that is stuck is stopped, so that it makes no more of them.",
        stacked=True,
    )
