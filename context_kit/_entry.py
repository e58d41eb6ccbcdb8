"""One message of the log, with its place and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from context_kit.wire import Message

__all__ = ["Entry"]

NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the log."""

    position: int
    """Place in the log, from 1; its address is `m{position}`."""
    message: Message
    cost: int
    """Its estimated tokens, counted once when it was added."""
    injected: bool = False
    """Put in by the library (a pin shown between compactions), not given by the caller."""
    held: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Of each result in it that brought text back the id of its call, and the addresses of that text."""

    @property
    def address(self) -> str:
        """The message's address."""
        return f"m{self.position}"

    @property
    def brought(self) -> Mapping[str, tuple[str, ...]]:
        """The addresses of the text that results in it brought back, by the id of their call."""
        return dict(self.held) if self.held else NONE

    def knowing(self, brought: Mapping[str, tuple[str, ...]]) -> Entry:
        """The same, with those of its results named that brought text back."""
        results = self.message.results if brought else ()
        found = tuple((part.id, brought[part.id]) for part in results if part.id in brought)
        return replace(self, held=found) if found else self
