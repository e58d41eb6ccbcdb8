"""A contract of this session that another session changed: what this one knows of the file is older."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Elsewhere"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """One declaration as another session left it."""

    file: str
    """As this session names it."""
    name: str
    was: str
    """The declaration that this session holds, or was told last; empty where it was told that it is gone."""
    now: str
    """The one that counts; empty where it is gone."""
    instead: str = ""
    """Where it is gone, a declaration with the same parameters that is new in the file since that change."""
    session: str
    """Who changed it, and, where it has agents, which one."""
    agent: str = ""
    record: str = ""
    """Id of the journal record that says so."""
    position: int = 0
    """Newest message of this session when it was told: what it reads later is newer."""
