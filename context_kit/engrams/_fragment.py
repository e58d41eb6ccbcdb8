"""A candidate for the board, and the file in work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from context_kit.engrams._trail import Trail
from context_kit.tools import FileView
from context_kit.types import EngramKind

__all__ = ["Fragment", "address_of", "current_file", "standing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A candidate for the board."""

    key: str
    """What it is, the same at every compaction: the identity behind an engram's id."""
    kind: EngramKind
    text: str
    label: str
    """What it is; of a person's text the addresses of the texts that took a part of it back."""
    source: str
    """Address of the whole text."""
    position: int
    must: tuple[str, ...] = ()
    """Sentences that survive any clip: standing constraints."""
    hits: int = 0
    """How many later steps refer to it."""
    wanted: bool = False
    """The newest declaration of a name that a person wrote, in one line."""
    built_on: bool = False
    """A short declaration that the session wrote and that later steps name."""
    naming: str = ""
    """Of a class's member the comment that names its class, where that doesn't stand above it."""
    answered: bool = False
    """What the assistant offered and the newest words of a person take up."""
    line: bool = False
    """One line of a list that its label names, for which the summary had no room."""


def current_file(trail: Trail) -> FileView | None:
    """The file edited last; before any edit, the one read last. What was deleted or moved away is none."""
    views = [view for view in trail.files.views.values() if view.as_of and not view.gone]
    edited = [view for view in views if view.edited]
    if edited:
        return max(edited, key=lambda view: view.last_edit)
    read = [view for view in views if view.last_read]
    return max(read, key=lambda view: view.last_read) if read else None


def standing(trail: Trail, cut: int) -> frozenset[str]:
    """Paths of the files whose newest whole content can be read off the tail."""
    found: set[str] = set()
    for deed in reversed(trail.deeds):
        if deed.until < cut:
            break
        done = deed.done
        if done.content is not None and done.whole and not done.failed:
            found.add(done.path)
    return frozenset(found)


def address_of(view: FileView, redact: Callable[[str], str]) -> str:
    """The address of a file's content as it is known."""
    return f"f:{redact(view.path)}@{view.as_of}"
