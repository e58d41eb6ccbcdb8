"""Side constraints in long sessions: `python -m benchmarks.constraints [--seeds K] [--seed N] [--json OUT]`.

Fifteen kinds of constraints, worded by rules in English and Chinese, are planted as a user's text or
inside a longer one at the top, in the middle and at the end of the long shared sessions (generated
ones where these are absent). At a window of 10 % of the tokens, each must stand word for word in
the window after five further compactions.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._truth._failures import squeezed
from benchmarks._truth._rules import RULE_KINDS, carried, worded
from benchmarks._truth._talk import Talk, chosen_seed
from benchmarks._truth._window import text_of
from benchmarks.transcripts import LEAST, TRANSCRIPTS, documents
from context_kit import ContextManager

SHARE, LONG, AFTER = 0.10, 45_000, 5
"""The window's share of the tokens; tokens of a long session; compactions to outlive."""
PLACES = {"top": (0.02, 0.12), "middle": (0.42, 0.58), "end": (0.86, 0.98)}


@dataclass
class Rule:
    """One planted constraint and how long it stood in the window."""

    kind: str
    place: str
    sentence: str
    alone: bool
    planted: int = -1
    """Compactions before it was planted."""
    lost_at: int = 0
    """The first compaction after it that no longer shows it; 0 where none."""
    fifth: bool | None = None
    """In the window after the fifth compaction."""
    kept: bool = False
    """In the window at the end."""


@dataclass
class Row:
    """One session with its planted constraints."""

    id: str
    seed: int
    language: str
    window: int
    compactions: int = 0
    rules: list[Rule] = field(default_factory=list)


def generated(rng: random.Random) -> dict[str, Any]:
    """A long session of ordinary work, for where no real one is at hand."""
    talk = Talk(2_000_000, rng)
    talk.user("Work through the modules one by one and tidy them.")
    while count_tokens(talk.messages) < 1.2 * LONG:
        talk.work()
    return {"id": f"generated-{rng.randrange(1000)}", "messages": talk.messages}


def sessions(only: str | None, rng: random.Random) -> Iterator[dict[str, Any]]:
    """The long sessions, real ones where there are any."""
    if not TRANSCRIPTS.is_dir():
        yield from (generated(rng) for _ in range(4))
        return
    for document in documents(only):
        if count_tokens(document["messages"]) >= LONG:
            yield document


def plan(rng: random.Random, messages: list[dict[str, Any]], language: str) -> dict[int, list[tuple[Rule, str]]]:
    """What is planted before which message: between steps only, kinds spread over the three places."""
    legal = [at for at, message in enumerate(messages) if message["role"] == "assistant" and at > 1]
    kinds = rng.sample(sorted(RULE_KINDS), len(RULE_KINDS))
    planted: dict[int, list[tuple[Rule, str]]] = {}
    for number, kind in enumerate(kinds):
        place = sorted(PLACES)[number % len(PLACES)]
        low, high = PLACES[place]
        at = legal[int(rng.uniform(low, high) * (len(legal) - 1))]
        sentence = worded(rng, kind, language)
        text = carried(rng, sentence, language)
        planted.setdefault(at, []).append((Rule(kind, place, squeezed(sentence), text == sentence), text))
    return planted


class Run:
    """One session being fed, with an eye on what stands in its window."""

    def __init__(self, document: dict[str, Any], row: Row) -> None:
        self.row = row
        self.ctx = ContextManager(row.window, system=document.get("system"), tools=document.get("tools"))

    def give(self, message: dict[str, Any], number: int) -> None:
        """One message, with `prepare()` before an assistant's."""
        if message["role"] == "assistant" and number:
            self.ctx.prepare()
            applied = sum(receipt.outcome == "applied" for receipt in self.ctx.compactions)
            if applied > self.row.compactions:
                self.row.compactions = applied
                self._look()
        self.ctx.add(message)

    def _look(self) -> None:
        text = text_of(self.ctx.messages)
        for rule in self.row.rules:
            rule.kept = rule.sentence in text
            if not rule.kept and not rule.lost_at:
                rule.lost_at = self.row.compactions
            if rule.fifth is None and self.row.compactions - rule.planted >= AFTER:
                rule.fifth = rule.kept

    def done(self) -> bool:
        """Has every constraint been planted and outlived five compactions, or shown that it does not?"""
        rules = self.row.rules
        return len(rules) == len(RULE_KINDS) and all(self.row.compactions - rule.planted >= AFTER for rule in rules)


