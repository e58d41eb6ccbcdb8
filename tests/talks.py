"""What the core tests share: how a loop feeds a session, and a judge that knows nothing of the library.

The judge counts with another tokeniser (bpe_openai) and asks the SDKs' own request types.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from benchmarks._judge import count_tokens
from context_kit import ContextManager, Record
from context_kit.memory import LESSONS, OWN
from context_kit.testing import Call, assistant, system, tool_round, user
from context_kit.typing import Message, Shape

ROOT = Path(__file__).resolve().parents[1]
SHAPES: tuple[Shape, ...] = ("chat", "responses", "anthropic")

REPLY_ITEMS = ("reasoning", "function_call", "custom_tool_call", "web_search_call")
RESULT_ITEMS = ("function_call_output", "custom_tool_call_output")
SEALED = ("encrypted_content", "data", "thought_signature")
"""Keys of base64 data; what it costs is nobody's to count."""


# -- reading a message without the library ---------------------------------------------


def speaks(message: Message) -> bool:
    """Whether the model wrote it: such a message follows a request."""
    return message.get("role") == "assistant" or message.get("type") in REPLY_ITEMS


def answers(message: Message) -> bool:
    """Whether it holds results of calls."""
    if message.get("role") == "tool" or message.get("type") in RESULT_ITEMS:
        return True
    content = message.get("content")
    return isinstance(content, list) and any(block.get("type") == "tool_result" for block in content)


def texts(node: object) -> Iterator[str]:
    """Every string of a message, ids and all."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in node.values():
            yield from texts(value)
    elif isinstance(node, (list, tuple)):
        for value in node:
            yield from texts(value)


def told(messages: Iterable[Message]) -> str:
    """Every string of a list, joined."""
    return "\n".join(texts(list(messages)))


def prints(messages: Sequence[Message]) -> list[str]:
    """The bytes of each message."""
    return [json.dumps(message, ensure_ascii=True) for message in messages]


def size(messages: Sequence[Message]) -> int:
    """Tokens by another tokeniser; media, ids, sealed data and framing are free."""
    warm()
    return count_tokens([_open(message) for message in messages])


@cache
def warm() -> None:
    """Load the other tokeniser, whose own way of reading its data is deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        count_tokens("")
        count_tokens("warm")


def _open(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _open(value) for key, value in node.items() if key not in SEALED}
    return [_open(value) for value in node] if isinstance(node, list) else node


@cache
def request_type(shape: Shape) -> TypeAdapter[Any]:
    """The SDK's own type of a request's messages."""
    if shape == "chat":
        from openai.types.chat import ChatCompletionMessageParam

        return TypeAdapter(list[ChatCompletionMessageParam])
    if shape == "responses":
        from openai.types.responses import ResponseInputItemParam

        return TypeAdapter(list[ResponseInputItemParam])
    from anthropic.types.beta import BetaMessageParam

    return TypeAdapter(list[BetaMessageParam])


def accepted(messages: Sequence[Message], shape: Shape) -> None:
    """Check a list by the SDK's own request type.

    Raises:
        ValidationError: the type refuses it.
    """
    exhaust(request_type(shape).validate_python(list(messages)))


def known(ctx: ContextManager) -> Shape | None:
    """The shape by whose rules a session's lists are judged: None, chat's loosest, while plain texts haven't told one."""
    return ctx._session.log.shape


def exhaust(value: Any) -> None:
    """Read every `Iterable` field of the SDKs: pydantic checks them only then."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        for inner in value:
            exhaust(inner)


# -- feeding ---------------------------------------------------------------------------


def due(talk: Sequence[Message], at: int) -> bool:
    """Whether an agent's loop asks the model before this message: it answers something."""
    return at > 0 and speaks(talk[at]) and not speaks(talk[at - 1])


def feed(ctx: ContextManager, talk: Sequence[Message]) -> list[list[Message]]:
    """Play a conversation as an agent's loop does; every list that was sent."""
    sent: list[list[Message]] = []
    for at, message in enumerate(talk):
        if due(talk, at):
            sent.append(ctx.prepare())
        ctx.add(message)
    return sent


