"""A request that was refused as larger than the window, made shorter: at most three, no two equal in a row.

A generator decides; what it yields is done by the drivers in `_call.py`. What the provider told of its window
is believed and remembered; where it told nothing, the refused request is the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from context_kit._budget import Budget
from context_kit._commands import Steps
from context_kit._due import exceeded
from context_kit._flow import turn
from context_kit._log import Log
from context_kit._prepare import prepare
from context_kit._records import Compacted
from context_kit._session import Session
from context_kit._settings import Settings
from context_kit.engrams import Trail
from context_kit.errors import ContextKitError, WindowExceededError
from context_kit.summary import Outcome
from context_kit.types import Compaction
from context_kit.wire import Overflow, Read, overflow, overflow_in, read

__all__ = ["Send", "Talk", "Work", "talk"]

MOST_REQUESTS = 3
HARDER = 0.5
"""What each further refusal makes of the window that the compaction is planned for."""
MILDER = 1.2
"""Where only a guess was too hard, what may still be tried: a guess says nothing of what is below it."""
LEAST_READ = 1_024
"""A server that reports less than this was hardly cut: the smallest window in use is twice as large."""
LEAST_WINDOW = 256
"""A limit below it is no window that any server is run with: a word that was misread, or a lie."""
WILDEST = 16
"""A request told to be so many times what we count says nothing of the messages: only that it was too large."""
REPLY_KEYS = ("max_completion_tokens", "max_output_tokens", "max_tokens")


@dataclass(frozen=True, slots=True)
class Ready:
    """A request as it is sent, and what the ledger says of it."""

    messages: list[Any]
    tokens: int
    """Its size by the ledger."""
    least: int
    """Fewest tokens that a provider can count for its messages."""
    grown: tuple[int, int]
    """Fewest for all of it, had nothing but messages changed since the last report; the most for these messages."""
    report: object
    """That report."""
    model: str | None
    """The model that answered last."""
    last: Compacted | None
    """The compaction that it stands on."""


@dataclass(frozen=True, slots=True)
class Send:
    """Call `create` with these messages; its outcome."""

    messages: list[Any]


@dataclass(frozen=True, slots=True)
class Work:
    """Run a flow in a turn of the session; the request that it made ready."""

    make: Callable[[Log, Trail, Settings], Steps[Ready | WindowExceededError]]


Talk: TypeAlias = "Generator[Work | Send, Any, Outcome]"


def talk(session: Session, arguments: Mapping[str, Any]) -> Talk:
    """The requests of one call; the reply, or the error that goes to the caller."""
    ready: Ready = yield Work(_ready)
    suspected: Outcome | None = None
    learned, number, beside = 0, 0, _beside(arguments)
    while True:
        number += 1
        outcome: Outcome = yield Send(ready.messages.copy())
        over = _overflow(session, ready, outcome)
        if over is None and outcome.error is not None:
            return outcome
        if over is None:
            with _kept(outcome):
                reply = read(outcome.value)
                cut = _cut(session, ready, reply, beside)
                if not cut or suspected is not None or number == MOST_REQUESTS:
                    session.learn(learned)
                    _settle(session, reply, suspected, cut=cut)
                    session.asked = (beside, session.log.ledger.last)
                    return outcome
            suspected, over = outcome, Overflow(limit=cut)
        elif over.limit is not None:
            learned = over.limit
        windows = _windows(session.settings.budget, over, ready.tokens, number, arguments)
        shorter: Ready | WindowExceededError = yield Work(_shrinking(windows if number < MOST_REQUESTS else [], ready))
        if isinstance(shorter, WindowExceededError):
            if suspected is outcome:  # a suspicion is no reason to lose a reply
                with _kept(outcome):
                    session.add((read(outcome.value),))
                return outcome
            shorter.__cause__ = outcome.error
            return Outcome(None, shorter)
        ready = shorter


@contextmanager
def _kept(outcome: Outcome) -> Generator[None]:
    """A reply that can't be added goes to the caller with the error."""
    try:
        yield
    except ContextKitError as error:
        error.reply = outcome.value
        raise


def _overflow(session: Session, ready: Ready, outcome: Outcome) -> Overflow | None:
    """What came of a request, as far as it tells of the window."""
    if outcome.error is not None:
        over = overflow(outcome.error)
        return over and _believed(over, ready.tokens)
    return overflow_in(outcome.value, window=session.settings.budget.window, least=ready.least)


def _believed(over: Overflow, tokens: int) -> Overflow:
    """What was told without what can't be, of a request of so many tokens by our count."""
    if over.limit is not None and over.limit < min(LEAST_WINDOW, tokens / WILDEST):
        over = replace(over, limit=None)
    if max(over.prompt or 0, over.total or 0) > WILDEST * max(tokens, 1):
        over = replace(over, prompt=None, total=None)
    return over


