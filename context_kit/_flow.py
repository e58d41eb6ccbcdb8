"""One turn, top to bottom, as one generator.

It decides everything and does nothing: whatever blocks (a model, a hook, a store) is yielded
as a value and comes back as an `Outcome`. Two drivers run it, one that blocks and one that
awaits. The log moves only at `Append`; until then a failure leaves it as it was.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import Literal

from context_kit._asking import legal_now, outdated, summarise
from context_kit._assemble import Planned, assemble
from context_kit._commands import (
    Ahead,
    Append,
    Collect,
    Flow,
    Journal,
    Look,
    ReadJournal,
    Save,
    Steps,
    succeed,
)
from context_kit._due import STAYS, exceeded, stays_full
from context_kit._log import Log
from context_kit._plan import Draft, draft
from context_kit._records import Amended, Sealed, Skipped
from context_kit._settings import Settings
from context_kit._topic import standing, topic_of
from context_kit._verify import fidelity, new_faults
from context_kit._wishes import wished
from context_kit.engrams import Trail
from context_kit.errors import TOLD, StoreError, SummaryError, told
from context_kit.summary import Answer, Outcome
from context_kit.types import (
    Compaction,
    PostCompact,
    Replace,
    Trigger,
    Veto,
)

__all__ = ["clear_beforehand", "nothing_leaves", "seal", "turn"]

report = logging.getLogger("context_kit")


def turn(log: Log, trail: Trail, settings: Settings, *, trigger: Trigger, focus: str | None = None) -> Flow:
    """One compaction; its receipt."""
    began = time.perf_counter()
    ahead, dropped = yield from _collected(log, settings)
    yield from seal(log)
    trail.follow(log.entries)
    plan = _drafted(log, trail, settings, trigger, None if focus else ahead)
    if reason := nothing_leaves(log, settings, plan):
        return (yield from _full(log, settings, plan.skipped("not_reduced", reason, began, dropped)))
    wishes, failed = yield from wished(log, settings, plan)
    failed[:0] = dropped
    veto = next((wish for wish in wishes if isinstance(wish, Veto)), None)
    if veto is not None and trigger not in ("hard", "overflow"):
        return (yield from _close(log, settings, plan.skipped("vetoed", veto.reason, began, failed)))
    if veto is not None:
        failed.append(settings.redact(f"pre_compact hook: Veto({veto.reason!r}) does not hold at {trigger}"))
    plan = yield from _material(log, trail, settings, plan)
    if reason := clear_beforehand(log, trail, settings, plan):
        return (yield from _full(log, settings, plan.skipped("not_reduced", reason, began, failed)))
    replaced = next((wish.summary for wish in wishes if isinstance(wish, Replace)), None)
    answer = yield from summarise(log, trail, settings, plan, replaced, focus, ahead)
    planned = assemble(log, trail, settings, plan, answer)
    planned = planned.noting(failed)
    return (yield from _commit(log, trail, settings, planned, began, answer.ungrounded))


def _collected(log: Log, settings: Settings) -> Steps[tuple[Ahead | None, list[str]]]:
    """The summary that was begun in the background, waited for where it is of use still; or why it is of none."""
    ahead = (yield from _found(wait=False)) if settings.ahead else None
    if ahead is not None and ahead.answer is None and not outdated(log, ahead):
        ahead = yield from _found(wait=True)
    if ahead is None:
        return None, []
    reason = outdated(log, ahead)
    return (None if reason else ahead), [*ahead.snapshot.dropped, *filter(None, [reason])]


def _found(*, wait: bool) -> Steps[Ahead | None]:
    collected = yield Collect(wait=wait)
    succeed(collected)
    ahead: Ahead | None = collected[0].value
    return ahead


def _drafted(log: Log, trail: Trail, settings: Settings, trigger: Trigger, ahead: Ahead | None) -> Draft:
    """The plan; with the cut of a summary that is there already where that makes enough room."""
    if ahead is not None and ahead.answer is not None and legal_now(log, ahead):
        held = draft(log, trail, settings, trigger=trigger, held=ahead.snapshot.position)
        receipt = assemble(log, trail, settings, held, ahead.answer).record.receipt
        enough = receipt.rung != "clip" and receipt.tokens_after < settings.budget.tokens(settings.budget.soft)
        if trigger == "soft" or enough:
            return held
    return draft(log, trail, settings, trigger=trigger)


def nothing_leaves(log: Log, settings: Settings, plan: Draft) -> str:
    """Why there is nothing to compact; empty where there is, or where clips are needed."""
    if plan.leaving or log.tokens > settings.budget.room:
        return ""
    return "nothing but the newest step is left to compact"


def clear_beforehand(log: Log, trail: Trail, settings: Settings, plan: Draft) -> str:
    """Why the window would not shrink whatever a model says; empty where it may."""
    leaving = sum(entry.cost for entry in plan.leaving)
    if settings.llm is None or leaving > plan.shares.notes + plan.shares.summary + plan.shares.pins:
        return ""
    planned = assemble(log, trail, settings, plan, Answer(said=None, rung="extractive", complete=False))
    return "would not shrink the window" if planned.record.receipt.tokens_after >= log.tokens else ""


def _material(log: Log, trail: Trail, settings: Settings, plan: Draft) -> Steps[Draft]:
    """Live state, the journal's new lines and what others know of the step in hand, read by force."""
    live = [_seen(outcome, settings) for outcome in (yield Look())]
    topic = topic_of(log, trail, settings)
    since = log.last.journal if log.last else 0
    outcome = (yield ReadJournal(since, topic, cut=plan.position, room=plan.shares.notes, told=log.others.records))[0]
    if outcome.error is not None:
        raise outcome.error
    journal: Journal = outcome.value
    plan = draft(log, trail, settings, trigger=plan.trigger, held=plan.position if plan.held else None)
    return replace(
        plan,
        live=tuple(live),
        journal=journal.lines,
        journal_read=journal.read_to,
        written=journal.written,
        ticks=journal.ticks,
        tick=journal.tick,
        others=standing(journal.others, trail, settings),
        back=journal.back,
    )


