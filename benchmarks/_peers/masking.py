"""Observation masking: old tool results give way to a placeholder, the agent's own words stay; then the oldest go."""

from __future__ import annotations

from benchmarks._peers._counts import lengths
from benchmarks._peers._protocol import Job, Message, Stub, serve
from benchmarks._peers._steps import newest

PLACEHOLDER = "[output left out]"


def masked(messages: list[Message], most: int) -> list[Message]:
    """Results masked from the oldest on until the rest has room; where masks don't suffice, the oldest steps go."""
    found, size = list(messages), lengths(messages)
    results = [at for at, message in enumerate(found) if message["role"] == "tool"]
    for at in results[:-1]:
        if size <= most:
            return found
        short = {**found[at], "content": PLACEHOLDER}
        saved = lengths([found[at]]) - lengths([short])
        if saved > 0:
            found[at], size = short, size - saved
    return found if size <= most else newest(found, most)


class Masking:
    """A list whose observations fade."""

    def __init__(self, job: Job, _: Stub) -> None:
        self.job, self.compactions = job, 0
        self.messages: list[Message] = []

    def add(self, message: Message, /) -> None:
        self.messages.append(message)

    def request(self) -> list[Message]:
        if lengths(self.messages) >= self.job.soft:
            self.messages, self.compactions = masked(self.messages, self.job.target), self.compactions + 1
        return list(self.messages)

    def compact(self) -> list[Message]:
        return masked(self.messages, self.job.target) if lengths(self.messages) > self.job.target else self.messages


if __name__ == "__main__":
    serve(Masking)
