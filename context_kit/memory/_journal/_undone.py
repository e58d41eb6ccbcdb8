"""Decisions that the session itself took back: an edit is undone, and the assistant says that it was wrong.

Both are needed: words alone may speak of anything, and an edit that is undone may have been a trial.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import takewhile
from operator import attrgetter, eq
from typing import Final

from context_kit.engrams import Deed, Said, Trail, sentences

__all__ = ["retraction", "undone_at"]

LOOKED: Final = 200
"""Newest edits of a session among which the one that was undone is looked for."""
_RETRACTS: Final = re.compile(
    r"\b(?:that|this|it|which) (?:was|is|were|turns out|turned out)(?: to be)? (?:\w+ ){0,2}(?:wrong|mistaken|"
    r"a mistake|unnecessary|a bad idea|not needed|no good)\b|\bmy mistake\b|\bi was wrong\b|"
    r"\b(?:revert|undo|undid|undone|restor|withdr[ae]w|retract|abandon|discard)\w*\b|"
    r"\b(?:tak|took|back|roll|pull|put|chang|go|went|gone|switch|mov)(?:e|es|en|ed|s|ing)?\b[^.!?\n]{0,60}\b(?:out|back)\b|"
    r"\b(?:remov|delet|drop)\w*\b[^.!?\n]{0,60}\bagain\b|\b(?:did|does|do)(?: not|n['’]t) work\b|"
    r"撤回|撤销|还原|恢复|回退|回滚|改回|退回|换回|收回|去掉|错了|不对|行不通|放弃|不该",
    re.IGNORECASE,
)
_RESTORES: Final = re.compile(r"\bgit\s+(?:checkout|restore)\b")


def retraction(text: str) -> str:
    """The sentences that take something back, with the one before and behind, where the reason often stands."""
    told = sentences(text)
    at = [number for number, sentence in enumerate(told) if _RETRACTS.search(sentence)]
    return " ".join(told[max(at[0] - 1, 0) : at[-1] + 2]) if at else ""


def undone_at(trail: Trail, said: Said) -> Iterator[tuple[Deed, Said]]:
    """Each earlier edit that the calls of a message undo, with what was said when it was made."""
    first = bisect_left(trail.deeds, said.position, key=attrgetter("position"))
    behind = bisect_right(trail.deeds, said.position, key=attrgetter("position"))
    edits = [deed for deed in trail.deeds[:first] if _edited(deed)][-LOOKED:]
    for deed in trail.deeds[first:behind]:
        found = next((edit for edit in reversed(edits) if _undoes(deed, edit, edits)), None)
        if found is not None and (then := _said_with(trail, found)) is not None:
            yield found, then


def _edited(deed: Deed) -> bool:
    return deed.act.kind == "edit" and not deed.act.failed and bool(deed.act.path)


def _undoes(deed: Deed, edit: Deed, edits: list[Deed]) -> bool:
    """Whether a deed brings back what an edit took out, and takes out what that brought."""
    act, was = deed.done, edit.done
    if act.failed:
        return False
    if act.kind == "run":
        return bool(_RESTORES.search(act.command)) and was.path in act.command
    if act.kind != "edit" or act.path != was.path:
        return False
    if act.replacements and was.replacements:
        there = [_change(old, new) for old, new in was.replacements]
        return sorted(_change(new, old) for old, new in act.replacements) == sorted(there)
    if act.content is None or was.content is None:
        return False
    before = [each.done.content for each in edits if each.done.path == was.path and each.position < edit.position]
    return bool(before) and act.content == before[-1] != was.content


def _change(old: str, new: str) -> tuple[str, str]:
    """What differs: the text that is taken out, and the one that comes in its place."""
    start = _alike(old, new)
    old, new = old[start:], new[start:]
    end = _alike(old[::-1], new[::-1])
    return old[: len(old) - end], new[: len(new) - end]


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return sum(takewhile(bool, map(eq, one, other)))


def _said_with(trail: Trail, edit: Deed) -> Said | None:
    """What the assistant said when it made an edit."""
    at = bisect_right(trail.statements, edit.position, key=attrgetter("position"))
    return trail.statements[at - 1] if at and edit.why else None
