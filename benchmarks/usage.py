"""The ledger against what providers really reported: `python -m benchmarks.usage [--clean] [--by transcript]`.

Scored by the evaluator of the shared usage folder: each request's input tokens are predicted before they
are told. Beside the ledger stands that evaluator's own baseline, last usage plus characters / 4.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from context_kit.tokens import Ledger, cost, counter, system_cost, tools_cost
from context_kit.wire import Reported, read

SHARED = Path(__file__).resolve().parents[2] / "shared"
WINDOW = 2_000_000
"""Larger than any of the sessions' windows: no report is to be ignored for its size."""
HEAD = f"{'':28} {'n':>5} {'median':>8} {'p90':>7} {'p99':>7} {'max':>7} {'under p99':>10} {'wape':>7}   (%)"


class Predictor:
    """The ledger as the evaluator drives it; also `--predictor benchmarks/usage.py:Predictor` there."""

    def start(self, info: dict[str, Any]) -> None:
        """A session begins, with what is sent beside its messages."""
        self.model: str | None = info["model"]
        self.count = counter(self.model)
        self.ledger = Ledger(WINDOW)
        self.held = system_cost(info["system"], count=self.count) + tools_cost(info["tools"], count=self.count)
        self.ledger.added(self.held)
        self.newest = 0

    def observe(self, message: dict[str, Any]) -> None:
        """A message was added."""
        found = read(message).messages
        self.newest = sum(cost(part, count=self.count, model=self.model) for part in found)
        self.held += self.newest
        self.ledger.added(self.newest)

    def usage(self, input_tokens: int, output_tokens: int | None) -> None:
        """The newest message answers a request of `input_tokens`."""
        self.ledger.reported(Reported(input_tokens=input_tokens, output_tokens=output_tokens), cost=self.newest)

    def compacted(self) -> None:
        """The context was replaced."""
        # The logs don't say what the agent's own compaction left; requests right after one aren't scored.
        self.held = self.newest
        self.ledger.compacted(self.held)

    def predict(self) -> int:
        """Input tokens of the next request."""
        return self.ledger.tokens


def evaluator() -> ModuleType:
    """The shared evaluator, by its path beside the repository."""
    path = SHARED / "usage" / "eval_usage.py"
    spec = importlib.util.spec_from_file_location("eval_usage", path)
    if not path.exists() or spec is None or spec.loader is None:
        sys.exit("usage: no ../shared/usage/eval_usage.py beside this repository: check the shared folder out there")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clean", action="store_true", help="only increments that the logs explain")
    parser.add_argument("--by", choices=("provider", "transcript"), default="provider")
    args = parser.parse_args()
    found = evaluator()
    for name, make in (("characters / 4", found.Chars4), ("ledger", Predictor)):
        table = found.score(make, SHARED / "usage", SHARED / "transcripts", clean=args.clean, by=args.by)
        print(f"{name}\n{HEAD}")
        for key, row in table.items():
            figures = (
                f"{row['med']:8.3f} {row['p90']:7.2f} {row['p99']:7.2f} {row['max']:7.2f} {row['under_p99']:10.2f}"
            )
            print(f"{key:28} {row['n']:5} {figures} {row['wape']:7.1f}")


if __name__ == "__main__":
    main()
