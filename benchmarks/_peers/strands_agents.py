"""strands-agents' `SummarizingConversationManager`, asked to reduce as its agent does when the window is full."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# What it drives is installed in an environment of its own.
from __future__ import annotations

import json
from collections.abc import AsyncIterable
from typing import Any

from strands import Agent
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.models.model import Model

from benchmarks._peers._counts import lengths
from benchmarks._peers._protocol import Job, Message, Stub, fitting, serve

RECENT = 2
"""Messages always kept: as few as can be, for its tail is by number and the budget by tokens."""
ROUNDS = 12
"""Reductions in a row, each of its default share of 30 % of the messages."""


class StubModel(Model):  # type: ignore[misc]
    """The stub as a model."""

    def __init__(self, stub: Stub) -> None:
        self.stub = stub

    def update_config(self, **model_config: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self,
        messages: Any,
        tool_specs: Any = None,  # noqa: ARG002
        system_prompt: str | None = None,
        **_: Any,
    ) -> AsyncIterable[Any]:
        """One reply in one piece."""
        shown = "\n".join(text for message in messages[:-1] for text in _texts(message["content"]))
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        text = self.stub.reply(f"{system_prompt}\n{json.dumps(messages, ensure_ascii=False)}", shown)
        yield {"contentBlockDelta": {"delta": {"text": text}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def _texts(node: Any) -> list[str]:
    if isinstance(node, str):
        return [node]
    values = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    return [text for each in values for text in _texts(each)]


class Managed:
    """An agent's messages in its own shape, each with the chat messages that it stands for."""

    def __init__(self, job: Job, stub: Stub) -> None:
        self.job, self.compactions = job, 0
        self.manager = SummarizingConversationManager(preserve_recent_messages=RECENT, pin_first=1)
        self.agent = Agent(model=StubModel(stub), conversation_manager=self.manager, callback_handler=None)
        self.known: dict[int, tuple[Any, list[Message]]] = {}

    def add(self, message: Message, /) -> None:
        messages: list[Any] = self.agent.messages
        result = message["role"] == "tool"
        if result and messages and "toolResult" in messages[-1]["content"][0]:
            messages[-1]["content"] += _blocks(message)
            self.known[id(messages[-1])][1].append(message)
            return
        made = {"role": "assistant" if message["role"] == "assistant" else "user", "content": _blocks(message)}
        messages.append(made)
        self.known[id(made)] = (made, [message])

    def request(self) -> list[Message]:
        if lengths(self.plain()) >= self.job.soft:
            self.compactions += 1
            return fitting(self.reduced(), self.job.target)
        return self.plain()

    def compact(self) -> list[Message]:
        return fitting(self.reduced(), self.job.target)

    def reduced(self) -> Any:
        """The window as it is, then after each reduction."""
        yield self.plain()
        for _ in range(ROUNDS):
            before = len(self.agent.messages)
            self.manager.reduce_context(self.agent)
            if len(self.agent.messages) == before:
                return
            yield self.plain()

    def plain(self) -> list[Message]:
        """As chat messages; only a summary has no original."""
        found: list[Message] = []
        for message in self.agent.messages:
            if id(message) not in self.known:
                text = "\n".join(block["text"] for block in message["content"] if "text" in block)
                self.known[id(message)] = (message, [{"role": "user", "content": text}])
            found += self.known[id(message)][1]
        return found


def _blocks(message: Message) -> list[Message]:
    text = message.get("content") or ""
    if message["role"] == "tool":
        result = {"toolUseId": message["tool_call_id"], "status": "success", "content": [{"text": text}]}
        return [{"toolResult": result}]
    uses = [
        {"toolUse": {"toolUseId": call["id"], "name": call["function"]["name"], "input": _input(call)}}
        for call in message.get("tool_calls") or []
    ]
    return [*([{"text": text}] if text or not uses else []), *uses]


def _input(call: Message) -> Any:
    try:
        return json.loads(call["function"]["arguments"])
    except ValueError:
        return {"input": call["function"]["arguments"]}


if __name__ == "__main__":
    serve(Managed)
