"""Sessions in which everything breaks: `python -m benchmarks.chaos [--sessions 500] [--seed 1] [--json OUT]`.

Random sessions of all three shapes, and pieces of real ones where there are any, at windows from 2,000 to 1,000,000:
blocking, awaited, from threads, through `call`, with forks, exports, pins, kills. The summariser fails, lies, hangs,
answers late or says garbage; hooks raise, disks are full, providers throttle and overflow. Counted: stuck (a window
that does not fit, a call that does not return), illegal (a list that a provider would refuse), lost (a message that
was acknowledged and can't be brought back). 1 where anything was.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
import warnings
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

from benchmarks._chaos._judge import Verdict
from benchmarks._chaos._play import play
from benchmarks._judge import forget
from context_kit import _background
from tests.talks import warm

PATIENCE = 0.2
"""Seconds that a session waits for a summary in the background; minutes in earnest."""


def prepared() -> None:
    """Make a process ready to play."""
    logging.getLogger("context_kit").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", DeprecationWarning)
    warm()
    _background.LONGEST = PATIENCE


def numbered(which: tuple[int, int]) -> tuple[int, Verdict]:
    """Play one session of a seed."""
    seed, number = which
    found = play(f"{seed} {number}")
    forget()
    return number, found


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.chaos", description=__doc__)
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--only", type=int, help="the number of one session")
    parser.add_argument("--json", type=Path, help="write what was broken")
    args = parser.parse_args(argv)
    began = time.perf_counter()
    total, played = Verdict(), 0
    numbers = list(range(args.sessions)) if args.only is None else [args.only]
    with get_context("spawn").Pool(min(args.jobs, len(numbers) or 1), prepared) as pool:
        for number, found in pool.imap(numbered, [(args.seed, number) for number in numbers]):
            played += 1
            total.add(found, f"session {number}")
            if played % 50 == 0:
                print(f"{played} played, {time.perf_counter() - began:.0f} s", flush=True)
            if found.broken:
                first = [*found.stuck, *found.illegal, *found.lost][0]
                print(f"session {number}: {found.broken} broken, first {first[:300]}", flush=True)
    if args.json:
        args.json.write_text(json.dumps(asdict(total), indent=1), "utf-8")
    made = f"{total.lists} lists, {total.compactions} compactions in {time.perf_counter() - began:.0f} s"
    told = f"{len(total.stuck)} stuck, {len(total.illegal)} illegal, {len(total.lost)} lost"
    print(f"{played} sessions, {made}: {told}", flush=True)
    return 1 if total.broken or not played else 0


if __name__ == "__main__":
    sys.exit(main())
