"""What the step in hand is about, and which records of other sessions still hold beside what this one knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from context_kit._log import Log
from context_kit._settings import Settings
from context_kit.bridge import Line
from context_kit.engrams import Later, Trail, current_file, failures, taken_back, unresolved
from context_kit.summary import decided
from context_kit.tools import FileView, parts, twin_roots

__all__ = ["Remembered", "Topic", "standing", "topic_of", "unsaid"]

PATH = re.compile(r"(?<![\w/.~-])[~.]{0,2}/?(?:[\w@+-][\w@.+-]*/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7}(?!\w)")
"""A word that is plainly a file's name: it has an ending."""
GOAL, NEWEST, SAID, ERROR = 800, 1_200, 300, 300
"""Characters of the goal, of the newest user text, of what was said last and of an error that are looked for."""
RECENT = 12
"""So many newest acts tell the files in work."""
FILES = 12
"""So many files are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """The files and words of the step in hand."""

    words: str
    files: tuple[str, ...] = ()
    """The current file first."""
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A text that is brought back into the window."""

    id: str
    """Of the journal record, or the address in this session's log."""
    line: Line
    """How it is shown: what it is, from where, how old, and the words themselves as data."""
    says: str
    """The words themselves."""
    action: str = ""
    file: str = ""
    name: str = ""


def topic_of(log: Log, trail: Trail, settings: Settings) -> Topic:
    """By the goal, the newest words of a person, the current file and the newest open error."""
    trail.follow(log.entries)
    redact = settings.redact
    newest = trail.clean(trail.words[-1], redact).text if trail.words else ""
    goal = trail.clean(trail.goal, redact).text if trail.goal else ""
    said = trail.clean(trail.statements[-1], redact).text if trail.statements else ""
    broken = unresolved(failures(trail))
    error = redact(broken[-1].told) if broken else ""
    words = [newest[:NEWEST], goal[:GOAL] if goal != newest else "", said[-SAID:], error[:ERROR]]
    files = dict.fromkeys(redact(path) for path in _files(trail, newest[:NEWEST], goal[:GOAL]))
    return Topic(words="\n".join(filter(None, words)), files=tuple(islice(files, FILES)), language=trail.language)


def _files(trail: Trail, newest: str, goal: str) -> Iterator[str]:
    current = current_file(trail)
    if current is not None:
        yield current.path
    yield from PATH.findall(newest)
    yield from (deed.act.path for deed in reversed(trail.deeds[-RECENT:]) if deed.act.path)
    yield from PATH.findall(goal)


def standing(found: Sequence[Remembered], trail: Trail, settings: Settings) -> tuple[Remembered, ...]:
    """What this session doesn't know better: a file that it has seen it knows itself, and newer words count."""
    own = Later()
    for said, text in decided(trail, settings.redact):
        own.add(said.position, [text])
    return tuple(each for each in found if _holds(each, trail, own))


def _holds(each: Remembered, trail: Trail, own: Later) -> bool:
    if each.action == "contract" and each.name:
        view = trail.files.find(each.file)
        if view is None:
            return not any(_declares(trail, twin, each) for twin in _twins(trail, each.file))
        return not (view.gone or view.whole or (view.text and _declares(trail, view, each)))
    if each.action in ("decide", "constraint"):
        return not (taken_back(each.says, 0, trail.newer) or taken_back(each.says, 0, own))
    return True


def _declares(trail: Trail, view: FileView, each: Remembered) -> bool:
    return any(contract.name == each.name for contract in trail.declared(view))


def _twins(trail: Trail, file: str) -> Iterator[FileView]:
    """Files of this session that are another one's file in another folder; none where it worked in that one, too."""
    views = trail.files.views.values()
    for view in views:
        roots = twin_roots(view.path, file) if view.text else None
        if roots is not None and not any(parts(each.path)[: len(roots[1])] == roots[1] for each in views):
            yield view


def unsaid(found: Sequence[Remembered], text: str) -> tuple[Remembered, ...]:
    """What doesn't stand in a text already, each once."""
    once: dict[str, Remembered] = {}
    for each in found:
        if each.says not in text:
            once.setdefault(" ".join(each.says.split()), each)
    return tuple(once.values())
