"""What becomes of a summariser's lies: `python -m benchmarks.grounding [--seed N] [--only ID] [--json OUT]`.

Every shared transcript, compacted with a summariser that mixes true entries with made-up paths,
functions, numbers, errors and decisions. Judged by the summary that each compaction leaves, and by
the bridge: at least 95 % of the lies must be gone, at most 2 % of the true entries.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._truth._lies import Said, made_up, true_ones
from benchmarks._truth._talk import chosen_seed
from benchmarks._truth._window import bridge_of
from benchmarks.transcripts import documents, windows
from context_kit import Budget, ContextManager, SummaryRequest, TaskSummary
from context_kit.testing import ScriptedLLM

CAUGHT = 0.95
"""Share of the lies that must be gone."""
REMOVED = 0.02
"""Share of the true entries that may be gone."""
MOST_ASKED = 10_000
"""Scripted replies; more than any session asks for."""


@dataclass
class Row:
    """One transcript: entries said and left, by kind."""

    id: str
    asked: int = 0
    lies: dict[str, int] = field(default_factory=dict)
    believed: dict[str, int] = field(default_factory=dict)
    true: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    unreported: int = 0
    """Lies that are gone and that the receipt says nothing of."""
    refused: int = 0
    """Replies that were refused whole, or whose compaction was not applied."""
    shown: list[str] = field(default_factory=list)


class Liar:
    """A summariser whose replies are half made up."""

    def __init__(self, whole: str, rng: random.Random) -> None:
        self.whole, self.rng = whole, rng
        self.said: list[Said] = []

    def __call__(self, request: SummaryRequest) -> str:
        """True entries and lies, in no order."""
        text = request.transcript
        self.said = [*true_ones(text, self.rng), *made_up(text, self.whole, self.rng)]
        self.rng.shuffle(self.said)
        reply: dict[str, Any] = {name: [] for name in TaskSummary.model_fields}
        for said in self.said:
            reply[said.field].append(said.entry)
        return json.dumps({**reply, "original_goal": "Do what was asked."}, ensure_ascii=False)


def plain(text: str) -> str:
    """A text in one line and without its case, as a summary may write it."""
    return " ".join(text.lower().split())


def judge(row: Row, ctx: ContextManager, said: list[Said]) -> None:
    """Look for each entry of the newest reply in the summary, and for each lie in the bridge, too."""
    receipt = ctx.compactions[-1]
    if receipt.outcome != "applied" or receipt.summariser != "llm" or receipt.summary is None:
        row.refused += 1
        row.shown += [f"refused: {failure}" for failure in receipt.failures]
        return
    row.asked += 1
    left = plain(json.dumps(receipt.summary.model_dump(exclude={"original_goal"}), ensure_ascii=False))
    left = left.replace('\\"', '"')
    bridge = plain(bridge_of(ctx.messages))
    told = [plain(name) for name in receipt.fidelity.ungrounded]
    for each in said:
        mark = plain(each.mark)
        total, kept = (row.lies, row.believed) if each.lie else (row.true, row.removed)
        total[each.kind] = total.get(each.kind, 0) + 1
        if each.lie == (mark in left or (each.lie and mark in bridge)):
            kept[each.kind] = kept.get(each.kind, 0) + 1
            row.shown.append(f"{'believed' if each.lie else 'removed'} {each.kind}: {each.entry}")
        elif each.lie:
            row.unreported += not any(name in mark or mark in name for name in told)


def run(document: dict[str, Any], seed: int) -> Row:
    """One document, compacted by a summariser that lies."""
    rng = random.Random(f"{seed} {document['id']}")
    row = Row(document["id"])
    window = windows(document)[0]
    liar = Liar(json.dumps(document, ensure_ascii=False).lower(), rng)
    # a summary share in which nothing has to fold, so that what is gone was taken out by the check
    budget = Budget(window, summary=0.30, pins=0.10, notes=0.04, tail=0.10, target=0.60)
    llm = ScriptedLLM([liar] * MOST_ASKED)
    ctx = ContextManager(
        window, budget=budget, llm=llm, llm_window=2_000_000, system=document.get("system"), tools=document.get("tools")
    )
    for index, message in enumerate(document["messages"]):
        if message["role"] == "assistant" and index:
            before = len(ctx.compactions)
            ctx.prepare()
            if len(ctx.compactions) > before and llm.requests:
                judge(row, ctx, liar.said)
        ctx.add(message)
    return row


def shares(rows: list[Row]) -> tuple[float, float]:
    """The share of the lies that are gone, and of the true entries."""
    lies, believed = (sum(sum(getattr(row, name).values()) for row in rows) for name in ("lies", "believed"))
    true, removed = (sum(sum(getattr(row, name).values()) for row in rows) for name in ("true", "removed"))
    return 1 - believed / max(lies, 1), removed / max(true, 1)


def table(rows: list[Row]) -> bool:
    """Show the kinds; whether both bounds hold."""
    for name, of in (("believed", "lies"), ("removed", "true")):
        totals, found = Counter[str](), Counter[str]()
        for row in rows:
            totals.update(getattr(row, of))
            found.update(getattr(row, name))
        print(f"{name} of {of}: " + ", ".join(f"{kind} {found[kind]}/{totals[kind]}" for kind in totals))
    caught, removed = shares(rows)
    asked, refused = sum(row.asked for row in rows), sum(row.refused for row in rows)
    print(f"replies {asked}, refused {refused}, unreported {sum(row.unreported for row in rows)}")
    print(
        f"lies caught {caught:.1%} (at least {CAUGHT:.0%}), true entries removed {removed:.1%} (at most {REMOVED:.0%})"
    )
    return asked > 0 and caught >= CAUGHT and removed <= REMOVED


def main(argv: list[str] | None = None) -> int:
    """Run every document; 1 where a bound doesn't hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, help="a fresh one by default")
    parser.add_argument("--only")
    parser.add_argument("--shown", type=int, default=0, help="show so many findings of each document")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    seed = chosen_seed(args.seed)
    print(f"seed {seed}")
    rows = []
    for document in documents(args.only):
        row = run(document, seed)
        rows.append(row)
        caught, removed = shares([row])
        print(f"{row.id:34} replies {row.asked:>3}  caught {caught:7.1%}  removed {removed:6.1%}", flush=True)
        for line in row.shown[: args.shown]:
            print(f"    {line[:240]}")
    held = table(rows)
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False), "utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
