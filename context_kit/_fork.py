"""What a session hands on: its window in another shape, a subagent's context, that one's answer.

A fork's log begins as a compacted one: of the parent's messages it holds the head and what a person wrote, at their
own places, then a bridge that stands for all of them, then the task. So every address of the parent's stays the
parent's, the fork's own begin behind it, and goal and standing constraints outlive the fork's own compactions.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from context_kit import _construct as construct
from context_kit._accept import sized
from context_kit._assemble import handed_over
from context_kit._budget import Budget
from context_kit._log import Log
from context_kit._records import Added, Compacted, Pinned, Record, Released
from context_kit._session import Session
from context_kit._settings import Settings
from context_kit._steps import Entry
from context_kit.engrams import Trail
from context_kit.errors import ContextKitError, InvalidMessageError
from context_kit.memory import addresses, check_query, inherited, recall
from context_kit.types import Recollection
from context_kit.typing import LLM
from context_kit.wire import Read, answered, convert, read, shape_named, strict, user_message

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Sharing"]

RESERVE_SHARE = 0.20
"""Of a fork's window, the most that the parent's reserve may take of it."""


class Sharing:
    """A session's dealings with other providers and agents."""

    _session: Session

    def export(self, format: str) -> list[Any]:  # noqa: A002 - the field's own name
        """The window as it stands in another provider's shape; the session is unchanged.

        Reasoning stays behind, whole: another provider refuses it.

        Args:
            format: `openai` (chat), `openai-responses` or `anthropic`.

        Raises:
            BudgetError: the format is unknown; the text lists the known ones.
        """
        target, at = shape_named(format), self._session
        with at.lock:
            out = convert(at.log.view(), at.log.shape, target)
        return strict(out, shape=target) if at.log.opened.strict_roles else out

    def fork(self, task: str, *, window: int | None = None, llm: LLM | None = None) -> Self:
        """A subagent's context: this one's head and bridge, then the task; its work leaves this window alone.

        The bridge is the one that stands, where it tells all that a person said and pinned; else one is made,
        by code. The fork writes into the same store and memory, as a session and an agent of its own. Settings are
        this session's, `background` among them; its hooks and live state stay here.

        Args:
            task: what the subagent is asked for, in the user's role.
            window: the subagent's window in tokens; by default this session's.
            llm: its summariser; by default this session's.

        Raises:
            InvalidMessageError: the task is no text, or blank.
            BudgetError: the window is no size that has room, or `llm` can't be called.
            StoreError: this session is closed, or the store can't be written.
        """
        made = object.__new__(type(self))
        made._session = _forked(self._session, task, window=window, llm=llm)
        return made

    def answer(self, call_id: str) -> Any:
        """What this fork said last, as the result of the call that asked for it: `parent.add(child.answer(id))`.

        Args:
            call_id: the parent's call, which waits for its result.

        Returns:
            A message or item in the parent's shape; the whole text, whatever its length.

        Raises:
            ContextKitError: this is no fork, or it has not answered yet.
            InvalidMessageError: no such call of the parent's waits; the text lists those that do.
        """
        at = self._session
        if not isinstance(at, Fork):
            msg = "answer: this session is no fork: take the child that fork() returned"
            raise ContextKitError(msg)
        return at.answer(call_id)


