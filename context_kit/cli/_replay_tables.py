"""Policies side by side: the sums over all sessions, as a table and as JSON.

The invariant guarded here: every column is over the same sessions; one that some policy can't replay is in none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from context_kit._budget import Budget
from context_kit.cli._bill import CACHED, DECODE, PREFILL, Bill, bill
from context_kit.cli._jobs import Failed, Job, Pool
from context_kit.cli._output import write_json
from context_kit.cli._prices import READ_ON, SOURCE, Price
from context_kit.cli._score import Kept, Score, uncompacted
from context_kit.cli._sources import Source
from context_kit.cli._tables import console, made_row, made_table, made_uncut
from context_kit.cli._text import count, one_line, share
from context_kit.errors import ContextKitError
from context_kit.typing import Policy

__all__ = ["Sum", "compared", "is_figures", "money", "priced", "replayable", "sum_of"]

NONE = "none"
"""The column of a session that never compacts."""
CLASSES = ("files", "errors", "user", "contracts", "names", "numbers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """All sessions under one policy."""

    sessions: int
    requests: int
    tokens: int
    """Of all windows sent; for a session, the mean over sessions is the table's `tokens per task`."""
    peak: int
    """Tokens of the largest request of any session."""
    compactions: int
    asked: int
    """Tokens that a summariser would have read."""
    answered: int
    """Tokens that it would have written."""
    bill: Bill
    rereads: int
    reread: int
    """Tokens of what would be read again."""
    lost: int
    classes: Mapping[str, Kept]


def sum_of(scores: Sequence[Score], price: Price) -> Sum:
    """Several sessions as one."""
    bills = [bill(each.requests, price, asked=each.asked, answered=each.answered) for each in scores]
    classes = {
        name: Kept(*map(sum, zip(*(_figures(each.classes.get(name, Kept())) for each in scores), strict=True)))
        for name in CLASSES
    }
    return Sum(
        sessions=len(scores),
        requests=sum(len(each.requests) for each in scores),
        tokens=sum(each.tokens for each in scores),
        peak=max((each.peak for each in scores), default=0),
        compactions=sum(each.compactions for each in scores),
        asked=sum(each.asked for each in scores),
        answered=sum(each.answered for each in scores),
        bill=Bill(
            read=sum(each.read for each in bills),
            write=sum(each.write for each in bills),
            miss=sum(each.miss for each in bills),
            cost=sum(each.cost for each in bills),
            seconds=sum(each.seconds for each in bills),
        ),
        rereads=sum(each.rereads for each in scores),
        reread=sum(each.reread for each in scores),
        lost=sum(len(each.lost) for each in scores),
        classes=classes,
    )


def _figures(kept: Kept) -> tuple[int, int, int]:
    return kept.expected, kept.present, kept.recoverable


def compared(
    sources: Sequence[Source],
    budget: Budget,
    price: Price,
    pool: Pool,
    *,
    policies: Sequence[Policy],
    model: str | None,
    out: str | None,
) -> None:
    """Replay every session under every policy, and show it.

    Raises:
        ContextKitError: no session can be replayed in this window; the text says why.
    """
    asked: list[tuple[Policy, Source]] = [(policy, source) for policy in policies for source in sources]
    results = pool.run([_job(source, policy, budget, model) for policy, source in asked])
    failed = {s.digest: each.reason for (_, s), each in zip(asked, results, strict=True) if isinstance(each, Failed)}
    replayed = replayable(sources, failed)
    scores: dict[str, list[Score]] = {NONE: [uncompacted(source.requests) for source in replayed]}
    for (policy, source), found in zip(asked, results, strict=True):
        if isinstance(found, Score) and source.digest not in failed:
            scores.setdefault(policy, []).append(found)
    sums = {name: sum_of(each, price) for name, each in scores.items()}
    if out is not None:
        write_json(_json(replayed, scores, sums, budget, price), out)
    shown = console(errors=out == "-")
    shown.print(_headline(replayed, budget, price))
    shown.print(_table(sums, price, shown.width), crop=False)
    shown.print(LEGEND)


def replayable(sources: Sequence[Source], failed: Mapping[str, str]) -> list[Source]:
    """The sessions that can be replayed; the others are told, with their reasons by digest.

    Raises:
        ContextKitError: there is none.
    """
    found = [source for source in sources if source.digest not in failed]
    if not found:
        more = f" ({count(len(sources) - 1, 'more session')} can't be replayed either)" if len(sources) > 1 else ""
        msg = f"{sources[0].name}: {failed[sources[0].digest]}{more}"
        raise ContextKitError(msg)
    for source in sources:
        if source.digest in failed:
            typer.echo(f"context-kit: {source.name}: left out: {failed[source.digest]}", err=True)
    return found


def _job(source: Source, policy: Policy, budget: Budget, model: str | None) -> Job:
    return Job(snapshot=source.snapshot, tokens=source.tokens, model=model, policy=policy, budget=budget)


# -- the table ---------------------------------------------------------------------


