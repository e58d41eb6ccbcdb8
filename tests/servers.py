"""A model behind `create` whose window is smaller than believed, and which says so as one provider or another does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from context_kit.typing import Message, Shape
from tests.talks import size
from tests.wire.test_wire_overflow import ClientError, GenaiError, chat, of_anthropic, of_openai

__all__ = ["REFUSALS", "SILENT", "Server"]

Refusal = Callable[[int, int], Exception]

REFUSALS: dict[str, Refusal] = {
    "OpenAI": lambda limit, asked: chat(
        f"This model's maximum context length is {limit} tokens. However, your messages resulted in {asked} tokens.",
        code="context_length_exceeded",
    ),
    "OpenAI Responses": lambda _, __: chat(
        "Your input exceeds the context window of this model.", code="context_length_exceeded"
    ),
    "Anthropic": lambda limit, asked: of_anthropic(
        400, "invalid_request_error", f"prompt is too long: {asked} tokens > {limit} maximum"
    ),
    "Bedrock": lambda _, __: ClientError(400, "ValidationException", "Input is too long for requested model."),
    "Gemini": lambda limit, asked: GenaiError(
        400,
        "INVALID_ARGUMENT",
        f"The input token count ({asked}) exceeds the maximum number of tokens allowed ({limit}).",
    ),
    "OpenRouter": lambda limit, asked: of_openai(
        502,
        {
            "error": {
                "message": "Provider returned error",
                "code": 502,
                "metadata": {
                    "raw": f"This endpoint's maximum context length is {limit} tokens. However, you requested about "
                    f"{asked} tokens"
                },
            }
        },
    ),
    "vLLM": lambda limit, asked: of_openai(
        400,
        {
            "object": "error",
            "message": f"This model's maximum context length is {limit} tokens. However, your request has {asked} "
            "input tokens.",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "llama.cpp": lambda limit, asked: of_openai(
        400,
        {
            "error": {
                "code": 400,
                "message": f"request ({asked} tokens) exceeds the available context size ({limit} tokens)",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": asked,
                "n_ctx": limit,
            }
        },
    ),
    "LM Studio": lambda limit, asked: of_openai(
        400,
        {
            "error": f"Trying to keep the first {asked} tokens when context the overflows. However, the model is "
            f"loaded with context length of only {limit} tokens"
        },
    ),
    "Groq": lambda _, __: chat(
        "Please reduce the length of the messages or completion.", code="context_length_exceeded"
    ),
}
"""By server, the error that it answers a request of `asked` tokens with where its window has `limit`."""

SILENT = ("event", "ending", "cut")
"""Overflows that look like success: an error event in the reply's place, a reply that the window ended, a cut
without a word."""


@dataclass
class Server:
    """A model with a window of its own; every request is looked at before it is judged."""

    shape: Shape
    window: int
    says: str
    """A key of `REFUSALS`, or one of `SILENT`."""
    reply: Callable[[], Sequence[Message]]
    """What the model says where the request fits."""
    look: Callable[[list[Message]], None]
    sent: list[str] = field(default_factory=list[str])
    """The bytes of each request."""

    def create(self, **request: Any) -> Any:
        """A reply, or the error that this server raises."""
        messages: list[Message] = request["input" if "input" in request else "messages"]
        self.look(messages)
        self.sent.append(json.dumps(messages))
        asked = max(size(messages), 1)
        if asked <= self.window:
            return self.envelope(self.reply(), asked)
        if self.says in REFUSALS:
            raise REFUSALS[self.says](self.window, asked)
        if self.says == "event":
            return {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}}
        if self.says == "ending":
            return self.envelope(self.reply(), asked, ending=True)
        return self.envelope(self.reply(), self.window // 2)

    async def acreate(self, **request: Any) -> Any:
        """The same, awaited."""
        await asyncio.sleep(0)
        return self.create(**request)

    def envelope(self, reply: Sequence[Message], asked: int, *, ending: bool = False) -> dict[str, Any]:
        """A whole reply object around what the model said."""
        if self.shape == "responses":
            status = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}} if ending else {}
            usage = {"input_tokens": asked, "output_tokens": 0 if ending else 9}
            return {"object": "response", "status": "completed", **status, "output": list(reply), "usage": usage}
        if self.shape == "anthropic":
            stop = "model_context_window_exceeded" if ending else "end_turn"
            usage = {"input_tokens": asked, "output_tokens": 9}
            return {**reply[0], "type": "message", "stop_reason": stop, "usage": usage}
        finish = "model_length" if ending else "stop"
        choice = {"index": 0, "finish_reason": finish, "message": reply[0]}
        usage = {"prompt_tokens": asked, "completion_tokens": 9}
        return {"object": "chat.completion", "choices": [choice], "usage": usage}
