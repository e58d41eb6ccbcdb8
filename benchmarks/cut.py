"""Many processes append to one memory on PostgreSQL over several ways; one way is cut in the middle, and healed.

    python -m benchmarks.cut [--processes 16] [--appends 1000] [--ways 4] [--seconds 15] [--proxies]

Told: how many records are lost, doubled, damaged, or out of a writer's own order; how many changes of the others
a process missed or heard twice; what the processes behind the cut could write meanwhile. Exit code 1 where
anything is wrong. Each process has a session and appends through `ctx.memory`, as an agent does.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import blake2b

from benchmarks._postgres import NoServerError, Server
from benchmarks._ways import Way, by_namespaces, namespaces, proxies
from context_kit import ContextManager, Record
from context_kit.memory import PostgresStore

PATIENCE = 120.0
"""Seconds for which an append is tried again."""
LOOK = 50
"""Appends between two looks at what the others wrote."""
HEARD = 30.0
"""Seconds within which the last change has to be heard."""


@dataclass(slots=True)
class Worker:
    """A process, and what it has told."""

    name: str
    process: subprocess.Popen[str]
    acknowledged: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    """When each append returned, and the record's id."""
    heard: str = ""
    """How many changes it heard, how many of them twice."""
    reader: threading.Thread | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def follow(self) -> None:
        """Read what it tells, until it ends."""
        for line in self.process.stdout or ():
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "ack":
                self.acknowledged.append((time.monotonic(), rest))
            elif kind == "heard":
                self.heard = rest
            elif kind == "done":
                self.done.set()
        self.done.set()

    def end(self) -> None:
        """Kill it, where it hasn't ended, and close its pipes."""
        self.process.kill()
        self.process.wait()
        if self.reader is not None:
            self.reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def say(self, word: str) -> None:
        """Tell it to go on."""
        if self.process.stdin is not None:
            self.process.stdin.write(f"{word}\n")
            self.process.stdin.flush()


def text_of(name: str, number: int) -> str:
    """A result that shows whether it came back whole: its size differs from its neighbours'."""
    return f"{number} " + blake2b(f"{name}:{number}".encode()).hexdigest() * (1 + number % 7)


def work(url: str, name: str, appends: int, others: int) -> None:
    """What one process does."""
    heard: Counter[str] = Counter()
    with PostgresStore(url, patience=PATIENCE) as store, ContextManager(8_000, store=store, session=name) as ctx:
        _say("ready")
        sys.stdin.readline()
        for number in range(appends):
            made = ctx.memory.append(action="decide", file=f"{name}.py", result=text_of(name, number))
            _say(f"ack {made.id}")
            if number % LOOK == 0:
                heard.update(record.id for record in ctx.memory.changes())
        _say("done")
        sys.stdin.readline()
        until = time.monotonic() + HEARD
        while heard.total() < others and time.monotonic() < until:
            heard.update(record.id for record in ctx.memory.changes())
            time.sleep(0.05)
    _say(f"heard {len(heard)} {heard.total() - len(heard)}")


def _say(text: str) -> None:
    print(text, flush=True)


