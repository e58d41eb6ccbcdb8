"""The exact token counter that every peer is given which takes one; a message is counted once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks._judge import count_tokens

__all__ = ["lengths"]

_KNOWN: dict[int, tuple[dict[str, Any], int]] = {}


def lengths(messages: Iterable[dict[str, Any]]) -> int:
    """Tokens of chat messages, remembered by object."""
    total = 0
    for message in messages:
        known = _KNOWN.get(id(message))
        if known is None or known[0] is not message:
            known = _KNOWN[id(message)] = (message, count_tokens(message))
        total += known[1]
    return total
