"""A small project with a fault in each module, in a git repository of its own; its tests are run for real."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FAULTS", "Fault", "build", "git", "run_tests"]

NOUNS = "ledger parcel beacon harbor quarry meadow lantern copper saddle thicket gravel pewter walnut anchor".split()
RUNNERS = {
    "pytest": ("pytest -q", "pytest -q tests/test_{}.py"),
    "unittest": ("unittest discover -s tests -t .", "unittest tests.test_{}"),
}
"""Of all tests, and of one module's."""
PADDING = 500
"""Tokens of the window for which a module has one function beside the faulty one: reading it costs something."""

TEST = """import unittest

from src.{module} import {name}


class Case(unittest.TestCase):
    def test_{name}(self):
        self.assertEqual({asked}, {wanted})
"""


@dataclass(frozen=True)
class Fault:
    """One fault: how the module has it, how it is mended, how it is said, and what its test asks."""

    module: str
    name: str
    broken: str
    mended: str
    said: str
    test: str


def _fault(module: str, name: str, broken: str, mended: str, said: str, test: str) -> Fault:
    head = f"def {name}(text):\n"
    return Fault(module, name, head + broken, head + mended, said, f"{name}({test}")


FAULTS = (
    _fault("dates", "to_day", "    return int(text[:2])", "    return int(text[-2:])",
           "to_day takes the wrong end of the date", "'2026-03-09') == 9"),
    _fault("names", "initials", "    return ''.join(w[0] for w in text.split())",
           "    return ''.join(w[0].upper() for w in text.split())",
           "initials ignores that initials are capitals", "'ada lovelace') == 'AL'"),
    _fault("parser", "parse_amount", "    return round(float(text), 2)",
           "    try:\n        return round(float(text), 2)\n    except ValueError:\n        return None",
           "the error handling of parse_amount is incomplete", "'n/a') is None"),
    _fault("totals", "total", "    return sum(int(p) for p in text.split(',')[1:])",
           "    return sum(int(p) for p in text.split(','))",
           "total never counts the first part", "'1,2,3') == 6"),
    _fault("keys", "key_of", "    return text.lower()", "    return text.strip().lower()",
           "key_of misses blanks around the key", "' Rate ') == 'rate'"),
    _fault("pages", "pages", "    return len(text) // 10", "    return -(-len(text) // 10)",
           "pages is off by one for the last page", "'x' * 11) == 2"),
    _fault("flags", "is_on", "    return bool(text)", "    return text == 'on'",
           "is_on is wrong for every word but the empty one", "'off') is False"),
    _fault("report", "headline", "    return text.title()", "    return text[:1].upper() + text[1:]",
           "headline breaks names with small letters", "'pH of tea') == 'PH of tea'"),
    _fault("paths", "stem", "    return text.split('.')[0]", "    return text.rsplit('.', 1)[0]",
           "stem loses what stands between two dots", "'a.b.c') == 'a.b'"),
    _fault("units", "metres", "    return float(text) / 100", "    return float(text) * 1000",
           "metres should multiply kilometres", "'2') == 2000"),
    _fault("rows", "last_row", "    return text.split('\\n')[-1]", "    return text.rstrip('\\n').split('\\n')[-1]",
           "last_row fails when the text ends in a line break", "'a\\nb\\n') == 'b'"),
    _fault("masks", "masked", "    return '*' * len(text)", "    return '*' * (len(text) - 4) + text[-4:]",
           "masked should leave the last four", "'12345678') == '****5678'"),
)  # fmt: skip
"""In the order in which the ticks mend them; the third is the one that is reported again in tick 8."""


def _source(fault: Fault, rng: random.Random, more: int) -> str:
    parts: list[str] = []
    for at in range(more):
        noun, other = rng.choice(NOUNS), rng.choice(NOUNS)
        parts.append(
            f"def {noun}_{at}(rows):\n    # the {other} of each {noun}, step {rng.randrange(10**6)}\n"
            f"    found = [row for row in rows if row.get({other!r})]\n    return found[:{rng.randrange(3, 99)}]\n"
        )
    parts.insert(rng.randrange(2, more - 1), fault.broken + "\n")
    return "\n\n".join(parts)


def build(folder: Path, seed: int, window: int) -> None:
    """Write the modules and their tests, and put them under git."""
    rng = random.Random(seed)
    (folder / "src").mkdir(parents=True)
    (folder / "tests").mkdir()
    for fault in FAULTS:
        (folder / "src" / f"{fault.module}.py").write_text(_source(fault, rng, max(window // PADDING, 6)), "utf-8")
        asked, _, wanted = fault.test.partition(" == ") if " == " in fault.test else fault.test.partition(" is ")
        test = TEST.format(module=fault.module, name=fault.name, asked=asked, wanted=wanted)
        (folder / "tests" / f"test_{fault.module}.py").write_text(test, "utf-8")
    for name in ("conftest.py", "src/__init__.py", "tests/__init__.py"):
        (folder / name).write_text("", "utf-8")
    (folder / ".gitignore").write_text(".harness/\nstate/\n__pycache__/\nout.jsonl\nlog.txt\nkilled\n", "utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "begin")


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    who = ("-c", "user.name=agent", "-c", "user.email=agent@example.invalid", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def run_tests(folder: Path, module: str = "", *, runner: str = "pytest") -> tuple[str, str]:
    """The command as an agent writes it, and what it prints with the line that an agent's shell adds."""
    arguments = [each.format(module) for each in RUNNERS[runner][bool(module)].split()]
    beside = ["-p", "no:cacheprovider", "-p", "no:xdist"] if runner == "pytest" else []
    done = subprocess.run(
        [sys.executable, "-m", *arguments, *beside], cwd=folder, capture_output=True, text=True, check=False
    )
    said = f"{done.stdout[-6_000:]}{done.stderr[-6_000:]}\n[exit code {done.returncode}]"
    return " ".join(["python", "-m", *arguments]), said
