"""The probes of every compaction: `python -m benchmarks.probes [--json OUT] [--only ID] [--sample N --seed S]`.

Every shared transcript at windows of 25 % and 12 % of its tokens. Judged after each compaction, by code of its own:
there are at least 20 probes where 20 messages or more were removed, each answer stands in the transcript's own message
at its address, which has left the window, none stands in its question or shares most words with it, no question comes
twice, a distractor's name stands nowhere, questions are in the session's language. Beside it: where the answers
stand. `--sample` prints probes with their messages, to be checked by hand.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._truth._window import left_of, strings
from benchmarks.transcripts import TRANSCRIPTS, documents, windows
from context_kit import ContextManager
from context_kit.probes import NOT_KNOWN, Probe

LEAST, REMOVED = 20, 20
"""So many probes of a compaction that removed so many messages."""
LONGEST = 120
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[\u4e00-\u9fff]")
FILE = re.compile(r"[\w~.@+/-]*/([\w@+.-]+)\.\w{1,8}")
QUOTED = re.compile(r"`([^`]+)`")
AROUND = 220
"""Characters of a message around an answer, in a sample."""


@dataclass
class Row:
    """One transcript at one window."""

    id: str
    window: int
    compactions: int = 0
    large: int = 0
    """Compactions that removed 20 messages or more ..."""
    fewest: int | None = None
    """... and the fewest probes of one of them."""
    probes: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    difficulties: Counter[str] = field(default_factory=Counter)
    stands: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


@dataclass
class Asked:
    """One probe with where it comes from, for a sample."""

    id: str
    window: int
    compaction: str
    probe: Probe
    message: str


class Judge:
    """Judges the probes of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.messages: list[dict[str, Any]] = document["messages"]
        self.texts = ["\n".join([*strings(message), *_decoded(message)]) for message in self.messages]
        self.all = json.dumps(
            [document.get("system"), document.get("tools"), self.messages], ensure_ascii=False
        ).lower()
        self.chinese = document["id"].startswith("mca-zh")

    def look(self, probes: tuple[Probe, ...], left: int, removed: int) -> list[str]:
        """What is wrong with the probes of one compaction."""
        faults = [
            f"{fault}: {probe.question[:160]} -> {probe.answer}" for probe in probes for fault in self.of(probe, left)
        ]
        if removed >= REMOVED and len(probes) < LEAST:
            faults.append(f"{len(probes)} probes where {removed} messages were removed")
        twice = [question for question, times in Counter(probe.question for probe in probes).items() if times > 1]
        return faults + [f"asked twice: {question}" for question in twice]

    def of(self, probe: Probe, left: int) -> list[str]:
        """What is wrong with one probe."""
        found = [] if self.chinese == bool(re.search(r"[吗哪么多什]", QUOTED.sub("", probe.question))) else ["language"]
        if probe.answer == NOT_KNOWN:
            known = [name for name in QUOTED.findall(probe.question) if name.lower() in self.all]
            return found + [f"the session has {name}" for name in known]
        place = int(probe.address[1:])
        if not 0 < place <= left:
            found.append(f"{probe.address} did not leave")
        elif probe.answer not in self.texts[place - 1]:
            found.append(f"not in {probe.address}")
        if " ".join(probe.answer.lower().split()) in " ".join(probe.question.lower().split()):
            found.append("answer in question")
        if not 2 < len(probe.answer) <= LONGEST:
            found.append("length")
        named = FILE.fullmatch(probe.answer)  # which file is told by its name: many have its folders
        told, asked = (
            WORD.findall(named[1] if named else probe.answer),
            {word.lower() for word in WORD.findall(probe.question)},
        )
        new = [word for word in told if word.lower() not in asked]
        if sum(map(len, new)) < 0.4 * sum(map(len, told)):
            found.append("told by the question")
        return found


def _decoded(message: dict[str, Any]) -> list[str]:
    """Results that are JSON, as they read."""
    found: list[str] = []
    for text in strings(message):
        if text[:1] in ("{", "["):
            try:
                found += strings({"content": json.loads(text)})
            except ValueError:
                continue
    return found


