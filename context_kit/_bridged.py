"""The bridge of one compaction: what it stands for and what is brought back, put into words.

Nothing stands in the window twice: what the rest of it says is not brought back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from context_kit._log import Log
from context_kit._plan import Draft, mark
from context_kit._settings import Settings
from context_kit._steps import Entry
from context_kit._topic import unsaid
from context_kit.bridge import BridgeParts, BridgeWords, compose
from context_kit.engrams import Trail
from context_kit.summary import archived
from context_kit.types import Engram, TaskSummary

__all__ = ["Bridged", "bridged"]

TELLING = 40
"""Bytes of new lines below which a text is not worth its place: "File created" and the like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridged:
    """A bridge's text, and what of others and of the archive stands in it."""

    text: str = ""
    others: tuple[str, ...] = ()
    """Ids of the records of other sessions."""
    back: tuple[str, ...] = ()
    """Addresses of this session's own texts."""


def bridged(
    log: Log,
    trail: Trail,
    settings: Settings,
    plan: Draft,
    *,
    summary: TaskSummary,
    engrams: Sequence[Engram],
    checkpoint: Sequence[str],
    tail: Sequence[Entry],
    words: BridgeWords,
) -> Bridged:
    """What the compaction that is planned tells."""
    goal = trail.goal
    parts = BridgeParts(
        id=plan.id,
        first=log.entries[0].position if log.entries else 1,
        last=plan.position - 1,
        checkpoint=checkpoint,
        goal=plan.board.goal or (mark(words)(f"m{goal.position}") if goal and goal.position < plan.position else ""),
        goal_at=f"m{goal.position}" if goal and goal.position >= plan.position else "",
        goal_stale=plan.board.stale,
        engrams=engrams,
        summary=summary,
        systems=_systems(log, settings, plan.position),
        ticks=plan.ticks,
        journal=plan.journal,
        live=plan.live,
    )
    text = compose(parts, words=words, notes=plan.shares.notes, count=settings.count)
    if not (plan.others or plan.back):
        return Bridged(text=text)
    said = "\n".join([text, *(archived(entry.message) for entry in tail)])
    back = [each for each in unsaid(plan.back, said) if _news(each.says, said)]
    others = unsaid(plan.others, said)
    parts = replace(parts, back=[each.line.body for each in back], others=[each.line for each in others])
    text = compose(parts, words=words, notes=plan.shares.notes, count=settings.count)
    told = text.rpartition(words.others)[2]
    return Bridged(
        text=text,
        others=tuple(each.id for each in others if each.line.stands_in(told)),
        back=tuple(each.id for each in back if each.line.body in text),
    )


def _news(piece: str, said: str) -> bool:
    """Whether a text tells more than a word or two, and most of its lines stand nowhere else."""
    told = dict.fromkeys(filter(None, (line.strip() for line in piece.splitlines())))
    new = sum(len(line.encode()) for line in told if line not in said)
    return new >= TELLING and 2 * new >= sum(len(line.encode()) for line in told)


def _systems(log: Log, settings: Settings, cut: int) -> list[tuple[str, str]]:
    """Anthropic's system messages in the middle can't move to the head: their text is quoted."""
    if log.shape != "anthropic":
        return []
    found = {
        settings.redact(entry.message.text): entry.address
        for entry in reversed(log.entries)
        if entry.message.role == "system" and 1 < entry.position < cut
    }
    return [(address, text) for text, address in reversed(found.items())]
