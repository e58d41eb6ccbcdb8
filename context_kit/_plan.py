"""What one compaction would take out and what it would leave: cut and board.

Pure: the same log and trail give the same draft. All sizes are estimated tokens; the ledger
translates them into what the provider counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from context_kit._budget import LEAST_WORDS, Shares, share_out
from context_kit._candidates import candidates, goal_of, superseded
from context_kit._cuts import cut
from context_kit._due import fixed_cost, raw_window
from context_kit._log import Log
from context_kit._settings import Settings
from context_kit._steps import Entry, Step
from context_kit._topic import Remembered
from context_kit.bridge import NO_TICKS, BridgeWords, TickNotes, bridge_words
from context_kit.engrams import (
    Board,
    Trail,
    fit,
)
from context_kit.summary import extract
from context_kit.tokens import cost
from context_kit.types import Compaction, Fidelity, Outcome, Plan, TaskSummary, Trigger
from context_kit.wire import read

__all__ = ["Draft", "draft", "emptied", "leaving", "mark", "redrafted"]

LEAST = 0.17
"""Of the window, what notes, summary and pins have at least; where it doesn't fit, the tail is the newest step."""
OWN_SHARE = 0.7
"""Of the summary's room, what code's own entries count on where a model writes beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A compaction before the summariser is asked."""

    id: str
    trigger: Trigger
    index: int
    """Index of the first step of the tail."""
    position: int
    """Position of its first message."""
    shares: Shares
    board: Board
    known: TaskSummary
    """The extractive summary at this cut: what code knows for sure."""
    language: str
    leaving: tuple[Entry, ...]
    """Messages that leave the window now, system messages aside."""
    superseded: frozenset[int]
    """Positions of tool results that later content replaced."""
    tokens_before: int
    held: bool = False
    """The cut is given: the tail may not be shortened, what a model read ends there."""
    live: tuple[tuple[str, str], ...] = ()
    journal: tuple[str, ...] = ()
    journal_read: int = 0
    written: int = 0
    ticks: TickNotes = NO_TICKS
    tick: str = ""
    """The tick that is under way and its node."""
    others: tuple[Remembered, ...] = ()
    """What other sessions know of the step in hand, most related first."""
    back: tuple[Remembered, ...] = ()
    """Texts of this session that left the window and have to do with it (policy `layered`)."""

    def reading(self, other: Draft) -> Draft:
        """The same with what was read for another cut of this compaction."""
        return replace(
            self,
            held=other.held,
            live=other.live,
            journal=other.journal,
            journal_read=other.journal_read,
            written=other.written,
            ticks=other.ticks,
            tick=other.tick,
            others=other.others,
            back=other.back,
        )

    def public(self, log: Log) -> Plan:
        """The plan as a hook sees it."""
        steps = log.steps.all
        return Plan(
            head=tuple(e.address for step in log.head_steps(self.index) for e in step.entries),
            old=tuple(entry.address for entry in self.leaving),
            tail=tuple(entry.address for step in steps[self.index :] for entry in step.entries),
        )

    def skipped(self, outcome: Outcome, reason: str, began: float, failed: Sequence[str] = ()) -> Compaction:
        """The receipt of a compaction that was not applied."""
        return Compaction(
            id=self.id,
            trigger=self.trigger,
            rung="extractive",
            tokens_before=self.tokens_before,
            tokens_after=self.tokens_before,
            kept=(),
            summarised=(),
            clipped=(),
            pinned=(),
            evicted=(),
            summary=None,
            engrams=(),
            summariser="none",
            failures=tuple(failed),
            coverage=0.0,
            written=0,
            read=0,
            fidelity=Fidelity(),
            seconds=time.perf_counter() - began,
            usage=None,
            outcome=outcome,
            reason=reason,
        )


# -- the draft ---------------------------------------------------------------------


def draft(log: Log, trail: Trail, settings: Settings, *, trigger: Trigger, held: int | None = None) -> Draft:
    """Cut with all ceilings taken, fit the board, extend the tail by what the board left.

    A tail that is `held` starts at this position, whatever its size.
    """
    steps = log.steps.all
    head = _head_cost(log, settings, [step for step in steps if step.role == "system"])
    window = raw_window(log, settings)
    newest = steps[-1].cost if steps else 0
    floor = max(newest, int(settings.budget.tail * window))
    shares = share_out(settings.budget, window=window, head=head, floor=floor)
    if head + floor + LEAST * window > shares.total:
        floor = newest
        shares = share_out(settings.budget, window=window, head=head, floor=floor)
    whole = head + sum(step.cost for step in steps[log.start :])
    small = held is not None or (trigger == "manual" and whole <= shares.total)
    index = _cut(log, room=floor if small else shares.tail, floor=floor) if held is None else log.index_of(held)
    known = _known(log, trail, settings, index)
    board = _board(log, trail, settings, shares, index, known)
    if not small:
        left = shares.total - head - shares.notes - shares.summary - board.tokens
        longer = min(index, _cut(log, room=left, floor=floor))
        known = known if longer == index else _known(log, trail, settings, longer)
        index = longer
        board = _board(log, trail, settings, shares, index, known)
    tail = sum(step.cost for step in steps[index:])
    shares = shares.widened(settings.budget, window=window, left=shares.total - head - board.tokens - tail)
    return replace(_draft(log, trail, shares, index, board, known, trigger), held=held is not None)


