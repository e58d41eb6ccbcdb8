"""What can be read of a session, before and after it is closed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from context_kit._due import usage
from context_kit._handle import declared, handle
from context_kit._session import Session
from context_kit.engrams import aged
from context_kit.memory import Memory, MemoryDirectory
from context_kit.probes import Probe, Stand, Standing, made
from context_kit.types import Compaction, Engram, Recollection, TaskSummary, Usage

__all__ = ["View"]


class View:
    """The reading half of `ContextManager`: nothing here changes the window."""

    _session: Session

    @property
    def messages(self) -> list[Any]:
        """The window as it stands: a fresh list of shared, read-only dicts."""
        with self._session.lock:
            return self._session.log.view()

    @property
    def usage(self) -> Usage:
        """How full the window is."""
        with self._session.lock:
            return usage(self._session.log, self._session.settings)

    @property
    def session(self) -> str:
        """The session's name."""
        return self._session.name

    @property
    def memory(self) -> Memory:
        """The journal: `append`, `records`, `search`."""
        return self._session.memory

    @property
    def summary(self) -> TaskSummary | None:
        """The current six fields; None before the first compaction."""
        last = self._session.log.last
        return last.receipt.summary if last else None

    @property
    def compactions(self) -> tuple[Compaction, ...]:
        """Every receipt, oldest first."""
        return tuple(self._session.log.receipts)

    @property
    def engrams(self) -> tuple[Engram, ...]:
        """What is on the board now, each with the status that the log gives it at this moment.

        Pins first, then what the last compaction kept word for word. A status changes at once,
        the text leaves the window at the next compaction.
        """
        with self._session.lock:
            return _board(self._session)

    @property
    def probes(self) -> tuple[Probe, ...]:
        """Recall checks of what left the window, made by rule with their answers; none before the first compaction.

        The first two ask for lines of the current file and for the place of one of its functions. No model is asked.
        """
        session = self._session
        with session.lock:
            session.trail.follow(session.log.entries)
            settings = session.settings
            return made(session.log, session.trail, redact=settings.redact, beside=settings.beside)

    @property
    def standing(self) -> Mapping[Probe, Stand]:
        """The static check: of each probe whether its answer stands in the window, is recoverable, or is lost.

        Recoverable is what an address in the window, or a recall by the question's own words, brings back. Nothing is
        noted as fetched.
        """
        with self._session.lock:
            standing = Standing(self.messages, self._looked_up)
            return {probe: standing.of(probe) for probe in self.probes}

    def _looked_up(self, query: str) -> list[Recollection]:
        return self._session.recall(query, k=5, max_tokens=2_000, noted=False)

    def recall(self, query: str, /, *, k: int = 5, max_tokens: int = 2_000) -> list[Recollection]:
        """Text that left the window, or was remembered.

        Args:
            query: words, a path, or an address from a receipt (`m12`, `c3`, `f:PATH@12`): then
                exactly that text, whole, `max_tokens` aside.
            k: at most so many pieces.
            max_tokens: all of them together.

        Raises:
            BudgetError: a query that is no text, or a number below 1.
        """
        return self._session.recall(query, k=k, max_tokens=max_tokens)

    def recall_tools(
        self,
        format: str,  # noqa: A002 - the field's own name
        *,
        prefix: str = "",
        memory: MemoryDirectory | None = None,
    ) -> list[dict[str, Any]]:
        """Tools by which the model recalls and remembers by itself: `recall` and `remember`.

        Declare them from the first request on: tools that are added later cost the cache. The same bytes each time;
        their tokens count in the window from the first call of this method on.

        Args:
            format: `openai` (chat), `openai-responses` or `anthropic`.
            prefix: what their names begin with, where the plain ones are taken.
            memory: what stands behind Anthropic's own memory tool, which is then declared beside them.

        Raises:
            BudgetError: the format is unknown, or the prefix can't begin a name.
        """
        return declared(self._session, format, prefix, memory)

    def handle(self, call: object, /) -> Any:
        """The result of one call of the model's to these tools: `ctx.add(ctx.handle(call))`.

        Args:
            call: the call as it came, a dict or the SDK's object, of any of the three shapes.

        Returns:
            A message or item in the session's shape, at most 2,000 tokens and 10 % of the window. What the model
            did wrong (arguments cut short, an unknown tool) is told in it, for the model to read.

        Raises:
            InvalidMessageError: it is no call, or a message that holds several.
        """
        return handle(self._session, call)


def _board(session: Session) -> tuple[Engram, ...]:
    """Pins, and the engrams of the last compaction as they stand now."""
    log, trail = session.log, session.trail
    pins = tuple(log.pins.values())
    if log.last is None:
        return pins
    trail.follow(log.entries)
    keys = {name: key for key, name in log.last.names.items()}
    kept = [engram for engram in log.last.receipt.engrams if engram.id in keys]
    return (*pins, *aged(kept, keys, trail))
