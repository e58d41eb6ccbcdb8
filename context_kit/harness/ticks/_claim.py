"""Who goes on with a tick: a number is held by one process at a time, and one whose file is written has ended."""

from __future__ import annotations

from dataclasses import replace

from context_kit.harness.ticks._draft import Draft, drafts, read_draft, remove_draft, write_draft
from context_kit.harness.ticks._harness import Harness

__all__ = ["claimed"]


def claimed(at: Harness, title: str, session: str, number: int) -> tuple[Draft, bool]:
    """A tick's draft, held by this process, and whether it goes on.

    Args:
        at: the folder.
        title: what the tick is called.
        session: who holds it.
        number: of the tick that the session's own log left open; 0 where there is none. Then it is that of a dead
            process of this title, or a new one.
    """
    with at.folder.locked():
        left = read_draft(at.folder, number) if number else _deserted(at, title)
        resumed = number > 0 or left is not None
        draft = Draft.begun(number or (left.number if left is not None else at.free()), title, session)
        if left is not None:
            places = left.places if left.session == session else {}
            draft = replace(draft, written=left.written, places=places, seen=left.seen, seen_by=left.seen_by)
        write_draft(at.folder, draft)
    return draft, resumed


def _deserted(at: Harness, title: str) -> Draft | None:
    """The newest draft of a title that nobody holds; of one that was killed at its very end the draft goes."""
    ended = at.numbers()
    found = [draft for draft in drafts(at.folder) if draft.title == title and draft.deserted()]
    for draft in found:
        if draft.number in ended:
            remove_draft(at.folder, draft.number)
    return next((draft for draft in reversed(found) if draft.number not in ended), None)
