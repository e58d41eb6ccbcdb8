"""Tries of one request, by tenacity: backed off with jitter, as long as the server asks, within a deadline.

tenacity decides when to try and how long to wait; what blocks is yielded, so both drivers share the loop.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from tenacity import DoAttempt, DoSleep, RetryCallState, Retrying, retry_if_exception

from context_kit.llm._api import Body, Fold
from context_kit.llm._errors import named, retry_after, transient
from context_kit.summary import Outcome

__all__ = ["Act", "Clock", "Patience", "Send", "Sleep", "Steps", "tries"]

report = logging.getLogger("context_kit")

Clock = Callable[[], float]
Answer = TypeVar("Answer")
LONGEST = 60.0
"""Seconds that one wait may have, unless the server asks for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Send this request; its outcome is the reply, as the SDK gives it or put together from its chunks."""

    body: Body
    seconds: float
    """What this try may take."""
    fold: Fold | None
    """What takes the chunks of a stream; None for a whole reply."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait."""

    seconds: float


Act: TypeAlias = "Send | Sleep"
Steps: TypeAlias = "Generator[Act, Outcome | None, Answer]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a summary may take."""

    deadline: float
    """Seconds for one summary, all tries and waits together."""
    attempts: int
    """Tries of one request."""
    timeout: float
    """Seconds for one try."""
    wait: float
    """Seconds before the second try; doubled from try to try."""
    clock: Clock

    def left(self, began: float) -> float:
        """Seconds until the deadline."""
        return self.deadline - (self.clock() - began)


def tries(
    make: Callable[[float], Send], read: Callable[[Any], Answer], patience: Patience, began: float
) -> Steps[Answer]:
    """One request, tried until it is answered, refused, or out of time.

    Args:
        make: the request, given the seconds that this try may take.
        read: a reply's reading; it may raise `ReplyError`.
        patience: how long.
        began: the clock when the summary was asked for.

    Raises:
        Exception: the last try's own error, unchanged.
    """
    retrying = Retrying(
        retry=retry_if_exception(transient),
        wait=lambda state: _wait(state, patience),
        stop=lambda state: state.attempt_number >= patience.attempts or state.upcoming_sleep >= patience.left(began),
        reraise=True,
    )
    retrying.begin()
    state = RetryCallState(retrying, None, (), {})
    while True:
        do = retrying.iter(retry_state=state)
        if isinstance(do, DoAttempt):
            outcome = yield make(max(min(patience.timeout, patience.left(began)), 0.001))
            _note(state, outcome or Outcome(), read)
        elif isinstance(do, DoSleep):
            state.prepare_for_next_attempt()
            yield Sleep(float(do))
        else:
            said: Answer = do
            return said


def _note(state: RetryCallState, outcome: Outcome, read: Callable[[Any], Any]) -> None:
    error = outcome.error
    if error is None:
        try:
            state.set_result(read(outcome.value))
        except Exception as found:  # noqa: BLE001 - tenacity decides, and raises it again
            error = found
    if error is not None:
        report.info("summary request, try %d: %s", state.attempt_number, named(error))
        state.set_exception((type(error), error, error.__traceback__))


def _wait(state: RetryCallState, patience: Patience) -> float:
    """Seconds before the next try: the server's wish and a little more, else doubled with jitter."""
    error = state.outcome.exception() if state.outcome else None
    asked = retry_after(error) if error else None
    least = min(patience.wait * 2.0 ** min(state.attempt_number - 1, 16), LONGEST) if asked is None else asked
    return least + random.uniform(0, min(patience.wait, 1.0))  # noqa: S311 - spreads clients, hides nothing
