"""What a session knows of the others of its store: folded from its log, so that a reopened one knows the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from context_kit._records import Heard
from context_kit.engrams import Elsewhere

__all__ = ["Others"]


@dataclass(slots=True)
class Others:
    """How far the journal of the others was looked at, and what of it concerns this session."""

    upto: int = 0
    """Position of the newest journal line that was looked at, as far as the log says."""
    begun: bool = False
    """What others left was told, or is told by a bridge."""
    changes: dict[str, Elsewhere] = field(default_factory=dict[str, Elsewhere])
    """Contracts of this session as others left them, by `contract_key`; the newest of each."""
    records: tuple[str, ...] = ()
    """Ids of the journal records that were told at the start."""
    told: int = 0
    """Contracts told since the last compaction."""

    def hear(self, record: Heard) -> None:
        """Take in what was looked at."""
        self.upto = max(self.upto, record.upto)
        self.begun = self.begun or bool(record.records)
        self.records += record.records
        self.told += len(record.changes)
        for change in record.changes:
            self.changes[f"{change.file}:{change.name}"] = change

    def compacted(self) -> None:
        """A bridge stands: what it is told of others stands in it."""
        self.begun, self.told = True, 0
