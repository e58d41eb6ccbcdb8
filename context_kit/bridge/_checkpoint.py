"""The checkpoint: what is in hand, what was tried and failed by name, what is next.

It names the failures and doesn't repeat them. Written before a compaction commits, it is the
first thing that the agent reads after it (second article: the bridge file).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from context_kit.bridge._words import BridgeWords
from context_kit.engrams import Trail, current_file, failures, neutral, unresolved
from context_kit.summary import first_line
from context_kit.types import TaskSummary

__all__ = ["checkpoint"]

NAMED = 4
"""So many failed attempts are named."""
SAID = 240
WORDS = 24
"""Characters of the newest words of a person, which stand whole elsewhere."""


def checkpoint(
    trail: Trail, summary: TaskSummary, *, words: BridgeWords, cut: int, redact: Callable[[str], str], tick: str = ""
) -> tuple[str, ...]:
    """The lines of the checkpoint, most important first; `tick` names the round that is under way and its node."""
    lines = [*filter(None, [first_line(tick, SAID)]), *_lines(trail, summary, words, cut, redact)]
    return tuple(_plain(neutral(line)) for line in lines)


def _plain(line: str) -> str:
    """A line that a UTF-8 file gives back as it was."""
    return line if line.isascii() else line.encode("utf-8", "replace").decode("utf-8")


def _lines(
    trail: Trail, summary: TaskSummary, words: BridgeWords, cut: int, redact: Callable[[str], str]
) -> Iterator[str]:
    newest = trail.words[-1] if len(trail.words) > 1 else None
    if newest is not None:
        yield f"{words.task} (m{newest.position}): {first_line(trail.clean(newest, redact).text, WORDS)}"
    current = current_file(trail)
    if current is not None:
        verb, position = (words.editing, current.last_edit) if current.edited else (words.reading, current.last_read)
        yield f"{verb} {redact(current.path)} ({words.as_of} m{position})"
    failed = list({failure.key: failure for failure in unresolved(failures(trail))}.values())
    if failed:
        names = "; ".join(f"{first_line(redact(f.attempt), 100)} (m{f.until})" for f in reversed(failed[-NAMED:]))
        yield f"{words.tried} {names}"
    if summary.todo:
        yield f"{words.next} {first_line(summary.todo[0], SAID)}"
    if trail.statements and trail.statements[-1].position < cut:
        yield f"{words.said} {first_line(trail.clean(trail.statements[-1], redact).text, SAID)}"