class Fork(Session):
    """A session that began with what another one knows."""

    def __init__(self, parent: Session, settings: Settings, records: Sequence[Record]) -> None:
        memory = parent.memory.fork()
        super().__init__(
            memory.session,
            construct.opened_of(settings, strict_roles=parent.log.opened.strict_roles),
            settings,
            store=parent._store,  # noqa: SLF001 - one of its own kind
            trail=Trail(semantics=parent.trail.semantics),
            pre=(),
            post=(),
        )
        self.parent = parent
        self.ticking.inherit(parent.ticking)
        self._remember(memory)
        try:
            self.append(*records)
        except BaseException:
            self._held.close()
            raise
        self.base = self.log.newest - 1
        """Newest position of the parent's when this began."""

    def add(self, reads: Sequence[Read]) -> None:
        """Add messages; what was done is in the shared memory at once."""
        super().add(reads)
        if self._store is None and self.log.entries[-1].message.results:
            self.remembering.catch_up()

    def recall(self, query: str, *, k: int, max_tokens: int, noted: bool = True) -> list[Recollection]:
        """Its own texts first; then the parent's, to which every address in the bridge belongs."""
        check_query(query, k=k, max_tokens=max_tokens)
        asked = addresses(query, self.log.newest)
        if asked:
            return [found for address in asked for found in self._addressed(address, k, max_tokens, noted)]
        found = super().recall(query, k=k, max_tokens=max_tokens, noted=noted)
        left = max_tokens - sum(each.tokens for each in found)
        if len(found) >= k or left < 1:
            return found
        known = {each.address for each in found}
        more = self.older(query, k, left)
        return [*found, *(each for each in more if each.address not in known)][:k]

    def _addressed(self, address: str, k: int, max_tokens: int, noted: bool) -> list[Recollection]:
        """The text of one address: its own, the parent's, or of a file the newest that either knows."""
        found = []
        if not self.inherits(address):
            found = super().recall(address, k=k, max_tokens=max_tokens, noted=noted)
        whole = address.startswith("f:") and not address.rpartition("@")[2].isdigit()
        return found or (self.older(address, k, max_tokens) if whole or self.inherits(address) else [])

    def inherits(self, address: str) -> bool:
        """Whether an address is of the parent's, from before this began."""
        first = next((record.receipt.id for record in self.log.records if isinstance(record, Compacted)), "c0")
        return inherited(address, position=self.base, compaction=int(first[1:]))

    def older(self, query: str, k: int, max_tokens: int) -> list[Recollection]:
        """What the parent's log and memory have; nothing is noted there."""
        at = self.parent
        if isinstance(at, Fork) and at.inherits(query):
            return at.older(query, k, max_tokens)
        with at.lock:
            at.trail.follow(at.log.entries)
            log = copy(at.log)
            log.receipts = [*self.log.receipts[:1], *log.receipts]
            return recall(
                query,
                index=at.index,
                log=log,
                trail=at.trail,
                memory=at.memory,
                session=at.name,
                k=k,
                max_tokens=max_tokens,
                count=self.settings.count,
                redact=self.settings.redact,
            )

    def answer(self, call_id: str) -> dict[str, Any]:
        """Its newest reply's text as the result of a call of the parent's that waits."""
        with self.lock:
            replies = (step for step in reversed(self.log.steps.all) if step.role == "assistant")
            texts = (_said(step.entries) for step in replies)
            text = next((text for text in texts if text.strip()), "")
        if not text:
            msg = f"answer: session {self.name!r} has not answered yet: add its reply first"
            raise ContextKitError(msg)
        with self.parent.lock:
            calls = {
                part.id: (entry.message, part)
                for step in self.parent.log.steps.unanswered
                for entry in step.entries
                for part in entry.message.calls
                if part.id in step.waiting
            }
        if call_id not in calls:
            waiting = ", ".join(map(repr, calls)) or "none"
            msg = f"no call {call_id!r:.60} waits for a result; those that do: {waiting}"
            raise InvalidMessageError(msg, field="call_id")
        message, part = calls[call_id]
        return answered(message, part, text)


def _said(entries: Sequence[Entry]) -> str:
    return "\n".join(text for entry in entries if entry.message.role == "assistant" and (text := entry.message.text))


def _forked(parent: Session, task: str, *, window: int | None, llm: LLM | None) -> Fork:
    given: object = task
    if not isinstance(given, str) or not given.strip():
        msg = f"{task!r:.60} is no task: give the words that the subagent starts from"
        raise InvalidMessageError(msg, field="task")
    construct.check_llm(llm)
    parent.alive()
    with parent.lock:
        settings = _settings(parent.settings, window, llm)
        parent.trail.follow(parent.log.entries)
        records = _records(parent.log, parent.trail, settings, task, parent.name)
    return Fork(parent, settings, records)


