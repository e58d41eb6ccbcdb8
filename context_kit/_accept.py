"""What `add` was given, as records: each message tried before any is written."""

from __future__ import annotations

from collections.abc import Sequence

from context_kit._log import Log
from context_kit._records import Added, Record, UsageReported
from context_kit._settings import Settings
from context_kit._steps import Entry
from context_kit.tokens import cost
from context_kit.wire import STUB_COST, Message, Read

__all__ = ["accepted", "beside", "sized"]


LATE_COST = 32
"""Tokens of the line that a late result is sent with; an upper bound."""
SHOWN_COST = 48
"""Tokens of the user message that the pictures of a chat result are sent in; an upper bound."""


def sized(log: Log, settings: Settings, message: Message) -> int:
    """Tokens that an accepted message is counted with: its own, and of what the list needs beside it."""
    size = cost(message, count=settings.count, model=settings.model)
    results = message.results
    late = bool(results) and log.steps.home(message) is None
    first = not log.entries
    pictures = [part for part in results if part.block]
    if not (late or first or pictures or log.opened.strict_roles):
        return size
    return size + beside(log, message, late=late, first=first)


def beside(log: Log, message: Message, *, late: bool, first: bool) -> int:
    """Tokens of what a list may need beside a message: the line of a late result or of pictures, a stub."""
    begins = first and message.role == "assistant" and message.shape in (None, "anthropic")
    shown = message.raw.get("role") == "tool" and any(part.block for part in message.results)
    stub = begins or (log.opened.strict_roles and (late or shown or first or message.role in ("user", "system")))
    return LATE_COST * len(message.results) * late + STUB_COST * stub + SHOWN_COST * shown


def accepted(log: Log, settings: Settings, reads: Sequence[Read]) -> list[Record]:
    """The records of several messages, or of one with its usage, tried on a scratch log first."""
    many = len(reads) > 1 or any(len(each.messages) > 1 for each in reads)
    tried = log.scratch() if many else log
    records: list[Record] = []
    position = log.next_position
    for each in reads:
        total = 0
        for message in each.messages:
            tried.accept(message)
            size = sized(tried, settings, message)
            added = Added(entry=Entry(position, message, size))
            position, total = position + 1, total + size
            records.append(added)
            if many:
                tried.append(added)
        if each.usage is not None:
            records.append(UsageReported(usage=each.usage, cost=total))
    return records
