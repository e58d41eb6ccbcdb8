"""Summary, bridge and tail of one compaction, put together within their shares.

Over the target the tail gets shorter, step by step, down to its floor; where the list doesn't
fit at all, single messages are clipped down to soft. Each step down is told on the receipt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from context_kit._accept import beside
from context_kit._bridged import Bridged, bridged
from context_kit._budget import TINY_WINDOW
from context_kit._clips import clip_entries
from context_kit._cuts import legal
from context_kit._due import clip_room, fixed_cost, window_cost
from context_kit._log import Log
from context_kit._plan import Draft, emptied, floored, mark, redrafted, widened
from context_kit._records import Compacted
from context_kit._settings import Settings
from context_kit._steps import Entry, Step
from context_kit.bridge import BridgeWords, bridge_words, checkpoint
from context_kit.engrams import Trail
from context_kit.summary import Answer, fold, ground, without
from context_kit.tokens import cost
from context_kit.types import Engram, Rung, TaskSummary
from context_kit.wire import binds_reasoning, read, without_reasoning

__all__ = ["Planned", "assemble", "handed_over"]

CLIPS_TOLD = 5
"""So many clipped messages are named on the receipt, the others are counted."""
CLIP_TRIES = 6
"""A text's own tokens and what they cost inside a message differ (escapes, JSON); so often is it tried again."""
SPARE = 64
"""Tokens left over below which a wider board is not worth the work."""
BRIDGE_FRAME = 8
"""Tokens of the bridge's message beside its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A compaction ready to be verified and committed."""

    record: Compacted
    index: int
    checkpoint: str
    fits: bool
    """Whether the window that it leaves has room for the reply."""

    def noting(self, failed: Sequence[str]) -> Planned:
        """The same with what failed before the summariser was asked."""
        receipt = replace(self.record.receipt, failures=(*failed, *self.record.receipt.failures))
        return replace(self, record=replace(self.record, receipt=receipt))


def assemble(log: Log, trail: Trail, settings: Settings, plan: Draft, answer: Answer) -> Planned:
    """What the compaction leaves; the same arguments give the same bytes."""
    failures = list(answer.failures)
    rung: Rung = answer.rung
    made = _Assembly(log, trail, settings, plan, answer)
    while made.total > made.plan.shares.total and (index := _shorter(log, made.plan)) is not None:
        rung = "tail"
        made = _Assembly(log, trail, settings, redrafted(log, trail, settings, made.plan, index), answer)
    if rung == "tail":
        failures.append(f"over the target: the tail was shortened to {len(made.tail)} messages")
    made = _roomier(log, trail, settings, made, answer)
    if not made.fits:
        rung = "clip"
        made.clip(clip_room(log, settings))
        if made.replaced:
            failures.append(f"didn't fit: messages clipped: {made.clips()}")
    if not made.fits:
        made = _Assembly(log, trail, settings, floored(log, trail, settings, made.plan), answer)
        made.clip(clip_room(log, settings))
        head = made.plan.shares.head
        failures.append(
            f"didn't fit: the bridge was brought down to its floor; system prompt and tools take {head:,} of "
            f"{settings.budget.window:,} tokens"
        )
    return made.planned(rung, failures)


def handed_over(log: Log, trail: Trail, settings: Settings, *, floor: int) -> Planned:
    """What stands for a whole log in a fork of it, before `floor` tokens of a task; no model is asked."""
    answer = Answer(said=log.last.said if log.last else None, rung="extractive", complete=False)
    return _Assembly(log, trail, settings, emptied(log, trail, settings, floor=floor), answer).planned("extractive", ())


def _roomier(log: Log, trail: Trail, settings: Settings, made: _Assembly, answer: Answer) -> _Assembly:
    """The same with a board that takes what summary and notes did not need, where fragments found no room."""
    spare = made.plan.shares.total - made.total
    board = made.plan.board
    if spare < SPARE or not (board.evicted or board.clipped):
        return made
    wider = widened(log, trail, settings, made.plan, spare)
    again = _Assembly(log, trail, settings, wider, answer)
    return again if again.total <= wider.shares.total else made


