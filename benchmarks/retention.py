"""What a compaction keeps of real sessions: `python -m benchmarks.retention [--only ID] [--lost N] [--policy P]`.

Every shared transcript at windows of 25 % and 12 % of its tokens, fed message by message with
`prepare()` before each assistant message. Judged after each compaction and at the end, by a truth
that is written without the library's recogniser: edited and read files named, the last lines of
open errors, constraint sentences of the user and test commands word for word, and the engrams'
share of the window.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

from benchmarks._judge import count_tokens
from benchmarks._truth._calls import Call, calls_of
from benchmarks._truth._failures import failures_of, squeezed
from benchmarks._truth._files import edited, named, read, run_tests, same_files
from benchmarks._truth._person import constraints_in, person_texts
from benchmarks._truth._window import Archive, bridge_of, engram_tokens, left_of, recovered, text_of
from benchmarks.transcripts import TRANSCRIPTS, documents, windows
from context_kit import ContextManager
from context_kit.typing import Policy

TARGETS = {
    "edited": 1.0,
    "read": 0.9,
    "errors": 0.95,
    "errors back": 1.0,
    "rules": 1.0,
    "rules back": 1.0,
    "tests": 0.95,
}
"""Shares that must hold, by class: of the facts that left the tail, those named or present word for word, `back`
recoverable. `newest` is not judged: errors that no later failure of the same command has replaced."""
SHOWN = ("edited", "read", "errors", "newest", "errors back", "rules", "rules back", "tests")
CEILING = 0.20
"""Goal and engrams, share of the window."""


@dataclass
class Row:
    """One transcript at one window: counts over all of its judgements."""

    id: str
    window: int
    judged: int = 0
    expected: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    share: float = 0.0
    lost: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By class and fact: how often it was lost, first after which message and compaction."""

    def count(self, kind: str, fact: str, ok: bool, at: int, where: str) -> None:
        """One fact judged once."""
        self.expected[kind] = self.expected.get(kind, 0) + 1
        self.found[kind] = self.found.get(kind, 0) + ok
        if not ok:
            entry = self.lost.setdefault(f"{kind}: {fact}", {"times": 0, "stated": at, "first": where})
            entry["times"] += 1

    def kept(self, kind: str) -> float | None:
        """The share kept of a class; None where nothing was expected."""
        return self.found[kind] / self.expected[kind] if self.expected.get(kind) else None

    def missed(self) -> list[str]:
        """The classes under their target."""
        kept = {kind: self.kept(kind) for kind in TARGETS}
        under = [kind for kind, share in kept.items() if share is not None and share < TARGETS[kind]]
        return under + (["share"] if self.share > CEILING else [])


