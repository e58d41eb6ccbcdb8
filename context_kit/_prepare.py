"""What `prepare()` does: compact where that is due, then make the window ready to be sent."""

from __future__ import annotations

from context_kit._asking import asking, legal_now, outdated, snapshot_of
from context_kit._commands import Ahead, Begin, Collect, Flow, Steps, succeed
from context_kit._due import due, exceeded, reached
from context_kit._flow import clear_beforehand, nothing_leaves, seal, turn
from context_kit._log import Log
from context_kit._notices import notices, owed
from context_kit._plan import draft
from context_kit._settings import Settings
from context_kit.engrams import Trail
from context_kit.types import Trigger

__all__ = ["prepare", "settled"]

MOST_TURNS = 3
"""Compactions in a row, where messages came in while one was made; a second one without growth never runs."""


def settled(log: Log, settings: Settings) -> bool:
    """Whether the window can be sent as it stands: most calls of `prepare` find it so."""
    if log.pins or log.steps.unanswered or owed(log) or (settings.ahead and reached(log, settings)):
        return False
    return due(log, settings) is None


def prepare(log: Log, trail: Trail, settings: Settings) -> Flow:
    """The messages to send, after a compaction where one is due.

    Raises:
        WindowExceededError: what can't shrink is larger than the window has room for.
    """
    for _ in range(MOST_TURNS):
        trigger = due(log, settings)
        if settings.ahead and trigger != "hard":
            trigger = yield from _unhurried(log, trail, settings, trigger)
        if trigger is None or (yield from turn(log, trail, settings, trigger=trigger)).outcome != "applied":
            break
    if log.tokens > settings.budget.room:
        raise exceeded(log, settings)
    yield from notices(log, trail, settings)
    if log.steps.unanswered:
        yield from seal(log)
    return log.view()


def _unhurried(log: Log, trail: Trail, settings: Settings, trigger: Trigger | None) -> Steps[Trigger | None]:
    """Below hard nobody waits: what to compact for with the summary that is there, or None where one is made.

    One is begun as soon as the band is reached, in a tool loop as well: there is time to make it.
    """
    collected = yield Collect(wait=False)
    succeed(collected)
    ahead: Ahead | None = collected[0].value
    reason = outdated(log, ahead) if ahead else ""
    if ahead is not None and not reason:
        vetoed = trigger is None and bool(log.receipts) and log.receipts[-1].outcome == "vetoed"
        return "soft" if ahead.answer is not None and legal_now(log, ahead) and not vetoed else None
    if not reached(log, settings):
        return None
    dropped = (*ahead.snapshot.dropped, reason) if ahead else ()
    return None if (yield from _begun(log, trail, settings, dropped)) else trigger


def _begun(log: Log, trail: Trail, settings: Settings, dropped: tuple[str, ...]) -> Steps[bool]:
    """Begin a summary of the old part as it is now; False where there is none to make."""
    yield from seal(log)
    trail.follow(log.entries)
    plan = draft(log, trail, settings, trigger="soft")
    if nothing_leaves(log, settings, plan) or clear_beforehand(log, trail, settings, plan):
        return False
    said = log.last.said if log.last else None
    begun = yield Begin(asking(log, trail, settings, plan, said), snapshot_of(log, plan, dropped))
    return begun[0].error is None
