"""What a resuming agent must find in a window, and whether it does. Nothing here knows the library.

Each fact is a piece of the transcript, and is there when the window holds it word for word, whitespace aside; a file
when it is named by a path that is no other file's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks._judge import count_tokens, pairs_fault, request_types
from benchmarks._truth._calls import calls_of
from benchmarks._truth._failures import failures_of, squeezed
from benchmarks._truth._files import edited, named, read, run_tests, same_files
from benchmarks._truth._person import constraints_in, goal_in, person_texts
from benchmarks._truth._signatures import used_signatures
from benchmarks._truth._window import text_of

__all__ = ["CLASSES", "Facts", "Verdict", "facts_of", "judged"]

CLASSES = ("files", "errors", "constraints", "goal", "tests", "signatures")
Message = dict[str, Any]


@dataclass(frozen=True)
class Facts:
    """What is expected, by class."""

    words: dict[str, list[str]]
    """Texts to be found word for word; nothing for files."""
    files: dict[str, list[str]]
    """Spellings by file."""

    def found(self, window: list[Message]) -> dict[str, dict[str, int]]:
        """By class: how many are expected, how many are there."""
        text = text_of(window)
        there = {kind: [word in text for word in words] for kind, words in self.words.items()}
        there["files"] = [named(path, own, self.files, text) for path, own in self.files.items()]
        return {kind: {"expected": len(there[kind]), "found": sum(there[kind])} for kind in CLASSES}

    def missing(self, window: list[Message]) -> list[str]:
        """What isn't there, for a reader."""
        text = text_of(window)
        gone = [f"{kind}: {word}" for kind, words in self.words.items() for word in words if word not in text]
        return gone + [f"files: {path}" for path, own in self.files.items() if not named(path, own, self.files, text)]


@dataclass(frozen=True)
class Verdict:
    """One final window."""

    tokens: int
    """System prompt and tools included."""
    over: bool
    """More tokens than it may have."""
    fault: str
    """Why a provider would refuse it; empty where none would."""

    @property
    def counts(self) -> bool:
        """Whether what it holds counts."""
        return not self.over and not self.fault


def facts_of(document: dict[str, Any]) -> Facts:
    """The facts of a whole session at its end."""
    calls, end = calls_of(document), len(document["messages"])
    texts = [text for _, text in person_texts(document)]
    touched = [path for call in calls for path in (*edited(call), *read(call))]
    return Facts(
        words={
            "errors": _once(failure.line for failure in failures_of(calls, end, end)),
            "constraints": _once(rule for text in texts for rule in constraints_in(text)),
            "goal": _once(goal_in(text) for text in texts[:1]),
            "tests": _once(squeezed(command) for call in calls for command in run_tests(call)),
            "signatures": _once(each.line for each in used_signatures(calls)),
        },
        files=same_files(touched),
    )


def judged(window: list[Message], most: int, fixed: int) -> Verdict:
    """Size and legality of a final window; `fixed` is what tools take, the system prompt stands in the window."""
    tokens = count_tokens(window) + fixed
    return Verdict(tokens, tokens > most, legal_fault(window))


def legal_fault(window: list[Message]) -> str:
    """What the provider would refuse: calls and results apart, an empty list, a shape that its types don't have."""
    if not any(message["role"] not in ("system", "developer") for message in window):
        return "no message is left"
    if fault := pairs_fault(window):
        return fault
    try:
        request_types(anthropic=False).validate_python(window)
    except ValueError as error:
        return f"the SDK's types refuse it: {str(error)[:200]}"
    return ""


def _once(words: Iterable[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word]
