"""Recall checks of a session: what its own model remembers after a compaction.

No turn is held while a model is asked: messages may come in, and compactions be made; the window that is asked
about is the one that stood when the check began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from context_kit._commands import Steps, worked
from context_kit._drive import ASYNC_IN_SYNC, Effects, arun, run
from context_kit._session import Session
from context_kit.errors import ContextKitError, StoreError
from context_kit.probes import Judging, Probe, ProbeReport, check, made
from context_kit.probes._given import check_given
from context_kit.probes._live import How
from context_kit.types import PostCompact
from context_kit.typing import ProbeLLM

__all__ = ["Probing", "attach"]


class Probing:
    """The checking half of `ContextManager`."""

    _session: Session

    def probe(self, llm: ProbeLLM, *, k: int = 20, judge: Judging | None = None, repair: bool = False) -> ProbeReport:
        """Check what a model remembers: it is asked about what left the window, and its answers are graded.

        The probes are made by rule from the log, and each is asked alone, of the window as it stands. Asking adds
        nothing to the log. Before the first compaction there is nothing to ask.

        Args:
            llm: the agent's own model: any function of a `ProbeRequest` that returns text, `from_openai(...)` and
                `from_anthropic(...)` among them.
            k: at most so many probes.
            judge: a function of a probe and an answer, for answers that rules can't compare: True is right, False
                is not, None leaves it to the rules. What is honestly not known is not put before it.
            repair: put back word for word what failed, as one message at the end of the window and within the
                budget, and ask it again. The receipt names it (`repaired`). What stands in the window as it is comes
                there no second time. A closed session is not repaired. `failures` says what was not put back, and why.

        Returns:
            The report. A question to which the model raised, or returned no text, is in none of its four; after three
            in a row no other is asked, and `failures` says so.

        Raises:
            BudgetError: `k` is no whole number above 0, or `llm` can't be called.
            ContextKitError: `llm` or `judge` is async.
        """
        return probe(self._session, llm, k=k, judge=judge, repair=repair)

    async def aprobe(
        self, llm: ProbeLLM, *, k: int = 20, judge: Judging | None = None, repair: bool = False
    ) -> ProbeReport:
        """`probe()` for an event loop: a sync `llm` or `judge` runs in a worker thread."""
        return await aprobe(self._session, llm, k=k, judge=judge, repair=repair)


def probe(session: Session, llm: ProbeLLM, **given: Any) -> ProbeReport:
    """A check, blocking."""
    flow, effects = _begun(session, llm, **given)
    if name := effects.asynchronous():
        msg = f"{name} {ASYNC_IN_SYNC}"
        raise ContextKitError(msg)
    report: ProbeReport = run(flow, effects, session.lock)
    return report


async def aprobe(session: Session, llm: ProbeLLM, **given: Any) -> ProbeReport:
    """A check, awaiting."""
    flow, effects = _begun(session, llm, **given)
    report: ProbeReport = await arun(flow, effects, session.lock)
    return report


def attach(session: Session) -> None:
    """Give the hooks of a session what they may call: `event.probe` and `event.aprobe`."""

    def bind(event: PostCompact) -> PostCompact:
        return replace(
            event, probe=partial(probe, session, counted=True), aprobe=partial(aprobe, session, counted=True)
        )

    session.effects = replace(session.effects, bind=bind)


def _begun(
    session: Session,
    llm: ProbeLLM,
    *,
    k: int = 20,
    judge: Judging | None = None,
    repair: bool = False,
    counted: bool = False,
) -> tuple[Steps[ProbeReport], Effects]:
    check_given(k, llm, judge)
    closed = _closed(session) if repair else ""
    effects = replace(session.effects, llm=llm, judge=judge, pre=(), post=())
    how = How(judge=judge is not None, repair=repair and not closed, counted=counted)
    return _flow(session, k, how, closed), effects


def _flow(session: Session, k: int, how: How, closed: str) -> Steps[ProbeReport]:
    log, trail, settings = session.log, session.trail, session.settings

    def asked() -> Sequence[Probe]:
        with session.lock:
            trail.follow(log.entries)
            return made(log, trail, redact=settings.redact, beside=settings.beside, most=k)[:k]

    probes = yield from worked(asked)
    report = yield from check(log, trail, settings, probes, how)
    return replace(report, failures=(*report.failures, closed)) if closed else report


def _closed(session: Session) -> str:
    """Why nothing can be put back; empty where it can."""
    try:
        session.alive()
    except StoreError as error:
        return f"nothing is put back: {error}"
    return ""
