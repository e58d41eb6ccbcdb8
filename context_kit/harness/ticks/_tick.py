"""One tick: its file is written when it ends, by code, whatever the model thinks of it.

with ctx.tick("the parser's error handling") as tick:
    ...
    tick.write("next", "the writer's error handling")
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from context_kit.harness.ticks._findings import Finding
from context_kit.harness.ticks._harness import Harness
from context_kit.harness.ticks._words import Section

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Rounds", "Tick"]


class Rounds(Protocol):
    """What a tick asks of its session."""

    def write(self, number: int, section: Section, text: str) -> tuple[Finding, ...]: ...
    def briefing(self, number: int) -> str: ...
    def undecided(self, number: int) -> tuple[Section, ...]: ...
    def close(self, number: int) -> None: ...
    def interrupt(self, number: int, reason: str) -> None: ...


class Tick:
    """A round of a long job, begun by `ctx.tick(title)`; it ends with its block, or with `close()`."""

    def __init__(self, rounds: Rounds, harness: Harness, number: int, title: str, *, resumed: bool) -> None:
        self._rounds = rounds
        self.harness = harness
        """The state of the job: node, narrative, criteria."""
        self.number = number
        """From 1, unique in its folder."""
        self.title = title
        self.resumed = resumed
        """Whether it goes on after it was cut off, or refused to close."""
        self._ended = False

    @property
    def path(self) -> Path:
        """Its file: there once it has ended."""
        return Path(os.fspath(self.harness.folder / f"tick-{self.number}-summary.md"))

    def write(self, section: Section, text: str) -> tuple[Finding, ...]:
        """Add prose to a section; durable on return. "none" says that there is nothing.

        A line with `file:line` in `found` and `open` is a problem, in `fixed` the end of one.

        Args:
            section: `done`, `found`, `fixed`, `open` or `next`.
            text: the caller's or the model's own words.

        Returns:
            Problems in the text that an earlier tick fixed, as that one left them: `fixed_in`, `note`.

        Raises:
            BudgetError: the section is unknown, or the text is none.
            TickError: the tick has ended.
            StoreError: it can't be written.
        """
        return self._rounds.write(self.number, section, text)

    @property
    def briefing(self) -> str:
        """What the next step has to know, read from the files: for callers who own the system prompt.

        The node, the last narrative entry, the open criteria, the newest three tick files, within the notes'
        share of the window. To read it changes nothing: a tick begun with `briefing="system"` leaves it to the
        caller, in any other it is told in the window as well.
        """
        return self._rounds.briefing(self.number)

    @property
    def undecided(self) -> tuple[Section, ...]:
        """The sections that would refuse the close now."""
        return self._rounds.undecided(self.number)

    def close(self) -> None:
        """End the tick and write its file; one that has ended stays as it is.

        Raises:
            TickError: a section is undecided; what was written is kept, and the tick stays open.
            StoreError: the file can't be written; the tick stays open.
        """
        if not self._ended:
            self._rounds.close(self.number)
            self._ended = True

    def _left(self, error: BaseException | None) -> None:
        if self._ended:
            return
        if error is None:
            self.close()
        else:
            self._ended = True
            self._rounds.interrupt(self.number, _reason(error))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._left(error)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        from asyncio import shield, to_thread

        if isinstance(error, GeneratorExit):  # the coroutine is closed: it may not wait
            self._left(error)
            return
        await shield(to_thread(self._left, error))


def _reason(error: BaseException) -> str:
    """What interrupted a tick; an error that can't say it still has a name."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the caller's own error goes on, whatever its text does
        text = ""
    return type(error).__name__ + (f": {text}" if text else "")
