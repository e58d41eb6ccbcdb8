"""Processes killed at work: `python -m benchmarks.kill [--store files|postgres] [--rounds 500] [--seed S]`.

In each round two processes work on two sessions of one store: messages, calls and results, compactions, pins, journal
records of several writers, clean-ups, sessions finished and begun anew. Each tells every act on a pipe, before it and
after it. Both are killed with -9 at a moment drawn by chance, also in the middle of opening and writing. Then a new
process opens both sessions and compares: every acknowledged message and record there exactly once, as it was, in
order; window, receipts, usage and pins as they were told last; the session usable, its window legal; no stray files.
On PostgreSQL the server's backends and its postmaster are killed with -9, too, unless `--calm` is given.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks._killing._judge import Expected, examine, strays
from benchmarks._killing._work import WINDOW, receipts, work
from context_kit import ContextManager

SESSIONS = ("alpha", "beta")
ROUNDS_OF_A_STORE = 25
LATEST = 0.35
"""Seconds at work after which a process is dead, at the latest."""
AT_WORK = 0.8
"""Share of the rounds in which it is waited for that a session is open; else it may be killed before."""
LONGEST = 60.0
"""Seconds that opening one may take."""
JOBS = 2
DROPS = 50
"""Times that a schema is tried to be dropped."""


class Child:
    """A process that does one thing and can be killed at it."""

    def __init__(self, do: Callable[[int], None]) -> None:
        self.read, write = os.pipe()
        self.pid = os.fork()
        self.heard = b""
        if self.pid == 0:
            os.close(self.read)
            code = 0
            try:
                do(write)
            except BaseException:  # noqa: BLE001 - a child tells whatever it died of
                os.write(write, json.dumps({"error": traceback.format_exc()[-1_500:]}).encode() + b"\n")
                code = 1
            os._exit(code)
        os.close(write)

    def hear(self, until: float, sign: bytes, times: int) -> None:
        """Read until a moment, or until it told something so many times."""
        while (left := until - time.monotonic()) > 0 and self.heard.count(sign) < times:
            if select.select([self.read], [], [], left)[0]:
                data = os.read(self.read, 1 << 16)
                if not data:
                    return
                self.heard += data

    def end(self, *, kill: bool) -> list[str]:
        """What it told, all of it, once it is dead."""
        if kill:
            os.kill(self.pid, signal.SIGKILL)
        while data := os.read(self.read, 1 << 16):
            self.heard += data
        os.close(self.read)
        os.waitpid(self.pid, 0)
        return self.heard.decode().splitlines()


def killed(kind: str, where: str, rng: random.Random, expected: Sequence[Expected]) -> list[str]:
    """Both processes at work, each killed at a moment of its own; what they told that can't be."""
    children = []
    for each in expected:
        each.lives += 1
        children.append(Child(partial(work, kind, where, each.seed, each.session, each.lives)))
    broken: list[str] = []
    for child, each in zip(children, expected, strict=True):
        if rng.random() < AT_WORK:
            child.hear(time.monotonic() + LONGEST, b'"opened"', 1)
        acts = rng.choice((10_000, rng.randrange(1, 30)))
        child.hear(time.monotonic() + rng.random() * LATEST, b'"begin"', acts)
        time.sleep(rng.random() * 0.002)
        lines = child.end(kill=True)
        broken += [json.loads(line)["error"] for line in lines if line.startswith('{"error"')]
        broken += each.heard(line for line in lines if not line.startswith('{"error"'))
    return broken


def examined(kind: str, where: str, each: Expected, *, last: bool) -> list[str]:
    """What a new process finds broken; what it found is the truth from here on."""
    child = Child(lambda pipe: _tell(pipe, examine(kind, where, each, last=last)))
    found: dict[str, Any] = json.loads("".join(child.end(kill=False)) or '{"error": "the judge told nothing"}')
    if "error" in found:
        return [found["error"]]
    each.adopt(found)
    broken: list[str] = found["broken"]
    return broken


def _tell(pipe: int, found: dict[str, Any]) -> None:
    data = json.dumps(found).encode() + b"\n"
    while data:
        data = data[os.write(pipe, data) :]


