"""What a turn asks its driver to do: values, not acts. Each comes back as `Outcome`s."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from context_kit._records import Record
from context_kit.summary import Outcome
from context_kit.types import PostCompact, PreCompact, SummaryRequest

__all__ = ["Append", "Command", "Flow", "Journal", "Look", "ReadJournal", "Save", "Steps", "succeed"]


@dataclass(frozen=True, slots=True)
class Append:
    """Write this record and move the log."""

    record: Record


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What the journal says since the last compaction."""

    lines: tuple[str, ...] = ()
    """One a record, oldest first."""
    read_to: int = 0
    """How many records of the session there are."""
    written: int = 0
    """How many the session itself wrote since the last compaction."""


Command: TypeAlias = "Append | Save | Look | ReadJournal | PreCompact | PostCompact | SummaryRequest"
Found = TypeVar("Found")
Steps: TypeAlias = "Generator[Command, list[Outcome], Found]"
"""A part of a flow that yields commands, is sent their outcomes, and returns what it found."""
Flow: TypeAlias = "Steps[Any]"


def succeed(outcomes: list[Outcome]) -> None:
    """Raise the error of a command that has to succeed."""
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
