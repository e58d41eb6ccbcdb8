"""The last touches that need the whole list: what stood legally message by message is legal together."""

from __future__ import annotations

from typing import Any

from context_kit.typing import Shape
from context_kit.wire._marks import MOST_MARKS, cap_marks, signed_first
from context_kit.wire._message import Message
from context_kit.wire._strict import strict
from context_kit.wire._systems import placed_systems, prefilled

__all__ = ["sendable", "special"]

Raw = dict[str, Any]


def special(message: Message, /) -> bool:
    """Whether a message has a place of its own in Anthropic's list: a system message, a provider's compaction."""
    return message.role == "system" or any(part.name == "compaction" for part in message.parts)


def sendable(
    messages: list[Raw],
    /,
    *,
    shape: Shape | None,
    special: bool,
    marks: int,
    beside: int,
    alternate: bool,
) -> list[Raw]:
    """The list as it goes out; the same list where nothing had to be done.

    Args:
        messages: the rendered steps, in order.
        shape: the session's.
        special: whether one of them may be `special`.
        marks: cache marks that they may carry at most.
        beside: cache marks in what is sent beside them.
        alternate: for servers that insist on alternation.
    """
    if shape == "anthropic" and special:
        messages = placed_systems(signed_first(messages))
    if marks and marks + beside > MOST_MARKS:
        messages = cap_marks(messages, beside=beside)
    if alternate:
        messages = strict(messages, shape=shape)
    return prefilled(messages) if shape == "anthropic" else messages
