"""The error tree. Each error carries its evidence and ends with what to do next.

ContextKitError
├── InvalidMessageError(ValueError)   a message the wire could never accept; the log is unchanged
├── BudgetError(ValueError)           a setting, share or pin that has no room
├── WindowExceededError               what can't shrink is larger than the window
├── SummaryError                      a summary that may not be used
├── TickError                         a tick that can't be closed yet
└── StoreError(OSError)               what is on disk can't be read, written or locked
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "BudgetError",
    "ContextKitError",
    "InvalidMessageError",
    "StoreError",
    "SummaryError",
    "TickError",
    "WindowExceededError",
    "told",
]

TOLD = 300
"""Characters of an error's text in a receipt."""


def told(error: BaseException) -> str:
    """An error as one bounded text; also of one whose own text can't be had."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - whatever it is, it is no text
        text = "(it has no text)"
    return f"{type(error).__name__}: {text}"


class ContextKitError(Exception):
    """Every error of this library; it can be pickled with its evidence."""

    reply: Any = None
    """What the provider had answered where `call` could not add it: it was paid for, and is not in the log."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[ContextKitError], args: tuple[Any, ...], evidence: dict[str, Any]) -> ContextKitError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(evidence)
    return error


class InvalidMessageError(ContextKitError, ValueError):
    """A message that no provider would accept; nothing was added."""

    def __init__(self, text: str, *, field: str = "message") -> None:
        super().__init__(f"{field}: {text}")
        self.field = field
        """Path of the offending field, such as `messages[3].tool_call_id`."""


class BudgetError(ContextKitError, ValueError):
    """A setting, a share or a pin that has no room; nothing was changed."""


class WindowExceededError(ContextKitError):
    """The parts that can't shrink are larger than the window has room for."""

    def __init__(self, text: str, *, window: int, system: int, tools: int, largest: int) -> None:
        super().__init__(text)
        self.window = window
        """The window, in tokens."""
        self.system = system
        """The system prompt and system messages, in tokens."""
        self.tools = tools
        """The tool schemas, in tokens."""
        self.largest = largest
        """The largest single message after clipping, in tokens."""


class SummaryError(ContextKitError):
    """A summary that may not be used; the log is as it was."""

    def __init__(self, text: str, *, usage: Mapping[str, int] | None = None) -> None:
        super().__init__(text)
        self.usage = usage
        """What the reply that was refused cost, as the provider told it."""


class TickError(ContextKitError):
    """A tick that can't be closed yet: a section is undecided. What was written is kept."""

    def __init__(self, text: str, *, number: int = 0, undecided: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.number = number
        """The tick's."""
        self.undecided = undecided
        """Names of the sections that nobody decided on, for `tick.write`."""


class StoreError(ContextKitError, OSError):
    """The store can't be read, written or locked; nothing acknowledged is lost."""
