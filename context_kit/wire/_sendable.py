"""The last touches that need the whole list: what stood legally message by message is legal together."""

from __future__ import annotations

from typing import Any

from context_kit.typing import Shape
from context_kit.wire._added import BEGUN
from context_kit.wire._edit import user_message
from context_kit.wire._marks import MOST_MARKS, cap_marks, signed_first
from context_kit.wire._message import Message
from context_kit.wire._strict import strict
from context_kit.wire._systems import placed_systems, prefilled

__all__ = ["sendable", "special"]

Raw = dict[str, Any]

TRIGGER = "compaction_trigger"
"""An item that is the last one, or is not sent (wire-facts 3.1.1)."""
PLACED = frozenset(("compaction", TRIGGER))
SERVED = frozenset(("server_tool_use", "mcp_tool_use"))
"""Calls that the provider answers itself, in the same turn (1.2.6)."""
HIDDEN = frozenset(("thinking", "redacted_thinking"))


def special(message: Message, /) -> bool:
    """Whether what is legal depends on the place: system messages, provider's compactions, triggers, served calls."""
    if message.shape == "chat":
        return False
    return message.role == "system" or any(part.server or part.name in PLACED for part in message.parts)


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
        messages = placed_systems(signed_first(_served(messages)))
    elif shape == "responses" and special:
        messages = [raw for at, raw in enumerate(messages, 1) if raw.get("type") != TRIGGER or at == len(messages)]
    if shape == "anthropic":
        messages = _begun(messages)
    if marks and marks + beside > MOST_MARKS:
        messages = cap_marks(messages, beside=beside)
    if alternate:
        messages = strict(messages, shape=shape)
    return prefilled(messages) if shape == "anthropic" else messages


def _begun(messages: list[Raw]) -> list[Raw]:
    """Anthropic's list begins with the user, or with a provider's compaction (wire-facts 1.1.5, 1.5.3)."""
    if not messages or messages[0].get("role") != "assistant":
        return messages
    content = messages[0].get("content")
    first = content[0] if isinstance(content, list) and content else {}
    return messages if first.get("type") == "compaction" else [user_message(BEGUN), *messages]


def _served(messages: list[Raw]) -> list[Raw]:
    """The list without served calls that a person interrupted: their results never come (1.2.6)."""
    due: dict[str, int] = {}
    gone: dict[int, set[str]] = {}
    for at, raw in enumerate(messages):
        content = raw.get("content")
        blocks: list[Raw] = content if isinstance(content, list) else []
        kinds = {block.get("type") for block in blocks}
        if raw.get("role") == "user" and "tool_result" not in kinds:
            for name, where in due.items():
                gone.setdefault(where, set()).add(name)
        if (raw.get("role") == "user" and "tool_result" not in kinds) or "tool_use" in kinds:
            due = {}
            continue
        for block in blocks:
            if block.get("type") in SERVED:
                due[str(block.get("id"))] = at
            else:
                due.pop(str(block.get("tool_use_id")), None)
    out = [_without(raw, gone[at]) if at in gone else raw for at, raw in enumerate(messages)] if gone else messages
    return [raw for raw in out if raw]


def _without(raw: Raw, names: set[str]) -> Raw:
    """A message without some served calls; an empty dict where nothing is left to say."""
    kept = [block for block in raw["content"] if block.get("type") not in SERVED or block.get("id") not in names]
    while kept and kept[-1].get("type") in HIDDEN:
        kept.pop()
    return {**raw, "content": kept} if kept else {}