def emptied(log: Log, trail: Trail, settings: Settings, *, floor: int) -> Draft:
    """A compaction that takes out all but the head, with room for `floor` tokens behind it."""
    head = _head_cost(log, settings, log.head_steps(len(log.steps.all)))
    shares = share_out(settings.budget, window=raw_window(log, settings), head=head, floor=floor)
    index = len(log.steps.all)
    known = _known(log, trail, settings, index)
    board = _board(log, trail, settings, shares, index, known)
    return _draft(log, trail, shares, index, board, known, "manual")


def _head_cost(log: Log, settings: Settings, systems: Sequence[Step]) -> int:
    """Tokens of what is never compacted: system prompt, tools, system messages, the provider's own compaction."""
    theirs = [read(raw).messages[0] for raw in log.carried(len(log.steps.all))]
    sealed = sum(cost(message, count=settings.count, model=log.opened.model) for message in theirs)
    return fixed_cost(log) + sealed + sum(entry.cost for step in systems for entry in step.entries)


def _known(log: Log, trail: Trail, settings: Settings, index: int) -> TaskSummary:
    cut, language = _position(log, index), trail.language
    return trail.memo(("known", cut), lambda: extract(trail, cut=cut, redact=settings.redact, language=language))


def _cut(log: Log, *, room: int, floor: int) -> int:
    steps = log.steps.all
    if not steps:
        return 0
    return cut(steps, start=log.start, room=room, floor=floor, model=log.opened.model).index


def redrafted(log: Log, trail: Trail, settings: Settings, plan: Draft, index: int) -> Draft:
    """The same compaction with another cut."""
    known = plan.known if index == plan.index else _known(log, trail, settings, index)
    board = _board(log, trail, settings, plan.shares, index, known)
    return _draft(log, trail, plan.shares, index, board, known, plan.trigger).reading(plan)


def widened(log: Log, trail: Trail, settings: Settings, plan: Draft, spare: int) -> Draft:
    """The same compaction with more room for the board, up to its ceiling."""
    ceiling = int(settings.budget.pins * raw_window(log, settings))
    shares = replace(plan.shares, pins=max(min(plan.board.tokens + spare, ceiling), plan.shares.pins))
    return redrafted(log, trail, settings, replace(plan, shares=shares), plan.index)


def floored(log: Log, trail: Trail, settings: Settings, plan: Draft) -> Draft:
    """The same compaction with the smallest bridge: its title, the goal and the newest user text, clipped."""
    least = sum(pin.tokens for pin in log.pins.values()) + LEAST_WORDS
    bare = replace(plan, shares=replace(plan.shares, notes=0, summary=0, pins=least))
    return redrafted(log, trail, settings, bare, plan.index)


def _draft(
    log: Log, trail: Trail, shares: Shares, index: int, board: Board, known: TaskSummary, trigger: Trigger
) -> Draft:
    return Draft(
        id=f"c{int(log.receipts[-1].id[1:]) + 1 if log.receipts else 1}",
        trigger=trigger,
        index=index,
        position=_position(log, index),
        shares=shares,
        board=board,
        known=known,
        language=trail.language,
        leaving=leaving(log, index),
        superseded=superseded(trail),
        tokens_before=log.tokens,
    )


def leaving(log: Log, index: int) -> tuple[Entry, ...]:
    """Messages that leave the window where the tail starts at a step, system messages aside."""
    steps = log.steps.all[log.start : index]
    return tuple(entry for step in steps if step.role != "system" for entry in step.entries)


def _position(log: Log, index: int) -> int:
    steps = log.steps.all
    return steps[index].first if index < len(steps) else log.next_position


def mark(words: BridgeWords) -> Callable[[str], str]:
    return lambda address: f'… [{words.left_out} recall("{address}")] …'


def _board(log: Log, trail: Trail, settings: Settings, shares: Shares, index: int, known: TaskSummary) -> Board:
    """The engrams of a cut at a step, within their share."""
    position = _position(log, index)
    room = shares.summary if settings.llm is None else int(OWN_SHARE * shares.summary)
    fragments = trail.memo(
        (position, room, log.recalled.total(), log.others.upto),
        lambda: candidates(log, trail, settings, position, room, known),
    )
    said = [trail.words[0], trail.words[-1]] if trail.words else []
    newest = next((each.position for each in said if each.text == said[-1].text), 0)
    if not settings.anchors:
        fragments = tuple(f for f in fragments if f.kind == "user" and f.position == newest)
    words = bridge_words(trail.language)
    return fit(
        fragments,
        goal=goal_of(trail, settings, position),
        pins=list(log.pins.values()),
        budget=shares.pins,
        count=settings.count,
        mark=mark(words),
        newest=f"m{newest}",
    )
