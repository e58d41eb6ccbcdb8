"""Thirty files edited one after the other: `python -m benchmarks.thirty_files [--seed N] [--json OUT]`.

A session that reads, edits and tests thirty files over ten compactions and more. At any time at most
one file engram, on `ctx.engrams` and on the board of each receipt; the board's share of the window
stays flat; every file edited so far is named. Small files, large ones, and edits by patch.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks._judge import count_tokens
from benchmarks._truth._files import named
from benchmarks._truth._talk import Talk, chosen_seed
from benchmarks._truth._window import text_of

FILES, COMPACTIONS, CEILING = 30, 10, 0.20
DRIFT = 0.05
"""How much of the window the board's mean share may differ between the first and the last half."""
VARIANTS = {"small": (6, "edit"), "large": (60, "edit"), "patch": (14, "apply_patch"), "write": (20, "write_file")}
"""Functions of a file, and how it is edited."""


@dataclass
class Look:
    """One compaction."""

    id: str
    edited: int
    """Files edited so far."""
    named: int
    """Of them, those that the window names."""
    files: int
    """File engrams on the receipt's board."""
    share: float
    """Tokens of all engrams' texts over the window."""


@dataclass
class Row:
    """One session."""

    variant: str
    window: int
    most: int = 0
    """File engrams at any time."""
    compactions: int = 0
    drift: float = 0.0
    looks: list[Look] = field(default_factory=list)

    def faults(self) -> list[str]:
        """What does not hold."""
        found = [f"{self.most} file engrams at once"] if self.most > 1 else []
        found += [f"{self.compactions} compactions only"] if self.compactions < COMPACTIONS else []
        found += [f"the board drifts by {100 * self.drift:.1f} % of the window"] if abs(self.drift) > DRIFT else []
        over = max((look.share for look in self.looks), default=0)
        found += [f"the board takes {100 * over:.1f} %"] if over > CEILING else []
        lost = sum(look.edited - look.named for look in self.looks)
        return found + ([f"{lost} of {sum(look.edited for look in self.looks)} namings missing"] if lost else [])


def _source(rng: random.Random, stem: str, functions: int) -> str:
    lines: list[str] = []
    for at in range(functions):
        lines += [f"def {stem}_{at}(rows, limit={rng.randrange(100)}):", f"    # step {rng.randrange(10**6)}"]
        lines += [f"    return [row.{stem} for row in rows[:limit]]", ""]
    return "\n".join(lines)


class Session:
    """One session, with an eye on the board after every message."""

    def __init__(self, variant: str, window: int, seed: int) -> None:
        self.rng = random.Random(f"{seed} {variant} {window}")
        self.talk = Talk(window, self.rng)
        self.row = Row(variant, window)
        self.paths: list[str] = []

    def run(self) -> Row:
        """Edit every file, looking each time; then work on until ten compactions are through."""
        functions, tool = VARIANTS[self.row.variant]
        self.talk.user("Rename the limits in all thirty modules, one after the other, and keep the tests green.")
        for number in range(FILES):
            self._edit(f"src/part{number % 5}/module_{number:02}.py", functions, tool)
            while self.talk.applied * FILES < number * COMPACTIONS:
                self._test_all()
        while self.talk.applied < COMPACTIONS:
            self._test_all()
        shares = [look.share for look in self.row.looks]
        half = len(shares) // 2
        self.row.compactions = len(shares)
        if half:
            self.row.drift = round(sum(shares[-half:]) / half - sum(shares[:half]) / half, 4)
        return self.row

    def _edit(self, path: str, functions: int, tool: str) -> None:
        rng, talk = self.rng, self.talk
        stem = path.rsplit("/", 1)[-1].removesuffix(".py")
        source = _source(rng, stem, functions)
        lines = source.splitlines()
        old, new = lines[0], lines[0].replace("limit=", "limit=1")
        numbered = "\n".join(f"{at:>6}\t{line}" for at, line in enumerate(lines, 1))
        talk.step("read_file", {"path": path}, numbered, f"I read {stem}.")
        self._look()
        arguments = {"path": path, "old_string": old, "new_string": new}
        if tool == "apply_patch":
            body = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch"
            arguments = {"input": body}
        elif tool == "write_file":
            arguments = {"path": path, "content": source.replace(old, new)}
        talk.step(tool, arguments, f"The file {path} has been updated.", f"I rename the limit in {stem}.")
        self.paths.append(path)
        self._look()
        talk.step("bash", {"command": f"pytest -q tests/test_{stem}.py"}, "3 passed in 0.02s", "I run its tests.")
        self._look()

    def _test_all(self) -> None:
        passed = "\n".join(f"tests/test_{at}.py ...  [{at:>3}%]" for at in range(40))
        self.talk.step("bash", {"command": "pytest -q"}, f"{passed}\n120 passed in 2.1s", "I run all tests.")
        self._look()

    def _look(self) -> None:
        ctx, row = self.talk.ctx, self.row
        row.most = max(row.most, sum(engram.kind == "file" for engram in ctx.engrams))
        receipts = [receipt for receipt in ctx.compactions if receipt.outcome == "applied"]
        if len(receipts) == len(row.looks):
            return
        files = sum(engram.kind == "file" for engram in receipts[-1].engrams)
        row.most = max(row.most, files)
        text = text_of(ctx.messages)
        share = sum(count_tokens(engram.text) for engram in receipts[-1].engrams) / row.window
        kept = sum(named(path, [path], self.paths, text) for path in self.paths)
        row.looks.append(Look(receipts[-1].id, len(self.paths), kept, files, round(share, 4)))


def main(argv: list[str] | None = None) -> int:
    """Run each variant at two windows; 1 where something does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, help="a fresh one by default")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    seed = chosen_seed(args.seed)
    print(f"seed {seed}")
    print(f"{'edits':8}{'window':>8}{'compactions':>12}{'file engrams':>13}{'drift':>7}   the board in % of the window")
    rows: list[Row] = []
    for variant in VARIANTS:
        for window in (8_000, 16_000):
            row = Session(variant, window, seed).run()
            rows.append(row)
            shares = " ".join(f"{100 * look.share:.0f}" for look in row.looks)[:90]
            print(f"{variant:8}{window:>8,}{row.compactions:>12}{row.most:>13}{100 * row.drift:>7.1f}   {shares}")
            print(f"{'':8}{'; '.join(row.faults()) or 'ok'}")
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    return 1 if any(row.faults() for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
