"""Results that show a file as it was: an edit, a removal or a whole later look has replaced what they say."""

from __future__ import annotations

from collections.abc import Mapping

from context_kit.engrams._trail import Trail

__all__ = ["outdated"]


def outdated(trail: Trail) -> Mapping[int, str]:
    """The file by its newest name, for the position of each result that shows an older state of it."""
    return trail.memo("outdated", lambda: _found(trail))


def _found(trail: Trail) -> dict[int, str]:
    found: dict[int, str] = {}
    seen: dict[str, int] = {}
    for deed in reversed(trail.deeds):
        act = deed.done
        view = trail.files.find(act.path) if act.path and act.content is not None and not act.failed else None
        if view is None:
            continue
        if act.kind == "read" and max(view.last_edit, seen.get(view.path, 0)) > deed.until:
            found[deed.until] = view.path
        if act.whole:
            seen.setdefault(view.path, deed.until)
    return found
