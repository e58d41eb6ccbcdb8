"""How full the window is, and when a compaction is due.

The band is 70-75 %: at soft where a turn ends (or the usual next step would pass hard), at
hard between any two steps, at once where the list doesn't fit; never twice without real growth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from context_kit._budget import GROWTH, MOST_PINS, USUAL_STEPS
from context_kit._log import Log
from context_kit._records import Compacted
from context_kit._settings import Settings
from context_kit._steps import PLACEHOLDER_COST
from context_kit.errors import BudgetError, InvalidMessageError, WindowExceededError
from context_kit.tokens import cost
from context_kit.types import Engram, EngramKind, Level, Trigger, Usage
from context_kit.wire import Reported, read

__all__ = [
    "STAYS",
    "check_released",
    "check_usage",
    "clip_room",
    "due",
    "exceeded",
    "fixed_cost",
    "made_pin",
    "raw_window",
    "reached",
    "same_pin",
    "stays_full",
    "usage",
    "window_cost",
]


STAYS = "the window stays at"


def usage(log: Log, settings: Settings) -> Usage:
    """How full the window is."""
    budget, tokens = settings.budget, log.tokens
    share = tokens / budget.window
    level: Level = "hard" if share >= budget.hard or tokens > budget.room else "soft" if share >= budget.soft else "ok"
    return Usage(
        tokens=tokens,
        window=budget.window,
        share=share,
        level=level,
        source=log.ledger.source,
        margin=log.ledger.margin,
    )


def due(log: Log, settings: Settings) -> Trigger | None:
    """Whether a compaction is due now (docs/how-it-decides.md, "When")."""
    budget, tokens = settings.budget, log.tokens
    if tokens > budget.room:
        return "hard"
    if not _in_band(log, settings, tokens):
        return None
    if tokens >= budget.hard * budget.window:
        return "hard"
    if _turn_boundary(log) or tokens + _usual_step(log) > budget.hard * budget.window:
        return "soft"
    return None


def reached(log: Log, settings: Settings) -> bool:
    """Whether the window is in the band, with real growth since the last compaction."""
    return _in_band(log, settings, log.tokens)


def _in_band(log: Log, settings: Settings, tokens: int) -> bool:
    soft = tokens >= settings.budget.soft * settings.budget.window
    return soft and not (log.receipts and log.grown < GROWTH * raw_window(log, settings))


def _turn_boundary(log: Log) -> bool:
    """No call is open and the last message is no tool result."""
    return not log.steps.waiting and bool(log.entries) and not log.entries[-1].message.results


def _usual_step(log: Log) -> float:
    sizes = sorted(step.cost for step in log.steps.all[-USUAL_STEPS:])
    return sizes[len(sizes) // 2] * log.ledger.scale if sizes else 0


def raw_window(log: Log, settings: Settings) -> int:
    """The window in estimated tokens."""
    return int(settings.budget.window / log.ledger.scale)


def fixed_cost(log: Log) -> int:
    """Estimated tokens of what stands in every request beside the messages."""
    return log.opened.fixed + int(log.ledger.overhead / log.ledger.scale)


def window_cost(log: Log, raw: int) -> int:
    """Ledger tokens of a window whose messages have `raw` estimated tokens."""
    whole = (raw + log.opened.fixed) * log.ledger.scale + log.ledger.overhead
    return int(whole) + PLACEHOLDER_COST * log.steps.waiting


def clip_room(log: Log, settings: Settings) -> int:
    """Estimated tokens that a window may have once messages are clipped: down to soft, and to what fits."""
    room = int((settings.budget.room - log.ledger.overhead) / log.ledger.scale) + fixed_cost(log) - log.opened.fixed
    soft = int(settings.budget.soft * raw_window(log, settings))
    return min(soft, room) - PLACEHOLDER_COST * log.steps.waiting


def stays_full(log: Log, settings: Settings, tokens: int) -> str:
    """What holds the window in the band whatever is compacted, and what to do; empty where it was told or nothing does.

    Args:
        log: the session's, before this compaction.
        settings: the session's.
        tokens: the window after this compaction.
    """
    budget = settings.budget
    soft = int(budget.soft * budget.window)
    if tokens < soft or _told(log, soft):
        return ""
    head = int(log.opened.fixed * log.ledger.scale + log.ledger.overhead)
    head += sum(entry.cost for entry in log.entries if entry.message.role == "system")
    newest = log.steps.all[-1].cost if log.steps.all else 0
    return (
        f"{STAYS} {tokens} of {budget.window} tokens, above the trigger at {soft}: system prompt and tools have "
        f"{head}, the newest step {newest}. Shorten the larger one, use a larger window, or raise Budget(soft=, hard=)"
    )


def _told(log: Log, soft: int) -> bool:
    """Whether a receipt said so since the window was last below soft."""
    for receipt in reversed(log.receipts):
        if receipt.tokens_after < soft:
            return False
        if STAYS in receipt.reason:
            return True
    return False


def _check_room(log: Log, settings: Settings, tokens: int) -> None:
    """Refuse a pin that has no room beside the others.

    Raises:
        BudgetError: with the sizes and what to do.
    """
    ceiling = int(MOST_PINS * settings.budget.pins * raw_window(log, settings))
    taken = sum(pin.tokens for pin in log.pins.values())
    if taken + tokens > ceiling:
        msg = (
            f"pin: {tokens} tokens beside {taken} already pinned is above the {ceiling} that pins may have beside the "
            "user's own words: "
            "release one, shorten it, or raise Budget(pins=...)"
        )
        raise BudgetError(msg)


def check_usage(usage: Reported) -> None:
    """Refuse counts that are no whole numbers.

    Raises:
        InvalidMessageError: one isn't; the field is named.
    """
    for name in ("input_tokens", "output_tokens"):
        value: object = getattr(usage, name)
        needed = value is not None or name == "input_tokens"
        if needed and (isinstance(value, bool) or not isinstance(value, int)):
            msg = f"{value!r} is no whole number of tokens"
            raise InvalidMessageError(msg, field=name)


def check_released(log: Log, name: object) -> None:
    """Refuse to release what is no pin.

    Raises:
        BudgetError: the text lists the pins that are there.
    """
    if not isinstance(name, str) or name not in log.pins:
        msg = f"id: {name!r} is no pin, there are {', '.join(log.pins) or 'none'}"
        raise BudgetError(msg)


def same_pin(log: Log, settings: Settings, text: object, kind: object) -> Engram | None:
    """The live pin of a kind that has these words already."""
    clean = settings.redact(text) if isinstance(text, str) else None
    return next((pin for pin in log.pins.values() if (pin.text, pin.kind) == (clean, kind)), None)


def made_pin(log: Log, settings: Settings, text: str, *, kind: Any, label: str) -> Engram:
    """A pin that has room beside the others.

    Raises:
        BudgetError: it has none; nothing was pinned.
    """
    for name, value in (("text", text), ("label", label)):
        given: object = value
        if not isinstance(given, str) or (name == "text" and not given.strip()):
            msg = f"{name}: {value!r} is no text to pin"
            raise BudgetError(msg)
    if kind not in get_args(EngramKind):
        msg = f"kind: {kind!r} is unknown, use one of {', '.join(get_args(EngramKind))}"
        raise BudgetError(msg)
    clean, name = settings.redact(text), settings.redact(label)
    tokens = settings.count(clean) + settings.count(name) + 16
    _check_room(log, settings, tokens)
    return Engram(id=f"p{log.pin_count + 1}", kind=kind, text=clean, label=name, tokens=tokens, source="")


def exceeded(log: Log, settings: Settings, tried: Compacted | None = None) -> WindowExceededError:
    """What can't shrink, by name and size: of the window as it stands, or as a compaction would have left it."""
    system = settings.system_tokens + sum(entry.cost for entry in log.entries if entry.message.role == "system")
    largest = max(_tail_costs(log, settings, tried or log.last), default=0)
    budget = settings.budget
    text = (
        f"the window of {budget.window} tokens has room for {budget.room} (reserve {budget.reserve}), but what can't "
        f"shrink is larger: system prompt {system} tokens, tools {settings.tools_tokens} tokens, largest message "
        f"{largest} tokens. Shorten the system prompt or the tool schemas, lower the reserve, or use a larger window"
    )
    return WindowExceededError(text, window=budget.window, system=system, tools=settings.tools_tokens, largest=largest)


def _tail_costs(log: Log, settings: Settings, compacted: Compacted | None) -> Iterator[int]:
    """Estimated tokens of each message that stands in the window, the clipped ones as they stand there."""
    start = log.index_of(compacted.cut) if compacted else log.start
    clipped = compacted.replaced if compacted else {}
    for step in log.steps.all[start:]:
        for entry in step.entries:
            if entry.message.role == "system":
                continue
            raw = clipped.get(entry.position)
            shown = entry.message if raw is None else read(raw).messages[0]
            yield entry.cost if raw is None else cost(shown, count=settings.count, model=log.opened.model)
