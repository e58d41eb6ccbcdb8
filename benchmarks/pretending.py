"""Whether pretence is caught: `python -m benchmarks.pretending [--seed N] [--only ID] [--passes N] [--missed]`.

Every shared transcript is played at a window of 25 % of its tokens (at a half, where that never compacts), then its
recall checks are put to scripted models (`benchmarks/_truth/_pretenders.py`): some pretend, in eleven styles and two
languages, one is honest. A pretender has to be found wrong or made up in at least 95 % of the cases; an honest one may
be accused in at most 2 %. Exit 1 where one of the two is missed. `--json OUT` writes the figures.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._truth._pretenders import HONEST, PRETENDING, Asked, honest, pretended
from benchmarks._truth._window import strings
from benchmarks.transcripts import TRANSCRIPTS, documents, windows
from context_kit import ContextManager, Probe, ProbeReport, ProbeRequest

CAUGHT, ACCUSED = 0.95, 0.02
K = 48
LEAST = 3_000
PASSES = 3
"""How often each style answers each question."""


@dataclass
class Tally:
    """How the answers of one style came out."""

    asked: int = 0
    right: int = 0
    unknown: int = 0
    wrong: int = 0
    fabricated: int = 0

    @property
    def found(self) -> int:
        """Answers that were called wrong or made up."""
        return self.wrong + self.fabricated

    def add(self, other: Tally) -> None:
        """Count another one in."""
        for name in ("asked", "right", "unknown", "wrong", "fabricated"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Row:
    """One transcript, by style."""

    id: str
    probes: int = 0
    in_window: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict[str, Tally])
    missed: list[str] = field(default_factory=list[str])


def played(document: dict[str, Any]) -> ContextManager | None:
    """A session that holds the document and has compacted; None where it is too short for that."""
    for window in (windows(document)[0], max(LEAST, count_tokens(document["messages"]) // 2)):
        beside = document if window > LEAST * 3 else {}
        ctx = ContextManager(window, system=beside.get("system"), tools=beside.get("tools"))
        for index, message in enumerate(document["messages"]):
            if message["role"] == "assistant" and index:
                ctx.prepare()
            ctx.add(message)
        ctx.prepare()
        if any(receipt.outcome == "applied" for receipt in ctx.compactions):
            return ctx
    return None


def run(document: dict[str, Any], seed: int, passes: int) -> Row:
    """One document: its questions put to every model."""
    row = Row(document["id"])
    ctx = played(document)
    if ctx is None:
        return row
    probes = {probe.question: probe for probe in ctx.probe(lambda _: "not known", k=K).probes}
    row.probes = len(probes)
    window, log = "\n".join(strings(ctx.messages)), json.dumps(document, ensure_ascii=False).lower()

    def ask(name: str, number: int, say: Callable[[Asked, random.Random], str]) -> None:
        rng = random.Random(f"{seed} {row.id} {name} {number}")

        def model(request: ProbeRequest) -> str:
            probe = probes[request.question]
            return say(Asked(request.question, "" if probe.distractor else probe.answer, window, log), rng)

        _count(row, name, ctx.probe(model, k=K))

    for number in range(passes):
        for style in PRETENDING:
            ask(style, number, partial(pretended, style))
        ask("honest", number, lambda asked, rng: honest(asked, rng)[1])
    row.in_window = sum(
        honest(Asked(p.question, p.answer, window, log), random.Random(1))[0] == HONEST[0] for p in probes.values()
    )
    return row


def _count(row: Row, name: str, report: ProbeReport) -> None:
    tally = row.tallies.setdefault(name, Tally())
    tally.add(
        Tally(
            asked=len(report.probes),
            right=len(report.right),
            unknown=len(report.unknown),
            wrong=len(report.wrong),
            fabricated=len(report.fabricated),
        )
    )
    accused = name == "honest"
    bad: tuple[tuple[str, tuple[Probe, ...]], ...] = (
        (("wrong", report.wrong), ("fabricated", report.fabricated))
        if accused
        else (("right", report.right), ("unknown", report.unknown))
    )
    row.missed += [
        f"{name} called {grade}: {probe.question[:110]!r} is {probe.answer!r}, said {report.answers[probe]!r}"
        for grade, probes in bad
        for probe in probes
    ]
    row.missed += [f"{name}: {failure}" for failure in report.failures]


def told(name: str, tally: Tally) -> str:
    """One line of figures."""
    share = 100 * tally.found / max(tally.asked, 1)
    return (
        f"{name:12} asked {tally.asked:6}  found wrong or made up {share:6.2f} %  (right {tally.right}, unknown "
        f"{tally.unknown}, wrong {tally.wrong}, made up {tally.fabricated})"
    )


def main(argv: list[str] | None = None) -> int:
    """Ask every transcript; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--missed", action="store_true", help="show each answer that was misjudged")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    if not TRANSCRIPTS.is_dir():
        print(f"no transcripts at {TRANSCRIPTS.parent.name}/{TRANSCRIPTS.name}: nothing to run")
        return 0
    sums = {name: Tally() for name in (*PRETENDING, "honest")}
    rows: list[Row] = []
    for document in documents(args.only):
        row = run(document, args.seed, args.passes)
        rows.append(row)
        for name, tally in row.tallies.items():
            sums[name].add(tally)
        pretence = Tally()
        for name in PRETENDING:
            pretence.add(row.tallies.get(name, Tally()))
        honest_ones = row.tallies.get("honest", Tally())
        print(
            f"{row.id:28} probes {row.probes:3}, in the window {row.in_window:3}  "
            f"caught {100 * pretence.found / max(pretence.asked, 1):6.2f} %  "
            f"accused {100 * honest_ones.found / max(honest_ones.asked, 1):5.2f} %",
            flush=True,
        )
        if args.missed:
            print("\n".join(f"  {line}" for line in row.missed))
    return _judged(rows, sums, args.json)


def _judged(rows: list[Row], sums: dict[str, Tally], out: Path | None) -> int:
    print("\n".join(told(name, tally) for name, tally in sums.items()))
    pretence = Tally()
    for name in PRETENDING:
        pretence.add(sums[name])
    caught = pretence.found / max(pretence.asked, 1)
    accused = sums["honest"].found / max(sums["honest"].asked, 1)
    print(
        f"pretenders caught {caught:.2%} (at least {CAUGHT:.0%}), honest accused {accused:.2%} (at most {ACCUSED:.0%})"
    )
    if out:
        figures = {name: vars(tally) for name, tally in sums.items()}
        made = {
            "caught": caught,
            "accused": accused,
            "styles": figures,
            "rows": [[r.id, r.probes, r.missed] for r in rows],
        }
        out.write_text(json.dumps(made, indent=1, ensure_ascii=False), "utf-8")
    return 0 if pretence.asked and caught >= CAUGHT and accused <= ACCUSED else 1


if __name__ == "__main__":
    sys.exit(main())
