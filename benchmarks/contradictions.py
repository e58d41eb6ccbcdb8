"""Facts that are corrected later: `python -m benchmarks.contradictions [--seeds K] [--seed N] [--json OUT]`.

Generated sessions in English and Chinese: ports, versions, names, paths, deadlines, libraries, limits
and API shapes, said by the user, decided by the agent with a reason, or read from a file; each is
corrected three to six compactions later in one of at least twelve wordings, and the window is
judged one to three compactions after the last correction. Fresh seeds each run.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks._truth._facts import (
    CORRECTED,
    DECIDED,
    EDITING,
    KINDS,
    NOTICED,
    REDECIDED,
    STATED,
    Fact,
    made_fact,
    subjects,
)
from benchmarks._truth._marks import holds, stands_as_current
from benchmarks._truth._talk import Talk, cased, chosen_seed

CURRENT, STALE = 0.95, 0.02
"""At least so many current values in the window, at most so many old ones as if they still held; issue 3."""
SOURCES = ("user", "agent", "file")
GOAL = {
    "en": "Bring the {who} service into shape: read the modules, tidy them, keep the tests green.",
    "zh": "把 {who} 服务整理好：阅读各模块，清理代码，保证测试通过。",
}
NOTED = {"en": "Noted.", "zh": "记下了。"}


@dataclass
class Row:
    """One fact and what became of it."""

    seed: int
    language: str
    kind: str
    source: str
    stated: str = ""
    corrected: str = ""
    current: bool = False
    stale: str = ""
    """The line that shows the old value as if it held."""
    between: int = 0
    """Compactions between statement and correction."""


@dataclass
class Session:
    """One generated conversation."""

    seed: int
    language: str
    window: int
    rows: list[Row] = field(default_factory=list)

    def run(self) -> list[Row]:
        """State, work, correct, work, judge."""
        rng = random.Random(self.seed)
        talk = Talk(self.window, rng, language=self.language)
        who, taken = subjects(rng), set[str]()
        facts = [
            made_fact(rng, kind, rng.choice(SOURCES), self.language, who[at], taken) for at, kind in enumerate(KINDS)
        ]
        rng.shuffle(facts)
        self.rows = [Row(self.seed, self.language, fact.kind, fact.source) for fact in facts]
        talk.user(GOAL[self.language].format(who=who[-1]))
        end = max(fact.corrected_at for fact in facts) + rng.randrange(1, 4)
        for at in range(end):
            before = talk.applied
            for fact, row in zip(facts, self.rows, strict=True):
                if fact.stated_at == at:
                    row.stated, row.between = state(talk, fact), talk.applied
                if fact.corrected_at == at:
                    row.corrected, row.between = correct(talk, fact), talk.applied - row.between
            talk.work_until(before + 1)
        window = talk.ctx.messages
        for fact, row in zip(facts, self.rows, strict=True):
            row.current = holds(fact.new, window)
            row.stale = stands_as_current(fact.old, fact.new, window)
        return self.rows


def _told(talk: Talk, wordings: Mapping[str, tuple[str, ...]], fact: Fact) -> str:
    words = talk.rng.choice(wordings[talk.language])
    return cased(words.format(topic=fact.topic, key=fact.key, old=fact.old, new=fact.new))


def state(talk: Talk, fact: Fact) -> str:
    """The fact is said, decided or read."""
    if fact.source == "user":
        said = _told(talk, STATED, fact)
        talk.user(said)
        talk.agent(NOTED[talk.language])
    elif fact.source == "agent":
        said = _told(talk, DECIDED, fact)
        talk.step("bash", {"command": f"grep -rn {fact.key} src"}, "no matches", said)
    else:
        said = _told(talk, NOTICED, fact)
        body = f'[service]\nname = "{fact.key}"\n{fact.key} = "{fact.old}"\ndebug = false\n'
        talk.step("read_file", {"path": f"config/{fact.key}.toml"}, body, "")
        talk.step("bash", {"command": "git status --short"}, " M src/main.py", said)
    return said


def correct(talk: Talk, fact: Fact) -> str:
    """The fact is corrected by the one who said it; a file is edited."""
    if fact.source == "user":
        said = _told(talk, CORRECTED, fact)
        talk.user(said)
        talk.agent(NOTED[talk.language])
    elif fact.source == "agent":
        said = _told(talk, REDECIDED, fact)
        talk.step("bash", {"command": f"grep -rn {fact.key} src"}, "no matches", said)
    else:
        said, path = _told(talk, EDITING, fact), f"config/{fact.key}.toml"
        old, new = (f'{fact.key} = "{value}"' for value in (fact.old, fact.new))
        arguments = {"path": path, "old_string": old, "new_string": new}
        talk.step("edit", arguments, f"The file {path} has been updated.", said)
    return said


def table(rows: list[Row]) -> bool:
    """Show the shares by source, language and kind; whether both targets hold."""
    groups: list[tuple[str, list[Row]]] = [("all", rows)]
    groups += [
        (f"{source}, {tongue}", [row for row in rows if (row.source, row.language) == (source, tongue)])
        for source in SOURCES
        for tongue in ("en", "zh")
    ]
    groups += [(kind, [row for row in rows if row.kind == kind]) for kind in KINDS]
    print(f"{'facts':16}{'n':>5}{'current':>9}{'stale as current':>18}")
    for name, some in groups:
        if some:
            current, stale = _shares(some)
            print(f"{name:16}{len(some):>5}{100 * current:>8.1f}%{100 * stale:>17.1f}%")
    current, stale = _shares(rows)
    return current >= CURRENT and stale <= STALE


def _shares(rows: list[Row]) -> tuple[float, float]:
    return sum(row.current for row in rows) / len(rows), sum(bool(row.stale) for row in rows) / len(rows)


def main(argv: list[str] | None = None) -> int:
    """Run fresh sessions; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=30, help="sessions, half of them Chinese")
    parser.add_argument("--seed", type=int, help="the first seed; a fresh one by default")
    parser.add_argument("--window", type=int, default=8_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--lost", type=int, default=0, help="show so many faults of each sort")
    args = parser.parse_args(argv)
    first = chosen_seed(args.seed)
    print(f"seeds {first} to {first + args.seeds - 1}, window {args.window:,}")
    rows: list[Row] = []
    for seed in range(first, first + args.seeds):
        rows += Session(seed, ("en", "zh")[seed % 2], args.window).run()
    held = table(rows)
    for row in [row for row in rows if not row.current][: args.lost]:
        print(f"  not in the window ({row.source}, seed {row.seed}): {row.corrected}")
    for row in [row for row in rows if row.stale][: args.lost]:
        print(f"  stale ({row.source}, seed {row.seed}): {row.stale[:120]}  <- {row.corrected}")
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False), "utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
