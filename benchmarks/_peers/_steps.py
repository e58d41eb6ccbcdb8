"""Chat messages as steps: a user message, or an assistant message with the results of its calls."""

from __future__ import annotations

from typing import Any

from benchmarks._peers._counts import lengths

__all__ = ["newest", "steps"]

Message = dict[str, Any]


def steps(messages: list[Message]) -> list[list[Message]]:
    """The messages in runs that must not be parted."""
    found: list[list[Message]] = []
    for message in messages:
        if message["role"] == "tool" and found:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def newest(messages: list[Message], most: int) -> list[Message]:
    """The first user message and the newest whole steps, together at most so many tokens; one step at least."""
    whole = steps(messages)
    first = next((step for step in whole if step[0]["role"] == "user"), [])
    left = most - lengths(first)
    kept: list[list[Message]] = []
    for step in reversed(whole):
        cost = 0 if step is first else lengths(step)
        if cost > left and kept:
            break
        left -= cost
        kept.insert(0, step)
    if first and first not in kept:
        kept.insert(0, first)
    return [message for step in kept for message in step]
