"""The checkpoint: what is in hand, what was tried and failed by name, what is next.

It names the failures and doesn't repeat them. Written before a compaction commits, it is the
first thing that the agent reads after it (second article: the bridge file).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from context_kit.bridge._fitting import fitting
from context_kit.bridge._words import BridgeWords
from context_kit.engrams import Trail, current_file, failures, neutral, offer, unresolved
from context_kit.summary import first_line, short_name
from context_kit.types import TaskSummary
from context_kit.typing import Count

__all__ = ["checkpoint", "shared"]

NAMED = 4
"""So many failed attempts are named."""
NAME = 100
"""Characters of each."""
SAID = 240
WORDS = (200, 150, 110, 80, 60)
"""Characters of the line with a person's newest words where the lines behind it have no room otherwise."""


def checkpoint(
    trail: Trail, summary: TaskSummary, *, words: BridgeWords, cut: int, redact: Callable[[str], str], tick: str = ""
) -> tuple[str, ...]:
    """The lines of the checkpoint, most important first; `tick` names the round that is under way and its node."""
    lines = [*filter(None, [first_line(tick, SAID)]), *_lines(trail, summary, words, cut, redact)]
    return tuple(_plain(neutral(line)) for line in lines)


def shared(lines: Sequence[str], words: BridgeWords, room: int, count: Count) -> list[str]:
    """The lines that have room; a person's newest words, which stand whole elsewhere, are cut for those behind them."""
    kept = list(lines)
    at = next((at for at, line in enumerate(kept) if line.startswith((words.asked, words.task))), None)
    needed = [line for line in kept if not line.startswith(words.said)]
    for most in WORDS if at is not None else ():
        if sum(count(line) + 3 for line in needed) <= room:
            break
        needed[at or 0] = kept[at or 0] = _cut(lines[at or 0].removesuffix(words.below).rstrip(" …"), words, most)
    return fitting(kept, room, count, clip_first=True)


def _plain(line: str) -> str:
    """A line that a UTF-8 file gives back as it was."""
    return line if line.isascii() else line.encode("utf-8", "replace").decode("utf-8")


def _lines(
    trail: Trail, summary: TaskSummary, words: BridgeWords, cut: int, redact: Callable[[str], str]
) -> Iterator[str]:
    newest = trail.words[-1] if len(trail.words) > 1 else None
    if newest is not None:
        said = _cut(trail.clean(newest, redact).text, words)
        yield f"{words.asked if trail.answered else words.task} (m{newest.position}): {said}"
    current = current_file(trail)
    if current is not None:
        verb, position = (words.editing, current.last_edit) if current.edited else (words.reading, current.last_read)
        yield f"{verb} {redact(current.path)} ({words.as_of} m{position})"
    failed = list({failure.key: failure for failure in unresolved(failures(trail))}.values())
    if failed:
        names = "; ".join(f"{short_name(redact(f.attempt), NAME)} (m{f.until})" for f in reversed(failed[-NAMED:]))
        yield f"{words.tried} {names}"
    if summary.todo and not trail.answered:
        yield f"{words.next} {first_line(summary.todo[0], SAID)}"
    last = trail.statements[-1] if trail.statements else None
    if last is not None and last.position < cut and last is not offer(trail):
        yield f"{words.said} {first_line(trail.clean(last, redact).text, SAID)}"


def _cut(text: str, words: BridgeWords, most: int = SAID) -> str:
    """A person's words in one line; where they are long, their beginning up to a word and where the rest stands."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    short = line[:most].rpartition(" ")[0]
    return f"{short if 2 * len(short) > most else line[:most]}… {words.below}"