def _settings(own: Settings, window: int | None, llm: LLM | None) -> Settings:
    if llm is not None:
        own = replace(own, llm=llm, llm_window=None)
    if window is None:
        return own
    Budget(window)
    shares = {name: getattr(own.budget, name) for name in Budget.__dataclass_fields__ if name != "window"}
    reserve = min(own.budget.reserve, int(RESERVE_SHARE * window))
    return replace(own, budget=Budget(window, **{**shares, "reserve": reserve}))


def _records(log: Log, trail: Trail, settings: Settings, task: str, name: str) -> list[Record]:
    """What a fork's log begins with: pins, what is kept of the parent's messages, the bridge, the task."""
    asked = _entry(log, settings, log.next_position, task)
    pins = [record for record in log.records if isinstance(record, (Pinned, Released))]
    room = settings.budget.tokens(settings.budget.pins)
    kept = copy(log)
    kept.pins = {}
    for key, pin in log.pins.items():
        if pin.tokens <= room:
            kept.pins[key], room = pin, room - pin.tokens
        else:
            pins.append(Released(id=key))
    records: list[Record] = [*pins, *(Added(entry=entry) for entry in _lasting(log, trail, settings))]
    if any(entry.message.role != "system" for entry in log.entries):
        records.append(_begun(kept, trail, settings, asked.cost, name))
    return [*records, Added(entry=asked)]


def _entry(log: Log, settings: Settings, position: int, text: str) -> Entry:
    message = replace(read(user_message(text)).messages[0], shape=log.shape)
    return Entry(position, message, sized(log, settings, message))


def _lasting(log: Log, trail: Trail, settings: Settings) -> list[Entry]:
    """Of a log what a fork keeps for life: system messages, and what a person wrote."""
    spoken = [*([trail.opening] if trail.opening else []), *trail.words]
    words = {said.position: said.text for said in spoken}
    found: list[Entry] = []
    for entry in log.entries:
        own = replace(entry, message=replace(entry.message, shape=log.shape))
        if entry.message.role == "user" and entry.position in words:
            found.append(own)
        elif entry.position in words:  # beside results, whose calls stay behind
            found.append(_entry(log, settings, entry.position, words[entry.position]))
        elif entry.message.role == "system" and (found or log.shape != "anthropic"):
            found.append(own)
    return found


def _begun(log: Log, trail: Trail, settings: Settings, floor: int, name: str) -> Compacted:
    """The bridge that stands, where it tells all that a person said and pinned and has room; else one made now."""
    made = handed_over(log, trail, settings, floor=floor).record
    last, base = log.last, log.newest
    if last is not None and _whole(log, trail, last):
        size = made.cost + settings.count(last.bridge) - settings.count(made.bridge)
        if size + floor + log.opened.fixed <= settings.budget.soft * settings.budget.window:
            made = replace(last, cost=size, cut=base + 1, replaced={}, costs={}, upto=base)
    summary = made.receipt.summary
    said = summary.model_copy(update={"original_goal": ""}) if summary else made.said
    return replace(made, said=said, journal=0, receipt=replace(made.receipt, reason=f"fork of {name}"))


def _whole(log: Log, trail: Trail, last: Compacted) -> bool:
    """Whether a bridge holds every pin, and everything that a person or the system said stands before its tail."""
    told = {engram.id for engram in last.receipt.engrams}
    spoken = [said.position for said in trail.words[-1:]]
    spoken += [entry.position for entry in log.entries if entry.message.role == "system"] * (log.shape == "anthropic")
    return bool(last.bridge) and log.pins.keys() <= told and all(position < last.cut for position in spoken)