# -- a session that everyone knows -----------------------------------------------------

GOAL = "Make `pytest -q` pass in src/calc.py. Do not touch tests/. Keep the public names as they are."
GOAL_ZH = "修好 src/calc.py，让 pytest -q 通过。不要改动 tests/ 目录。公开的函数名保持不变。"
NEWEST = "Also add a docstring to divide()."
NEWEST_ZH = "另外给 divide() 加上文档字符串。"
CODE = 'def divide(a: float, b: float) -> float:\n    return a / b\n\n\ndef total(values: list[float]) -> float:\n    """The sum."""\n    return sum(values)\n'
FAILED = (
    "=================================== FAILURES ===================================\n"
    "    def test_divide_by_zero():\n>       assert divide(1, 0) == 0\n\n"
    "src/calc.py:2: ZeroDivisionError: division by zero\n"
    "FAILED tests/test_calc.py::test_divide_by_zero - ZeroDivisionError: division by zero\n"
    "1 failed, 3 passed in 0.12s"
)
PASSED = "4 passed in 0.10s"


def filler(number: int, lines: int = 40) -> str:
    """Output that nobody needs later, no two alike."""
    return "\n".join(f"line {line} of listing {number}: value {line * number % 97}" for line in range(lines))


def looks(shape: Shape, number: int, *, lines: int = 40) -> list[Message]:
    """A step that lists something large and unimportant."""
    call = Call("Bash", {"command": f"ls -la part{number}"}, result=filler(number, lines), id=f"look_{number}")
    return tool_round([call], shape=shape, text=f"Let me look at part {number}.")


def runs(shape: Shape, result: str, *, id: str, command: str = "pytest -q", failed: bool = False) -> list[Message]:  # noqa: A002
    """A step that runs a command."""
    return tool_round([Call("Bash", {"command": command}, result=result, id=id, failed=failed)], shape=shape)


def reads(shape: Shape, path: str, content: str, *, id: str) -> list[Message]:  # noqa: A002
    """A step that reads a file."""
    return tool_round([Call("Read", {"file_path": path}, result=content, id=id)], shape=shape)


def writes(shape: Shape, path: str, content: str, *, id: str, text: str = "") -> list[Message]:  # noqa: A002
    """A step that writes a file."""
    call = Call("Write", {"file_path": path, "content": content}, result=f"Wrote {path}.", id=id)
    return tool_round([call], shape=shape, text=text)


def session(shape: Shape = "chat", language: str = "en", *, looked: int = 12) -> list[Message]:
    """A small repair job: a goal, a file read and edited, a failing test, a newer request, much output between."""
    goal, newest = (GOAL_ZH, NEWEST_ZH) if language == "zh" else (GOAL, NEWEST)
    why = (
        "我决定返回 0 而不是抛出异常，因为测试要求这样。"
        if language == "zh"
        else "I decided to return 0 instead of raising, because the test asks for it."
    )
    half = looked // 2
    return [
        *([system("You are a careful engineer.")] if shape != "anthropic" else []),
        user(goal, shape=shape),
        *reads(shape, "src/calc.py", CODE, id="read_1"),
        *(message for number in range(half) for message in looks(shape, number)),
        *writes(shape, "src/calc.py", CODE.replace("a / b", "a / b if b else 0"), id="write_1", text=why),
        *runs(shape, f"Exit code 1\n{FAILED}", id="run_1", failed=True),
        *assistant("It still fails. I will look further.", shape=shape),
        user(newest, shape=shape),
        *(message for number in range(half, looked) for message in looks(shape, number)),
    ]


def steps(records: Iterable[Record]) -> tuple[Record, ...]:
    """The journal's records of what was done, without what was learned from it."""
    return tuple(record for record in records if record.action not in LESSONS or not record.id.startswith(OWN))


# -- other processes -------------------------------------------------------------------


def ran(code: str, *arguments: str) -> None:
    """Run a program in a fresh interpreter, to its good end, a minute at most."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
