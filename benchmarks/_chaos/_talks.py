"""What is said in a session: generated in each shape, or cut out of a real transcript.

The invariant guarded here: a talk is legal up to each of its beats, and each user's text of a generated one is unique.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks.transcripts import TRANSCRIPTS
from context_kit.testing import Call, assistant, system, tool_round, user
from context_kit.typing import Message, Shape

__all__ = ["SHAPES", "Beat", "Talk", "drawn", "speaks"]

SHAPES: tuple[Shape, ...] = ("chat", "responses", "anthropic")
PATHS = ("src/app.py", "src/数据.py", "docs/read me.md", "tests/test_app.py")
MOST_TOKENS = 1_300_000
"""Of one talk; what is above is no other kind of session."""
WANTS = ("Please go on with part", "Do not touch the tests in part", "不要改动第几部分：", "Fix the failure of part")
OUTPUTS = (
    "Exit code 1\nTraceback (most recent call last):\n  File 'src/app.py', line 3\nValueError: bad token {n}\n",
    "FAILED tests/test_app.py::test_{n} - AssertionError: assert {n} == 2\n",
    "{n} passed in 0.10s\n",
    "",
)


@dataclass
class Beat:
    """What comes in at once: a user's turn, or a reply with the results of its calls."""

    reply: list[Message] = field(default_factory=list)
    """What the model said; empty where a person did."""
    after: list[Message] = field(default_factory=list)
    """What the loop adds then."""


@dataclass
class Talk:
    """A whole session, before it is played."""

    shape: Shape
    window: int
    beats: list[Beat]
    beside: dict[str, Any] = field(default_factory=dict)
    """System prompt and tools that are sent beside the messages."""
    name: str = ""


def speaks(message: Message) -> bool:
    """Whether the model wrote it."""
    return message.get("role") == "assistant" or message.get("type") in (
        "reasoning",
        "function_call",
        "custom_tool_call",
    )


@cache
def _block() -> str:
    """Text that nobody needs later, from which outputs are cut."""
    rng = random.Random("block")
    words = ["value", "path", "def", "return", "error", "列表", "🚀", "config", "test", "==", "0x3f", "import"]
    lines = (f"{n:06d} {' '.join(rng.choices(words, k=7))} {rng.random():.6f}" for n in range(60_000))
    return "\n".join(lines)


def filler(rng: random.Random, tokens: int) -> str:
    """About so many tokens of output."""
    size = max(tokens * 2, 1)
    block = _block()
    at = rng.randrange(max(len(block) - size, 1))
    return block[at : at + size]


def drawn(rng: random.Random) -> Talk:
    """A talk: every tenth from a transcript where there are any."""
    if rng.random() < 0.1 and (paths := _transcripts()):
        return _cut(rng, rng.choice(paths))
    return _made(rng)


@cache
def _transcripts() -> tuple[Path, ...]:
    return tuple(sorted(TRANSCRIPTS.glob("*.json")))


@cache
def _document(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def _cut(rng: random.Random, path: Path) -> Talk:
    """Some hundred messages of a real session, from a user's turn on."""
    document = _document(path)
    messages: list[Message] = document["messages"]
    starts = [at for at, message in enumerate(messages) if message["role"] == "user" and not _answers(message)]
    first = rng.choice(starts or [0])
    talk = messages[first : first + rng.randint(10, 120)]
    head = [message for message in messages[:first] if message["role"] in ("system", "developer")]
    beside = {name: document.get(name) for name in ("system", "tools")}
    fixed = count_tokens(list(beside.values())) + count_tokens(head)
    window = max(int(rng.uniform(0.15, 0.6) * count_tokens(talk)), 5 * fixed, 8_000)
    shape: Shape = "anthropic" if document["format"] == "anthropic-messages" else "chat"
    return Talk(shape, window, _beats([*head, *talk]), beside, path.stem)


def _answers(message: Message) -> bool:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return message.get("role") == "tool" or any(block.get("type") == "tool_result" for block in blocks)


def _beats(messages: Sequence[Message]) -> list[Beat]:
    beats: list[Beat] = []
    for message in messages:
        if speaks(message) and (not beats or beats[-1].after):
            beats.append(Beat())
        if speaks(message):
            beats[-1].reply.append(message)
        elif beats and _answers(message):
            beats[-1].after.append(message)
        else:
            beats.append(Beat(after=[message]))
    return beats


def _made(rng: random.Random) -> Talk:
    shape = rng.choice(SHAPES)
    window = int(2_000 * 500 ** rng.random())
    steps = rng.randint(12, 48)
    size = min(int(window * rng.uniform(1.2, 4.0)), MOST_TOKENS) // steps
    thinks = rng.random() < 0.3
    beats: list[Beat] = []
    if shape != "anthropic" and rng.random() < 0.7:
        beats.append(Beat(after=[system(f"You are careful engineer {rng.randint(1, 99)}.")]))
    beats.append(_turn(rng, shape, 0, size, giant=rng.random() < 0.1))
    for number in range(1, steps):
        kind = rng.random()
        if kind < 0.15:
            beats.append(_turn(rng, shape, number, size, giant=rng.random() < 0.1))
        elif kind < 0.25:
            said = assistant(f"That was part {number}.", shape=shape, reasoning="Let me see." if thinks else "")
            beats.append(Beat(reply=said))
        else:
            beats.append(_round(rng, shape, number, size, thinks=thinks, window=window))
    return Talk(shape, window, beats, name="made")


def _turn(rng: random.Random, shape: Shape, number: int, size: int, *, giant: bool) -> Beat:
    text = f"Request {number}-{rng.randrange(10**6)}: {rng.choice(WANTS)} {number}."
    if giant:
        text += f"\n{filler(rng, size * 3)}"
    return Beat(after=[user(text, shape=shape, picture=rng.random() < 0.05)])


def _round(rng: random.Random, shape: Shape, number: int, size: int, *, thinks: bool, window: int) -> Beat:
    calls = [_call(rng, f"call_{number}_{at}", number, size) for at in range(rng.choice((1, 1, 1, 2, 4)))]
    if rng.random() < 0.04:  # one that is larger than the window
        giant = filler(rng, min(int(window * 1.5), MOST_TOKENS // 4))
        calls[0] = Call(calls[0].name, calls[0].arguments, result=giant, id=calls[0].id)
    if rng.random() < 0.06:  # one that nobody answered
        calls[-1] = Call(calls[-1].name, calls[-1].arguments, result=None, id=calls[-1].id)
    text = f"Now part {number}." if rng.random() < 0.5 else ""
    made = tool_round(calls, shape=shape, text=text, reasoning="I had better look." if thinks else "")
    reply = [message for message in made if speaks(message)]
    return Beat(reply=reply, after=made[len(reply) :])


def _call(rng: random.Random, name: str, number: int, size: int) -> Call:
    path, kind = rng.choice(PATHS), rng.random()
    share = max(int(size * rng.uniform(0.2, 1.2)), 1)
    if kind < 0.15:
        old, new = filler(rng, share // 4), filler(rng, share // 4)
        return Call("Edit", {"file_path": path, "old_string": old, "new_string": new}, result="Done.", id=name)
    if kind < 0.25:
        return Call("Write", {"file_path": path, "content": filler(rng, share)}, result=f"Wrote {path}.", id=name)
    if kind < 0.4:
        return Call("Read", {"file_path": path}, result=filler(rng, share), id=name)
    result = rng.choice(OUTPUTS).format(n=number) + filler(rng, share)
    failed = rng.random() < 0.2
    return Call("Bash", {"command": "python -m pytest -q"}, result=result, id=name, failed=failed)