def run(document: dict[str, Any], seed: int, language: str) -> Row:
    """Feed a session with its plants; go on with its own steps until the last has outlived five compactions."""
    rng = random.Random(f"{seed} {document['id']}")
    messages = document["messages"]
    fixed = count_tokens(document.get("system")) + count_tokens(document.get("tools"))
    window = max(int(SHARE * (count_tokens(messages) + fixed)), LEAST, 5 * fixed)
    row = Row(document["id"], seed, language, window)
    planted, session = plan(rng, messages, language), Run(document, row)
    for number, message in enumerate(messages):
        for rule, text in planted.get(number, ()):
            session.give({"role": "user", "content": text}, number)
            rule.planted = row.compactions
            row.rules.append(rule)
        session.give(message, number)
    again = [message for message in messages[1:] if not _asks(message)]
    while not session.done():
        for message in again:
            session.give(message, 1)
            if session.done():
                break
    return row


def _asks(message: dict[str, Any]) -> bool:
    """A user's own words: they are said once, and not again while the session goes on."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return message["role"] == "user" and not any(block.get("type") == "tool_result" for block in blocks)


def table(rows: list[Row]) -> bool:
    """Show what was kept by session, place and kind; whether all was."""
    print(f"{'session':28}{'window':>8}{'compactions':>12}{'kept':>8}   lost")
    for row in rows:
        lost = [rule for rule in row.rules if not rule.kept]
        told = ", ".join(f"{rule.kind} ({rule.place}, at {rule.lost_at - rule.planted})" for rule in lost)
        kept = f"{len(row.rules) - len(lost)}/{len(row.rules)}"
        print(f"{row.id + ' ' + row.language:28}{row.window:>8,}{row.compactions:>12}{kept:>8}   {told[:110]}")
    rules = [(row, rule) for row in rows for rule in row.rules]
    for title, of in (("place", sorted(PLACES)), ("kind", list(RULE_KINDS)), ("language", ["en", "zh"])):
        shares = []
        for name in of:
            some = [rule for row, rule in rules if name in (rule.place, rule.kind, row.language)]
            shares.append(f"{name} {sum(rule.kept for rule in some)}/{len(some)}")
        print(f"by {title}: " + ", ".join(shares))
    alone = [rule for _, rule in rules if rule.alone]
    inside = [rule for _, rule in rules if not rule.alone]
    print(f"alone {sum(r.kept for r in alone)}/{len(alone)}, inside {sum(r.kept for r in inside)}/{len(inside)}")
    fifth, end = sum(bool(rule.fifth) for _, rule in rules), sum(rule.kept for _, rule in rules)
    print(f"after the fifth compaction {fifth}/{len(rules)}, at the end {end}/{len(rules)}")
    return end == fifth == len(rules)


def main(argv: list[str] | None = None) -> int:
    """Run the long sessions with fresh constraints; 1 where one is lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=1, help="rounds over the sessions")
    parser.add_argument("--seed", type=int, help="the first seed; a fresh one by default")
    parser.add_argument("--only")
    parser.add_argument("--lost", type=int, default=0, help="show so many lost constraints")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    first = chosen_seed(args.seed)
    print(f"seeds {first} to {first + args.seeds - 1}")
    rows = [
        run(document, seed, ("en", "zh")[(seed + number) % 2])
        for seed in range(first, first + args.seeds)
        for number, document in enumerate(sessions(args.only, random.Random(seed)))
    ]
    held = table(rows)
    lost = [(row, rule) for row in rows for rule in row.rules if not rule.kept]
    for of, rule in lost[: args.lost]:
        print(f"  {of.id} seed {of.seed}, {rule.place}, {'alone' if rule.alone else 'inside'}: {rule.sentence}")
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False), "utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
