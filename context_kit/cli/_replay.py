"""Plays a transcript through a manager, message by message, as the agent would have.

The invariant guarded here: before each reply the window is prepared, so compactions come where they would have come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from context_kit._manager import ContextManager
from context_kit.errors import InvalidMessageError
from context_kit.harness.transcripts import Transcript, TranscriptError

__all__ = ["by_model", "manager", "replay"]

OUTPUTS = "_output"
"""Responses items that end so are results, which the caller gives; the other items without a role are the model's."""


def manager(transcript: Transcript, window: int | None, *, model: str | None = None) -> ContextManager:
    """A manager for a transcript, with what was sent beside its messages.

    Raises:
        BudgetError: no window, or one that is out of range.
    """
    tools = list(transcript.tools) if transcript.tools else None
    return ContextManager(window, model=model, system=transcript.system, tools=tools)


def replay(
    ctx: ContextManager,
    transcript: Transcript,
    *,
    added: Callable[[int], None] | None = None,
    sent: Callable[[int, list[Any]], None] | None = None,
) -> None:
    """Add every message, with `prepare()` before each reply of the model.

    Args:
        ctx: takes them.
        transcript: has them.
        added: hears of each index.
        sent: hears of the index of each reply, and of the window that it answers.

    Raises:
        TranscriptError: a message that no provider would accept; the text has its number, from 1, and the field.
        WindowExceededError: what can't shrink is larger than the window.
    """
    replying = False
    for index, message in enumerate(transcript.messages):
        if by_model(message) and not replying and index:
            window = ctx.prepare()
            if sent is not None:
                sent(index, window)
        replying = by_model(message)
        try:
            ctx.add(message)
        except InvalidMessageError as error:
            msg = f"message {index + 1} (m{index + 1}): {error}"
            raise TranscriptError(msg) from None
        if added is not None:
            added(index)


def by_model(message: Mapping[str, Any]) -> bool:
    """Whether the model wrote a message or item."""
    if "role" in message:
        return bool(message["role"] == "assistant")
    return not str(message.get("type")).endswith(OUTPUTS)