def _ready(log: Log, trail: Trail, settings: Settings) -> Steps[Ready]:
    """The window made ready to be sent, compacted where that is due."""
    messages = yield from prepare(log, trail, settings)
    shown = log.ledger.cost - log.opened.fixed  # system prompt and tools may differ from request to request
    ledger = log.ledger
    return Ready(messages, log.tokens, ledger.least(shown), ledger.grown, ledger.last, ledger.model, log.last)


def _windows(budget: Budget, over: Overflow, tokens: int, number: int, arguments: Mapping[str, Any]) -> list[int]:
    """Windows that the compaction is planned for, the hardest first, in the ledger's tokens.

    Args:
        budget: the session's, with the window as it is known now.
        over: what the provider told.
        tokens: the refused request, by the ledger.
        number: how many requests were refused.
        arguments: those of `create`: a total that is told has the reply in it.
    """
    limit = min(over.limit or budget.window, budget.window)
    reply = over.reply
    if reply is None and over.total is not None:
        reply = next((n for key in REPLY_KEYS if isinstance(n := arguments.get(key), int)), 0)
    prompt = over.prompt if over.total is None else max(over.total - (reply or 0), over.prompt or 0)
    ratio = max(1.0, (prompt or 0) / max(tokens, 1))
    left = max(limit - (reply or 0), 1)
    free = min(limit, left + budget.within(left).reserve)
    told = over.limit is not None or prompt is not None
    base = min(int(free / ratio), tokens) if told else tokens
    milder = [] if told else [int(MILDER * base)]
    return list(dict.fromkeys(max(size, 1) for size in (int(base * HARDER ** (number - 1)), base, *milder)))


def _shrinking(
    windows: Sequence[int], refused: Ready
) -> Callable[[Log, Trail, Settings], Steps[Ready | WindowExceededError]]:
    """The flow that makes a shorter request than the refused one ready, or says what can't shrink."""

    def flow(log: Log, trail: Trail, settings: Settings) -> Steps[Ready | WindowExceededError]:
        failed = exceeded(log, settings)
        if windows and log.last is not refused.last:  # another call's refusal was answered meanwhile
            ready = yield from _ready(log, trail, settings)
            if ready.tokens < refused.tokens:
                return ready
        for tried, size in enumerate(windows):
            llm = None if tried else settings.llm  # nobody pays twice for the same summary
            tight = replace(settings, budget=settings.budget.within(size), llm=llm)
            try:
                receipt: Compaction = yield from turn(log, trail, tight, trigger="overflow")
                ready = yield from _ready(log, trail, settings)
            except WindowExceededError as error:
                failed = error
                continue
            if receipt.outcome == "applied" and ready.messages != refused.messages:
                return ready
        return _told(refused, failed, tried=bool(windows))

    return flow


def _told(refused: Ready, known: WindowExceededError, *, tried: bool) -> WindowExceededError:
    """What remains: by name and size what can't shrink."""
    which = "the request" if tried else f"the last of {MOST_REQUESTS} requests, each shorter than the one before,"
    msg = (
        f"{which} was larger than the provider's window (by our count it has {refused.tokens} tokens), and what is "
        f"left can't shrink: system prompt {known.system} tokens, tools {known.tools} tokens, largest message "
        f"{known.largest} tokens. Shorten the system prompt or the tool schemas, ask for a shorter reply, or use a "
        "model with a larger window; what is sent beside the messages belongs into system= and tools="
    )
    return WindowExceededError(msg, window=known.window, system=known.system, tools=known.tools, largest=known.largest)


# -- a cut that nobody tells ---------------------------------------------------------------


def _beside(arguments: Mapping[str, Any]) -> str:
    """What goes with the messages, to be compared; empty where it can't be."""
    with suppress(Exception):
        return repr(arguments)
    return ""


def _cut(session: Session, ready: Ready, reply: Read, beside: str) -> int:
    """Tokens that a server read of a request which it cut without a word (Ollama); 0 where none is suspected.

    Only where the count can be relied on: chat messages, the built-in tokeniser, the same model, no media and
    no reasoning, which servers count as they like or leave out (wire-facts 5, "Silent cut"). Some servers report
    only what they had not read already: a count that the new messages alone may have is none.
    """
    usage, log = reply.usage, session.log
    if usage is None or not session.trusted or session.settings.own_count or log.shape not in (None, "chat"):
        return 0
    least, new = ready.grown
    if not beside or session.asked != (beside, ready.report):
        least = ready.least
    if not max(LEAST_READ, new) < usage.input_tokens < least or ready.model not in (None, usage.model):
        return 0
    steps = log.steps.all[log.start :]
    parts = {part.kind for step in steps for entry in step.entries for part in entry.message.parts}
    return 0 if parts & {"media", "reasoning"} else usage.input_tokens


def _settle(session: Session, reply: Read, suspected: Outcome | None, *, cut: int) -> None:
    """Add the reply; what was suspected before it is confirmed, or never suspected again."""
    usage = read(suspected.value).usage if suspected is not None else None
    session.trusted = session.trusted and not (usage and cut)
    if usage is not None and not cut:
        session.learn(usage.input_tokens)
    session.add((reply,))