def rounds(kind: str, count: int, seed: int, server: str) -> dict[str, Any]:
    """So many rounds, a new store now and then."""
    rng = random.Random(seed)
    broken: list[str] = []
    acts = 0
    _warm(kind)
    for first in range(0, count, ROUNDS_OF_A_STORE):
        with _place(kind, f"{seed}_{first}", server) as where:
            expected = [Expected(session, seed * 1_000 + first) for session in SESSIONS]
            until = min(first + ROUNDS_OF_A_STORE, count)
            for number in range(first, until):
                found = killed(kind, where, rng, expected)
                for each in expected:
                    found += examined(kind, where, each, last=number + 1 == until)
                broken += [f"seed {seed} round {number}: {text}" for text in found]
                if found:
                    break
            left = strays(where) if kind == "files" else []
            broken += [f"seed {seed} rounds {first} to {until}: stray files {left[:3]}"] if left else []
            acts += sum(each.acts for each in expected)
    return {"rounds": count, "acts": acts, "broken": broken}


def _warm(kind: str) -> None:
    """Load what a session loads, so that children are at work from their first moment."""
    for name in ("rewrite", "schema", "locks", "news") if kind == "postgres" else ():
        import_module(f"context_kit.memory._postgres._{name}")
    with tempfile.TemporaryDirectory() as where:
        for life in range(2):
            ctx = ContextManager.open(where, "warm", window=WINDOW)
            ctx.add(
                [{"role": "user", "content": "go on"}, {"role": "assistant", "content": f"{life} " + "word " * 4_000}]
            )
            ctx.compact()
            receipts(ctx)
            ctx.close()


@contextmanager
def _place(kind: str, name: str, server: str) -> Generator[str]:
    """A new place for a store: a directory, or a schema on a server."""
    if kind == "files":
        with tempfile.TemporaryDirectory(prefix="context_kit_kill_") as where:
            yield where
        return
    try:
        yield f"k{name} {server}"
    finally:
        _drop(server, f"k{name}")


def _drop(server: str, schema: str) -> None:
    """Take a schema out of a server that may be restarting."""
    import psycopg

    for _ in range(DROPS):
        try:
            with psycopg.connect(server, autocommit=True) as conn:
                conn.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'.encode())
        except psycopg.OperationalError:
            time.sleep(0.2)
        else:
            return


def main(argv: list[str] | None = None) -> int:
    """Print what was broken; 1 where anything was."""
    parser = argparse.ArgumentParser(prog="benchmarks.kill", description=__doc__)
    parser.add_argument("--store", choices=("files", "postgres"), default="files")
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--json", type=Path, help="write what was broken")
    parser.add_argument("--server", default="", help="a PostgreSQL server's address; without it, one is started")
    parser.add_argument("--calm", action="store_true", help="only the clients are killed, not the server")
    parser.add_argument("--part", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    for name in ("context_kit", "psycopg"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if args.part:
        print(json.dumps(rounds(args.store, args.rounds, args.seed, args.server)))
        return 0
    began = time.monotonic()
    with _server(args.store, args.server, args.seed, calm=args.calm) as server:
        found = _parts(args.store, args.rounds, args.seed, max(1, min(args.jobs, args.rounds)), server)
    broken = [text for part in found for text in part["broken"]]
    for text in broken:
        print(text)
    done, acts = sum(part["rounds"] for part in found), sum(part["acts"] for part in found)
    print(f"{done} rounds on {args.store}, seed {args.seed}: {acts} acts acknowledged, {len(broken)} broken, ", end="")
    print(f"{time.monotonic() - began:.0f} s")
    if args.json:
        args.json.write_text(json.dumps(broken, indent=1), "utf-8")
    return 1 if broken or not acts else 0


@contextmanager
def _server(kind: str, given: str, seed: int, *, calm: bool) -> Generator[str]:
    """The address of the server, where one is needed; its backends and the postmaster are killed meanwhile."""
    if kind == "files" or given:
        yield given
        return
    from benchmarks._trouble import place

    with place(str(seed), quiet=calm) as server:
        yield server


def _parts(kind: str, count: int, seed: int, jobs: int, server: str) -> list[dict[str, Any]]:
    """The rounds, shared by so many processes."""
    command = [sys.executable, "-m", "benchmarks.kill", "--part", "--store", kind, "--server", server]
    shares = [count // jobs + (job < count % jobs) for job in range(jobs)]
    parts = [
        subprocess.Popen([*command, "--rounds", str(share), "--seed", str(seed + job)], stdout=subprocess.PIPE)
        for job, share in enumerate(shares)
    ]
    told = [part.communicate()[0] for part in parts]
    return [json.loads(text or '{"rounds": 0, "acts": 0, "broken": ["a part of the run died"]}') for text in told]


if __name__ == "__main__":
    sys.exit(main())
