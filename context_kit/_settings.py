"""What a session was constructed with, as far as a turn needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from context_kit._budget import Budget
from context_kit.typing import LLM, Count, Policy, Redact

__all__ = ["PARTS", "Settings"]

PARTS: Mapping[Policy, frozenset[str]] = {
    "template": frozenset(),
    "template+memory": frozenset({"memory"}),
    "template+engrams": frozenset({"engrams"}),
    "default": frozenset({"memory", "engrams"}),
    "layered": frozenset({"memory", "engrams", "retrieval"}),
}
"""What each policy does beside the six fields: the journal and the other sessions' records, the engrams, and what
left this session's own window brought back into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a session was constructed with, as far as a turn needs it."""

    budget: Budget
    count: Count
    redact: Redact
    model: str | None = None
    llm: LLM | None = None
    llm_window: int | None = None
    background: bool = False
    """At soft a model is asked in the background. Without a model there is nothing to wait for."""
    policy: Policy = "default"
    fidelity: Literal["report", "strict"] = "report"
    system_tokens: int = 0
    """Estimated tokens of the system prompt that is sent beside the messages."""
    tools_tokens: int = 0
    """Estimated tokens of the tool schemas."""
    shared: bool = False
    """Whether there is a store, into which other sessions may write."""
    own_count: bool = False
    """Whether `count` is the caller's own function."""
    marks: int = 0
    """Cache marks in both of them."""
    system: object = None
    """What the caller sends beside the messages, as it was given ..."""
    tools: Sequence[object] | None = None
    """... and the tool schemas; with them a recall check shows a model what the agent's own sees."""

    @property
    def beside(self) -> tuple[str, ...]:
        """The texts of both, as far as there are any."""
        return tuple([str(each) for each in (self.system, self.tools) if each])

    @property
    def remembers(self) -> bool:
        """Whether the journal is written and read, and that of other sessions."""
        return "memory" in PARTS[self.policy]

    @property
    def anchors(self) -> bool:
        """Whether engrams stand on the board."""
        return "engrams" in PARTS[self.policy]

    @property
    def retrieves(self) -> bool:
        """Whether what left this session's own window is brought back where the step in hand needs it."""
        return "retrieval" in PARTS[self.policy]

    @property
    def ahead(self) -> bool:
        """Whether summaries are made in the background."""
        return self.background and self.llm is not None
