"""What kind of entry it is, in the order of its worth to going on."""

from __future__ import annotations

import re

from context_kit.summary._deeds import deed
from context_kit.summary._phrases import PHRASES
from context_kit.tools import verifies
from context_kit.types import FailedAttempt, Step

__all__ = ["ADDRESSED", "attempt_rank", "checks", "step_rank"]

ADDRESSED = re.compile(r" \(m[0-9]+\)$")
"""A task that code wrote ends in its address."""
BECAUSE = re.compile(r"\b(?:because|since|so that|otherwise)\b|因为|由于|否则|以免", re.IGNORECASE)
"""What was said with its reason outlives what was only said."""


def checks(name: str) -> bool:
    """Whether an attempt is a command that verifies: it is run again, so it stays whole."""
    return name[:1] == name[-1:] == "`" and verifies(name[1:-1])


def attempt_rank(attempt: FailedAttempt) -> str:
    """An open error, one that was solved, or what was found without one."""
    if any(words.solved in attempt.attempt for words in PHRASES.values()):
        return "solved"
    return "error" if attempt.error or not ADDRESSED.search(attempt.attempt) else "why"


def step_rank(step: Step) -> str:
    """What kind of step it is, by the words with which code writes its own."""
    for words in PHRASES.values():
        for name, start in (("edit", words.edited), ("read", words.read), ("search", words.searched)):
            if step.text.startswith(start) and (step.files or name == "search"):
                return name
    if deed(step):
        return "deed"
    if step.text.startswith("`") and "→" in step.text:
        return "command"
    if not step.text.endswith(")") or step.files:
        return "step"
    return "reason" if BECAUSE.search(step.text) else "prose"
