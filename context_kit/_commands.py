"""What a turn asks its driver to do: values, not acts. Each comes back as `Outcome`s."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from context_kit._records import Record, Ticked
from context_kit._topic import Remembered, Topic
from context_kit.bridge import NO_TICKS, TickNotes
from context_kit.summary import Answer, Outcome
from context_kit.types import PostCompact, PreCompact, ProbeRequest, SummaryRequest, TaskSummary
from context_kit.types import Record as JournalRecord

__all__ = [
    "Ahead",
    "Append",
    "Begin",
    "Brief",
    "Briefed",
    "Collect",
    "Command",
    "Flow",
    "Journal",
    "Judge",
    "Listen",
    "Look",
    "News",
    "ReadJournal",
    "Save",
    "Snapshot",
    "Steps",
    "Work",
    "relay",
    "succeed",
    "worked",
]


@dataclass(frozen=True, slots=True)
class Append:
    """Write this record, and those that belong to it, and move the log."""

    record: Record
    more: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True)
class Save:
    """Make durable what will be needed after the compaction, before the log moves."""

    checkpoint: str


@dataclass(frozen=True, slots=True)
class Look:
    """Ask every provider of live state for its text; outcomes of (name, text)."""


@dataclass(frozen=True, slots=True)
class ReadJournal:
    """Write what is due into the journal and read it after its first `since` records: a `Journal`."""

    since: int
    topic: Topic
    """What the step in hand is about: what others know of it is read, too."""
    cut: int = 0
    """Position of the tail's first message: what stands before it leaves the window."""
    room: int = 0
    """Tokens that all of it may have."""
    told: tuple[str, ...] = ()
    """Ids of the records of others that were told at the session's start: they stay told."""


@dataclass(frozen=True, slots=True)
class Listen:
    """Look at what others wrote after a position of the journal: a `News`."""

    since: int
    topic: Topic | None = None
    """At a session's start, what others know of it."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Ask what is to be told of ticks now: a `Briefed`, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefed:
    """What is told of ticks."""

    text: str
    record: Ticked
    """What the log keeps of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What the journal says since the last compaction."""

    lines: tuple[str, ...] = ()
    """One a record, oldest first."""
    read_to: int = 0
    """How many records of the session there are."""
    written: int = 0
    """How many the session itself wrote since the last compaction."""
    others: tuple[Remembered, ...] = ()
    """What other sessions know of the step in hand, most related first."""
    back: tuple[Remembered, ...] = ()
    """Texts of this session that left the window and have to do with it."""
    ticks: TickNotes = NO_TICKS
    """Where the job stands, and its newest tick files."""
    tick: str = ""
    """The tick that is under way and its node, for the checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What others wrote."""

    upto: int
    """Position of the newest journal line."""
    contracts: tuple[JournalRecord, ...] = ()
    """Declarations that others wrote, changed or removed, oldest first."""
    remembered: tuple[Remembered, ...] = ()
    """At a session's start, what others know of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a summary in the background was begun on."""

    position: int
    """Position of the first message that it did not read: its cut."""
    old: tuple[int, ...]
    """Positions of the messages that it read."""
    after: str = ""
    """Id of the compaction that was the last one then."""
    said: TaskSummary | None = None
    """What the model had said before."""
    dropped: tuple[str, ...] = ()
    """Why an earlier answer was dropped, for the receipt."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Start asking for a summary and don't wait for it; one that was begun before is dropped."""

    asking: Steps[Answer]
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Collect:
    """The summary that was begun: an `Ahead`, or None where there is none."""

    wait: bool
    """Until it is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """A summary that was begun in the background."""

    snapshot: Snapshot
    answer: Answer | None = None
    """None while it is being made, and where it was lost."""
    lost: str = ""
    """Why it will never be done."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Ask the caller's judge whether an answer is right: True, False, or None where it can't tell."""

    arguments: tuple[Any, ...]
    """The probe and the answer."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work out something that takes its time: without the session's lock, and off the event loop."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Reading: TypeAlias = "Look | Listen | Brief | ReadJournal | Begin | Collect"
Asking: TypeAlias = "PreCompact | PostCompact | SummaryRequest | ProbeRequest | Judge"
Command: TypeAlias = "Append | Save | Reading | Asking | Work"
Found = TypeVar("Found")
Steps: TypeAlias = "Generator[Command, list[Outcome], Found]"
"""A part of a flow that yields commands, is sent their outcomes, and returns what it found."""
Flow: TypeAlias = "Steps[Any]"


def relay(asking: Generator[SummaryRequest, Outcome, Answer]) -> Steps[Answer]:
    """Hand each request to the driver, its one outcome back."""
    try:
        wanted = next(asking)
        while True:
            wanted = asking.send((yield wanted)[0])
    except StopIteration as stop:
        answer: Answer = stop.value
        return answer


def worked(function: Callable[..., Found], *arguments: Any) -> Steps[Found]:
    """What a function gives that takes its time: done off the event loop, and without the session's lock.

    Raises:
        Exception: what the function raised.
    """
    outcomes = yield Work(function, arguments)
    succeed(outcomes)
    found: Found = outcomes[0].value
    return found


def succeed(outcomes: list[Outcome]) -> None:
    """Raise the error of a command that has to succeed."""
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
