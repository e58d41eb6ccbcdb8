"""The model's part of a summary: asked for now, or begun earlier and still of use."""

from __future__ import annotations

from copy import deepcopy

from context_kit._commands import Ahead, Begin, Collect, Snapshot, Steps, relay, succeed
from context_kit._cuts import legal
from context_kit._log import Log
from context_kit._plan import Draft, leaving
from context_kit._settings import Settings
from context_kit._verify import window_text
from context_kit.engrams import Trail
from context_kit.summary import Answer, Brief, ask, fold, known_of, pieces
from context_kit.types import TaskSummary

__all__ = ["asking", "legal_now", "outdated", "snapshot_of", "summarise"]

MOST_REPLY = 4_096
LEAST_REPLY = 256
"""Tokens that a summary's reply may have."""


def outdated(log: Log, ahead: Ahead) -> str:
    """Why a summary that was begun can't be used any more; empty where the old part is as it was."""
    snapshot = ahead.snapshot
    after = log.last.receipt.id if log.last else ""
    old = tuple(entry.position for entry in leaving(log, log.index_of(snapshot.position)))
    changed = "" if (after, old) == (snapshot.after, snapshot.old) else "the old part changed meanwhile"
    used = f"; it used {dict(ahead.answer.usage)}" if ahead.answer is not None and ahead.answer.usage else ""
    reason = ahead.lost or changed
    return f"the summary made in the background was dropped: {reason}{used}" if reason else ""


def legal_now(log: Log, ahead: Ahead) -> bool:
    """Whether the tail may start where the summary ends; in a tool loop with bound thinking it may not."""
    steps = log.steps.all
    index = log.index_of(ahead.snapshot.position)
    return index < len(steps) and legal(steps, index, log.opened.model)


def summarise(
    log: Log,
    trail: Trail,
    settings: Settings,
    plan: Draft,
    replaced: TaskSummary | None,
    focus: str | None,
    ahead: Ahead | None,
) -> Steps[Answer]:
    """The model's part of the summary, or none."""
    before = log.last.said if log.last else None
    made = ahead.answer if ahead else None
    if replaced is not None:
        said = fold(replaced.model_copy(update={"original_goal": ""}), _ceiling(settings), settings.count)
        return Answer(said=said, rung="extractive", usage=made.usage if made else None)
    if settings.llm is None:
        return Answer(said=before, rung="extractive", complete=False)
    if ahead is None or made is None:
        asked = asking(log, trail, settings, plan, before, focus=focus)
        return (yield from (_bounded(log, plan, asked) if settings.ahead else asked))
    unread = any(entry.position >= ahead.snapshot.position for entry in plan.leaving)
    if not unread or not made.complete:
        return made.noting("focus: the summary was begun before it was given") if focus else made
    rest = asking(log, trail, settings, plan, made.said, focus=focus, since=ahead.snapshot.position)
    return made.joined((yield from rest))


def _bounded(log: Log, plan: Draft, asked: Steps[Answer]) -> Steps[Answer]:
    """The model's answer, waited for no longer than anybody waits for one that was begun earlier."""
    begun = yield Begin(asked, snapshot_of(log, plan))
    if begun[0].error is not None:
        return (yield from asked)
    collected = yield Collect(wait=True)
    succeed(collected)
    found: Ahead | None = collected[0].value
    if found is not None and found.answer is not None:
        return found.answer
    lost = found.lost if found is not None else "it was dropped"
    said = log.last.said if log.last else None
    return Answer(said=said, rung="extractive", complete=False, failures=[f"the summary was not made: {lost}"])


def snapshot_of(log: Log, plan: Draft, dropped: tuple[str, ...] = ()) -> Snapshot:
    """What a summary of this plan is begun on."""
    return Snapshot(
        position=plan.position,
        old=tuple(entry.position for entry in plan.leaving),
        after=log.last.receipt.id if log.last else "",
        said=log.last.said if log.last else None,
        dropped=dropped,
    )


def _ceiling(settings: Settings) -> int:
    return max(settings.budget.tokens(settings.budget.summary), LEAST_REPLY)


def asking(
    log: Log,
    trail: Trail,
    settings: Settings,
    plan: Draft,
    before: TaskSummary | None,
    *,
    focus: str | None = None,
    since: int = 0,
) -> Steps[Answer]:
    """Asking a model for the old part from a position on; all that it needs is taken from the log now."""
    room = int((settings.llm_window or settings.budget.window) / log.ledger.scale)
    found = pieces(
        [entry for entry in plan.leaving if not entry.injected and entry.position >= since],
        redact=settings.redact,
        count=settings.count,
        superseded=plan.superseded,
    )
    brief = Brief(
        room=room,
        max_tokens=max(min(2 * plan.shares.summary, MOST_REPLY, room // 4), LEAST_REPLY),
        language=plan.language,
        focus=settings.redact(focus) if focus else None,
        messages=() if since else tuple(deepcopy(log.prefix(plan.index))),
        count=settings.count,
        redact=settings.redact,
        limit=_ceiling(settings),
        known=known_of(trail, (window_text(log.front(log.last, log.start)),)),
    )
    return relay(ask(found, before, brief))
