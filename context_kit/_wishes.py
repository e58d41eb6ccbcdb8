"""What the caller's hooks wish of a compaction: a pin, a summary in the model's place, a veto.

A hook that raises, or returns what is no wish, is told on the receipt and the compaction goes on.
"""

from __future__ import annotations

from typing import Any

from context_kit._commands import Append, Steps, succeed
from context_kit._due import made_pin, same_pin, usage
from context_kit._log import Log
from context_kit._plan import Draft
from context_kit._records import Pinned
from context_kit._settings import Settings
from context_kit.errors import TOLD, BudgetError, told
from context_kit.types import Pin, PreCompact, Replace, TaskSummary, Veto

__all__ = ["wished"]


def wished(log: Log, settings: Settings, plan: Draft) -> Steps[tuple[list[Any], list[str]]]:
    """What the hooks wish, and what went wrong with them; a wish for a pin is carried out."""
    event = PreCompact(trigger=plan.trigger, usage=usage(log, settings), plan=plan.public(log))
    failed: list[str] = []
    wishes: list[Any] = []
    for outcome in (yield event):
        error = outcome.error
        if error is None and isinstance(outcome.value, Pin):
            error = yield from _pin(log, settings, outcome.value)
        elif error is None and not _is_wish(outcome.value):
            error = TypeError(_unfit(outcome.value))
        elif error is None and outcome.value is not None:
            wishes.append(outcome.value)
        if error is not None:
            failed.append(settings.redact(f"pre_compact hook: {told(error)}")[:TOLD])
    return wishes, failed


def _unfit(value: object) -> str:
    if isinstance(value, Replace):
        return f"returned Replace with a {type(value.summary).__name__}: give it a TaskSummary"
    return f"returned {type(value).__name__}, not None, Pin, Replace or Veto"


def _is_wish(value: object) -> bool:
    if isinstance(value, Replace):
        summary: object = value.summary
        return isinstance(summary, TaskSummary)
    return value is None or isinstance(value, Veto)


def _pin(log: Log, settings: Settings, wish: Pin) -> Steps[Exception | None]:
    """Pin what a hook asked for, once; why that could not be done."""
    if same_pin(log, settings, wish.text, wish.kind) is not None:
        return None
    try:
        engram = made_pin(log, settings, wish.text, kind=wish.kind, label=wish.label)
    except BudgetError as error:
        return error
    succeed((yield Append(Pinned(engram=engram))))
    return None
