"""What is done with the history: each strategy takes messages and gives the window to send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from benchmarks._judge import count_tokens
from context_kit import ContextManager
from context_kit.typing import Policy

__all__ = ["STRATEGIES", "Everything", "Kit", "Strategy", "Tail", "tokens"]

FRAME: Final = 4
"""Tokens of a message beside its text."""


def tokens(messages: list[dict[str, Any]]) -> int:
    """Size of a list."""
    return sum(count_tokens(message) + FRAME for message in messages)


class Strategy(Protocol):
    """A history."""

    def add(self, message: dict[str, Any], /) -> None:
        """Take a message."""
        ...

    def window(self) -> list[dict[str, Any]]:
        """What is sent now."""
        ...

    @property
    def compactions(self) -> int:
        """How many times something was taken out."""
        ...


class Everything:
    """No compaction, an unlimited window."""

    compactions = 0

    def __init__(self, _window: int = 0) -> None:
        self._messages: list[dict[str, Any]] = []

    def add(self, message: dict[str, Any], /) -> None:
        """Keep it."""
        self._messages.append(message)

    def window(self) -> list[dict[str, Any]]:
        """All of them."""
        return list(self._messages)


class Tail:
    """The system message and the newest messages: over 75 % of the window, those that fit in 40 %."""

    def __init__(self, window: int) -> None:
        self.compactions = 0
        self._most, self._target = int(0.75 * window), int(0.40 * window)
        self._messages: list[dict[str, Any]] = []

    def add(self, message: dict[str, Any], /) -> None:
        """Keep it for now."""
        self._messages.append(message)

    def window(self) -> list[dict[str, Any]]:
        """Trimmed where that is due; it never starts with a result, and keeps the newest step."""
        if tokens(self._messages) > self._most:
            self._trim()
        return list(self._messages)

    def _trim(self) -> None:
        head, rest = self._messages[:1], self._messages[1:]
        room = self._target - tokens(head)
        starts = [at for at, message in enumerate(rest) if message["role"] != "tool"]
        start = next((at for at in starts if tokens(rest[at:]) <= room), starts[-1])
        if start:
            self.compactions += 1
            self._messages = [*head, *rest[start:]]


class Kit:
    """The library, with one of its policies and no model."""

    def __init__(self, window: int, policy: Policy) -> None:
        self.ctx = ContextManager(window, policy=policy, session="refactoring")

    def add(self, message: dict[str, Any], /) -> None:
        """Add it."""
        self.ctx.add(message)

    def window(self) -> list[dict[str, Any]]:
        """What `prepare` returns."""
        return self.ctx.prepare()

    @property
    def compactions(self) -> int:
        """Those that were applied."""
        return sum(receipt.outcome == "applied" for receipt in self.ctx.compactions)


STRATEGIES: Final[Mapping[str, Callable[[int], Strategy]]] = {
    "none": Everything,
    "tail": Tail,
    "template": lambda window: Kit(window, "template"),
    "template+engrams": lambda window: Kit(window, "template+engrams"),
    "default": lambda window: Kit(window, "default"),
    "layered": lambda window: Kit(window, "layered"),
}
"""By name; a strategy is made for a window of so many tokens."""
