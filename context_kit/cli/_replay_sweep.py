"""What a sweep found: the settings it came down to, how sure it is, and a budget to paste.

The invariant guarded here: the last line on standard output is the budget, whatever was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from context_kit._budget import Budget
from context_kit.cli._evidence import Evidence
from context_kit.cli._jobs import Job, Pool, Result
from context_kit.cli._output import write_json
from context_kit.cli._prices import Price
from context_kit.cli._replay_tables import priced
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
    """

    def run(wanted: Sequence[tuple[Source, Budget]]) -> list[Result]:
        return pool.run(
            [
                Job(
                    path=source.path,
                    digest=source.digest,
                    tokens=source.recording.tokens,
                    model=model,
                    policy=policy,
                    budget=each,
                )
                for source, each in wanted
            ]
        )

    found = sweep(sources, budget, price, run, seed=seed)
    if out is not None:
        write_json(_json(found, price, policy, seed), out)
    shown = console(errors=out == "-")
    shown.print(
        f"{count(len(sources), 'session')} in a window of {count(budget.window)}, policy {policy}; {priced(price)}. "
        f"{count(found.settings)} settings tried on {count(len(found.train))} of them, "
        f"{count(len(found.held_back))} held back (seed {seed}).",
        soft_wrap=True,
    )
    shown.print("Objective: nothing more lost, at least as many facts in the window, then the lowest cost.")
    if found.finalists:
        shown.print(_table(found.finalists, budget, shown.width), crop=False)
    shown.print(f"{found.reason}.", soft_wrap=True)
    shown.print(pasted(found.chosen))


def pasted(budget: Budget) -> str:
    """A line of Python that makes the budget."""
    default = Budget(budget.window)
    parts = [f"{name}={getattr(budget, name):g}" for name in SHOWN if getattr(budget, name) != getattr(default, name)]
    return f"Budget({', '.join([f'{budget.window:_}', *parts])})"


def _table(finalists: Sequence[Tried], default: Budget, room: int) -> Table:
    heads = ("", "cost", "95 %", "cheaper", "dearer", "chance", "kept", "lost")
    table = made_table("Against the default, which is 1", *heads, numbers=range(1, 8))
    table.padding = (0, 0, 0, 1)
    for each in finalists:
        made_row(table, _named(each.budget, default), *_cells(each.chosen_by))
        if each.checked_by is not None:
            made_row(table, "  held back", *_cells(each.checked_by), style="bold")
    made_uncut(table, room=room)
    return table


def _named(budget: Budget, default: Budget) -> str:
    """What differs from the default."""
    band = f"{budget.soft:.2f}–{budget.hard:.2f}"
    parts = [
        f"{name} {getattr(budget, name):.2f}" for name in SHOWN[2:] if getattr(budget, name) != getattr(default, name)
    ]
    return ", ".join([band, *parts])


def _cells(half: Half) -> list[str]:
    cost = half.cost
    return [
        f"{cost.ratio:.3f}",
        f"{cost.low:.3f}–{cost.high:.3f}",
        count(cost.better),
        count(cost.worse),
        f"{cost.chance:.2f}",
        f"{100 * half.fidelity:+.1f}",
        f"{half.lost:+d}",
    ]


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
    return {**asdict(half), "cost": {**asdict(cost), "clear": cost.clear}, "no_worse": half.no_worse}
