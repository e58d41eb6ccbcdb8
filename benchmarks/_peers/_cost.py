"""What a session's requests cost where the provider caches prefixes. Nothing here knows the library.

Bytes that a request's beginning shares with the request before it cost `SHARED`, all others `FRESH`, and what a
summariser reads costs `ASKED`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

__all__ = ["ASKED", "FRESH", "SHARED", "Meter", "uncompacted"]

SHARED = 0.1
FRESH = 1.25
ASKED = 1.0
Message = dict[str, Any]


class Meter:
    """Sums up requests in the order in which they are sent."""

    def __init__(self, head: Sequence[Message], tools: object) -> None:
        self._last = list[bytes]()
        self._front = [_bytes(tools), *map(_bytes, head)]
        self._known: dict[int, tuple[Message, bytes]] = {}
        self.shared = 0
        self.fresh = 0

    def sent(self, window: Sequence[Message]) -> None:
        """One more request: the window behind head and tools."""
        parts = [*self._front, *map(self._written, window)]
        shared = _same(self._last, parts)
        self.shared += shared
        self.fresh += sum(map(len, parts)) - shared
        self._last = parts

    def cost(self, asked: int = 0) -> float:
        """Of all requests so far, and of `asked` bytes that a summariser read."""
        return SHARED * self.shared + FRESH * self.fresh + ASKED * asked

    def _written(self, message: Message) -> bytes:
        known = self._known.get(id(message))
        if known is None or known[0] is not message:
            known = self._known[id(message)] = (message, _bytes(message))
        return known[1]


def uncompacted(messages: Sequence[Message], head: int, tools: object) -> float:
    """The cost of the same session when every request carries all of it."""
    meter = Meter(messages[:head], tools)
    for at in asked_at(messages, head):
        meter.sent(messages[head:at])
    return meter.cost()


def asked_at(messages: Sequence[Message], head: int) -> list[int]:
    """Before which messages a request is sent: each of the agent's own, the very first aside."""
    return [at for at in range(head + 1, len(messages)) if messages[at]["role"] == "assistant"]


def _bytes(node: object) -> bytes:
    return json.dumps(node, ensure_ascii=False).encode("utf-8", "replace")


def _same(before: Sequence[bytes], now: Sequence[bytes]) -> int:
    """Bytes that two requests begin with alike."""
    total = 0
    for old, new in zip(before, now, strict=False):
        if old == new:
            total += len(new)
            continue
        low, high = 0, min(len(old), len(new))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if old[:middle] == new[:middle] else (low, middle - 1)
        return total + low
    return total
