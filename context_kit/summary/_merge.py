"""Merging: what a model said before and what it says now, as one record that doesn't grow.

The newer word wins: corrected facts replace the old ones, finished tasks leave the list, files are
updated by path, and what is more than the ceiling folds, the oldest narrative first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from context_kit.engrams import corrects, revises
from context_kit.summary._fold import lines
from context_kit.summary._names import names
from context_kit.types import Decision, FailedAttempt, FileState, Step, TaskSummary

__all__ = ["merge", "redacted", "stale"]

Entry = TypeVar("Entry", Step, FileState, Decision, FailedAttempt, str)
_WORD = re.compile(r"[a-z0-9_./-]+|[\u3400-\u9fff]+")
_IDLE = frozenset(
    "a an the to of in on for with and or now then next so that is are be it its this 了 的 并 和 再 将".split()
)
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s", "e", "y")
_SHORTEST_STEM = 3
FEWEST = 2
"""Words of a task under which a step that has them all may speak of something else."""
NEGATED = re.compile(
    r"\b(?:not|never|fail\w*|couldn|can't|didn|partly|partially|tried|still|todo)\b|未|没有|失败|尝试|部分",
    re.IGNORECASE,
)
_RUN = r"((?:(?!\b(?:to|with|by|but|use)\b)[^,;，；。→]){1,80})"
REPLACED = re.compile(
    rf"(?:instead of|rather than|in place of|no longer|\bnot\b|\breplac\w+|而不是|不再|不是|不用|把)\s*{_RUN}|"
    rf"(?:\bfrom\b|从)\s*{_RUN}(?=\b(?:to)\b|→|到|改)",
    re.IGNORECASE,
)
"""What a correction says is no more."""
ALIKE = 0.6
"""Share of a sentence's words, its values aside, that a correction of it has."""


def merge(before: TaskSummary | None, new: TaskSummary) -> TaskSummary:
    """What a model said before and what it says now, as one; the newer word wins.

    Steps, decisions and attempts pile up (each once); files are updated by path, the newest first;
    the todo list is the newest one. A task that a step says is done is no task.
    """
    done = [lines(step) for step in new.completed_steps]
    tasks = [task for task in new.todo if _key(task) not in {_key(step) for step in done}]
    if before is None:
        return new.model_copy(update={"todo": tasks})
    files = {file.path: file for file in (*before.current_files, *new.current_files)}
    fresh = {file.path for file in new.current_files}
    newer = [line for line in (*done, *map(lines, new.key_decisions)) if revises(line)]
    left = [task for task in before.todo if not finished(task, done)]
    return TaskSummary(
        original_goal=before.original_goal or new.original_goal,
        completed_steps=_once([*_current(before.completed_steps, newer), *new.completed_steps]),
        current_files=sorted(files.values(), key=lambda file: file.path not in fresh),
        key_decisions=_once([*_current(before.key_decisions, newer), *new.key_decisions]),
        failed_attempts=_once([*before.failed_attempts, *new.failed_attempts]),
        todo=_once(tasks or _current(left, newer)),
    )


def stale(text: str, newer: Sequence[str]) -> bool:
    """Whether the newest of these sentences that speaks of the same thing gives another value.

    Args:
        text: what may be out of date.
        newer: sentences that revise something, oldest first.
    """
    mine = _values(text)
    told = words_of(text) - words_of(" ".join(mine))
    for line in reversed(newer):
        if line in text or len(told & words_of(line)) < ALIKE * len(told):
            continue
        said = _values(line)
        if mine & said:
            gone = _values(" ".join(old or new for old, new in REPLACED.findall(line)))
            return mine & said <= gone and bool(said - gone)
        if told and corrects(line, text):
            return True
    return False


def _values(text: str) -> set[str]:
    return {name.text.lower() for name in names(text)}


def _current(entries: Sequence[Entry], newer: Sequence[str]) -> list[Entry]:
    """The entries that no newer one corrects."""
    return [entry for entry in entries if not stale(lines(entry), newer)] if newer else list(entries)


def finished(task: str, steps: Sequence[str]) -> bool:
    """Whether a step says that a task was done: it has all of its words, in whatever form."""
    wanted = words_of(task)
    if len(wanted) < FEWEST:
        return any(_key(task) == _key(step) for step in steps)
    return any(wanted <= words_of(step) and not NEGATED.search(step) for step in steps)


def words_of(text: str) -> frozenset[str]:
    """The words that a text says something with: Latin ones without their endings, pairs of Han characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if word[0] >= "\u3400":
            found.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        elif (bare := word.rstrip("./-")) and bare not in _IDLE:
            found.add(_stem(bare))
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            stem = word[: -len(ending)]
            return stem[:-1] if stem[-1] == stem[-2] else stem
    return word


def _once(entries: Sequence[Entry]) -> list[Entry]:
    """Each entry once, at its newest place."""
    newest = {_key(entry): entry for entry in entries}
    order = dict.fromkeys(_key(entry) for entry in reversed(entries))
    return [newest[key] for key in reversed(order)]


def _key(entry: Step | FileState | Decision | FailedAttempt | str) -> str:
    return " ".join(lines(entry).lower().split()).rstrip(".。")


def redacted(summary: TaskSummary, redact: Callable[[str], str]) -> TaskSummary:
    """The same summary without secrets that a model copied."""

    def clean(node: object) -> object:
        if isinstance(node, str):
            return redact(node)
        if isinstance(node, list):
            return [clean(item) for item in node]
        return {key: clean(item) for key, item in node.items()} if isinstance(node, dict) else node

    return TaskSummary.model_validate(clean(summary.model_dump()))
