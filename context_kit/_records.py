"""The records of a log: what happened to a session, in the order in which it happened."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from context_kit._steps import Entry
from context_kit.engrams import Elsewhere
from context_kit.types import Compaction, Engram, ProbeCounts, TaskSummary
from context_kit.wire import Reported

__all__ = [
    "Added",
    "Amended",
    "Compacted",
    "Heard",
    "Opened",
    "Pinned",
    "Recalled",
    "Record",
    "Released",
    "Sealed",
    "Skipped",
    "Ticked",
    "UsageReported",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The first record: what the session was started with."""

    window: int
    budget: Mapping[str, Any]
    model: str | None = None
    strict_roles: bool = False
    system: int = 0
    """Estimated tokens of the system prompt that the caller sends beside the messages."""
    tools: int = 0
    """Estimated tokens of the tool schemas."""
    marks: int = 0
    """Cache marks in both of them."""
    earlier: int = 0
    """Journal records that an older, finished session of the same name left; with a store that has no index."""
    since: int = 0
    """Position in the journal at the session's start, with a store that has one: older records are none of its own."""
    heard: int = 0
    """The same where the store has none: how many journal lines there were."""
    found: int = 0
    """Tokens that the provider's window was found to have, where that is less than `window`."""

    @property
    def tokens(self) -> int:
        """Tokens of the window, as far as is known."""
        return self.found or self.window

    @property
    def fixed(self) -> int:
        """Estimated tokens of all that is sent beside the messages."""
        return self.system + self.tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A message came in."""

    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReported:
    """A provider's usage came with, or was told for, the newest reply."""

    usage: Reported
    cost: int
    """Estimated tokens of that reply, all its items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """A fragment was pinned by the caller or a hook."""

    engram: Engram


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A pin was released."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Texts that left the window were fetched back."""

    addresses: tuple[str, ...]
    call: str = ""
    """Id of the model's call whose result holds them; empty where the caller fetched them."""

    @property
    def fetched(self) -> tuple[str, ...]:
        """What counts as fetched: a call's result does no more than hold what was fetched for it."""
        return () if self.call else self.addresses

    @property
    def brought(self) -> Mapping[str, tuple[str, ...]]:
        """The addresses by the call, where one of the model's asked."""
        return {self.call: self.addresses} if self.call else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What other sessions left or changed was looked at, and told where it concerns this one."""

    upto: int
    """Position of the newest journal line that was looked at."""
    changes: tuple[Elsewhere, ...] = ()
    """Contracts of this session that others changed."""
    records: tuple[str, ...] = ()
    """Ids of the journal records that were told at the session's start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    """A tick began or ended, or something was told of ticks."""

    number: int
    title: str = ""
    state: Literal["begun", "placed", "told", "answered", "closed", "interrupted"]
    """`placed`: the caller has the briefing. `answered`: findings that an earlier tick fixed were reported again."""
    folder: str = ""
    """Where its files are, as the caller named it."""
    position: int = 0
    """Newest message when it began."""
    tokens: int = 0
    """Estimated tokens of what was told."""
    answered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """The placeholders of a step were handed out with a message after them."""

    position: int
    """Position of the step's first message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """A compaction was applied: from here on the window is head, bridge, tail."""

    receipt: Compaction
    bridge: str
    """Text of the bridge; empty where only messages were clipped."""
    cut: int
    """Position of the first message of the tail."""
    replaced: Mapping[int, Mapping[str, Any]] = field(default_factory=dict[int, Mapping[str, Any]])
    """Clipped messages of the tail, by position."""
    cost: int = 0
    """Estimated tokens of the window that it leaves, without `Opened.fixed`."""
    costs: Mapping[int, int] = field(default_factory=dict[int, int])
    """New sizes of the tail's steps that got smaller, by the position of their first message."""
    upto: int = 0
    """Newest position when it was planned."""
    said: TaskSummary | None = None
    """What a model said, merged over the compactions; code fills the rest anew each time."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Fragment key -> engram id, so that ids stay for life."""
    journal: int = 0
    """How many journal records were read back so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A compaction was not applied; its receipt says why."""

    receipt: Compaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Amended:
    """What came to a receipt after it was committed: what hooks did not manage, what a check put back."""

    id: str
    """The receipt's."""
    failures: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()
    """Addresses of the texts that were put back."""
    probed: ProbeCounts = field(default_factory=ProbeCounts)
    """How the answers of a check came out."""
    text: str | None = None
    """What is to be put back at the next legal place; empty once it stands in the window. None says nothing of it."""

    def onto(self, receipts: MutableSequence[Compaction], before: Amended) -> Amended:
        """Put it on the receipt; the record that says what is to be put back, this one or the one before."""
        for at, receipt in enumerate(receipts):
            if receipt.id == self.id:
                repaired = tuple(dict.fromkeys((*receipt.repaired, *self.repaired)))
                failures, probed = (*receipt.failures, *self.failures), receipt.probed + self.probed
                receipts[at] = replace(receipt, failures=failures, repaired=repaired, probed=probed)
        return before if self.text is None else self


Noted: TypeAlias = "Recalled | Heard | Ticked | Sealed | Amended"
"""What was only looked at, told, handed out, or noted later."""
Record: TypeAlias = "Opened | Added | UsageReported | Pinned | Released | Compacted | Skipped | Noted"
