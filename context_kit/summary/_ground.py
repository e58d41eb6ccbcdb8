"""Grounding: what must be true of a summary is set by code, whatever the model said.

The goal is the person's own words; every edited file, the read files, the verifying commands,
the open failures, decisions with their values and the plan's open tasks are added where the model
forgot them; what the log proves wrong is marked or goes; an empty field with matter in the log is
filled from the extractive summary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from context_kit.engrams import Trail
from context_kit.summary._fold import lines
from context_kit.summary._merge import redacted
from context_kit.summary._names import names
from context_kit.summary._proof import Proof
from context_kit.types import Decision, FailedAttempt, FileState, Step, TaskSummary

__all__ = ["ground"]

DECISIONS = 12
"""So many newest decisions that the model forgot are put back."""


def ground(
    said: TaskSummary | None,
    known: TaskSummary,
    redact: Callable[[str], str],
    *,
    trail: Trail,
    complete: bool = True,
) -> TaskSummary:
    """A model's summary made true by the extractive one; that one itself where no model spoke.

    Args:
        said: what the model said, merged over the compactions.
        known: the extractive summary of the whole log.
        redact: takes out secrets that a model copied.
        trail: what was said and done; what it proves wrong is marked or goes.
        complete: whether the model spoke of everything; else the log's own narrative follows.
    """
    if said is None:
        return known
    said, proof = redacted(said, redact), Proof.of(trail, redact)
    steps = [step for each in said.completed_steps if (step := proof.step(each)) is not None]
    tasks = [task for task in said.todo if proof.task(task) and proof.fact(task)]
    return TaskSummary(
        original_goal=known.original_goal,
        completed_steps=_steps(steps, known.completed_steps, complete=complete),
        current_files=_files(said.current_files, known.current_files, proof),
        key_decisions=_decisions([made for made in said.key_decisions if proof.fact(lines(made))], known.key_decisions),
        failed_attempts=_attempts(said.failed_attempts, known.failed_attempts, complete=complete),
        todo=_todo(tasks if complete else [], known.todo, proof),
    )


def _steps(said: Sequence[Step], known: Sequence[Step], *, complete: bool) -> list[Step]:
    """The model's steps; after them what code knows of files and commands."""
    if not said or not complete:
        return [*said, *known]
    return [*said, *(step for step in known if step.files or "→" in step.text)]


def _files(said: Sequence[FileState], known: Sequence[FileState], proof: Proof) -> list[FileState]:
    """The model's states that the log doesn't prove wrong; after them the log's own."""
    own = {file.path: file for file in known}
    found: dict[str, FileState] = {}
    for state in said:
        kept = proof.file(state, own.get(state.path))
        if kept is not None and kept.state:
            found[kept.path] = kept
    return [*found.values(), *(file for file in known if file.path not in found)]


def _decisions(said: Sequence[Decision], known: Sequence[Decision]) -> list[Decision]:
    """The model's decisions; before them those of the log with a value that none of the model's has."""
    if not said:
        return list(known)
    told = "\n".join(lines(made) for made in said)
    forgotten = [made for made in known if any(name.text not in told for name in names(lines(made)))]
    return [*forgotten[-DECISIONS:], *said]


def _attempts(said: Sequence[FailedAttempt], known: Sequence[FailedAttempt], *, complete: bool) -> list[FailedAttempt]:
    """The model's attempts; one of an error that the log knows gets the log's name, error and address.

    What the log only found, without an error, is put back where the model did not speak of everything.
    """
    known = [one for one in known if one.error or not complete]
    told: dict[str, str] = {}
    other: list[FailedAttempt] = []
    for made in said:
        own = next((one for one in reversed(known) if _same(made, one)), None)
        if own is None:
            other.append(made)
        else:
            told[own.attempt] = made.attempt
    return [*other, *(_named(told.get(one.attempt, ""), one) for one in known)]


def _same(made: FailedAttempt, own: FailedAttempt) -> bool:
    """Whether a model's attempt tells an error of the log."""
    return bool(own.error) and (own.error in lines(made) or (len(made.error) > 8 and made.error in own.error))


def _named(name: str, own: FailedAttempt) -> FailedAttempt:
    """The log's attempt, with the model's words for it before its name where they say more."""
    plain = own.attempt.rpartition(" (")[0]
    if not name or plain in name or name in own.attempt:
        return own
    return FailedAttempt(attempt=f"{name}: {own.attempt}", error=own.error)


def _todo(said: Sequence[str], known: Sequence[str], proof: Proof) -> list[str]:
    """The model's tasks, and the plan's open ones that it forgot."""
    if not said:
        return list(known)
    told = {task.strip().lower() for task in said}
    return [*said, *(task for task in proof.pending(known) if task.strip().lower() not in told)]
