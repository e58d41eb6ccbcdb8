"""Grounding: what must be true of a summary is set by code, whatever the model said.

The goal is the person's own words; every edited file, the read files, the verifying commands,
the open failures are added where the model forgot them; an empty field with matter in the log
is filled from the extractive summary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from context_kit.summary._fold import lines
from context_kit.types import Decision, FailedAttempt, FileState, Step, TaskSummary

__all__ = ["ground", "merge", "redacted"]

Entry = TypeVar("Entry", Step, FileState, Decision, FailedAttempt, str)


def merge(before: TaskSummary | None, new: TaskSummary) -> TaskSummary:
    """What a model said before and what it says now, as one; the newer word wins.

    Steps, decisions and attempts pile up (each once); files are updated by path; the todo
    list is the newest one.
    """
    if before is None:
        return new
    done = {_words(lines(step)) for step in new.completed_steps}
    files = {file.path: file for file in (*before.current_files, *new.current_files)}
    return TaskSummary(
        original_goal=before.original_goal or new.original_goal,
        completed_steps=_once([*before.completed_steps, *new.completed_steps]),
        current_files=list(files.values()),
        key_decisions=_once([*before.key_decisions, *new.key_decisions]),
        failed_attempts=_once([*before.failed_attempts, *new.failed_attempts]),
        todo=_once(list(new.todo) or [task for task in before.todo if _words(task) not in done]),
    )


def ground(
    said: TaskSummary | None, known: TaskSummary, redact: Callable[[str], str], *, complete: bool = True
) -> TaskSummary:
    """A model's summary made true by the extractive one; that one itself where no model spoke.

    Args:
        said: what the model said, merged over the compactions.
        known: the extractive summary of the whole log.
        redact: takes out secrets that a model copied.
        complete: whether the model spoke of everything; else the log's own narrative follows.
    """
    if said is None:
        return known
    said = redacted(said, redact)
    return TaskSummary(
        original_goal=known.original_goal,
        completed_steps=_steps(said.completed_steps, known.completed_steps, complete=complete),
        current_files=_files(said.current_files, known.current_files),
        key_decisions=list(said.key_decisions) or list(known.key_decisions),
        failed_attempts=_attempts(said.failed_attempts, known.failed_attempts),
        todo=(complete and list(said.todo)) or list(known.todo),
    )


def _steps(said: Sequence[Step], known: Sequence[Step], *, complete: bool) -> list[Step]:
    """The model's steps; after them what code knows of files and commands."""
    if not said or not complete:
        return [*said, *known]
    return [*said, *(step for step in known if step.files or "→" in step.text)]


def _files(said: Sequence[FileState], known: Sequence[FileState]) -> list[FileState]:
    told = {file.path for file in said if file.state}
    return [*said, *(file for file in known if file.path not in told)]


def _attempts(said: Sequence[FailedAttempt], known: Sequence[FailedAttempt]) -> list[FailedAttempt]:
    told = "\n".join(lines(attempt) for attempt in said)
    return [*said, *(attempt for attempt in known if not attempt.error or attempt.error not in told)]


def _once(entries: Sequence[Entry]) -> list[Entry]:
    """Each entry once, at its newest place."""
    newest = {_words(lines(entry)): entry for entry in entries}
    order = dict.fromkeys(_words(lines(entry)) for entry in reversed(entries))
    return [newest[key] for key in reversed(order)]


def _words(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".。")


def redacted(summary: TaskSummary, redact: Callable[[str], str]) -> TaskSummary:
    """The same summary without secrets that a model copied."""

    def clean(node: object) -> object:
        if isinstance(node, str):
            return redact(node)
        if isinstance(node, list):
            return [clean(item) for item in node]
        return {key: clean(item) for key, item in node.items()} if isinstance(node, dict) else node

    return TaskSummary.model_validate(clean(summary.model_dump()))