def _headline(sources: Sequence[Source], budget: Budget, price: Price) -> str:
    tokens = sum(source.tokens for source in sources)
    return (
        f"{count(len(sources), 'session')}, {count(tokens, 'token')}, in a window of {count(budget.window)}; "
        f"{priced(price)}"
    )


def priced(price: Price) -> str:
    """Which prices stand behind the figures."""
    if not price.name:
        return f"costs in units: a million tokens of input 1, cache read {price.read}, cache write {price.write}"
    return f"prices of {price.name} in USD, {READ_ON}"


def _table(sums: Mapping[str, Sum], price: Price, room: int) -> Table:
    table = made_table("", "", *sums, numbers=range(1, len(sums) + 1))
    table.padding = (0, 0, 0, 1)
    for at, name in enumerate(sums, 1):
        table.columns[at].header = Text(name.replace("+", "\n+"))
    for label, cells in _rows(list(sums.values()), price):
        made_row(table, label, *cells)
    made_uncut(table, room=room)
    return table


def _rows(sums: Sequence[Sum], price: Price) -> list[tuple[str, list[str]]]:
    charged = [("  cache read", "read"), ("  cache write", "write"), ("  cache miss", "miss")]
    facts = [name for name in CLASSES if any(each.classes[name].expected for each in sums)]
    return [
        ("tokens per task", [_tokens(each.tokens // each.sessions) for each in sums]),
        *((label, [_part(each, kind) for each in sums]) for label, kind in charged),
        ("peak window", [_tokens(each.peak) for each in sums]),
        ("compactions", [count(each.compactions) for each in sums]),
        ("summariser reads", [_tokens(each.asked) for each in sums]),
        ("  and writes", [_tokens(each.answered) for each in sums]),
        (f"cost, {price.unit}", [money(each.bill.cost) for each in sums]),
        _time(sums),
        ("re-reads", [count(each.rereads) for each in sums]),
        ("  their tokens", [_tokens(each.reread) for each in sums]),
        ("lost items", [count(each.lost) for each in sums]),
        *((f"kept: {name}", [_kept(each, name) for each in sums]) for name in facts),
    ]


def _time(sums: Sequence[Sum]) -> tuple[str, list[str]]:
    """All sessions together, in hours, or in minutes where no policy takes an hour."""
    unit, seconds = ("hours", 3_600) if max(each.bill.seconds for each in sums) >= 3_600 else ("minutes", 60)
    return f"{unit}, modelled", [f"{each.bill.seconds / seconds:.1f}" for each in sums]


def _tokens(number: int) -> str:
    """In full up to 99,999, then in thousands or millions."""
    if number < 100_000:
        return count(number)
    return f"{number / 1e3:,.0f}k" if number < 1_000_000 else f"{number / 1e6:,.2f}M"


def _part(each: Sum, kind: str) -> str:
    tokens: int = getattr(each.bill, kind)
    return share(tokens, each.tokens) if tokens else "0"


def _kept(each: Sum, name: str) -> str:
    """Percent in the window, and behind the plus sign what an address brings back."""
    kept = each.classes[name]
    if not each.compactions:
        return "all"
    if not kept.expected:
        return "–"
    there, whole = (100 * part / kept.expected for part in (kept.present, kept.present + kept.recoverable))
    return f"{there:.0f}+{round(whole) - round(there)}"


def money(amount: float) -> str:
    """With as many places as its size asks for."""
    return f"{amount:,.2f}" if amount >= 10 else f"{amount:.3g}"


LEGEND = (
    "none: no compaction, in a window of any size. kept: percent of the facts that stand in the window word for word "
    "after a compaction + those that an address there brings back. Cost: prompts and summaries; the replies are the "
    f"same. Time: a model from token counts ({1 / PREFILL:,.0f} new and {1 / CACHED:,.0f} cached input tokens and "
    f"{1 / DECODE:,.0f} output tokens a second), not measured."
)


# -- JSON --------------------------------------------------------------------------


def is_figures(path: Path) -> bool:
    """Whether a file holds what this command wrote, and may be written again."""
    try:
        with path.open(encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "price" in found and bool(found.keys() & {"sessions", "finalists"})


def _json(
    sources: Sequence[Source],
    scores: Mapping[str, Sequence[Score]],
    sums: Mapping[str, Sum],
    budget: Budget,
    price: Price,
) -> dict[str, Any]:
    return {
        "window": budget.window,
        "price": {**asdict(price), "unit": price.unit, "source": SOURCE if price.name else "unit ratios"},
        "latency": {"prefill": PREFILL, "cached": CACHED, "decode": DECODE, "unit": "seconds a token, modelled"},
        "policies": {name: asdict(each) for name, each in sums.items()},
        "sessions": [
            {
                "file": one_line(source.name, most=1_000),
                "sha256": source.digest,
                "tokens": source.tokens,
                "messages": source.messages,
                "policies": {
                    name: {**asdict(sum_of([found[at]], price)), "lost_items": list(found[at].lost)}
                    for name, found in scores.items()
                },
            }
            for at, source in enumerate(sources)
        ],
    }
