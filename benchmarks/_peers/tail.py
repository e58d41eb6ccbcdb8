"""Tail only: when the window is full, the first user message and the newest steps stay."""

from __future__ import annotations

from benchmarks._peers._counts import lengths
from benchmarks._peers._protocol import Job, Message, Stub, serve
from benchmarks._peers._steps import newest


class Tail:
    """A list that is cut."""

    def __init__(self, job: Job, _: Stub) -> None:
        self.job, self.compactions = job, 0
        self.messages: list[Message] = []

    def add(self, message: Message, /) -> None:
        self.messages.append(message)

    def request(self) -> list[Message]:
        if lengths(self.messages) >= self.job.soft:
            self.messages, self.compactions = newest(self.messages, self.job.target), self.compactions + 1
        return list(self.messages)

    def compact(self) -> list[Message]:
        return newest(self.messages, self.job.target) if lengths(self.messages) > self.job.target else self.messages


if __name__ == "__main__":
    serve(Tail)
