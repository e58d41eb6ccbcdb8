"""A transcript as the commands work on it: messages of one shape, and what was sent beside them.

The invariant guarded here: a transcript holds at least one message, and each of them is a dict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from context_kit.errors import ContextKitError
from context_kit.typing import Message, Shape

__all__ = ["Transcript", "TranscriptError"]


class TranscriptError(ContextKitError, ValueError):
    """A file that can't be used as a transcript; the text names the file and the place in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A recorded conversation, ready to be replayed."""

    messages: Sequence[Message]
    """The provider's own dicts, oldest first."""
    shape: Shape
    source: str
    """What kind of file it came from: `messages`, `document`, `claude-code`, `codex`, `gemini-cli`."""
    system: Any = None
    """The system prompt that was sent beside the messages: a string, text blocks, or None."""
    tools: Sequence[Any] | None = None
    """The tool definitions that were sent beside the messages."""
    session: str = ""
    """The agent's own name of the session, where the file tells it."""
    notes: tuple[str, ...] = ()
    """What was left out while reading, to be told to the user."""
