"""One step of the agent: what it does next, and why, before anybody does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from benchmarks._refactoring._project import Style

__all__ = ["Move"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A decision; the workshop turns it into a message and carries it out."""

    kind: Literal["read", "write", "edit", "run", "say"]
    say: str = ""
    """What the agent says along with it."""
    path: str = ""
    """Of the file, where it is about one."""
    about: str = ""
    """The module that a side job was taken up for."""
    style: Style | None = None
    """How a module is written."""
    command: str = ""
    lessons: tuple[str, ...] = ()
    """Approaches that it gives up and says so."""
    answer: str = ""
    """The name of the question that it answers."""
    final: bool = False
    """It says that all is done."""
