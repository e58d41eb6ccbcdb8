"""LangChain's `SummarizationMiddleware`, driven by its own hook as an agent would."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# What it drives is installed in an environment of its own.
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, RemoveMessage, convert_to_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import ConfigDict

from benchmarks._peers._counts import lengths
from benchmarks._peers._protocol import SHARES, Job, Message, Stub, fitting, serve

SHOWN = "<messages>"
"""Where its prompt's own instructions end."""


class Model(BaseChatModel):  # type: ignore[misc]
    """The stub as a chat model."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    stub: Any

    @property
    def _llm_type(self) -> str:
        return "stub"

    def _generate(self, messages: list[Any], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:  # noqa: ARG002
        prompt = "\n".join(message.text for message in messages)
        reply = AIMessage(self.stub.reply(prompt, prompt.rpartition(SHOWN)[2]))
        return ChatResult(generations=[ChatGeneration(message=reply)])


class Summary:
    """Messages with the position of their original as id."""

    def __init__(self, job: Job, stub: Stub) -> None:
        self.job, self.compactions = job, 0
        self.originals: dict[str, Message] = {}
        self.messages: list[Any] = []
        self.model = Model(stub=stub)

    def add(self, message: Message, /) -> None:
        [made] = convert_to_messages([message])
        made.id = str(len(self.originals))
        self.originals[made.id] = message
        self.messages.append(made)

    def request(self) -> list[Message]:
        after = self.after(self.job.soft, self.job.tail)
        self.compactions += after is not self.messages
        self.messages = after
        return [self.plain(message) for message in after]

    def compact(self) -> list[Message]:
        tries = (self.after(self.job.target + 1, int(share * self.job.tail)) for share in SHARES)
        return fitting(([self.plain(message) for message in found] for found in tries), self.job.target)

    def after(self, most: int, keep: int) -> list[Any]:
        """The state after its hook, which runs before each model call."""
        middleware: SummarizationMiddleware[Any] = SummarizationMiddleware(
            self.model,
            trigger=("tokens", most),
            keep=("tokens", keep),
            token_counter=self.count,
            trim_tokens_to_summarize=None,
        )
        told = middleware.before_model({"messages": self.messages}, None)
        return [each for each in told["messages"] if not isinstance(each, RemoveMessage)] if told else self.messages

    def plain(self, message: Any) -> Message:
        """The original where there is one; only a summary has none."""
        if message.id not in self.originals:
            self.originals[message.id] = {"role": "user", "content": message.text}
        return self.originals[message.id]

    def count(self, messages: Iterable[Any]) -> int:
        """Exact tokens."""
        return lengths(self.plain(message) for message in messages)


if __name__ == "__main__":
    serve(Summary)
