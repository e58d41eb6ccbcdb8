"""What `prepare()` does: compact where that is due, then make the window ready to be sent."""

from __future__ import annotations

from context_kit._commands import Append, Flow, succeed
from context_kit._cuts import Entry
from context_kit._due import due, exceeded
from context_kit._flow import turn
from context_kit._log import Log
from context_kit._records import Added, Sealed
from context_kit._settings import Settings
from context_kit.engrams import Trail
from context_kit.tokens import cost
from context_kit.wire import read, user_message

__all__ = ["prepare", "settled"]


def settled(log: Log, settings: Settings) -> bool:
    """Whether the window can be sent as it stands: most calls of `prepare` find it so."""
    return not log.pins and not log.steps.unanswered and due(log, settings) is None


def prepare(log: Log, trail: Trail, settings: Settings) -> Flow:
    """The messages to send, after a compaction where one is due.

    Raises:
        WindowExceededError: what can't shrink is larger than the window has room for.
    """
    trigger = due(log, settings)
    if trigger is not None:
        yield from turn(log, trail, settings, trigger=trigger)
    if log.tokens > settings.budget.room:
        raise exceeded(log, settings)
    if log.pins:
        yield from _show_pins(log, settings)
    if log.steps.unanswered:
        yield from _seal(log)
    return log.view()


def _show_pins(log: Log, settings: Settings) -> Flow:
    """Pins whose words are not in the window yet: once, as a short user message."""
    hidden = [pin for key, pin in log.pins.items() if key not in log.shown]
    if not hidden or log.steps.waiting:
        return
    if log.opened.strict_roles and log.entries and log.entries[-1].message.role == "user":
        return
    told = "\n".join(f"[{pin.id}{' · ' + pin.label if pin.label else ''}] {pin.text}" for pin in hidden)
    message = read(user_message(f"[pinned by the program: keep in view]\n{told}")).messages[0]
    entry = Entry(
        position=log.next_position,
        message=message,
        cost=cost(message, count=settings.count, model=log.opened.model),
        injected=True,
    )
    succeed((yield Append(Added(entry=entry))))


def _seal(log: Log) -> Flow:
    """Placeholders that go out with a message after them stay for good."""
    newest = log.steps.all[-1] if log.steps.all else None
    for step in list(log.steps.unanswered):
        if step is not newest and step.waiting.keys() - step.sealed:
            succeed((yield Append(Sealed(position=step.first))))
