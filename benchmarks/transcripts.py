"""The turn on real agent sessions: `python -m benchmarks.transcripts [--json OUT] [--only ID]`.

Every document of the transcripts folder, at windows of 25 % and 12 % of its tokens, fed message
by message with `prepare()` before each assistant message, and run twice. Judged here, not by the
library: each list is legal (the SDKs' own request types), fits by an independent count, keeps
the tail equal to the originals, is byte-identical in both runs, and between compactions only
grows at its end.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._judge import Judge, count_tokens, request_types
from context_kit import ContextManager

TRANSCRIPTS = Path(__file__).resolve().parents[2] / "shared" / "transcripts"
SHARES = (0.25, 0.12)
LEAST = 8_000


@dataclass
class Row:
    """One transcript at one window."""

    id: str
    window: int
    messages: int = 0
    lists: int = 0
    compactions: int = 0
    applied: int = 0
    rungs: dict[str, int] = field(default_factory=dict)
    peak: float = 0.0
    after: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def windows(document: dict[str, Any]) -> list[int]:
    """25 % and 12 % of the document's tokens, not under 8,000 nor five times system and tools."""
    fixed = count_tokens(document.get("system")) + count_tokens(document.get("tools"))
    total = count_tokens(document["messages"]) + fixed
    sizes = [max(int(share * total), LEAST, 5 * fixed) for share in SHARES]
    return list(dict.fromkeys(sizes))


def documents(only: str | None = None) -> Iterator[dict[str, Any]]:
    """The normalised transcripts, smallest first."""
    for path in sorted(TRANSCRIPTS.glob("*.json"), key=lambda path: path.stat().st_size):
        if only is None or only in path.stem:
            yield json.loads(path.read_text("utf-8"))


def run(document: dict[str, Any], window: int, row: Row | None) -> str:
    """Feed one document; the bytes of every list, judged where a row is given."""
    anthropic = document["format"] == "anthropic-messages"
    ctx = ContextManager(window, system=document.get("system"), tools=document.get("tools"))
    fixed = count_tokens(document.get("system")) + count_tokens(document.get("tools"))
    judge = Judge(document["messages"], window, fixed, request_types(anthropic=anthropic), row.faults if row else None)
    prints: list[int] = []
    for index, message in enumerate(document["messages"]):
        if message["role"] == "assistant" and index:
            out = ctx.prepare()
            prints.append(hash(json.dumps(out, ensure_ascii=True)))
            if row is not None:
                judge.look(out, index, len(ctx.compactions))
                row.lists += 1
                row.peak = max(row.peak, ctx.usage.share)
        ctx.add(message)
    if row is not None:
        row.messages, row.compactions = len(document["messages"]), len(ctx.compactions)
        for receipt in ctx.compactions:
            if receipt.outcome == "applied":
                row.applied += 1
                row.rungs[receipt.rung] = row.rungs.get(receipt.rung, 0) + 1
                row.after.append(round(receipt.tokens_after / window, 3))
    return repr(prints)


def main(argv: list[str] | None = None) -> int:
    """Run every document; 1 where a rule was broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only")
    args = parser.parse_args(argv)
    if not TRANSCRIPTS.is_dir():
        print(f"no transcripts at {TRANSCRIPTS.parent.name}/{TRANSCRIPTS.name}: nothing to run")
        return 0
    rows = []
    for document in documents(args.only):
        for window in windows(document):
            row = Row(document["id"], window)
            first = run(document, window, row)
            if run(document, window, None) != first:
                row.faults.append("two runs gave different bytes")
            rows.append(row)
            print(
                f"{row.id:28} window {window:7,}  lists {row.lists:4}  compactions {row.applied:3}/{row.compactions:<3}"
                f" peak {row.peak:.2f}  after {max(row.after, default=0):.2f}  {row.rungs}  "
                f"{'ok' if not row.faults else f'{len(row.faults)} FAULTS: ' + row.faults[0][:160]}",
                flush=True,
            )
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    broken = sum(bool(row.faults) for row in rows)
    print(f"{len(rows)} runs, {sum(row.lists for row in rows)} lists, {broken} with faults")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
