"""LangChain's `trim_messages`: the newest messages by tokens, trimmed state kept, as its page on memory shows."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# What it drives is installed in an environment of its own.
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import convert_to_messages
from langchain_core.messages.utils import trim_messages

from benchmarks._peers._counts import lengths
from benchmarks._peers._protocol import Job, Message, Stub, serve


class Trim:
    """Messages with the position of their original as id."""

    def __init__(self, job: Job, _: Stub) -> None:
        self.job, self.compactions = job, 0
        self.originals: dict[str, Message] = {}
        self.messages: list[Any] = []

    def add(self, message: Message, /) -> None:
        [made] = convert_to_messages([message])
        made.id = str(len(self.originals))
        self.originals[made.id] = message
        self.messages.append(made)

    def request(self) -> list[Message]:
        if self.count(self.messages) >= self.job.soft:
            self.messages, self.compactions = self.trimmed(), self.compactions + 1
        return [self.originals[message.id] for message in self.messages]

    def compact(self) -> list[Message]:
        if self.count(self.messages) > self.job.target:
            self.messages = self.trimmed()
        return [self.originals[message.id] for message in self.messages]

    def trimmed(self) -> list[Any]:
        """What it keeps: from an agent's or a person's message on, never from a result."""
        return list(
            trim_messages(
                self.messages,
                strategy="last",
                token_counter=self.count,
                max_tokens=self.job.target,
                start_on=("human", "ai"),
                include_system=True,
            )
        )

    def count(self, messages: Iterable[Any]) -> int:
        """Exact tokens."""
        return lengths(self.originals[message.id] for message in messages)


if __name__ == "__main__":
    serve(Trim)
