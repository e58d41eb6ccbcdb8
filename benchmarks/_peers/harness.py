"""pydantic-ai-harness: `TieredCompaction` of cleared tool results, then a summary, as its guide recommends."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# What it drives is installed in an environment of its own.
from __future__ import annotations

from pydantic_ai.messages import ModelMessage
from pydantic_ai_harness.compaction import ClearToolResults, SummarizingCompaction, TieredCompaction, compact_now

from benchmarks._judge import count_tokens
from benchmarks._peers._protocol import SHARES, Job, Message, Stub, fitting, serve
from benchmarks._peers._pydantic import History, model, now

SHOWN = "<messages>\n"


class Tiered:
    """A history and its strategy, which persists what it edits."""

    def __init__(self, job: Job, stub: Stub) -> None:
        self.job, self.compactions = job, 0
        self.history, self.model = History(), model(stub, SHOWN)

    def add(self, message: Message, /) -> None:
        self.history.add(message)

    def request(self) -> list[Message]:
        if self.history.count(self.history.messages) >= self.job.soft:
            after = self.after(self.job.tail)
            self.compactions += self.history.plain(after) != self.history.plain(self.history.messages)
            self.history.messages = after
        return self.history.plain(self.history.messages)

    def compact(self) -> list[Message]:
        if self.history.count(self.history.messages) <= self.job.target:
            return self.history.plain(self.history.messages)
        tries = (self.after(int(share * self.job.tail)) for share in SHARES)
        return fitting((self.history.plain(found) for found in tries), self.job.target)

    def after(self, keep: int) -> list[ModelMessage]:
        """What the tiers make of the history."""
        summary = SummarizingCompaction[None](
            model=self.model,
            max_messages=1,
            keep_tokens=max(keep, 1),
            tokenizer=count_tokens,
            tool_return_max_chars=None,
        )
        tiers = [ClearToolResults[None](max_tokens=1, tokenizer=count_tokens), summary]
        strategy = TieredCompaction[None](tiers=tiers, target_tokens=self.job.target, tokenizer=count_tokens)
        found: list[ModelMessage] = now(compact_now(strategy, self.history.messages, model=self.model))
        return found


if __name__ == "__main__":
    serve(Tiered)