def run(document: dict[str, Any], window: int, asked: list[Asked], *, stands: bool = True) -> Row:
    """Feed one document and judge the probes of each compaction."""
    messages, made, left = document["messages"], 0, 0
    ctx = ContextManager(window, system=document.get("system"), tools=document.get("tools"))
    row, judge = Row(document["id"], window), Judge(document)
    for index, message in enumerate(messages):
        if message["role"] == "assistant" and index:
            ctx.prepare()
            if len(ctx.compactions) > made:
                made, last = len(ctx.compactions), ctx.compactions[-1]
                if last.outcome == "applied":
                    before, left = left, left_of(ctx.messages, messages[:index])
                    found = ctx.standing if stands else dict.fromkeys(ctx.probes, "not looked for")
                    probes = tuple(found)
                    _count(row, found, left - before)
                    row.faults += [f"{last.id}: {fault}" for fault in judge.look(probes, left, left - before)]
                    asked += [Asked(row.id, window, last.id, probe, _around(judge, probe)) for probe in probes]
        ctx.add(message)
    return row


def _count(row: Row, probes: Mapping[Probe, str], removed: int) -> None:
    row.compactions += 1
    row.probes += len(probes)
    row.kinds.update("distractor" if probe.distractor else probe.kind for probe in probes)
    row.difficulties.update(probe.difficulty for probe in probes)
    row.stands.update(probes.values())
    if removed >= REMOVED:
        row.large += 1
        row.fewest = min(row.fewest if row.fewest is not None else len(probes), len(probes))


def _around(judge: Judge, probe: Probe) -> str:
    """The message around the answer."""
    if probe.distractor:
        return ""
    text = judge.texts[int(probe.address[1:]) - 1]
    at = max(text.find(probe.answer), 0)
    return text[max(at - AROUND, 0) : at + len(probe.answer) + AROUND]


def show(row: Row) -> None:
    """One line of figures."""
    fewest = "-" if row.fewest is None else str(row.fewest)
    stands = " ".join(f"{name} {row.stands[name]}" for name in ("window", "recoverable", "lost"))
    told = "ok" if not row.faults else f"{len(row.faults)} FAULTS: {row.faults[0][:200]}"
    print(
        f"{row.id:26}{row.window:>8,}  compactions {row.compactions:3} ({row.large:2} large, fewest {fewest:>3})"
        f"  probes {row.probes:5}  {stands:42}  {told}",
        flush=True,
    )


def sample(asked: list[Asked], number: int, seed: int) -> None:
    """Print probes to be checked by hand."""
    for at, each in enumerate(random.Random(seed).sample(asked, min(number, len(asked))), 1):
        probe = each.probe
        print(f"\n[{at}] {each.id} {each.window} {each.compaction} · {probe.kind} {probe.difficulty} {probe.address}")
        print(f"  Q {probe.question}\n  A {probe.answer}")
        if probe.also:
            print(f"  also {probe.also}")
        print("  | " + each.message.replace("\n", "\n  | "))


def main(argv: list[str] | None = None) -> int:
    """Run every document; 1 where a promise was broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--sample", type=int, default=0, help="print so many probes, to be checked by hand")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    if not TRANSCRIPTS.is_dir():
        print(f"no transcripts at {TRANSCRIPTS.parent.name}/{TRANSCRIPTS.name}: nothing to run")
        return 0
    rows, asked = [], list[Asked]()
    for document in documents(args.only):
        for window in windows(document):
            rows.append(run(document, window, asked, stands=not args.sample))
            if not args.sample:
                show(rows[-1])
    if args.sample:
        sample(asked, args.sample, args.seed)
    kinds, stands = sum((row.kinds for row in rows), Counter()), sum((row.stands for row in rows), Counter())
    print(f"{len(asked)} probes: {dict(kinds)}; {dict(stands)}")
    if args.json:
        args.json.write_text(json.dumps([vars(row) for row in rows], indent=1, ensure_ascii=False), "utf-8")
    return 1 if any(row.faults for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
