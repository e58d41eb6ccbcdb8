"""What is known of a coding agent's session: small, plain values that a state file holds from one event to the next.

The invariant guarded here: whatever stands in a state file, reading it gives facts or none at all, never an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Check",
    "Decided",
    "Done",
    "Edited",
    "Facts",
    "Failed",
    "Refused",
    "Running",
    "Task",
    "Words",
    "facts_from",
    "facts_to",
]


@dataclass(frozen=True, slots=True)
class Words:
    """A text that a person wrote."""

    at: int
    text: str
    rules: tuple[str, ...] = ()
    """Its standing constraints, those taken back since aside."""
    asked: str = ""
    """What the assistant had asked, where the text is only a short answer."""
    opened: str = ""
    """The opening of what it expanded to, where it is a slash command."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A file that was edited."""

    path: str
    at: int
    """Position of the newest edit."""
    times: int = 1
    change: str = ""
    """First line that the newest edit changed."""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """A failure that nothing has solved yet: the act, as far as it takes to know its success, and what it said."""

    at: int
    until: int
    kind: str
    tool: str
    path: str
    command: str
    name: str
    """What was tried, to be read."""
    error: str
    line: str
    """The error's last line that says what went wrong."""
    closing: str = ""
    times: int = 1
    edited: int = 0
    """Position of the newest edit since; 0 where there is none."""
    check: bool = False
    look: bool = False
    """It only looked for something that wasn't there."""
    about: str = ""
    """What a search, a fetch or another tool was asked for."""
    done: tuple[str, ...] = ()
    """Of a line of several steps, those that were done."""
    steps: tuple[str, ...] = ()
    """Those of which one failed, as far as they didn't pass since."""
    unrun: tuple[str, ...] = ()
    """Those behind them, never run."""
    named: tuple[str, ...] = ()
    """Tests, files and packages that its output calls failed, as far as they didn't pass since."""
    passed: tuple[str, ...] = ()
    """Those of them that passed since."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that the user refused: it never ran."""

    at: int
    name: str
    """What was asked for, to be read."""
    key: str
    """The same in a form in which two tries compare equal."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a command did for good beside files: a commit, a push, a pull request."""

    at: int
    what: str
    told: str
    """The line of its output that shows it."""


@dataclass(frozen=True, slots=True)
class Check:
    """A command that verified the work, with its last result."""

    command: str
    told: str
    at: int
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """What the assistant decided, in its own words."""

    at: int
    text: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One item of the agent's own plan."""

    text: str
    status: str = "pending"
    id: str = ""


@dataclass(frozen=True, slots=True)
class Running:
    """A command that still ran when the facts were made."""

    id: str
    """Of its process, by which later calls read on from it."""
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a session up to a mark in its transcript."""

    head: str = ""
    """What the transcript is known by."""
    mark: int = 0
    at: int = 0
    """How many messages were read."""
    words: tuple[Words, ...] = ()
    opening: str = ""
    """The first user text, where no person wrote one."""
    edited: tuple[Edited, ...] = ()
    """The newest edit last."""
    failed: tuple[Failed, ...] = ()
    """The newest last."""
    halted: tuple[Failed, ...] = ()
    """Lines whose failed step passed since, and whose other steps were never run; the newest last."""
    refused: tuple[Refused, ...] = ()
    done: tuple[Done, ...] = ()
    """The newest last."""
    checks: tuple[Check, ...] = ()
    decided: tuple[Decided, ...] = ()
    plan: tuple[Task, ...] = ()
    plan_at: int = 0
    """Position at which the plan was last set."""
    approved: str = ""
    """The newest plan that the user approved, in the assistant's words."""
    wish: str = ""
    """What the user asked of the newest compaction, where they asked for something."""
    running: tuple[Running, ...] = ()
    read: tuple[str, ...] = ()
    """Files that were read and not edited, the newest last."""
    said: str = ""
    """What the assistant said last."""
    said_at: int = 0
    intent: str = ""
    """Its last sentence that says what comes next."""
    called: str = ""
    """The newest call that waits for its result."""
    acted: str = ""
    """The newest call that has its result, and the line that says how it ended where one does."""
    chinese: bool = False


LISTS: Mapping[str, type[Any]] = {
    "words": Words,
    "edited": Edited,
    "failed": Failed,
    "halted": Failed,
    "refused": Refused,
    "done": Done,
    "checks": Check,
    "decided": Decided,
    "plan": Task,
    "running": Running,
}


def facts_to(facts: Facts) -> dict[str, Any]:
    """Facts as JSON values."""
    plain = {name: getattr(facts, name) for name in Facts.__annotations__}
    lists = {
        name: [{each: getattr(item, each) for each in make.__annotations__} for item in plain[name]]
        for name, make in LISTS.items()
    }
    return {**plain, **lists}


def facts_from(value: Any) -> Facts:
    """Facts from JSON values; what isn't as it was written makes them empty, so that the session is read again."""
    try:
        lists = {name: tuple(make(**_tuples(each)) for each in value[name]) for name, make in LISTS.items()}
        found: dict[str, Any] = {**value, **lists, "read": tuple(value["read"])}
        facts = Facts(**found)
        each_one = (facts, *(each for name in LISTS for each in getattr(facts, name)))
        return facts if all(map(_whole, each_one)) else Facts()
    except (TypeError, KeyError, AttributeError, ValueError):
        return Facts()


def _tuples(item: Any) -> dict[str, Any]:
    """The fields of an item, with tuples for the lists that JSON has."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in item.items()}


TYPES: Mapping[str, type[Any]] = {"int": int, "str": str, "bool": bool}


def _whole(value: Any) -> bool:
    """Whether each field has the type that it was declared with."""
    for name, kind in type(value).__annotations__.items():
        found = getattr(value, name)
        if type(found) is not TYPES.get(kind, tuple):
            return False
        if kind == "tuple[str, ...]" and not all(isinstance(text, str) for text in found):
            return False
    return True
