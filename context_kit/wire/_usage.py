"""What a provider says a request cost, in one measure: tokens of the whole input, cached or not.

Decided by the reply's shape, because `input_tokens` is all of it in Responses and only the uncached rest
in Anthropic messages (wire-facts 4.1). Zero, missing and null mean: not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from context_kit.typing import Shape
from context_kit.wire._message import Reported

__all__ = ["MOST_TOKENS", "reported"]

MOST_TOKENS = 2**53
"""A count above it is none: JSON has no whole numbers beyond, and no window comes near."""


def reported(reply: Mapping[str, Any], shape: Shape) -> Reported | None:
    """Usage of a whole reply, or None where it says nothing usable."""
    usage = reply.get("usage")
    if not isinstance(usage, Mapping):
        # A reply of plain attribute objects.
        usage = getattr(usage, "__dict__", None)
    if not isinstance(usage, Mapping):
        return None
    model = reply.get("model")
    found, output = _chat(usage) if shape == "chat" else _tokens(usage, cached_apart=shape == "anthropic")
    if not found:
        return None
    return Reported(input_tokens=found, output_tokens=output, model=model if isinstance(model, str) else None)


def _chat(usage: Mapping[str, Any]) -> tuple[int, int | None]:
    return _number(usage, "prompt_tokens") or 0, _number(usage, "completion_tokens")


def _tokens(usage: Mapping[str, Any], *, cached_apart: bool) -> tuple[int, int | None]:
    if not cached_apart:
        return _number(usage, "input_tokens") or 0, _number(usage, "output_tokens")
    last = _last_pass(usage)
    cached = ("cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(_number(last, key) or 0 for key in ("input_tokens", *cached)), _number(last, "output_tokens")


def _last_pass(usage: Mapping[str, Any]) -> Mapping[str, Any]:
    """The last sampling pass of a server-tool loop: the sums above it count the context several times."""
    passes = usage.get("iterations")
    if isinstance(passes, list):
        for one in reversed(passes):
            if isinstance(one, Mapping) and one.get("type") == "message":
                return one
    return usage


def _number(usage: Mapping[str, Any], key: str) -> int | None:
    value = usage.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return int(value) if 0 <= value <= MOST_TOKENS else None
