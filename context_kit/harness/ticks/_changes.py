"""What a span of a log did: files changed with line counts, commands and how they ended.

Lines are counted by their text: one that stands as often as before is neither added nor removed. Where a file is
not known whole before and after, the edits' own lines are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from context_kit.engrams import Deed, Trail
from context_kit.harness.ticks._checks import check_of, idle
from context_kit.harness.ticks._words import TickWords
from context_kit.summary import first_line
from context_kit.tools import Act, Check, Files, FileView, checks_of, error_line, normal_command
from context_kit.tools._commands import manner

__all__ = ["Change", "Changing", "changes", "done_lines"]

FAILED = 4
"""So many commands that failed are told."""
COMMAND, TOLD = 120, 160
"""Characters of a command and of how it ended."""


@dataclass(slots=True)
class Change:
    """One file that was changed."""

    path: str
    added: int = 0
    removed: int = 0
    until: int = 0
    """Position of the newest edit."""
    whole: bool = False
    """It was written whole, and what stood there before is not known."""
    gone: bool = False

    @property
    def churn(self) -> int:
        """Lines added and removed."""
        return self.added + self.removed

    def line(self, words: TickWords) -> str:
        """As it stands in a tick file."""
        if self.gone:
            told = words["deleted"]
        elif not self.churn and not self.whole:
            told = words["unknown"]
        elif self.whole:
            told = f"+{self.added} {words['lines']}, {words['whole']}"
        else:
            told = f"+{self.added} −{self.removed} {words['lines']}"
        return f"- {one_line(self.path)}: {told} (m{self.until})"


class Changing:
    """Every file that was edited after a position, followed through a trail as it grows."""

    def __init__(self, since: int) -> None:
        self._since = since
        self._read = 0
        self._files = Files()
        self._found: dict[str, Change] = {}
        self._before: dict[str, FileView | None] = {}
        self._measured: dict[str, Change] = {}

    def follow(self, trail: Trail) -> list[Change]:
        """The changed files up to the trail's end, the newest last."""
        deeds, self._read = trail.deeds[self._read :], len(trail.deeds)
        for deed in deeds:
            act = deed.act
            if deed.until > self._since and act.kind == "edit" and not act.failed and act.path:
                self._edit(deed)
            self._files.fold(deed.done, deed.until, act)
        for path, change in self._found.items():
            known = self._measured.get(path)
            if known is None or known.until != change.until or known.path != change.path:
                self._measured[path] = _measured(change, self._before[path], self._files.find(path))
        return [self._measured[path] for path in self._found]

    def _edit(self, deed: Deed) -> None:
        act = deed.act
        view = self._files.find(act.path)
        name = view.path if view is not None else act.path
        key = next((known for known in self._found if known in (name, act.path)), name)
        self._before.setdefault(key, view)
        change = self._found.pop(key, None) or Change(key)
        added, removed = _counted(act)
        change.added, change.removed = change.added + added, change.removed + removed
        change.until, change.gone = deed.until, bool(act.gone) and act.gone == act.path
        self._found[key] = change
        self._measured.pop(key, None)


def changes(trail: Trail, since: int) -> list[Change]:
    """Every file that was edited after a position, the newest last."""
    return Changing(since).follow(trail)


def _counted(act: Act) -> tuple[int, int]:
    """The lines that an edit itself brings and takes."""
    if act.content is not None and act.whole:
        return len(act.content.splitlines()), 0
    added = removed = 0
    for old, new in act.replacements:
        more, less = _difference(old, new)
        added, removed = added + more, removed + less
    if not act.replacements and act.content:
        added = len(act.content.splitlines())
    return added, removed


def _measured(counted: Change, before: FileView | None, after: FileView | None) -> Change:
    """The same, counted by the file's text where it is known whole on both sides."""
    change = replace(counted)
    if after is None or after.gone or not after.whole or after.text is None:
        change.gone = change.gone or (after is not None and after.gone)
    elif before is not None and before.whole and before.text is not None and not before.gone:
        change.added, change.removed = _difference(before.text, after.text)
    elif before is None or before.gone:
        change.added, change.removed, change.whole = len(after.text.splitlines()), 0, True
    return change


def _difference(old: str, new: str) -> tuple[int, int]:
    ours, theirs = Counter(old.splitlines()), Counter(new.splitlines())
    return (theirs - ours).total(), (ours - theirs).total()


def done_lines(deeds: Sequence[Deed], changed: Sequence[Change], words: TickWords) -> Iterator[str]:
    """The lines of the first section: changes, checks with their newest result, what else was called."""
    yield from (change.line(words) for change in changed)
    newest: dict[tuple[Check, ...] | str, tuple[Deed, int]] = {}
    for deed in deeds:
        if check := check_of(deed):
            key = checks_of(check) or check
            _, times = newest.pop(key, (deed, 0))
            newest[key] = (deed, times + 1)
    for deed, times in newest.values():
        ended = words["failed" if deed.act.failed else "idle" if idle(deed) else "passed"]
        often = f", {times}×" if times > 1 else ""
        told = f"`{first_line(check_of(deed), COMMAND)}` {ended}: {first_line(deed.told, TOLD)}"
        yield f"- {told} (m{deed.until}{often})"
    yield from _others([deed for deed in deeds if deed.act.kind == "run" and not check_of(deed)], words)
    calls = Counter(one_line(deed.act.tool) for deed in deeds if deed.act.kind == "other" and deed.act.tool)
    if calls:
        yield f"- {words['calls']}: {', '.join(f'{tool} ({often}×)' for tool, often in calls.most_common(8))}"


def _others(runs: Sequence[Deed], words: TickWords) -> Iterator[str]:
    """Commands that check nothing: those that failed with their errors, of the others how many and the newest."""
    failed = {normal_command(deed.act.command): deed for deed in runs}
    broken = [deed for deed in failed.values() if deed.act.failed and not _asks(deed)]
    for deed in broken[-FAILED:]:
        name = first_line(deed.act.command or deed.act.tool, COMMAND)
        yield f"- `{name}` {words['failed']}: {first_line(error_line(deed.act.error), TOLD)} (m{deed.until})"
    rest = [deed for deed in runs if deed not in broken[-FAILED:]]
    if rest:
        name = first_line(rest[-1].act.command or rest[-1].act.tool, COMMAND)
        kind = words["others"] if len(rest) > 1 else words["other"]
        yield f"- {len(rest)} {kind} `{name}` (m{rest[-1].until})"


def _asks(deed: Deed) -> bool:
    return manner(deed.act.command).asks


def one_line(text: str) -> str:
    """A name that begins no line of its own."""
    return " ".join(text.split())
