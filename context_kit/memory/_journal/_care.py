"""The half of `Memory` that looks after the journal: what is old is condensed, what was condensed is found again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from context_kit.errors import StoreError
from context_kit.memory._cleaning._tidy import DAYS, Tidied, tidy
from context_kit.types import Record
from context_kit.typing import Archives, Store

__all__ = ["Care", "as_record"]


class Care(ABC):
    """A journal that is kept small."""

    before: Callable[[], None]
    _store: Store | None

    @abstractmethod
    def records(self, session: str | None = None) -> tuple[Record, ...]:
        """The records that are in the journal."""

    def tidy(self, *, days: float = DAYS, dry_run: bool = False) -> Tidied:
        """Condense the journal of the whole store by rules; what leaves it stays in the archive under its id.

        Args:
            days: edits, runs and failures younger than this stay as they are; older ones fold into one line
                per file and day.
            dry_run: change nothing, only tell what would be done.

        Raises:
            BudgetError: `days` is no number, or below 0.
            StoreError: there is no store, or it can't rewrite its journal.
        """
        if self._store is None:
            msg = "store: this session has none: give ContextManager a store to tidy it"
            raise StoreError(msg)
        self.before()
        return tidy(self._store, days=days, dry_run=dry_run)

    def find(self, id: str) -> Record | None:  # noqa: A002 - the record's own name
        """One record by its id, also one that was folded or superseded; None where there is none."""
        found = next((record for record in self.records() if record.id == id), None)
        if found is not None or not isinstance(self._store, Archives):
            return found
        line = self._store.archived(id)
        return as_record(line) if line is not None else None


def as_record(line: Mapping[str, Any]) -> Record:
    """A record from any version's line; what isn't text is shown as text."""
    known = {key: str(line[key]) for key in Record.__dataclass_fields__ if line.get(key) is not None}
    return Record(**{"id": "", "ts": "", **known})
