"""A ready hook: after a share of the compactions it checks what is remembered, and repairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from typing import Any, TypeVar

from context_kit._drive import is_async
from context_kit.errors import BudgetError, ContextKitError
from context_kit.probes._given import check_given
from context_kit.probes._types import Judging, ProbeReport
from context_kit.types import PostCompact
from context_kit.typing import PostCompactHook, ProbeLLM

__all__ = ["probing"]

Asked = TypeVar("Asked", bound="Callable[..., Any]")


def probing(
    llm: ProbeLLM,
    *,
    rate: float = 0.5,
    k: int = 10,
    judge: Judging | None = None,
    repair: bool = True,
    report: Callable[[ProbeReport], object] | None = None,
) -> PostCompactHook:
    """A `post_compact` hook that checks what the agent's own model remembers, and puts back what it doesn't.

    `ContextManager(128_000, post_compact=probing(from_openai(client, MODEL), rate=0.25))`. Each check costs up to `k`
    requests of the window's size, and as many again as failed. How the answers came out is on the receipt (`probed`).
    A model that does not answer is told there as well (`failures`), and the turn goes on.

    Args:
        llm: the agent's own model, a function of a `ProbeRequest`; an async one makes an async hook.
        rate: share of the applied compactions that are checked, above 0 and at most 1; evenly, the first among them.
        k: at most so many questions.
        judge: as in `ContextManager.probe`.
        repair: put back what failed.
        report: is given each report. What it raises is told on the receipt, as of every hook: an agent is stopped by
            the loop, which looks at the receipt's `probed`.

    Raises:
        BudgetError: the rate is no share, `k` no whole number above 0, `llm` or `judge` can't be called.
    """
    given: object = rate
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given <= 1:
        msg = f"rate: {rate!r} is no share of the compactions: give a number above 0 and at most 1"
        raise BudgetError(msg)
    check_given(k, llm, judge)
    due, asked = _share(rate), {"k": k, "judge": judge, "repair": repair}

    def hook(event: PostCompact) -> None:
        if due(event):
            _tell(_bound(event.probe)(llm, **asked), report)

    async def ahook(event: PostCompact) -> None:
        if due(event):
            _tell(await _bound(event.aprobe)(llm, **asked), report)

    return ahook if is_async(llm) or is_async(judge) else hook


def _share(rate: float) -> Callable[[PostCompact], bool]:
    """Whether a compaction is one of the share: of every two the first, for a half."""
    numbers = count()

    def due(event: PostCompact) -> bool:
        if event.receipt.outcome != "applied":
            return False
        number = next(numbers)
        return math.ceil((number + 1) * rate) > math.ceil(number * rate)

    return due


def _bound(ask: Asked | None) -> Asked:
    if ask is None:
        msg = "this event belongs to no session: give the hook to ContextManager(post_compact=...)"
        raise ContextKitError(msg)
    return ask


def _tell(found: ProbeReport, report: Callable[[ProbeReport], object] | None) -> None:
    """Hand on what was found; what went wrong goes to the receipt, as with every hook."""
    if report is not None:
        report(found)
    if found.failures:
        msg = f"recall check: {'; '.join(found.failures)}"
        raise ContextKitError(msg)
