"""Failed attempts as they are shown: what was tried is named once, each of its errors beneath it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from context_kit.engrams import neutral
from context_kit.summary import lines
from context_kit.summary._phrases import PHRASES
from context_kit.types import FailedAttempt

__all__ = ["attempt_lines", "other_tasks"]

FAILED_AT = re.compile(r"\((?:\d{1,9}×, )?(m\d{1,9})[^()]*\)$")
"""The address of a failed attempt, behind its name."""


def attempt_lines(attempts: Sequence[FailedAttempt]) -> list[str]:
    """The lines of the section, in the order of each attempt's newest error, which is the last of its own."""
    groups: dict[str, list[FailedAttempt]] = {}
    for attempt in attempts:
        name = _name(attempt)
        groups[name] = [*groups.pop(name, []), attempt]
    told: list[str] = []
    for name, found in groups.items():
        if len(found) == 1:
            told.append(f"- {_line(lines(found[0]))}")
            continue
        rest = (FailedAttempt(attempt=each.attempt[len(name) + 1 :], error=each.error) for each in found)
        told += [f"- {_line(name)}", *(f"  - {_line(lines(each))}" for each in rest)]
    return told


def other_tasks(tasks: Sequence[str], attempts: Sequence[FailedAttempt]) -> list[str]:
    """The tasks without the open checks that stand among the failed attempts, which are not to be said twice."""
    shown = {found[1] for attempt in attempts if (found := FAILED_AT.search(attempt.attempt))}
    opening = tuple(words.still_open for words in PHRASES.values())
    return [
        task
        for task in tasks
        if not (task.startswith(opening) and (found := FAILED_AT.search(task)) and found[1] in shown)
    ]


def _name(attempt: FailedAttempt) -> str:
    """What was tried, without the address behind it; all of it where there is none."""
    name, bracket, _ = attempt.attempt.rpartition(" (")
    return name if bracket and name and attempt.attempt.endswith(")") else attempt.attempt


def _line(text: str) -> str:
    return neutral(" ".join(text.split()))
