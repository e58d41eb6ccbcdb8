"""What a trail is made of: texts that somebody wrote, acts with their place, calls that wait."""

from __future__ import annotations

from dataclasses import dataclass

from context_kit.tools import Act
from context_kit.wire import Part

__all__ = ["Deed", "Said", "Waiting"]


@dataclass(frozen=True, slots=True)
class Said:
    """A text that somebody wrote."""

    position: int
    text: str
    """A person's words without wrappers; an assistant's text as it is."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One act with its place in the log."""

    act: Act
    """What was done, as it may be shown: no secrets in it, but for a read's `content` and an `output` nobody shows."""
    done: Act
    """What was done, as it is: what a file's content is rebuilt from."""
    position: int
    """Position of the call."""
    until: int
    """Position of its result; the call's own where there is none."""
    why: str
    """The assistant's own words in the same message, or just before, without secrets."""
    told: str = ""
    """How a verifying command ended, in one line of its output."""
    unsure: bool = False
    """An edit that may have done nothing: its answer doesn't say, and its old text isn't in the file as it is known."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits for its result."""

    call: Part
    position: int
    why: str
