"""The ticks of a session as its log tells them: folded from it, so that a reopened one goes on in the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from context_kit._records import Ticked

__all__ = ["Ticks"]


@dataclass(slots=True)
class Ticks:
    """The tick that is under way, and what was told of ticks."""

    folder: str = ""
    """Where the files are; empty where the session has no ticks."""
    current: Ticked | None = None
    """The beginning of the tick that has not ended."""
    untold: bool = False
    """It began, and the window doesn't say so yet."""
    placed: bool = False
    """The caller puts the briefing into the system prompt."""
    spent: int = 0
    """Tokens of what was told since the last compaction."""
    answered: set[str] = field(default_factory=set[str])
    """Findings that were answered with the tick that fixed them."""

    def take(self, record: Ticked) -> None:
        """Take in what happened to a tick."""
        self.folder = record.folder or self.folder
        self.spent += record.tokens
        self.answered.update(record.answered)
        match record.state:
            case "begun":
                self.current, self.untold, self.placed = record, True, False
            case "placed":
                self.untold, self.placed = False, True
            case "told":
                self.untold = False
            case "answered":
                pass
            case "closed" | "interrupted":
                self.current, self.untold = None, False

    def compacted(self, *, bridge: bool) -> None:
        """A bridge stands: it tells where the job is."""
        self.spent = 0
        self.untold = self.untold and not bridge
