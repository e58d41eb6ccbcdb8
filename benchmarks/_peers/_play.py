"""One peer through all transcripts: its process driven, its windows weighed and judged."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benchmarks._judge import count_tokens, pairs_fault
from benchmarks._peers._cost import Meter, uncompacted
from benchmarks._peers._known import Known
from benchmarks._peers._resume import CLASSES, Facts, facts_of, judged
from benchmarks._peers._shape import chat

__all__ = ["FINAL", "SOFT", "Row", "Task", "play", "tasks"]

SOFT = 0.70
FINAL = 0.40
"""Of the window: when a compaction is due, and what is left after it."""
HEAVY, HEAVIEST = 0.20, 0.65
"""A head above the first share, which nobody may shorten, moves the target to head + this share, at most the other."""
SUMMARY = 0.25
"""Of what is left: for a summary, at most."""
ROOT = Path(__file__).resolve().parents[2]
QUIET = {"LOG_LEVEL": "ERROR", "OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""Loggers and look-ups that would only cost time."""
Message = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """One transcript in one window, prepared."""

    transcript: str
    shares: list[float]
    """Of the transcript's tokens: which of the windows asked for this one stands for."""
    window: int
    messages: list[Message]
    head: int
    tools: list[Message]
    facts: Facts
    whole: float
    """Cost of the session when nothing is ever compacted."""

    @property
    def fixed(self) -> int:
        """Tokens of tools."""
        return count_tokens(self.tools)

    @property
    def budget(self) -> int:
        """Tokens that the final window may have, head and tools included."""
        head = self.fixed + count_tokens(self.messages[: self.head])
        if head > HEAVY * self.window:
            return int(min(head + HEAVY * self.window, HEAVIEST * self.window))
        return int(FINAL * self.window)

    def job(self) -> str:
        """What the peer's process is told."""
        fixed = self.fixed + count_tokens(self.messages[: self.head])
        target = self.budget - fixed
        told = {
            "messages": self.messages,
            "head": self.head,
            "tools": self.tools,
            "window": self.window,
            "soft": int(SOFT * self.window) - fixed,
            "target": target,
            "summary": int(SUMMARY * target),
        }
        return json.dumps(told, ensure_ascii=False) + "\n"


@dataclass
class Row:
    """What one peer made of one task; a peer that isn't there has one row that says why."""

    peer: str
    transcript: str = ""
    window: int = 0
    shares: list[float] = field(default_factory=list)
    missing: str = ""
    """Why there is nothing to judge."""
    classes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By class: `expected`, `found` and their `share`; found is 0 where the window doesn't count."""
    tokens: int = 0
    budget: int = 0
    over: bool = False
    legal: bool = False
    fault: str = ""
    requests: int = 0
    overflows: int = 0
    """Requests larger than the window."""
    refused: int = 0
    """Requests whose calls and results don't match."""
    compactions: int = 0
    cost: float = 0.0
    whole: float = 0.0
    cost_ratio: float = 0.0
    seconds_ratio: float = 0.0
    """CPU time of the peer against tokenising every text once, both in its own process."""
    lost: list[str] = field(default_factory=list)


def tasks(document: dict[str, Any], windows: Iterable[int], shares: Iterable[float]) -> list[Task]:
    """A transcript in each of its windows."""
    messages, tools = chat(document), document.get("tools") or []
    head = next((at for at, each in enumerate(messages) if each["role"] not in ("system", "developer")), 0)
    facts, whole, sizes = facts_of(document), uncompacted(messages, head, tools), list(windows)
    wanted = list(shares)
    stands = {size: wanted if len(sizes) == 1 else [wanted[at]] for at, size in enumerate(sizes)}
    return [Task(document["id"], stands[size], size, messages, head, tools, facts, whole) for size in sizes]


def play(known: Known, python: Path, found: list[Task]) -> Iterator[Row]:
    """A row for each task, as the peer's process gives it."""
    with subprocess.Popen(
        [str(python), "-m", f"benchmarks._peers.{known.module}"],
        cwd=ROOT,
        env={**os.environ, **QUIET},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ended = ""
        for task in found:
            if ended:
                yield _nothing(known, task, ended)
                continue
            try:
                process.stdin.write(task.job())
                process.stdin.flush()
                yield _row(known, task, process.stdout)
            except (BrokenPipeError, EOFError):
                ended = "its process ended"
                yield _nothing(known, task, ended)
            except ValueError as error:  # something else than the protocol's lines: what follows can't be told apart
                process.kill()
                ended = f"its process printed no JSON: {error}"[:300]
                yield _nothing(known, task, ended)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


def _nothing(known: Known, task: Task, why: str) -> Row:
    empty = {kind: _share(count["expected"], 0) for kind, count in task.facts.found([]).items()}
    return Row(known.name, task.transcript, task.window, task.shares, why, empty, whole=task.whole, cost=task.whole)


def _share(expected: int, found: int) -> dict[str, Any]:
    return {"expected": expected, "found": found, "share": round(found / expected, 4) if expected else None}


def _row(known: Known, task: Task, out: IO[str]) -> Row:
    head = task.messages[: task.head]
    meter, window = Meter(head, task.tools), list[Message]()
    row = Row(known.name, task.transcript, task.window, task.shares)
    base = task.fixed + count_tokens(head)
    for told in _told(out):
        if "error" in told:
            return _nothing(known, task, told["error"])
        if "final" in told:
            return _judge(row, task, meter, told)
        window = window[: told["keep"]] + told["add"]
        meter.sent(window)
        row.requests += 1
        row.overflows += count_tokens(window) + base > task.window
        row.refused += pairs_fault([*head, *window]) is not None
    raise EOFError


def _told(out: IO[str]) -> Iterator[dict[str, Any]]:
    for line in out:
        yield json.loads(line)


def _judge(row: Row, task: Task, meter: Meter, told: dict[str, Any]) -> Row:
    if told["library"] and row.peer.split(" ")[0] != "context_kit":
        msg = f"{row.peer}: its script imports the library"
        raise AssertionError(msg)
    window = [*task.messages[: task.head], *told["final"]]
    row.budget = task.budget
    verdict = judged(window, row.budget, task.fixed)
    row.tokens, row.over, row.fault, row.legal = verdict.tokens, verdict.over, verdict.fault, not verdict.fault
    counted = task.facts.found(window)
    row.classes = {
        kind: _share(counted[kind]["expected"], counted[kind]["found"] if verdict.counts else 0) for kind in CLASSES
    }
    row.lost = task.facts.missing(window)
    row.compactions = told["compactions"]
    row.cost, row.whole = round(meter.cost(told["asked"]), 1), round(task.whole, 1)
    row.cost_ratio = round(row.cost / task.whole, 4) if task.whole else 1.0
    row.seconds_ratio = round(told["seconds"] / max(told["bare"], 1e-6), 2)
    return row
