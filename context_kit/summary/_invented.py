"""What a model made up goes, entry by entry; what is left says nothing that the source doesn't.

An entry whose sentence holds an invented name goes whole: a sentence with a hole in it says
something that nobody said. Only a file in a step's list, or a decision's reason, goes alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from context_kit.summary._source import Source
from context_kit.types import Decision, FailedAttempt, FileState, Step, TaskSummary

__all__ = ["Sifted", "sift"]

Entry = TypeVar("Entry", Step, FileState, Decision, FailedAttempt, str)

CHANGED = re.compile(
    r"\b(?:edited|changed|modified|updated|rewrote|rewritten|refactored|created|added|implemented|fixed|patched|"
    r"renamed|deleted|removed|wrote)\b|修改|更新|重写|重构|创建|新增|添加|实现|修复|删除|改名|编辑了",
    re.IGNORECASE,
)
"""A step that says that something was changed."""
PATH = re.compile(r"[\w./\\-]*[\w-]\.[A-Za-z]\w{0,5}\b", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sifted:
    """A reply without what was made up."""

    summary: TaskSummary
    ungrounded: tuple[str, ...] = ()
    """Names that the source never mentions."""
    ordered: int = 0
    """Entries that followed an instruction found in tool output."""


@dataclass(slots=True)
class _Sieve:
    """The entries of one reply held against their source."""

    source: Source
    names: list[str] = field(default_factory=list[str])
    ordered: int = 0

    def step(self, step: Step) -> Step | None:
        """A step that speaks of known names and of files that somebody touched."""
        told = step.text.partition(" → ")[0] if step.text.startswith("`") else step.text
        if self._bad(step.text) or self._orders(told):  # what a command said is its own output's words
            return None
        files = [path for path in step.files if self._path(path)]
        if (step.files and not files) or self._never_changed(step.text, files):
            return None
        return step if files == step.files else Step(text=step.text, files=files)

    def file(self, state: FileState) -> FileState | None:
        """A file that the source knows, with a state of known names."""
        return state if self._path(state.path) and not self._bad(state.state) else None

    def decision(self, made: Decision) -> Decision | None:
        """A decision of known names; a reason that isn't goes without it."""
        if self._bad(made.decision) or self._orders(made.decision):
            return None
        return Decision(decision=made.decision) if self._bad(made.reason) else made

    def attempt(self, made: FailedAttempt) -> FailedAttempt | None:
        """An attempt of known names whose error was met."""
        if self._bad(made.attempt) or self._bad(made.error):
            return None
        for text in (made.error, made.attempt):
            if not self.source.backs(text):
                self.names.append(text)
                return None
        return made

    def task(self, task: str) -> str | None:
        """A task of known names that no tool output ordered."""
        return None if self._bad(task) or self._orders(task) else task

    def _bad(self, text: str) -> bool:
        unknown = self.source.unknown(text)
        self.names += unknown
        return bool(unknown)

    def _path(self, path: str) -> bool:
        known = self.source.has_path(path)
        self.names += [] if known else [path]
        return known

    def _orders(self, text: str) -> bool:
        found = self.source.ordered(text)
        self.ordered += found
        return found

    def _never_changed(self, text: str, files: Sequence[str]) -> bool:
        """Whether a step claims a change of files that only tool output ever named."""
        if not self.source.called or not CHANGED.search(text):
            return False
        paths = list(files) or PATH.findall(text)
        if not paths or any(self.source.has_path(path, acted=True) for path in paths):
            return False
        self.names += paths
        return True


def sift(said: TaskSummary, source: Source) -> Sifted:
    """A reply without the entries that name what the source never mentions, or obey what it only shows."""
    sieve = _Sieve(source)
    summary = TaskSummary(
        completed_steps=_kept(said.completed_steps, sieve.step),
        current_files=_kept(said.current_files, sieve.file),
        key_decisions=_kept(said.key_decisions, sieve.decision),
        failed_attempts=_kept(said.failed_attempts, sieve.attempt),
        todo=_kept(said.todo, sieve.task),
    )
    return Sifted(summary, tuple(dict.fromkeys(sieve.names)), sieve.ordered)


def _kept(entries: Sequence[Entry], look: Callable[[Entry], Entry | None]) -> list[Entry]:
    return [kept for entry in entries if (kept := look(entry)) is not None]
