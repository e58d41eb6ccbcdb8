"""Whether a text stands in the window as it is now, and where: what stands there is not brought again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from context_kit._session import Session
from context_kit._steps import Entry
from context_kit.engrams import neutral, standing
from context_kit.memory import Part
from context_kit.summary import archived

__all__ = ["standing_at"]

TELLING = 60
"""Characters below which a text may stand anywhere by chance."""
BEGIN = 60
"""Characters of a message that are told, so that it is found."""
WHOLE = ("user", "file", "note")
"""Kinds whose text is all that their source holds; an error or a contract is some lines of it."""
PLACES = {
    "en": (
        "{back} {messages} back ({role}, it begins {begin!r})",
        "in the context record at its beginning",
        "as the newest content of the file, in the messages above",
    ),
    "zh": (
        "在 {back} 条消息之前（{role}，开头是 {begin!r}）",
        "在开头的上下文记录（context record）里",
        "即上面消息中该文件的最新内容",
    ),
}


def standing_at(session: Session, address: str, made: Sequence[Part]) -> str:
    """Where a text stands in the window; empty where it doesn't.

    Args:
        session: the session.
        address: the text's own address.
        made: the parts of it that would be given.
    """
    told, bridge, file = PLACES[session.trail.language]
    tail = list(_tail(session))
    for back, entry in enumerate(reversed(tail), 1):
        if entry.address == address or _holds(archived(entry.message), made, session):
            text = session.settings.redact(archived(entry.message))
            noun = "message" if back == 1 else "messages"
            return told.format(back=back, messages=noun, role=entry.message.role, begin=" ".join(text.split())[:BEGIN])
    last = session.log.last
    if last is not None and (_holds(last.bridge, made, session, redacted=True) or _kept(session, address)):
        return bridge
    path, _, at = address.removeprefix("f:").rpartition("@")
    if address.startswith("f:") and tail:
        view = session.trail.files.find(path)
        shown = standing(session.trail, tail[0].position)
        if view is not None and view.path in shown and view.as_of == int(at if at.isdigit() else view.as_of):
            return file
    return ""


def _tail(session: Session) -> Iterator[Entry]:
    """The messages of the window that stand whole."""
    log = session.log
    clipped = log.last.replaced if log.last else {}
    for step in log.steps.all[log.start :]:
        yield from (entry for entry in step.entries if entry.position not in clipped)


def _kept(session: Session, address: str) -> bool:
    """Whether the board of the last compaction holds all of what an address names."""
    last = session.log.last
    engrams = last.receipt.engrams if last is not None else ()
    held = [engram for engram in engrams if engram.text and not engram.clipped]
    return any(address == engram.id or (address == engram.source and engram.kind in WHOLE) for engram in held)


def _holds(text: str, made: Sequence[Part], session: Session, *, redacted: bool = False) -> bool:
    """Whether every part stands in a text, word for word."""
    wanted = [part.text for part in made]
    if sum(map(len, wanted)) < TELLING:
        return False
    if any("[redacted" in each for each in wanted) and not redacted:
        text = session.settings.redact(text)
    return all(each in text or neutral(each) in text for each in wanted)
