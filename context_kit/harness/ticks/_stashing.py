"""What `git stash` does to edits: it lays them aside, brings them back, or throws them away."""

from __future__ import annotations

from typing import NamedTuple

from context_kit.tools._shellwords import Simple

__all__ = ["Stashing", "stashing"]

DOES = {"": "push", "push": "push", "save": "push", "pop": "pop", "apply": "apply", "drop": "drop", "clear": "drop"}


class Stashing(NamedTuple):
    """One such step."""

    does: str
    """`push`, `pop`, `apply` or `drop`."""
    names: tuple[str, ...] = ()
    """The files that are laid aside; all where empty."""


def stashing(simple: Simple) -> Stashing | None:
    """What one simple command does so; None where it does nothing of the kind."""
    words = simple.words
    if words[:1] != ["git"] or "stash" not in words:
        return None
    rest = words[words.index("stash") + 1 :]
    verb = next((word for word in rest if not word.startswith("-")), "") if rest[:1] != ["--"] else ""
    verb = "" if rest and rest[0].startswith("-") else verb
    does = DOES.get(verb)
    if does is None:
        return None
    return Stashing(does, tuple(rest[rest.index("--") + 1 :]) if "--" in rest and does == "push" else ())
