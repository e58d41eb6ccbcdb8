"""A message as the library reads it: the provider's own dict, and its parts.

`raw` is never changed and always what goes back on the wire. `parts` is the one reading that
every other room works from, whatever the shape.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from context_kit.typing import Shape

__all__ = ["Message", "Part", "PartKind", "Read", "Reported", "Role"]

PartKind = Literal["text", "reasoning", "call", "result", "media", "opaque"]
Role = Literal["system", "user", "assistant", "tool"]


class Part(NamedTuple):
    """One piece of a message. A tuple, because thousands are made in the hot path of `add`."""

    kind: PartKind
    text: str = ""
    """Its words: of text and reasoning; of a call the arguments as sent (JSON or free text);
    of a result its texts, joined by newlines; of an opaque block its JSON; empty for media."""
    id: str = ""
    """Pairing id of a call or a result (`tool_call_id`, `tool_use_id`, `call_id`); else empty."""
    name: str = ""
    """Tool name of a call; block type of media and opaque parts."""
    failed: bool = False
    """A result that says itself that it is an error (`is_error`)."""
    at: int = -1
    """Index of the block in `content` (or of the call in `tool_calls`); -1 where the part is
    the whole `content` string or the item itself."""
    block: Any = None
    """The raw block of media and opaque parts; for a result that carries media, the list of its media blocks."""
    server: bool = False
    """A call or result that the provider runs by itself and keeps in one message."""

    @property
    def arguments(self) -> dict[str, Any]:
        """A call's arguments; `{"input": text}` where they are no JSON object."""
        try:
            found = json.loads(self.text)
        except (ValueError, RecursionError):
            found = None
        return found if isinstance(found, dict) else {"input": self.text}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the log, read."""

    raw: dict[str, Any]
    """A private copy of what was given; read-only."""
    shape: Shape | None
    """None where all three shapes would accept it."""
    role: Role
    """Whose message it is; `tool` for results (Anthropic: a user message with results)."""
    parts: tuple[Part, ...]
    starts: bool = False
    """True for the first item of a whole Responses reply: a step begins here."""

    @property
    def text(self) -> str:
        """What the author wrote, without reasoning, calls and results."""
        return "\n".join(part.text for part in self.parts if part.kind == "text")

    @property
    def calls(self) -> tuple[Part, ...]:
        """Calls that the caller must answer."""
        if self.role != "assistant":
            return ()
        return tuple([part for part in self.parts if part.kind == "call" and not part.server])

    @property
    def results(self) -> tuple[Part, ...]:
        """Results that the caller gives."""
        if self.role != "tool":
            return ()
        parts = self.parts
        if len(parts) == 1 and parts[0].kind == "result" and not parts[0].server:
            return parts
        return tuple([part for part in parts if part.kind == "result" and not part.server])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """Usage as a provider reported it, normalised."""

    input_tokens: int
    """The whole request, cached or not."""
    output_tokens: int | None = None
    """The whole reply, reasoning included."""
    model: str | None = None

    def within(self, window: int) -> Reported:
        """The same without a reply that is larger than the window: no such count is right."""
        stray = self.output_tokens is not None and self.output_tokens > window
        return replace(self, output_tokens=None) if stray else self


class Read(NamedTuple):
    """What one argument of `add` holds."""

    messages: tuple[Message, ...]
    usage: Reported | None = None