def _shorter(log: Log, plan: Draft) -> int | None:
    """The next shorter legal tail above its floor; None where there is none."""
    if plan.held:
        return None
    steps = log.steps.all
    size = sum(step.cost for step in steps[plan.index :])
    for index in range(plan.index + 1, len(steps)):
        size -= steps[index - 1].cost
        if size < plan.shares.floor and index != len(steps) - 1:
            return None
        if legal(steps, index, log.opened.model):
            return index if size >= plan.shares.floor or index == len(steps) - 1 else None
    return None


@dataclass(slots=True)
class _Assembly:
    """One try at the window that a compaction leaves."""

    log: Log
    trail: Trail
    settings: Settings
    plan: Draft
    answer: Answer
    summary: TaskSummary = field(init=False)
    engrams: tuple[Engram, ...] = field(init=False)
    names: dict[str, str] = field(init=False)
    checkpoint: tuple[str, ...] = field(init=False)
    told: Bridged = field(init=False)
    bridge_cost: int = field(init=False)
    tail: list[Entry] = field(init=False)
    tail_cost: int = field(init=False)
    front_cost: int = field(init=False)
    replaced: dict[int, Mapping[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        plan, steps = self.plan, self.log.steps.all
        self._summarise()
        self._name()
        older = self.log.last.replaced if self.log.last else {}
        self.replaced = {position: raw for position, raw in older.items() if position >= plan.position}
        self.tail = [entry for step in steps[plan.index :] for entry in step.entries]
        self.tail_cost = self._tail_cost()
        head = sum(entry.cost for step in self.log.head_steps(plan.index) for entry in step.entries)
        self.front_cost = head + sum(self._cost(raw) for raw in self.log.carried(plan.index))
        nothing_old = plan.index <= self.log.start and self.log.last is None
        self.told = Bridged() if nothing_old else self._told()
        self.bridge_cost = self.settings.count(self.told.text) + BRIDGE_FRAME if self.told.text else 0

    @property
    def words(self) -> BridgeWords:
        """The bridge's own words."""
        tiny = self.settings.budget.window < TINY_WINDOW
        return bridge_words(self.plan.language, tiny=tiny)

    @property
    def messages_cost(self) -> int:
        """Estimated tokens of head messages, the provider's compaction, bridge and tail."""
        return self.front_cost + self.bridge_cost + self.tail_cost

    @property
    def total(self) -> int:
        """Estimated tokens of the whole window."""
        return fixed_cost(self.log) + self.messages_cost

    @property
    def fits(self) -> bool:
        """Whether the window leaves room for the reply, by the ledger's own count."""
        return window_cost(self.log, self.messages_cost) <= self.settings.budget.room

    def _summarise(self) -> None:
        plan, settings = self.plan, self.settings
        whole = ground(self.answer.said, plan.known, settings.redact, trail=self.trail, complete=self.answer.complete)
        listed = [fragment.text for fragment, _ in plan.board.fragments if fragment.line]
        self.summary = fold(without(whole, listed), plan.shares.summary, settings.count)
        self.checkpoint = checkpoint(
            self.trail, self.summary, words=self.words, cut=plan.position, redact=settings.redact, tick=plan.tick
        )

    def _name(self) -> None:
        """Ids stay with a fragment for its life."""
        names = dict(self.log.last.names) if self.log.last else {}
        for fragment, _ in self.plan.board.fragments:
            names.setdefault(fragment.key, f"e{len(names) + 1}")
        clipped = set(self.plan.board.clipped)
        made = [
            Engram(
                id=names[fragment.key],
                kind=fragment.kind,
                text=fragment.text,
                label=fragment.label,
                tokens=tokens,
                source=fragment.source,
                hits=fragment.hits,
                clipped=fragment.source in clipped and fragment.kind != "contract",
            )
            for fragment, tokens in self.plan.board.fragments
        ]
        self.names, self.engrams = names, (*self.log.pins.values(), *made)

    def _told(self) -> Bridged:
        return bridged(
            self.log,
            self.trail,
            self.settings,
            self.plan,
            summary=self.summary,
            engrams=self.engrams,
            checkpoint=self.checkpoint,
            tail=self.tail,
            words=self.words,
        )

    def _step_cost(self, step: Step) -> int:
        """A step's tokens without the reasoning that goes, with the clips that stand."""
        bound = binds_reasoning(self.log.opened.model) and self.log.shape != "chat"
        thinks = bound and any(part.kind == "reasoning" for e in step.entries for part in e.message.parts)
        if not thinks and not any(entry.position in self.replaced for entry in step.entries):
            return sum(entry.cost for entry in step.entries)
        raws = [dict(self.replaced.get(entry.position, entry.message.raw)) for entry in step.entries]
        out = without_reasoning(raws, shape=self.log.shape) if bound else raws
        near = (beside(self.log, e.message, late=step.late, first=e.position == 1) for e in step.entries)
        return sum(self._cost(raw) for raw in out) + sum(near)

    def _costs(self) -> dict[int, int]:
        """New sizes of the tail's steps that got smaller, by the position of their first message."""
        tail = self.log.steps.all[self.plan.index :]
        return {step.first: size for step in tail if (size := self._step_cost(step)) != step.cost}

    def _cost(self, raw: dict[str, Any]) -> int:
        return cost(read(raw).messages[0], count=self.settings.count, model=self.log.opened.model)

    def clip(self, room: int) -> None:
        """Shorten messages of the tail until the window has `room` tokens, from their originals."""
        self.replaced = {}
        self.tail_cost = self._tail_cost()
        over, count, told = self.total - room, self.settings.count, mark(self.words)
        for _ in range(CLIP_TRIES):
            found = clip_entries(self.tail, over=over, count=count, mark=told, model=self.log.opened.model)
            self.replaced = dict(found)
            self.tail_cost = self._tail_cost()
            left = self.total - room
            if left <= 0:
                return
            over += 2 * left

    def clips(self) -> str:
        """Which messages stand shortened, and from how many tokens to how many: the largest cuts first."""
        cuts = [
            (entry.cost, self._cost(dict(self.replaced[entry.position])), entry.address)
            for entry in self.tail
            if entry.position in self.replaced
        ]
        cuts.sort(key=lambda cut: cut[1] - cut[0])
        told = [f"{address} ({before:,} tokens to {after:,})" for before, after, address in cuts[:CLIPS_TOLD]]
        return ", ".join(told) + (f" and {len(cuts) - CLIPS_TOLD} more" if len(cuts) > CLIPS_TOLD else "")

    def _tail_cost(self) -> int:
        return sum(self._step_cost(step) for step in self.log.steps.all[self.plan.index :])

    def planned(self, rung: Rung, failures: Sequence[str]) -> Planned:
        """The record and receipt."""
        plan, answer = self.plan, self.answer
        llm = answer.complete and rung != "extractive" and answer.said is not None
        receipt = replace(
            plan.skipped("applied", "", 0.0),
            rung=rung,
            tokens_after=window_cost(self.log, self.messages_cost),
            kept=tuple(entry.address for entry in self.tail),
            summarised=tuple(entry.address for entry in plan.leaving),
            clipped=tuple(dict.fromkeys([*plan.board.clipped, *(f"m{at}" for at in sorted(self.replaced))])),
            pinned=tuple(dict.fromkeys(engram.source or engram.id for engram in self.engrams)),
            evicted=plan.board.evicted,
            summary=self.summary,
            engrams=self.engrams,
            summariser="llm" if llm else "extractive",
            failures=tuple(failures),
            coverage=answer.coverage,
            read=len(plan.journal),
            written=plan.written,
            usage=answer.usage,
            others=self.told.others,
            retrieved=self.told.back,
            changes=self.log.others.told,
        )
        record = Compacted(
            receipt=receipt,
            bridge=self.told.text,
            cut=plan.position,
            replaced=self.replaced,
            cost=self.messages_cost,
            costs=self._costs(),
            upto=self.log.newest,
            said=answer.said,
            names=self.names,
            journal=plan.journal_read,
        )
        return Planned(record=record, index=plan.index, checkpoint="\n".join(self.checkpoint), fits=self.fits)
