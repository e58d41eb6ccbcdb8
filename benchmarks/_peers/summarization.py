"""summarization-pydantic-ai's `SummarizationProcessor`, called as pydantic-ai would before each request."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# What it drives is installed in an environment of its own.
from __future__ import annotations

from pydantic_ai.messages import ModelMessage
from pydantic_ai_summarization import SummarizationProcessor

from benchmarks._peers._protocol import SHARES, Job, Message, Stub, fitting, serve
from benchmarks._peers._pydantic import History, model, now

SHOWN = "Messages to summarize:\n"


class Processed:
    """A history and its processor."""

    def __init__(self, job: Job, stub: Stub) -> None:
        self.job, self.compactions = job, 0
        self.history, self.model = History(), model(stub, SHOWN)

    def add(self, message: Message, /) -> None:
        self.history.add(message)

    def request(self) -> list[Message]:
        after = self.after(self.job.soft, self.job.tail)
        self.compactions += len(after) != len(self.history.messages)
        self.history.messages = after
        return self.history.plain(after)

    def compact(self) -> list[Message]:
        tries = (self.after(self.job.target + 1, int(share * self.job.tail)) for share in SHARES)
        return fitting((self.history.plain(found) for found in tries), self.job.target)

    def after(self, most: int, keep: int) -> list[ModelMessage]:
        """What the processor makes of the history."""
        processor = SummarizationProcessor(
            model=self.model,
            trigger=("tokens", most),
            keep=("tokens", keep),
            token_counter=self.history.count,
            trim_tokens_to_summarize=None,
        )
        found: list[ModelMessage] = now(processor(self.history.messages))
        return found


if __name__ == "__main__":
    serve(Processed)
