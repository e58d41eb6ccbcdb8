"""Protocols and aliases that users annotate with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, TypeAlias

from context_kit.types import Pin, PostCompact, PreCompact, Replace, SummaryReply, SummaryRequest, Veto

__all__ = ["LLM", "Count", "Message", "Policy", "PostCompactHook", "PreCompactHook", "Redact", "Shape", "Store", "Wish"]

Message: TypeAlias = dict[str, Any]
"""A provider's own message dict; read-only to the library and, once listed, to the caller."""

Shape: TypeAlias = Literal["chat", "responses", "anthropic"]
"""OpenAI chat messages, OpenAI Responses items, Anthropic messages."""

Count: TypeAlias = Callable[[str], int]
"""Tokens of a text."""

Redact: TypeAlias = Callable[[str], str]
"""A text without its secrets."""

LLM: TypeAlias = Callable[[SummaryRequest], "str | SummaryReply | Awaitable[str | SummaryReply]"]
"""A summariser: any function of a request, sync or async."""

Wish: TypeAlias = "Pin | Replace | Veto | None"
"""What a `pre_compact` hook may return."""

PreCompactHook: TypeAlias = "Callable[[PreCompact], Wish | Awaitable[Wish]]"
PostCompactHook: TypeAlias = "Callable[[PostCompact], Awaitable[None] | None]"

Policy: TypeAlias = Literal["template", "template+memory", "template+engrams", "default"]


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