def started(ways: Sequence[Way], processes: int, appends: int) -> list[Worker]:
    """The processes, each at its way, ready to begin."""
    workers: list[Worker] = []
    for number in range(processes):
        way, name = ways[number % len(ways)], f"w{number}"
        numbers = ["--appends", str(appends), "--others", str((processes - 1) * appends)]
        command = [*way.prefix, sys.executable, "-m", "benchmarks.cut", "--worker", name, "--url", way.url, *numbers]
        workers.append(
            Worker(name, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        )
    for worker in workers:
        if worker.process.stdout is None or worker.process.stdout.readline() != "ready\n":
            msg = f"{worker.name} did not start"
            raise RuntimeError(msg)
        worker.reader = threading.Thread(target=worker.follow, daemon=True)
        worker.reader.start()
    return workers


def run(ways: Sequence[Way], workers: Sequence[Worker], *, total: int, seconds: float) -> tuple[int, int, float]:
    """Let them write, cut one way off and heal it; appends behind it and elsewhere meanwhile, and seconds in all."""
    began = time.monotonic()
    for worker in workers:
        worker.say("go")
    while sum(len(worker.acknowledged) for worker in workers) < total // 4:
        time.sleep(0.01)
    ways[0].cut()
    cut = time.monotonic() + 0.5  # what was on the way is through
    time.sleep(seconds)
    healed = time.monotonic()
    ways[0].heal()
    for worker in workers:
        worker.done.wait(timeout=2 * PATIENCE)
    took = time.monotonic() - began
    for worker in workers:
        worker.say("end")
    for worker in workers:
        worker.process.wait(timeout=2 * HEARD)
    behind, elsewhere = (
        sum(
            cut < at < healed
            for number, worker in enumerate(workers)
            if (number % len(ways) == 0) is here
            for at, _ in worker.acknowledged
        )
        for here in (True, False)
    )
    return behind, elsewhere, took


def judged(records: Sequence[Record], workers: Sequence[Worker], appends: int) -> dict[str, int]:
    """What is wrong, by name."""
    counts = Counter(record.id for record in records)
    found: dict[str, list[str]] = {worker.name: [] for worker in workers}
    for record in records:
        found.setdefault(record.session, []).append(record.result)
    acknowledged = [name for worker in workers for _, name in worker.acknowledged]
    heard = [worker.heard.split() or ["0", "0"] for worker in workers]
    others = (len(workers) - 1) * appends
    texts = {worker.name: [text_of(worker.name, number) for number in range(appends)] for worker in workers}
    return {
        "not acknowledged": len(workers) * appends - len(acknowledged),
        "same record twice": len(acknowledged) - len(set(acknowledged)),
        "lost": sum(counts[name] == 0 for name in acknowledged),
        "doubled": sum(count - 1 for count in counts.values()),
        "damaged or of nobody": sum(
            text not in set(texts.get(name, ())) for name, said in found.items() for text in said
        ),
        "writers out of order": sum(found[name] != texts[name] for name in texts),
        "changes missed": sum(others - int(each) for each, _ in heard),
        "changes heard twice": sum(int(twice) for _, twice in heard),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The benchmark, or one of its processes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--appends", type=int, default=1_000)
    parser.add_argument("--ways", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=15.0, help="how long the way is cut")
    parser.add_argument("--proxies", action="store_true", help="proxies on the loopback instead of namespaces")
    for inner in ("--worker", "--url"):
        parser.add_argument(inner, default="", help=argparse.SUPPRESS)
    parser.add_argument("--others", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args(argv)
    if asked.worker:
        work(asked.url, asked.worker, asked.appends, asked.others)
        return 0
    kind = "proxies" if asked.proxies or not by_namespaces() else "network namespaces"
    made: AbstractContextManager[tuple[Server, list[Way]]] = (
        proxies(asked.ways) if kind == "proxies" else namespaces(asked.ways)
    )
    try:
        with made as (server, ways):
            return report(server, ways, asked, kind)
    except NoServerError as error:
        print(f"not run: {error}")
        return 2


def report(server: Server, ways: Sequence[Way], asked: argparse.Namespace, kind: str) -> int:
    """Run it and tell; 1 where anything is wrong."""
    workers = started(ways, asked.processes, asked.appends)
    try:
        total = asked.processes * asked.appends
        behind, elsewhere, took = run(ways, workers, total=total, seconds=asked.seconds)
    finally:
        for worker in workers:
            worker.end()
    with PostgresStore(server.url) as store, ContextManager(8_000, store=store) as ctx:
        wrong = judged(ctx.memory.records(), workers, asked.appends)
    print(f"{asked.processes} processes x {asked.appends} appends over {len(ways)} {kind}, {took:.1f} s")
    print(f"one way cut for {asked.seconds:g} s: {behind} appends returned behind it meanwhile, {elsewhere} elsewhere")
    for name, count in wrong.items():
        print(f"  {name}: {count}")
    return 1 if any(wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
