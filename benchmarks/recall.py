"""Questions about what left the window: `python -m benchmarks.recall [--seed N] [--only ID] [--missed] [--json OUT]`.

Every shared transcript is played at a window of 12 % of its tokens (at least 8,000; where that never compacts, at a
half of its tokens), then up to 100 questions made by rule (`benchmarks/_truth/_questions.py`) are asked of
`ctx.recall`: about a file, a command, an error, an identifier, a line of prose, in words that don't quote it whole.
Counted: a right piece is first, or among five. Beside it a bare BM25 over the same messages. Exit 1 where first is
under 80 % or among five under 95 %, in all or in the Chinese ones.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._truth._questions import KINDS, Question, questions
from benchmarks._truth._window import left_of, strings
from benchmarks.transcripts import TRANSCRIPTS, documents, windows
from context_kit import ContextManager

FIRST, AMONG = 0.80, 0.95
LEAST = 2_000
"""Tokens of the smallest window."""
CHINESE = "mca-zh"
WORD = re.compile(r"[A-Za-z0-9_]+|[\u4e00-\u9fff]")


@dataclass
class Row:
    """What came back in one transcript."""

    id: str
    language: str
    asked: int = 0
    first: int = 0
    among: int = 0
    bare_first: int = 0
    bare_among: int = 0
    seconds: float = 0.0
    kinds: dict[str, list[int]] = field(default_factory=dict)
    """By kind: asked, first, among five."""
    missed: list[str] = field(default_factory=list)

    def add(self, other: Row) -> None:
        """Count another row in."""
        for name in ("asked", "first", "among", "bare_first", "bare_among", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for kind, counts in other.kinds.items():
            self.kinds[kind] = [a + b for a, b in zip(self.kinds.get(kind, [0, 0, 0]), counts, strict=True)]

    def told(self) -> str:
        """One line of figures."""
        share = [f"{100 * part / max(self.asked, 1):5.1f}" for part in (self.first, self.among)]
        bare = [f"{100 * part / max(self.asked, 1):5.1f}" for part in (self.bare_first, self.bare_among)]
        kinds = "  ".join(
            f"{kind} {100 * c[1] / c[0]:.0f}/{100 * c[2] / c[0]:.0f}" for kind in KINDS if (c := self.kinds.get(kind))
        )
        return (
            f"{self.id:26} asked {self.asked:4}  first {share[0]}  five {share[1]}  bare {bare[0]} {bare[1]}"
            f"  {1000 * self.seconds / max(self.asked, 1):5.1f} ms  {kinds}"
        )

    @property
    def ok(self) -> bool:
        """Whether both targets are met; nothing asked is nothing missed."""
        return self.first >= FIRST * self.asked and self.among >= AMONG * self.asked


class Bare:
    """BM25 as in the book, over whole messages: words in lower case, single Han characters."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.bags = [Counter(WORD.findall(text.lower())) for text in texts]
        self.often = Counter(word for bag in self.bags for word in bag)
        self.sizes = [sum(bag.values()) for bag in self.bags]
        self.mean = max(sum(self.sizes) / max(len(self.sizes), 1), 1)

    def best(self, query: str, k: int = 5) -> list[int]:
        """Positions of the best messages."""
        words = set(WORD.findall(query.lower()))
        scored = [(sum(self._weight(word, at) for word in words), at) for at in range(len(self.bags))]
        return [at for score, at in sorted(scored, key=lambda pair: (-pair[0], -pair[1])) if score][:k]

    def _weight(self, word: str, at: int) -> float:
        times = self.bags[at][word]
        rare = math.log(1 + (len(self.bags) - self.often[word] + 0.5) / (self.often[word] + 0.5))
        return rare * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * self.sizes[at] / self.mean))


def played(document: dict[str, Any]) -> ContextManager:
    """A session that holds the document and has compacted."""
    for window in (windows(document)[-1], max(LEAST, count_tokens(document["messages"]) // 2)):
        beside = document if window > LEAST * 3 else {}
        ctx = ContextManager(window, system=beside.get("system"), tools=beside.get("tools"))
        for index, message in enumerate(document["messages"]):
            if message["role"] == "assistant" and index:
                ctx.prepare()
            ctx.add(message)
        ctx.prepare()
        if any(receipt.outcome == "applied" for receipt in ctx.compactions):
            break
    return ctx


def ask(document: dict[str, Any], seed: int) -> Row:
    """One transcript: played, asked, counted."""
    row = Row(document["id"], "zh" if CHINESE in document["id"] else "en")
    ctx = played(document)
    left = left_of(ctx.messages, document["messages"])
    bare = Bare(["\n".join(strings(message)) for message in document["messages"][:left]])
    for question in questions(document, left, language=row.language, seed=seed):
        began = time.process_time()
        found = [int(each.address[1:]) - 1 for each in ctx.recall(question.words) if each.address[:1] == "m"]
        row.seconds += time.process_time() - began
        _count(row, question, found, bare.best(question.words))
    return row


def _count(row: Row, question: Question, found: Sequence[int], bare: Sequence[int]) -> None:
    first, among = bool(found) and found[0] in question.right, not question.right.isdisjoint(found)
    row.asked += 1
    row.first += first
    row.among += among
    row.bare_first += bool(bare) and bare[0] in question.right
    row.bare_among += not question.right.isdisjoint(bare)
    counts = row.kinds.setdefault(question.kind, [0, 0, 0])
    counts[:] = [counts[0] + 1, counts[1] + first, counts[2] + among]
    if not first:
        right = sorted(at + 1 for at in question.right)
        row.missed.append(
            f"{'second' if among else 'MISSED'} {question.kind}: {question.words!r} is m{right}, "
            f"came m{[at + 1 for at in found]}"
        )


def main(argv: list[str] | None = None) -> int:
    """Ask every transcript; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--missed", action="store_true", help="show each question that was not answered first")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    if not TRANSCRIPTS.is_dir():
        print(f"no transcripts at {TRANSCRIPTS.parent.name}/{TRANSCRIPTS.name}: nothing to run")
        return 0
    rows: list[Row] = []
    sums = {"en": Row("English", "en"), "zh": Row("Chinese", "zh"), "all": Row("all", "")}
    for document in documents(args.only):
        row = ask(document, args.seed)
        rows.append(row)
        sums[row.language].add(row)
        sums["all"].add(row)
        print("\n  ".join([row.told(), *(row.missed if args.missed else [])]), flush=True)
    print("\n".join(each.told() for each in sums.values()))
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in [*rows, *sums.values()]], indent=1), "utf-8")
    under = [row.id for row in rows if not row.ok]
    print(f"under a target: {', '.join(under) or 'none'}")
    return 0 if not under and sums["zh"].ok and sums["all"].ok else 1


if __name__ == "__main__":
    sys.exit(main())