def _seen(outcome: Outcome, settings: Settings) -> tuple[str, str]:
    """Name and text of one provided state; never an older text where it can't be read now."""
    if outcome.error is not None:
        return settings.redact(str(outcome.value)), f"unavailable ({type(outcome.error).__name__})"
    name, text = outcome.value
    return settings.redact(name), settings.redact(text)


def _commit(
    log: Log, trail: Trail, settings: Settings, planned: Planned, began: float, ungrounded: tuple[str, ...]
) -> Flow:
    """Verify, save, append; or the reason why not."""
    if not planned.fits:
        raise exceeded(log, settings, planned.record)
    messages = log.as_if(planned.record, planned.index)
    broken = new_faults(messages, log.view(), log.shape)
    survived = fidelity(
        log,
        trail,
        messages,
        settings.redact,
        bridge=planned.record.bridge,
        last=planned.record.cut - 1,
        clipped=frozenset(planned.record.replaced),
        ungrounded=ungrounded,
    )
    receipt = replace(planned.record.receipt, fidelity=survived, seconds=time.perf_counter() - began)
    if broken or receipt.tokens_after >= receipt.tokens_before:
        reason = f"would break the wire: {broken[0]}" if broken else "would not shrink the window"
        return (yield from _full(log, settings, _unapplied(receipt, "not_reduced", reason)))
    if settings.fidelity == "strict" and survived.lost:
        yield from _close(log, settings, _unapplied(receipt, "failed", f"lost: {survived.lost[:5]}"))
        lost = f"{len(survived.lost)} facts would be lost, first {survived.lost[0]!r}"
        msg = f"{lost}: raise the budget or use fidelity='report'"
        raise SummaryError(msg)
    saved = yield Save(planned.checkpoint)
    succeed(saved)
    if saved[0].value != planned.checkpoint:
        msg = "the store did not give the checkpoint back as it was written: check its disk; nothing was changed"
        raise StoreError(msg)
    receipt = replace(receipt, reason=stays_full(log, settings, receipt.tokens_after))
    record = replace(planned.record, receipt=receipt)
    succeed((yield Append(record)))
    return (yield from _told(log, settings, receipt))


def _unapplied(receipt: Compaction, outcome: Literal["not_reduced", "failed"], reason: str) -> Compaction:
    before = receipt.tokens_before
    return replace(receipt, outcome=outcome, reason=reason, summariser="none", tokens_after=before)


def _full(log: Log, settings: Settings, receipt: Compaction) -> Flow:
    """A compaction that came to nothing; where the window stays full by that, with what to do."""
    stays = stays_full(log, settings, receipt.tokens_after)
    reason = f"{receipt.reason}; {stays}" if stays else receipt.reason
    return (yield from _close(log, settings, replace(receipt, reason=reason)))


def _close(log: Log, settings: Settings, receipt: Compaction) -> Flow:
    """A compaction that was not applied: noted, told, nothing else."""
    succeed((yield Append(Skipped(receipt=receipt))))
    return (yield from _told(log, settings, receipt))


def _told(log: Log, settings: Settings, receipt: Compaction) -> Flow:
    """What went wrong, in the process's log for who reads no receipts; then the hooks. The receipt as it is then."""
    for failure in receipt.failures:
        report.warning("compaction %s: %s", receipt.id or receipt.outcome, failure)
    if STAYS in receipt.reason:
        report.warning("compaction %s: %s", receipt.id or receipt.outcome, receipt.reason)
    errors = [outcome.error for outcome in (yield PostCompact(receipt=receipt)) if outcome.error is not None]
    failed = tuple(settings.redact(f"post_compact hook: {told(error)}")[:TOLD] for error in errors)
    for failure in failed:
        report.warning("compaction %s: %s", receipt.id, failure)
    if failed:
        succeed((yield Append(Amended(id=receipt.id, failures=failed))))
    return next((each for each in reversed(log.receipts) if each.id == receipt.id), receipt)


def seal(log: Log) -> Flow:
    """Placeholders that go out with a message after them stay for good."""
    newest = log.steps.all[-1] if log.steps.all else None
    for step in list(log.steps.unanswered):
        if step is not newest and step.waiting.keys() - step.sealed:
            succeed((yield Append(Sealed(position=step.first))))
