"""OpenHands' `LLMSummarizingCondenser`, driven by token pressure over its own events."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# What it drives is installed in an environment of its own.
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openhands.sdk.context.condenser import LLMSummarizingCondenser
from openhands.sdk.context.condenser.base import NoCondensationAvailableException
from openhands.sdk.context.view import View
from openhands.sdk.event import ActionEvent, Event, MessageEvent, ObservationEvent
from openhands.sdk.event.condenser import Condensation
from openhands.sdk.llm import LLMResponse, MessageToolCall, TextContent
from openhands.sdk.llm import Message as LLMMessage
from openhands.sdk.testing import TestLLM
from openhands.sdk.tool.schema import Observation
from pydantic import PrivateAttr

from benchmarks._judge import count_tokens
from benchmarks._peers._protocol import SHARES, Job, Message, Stub, fitting, serve

SHOWN = "<EVENT>"
MANY = 1_000_000
"""Events: its other trigger, which isn't wanted beside a budget in tokens."""


class StubLLM(TestLLM):  # type: ignore[misc]
    """The stub as its LLM, with the exact tokeniser."""

    _stub: Any = PrivateAttr(default=None)

    def completion(self, messages: list[LLMMessage], *_: Any, **__: Any) -> LLMResponse:
        texts = [each.text for message in messages for each in message.content if isinstance(each, TextContent)]
        prompt = "\n".join(texts)
        reply = LLMMessage(role="assistant", content=[TextContent(text=self._stub.reply(prompt, texts[-1]))])
        return LLMResponse(message=reply, metrics=self._zero_metrics(), raw_response=self._create_model_response(reply))

    def get_token_count(self, messages: list[LLMMessage], *_: Any, **__: Any) -> int:
        """Exact tokens of texts and calls."""
        total = 0
        for message in messages:
            total += sum(count_tokens(each.text) for each in message.content if isinstance(each, TextContent))
            total += sum(count_tokens(call.name) + count_tokens(call.arguments) for call in message.tool_calls or [])
        return total


class Text(Observation):  # type: ignore[misc]
    """What a tool answered."""


class Condensed:
    """A log of events and its condenser."""

    def __init__(self, job: Job, stub: Stub) -> None:
        self.job, self.compactions = job, 0
        self.llm = StubLLM(model="gpt-5", usage_id="stub")
        self.llm._stub = stub  # noqa: SLF001
        self.events: list[Event] = []
        self.actions: dict[str, Event] = {}
        self.known: dict[str, tuple[int, Message]] = {}
        self.given = 0

    def add(self, message: Message, /) -> None:
        for event in self._made(message):
            self.events.append(event)
            self.known[event.id] = (self.given, message)
        self.given += 1

    def request(self) -> list[Message]:
        # It condenses to half of its limit, so its limit is twice what may stay beside the summary.
        condensation = self.condensed(min(2 * self.job.tail, self.job.soft))
        if condensation:
            self.compactions += 1
            self.events.append(condensation)
        return self.plain(self.events)

    def compact(self) -> list[Message]:
        return fitting(self.tried(), self.job.target)

    def tried(self) -> Any:
        """The window as it is, then condensed to ever less."""
        yield self.plain(self.events)
        for share in SHARES:
            condensation = self.condensed(int(2 * share * self.job.tail))
            yield self.plain([*self.events, condensation] if condensation else self.events)

    def condensed(self, most: int) -> Condensation | None:
        """What its condenser makes of the events."""
        condenser = LLMSummarizingCondenser(llm=self.llm, max_size=MANY, max_tokens=max(most, 1))
        try:
            found = condenser.condense(View.from_events(self.events), agent_llm=self.llm)
        except NoCondensationAvailableException:
            return None
        return found if isinstance(found, Condensation) else None

    def plain(self, events: Sequence[Event]) -> list[Message]:
        """The view as chat messages, calls of one reply together; only a summary has no original."""
        found: list[Message] = []
        seen = set[int]()
        for event in View.from_events(events).events:
            if event.id not in self.known:
                made = event.to_llm_message().content[0]
                assert isinstance(made, TextContent)
                self.known[event.id] = (-len(self.known), {"role": "user", "content": made.text})
            at, message = self.known[event.id]
            if at not in seen:
                seen.add(at)
                found.append(message)
        return found

    def _made(self, message: Message) -> list[Event]:
        text = TextContent(text=message.get("content") or "")
        if message["role"] == "tool":
            action = self.actions[message["tool_call_id"]]
            assert isinstance(action, ActionEvent)
            result = Text(content=[text])
            key = message["tool_call_id"]
            return [
                ObservationEvent(observation=result, action_id=action.id, tool_name=action.tool_name, tool_call_id=key)
            ]
        calls = message.get("tool_calls") or []
        if not calls:
            agent = message["role"] == "assistant"
            said = LLMMessage(role="assistant" if agent else "user", content=[text])
            return [MessageEvent(source="agent" if agent else "user", llm_message=said)]
        found: list[Event] = []
        for at, call in enumerate(calls):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            made = MessageToolCall(id=call["id"], name=name, arguments=arguments, origin="completion")
            action = ActionEvent(
                thought=[] if at else [text],
                tool_name=name,
                tool_call_id=call["id"],
                tool_call=made,
                llm_response_id=f"reply-{self.given}",
            )
            self.actions[call["id"]] = action
            found.append(action)
        return found


if __name__ == "__main__":
    serve(Condensed)
