"""Whether a session's own messages may be sent again with one instruction behind them.

The prompt cache is worth nothing if the request is refused: a list that breaks one rule of the API, or in which
a call waits for its result, is not sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from context_kit.typing import Message, Shape
from context_kit.wire import PLACEHOLDER, faults, scan

__all__ = ["rides"]


def rides(messages: Sequence[Message], shape: Shape, *, tools: object) -> bool:
    """Whether a list, its last message the instruction, is legal as it stands and complete."""
    if faults(messages, shape=shape):
        return False
    read = [scan(dict(message)) for message in messages[:-1]]
    if not tools and any(message.calls or message.results for message in read):
        return False
    for message in reversed(read):
        if not message.results:
            return True
        if any(part.text == PLACEHOLDER for part in message.results):
            return False
    return True
