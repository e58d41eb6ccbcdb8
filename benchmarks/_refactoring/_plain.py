"""Histories without the library: none, a larger window, the tail, and three that summarise as plain agents do.

All compact as the library does: over 75 % of the window, down to 40 %, never between a call and its
result. Where a list no longer fits its window, the oldest messages drop off, as they do in servers
that truncate by themselves (Ollama's `num_ctx`, OpenAI's `truncation: auto`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

from benchmarks._judge import count_tokens
from benchmarks._refactoring._prose import Prose, prose

__all__ = ["HARD", "TARGET", "Bigger", "Everything", "Freeform", "RepeatAll", "SelfNotes", "Strategy", "Tail", "tokens"]

Message = dict[str, Any]

FRAME: Final = 4
"""Tokens of a message beside its text."""
HARD: Final = 0.75
"""Share of the window over which a compaction is due."""
TARGET: Final = 0.40
"""Share of the window that it leaves."""
SUMMARY: Final = 1 / 30
"""Share of the window that a free-form text may take: in the article twelve summaries took 40 %."""
BIGGER: Final = 2


def tokens(messages: Sequence[Message]) -> int:
    """Size of a list."""
    return sum(map(_size, messages))


def _size(message: Message) -> int:
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        return count_tokens(message) + FRAME
    functions = (call["function"] for call in message.get("tool_calls") or ())
    return _counted(content or "", *(str(text) for function in functions for text in function.values()))


@lru_cache(maxsize=20_000)
def _counted(*texts: str) -> int:
    """Tokens of one message, counted once: every window is asked for its size."""
    return sum(map(count_tokens, texts)) + FRAME


class Strategy(Protocol):
    """A history."""

    def add(self, message: Message, /) -> None:
        """Take a message."""
        ...

    def window(self) -> list[Message]:
        """What is sent now."""
        ...

    @property
    def compactions(self) -> int:
        """How many times something was taken out."""
        ...


class Everything:
    """No compaction, an unlimited window."""

    compactions = 0

    def __init__(self, _window: int = 0) -> None:
        self._messages: list[Message] = []

    def add(self, message: Message, /) -> None:
        """Keep it."""
        self._messages.append(message)

    def window(self) -> list[Message]:
        """All of them."""
        return list(self._messages)


class Bigger(Everything):
    """Twice the window and no compaction: once it is full, each request goes without its oldest messages."""

    def __init__(self, window: int) -> None:
        super().__init__()
        self._room = BIGGER * window

    def window(self) -> list[Message]:
        """What fits."""
        return _newest(self._messages, self._room)


class _Compacting:
    """Over 75 % of the window what is old leaves; each kind says what stands for it."""

    def __init__(self, window: int) -> None:
        self.compactions = 0
        self._size = window
        self._messages: list[Message] = []

    def add(self, message: Message, /) -> None:
        """Keep it for now."""
        self._messages.append(message)

    def window(self) -> list[Message]:
        """Compacted where that is due; it never starts with a result, and keeps the newest step."""
        if tokens(self._messages) > int(HARD * self._size):
            self._compact()
        return _newest(self._messages, self._size)

    def _compact(self) -> None:
        head, rest = self._messages[:1], self._messages[1:]
        stays, gone = self._split(rest)
        start = _start(gone, int(TARGET * self._size) - tokens([*head, *stays]) - self._share)
        if start:
            self.compactions += 1
            self._messages = [*head, *stays, *self._instead(gone[:start]), *gone[start:]]

    @property
    def _share(self) -> int:
        """Tokens of what stands for what is old."""
        return 0

    def _split(self, rest: list[Message]) -> tuple[list[Message], list[Message]]:
        """What is never taken out, and the others."""
        return [], rest

    def _instead(self, _old: list[Message]) -> list[Message]:
        """What stands for messages that leave."""
        return []


class Tail(_Compacting):
    """The system message and the newest messages, nothing else."""


class Freeform(_Compacting):
    """A free-form summary of all that was, and the newest messages: the usual summarising middleware.

    Each summary is made from the one before and what was said since.
    """

    def __init__(self, window: int, write: Prose = prose) -> None:
        super().__init__(window)
        self._write = write

    @property
    def _share(self) -> int:
        return int(SUMMARY * self._size)

    def _instead(self, old: list[Message]) -> list[Message]:
        text = self._write(old, self._share)
        return [{"role": "user", "content": f"Here is a summary of the conversation to date:\n\n{text}"}]


class RepeatAll(Freeform):
    """A free-form summary of what leaves at each compaction; all of them so far are repeated at each."""

    def __init__(self, window: int, write: Prose = prose) -> None:
        super().__init__(window, write)
        self._summaries: list[Message] = []

    @property
    def _share(self) -> int:
        return int(SUMMARY * self._size)

    def _split(self, rest: list[Message]) -> tuple[list[Message], list[Message]]:
        return self._summaries[:], rest[len(self._summaries) :]

    def _instead(self, old: list[Message]) -> list[Message]:
        made = {
            "role": "user",
            "content": f"Summary {self.compactions} of this session:\n\n{self._write(old, self._share)}",
        }
        self._summaries.append(made)
        return [made]


class SelfNotes(Tail):
    """The agent's own notes in the history, one after each commit, of what it did since; they are cut like all else."""

    def __init__(self, window: int, write: Prose = prose) -> None:
        super().__init__(window)
        self._write, self._since = write, list[Message]()

    def add(self, message: Message, /) -> None:
        """Keep it; a commit closes a round, whose notes follow."""
        super().add(message)
        self._since.append(message)
        if message["role"] == "tool" and _commits(self._since[-2]):
            notes = self._write(self._since, int(SUMMARY * self._size))
            self._since.clear()
            super().add({"role": "assistant", "content": f"My notes of this round:\n{notes}"})


def _commits(message: Message) -> bool:
    return any("git commit" in str(call["function"]["arguments"]) for call in message.get("tool_calls") or ())


def _start(rest: Sequence[Message], room: int) -> int:
    """Where the newest messages begin that have room: at no result, and with the newest step in any case."""
    found: int | None = None
    for at in reversed(range(len(rest))):
        room -= _size(rest[at])
        if rest[at]["role"] != "tool":
            if room < 0 and found is not None:
                break
            found = at
    return found or 0


def _newest(messages: list[Message], room: int) -> list[Message]:
    """The system message and the newest ones that fit."""
    if tokens(messages) <= room:
        return list(messages)
    head, rest = messages[:1], messages[1:]
    return [*head, *rest[_start(rest, room - tokens(head)) :]]
