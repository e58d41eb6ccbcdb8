"""A list of chat messages that one function cuts when it is full: the plain ways of keeping a history."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks._peers._counts import lengths
from benchmarks._peers._protocol import Job, Message

__all__ = ["Cutting"]

Cut = Callable[[list[Message], int], list[Message]]
"""The messages, and the tokens that they may have at most."""


class Cutting:
    """The list, and how often it was cut."""

    def __init__(self, job: Job, cut: Cut) -> None:
        self.job, self.cut, self.compactions = job, cut, 0
        self.messages: list[Message] = []

    def add(self, message: Message, /) -> None:
        self.messages.append(message)

    def request(self) -> list[Message]:
        if lengths(self.messages) >= self.job.soft:
            self.messages, self.compactions = self.cut(self.messages, self.job.target), self.compactions + 1
        return list(self.messages)

    def compact(self) -> list[Message]:
        return self.cut(self.messages, self.job.target) if lengths(self.messages) > self.job.target else self.messages
