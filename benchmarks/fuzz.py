"""Malformed messages given to `add`: `python -m benchmarks.fuzz [--messages 50000] [--seed 1] [--jobs 2] [--json OUT]`.

Legal messages of the three shapes are mutated, as dicts, as the SDKs' objects and as others, and random values are
made of known keys. Each is refused with an `InvalidMessageError` that names a field and says what to do, and leaves
records, window, usage and file as they were; or it was legal: then the next window is, and can be written as JSON.
Nothing takes longer than a bound. What is counted is printed; 1 where anything was broken.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks._judge import pairs_fault
from benchmarks._malformed import mutated, raw
from context_kit import ContextManager, InvalidMessageError, WindowExceededError
from context_kit.testing import Call, tool_round, user
from context_kit.typing import Shape
from context_kit.wire import faults

SHAPES: tuple[Shape, ...] = ("chat", "responses", "anthropic")
WINDOW = 200_000
A_SESSION = 40
"""Messages that one session is given."""
BOUND = 10
"""Seconds that one message may take, on a busy machine."""
PROGRESS = 50
"""Sessions after which it is told how far it is."""
LONGEST = 1_000
"""Characters of an error's text."""


class Hung(BaseException):
    """A message took longer than the bound; nobody may catch it on the way."""


@contextmanager
def bounded() -> Generator[None]:
    """Give up after the bound."""

    def give_up(*_: Any) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(BOUND)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Subject:
    """A session that is given malformed messages, and what it must not change."""

    def __init__(self, shape: Shape, seed: int, folder: Path | None) -> None:
        self.shape: Shape = shape
        self.rng = random.Random(f"{shape} {seed}")
        self.path = folder / f"s{seed}.jsonl" if folder else None
        self.folder = folder
        self.name = f"s{seed}"
        self.ctx = ContextManager(WINDOW, store=folder, session=self.name, redact=False)
        self.ctx.add([user("Fix it."), *tool_round([Call("Bash", {"command": "ls"}, result="a.py")], shape=shape)])
        waiting = Call("Bash", {"command": "ls"}, result=None, id="call_2")
        self.ctx.add(tool_round([waiting], shape=shape, text="Again."))

    def state(self) -> tuple[Any, ...]:
        """All that a refused message may not change."""
        log = self.ctx._session.log  # noqa: SLF001 - the records are the truth under test
        files = self._files()
        return list(map(id, log.records)), json.dumps(self.ctx.messages), self.ctx.usage, log.next_position, files

    def _files(self) -> list[bytes]:
        return [path.read_bytes() for path in sorted(self.folder.rglob("*.jsonl"))] if self.folder else []

    def give(self) -> tuple[str, str]:
        """Give one message: what came of it, and what was broken."""
        value = mutated(self.rng, self.shape) if self.rng.random() < 0.8 else raw(self.rng)
        before = self.state()
        try:
            with bounded():
                self.ctx.add(value)
        except InvalidMessageError as error:
            changed = "" if self.state() == before else "a refused message changed the session"
            return "refused", told_badly(error) or changed
        except Hung:
            return "hung", f"it took more than {BOUND} s"
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the fault looked for
            return "raised", f"{type(error).__name__}: {error!s:.200}"
        return "accepted", self.judged()

    def judged(self) -> str:
        """What is wrong with the window after a message was accepted."""
        try:
            with bounded():
                sent = self.ctx.prepare()
                json.dumps(sent, allow_nan=False)
        except WindowExceededError:
            return "the window does not fit"
        except Hung:
            return "prepare() hung"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the fault looked for
            return f"prepare() raised {type(error).__name__}: {error!s:.200}"
        found = faults(sent, shape=self.shape)
        if found:
            return f"illegal: {found[0]}"
        if self.shape == "responses":
            return ""
        try:
            return pairs_fault(sent) or ""
        except (TypeError, KeyError, AttributeError):  # a key of tomorrow that has the name of one of today
            return ""

    def reopened(self) -> str:
        """What is not the same when the session is read back from disk."""
        window = json.dumps(self.ctx.messages)
        self.ctx.close()
        if self.folder is None:
            return ""
        with ContextManager.open(self.folder, self.name, redact=False) as again:
            return "" if json.dumps(again.messages) == window else "the session on disk is another one"


def told_badly(error: InvalidMessageError) -> str:
    """What an error lacks: the field in front, what to do after it, a bounded text."""
    text = str(error)
    if not error.field or not text.startswith(f"{error.field}: "):
        return f"no field: {text:.200}"
    if ": " not in text[len(error.field) + 2 :]:
        return f"nothing says what to do: {text:.200}"
    return "" if len(text) <= LONGEST else f"a text of {len(text)} characters"


def session(which: tuple[int, int, int]) -> tuple[Counter[str], list[str]]:
    """Give one session of a seed so many messages; how many came to what, and everything that was broken."""
    seed, number, messages = which
    counted: Counter[str] = Counter()
    broken: list[str] = []
    shape = SHAPES[number % 3]
    where = f"seed {seed} session {number} {shape}"
    with tempfile.TemporaryDirectory() as place:
        subject = Subject(shape, seed * 1_000_000 + number, Path(place) if number % 2 else None)
        for at in range(messages):
            what, fault = subject.give()
            counted[what] += 1
            if fault:
                broken.append(f"{where} message {at}: {fault}")
                if what != "refused":
                    break  # what it would be given next can't be judged any more
        fault = subject.reopened()
        if fault:
            broken.append(f"{where}: {fault}")
    return counted, broken


def play(messages: int, seed: int, *, jobs: int = 1) -> tuple[Counter[str], list[str]]:
    """Give so many messages; how many came to what, and everything that was broken. The same with any `jobs`."""
    counted: Counter[str] = Counter()
    broken: list[str] = []
    sessions = [(seed, at // A_SESSION, min(A_SESSION, messages - at)) for at in range(0, messages, A_SESSION)]
    began = time.perf_counter()
    pool = get_context("spawn").Pool(jobs) if jobs > 1 else None
    with pool or nullcontext():
        for number, (more, faults_) in enumerate(pool.imap(session, sessions) if pool else map(session, sessions), 1):
            counted += more
            broken += faults_
            if number % PROGRESS == 0:
                seconds = time.perf_counter() - began
                print(f"{sum(counted.values())} messages, {seconds:.0f} s, {len(broken)} broken", flush=True)
    return counted, broken


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz", description=__doc__)
    parser.add_argument("--messages", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--json", type=Path, help="write what was broken")
    args = parser.parse_args(argv)
    began = time.perf_counter()
    counted, broken = play(args.messages, args.seed, jobs=args.jobs)
    for text in broken[:20]:
        print(text[:300])
    if args.json:
        args.json.write_text(json.dumps({"counted": counted, "broken": broken}, indent=1), "utf-8")
    told = ", ".join(f"{number} {what}" for what, number in sorted(counted.items()))
    print(f"{sum(counted.values())} messages in {time.perf_counter() - began:.0f} s: {told}; {len(broken)} broken")
    return 1 if broken or not counted else 0


if __name__ == "__main__":
    sys.exit(main())
