"""The append-only log of a session, and the window as a pure projection of it.

Records are only ever appended; everything else here (steps, ledger, window) is folded from
them, so a log that is read back gives the same window, byte for byte.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from json import dumps
from operator import attrgetter
from typing import Any

from context_kit._others import Others
from context_kit._records import (
    Added,
    Amended,
    Compacted,
    Heard,
    Opened,
    Pinned,
    Recalled,
    Record,
    Released,
    Sealed,
    Skipped,
    Ticked,
    UsageReported,
)
from context_kit._steps import PLACEHOLDER_COST, Entry, Step, Steps
from context_kit._ticked import Ticks
from context_kit.errors import InvalidMessageError
from context_kit.tokens import Ledger
from context_kit.types import Compaction, Engram
from context_kit.typing import Shape
from context_kit.wire import (
    Message,
    binds_reasoning,
    check_alone,
    marks,
    provider_compaction,
    sendable,
    special,
    user_message,
    without_reasoning,
)

__all__ = ["Log"]


class Log:
    """One session's records and what is folded from them."""

    def __init__(self, opened: Opened, *, shape: Shape | None = None) -> None:
        self.opened = opened
        self.records: list[Record] = [opened]
        self.entries: list[Entry] = []
        self.steps = Steps()
        self.steps.shape = shape
        self.ledger = Ledger(opened.tokens)
        self.ledger.added(opened.fixed)
        self.pins: dict[str, Engram] = {}
        """Live pins by id, oldest first."""
        self.shown: set[str] = set()
        """Pins whose words stand in the window."""
        self.last: Compacted | None = None
        self.receipts: list[Compaction] = []
        self.start = 0
        """Index of the tail's first step."""
        self.grown = 0
        """Estimated tokens added since the last compaction."""
        self.recalled: Counter[str] = Counter()
        """How often each address was fetched back."""
        self.others = Others(upto=opened.since or opened.heard)
        self.ticks = Ticks()
        self.amended = Amended(id="")  # of the records of its kind the one that says what is to be put back
        self.brought: dict[str, tuple[str, ...]] = {}
        """Calls of the model whose results bring text back, with the addresses of that text."""
        self._bound_until = self._marks = self._looked = self.pin_count = self._rendered_steps = 0
        self._special = self._compacted = False
        self._rendered: list[dict[str, Any]] = []
        self._newest_at = 0  # where the newest of the rendered steps begins

    @property
    def next_position(self) -> int:
        """Position that the next message gets."""
        return self.newest + 1

    @property
    def newest(self) -> int:
        """Position of the newest message; 0 where there is none."""
        return self.entries[-1].position if self.entries else 0

    def entry(self, position: int) -> Entry | None:
        """The message at a position; None where it is not there."""
        at = bisect_left(self.entries, position, key=attrgetter("position"))
        found = self.entries[at] if at < len(self.entries) else None
        return found if found is not None and found.position == position else None

    @property
    def shape(self) -> Shape | None:
        """The session's shape, once a message told it."""
        return self.steps.shape

    def accept(self, message: Message) -> None:
        """Check that a message may be added now; changes nothing.

        Raises:
            InvalidMessageError: it is of another shape or could never be sent, or its results have no open call.
        """
        if self.shape is not None and message.shape not in (None, self.shape):
            other = f"is of the shape {message.shape!r}, but this session speaks {self.shape!r}"
            msg = f"{other}: convert it first, or start a session of its own"
            raise InvalidMessageError(msg, field="message")
        check_alone(message, self.shape)
        self.steps.home(message)

    def scratch(self) -> Log:
        """A log with the same open steps, on which several messages can be tried before one is added."""
        tried = Log(self.opened)
        tried.steps = self.steps.scratch()
        return tried

    def append(self, record: Record) -> None:
        """Add a record that was accepted and, where there is a store, written."""
        self.records.append(record)
        match record:
            case Added():
                self._add(record)
            case UsageReported(usage=usage):
                self.ledger.reported(usage.within(self.opened.tokens), cost=record.cost)
            case Pinned() | Released():
                self._pin(record)
            case Heard() | Ticked() | Amended():
                self._note(record)
            case Recalled():
                self.recalled.update(record.fetched)
                self.brought.update(record.brought)
            case Sealed():
                self._seal(record.position)
            case Compacted():
                self._compact(record)
            case Skipped():
                self.receipts.append(record.receipt)
                self.grown = 0
            case Opened():
                self.ledger.added(record.fixed - self.opened.fixed)
                self.ledger.narrow(record.tokens)
                self.opened = record

    def _add(self, record: Added) -> None:
        entry = record.entry.knowing(self.brought) if self.brought else record.entry
        message = entry.message
        if self.steps.shape is None and message.shape is not None:
            self._speak(message.shape)
        count = len(self.steps.all)
        self.entries.append(entry)
        step = self.steps.place(entry)
        self.ledger.added(entry.cost)
        self.grown += entry.cost
        self._marks += marks(message.raw)
        self._special = self._special or special(message)
        if len(self.steps.all) == count:
            self._regrow(step)
        if entry.injected:
            self.shown.update(key for key, pin in self.pins.items() if pin.text in message.text)

    def _note(self, record: Heard | Ticked | Amended) -> None:
        match record:
            case Heard():
                self.others.hear(record)
            case Ticked():
                self.ticks.take(record)
            case Amended():
                self.amended = record.onto(self.receipts, self.amended)

    def _regrow(self, step: Step) -> None:
        """A step grew: what was rendered of it is rendered anew."""
        if step is not self.steps.all[-1] or self._rendered_steps <= self.start:
            self._rendered_steps = 0
        elif self._rendered_steps == len(self.steps.all):
            del self._rendered[self._newest_at :]
            self._rendered_steps -= 1

    def _pin(self, record: Pinned | Released) -> None:
        if isinstance(record, Released):
            self.pins.pop(record.id, None)
        else:
            self.pins[record.engram.id] = record.engram
            self.pin_count += 1

    def _speak(self, shape: Shape) -> None:
        """The session's shape is known now: messages before it are grouped by its rules."""
        self.steps.speak(shape)
        self._rendered_steps = 0
        if not any(entry.message.role == "system" for entry in self.entries[1:]):
            return
        regrouped = Steps()
        regrouped.shape = shape
        for entry in self.entries:
            regrouped.place(entry)
        self.steps = regrouped
        self.start = self.index_of(self.last.cut) if self.last else 0

    def _seal(self, position: int) -> None:
        for step in [each for each in self.steps.all if each.first == position]:
            self.steps.seal(step)

    def _compact(self, record: Compacted) -> None:
        self.last = record
        self.receipts.append(record.receipt)
        self.others.compacted()
        self.ticks.compacted(bridge=bool(record.bridge))
        self.start = self.index_of(record.cut)
        self.steps.retire(self.start)
        for step in self.steps.all[self.start :]:
            step.cost = record.costs.get(step.first, step.cost)
        newer = sum(entry.cost for entry in self.entries if entry.position > record.upto)
        self.ledger.compacted(record.cost + self.opened.fixed + newer)
        self.grown = newer
        self.shown = {engram.id for engram in record.receipt.engrams if engram.id in self.pins}
        self._bound_until = self.newest
        self._rendered_steps = 0

    # -- the window --------------------------------------------------------------

    def index_of(self, position: int) -> int:
        """Index of the first step that begins at or after a position."""
        return bisect_left(self.steps.all, position, key=attrgetter("first"))

    @property
    def tokens(self) -> int:
        """Tokens of the next request, placeholders included."""
        return self.ledger.tokens + PLACEHOLDER_COST * self.steps.waiting

    def view(self, *more: dict[str, Any]) -> list[dict[str, Any]]:
        """The window: a fresh list of shared, read-only dicts; `more` stands behind it, and nowhere else."""
        steps = self.steps.all
        if self._rendered_steps == 0:
            self._rendered, self._rendered_steps = self.front(self.last, self.start), self.start
        for step in steps[self._rendered_steps :]:
            self._newest_at = len(self._rendered)
            self._rendered.extend(self._out(step, self.last))
        self._rendered_steps = len(steps)
        return self._sendable([*self._rendered, *more])

    def prefix(self, index: int) -> list[dict[str, Any]]:
        """The window as it stands, up to a step: what the session's own model has seen."""
        tail = [raw for step in self.steps.all[self.start : index] for raw in self._out(step, self.last)]
        return [*self.front(self.last, self.start), *tail]

    def as_if(self, planned: Compacted, index: int) -> list[dict[str, Any]]:
        """The window as it would be, were a compaction applied now."""
        tail = [raw for step in self.steps.all[index:] for raw in self._out(step, planned, until=self.newest)]
        return self._sendable([*self.front(planned, index), *tail])

    def front(self, compacted: Compacted | None, index: int) -> list[dict[str, Any]]:
        """Head and bridge: what stands before the tail."""
        if compacted is None:
            return []
        head = [raw for step in self.head_steps(index) for raw in step.rendered(self.shape)]
        bridge = [user_message(compacted.bridge)] if compacted.bridge else []
        return [*head, *self.carried(index), *bridge]

    def carried(self, index: int) -> list[dict[str, Any]]:
        """The provider's own newest compaction that stands before the tail: it stays."""
        unseen, self._looked = self.entries[self._looked :], len(self.entries)
        self._compacted = self._compacted or bool(provider_compaction([entry.message for entry in unseen]))
        steps = self.steps.all[:index] if self._compacted else ()
        return provider_compaction([entry.message for step in steps for entry in step.entries])

    def head_steps(self, index: int) -> list[Step]:
        """System and developer messages that stand before the tail, equal ones once."""
        found = {dumps(s.entries[0].message.raw): s for s in reversed(self.steps.all[:index]) if s.role == "system"}
        return list(found.values())[::-1]

    def _out(self, step: Step, compacted: Compacted | None, until: int | None = None) -> list[dict[str, Any]]:
        """One step on the wire: clipped and without reasoning where a compaction says so."""
        if compacted is None:
            return step.rendered(self.shape)
        until = self._bound_until if until is None else until
        replaced = compacted.replaced
        if replaced and any(entry.position in replaced for entry in step.entries):
            step = step.clipped(replaced)
        out = step.rendered(self.shape)
        if step.first <= until and binds_reasoning(self.opened.model):
            out = without_reasoning(out, shape=self.shape)
        return out

    def _sendable(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The last touches that need the whole list."""
        return sendable(
            messages,
            shape=self.shape,
            special=self._special,
            marks=self._marks,
            beside=self.opened.marks,
            alternate=self.opened.strict_roles,
        )
