"""What a summary call cost, in the same four counts for every provider (wire-facts 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Prices", "chat_usage", "claude_usage", "cost", "responses_usage", "summed"]

Prices = Mapping[str, float]
"""Per million tokens: `input`, `output` and, where it differs, `cached`."""

Path = tuple[str, ...]

CHAT: dict[str, Path] = {
    "input_tokens": ("prompt_tokens",),
    "output_tokens": ("completion_tokens",),
    "cached_tokens": ("prompt_tokens_details", "cached_tokens"),
    "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
}
RESPONSES: dict[str, Path] = {
    "input_tokens": ("input_tokens",),
    "output_tokens": ("output_tokens",),
    "cached_tokens": ("input_tokens_details", "cached_tokens"),
    "reasoning_tokens": ("output_tokens_details", "reasoning_tokens"),
}
CLAUDE: dict[str, Path] = {
    "input_tokens": ("input_tokens",),
    "output_tokens": ("output_tokens",),
    "cached_tokens": ("cache_read_input_tokens",),
    "reasoning_tokens": ("output_tokens_details", "thinking_tokens"),
}


def chat_usage(usage: object) -> dict[str, int] | None:
    """Usage of a chat completion."""
    return _read(usage, CHAT)


def responses_usage(usage: object) -> dict[str, int] | None:
    """Usage of a Responses reply."""
    return _read(usage, RESPONSES)


def claude_usage(usage: object) -> dict[str, int] | None:
    """Usage of a Claude message, whose `input_tokens` leave out what was read from or written to the cache."""
    found = _read(usage, CLAUDE)
    if found is not None:
        written = _number(usage, ("cache_creation_input_tokens",)) or 0
        found["input_tokens"] = found.get("input_tokens", 0) + found.get("cached_tokens", 0) + written
    return found


def _read(usage: object, paths: Mapping[str, Path]) -> dict[str, int] | None:
    found = {name: number for name, path in paths.items() if (number := _number(usage, path)) is not None}
    return found or None


def _number(node: Any, path: Path) -> int | None:
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node if isinstance(node, int) and not isinstance(node, bool) and node >= 0 else None


def summed(before: Mapping[str, int], new: Mapping[str, int] | None) -> dict[str, int]:
    """Two usages as one."""
    total = dict(before)
    for key, value in (new or {}).items():
        total[key] = total.get(key, 0) + value
    return total


def cost(usage: Mapping[str, int], prices: Prices) -> int:
    """Millionths of the prices' currency: a price per million tokens is millionths per token."""
    cached = usage.get("cached_tokens", 0)
    fresh = usage.get("input_tokens", 0) - cached
    read = prices.get("cached", prices["input"])
    return round(fresh * prices["input"] + cached * read + usage.get("output_tokens", 0) * prices["output"])
