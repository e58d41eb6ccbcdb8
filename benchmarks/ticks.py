"""Twelve ticks: `python -m benchmarks.ticks [--seed N] [--window 8000] [--runner pytest] [--json OUT]`.

A scripted agent mends a fault a tick in a real git repository, with the real test runner, over compactions, and
kills itself with SIGKILL in the middle of tick 6. Judged by the files, by git and by the test runner: it goes on in
the right tick at the right node; what tick 3 mended is not news in tick 8; what ticks take of the window is flat from
tick 4 on; the line counts are git's. Beside it the article's failed way: all summaries repeated in each tick.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._ticks._agent import AGAIN, NEW
from benchmarks._ticks._project import FAULTS, RUNNERS, build, git, run_tests
from benchmarks._truth._talk import chosen_seed
from context_kit import ContextManager

KILLED, FIXED, REPORTED, FLAT_FROM = 6, 3, 8, 4
COMPACTIONS = 3
GROWTH = 1.15
"""What a tick costs at most from tick 9 on may be so many times what one costs from tick 4 to 8, and no more."""
SHARE = 0.08
"""Of the window, what all of it may be at most: bridge and starts, each within the notes."""


@dataclass
class Run:
    """What one run left."""

    folder: Path
    window: int
    told: list[dict[str, Any]] = field(default_factory=list)
    exits: list[int] = field(default_factory=list)

    def page(self, number: int) -> str:
        """A tick file."""
        path = self.folder / ".harness" / f"tick-{number}-summary.md"
        return path.read_text("utf-8") if path.is_file() else ""

    def section(self, number: int, name: str) -> str:
        """One section of a tick file."""
        _, _, rest = self.page(number).partition(f"\n## {name}\n")
        return rest.split("\n## ")[0]

    def tokens(self, what: str) -> dict[int, int]:
        """Tokens by tick.

        Args:
            what: `cost`, what it put into the window (its start, answers, a bridge's section), or `most`, what stood
                there of ticks at once.
        """
        return {line["closed"]: line[what] for line in self.told if "closed" in line}


def play(folder: Path, window: int, seed: int, runner: str = "pytest") -> Run:
    """Run the agent until it ends; it is begun again after its death."""
    build(folder, seed, window)
    run = Run(folder, window)
    command = [sys.executable, "-m", "benchmarks._ticks._agent", str(folder), str(window), str(KILLED), runner]
    for _ in range(3):
        with (folder / "log.txt").open("a", encoding="utf-8") as log:
            done = subprocess.run(command, stdout=log, stderr=log, check=False)
        run.exits.append(done.returncode)
        if done.returncode != -signal.SIGKILL:
            break
    out = folder / "out.jsonl"
    run.told = [json.loads(line) for line in out.read_text("utf-8").splitlines()] if out.is_file() else []
    return run


def faults(run: Run) -> list[str]:
    """What does not hold."""
    if run.exits != [-signal.SIGKILL, 0]:
        return [f"the agent ended with {run.exits}: {(run.folder / 'log.txt').read_text('utf-8')[-2_000:]}"]
    return [*_resumed(run), *_recognised(run), *_flat(run), *_bridged(run), *_counted(run)]


def _resumed(run: Run) -> list[str]:
    node = (run.folder / "killed").read_text("utf-8")
    begun = [line for line in run.told if "begun" in line]
    ticks = [line for line in run.told if "wanted" in line]
    after = next(line for line in ticks if line["resumed"])
    found = [] if begun[1]["node"] == node else [f"killed at {node!r}, gone on at {begun[1]['node']!r}"]
    found += [] if (after["tick"], after["wanted"]) == (KILLED, KILLED) else [f"gone on in tick {after['tick']}"]
    found += [f"tick {line['tick']} for {line['wanted']}" for line in ticks if line["tick"] != line["wanted"]]
    states = [number for number in range(1, len(FAULTS) + 1) if "- state: closed" not in run.page(number)]
    found += [f"not closed: {states}"] if states else []
    aims = run.section(KILLED, "What was done")
    lost = [line["begun"] for line in begun if f"(process {line['begun']})" not in aims]
    found += [f"what process {process} wrote in tick {KILLED} is lost" for process in lost]
    passed = "[exit code 0]" in run_tests(run.folder, runner="unittest")[1]
    return found + ([] if passed else ["the tests do not pass at the end"])


def _recognised(run: Run) -> list[str]:
    line = next(each for each in run.told if "again" in each)
    opened, problems = run.section(REPORTED, "Open"), run.section(REPORTED, "Problems found")
    reported = next((row for row in problems.splitlines() if AGAIN in row), "")
    found = [] if f"fixed in tick {FIXED}" in reported else [f"reported again, and the file says {reported!r}"]
    found += [] if f"tick {FIXED}" in line["answered"] else ["the next request was not told which tick fixed it"]
    found += ["what tick 3 fixed is open in tick 8"] if AGAIN in opened else []
    found += [] if NEW in opened and f"fixed in tick {FIXED}" not in opened else ["a new finding is not open"]
    fixed = run.section(FIXED, "Fixed")
    return found + ([] if FAULTS[FIXED - 1].said in fixed else [f"tick {FIXED} does not say what it fixed"])


def _flat(run: Run) -> list[str]:
    cost, most = run.tokens("cost"), run.tokens("most")
    first = max(cost[number] for number in cost if FLAT_FROM <= number <= REPORTED)
    last = max(cost[number] for number in cost if number > REPORTED)
    found = [] if last <= GROWTH * first else [f"what a tick costs grows from {first} to {last} tokens"]
    over = max(most.values())
    found += [] if over <= SHARE * run.window else [f"ticks take {over} of {run.window} tokens"]
    compactions = max(line["compactions"] for line in run.told if "closed" in line)
    return found + ([f"{compactions} compactions only"] if compactions < COMPACTIONS else [])


def _bridged(run: Run) -> list[str]:
    """After each compaction the bridge begins with what was read back from the checkpoint, and says the node."""
    found = []
    for line in (line for line in run.told if line.get("bridge")):
        first = line["checkpoint"].splitlines()[0]
        head, _, rest = line["bridge"].partition("\n\n")
        if first not in rest.splitlines()[1]:
            found.append(f"the bridge begins with {rest.splitlines()[1]!r}, the checkpoint with {first!r}")
        if f"node: {line['node']}" not in rest.splitlines()[1] or not head.startswith("[context record"):
            found.append(f"the bridge does not say the node {line['node']!r}")
    return found


def _counted(run: Run) -> list[str]:
    """The line counts of the tick files are git's own."""
    found = []
    for number in range(1, len(FAULTS) + 1):
        commit = git(run.folder, "log", "-1", "--format=%H", f"--grep=^round {number}$").strip()
        for row in git(run.folder, "show", "--numstat", "--format=", commit).splitlines():
            added, removed, path = row.split("\t")
            if f"- {path}: +{added} −{removed} lines" not in run.section(number, "What was done"):
                found.append(f"tick {number}: git says +{added} −{removed} in {path}")
    return found


def briefings(run: Run) -> list[int]:
    """Tokens of `tick.briefing` at the start of each tick, from the files that stood then."""
    sizes: list[int] = []
    with tempfile.TemporaryDirectory() as place:
        for number in range(1, len(FAULTS) + 1):
            folder = Path(place) / f"at-{number}"
            folder.mkdir()
            for name in ("flow-state.json", "acceptance-criteria.md", "progress.md"):
                (folder / name).write_text((run.folder / ".harness" / name).read_text("utf-8"), "utf-8")
            for earlier in range(1, number):
                (folder / f"tick-{earlier}-summary.md").write_text(run.page(earlier), "utf-8")
            tick = ContextManager(run.window).tick("the next", harness=folder)
            sizes.append(count_tokens(tick.briefing))
    return sizes


def main(argv: list[str] | None = None) -> int:
    """Run, judge, print; 1 where something does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, help="a fresh one by default")
    parser.add_argument("--window", type=int, default=8_000)
    parser.add_argument("--runner", choices=RUNNERS, default="pytest")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    seed = chosen_seed(args.seed)
    print(f"seed {seed}, window {args.window:,}")
    with tempfile.TemporaryDirectory() as place:
        run = play(Path(place) / "project", args.window, seed, args.runner)
        found = faults(run)
        if run.exits != [-signal.SIGKILL, 0]:
            print("\n".join(found))
            return 1
        sizes, most, cost = briefings(run), run.tokens("most"), run.tokens("cost")
        pages = [count_tokens(run.page(number)) for number in range(1, len(FAULTS) + 1)]
        print("tick  it costs   in the window  briefing      all summaries repeated (the failed way)")
        for number in most:
            whole = sum(pages[: number - 1])
            shares = [100 * each / args.window for each in (most[number], sizes[number - 1], whole)]
            told = f"{number:>4} {cost[number]:>9} {most[number]:>8} {shares[0]:>4.1f} %"
            print(f"{told}  {sizes[number - 1]:>5} {shares[1]:>4.1f} %  {whole:>6} {shares[2]:>5.1f} %")
        if max(sizes[FLAT_FROM - 1 :]) > max(1, GROWTH * sizes[FLAT_FROM - 1]):
            found.append(f"the briefing grows: {sizes}")
        print("\n".join(found) or "ok: gone on where it was killed, known again, flat, counted as git counts")
        if args.json:
            row = {"seed": seed, "cost": cost, "most": most, "briefings": sizes, "pages": pages, "faults": found}
            args.json.write_text(json.dumps(row, indent=1), "utf-8")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
