"""A memory file that depends on goodwill: half of the writes and half of the readings are forgotten.

Everything else is the library's own `template+memory`: the same records, the same words. Which ones
are forgotten is drawn by seed, so that a run can be repeated.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from context_kit.memory import JOURNAL

__all__ = ["Forgetful"]


class Forgetful:
    """A store in memory that loses what its user forgets to write, and for a time what its user forgets to read."""

    def __init__(self, seed: int, odds: float = 0.5) -> None:
        self._draw, self._odds = random.Random(f"forgets {seed}"), odds
        self._lines: dict[str, list[dict[str, Any]]] = {}
        self._asleep, self._known = False, 0
        self.turn_over()

    def turn_over(self) -> None:
        """From now on the journal is read, or isn't: drawn anew for each compaction."""
        self._asleep = self._forgets()

    def _forgets(self) -> bool:
        return self._draw.random() < self._odds

    def append(self, session: str, lines: Sequence[Mapping[str, Any]], /, *, sync: bool = False) -> None:  # noqa: ARG002
        """Keep lines; of the journal's those that weren't forgotten."""
        kept = [dict(line) for line in lines if session != JOURNAL or not self._forgets()]
        self._lines.setdefault(session, []).extend(kept)

    def read(self, session: str, /) -> Iterable[dict[str, Any]]:
        """What is there; of the journal, where reading is forgotten, what was read before."""
        found = self._lines.get(session, [])
        if session != JOURNAL:
            return list(found)
        if not self._asleep:
            self._known = len(found)
        return found[: self._known]

    def search(self, query: str, /, *, limit: int = 20) -> Iterable[dict[str, Any]]:
        """Journal lines with all words of a query."""
        words = query.lower().split()
        found = (line for line in self.read(JOURNAL) if all(word in str(line).lower() for word in words))
        return list(found)[:limit]

    @contextmanager
    def _held(self) -> Generator[None, None, None]:
        yield

    def lock(self, _session: str, /) -> Any:
        """One process, one session: nothing to wait for."""
        return self._held()

    def sessions(self) -> Sequence[str]:
        """Names of the sessions."""
        return sorted(name for name in self._lines if name != JOURNAL)
