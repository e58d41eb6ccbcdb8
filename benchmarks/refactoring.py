"""The long refactoring: `python -m benchmarks.refactoring --seed S --seeds K --windows 8000,16000 [--json OUT]`.

A scripted agent converts a small project from sync to async, with every strategy for its history,
and what it repeats, contradicts, adds unasked and makes up is counted. The agent's rules stand in
`benchmarks/_refactoring/_agent.py`; they are the same for all strategies. `--markdown` and `--svg`
write what stands in the docs; a page with the marks `<!-- refactoring -->` keeps the rest of its text.
With `--llm` a model writes the summaries: any OpenAI-compatible server.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks._arguments import names, positive, sizes, target
from benchmarks._page import put
from benchmarks._refactoring._model import Model, NoModelError
from benchmarks._refactoring._play import Row
from benchmarks._refactoring._report import chart, page, terminal
from benchmarks._refactoring._run import NoCompactionError, equal, run
from benchmarks._refactoring._strategies import EXTRA, STRATEGIES, UNASKED
from context_kit.errors import ContextKitError

LISTED = ",".join(name for name in STRATEGIES if name not in EXTRA)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="benchmarks.refactoring", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--seeds", type=positive, default=3, help="how many, from there on")
    parser.add_argument("--windows", type=sizes, default="8000", help="tokens, with commas between them")
    parser.add_argument(
        "--strategies", type=names, default=LISTED, help=f"names, with commas between them; more: {', '.join(EXTRA)}"
    )
    parser.add_argument("--jobs", type=positive, default=2, help="processes")
    parser.add_argument("--llm", action="store_true", help="summaries by a model instead of extracted ones")
    parser.add_argument("--base-url", default="http://127.0.0.1:8089/v1", help="of the model's server, as SDKs want it")
    parser.add_argument("--model", default="local", help="what the server calls it")
    parser.add_argument("--equal", action="store_true", help="count compactions over the same messages, too")
    parser.add_argument("--json", type=target, help="where the rows go")
    parser.add_argument("--markdown", type=Path, help="where the tables go")
    parser.add_argument("--svg", type=target, help="where the chart goes")
    args = parser.parse_args(arguments)
    wanted: list[str] = args.strategies
    if unknown := [name for name in wanted if name not in STRATEGIES]:
        parser.error(f"no strategy {unknown[0]!r}: there are {', '.join(STRATEGIES)}")
    seeds = range(args.seed, args.seed + args.seeds)
    windows: list[int] = args.windows
    model = Model(args.base_url, args.model) if args.llm else None
    try:
        if model is not None:
            model.check()
        rows = run(seeds, windows, wanted, jobs=args.jobs, model=model, told=_progress)
    except (NoCompactionError, NoModelError, ContextKitError) as error:
        print(f"refactoring: {error}", file=sys.stderr)
        return 1
    counted = {window: equal(seeds, window, wanted) for window in windows} if args.equal else {}
    print(terminal(rows))
    if extracted := sum(row.extracted for row in rows):
        print(f"refactoring: the model failed at {extracted} texts, which were extracted instead", file=sys.stderr)
    for window, found in counted.items():
        told = ", ".join(f"{name} {count}" for name, count in found.items())
        print(f"compactions over the same messages, window {window}: {told}")
    if args.json is not None:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", "utf-8")
    if args.markdown is not None:
        put(args.markdown, "refactoring", page(rows, counted))
    if args.svg is not None:
        args.svg.write_text(chart(rows), "utf-8")
    return 1 if model is not None and _in_vain(rows) else 0


def _in_vain(rows: Sequence[Row]) -> bool:
    """Whether the model was asked, and none of the texts is its own."""
    asked = [row for row in rows if row.strategy not in UNASKED]
    return bool(asked) and all(row.extracted >= row.compactions for row in asked)


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
