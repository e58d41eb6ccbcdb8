"""A summariser whose provider breaks: `python -m benchmarks.faults [--runs 100] [--only KIND] [--json OUT]`.

Each kind of reply and fault, so many runs blocking and as many awaited; the runs go round chat completions,
Responses and messages, half of them streamed, a fifth warm. A real client of the SDK speaks to a server on loopback
that judges each request. A run is broken by a lost log, an illegal list or request, a window that doesn't fit, or a
fall that no receipt tells.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import Counter
from pathlib import Path

from tests.llm.trials import APIS, KINDS, trial


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.faults", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="runs of each kind and driver")
    parser.add_argument("--only", help="one kind of reply or fault")
    parser.add_argument("--json", type=Path, help="write what was broken, by kind")
    args = parser.parse_args(argv)
    logging.getLogger("context_kit").setLevel(logging.CRITICAL)
    kinds = [name for name in KINDS if args.only in (None, name)]
    runs: Counter[str] = Counter()
    broken: dict[str, list[str]] = {name: [] for name in kinds}
    for name in kinds:
        for number in range(args.runs):
            api, stream = list(APIS)[number % len(APIS)], bool(number // 6 % 2)
            for awaited in (False, True):
                found = trial(api, name, number // len(APIS), stream=stream, awaited=awaited)
                runs[name] += 1
                broken[name] += [f"{api} run {number}: {text}" for text in found[:1]]
        first = f": {broken[name][0][:160]}" if broken[name] else ""
        print(f"{name:14} {runs[name]:5} runs  {len(broken[name]):3} broken{first}", flush=True)
    if args.json:
        args.json.write_text(json.dumps(broken, indent=1), "utf-8")
    total = sum(map(len, broken.values()))
    print(f"{sum(runs.values())} runs, {total} broken")
    return 1 if total or not kinds else 0


if __name__ == "__main__":
    sys.exit(main())
