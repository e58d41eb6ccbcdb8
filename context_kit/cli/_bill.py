"""What a session's requests cost and take: prompt cache, money and a model of the latency.

The invariant guarded here: every token of every request is counted once, as read, written or missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context_kit.cli._prices import Price

__all__ = ["CACHED", "DECODE", "PREFILL", "Bill", "Request", "bill"]

PREFILL = 0.2e-3
"""Seconds for a token of input that no cache had: 5,000 a second."""
CACHED = 4e-6
"""Seconds for a token of input that a cache had: 250,000 a second."""
DECODE = 1 / 60
"""Seconds for a token of output."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request to the model, in tokens."""

    shared: int
    """At its beginning, equal to the request before it, message by message; system prompt and tools included."""
    new: int
    """The rest of it."""
    reply: int

    @property
    def tokens(self) -> int:
        """The whole request."""
        return self.shared + self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Tokens by how they are charged, and what they come to."""

    read: int
    """Read from the prompt cache."""
    write: int
    """Written to it."""
    miss: int
    """Neither: the vendor doesn't charge for writing, or the request was too small to be cached."""
    cost: float
    """Prompts and summaries, in the price's unit; the model's replies are the same whatever the policy."""
    seconds: float
    """Modelled, not measured: prefill of what is new and of what is cached, decoding, and the summariser's."""


def bill(requests: Sequence[Request], price: Price, *, asked: int = 0, answered: int = 0) -> Bill:
    """What requests cost.

    Args:
        requests: in order.
        price: of the model.
        asked: tokens that the summariser read; it has no cache.
        answered: tokens that it wrote.
    """
    read = write = miss = 0
    for request in requests:
        if request.tokens < price.least:
            miss += request.tokens
            continue
        known = request.shared if request.shared >= price.least else 0
        read += known
        if price.write is None:
            miss += request.tokens - known
        else:
            write += request.tokens - known
    money = read * price.read + write * (price.write or 0.0) + (miss + asked) * price.miss + answered * price.output
    return Bill(read=read, write=write, miss=miss, cost=money / 1e6, seconds=_seconds(requests, asked, answered))


def _seconds(requests: Sequence[Request], asked: int, answered: int) -> float:
    new = asked + sum(request.new for request in requests)
    written = answered + sum(request.reply for request in requests)
    return new * PREFILL + sum(request.shared for request in requests) * CACHED + written * DECODE
