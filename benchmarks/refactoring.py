"""The long refactoring: `python -m benchmarks.refactoring --seed S --seeds K --windows 8000,16000 [--json OUT]`.

A scripted agent converts a small project from sync to async, with every strategy for its history,
and what it repeats, contradicts, adds unasked and makes up is counted. The agent's rules stand in
`benchmarks/_refactoring/_agent.py`; they are the same for all strategies.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks._refactoring._play import Row, play
from benchmarks._refactoring._project import draw
from benchmarks._refactoring._strategies import STRATEGIES

FIGURES = ("repeated", "contradicted", "drift", "invented", "steps", "tokens", "compactions")
UNBOUND = ("none",)
"""Strategies without a compaction."""


class NoCompactionError(Exception):
    """A run that compares nothing."""


def run(seeds: Sequence[int], windows: Sequence[int], strategies: Sequence[str]) -> list[Row]:
    """A row for every seed, window and strategy.

    Raises:
        NoCompactionError: a run without a compaction, where there must be one.
    """
    rows: list[Row] = []
    for seed in seeds:
        project = draw(seed)
        for window in windows:
            for name in strategies:
                row = play(project, STRATEGIES[name](window), name=name, window=window)
                if not row.compactions and name not in UNBOUND:
                    msg = f"{name} with a window of {window} and seed {seed} never compacted: take a smaller window"
                    raise NoCompactionError(msg)
                rows.append(row)
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows summed over the seeds, a line for each strategy and window."""
    lines = [f"{'strategy':18} {'window':>7} " + " ".join(f"{name:>12}" for name in FIGURES) + f" {'solved':>8}"]
    for window in dict.fromkeys(row.window for row in rows):
        for name in dict.fromkeys(row.strategy for row in rows):
            found = [row for row in rows if (row.strategy, row.window) == (name, window)]
            sums = " ".join(f"{sum(getattr(row, figure) for row in found):>12,}" for figure in FIGURES)
            solved = f"{sum(row.solved for row in found)}/{len(found)}"
            lines.append(f"{name:18} {window:>7} {sums} {solved:>8}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--seeds", type=int, default=3, help="how many, from there on")
    parser.add_argument("--windows", default="8000", help="tokens, with commas between them")
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="names, with commas between them")
    parser.add_argument("--json", type=Path, help="where the rows go")
    args = parser.parse_args(arguments)
    names = args.strategies.split(",")
    if unknown := [name for name in names if name not in STRATEGIES]:
        parser.error(f"no strategy {unknown[0]!r}: there are {', '.join(STRATEGIES)}")
    seeds = range(args.seed, args.seed + args.seeds)
    try:
        rows = run(seeds, [int(window) for window in args.windows.split(",")], names)
    except NoCompactionError as error:
        print(f"refactoring: {error}", file=sys.stderr)
        return 1
    print(table(rows))
    if args.json is not None:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
