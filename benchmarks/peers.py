"""The library beside its peers: `python -m benchmarks.peers [--setup] [--json OUT] [--markdown OUT] [--svg OUT]`.

Every shared transcript at windows of 25 % and 12 % of its tokens goes through each peer, message by message, each in
an environment of its own (`--setup` makes them), with the same budget and the same stand-in for a summarising model.
At the end each has to leave at most 40 % of the window. Judged is what a resuming agent finds there, what the
requests cost with a prompt cache, and what the peer itself takes; `benchmarks/_peers` says how, and no judge there
knows the library. Two processes are used.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import _page
from benchmarks._arguments import names, target
from benchmarks._peers._figures import chart, summed, written
from benchmarks._peers._known import ENVIRONMENTS, PEERS, Known
from benchmarks._peers._play import Row, Task, play, tasks
from benchmarks._peers._venvs import FOLDER, make, python_of
from benchmarks.transcripts import SHARES, TRANSCRIPTS, documents, windows

PROCESSES = 2
_PRINTED = threading.Lock()


def chosen(only: str | None) -> list[Known]:
    """The peers whose name holds the word, all without one."""
    return [known for known in PEERS if only is None or only.lower() in known.name.lower() or only == known.module]


def prepared(wanted: Sequence[str]) -> list[Task]:
    """All tasks of the transcripts whose name holds one of the words."""
    found = [document for document in documents() if not wanted or any(name in document["id"] for name in wanted)]
    return [task for document in found for task in tasks(document, windows(document), SHARES)]


def run(peers: Sequence[Known], found: list[Task], folder: Path) -> list[Row]:
    """Every peer's rows, two peers at a time."""
    with ThreadPoolExecutor(PROCESSES) as pool:
        return [row for rows in pool.map(lambda known: _rows(known, found, folder), peers) for row in rows]


def _rows(known: Known, found: list[Task], folder: Path) -> list[Row]:
    python = python_of(folder, known.environment)
    if python is None:
        wanted = ", ".join(ENVIRONMENTS[known.environment])
        return [Row(known.name, missing=f"no environment with {wanted}: run --setup first")]
    rows: list[Row] = []
    for row in play(known, python, found):
        rows.append(row)
        with _PRINTED:
            print(_line(row), flush=True)
    return rows


def _line(row: Row) -> str:
    if row.missing:
        return f"{row.peer:40} {row.transcript:26} {row.window:7,}  {row.missing}"
    kept = " ".join(f"{each['found']:>3}/{each['expected']:<3}" for each in row.classes.values())
    state = "over" if row.over else row.fault[:40] if not row.legal else "ok"
    return (
        f"{row.peer:40} {row.transcript:26} {row.window:7,} {row.tokens / row.window:5.2f}  {kept}"
        f" cost {row.cost_ratio:5.2f}  time {row.seconds_ratio:6.1f}  {state}"
    )


def setup(peers: Sequence[Known], folder: Path, python: str | None) -> int:
    """Make the environments that are wanted; 1 where one can't be made."""
    failed = 0
    for name in dict.fromkeys(known.environment for known in peers if known.environment):
        why = make(folder, name, python)
        print(f"{name}: {why or 'ready'}", flush=True)
        failed += bool(why)
    return 1 if failed else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the peers; 1 where ours misses a target or a peer is above it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setup", action="store_true", help="make the peers' environments, then stop")
    parser.add_argument("--venvs", type=Path, default=FOLDER, help="where the environments are")
    parser.add_argument("--python", help="the interpreter for them, 3.12 or newer")
    parser.add_argument("--only", metavar="PEER", help="peers whose name holds this")
    parser.add_argument("--transcripts", type=names, default=[], help="names with commas between them")
    parser.add_argument("--rows", type=Path, help="the JSON of an earlier run: page and chart anew, nothing is run")
    parser.add_argument("--json", type=target, help="where rows and summary go")
    parser.add_argument("--markdown", type=Path, help="a page, or one with marks `<!-- peers -->`")
    parser.add_argument("--svg", type=target, help="the chart of what is kept")
    args = parser.parse_args(argv)
    peers = chosen(args.only)
    if not peers:
        parser.error(f"no peer {args.only!r}: there are {', '.join(known.name for known in PEERS)}")
    if args.setup:
        return setup(peers, args.venvs, args.python)
    if not args.rows and not TRANSCRIPTS.is_dir():
        print(f"no transcripts at {TRANSCRIPTS.parent.name}/{TRANSCRIPTS.name}: nothing to run")
        return 0
    if args.rows:
        try:
            rows = [Row(**row) for row in json.loads(args.rows.read_text("utf-8"))["rows"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            parser.error(f"--rows: {args.rows} holds no rows of an earlier run: {type(error).__name__}: {error}")
    else:
        found = prepared(args.transcripts)
        if not found:
            parser.error(f"--transcripts: no transcript's name holds {' or '.join(args.transcripts) or 'anything'}")
        rows = run(peers, found, args.venvs)
    summary = summed(rows)
    print(written(summary, peers))
    _kept(args, rows, summary, peers)
    return 0 if summary["held"] else 1


def _kept(args: argparse.Namespace, rows: list[Row], summary: dict[str, Any], peers: Sequence[Known]) -> None:
    if args.json:
        told = {
            "summary": summary,
            "settings": {known.name: known.settings for known in peers},
            "rows": [asdict(row) for row in rows],
        }
        args.json.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if args.svg:
        args.svg.write_text(chart(summary), "utf-8")
    if args.markdown:
        picture = os.path.relpath(args.svg, args.markdown.parent) if args.svg else ""
        _page.put(args.markdown, "peers", written(summary, peers, picture=Path(picture).as_posix() if picture else ""))


if __name__ == "__main__":
    sys.exit(main())
