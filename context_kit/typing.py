"""Protocols and aliases that users annotate with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:  # pydantic stands behind them, and most who read an alias here need none of it
    from context_kit.types import (
        Pin,
        PostCompact,
        PreCompact,
        ProbeRequest,
        Replace,
        SummaryReply,
        SummaryRequest,
        Veto,
    )

__all__ = [
    "LLM",
    "Archives",
    "Archiving",
    "Count",
    "Embed",
    "IndexedStore",
    "Message",
    "Model",
    "Policy",
    "PostCompactHook",
    "PreCompactHook",
    "ProbeLLM",
    "Redact",
    "Shape",
    "Store",
    "Wish",
]

Message: TypeAlias = dict[str, Any]
"""A provider's own message dict; read-only to the library and, once listed, to the caller."""

Shape: TypeAlias = Literal["chat", "responses", "anthropic"]
"""OpenAI chat messages, OpenAI Responses items, Anthropic messages."""

Count: TypeAlias = Callable[[str], int]
"""Tokens of a text."""

Redact: TypeAlias = Callable[[str], str]
"""A text without its secrets."""

Embed: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""A vector for each of several texts, all of one length."""

LLM: TypeAlias = "Callable[[SummaryRequest], str | SummaryReply | Awaitable[str | SummaryReply]]"
"""A summariser: any function of a request, sync or async."""

ProbeLLM: TypeAlias = "Callable[[ProbeRequest], str | SummaryReply | Awaitable[str | SummaryReply]]"
"""The model of a recall check: any function of a question with its window, sync or async."""

Model: TypeAlias = "Callable[[SummaryRequest | ProbeRequest], str | SummaryReply | Awaitable[str | SummaryReply]]"
"""Both of them: a client of the caller's."""

Wish: TypeAlias = "Pin | Replace | Veto | None"
"""What a `pre_compact` hook may return."""

PreCompactHook: TypeAlias = "Callable[[PreCompact], Wish | Awaitable[Wish]]"
PostCompactHook: TypeAlias = "Callable[[PostCompact], Awaitable[None] | None]"

Policy: TypeAlias = Literal["template", "template+memory", "template+engrams", "default", "layered"]
"""What takes part in a compaction; `PARTS` in `_settings.py` says what each one means."""


class Store(Protocol):
    """Where sessions live. Lines are JSON objects; every method may raise `StoreError`."""

    def append(self, session: str, lines: Sequence[Mapping[str, Any]], /, *, sync: bool = False) -> None:
        """Write lines at the end of a session's log; durable on return, power cuts included where `sync`."""
        ...

    def read(self, session: str, /) -> Iterable[dict[str, Any]]:
        """Every line of a session, oldest first; damaged ones are set aside."""
        ...

    def search(self, query: str, /, *, limit: int = 20) -> Iterable[dict[str, Any]]:
        """Journal lines that match, best first."""
        ...

    def lock(self, session: str, /) -> AbstractContextManager[None]:
        """Hold the session as its one writer."""
        ...

    def sessions(self) -> Sequence[str]:
        """Names of the sessions that exist, sorted."""
        ...


@runtime_checkable
class IndexedStore(Store, Protocol):
    """A store that finds journal lines without reading them all; a plain `Store` is read whole instead.

    Positions are whole numbers above 0 that only grow, also over a `rewrite`.
    """

    def records(self, session: str | None = None, /, *, after: int = 0) -> Iterable[dict[str, Any]]:
        """Journal lines of one session, or of all, after a position; oldest first, each with its own under `at`."""
        ...

    def newest(self) -> int:
        """Position of the newest journal line, 0 where there is none; as cheap as a look at a file's size."""
        ...

    def related(
        self,
        words: str,
        /,
        *,
        files: Sequence[str] = (),
        without: str = "",
        actions: Collection[str] = (),
        limit: int = 20,
    ) -> Iterable[dict[str, Any]]:
        """Journal lines about these words or files, best first, each with its `score`; in bounded time.

        Args:
            words: any text; a line need not hold all of its words.
            files: paths; a line about one of them, or one of the same name, ranks higher.
            without: a session whose own lines are not wanted.
            actions: only lines of these actions; empty for all.
            limit: at most so many.
        """
        ...

    def rewrite(
        self, session: str, change: Callable[[dict[str, Any]], Iterable[Mapping[str, Any]]], /, *, archive: bool
    ) -> int:
        """Put in each line's place what `change` makes of it: itself, others, or nothing; how many lines changed.

        Of a session's log, or of the journal; finished sessions too. Atomic and durable; lines that are
        appended meanwhile stay. With `archive` the lines that changed are kept in the store's archive, without
        it no file of the store has their text any more.
        """
        ...


@runtime_checkable
class Archiving(Protocol):
    """What a store may do beside: keep checkpoints, and put finished sessions away."""

    def checkpoint(self, session: str, text: str, /) -> str:
        """Write what was in hand at a session's last compaction; what is read back of it."""
        ...

    def archive(self, session: str, /) -> None:
        """Take a finished session out of the live ones; its name is free for a new one."""
        ...


@runtime_checkable
class Archives(Protocol):
    """What a store may do beside: tell what has left the live sessions and the journal."""

    def finished(self) -> Sequence[str]:
        """Names of the sessions whose task has ended, sorted."""
        ...

    def archived(self, name: str, /) -> dict[str, Any] | None:
        """A journal line that was folded or superseded, by its id, as it was; None where there is none."""
        ...
