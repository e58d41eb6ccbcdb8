"""What may stand on the board of one compaction: engrams by rules, what was fetched again and again, lists."""

from __future__ import annotations

from collections.abc import Iterator

from context_kit._log import Log
from context_kit._settings import Settings
from context_kit.engrams import (
    PROMOTED,
    Fragment,
    Trail,
    changed_values,
    current_file,
    outdated,
    recognise,
    words_fragment,
)
from context_kit.summary import spill
from context_kit.types import TaskSummary

__all__ = ["candidates", "goal_of", "superseded"]


def candidates(
    log: Log, trail: Trail, settings: Settings, position: int, room: int, known: TaskSummary
) -> tuple[Fragment, ...]:
    """All candidates for the board of a cut at a position."""
    return (
        *recognise(trail, cut=position, redact=settings.redact, recalled=log.recalled),
        *_fetched(log, trail, settings, position),
        *spill(
            known,
            room,
            cut=position,
            language=trail.language,
            count=settings.count,
            values=_settings(trail, settings),
        ),
    )


def _settings(trail: Trail, settings: Settings) -> list[tuple[str, str, int]]:
    """Lines of settings as edits left them, those aside that the current file shows."""
    current = current_file(trail)
    path = settings.redact(current.path) if current else ""
    return [value for value in changed_values(trail, settings.redact) if value[0] != path]


def _fetched(log: Log, trail: Trail, settings: Settings, position: int) -> Iterator[Fragment]:
    """Messages that left the window and were fetched back again and again; of a file that changed since, the file."""
    old = outdated(trail)
    for address, times in log.recalled.most_common():
        entry = log.entry(int(address[1:])) if address[:1] == "m" and address[1:].isdigit() else None
        if times < PROMOTED or entry is None or not entry.position < position or entry.position in old:
            continue
        text = settings.redact("\n".join(part.text for part in entry.message.parts if part.kind in ("text", "result")))
        if entry.message.role in ("assistant", "tool") and text.strip():
            yield Fragment(
                key=f"promoted {address}",
                kind="promoted",
                text=text,
                label="",
                source=address,
                position=entry.position,
                hits=times,
            )


def goal_of(trail: Trail, settings: Settings, position: int) -> Fragment | None:
    said = trail.goal
    if said is None or said.position >= position:
        return None
    return words_fragment(trail, said, settings.redact)


def superseded(trail: Trail) -> frozenset[int]:
    """Results that show a file whose content was read or written again later."""
    newest: dict[str, int] = {}
    old: set[int] = set()
    for deed in trail.deeds:
        if deed.act.content is not None and not deed.act.failed:
            if deed.act.path in newest:
                old.add(newest[deed.act.path])
            newest[deed.act.path] = deed.until
    return frozenset(old)
