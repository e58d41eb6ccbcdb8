"""What a sweep found: the settings it came down to, how sure it is, and a budget to paste.

The invariant guarded here: the last line on standard output is the budget, whatever was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from context_kit._budget import Budget
from context_kit.cli._evidence import CLEAR, Evidence, wanted
from context_kit.cli._jobs import Failed, Job, Pool, Result
from context_kit.cli._output import write_json
from context_kit.cli._prices import Price
from context_kit.cli._replay_tables import priced, replayable
from context_kit.cli._sources import Source
from context_kit.cli._sweep import Half, Sweep, Tried, sweep
from context_kit.cli._tables import console, made_row, made_table, made_uncut
from context_kit.cli._text import count
from context_kit.typing import Policy

__all__ = ["pasted", "swept"]

SHOWN = ("soft", "hard", "target", "pins", "summary", "notes", "tail")


def swept(
    sources: Sequence[Source],
    budget: Budget,
    price: Price,
    pool: Pool,
    *,
    policy: Policy,
    model: str | None,
    seed: int,
    out: str | None,
) -> None:
    """Search, and show what came out.

    Raises:
        TranscriptError: too few sessions.
        ContextKitError: no session can be replayed in this window; the text says why.
    """

    def run(wanted: Sequence[tuple[Source, Budget]]) -> list[Result]:
        return pool.run(
            [
                Job(snapshot=source.snapshot, tokens=source.tokens, model=model, policy=policy, budget=each)
                for source, each in wanted
            ]
        )

    tried = run([(source, budget) for source in sources])
    failed = {s.digest: each.reason for s, each in zip(sources, tried, strict=True) if isinstance(each, Failed)}
    found = sweep(replayable(sources, failed), budget, price, run, seed=seed)
    if out is not None:
        write_json(_json(found, price, policy, seed), out)
    shown = console(errors=out == "-")
    sessions = count(len(found.train) + len(found.held_back), "session")
    shown.print(
        f"{sessions} in a window of {count(budget.window)}, policy {policy}; {priced(price)}. "
        f"{count(found.settings)} settings tried on {count(len(found.train))} of them, "
        f"{count(len(found.held_back))} held back (seed {seed}).",
        soft_wrap=True,
    )
    shown.print("Objective: nothing more lost, at least as many facts in the window, then the lowest cost.")
    if found.finalists:
        shown.print(_table(found.finalists, shown.width), crop=False)
        for number, each in enumerate(found.finalists, 1):
            shown.print(f" {number}: {pasted(each.budget)}", soft_wrap=True)
        shown.print(LEGEND)
    shown.print(f"\n{found.reason}.", soft_wrap=True)
    shown.print(pasted(found.chosen))


def pasted(budget: Budget) -> str:
    """A line of Python that makes the budget."""
    default = Budget(budget.window)
    parts = [f"{name}={getattr(budget, name):g}" for name in SHOWN if getattr(budget, name) != getattr(default, name)]
    return f"Budget({', '.join([f'{budget.window:_}', *parts])})"


def _table(finalists: Sequence[Tried], room: int) -> Table:
    heads = ("", "cost", "95 %", "cheaper", "chance", "kept", "lost", "")
    table = made_table("Against the default, which is 1", *heads, numbers=range(1, 7))
    table.padding = (0, 0, 0, 1)
    for number, each in enumerate(finalists, 1):
        picked = each.checked_by is not None
        made_row(table, str(number), *_cells(each.chosen_by), "picked" if picked else each.chosen_by.verdict)
        if each.checked_by is not None:
            word = "confirmed" if each.checked_by.no_worse else each.checked_by.verdict
            made_row(table, "held back", *_cells(each.checked_by), word, style="bold")
    made_uncut(table, room=room)
    return table


def _cells(half: Half) -> list[str]:
    cost = half.cost
    return [
        f"{cost.ratio:.3f}",
        f"{cost.low:.3f}–{cost.high:.3f}",
        f"{cost.better} of {cost.better + cost.worse}",
        f"{cost.chance:.2f}",
        f"{100 * half.fidelity:+.2f}",
        f"{half.lost:+d}",
    ]


LEGEND = (
    "cost: mean of each session's cost against its cost under the default. 95 %: where that mean would lie, were the "
    "sessions drawn again. cheaper: of the sessions that differ. chance: that so many get cheaper by luck. kept: "
    f"percentage points of facts word for word in the window. Clear: the interval below 1, the chance at most {CLEAR}."
)


# -- JSON --------------------------------------------------------------------------


def _json(found: Sweep, price: Price, policy: Policy, seed: int) -> dict[str, Any]:
    return {
        "policy": policy,
        "seed": seed,
        "price": {**asdict(price), "unit": price.unit},
        "settings": found.settings,
        "train": list(found.train),
        "held_back": list(found.held_back),
        "finalists": [
            {
                "budget": asdict(each.budget),
                "train": _half(each.chosen_by),
                "held_back": _half(each.checked_by) if each.checked_by is not None else None,
            }
            for each in found.finalists
        ],
        "reason": found.reason,
        "chosen": asdict(found.chosen),
        "is_default": found.chosen == Budget(found.chosen.window),
        "line": pasted(found.chosen),
    }


def _half(half: Half) -> dict[str, Any]:
    cost: Evidence = half.cost
    more = wanted(cost, sessions=half.sessions)
    told = {**asdict(cost), "clear": cost.clear, "sessions_wanted": more}
    return {**asdict(half), "cost": told, "no_worse": half.no_worse, "verdict": half.verdict}
