"""A PostgreSQL server that has a hard time: `python -m benchmarks._trouble SEED [--least S] [--most S]`.

Prints its conninfo, then at moments drawn by chance kills a client's backend or the postmaster with -9, or stops at
once; each time it starts again and recovers. Ends with its stdin, and tells how often it did what.
"""

from __future__ import annotations

import argparse
import random
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

from benchmarks._postgres import NoServerError, Server

__all__ = ["place"]

LEAST, MOST = 0.5, 4.0
"""Seconds between two troubles."""


@contextmanager
def place(seed: str, *, quiet: bool = False) -> Generator[str]:
    """The conninfo of such a server, in a process of its own.

    Args:
        seed: of the moments.
        quiet: a server that nobody kills.

    Raises:
        NoServerError: there is no server to be had here.
    """
    command = [sys.executable, "-m", "benchmarks._trouble", seed, *(["--most", "0"] if quiet else [])]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    with process:
        try:
            url = process.stdout.readline().strip() if process.stdout else ""
            if not url.startswith("postgresql:"):
                raise NoServerError(url)
            yield url
        finally:
            if process.stdin is not None:
                process.stdin.close()
            told = process.stdout.read().strip() if process.stdout else ""
            if told:
                print(told, file=sys.stderr)


def trouble(server: Server, rng: random.Random, least: float, most: float) -> Counter[str]:
    """Kill and start until stdin ends; how often what."""
    kinds: dict[str, Callable[[], object]] = {
        "backend killed": server.kill_backend,
        "postmaster killed": server.kill,
        "stopped at once": server.stop,
    }
    done = Counter[str]()
    while not select.select([sys.stdin], [], [], rng.uniform(least, most) if most else None)[0]:
        kind = rng.choice(list(kinds))
        kinds[kind]()
        server.start()
        done[kind] += 1
    return done


def main() -> int:
    """Run until stdin ends."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("seed")
    parser.add_argument("--least", type=float, default=LEAST)
    parser.add_argument("--most", type=float, default=MOST)
    asked = parser.parse_args()
    try:
        with Server() as server:
            print(server.url, flush=True)
            done = trouble(server, random.Random(asked.seed), asked.least, asked.most)
    except NoServerError as error:
        print(error, flush=True)
        return 2
    if done:
        print("server:", ", ".join(f"{count} x {kind}" for kind, count in sorted(done.items())), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
