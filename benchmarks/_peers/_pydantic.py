"""Chat messages as pydantic-ai's, one for one, and back; what its peers left as it was is the original again."""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# What it drives is installed in an environment of its own.
from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from pydantic_ai.messages import (
    CompactionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel

from benchmarks._peers._counts import lengths
from benchmarks._peers._protocol import Message, Stub

__all__ = ["History", "model", "now"]


class History:
    """Messages with their originals."""

    def __init__(self) -> None:
        self.messages: list[ModelMessage] = []
        self._known: dict[int, tuple[ModelMessage, list[Message]]] = {}
        self._names: dict[str, str] = {}

    def add(self, message: Message) -> None:
        made = self._made(message)
        self._known[id(made)] = (made, [message])
        self.messages.append(made)

    def plain(self, messages: Iterable[ModelMessage]) -> list[Message]:
        """As chat messages."""
        found: list[Message] = []
        for message in messages:
            if id(message) not in self._known:
                self._known[id(message)] = (message, _plain(message))
            found += self._known[id(message)][1]
        return found

    def count(self, messages: Iterable[ModelMessage]) -> int:
        """Exact tokens."""
        return lengths(self.plain(messages))

    def _made(self, message: Message) -> ModelMessage:
        text = message.get("content") or ""
        if message["role"] == "assistant":
            calls = [
                ToolCallPart(call["function"]["name"], call["function"]["arguments"], tool_call_id=call["id"])
                for call in message.get("tool_calls") or []
            ]
            self._names.update({call.tool_call_id: call.tool_name for call in calls})
            return ModelResponse(parts=[*([TextPart(text)] if text else []), *calls])
        if message["role"] == "tool":
            key = message["tool_call_id"]
            return ModelRequest(parts=[ToolReturnPart(self._names.get(key, "tool"), text, tool_call_id=key)])
        kind = UserPromptPart if message["role"] == "user" else SystemPromptPart
        return ModelRequest(parts=[kind(text)])


def _plain(message: ModelMessage) -> list[Message]:
    if isinstance(message, ModelResponse):
        text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
        calls = [
            {
                "id": part.tool_call_id,
                "type": "function",
                "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
            }
            for part in message.parts
            if isinstance(part, ToolCallPart)
        ]
        said: Message = {"role": "assistant", "content": text or None}
        return [{**said, "tool_calls": calls} if calls else said]
    return [_part(part) for part in message.parts]


def _part(part: Any) -> Message:
    if isinstance(part, ToolReturnPart):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, CompactionPart):
        return {"role": "user", "content": f"<conversation_summary>\n{part.content}\n</conversation_summary>"}
    content = part.content
    text = content if isinstance(content, str) else "\n".join(getattr(each, "content", str(each)) for each in content)
    return {"role": "user", "content": text}


def model(stub: Stub, shown: str) -> FunctionModel:
    """The stub as a model; its prompt's own instructions end with `shown`."""

    def reply(messages: list[ModelMessage], info: Any) -> ModelResponse:  # noqa: ARG001
        prompt = "\n".join(str(part.content) for each in messages for part in each.parts if hasattr(part, "content"))
        instructions = "\n".join(each.instructions or "" for each in messages if isinstance(each, ModelRequest))
        return ModelResponse(parts=[TextPart(stub.reply(f"{instructions}\n{prompt}", prompt.partition(shown)[2]))])

    return FunctionModel(reply)


_LOOP = asyncio.new_event_loop()


def now(work: Coroutine[Any, Any, Any]) -> Any:
    """What an async function gives."""
    return _LOOP.run_until_complete(work)