class Truth:
    """The facts of one document by position."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.calls: list[Call] = calls_of(document)
        self.edits = self._places(edited)
        self.reads = self._places(read)
        self.tests = self._places(run_tests)
        self.files = same_files([path for _, path in (*self.edits, *self.reads)])
        self.rules = [(at, rule) for at, text in person_texts(document) for rule in constraints_in(text)]

    def _places(self, paths: Callable[[Call], list[str]]) -> list[tuple[int, str]]:
        return [(call.answered, path) for call in self.calls for path in paths(call)]

    def before(self, places: list[tuple[int, str]], left: int) -> Iterator[tuple[str, int, list[str]]]:
        """Files touched before `left`: path, first position, spellings."""
        for path, spellings in self.files.items():
            at = [place for place, spelled in places if spelled in spellings and place < left]
            if at:
                yield path, at[0], spellings


@dataclass
class Judge:
    """Counts what the windows of one session keep of all that left their tail."""

    ctx: ContextManager
    truth: Truth
    row: Row

    def __post_init__(self) -> None:
        self.archive = Archive(self.ctx)

    def look(self, given: list[dict[str, Any]], where: str) -> None:
        """Judge the window as it stands after the given messages."""
        window = self.ctx.messages
        text, left = text_of(window), left_of(window, given)
        share = engram_tokens(bridge_of(window), self.ctx.engrams) / self.row.window
        self.row.judged += 1
        self.row.share = max(self.row.share, round(share, 4))
        self._files(text, left, where)
        self._failures(text, left, len(given), where)
        self._words(text, left, where)

    def _files(self, text: str, left: int, where: str) -> None:
        truth, count = self.truth, self.row.count
        edits = {path: (at, spellings) for path, at, spellings in truth.before(truth.edits, left)}
        for path, (at, spellings) in edits.items():
            count("edited", path, named(path, spellings, truth.files, text), at, where)
        for path, at, spellings in truth.before(truth.reads, left):
            if path not in edits:
                count("read", path, named(path, spellings, truth.files, text), at, where)

    def _failures(self, text: str, left: int, upto: int, where: str) -> None:
        failures = failures_of(self.truth.calls, upto, left)
        newest = {failure.key: failure.answered for failure in failures}
        for failure in failures:
            line, at = failure.line, failure.answered
            present = line in text
            self.row.count("errors", line, present, at, where)
            if newest[failure.key] == at:
                self.row.count("newest", line, present, at, where)
            self.row.count("errors back", line, present or self._back(line, at, text), at, where)

    def _words(self, text: str, left: int, where: str) -> None:
        rules = dict(reversed([(rule, at) for at, rule in self.truth.rules if at < left]))
        fits = sum(map(count_tokens, rules)) <= CEILING * self.row.window
        for rule, at in rules.items():
            present = rule in text
            if fits:
                self.row.count("rules", rule, present, at, where)
            self.row.count("rules back", rule, present or self._back(rule, at, text), at, where)
        tests = dict(reversed([(squeezed(command), at) for at, command in self.truth.tests if at < left]))
        for command, at in tests.items():
            self.row.count("tests", command, command in text, at, where)

    def _back(self, fact: str, at: int, text: str) -> bool:
        return bool(recovered(self.ctx, self.archive, fact, at, text))


def run(document: dict[str, Any], window: int, policy: Policy = "default") -> Row:
    """Feed one document and judge each compaction."""
    messages, made = document["messages"], 0
    ctx = ContextManager(window, system=document.get("system"), tools=document.get("tools"), policy=policy)
    judge = Judge(ctx, Truth(document), Row(document["id"], window))
    for index, message in enumerate(messages):
        if message["role"] == "assistant" and index:
            ctx.prepare()
            if len(ctx.compactions) > made:
                made, last = len(ctx.compactions), ctx.compactions[-1]
                if last.outcome == "applied":
                    judge.look(messages[:index], f"{last.id} before message {index}")
        ctx.add(message)
    if judge.row.judged:
        judge.look(messages, "the end")
    return judge.row


def percent(share: float | None) -> str:
    """A share as the table shows it."""
    return "-" if share is None else f"{100 * share:.0f}" if share in (0.0, 1.0) else f"{100 * share:.1f}"


def total(rows: list[Row]) -> Row:
    """All rows as one."""
    whole = Row("all", 0)
    for row in rows:
        whole.judged += row.judged
        whole.share = max(whole.share, row.share)
        for kind, number in row.expected.items():
            whole.expected[kind] = whole.expected.get(kind, 0) + number
            whole.found[kind] = whole.found.get(kind, 0) + row.found.get(kind, 0)
    return whole


def show(row: Row) -> None:
    cells = "".join(f"{percent(row.kept(kind)):>12}" for kind in SHOWN)
    told = ", ".join(row.missed()) or "ok"
    print(f"{row.id:26}{row.window:>8,}{row.judged:>4}{cells}{100 * row.share:>7.1f}  {told}", flush=True)


def main(argv: list[str] | None = None) -> int:
    """Run every document; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--lost", type=int, default=0, help="show so many lost facts of each row")
    parser.add_argument("--policy", choices=get_args(Policy), default="default")
    args = parser.parse_args(argv)
    if not TRANSCRIPTS.is_dir():
        print(f"no transcripts at {TRANSCRIPTS.parent.name}/{TRANSCRIPTS.name}: nothing to run")
        return 0
    heads = "".join(f"{kind:>12}" for kind in SHOWN)
    print(f"{'% kept':26}{'window':>8}{'n':>4}{heads}{'share':>7}  under target")
    rows = []
    for document in documents(args.only):
        for window in windows(document):
            row = run(document, window, args.policy)
            rows.append(row)
            show(row)
            for fact, entry in sorted(row.lost.items(), key=lambda item: -item[1]["times"])[: args.lost]:
                print(f"    lost {entry['times']}×, stated at {entry['stated']}, first {entry['first']}: {fact[:150]}")
    show(total(rows))
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False), "utf-8")
    return 1 if any(row.missed() for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
