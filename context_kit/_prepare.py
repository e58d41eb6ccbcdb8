"""What `prepare()` does: compact where that is due, then make the window ready to be sent."""

from __future__ import annotations

from context_kit._accept import sized
from context_kit._asking import asking, legal_now, outdated, snapshot_of
from context_kit._commands import Ahead, Append, Begin, Collect, Flow, Steps, succeed
from context_kit._due import due, exceeded, reached
from context_kit._flow import clear_beforehand, nothing_leaves, seal, turn
from context_kit._log import Log
from context_kit._plan import draft
from context_kit._records import Added
from context_kit._settings import Settings
from context_kit._steps import Entry
from context_kit.engrams import Trail
from context_kit.types import Trigger
from context_kit.wire import read, user_message

__all__ = ["prepare", "settled"]

MOST_TURNS = 3
"""Compactions in a row, where messages came in while one was made; a second one without growth never runs."""


def settled(log: Log, settings: Settings) -> bool:
    """Whether the window can be sent as it stands: most calls of `prepare` find it so."""
    if log.pins or log.steps.unanswered or (settings.ahead and reached(log, settings)):
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
    if log.pins:
        yield from _show_pins(log, trail, settings)
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


def _show_pins(log: Log, trail: Trail, settings: Settings) -> Flow:
    """Pins whose words are not in the window yet: once, as a short user message at the next legal place."""
    hidden = [pin for key, pin in log.pins.items() if key not in log.shown]
    if not hidden or not _may_speak(log):
        return
    told = "\n".join(f"[{pin.id}{' · ' + pin.label if pin.label else ''}] {pin.text}" for pin in hidden)
    message = read(user_message(f"[pinned by the program: keep in view]\n{told}")).messages[0]
    size = sized(log, settings, message)
    if log.tokens + size * log.ledger.scale > settings.budget.room:
        yield from turn(log, trail, settings, trigger="hard")
        return
    entry = Entry(position=log.next_position, message=message, cost=size, injected=True)
    succeed((yield Append(Added(entry=entry))))


def _may_speak(log: Log) -> bool:
    """Whether a user message of the library's own is legal at the end of the list."""
    if log.steps.waiting or not log.entries:
        return False
    last = log.entries[-1].message.role
    return last == "tool" or (last == "user" and not log.opened.strict_roles)
