"""Hook events, what a model is asked and what it replies, and what the caller's own tools mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from context_kit.types import Compaction, EngramKind, TaskSummary, Trigger, Usage

__all__ = [
    "Pin",
    "Plan",
    "PostCompact",
    "PreCompact",
    "ProbeCounts",
    "ProbeRequest",
    "Replace",
    "SummaryReply",
    "SummaryRequest",
    "Tool",
    "Veto",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a compaction is about to do."""

    head: tuple[str, ...]
    """Addresses of the system messages, which are never compacted."""
    old: tuple[str, ...]
    """Addresses of the messages that will leave the window."""
    tail: tuple[str, ...]
    """Addresses of the messages that stay word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCompact:
    """The event before a compaction."""

    trigger: Trigger
    usage: Usage
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class PostCompact:
    """The event after a compaction, whatever its outcome."""

    receipt: Compaction
    probe: Callable[..., Any] | None = field(default=None, repr=False, compare=False)
    """`ContextManager.probe` of the session, which a hook may call; None in an event that the caller made."""
    aprobe: Callable[..., Awaitable[Any]] | None = field(default=None, repr=False, compare=False)
    """`ContextManager.aprobe` of the session."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A hook's wish: keep this text word for word."""

    text: str
    kind: EngramKind = "note"
    label: str = ""


@dataclass(frozen=True, slots=True)
class Replace:
    """A hook's wish: use this summary and call no model."""

    summary: TaskSummary


@dataclass(frozen=True, slots=True)
class Veto:
    """A hook's wish: no compaction now. Never honoured at hard."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """What a summariser is asked; `instructions` and `transcript` are complete by themselves."""

    instructions: str
    """What to do, the fields and their limits; no text of the session in it."""
    transcript: str
    """The part that leaves the window as fenced plain text, tags neutralised, secrets redacted."""
    focus: str | None
    """What the caller wants kept in view, if anything."""
    messages: tuple[dict[str, Any], ...]
    """The native prefix as it was sent, for adapters that ride the warm prompt cache.

    Empty where `transcript` is only a part of it.
    """
    previous: TaskSummary | None
    """The summary so far; also told in `transcript`."""
    schema: Mapping[str, Any]
    """JSON schema of the six fields."""
    max_tokens: int
    """What the reply may have, in tokens."""
    language: str
    """`en` or `zh`, the conversation's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRequest:
    """What a model is asked: the window as the agent's own model would see it, and one question.

    Attributes:
        question: the question alone.
        messages: the window and, as its last user message, the question with how to answer it; in the session's
            shape, read-only.
        system: what the caller sends beside the messages, as it was given to the session.
        tools: the tool schemas that the caller sends beside them, as they were given to the session. None is called
            in an answer: some providers only want them told where the messages hold calls.
        max_tokens: the most that an answer should take.
    """

    question: str
    messages: Sequence[Mapping[str, Any]]
    system: object = None
    tools: Sequence[object] | None = None
    max_tokens: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeCounts:
    """How many answers of recall checks came out how."""

    right: int = 0
    unknown: int = 0
    wrong: int = 0
    fabricated: int = 0

    def __add__(self, other: ProbeCounts) -> ProbeCounts:
        return ProbeCounts(
            right=self.right + other.right,
            unknown=self.unknown + other.unknown,
            wrong=self.wrong + other.wrong,
            fabricated=self.fabricated + other.fabricated,
        )


@dataclass(frozen=True, slots=True)
class SummaryReply:
    """A summariser's answer with what is known of it."""

    text: str
    usage: Mapping[str, int] | None = field(default=None, kw_only=True)
    """Token counts as the provider told them."""
    stop: str | None = field(default=None, kw_only=True)
    """Why the reply ended; `length` and `max_tokens` mark a truncated one."""


@dataclass(frozen=True, slots=True)
class Tool:
    """What one of the caller's own tools means: its kind and the names of its arguments.

    `Tool("edit", path="file", new="text")` says that the argument `file` holds the path
    and `text` the new text.
    """

    kind: Literal["edit", "read", "run", "search", "plan", "other"]
    path: str | None = field(default=None, kw_only=True)
    """Argument that holds the file's path."""
    content: str | None = field(default=None, kw_only=True)
    """Argument that holds the file's whole new content."""
    old: str | None = field(default=None, kw_only=True)
    """Argument that holds the text to be replaced."""
    new: str | None = field(default=None, kw_only=True)
    """Argument that holds the replacement."""
    command: str | None = field(default=None, kw_only=True)
    """Argument that holds the command line."""
    failed: str | None = field(default=None, kw_only=True)
    """A regular expression (`^` and `$` match at lines); a result in which it is found failed."""
