"""The library itself, with its own extractive summaries."""

from __future__ import annotations

from benchmarks._judge import count_tokens
from benchmarks._peers._protocol import Job, Message, Stub, serve
from context_kit import ContextManager
from context_kit.typing import LLM


class Ours:
    """A manager; head and tools are its own matter, so it is given all of them."""

    def __init__(self, job: Job, llm: LLM | None = None) -> None:
        self.job = job
        self.ctx = ContextManager(job.window, llm=llm, tools=job.tools or None)
        for message in job.messages[: job.head]:
            self.ctx.add(message)

    @property
    def compactions(self) -> int:
        """The applied ones."""
        return sum(receipt.outcome == "applied" for receipt in self.ctx.compactions)

    def add(self, message: Message, /) -> None:
        self.ctx.add(message)

    def request(self) -> list[Message]:
        return self._body(self.ctx.prepare())

    def compact(self) -> list[Message]:
        if count_tokens(self.ctx.messages[self.job.head :]) > self.job.target:
            self.ctx.compact()
        return self._body(self.ctx.messages)

    def _body(self, window: list[Message]) -> list[Message]:
        """All but the head, which stands in front as it came."""
        head = self.job.messages[: self.job.head]
        assert window[: self.job.head] == head, "the head was changed"
        return window[self.job.head :]


def extractive(job: Job, _: Stub) -> Ours:
    """Without a model."""
    return Ours(job)


if __name__ == "__main__":
    serve(extractive)
