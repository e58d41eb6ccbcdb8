"""The texts inside a call's arguments and inside a result that is JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

__all__ = ["DEEPEST", "as_json", "strings"]

DEEPEST = 12
"""Levels of a result's JSON that are looked into."""


def as_json(text: str) -> object:
    """What a text says that is JSON; None where it isn't."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def strings(value: object, deep: int = DEEPEST) -> Iterator[str]:
    """Every text in a call's arguments, numbers as they are written."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None or not deep:
        return
    elif isinstance(value, (int, float)):
        yield str(value)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner, deep - 1)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, deep - 1)
