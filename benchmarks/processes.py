"""Many agents, one memory: `python -m benchmarks.processes [--processes N] [--appends N] [--json OUT]`.

Each process has a session of its own in one project, appends its records and looks for the others' all the
while; meanwhile the journal is rewritten again and again, as tidying does. Counted afterwards: records
lost, doubled, interleaved (a line that is no record), out of their writer's order, and changes that a process
did not see or saw twice, and records that its writer does not find. All have to be 0.
"""

from __future__ import annotations

import argparse
import json
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, cast

from context_kit import ContextManager
from context_kit.memory import JOURNAL, FileStore

LOOK = 50
"""Appends between two looks for changes."""


def worker(folder: Path, name: str, appends: int) -> None:
    """Append, look, and at last print what was seen of the others."""
    seen: list[str] = []
    with ContextManager(32_000, store=folder, session=name) as ctx:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(appends):
            ctx.memory.append(action="edit", cmd=f"{name} {number}", reason="word " * (number % 60))
            if number % LOOK == 0:
                seen += [record.cmd for record in ctx.memory.changes()]
                ctx.memory.related(f"edit {number}")
        print("done", flush=True)
        sys.stdin.readline()
        seen += [record.cmd for record in ctx.memory.changes()]
        found = [ctx.memory.search(f"{name} {number}", limit=1)[0].cmd for number in range(0, appends, LOOK)]
    wrong = sum(cmd != f"{name} {LOOK * number}" for number, cmd in enumerate(found))
    print(json.dumps({"seen": seen, "unfound": wrong}), flush=True)


def run(folder: Path, processes: int, appends: int) -> dict[str, int]:
    """What went wrong, counted."""
    names = [f"p{number}" for number in range(processes)]
    command = [sys.executable, "-m", "benchmarks.processes", "--worker"]
    children = [
        subprocess.Popen(
            [*command, str(folder), name, str(appends)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in names
    ]
    told = [tell(child, "ready") for child in children]
    for child in children:
        say(child)
    rewrites = 0
    store = FileStore(folder)
    waiting = selectors.DefaultSelector()
    for child in children:
        waiting.register(cast("IO[str]", child.stdout), selectors.EVENT_READ)
    while len(waiting.get_map()):
        rewrites += store.rewrite(JOURNAL, touched, archive=True) > 0
        for key, _ in waiting.select(timeout=0.05):
            told.append(cast("IO[str]", key.fileobj).readline().strip() == "done")
            waiting.unregister(key.fileobj)
    for child in children:
        say(child)
    said = {name: json.loads(child.communicate()[0] or "{}") for name, child in zip(names, children, strict=True)}
    seen = {name: Counter(each.get("seen", ())) for name, each in said.items()}
    unfound = sum(each.get("unfound", appends) for each in said.values())
    bad = sum(not each for each in told) + sum(child.returncode != 0 for child in children)
    return {
        "failed": bad,
        "rewrites": rewrites,
        "unfound": unfound,
        **counted(folder, names, appends),
        **unseen(seen, appends),
    }


def touched(line: dict[str, Any]) -> list[Mapping[str, Any]]:
    """Every tenth record gets a note, once."""
    return [{**line, "result": "noted"} if line.get("cmd", "").endswith("0") else line]


def tell(child: subprocess.Popen[str], word: str) -> bool:
    """Whether a process says this word."""
    return child.stdout is not None and child.stdout.readline().strip() == word


def say(child: subprocess.Popen[str]) -> None:
    """Let a process go on."""
    if child.stdin is not None:
        child.stdin.write("\n")
        child.stdin.flush()


def counted(folder: Path, names: list[str], appends: int) -> dict[str, int]:
    """Records lost, doubled, interleaved and out of order."""
    found: dict[str, list[int]] = {name: [] for name in names}
    interleaved = 0
    for line in (folder / "memory.jsonl").read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            interleaved += 1
            continue
        if "cmd" in record:
            name, number = record["cmd"].split()
            found[name].append(int(number))
    return {
        "lost": sum(len(set(range(appends)) - set(numbers)) for numbers in found.values()),
        "doubled": sum(len(numbers) - len(set(numbers)) for numbers in found.values()),
        "interleaved": interleaved,
        "disordered": sum(numbers != sorted(numbers) for numbers in found.values()),
    }


def unseen(seen: Mapping[str, Counter[str]], appends: int) -> dict[str, int]:
    """Changes that a process never saw, and those that it saw twice or that were its own."""
    every = {f"{name} {number}" for name in seen for number in range(appends)}
    own = {name: {f"{name} {number}" for number in range(appends)} for name in seen}
    return {
        "unseen": sum(len(every - own[name] - found.keys()) for name, found in seen.items()),
        "seen twice": sum(found.total() - len(found.keys() - own[name]) for name, found in seen.items()),
    }


def main(argv: list[str] | None = None) -> int:
    """Print the counts; 1 where one of them is not 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--appends", type=int, default=1_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--worker", nargs=3, metavar=("FOLDER", "NAME", "APPENDS"), help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.worker:
        folder, name, appends = args.worker
        worker(Path(folder), name, int(appends))
        return 0
    with tempfile.TemporaryDirectory() as place:
        start = time.perf_counter()
        found = run(Path(place), args.processes, args.appends)
        seconds = time.perf_counter() - start
    told = f"{args.processes} processes x {args.appends:,} appends in {seconds:.0f} s"
    print(f"{told}, {found['rewrites']} rewrites meanwhile")
    print(", ".join(f"{name} {count}" for name, count in found.items() if name != "rewrites"))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1), "utf-8")
    return 1 if any(count for name, count in found.items() if name != "rewrites") else 0


if __name__ == "__main__":
    sys.exit(main())
