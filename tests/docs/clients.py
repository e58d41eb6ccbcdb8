"""Stand-ins for the SDKs' clients, so that the pages' own code runs with no network.

Each judges the request by the SDK's request types and by the wire's rules, plays a small repair job
with a shell tool, and answers with the SDK's own reply objects. A request without tools is a
summariser's: it is answered with the six fields as JSON.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from anthropic.types import Message as AnthropicMessage
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from context_kit import Step, TaskSummary
from context_kit.tokens import counter
from context_kit.typing import Message, Shape
from context_kit.wire import faults
from tests.talks import accepted

NOISE = 12
"""Calls whose output fills the window: about 7,000 tokens each."""
SUMMARY = TaskSummary(
    completed_steps=[Step(text="Read parser.py and ran its test.", files=["parser.py"])],
    todo=["Run the test again."],
)


class Move(NamedTuple):
    """What the model says and, where it goes on, the command that it calls its tool with."""

    text: str
    command: str = ""


def job() -> Iterable[Move]:
    """A repair job: read, run, look around at length, edit, and say so."""
    yield Move("I read the parser first.", "cat parser.py")
    yield Move("Now its test.", "python3 test_parser.py")
    for number in range(NOISE):
        listing = f"seq -f 'trace {number}: line %05g, token read, state kept, nothing odd seen' 400"
        yield Move(f"I look at trace {number}.", listing)
        if number == NOISE // 2:
            yield Move("I decided to strip the text, because the test has spaces.", EDIT)
    yield Move("parser.py strips its text now; the test is left as it was.")


EDIT = "sed -i 's/return int(text)/return int(text.strip(\" +\"))/' parser.py"
PARSER = (
    '"""Reads numbers."""\n\n\ndef number(text: str) -> int:\n    """The number in a text."""\n    return int(text)\n'
)
TEST = 'from parser import number\n\nassert number(" + 12") == 12\n'


@cache
def _tokens(text: str) -> int:
    return counter(None)(text)


class _Model:
    """One model behind a client: its moves, over and over, and the requests that it was sent."""

    def __init__(self, shape: Shape) -> None:
        self.shape: Shape = shape
        self.requests: list[list[Message]] = []
        self._moves = iter(job())
        self._calls = 0

    def answer(self, messages: Sequence[Any], tools: object, beside: object = None) -> tuple[Move, str, int]:
        """The next move, the id of its call, and the request's tokens."""
        sent = list(messages)
        assert not faults(sent, shape=self.shape)
        accepted(sent, self.shape)
        tokens = sum(_tokens(json.dumps(part)) for part in (*sent, tools, beside))
        if not tools:
            return Move(SUMMARY.model_dump_json()), "", tokens
        self.requests.append(sent)
        move = next(self._moves, None)
        if move is None:
            self._moves = iter(job())
            move = next(self._moves)
        self._calls += 1
        return move, f"call_{self._calls}", tokens


class _Completions(_Model):
    def create(self, *, model: str, messages: Sequence[Any], tools: object = None, **_: object) -> ChatCompletion:
        move, name, tokens = self.answer(messages, tools)
        call = {"name": "bash", "arguments": json.dumps({"command": move.command})}
        message: dict[str, Any] = {"role": "assistant", "content": move.text}
        if move.command:
            message["tool_calls"] = [{"id": name, "type": "function", "function": call}]
        reason = "tool_calls" if move.command else "stop"
        return ChatCompletion.model_validate(
            {
                "id": "chatcmpl_1",
                "object": "chat.completion",
                "created": 1,
                "model": model,
                "choices": [{"index": 0, "finish_reason": reason, "logprobs": None, "message": message}],
                "usage": {"prompt_tokens": tokens, "completion_tokens": 40, "total_tokens": tokens + 40},
            }
        )


class _Responses(_Model):
    def create(self, *, model: str, tools: object = None, instructions: object = None, **rest: Any) -> Response:
        move, name, tokens = self.answer(rest["input"], tools, instructions)
        content = [{"type": "output_text", "text": move.text, "annotations": []}]
        output: list[dict[str, Any]] = [
            {"type": "message", "id": f"msg_{name}", "role": "assistant", "status": "completed", "content": content}
        ]
        if move.command:
            words = json.dumps({"command": move.command})
            output.append({"type": "function_call", "call_id": name, "name": "bash", "arguments": words})
        usage = {
            "input_tokens": tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 40,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens + 40,
        }
        settings = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed"}
        whole = {"id": "resp_1", "object": "response", "created_at": 1.0, "model": model, "output": output}
        return Response.model_validate({**whole, **settings, "usage": usage})


class _Messages(_Model):
    def create(
        self, *, model: str, messages: Sequence[Any], tools: object = None, system: object = None, **_: object
    ) -> AnthropicMessage:
        move, name, tokens = self.answer(messages, tools, system)
        content: list[dict[str, Any]] = [{"type": "text", "text": move.text}]
        if move.command:
            content.append({"type": "tool_use", "id": name, "name": "bash", "input": {"command": move.command}})
        return AnthropicMessage.model_validate(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": content,
                "stop_reason": "tool_use" if move.command else "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": tokens, "output_tokens": 40},
            }
        )

    @contextmanager
    def stream(self, **request: Any) -> Any:
        yield _Stream(self.create(**request))


class _Stream:
    def __init__(self, reply: AnthropicMessage) -> None:
        self._reply = reply
        self.text_stream = [block.text for block in reply.content if block.type == "text"]

    def get_final_message(self) -> AnthropicMessage:
        return self._reply


class _AsyncCompletions:
    def __init__(self) -> None:
        self._blocking = _Completions("chat")

    async def create(self, **request: Any) -> ChatCompletion:
        return self._blocking.create(**request)


class _Chat:
    def __init__(self, completions: _Completions | _AsyncCompletions) -> None:
        self.completions = completions


class FakeOpenAI:
    """`openai.OpenAI`, as far as the pages use it."""

    def __init__(self, **_: object) -> None:
        self.chat = _Chat(_Completions("chat"))
        self.responses = _Responses("responses")


class FakeAsyncOpenAI:
    """`openai.AsyncOpenAI`, as far as the pages use it."""

    def __init__(self, **_: object) -> None:
        self.chat = _Chat(_AsyncCompletions())


class FakeAnthropic:
    """`anthropic.Anthropic`, as far as the pages use it."""

    def __init__(self, **_: object) -> None:
        self.messages = _Messages("anthropic")


def run_tool(name: str, arguments: str | Mapping[str, Any]) -> str:
    """The one tool, a shell: what a command printed."""
    assert name == "bash"
    given = json.loads(arguments) if isinstance(arguments, str) else arguments
    done = subprocess.run(given["command"], shell=True, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


GIVEN: Mapping[str, Any] = {
    "MODEL": "gpt-5.4-mini",
    "SYSTEM": "You repair Python files.",
    "TASK": "Make test_parser.py pass. Do not change the test.",
    "TOOLS": [{"name": "bash", "description": "Runs a command.", "parameters": {"type": "object", "properties": {}}}],
    "run_tool": run_tool,
}
"""What README says is the reader's own."""

FILES: Mapping[str, str] = {"parser.py": PARSER, "test_parser.py": TEST}
"""What lies in the folder in which the pages' code runs."""
