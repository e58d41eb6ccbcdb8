"""The tools for tests keep their own promises: scripts fail loudly, conversations are legal."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from context_kit import wire
from context_kit.testing import Call, ScriptedLLM, assistant, conversations, image, system, tool_round, user
from context_kit.types import SummaryReply, SummaryRequest, TaskSummary
from context_kit.typing import Message, Shape
from tests.talks import accepted

REQUEST = SummaryRequest(
    instructions="Fill the six fields.",
    transcript="user: fix it",
    focus=None,
    messages=(),
    previous=None,
    schema={},
    max_tokens=500,
    language="en",
)
SHAPES: tuple[Shape, ...] = ("chat", "responses", "anthropic")
drawn = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# -- ScriptedLLM ---------------------------------------------------------------


def test_replies_come_in_order_and_requests_are_kept() -> None:
    """Each request gets the next reply, whatever form it was scripted in."""
    summary = TaskSummary(original_goal="fix it")
    reply = SummaryReply("text", stop="length")
    llm = ScriptedLLM(["one", reply, summary, lambda request: request.transcript.upper()])
    assert [llm(REQUEST) for _ in range(4)] == ["one", reply, summary.model_dump_json(), "USER: FIX IT"]
    assert llm.requests == [REQUEST] * 4
    llm.done()


def test_a_scripted_error_is_raised() -> None:
    """An exception among the replies is raised at its turn, and the script goes on after it."""
    with ScriptedLLM([TimeoutError("slow"), lambda _: OSError("gone"), "then"]) as llm:
        with pytest.raises(TimeoutError, match="slow"):
            llm(REQUEST)
        with pytest.raises(OSError, match="gone"):
            llm(REQUEST)
        assert llm(REQUEST) == "then"


def test_asking_too_often_fails() -> None:
    """One request more than there are replies is an AssertionError that counts."""
    llm = ScriptedLLM(["only"])
    llm(REQUEST)
    with pytest.raises(AssertionError, match="asked 2 times"):
        llm(REQUEST)


def test_unused_replies_fail() -> None:
    """A reply that nobody asked for fails `done` and the end of a `with` block."""
    with pytest.raises(AssertionError, match="1 scripted replies"):
        ScriptedLLM(["never"]).done()
    with pytest.raises(AssertionError, match="'never'"), ScriptedLLM(["never"]):
        pass


def test_an_error_in_the_block_is_not_masked() -> None:
    """Where the block itself raises, that error comes out, not the one about unused replies."""
    with pytest.raises(ZeroDivisionError), ScriptedLLM(["never"]):
        raise ZeroDivisionError


def test_the_async_twin_shares_the_script() -> None:
    """`.a` awaits what the sync one would return; `asynchronous` has a script of its own."""

    async def later(request: SummaryRequest) -> str:
        return f"{request.language}!"

    async def play() -> None:
        llm = ScriptedLLM(["one", later, TimeoutError("slow")])
        assert await llm.a(REQUEST) == "one"
        async with llm.a as twin:
            assert await twin(REQUEST) == "en!"
            with pytest.raises(TimeoutError):
                await twin(REQUEST)
        assert len(llm.requests) == 3
        own = ScriptedLLM.asynchronous(["alone"])
        with pytest.raises(AssertionError, match="never asked"), own:
            pass
        assert await own(REQUEST) == "alone"

    asyncio.run(play())


# -- builders and strategies -----------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_builders_make_legal_requests(shape: Shape) -> None:
    """A conversation put together from the builders is what the SDK's request type asks for."""
    calls = [
        Call("read", {"path": "a.py"}, result="x = 1", id="c1", picture=True),
        Call("patch", "*** Begin Patch", result="", id="c2", failed=True),
    ]
    messages: list[Message] = [
        *([] if shape == "anthropic" else [system("Be brief."), system("Be kind.", role="developer")]),
        user("看这张图", shape=shape, picture=True),
        *tool_round(calls, shape=shape, text="Reading.", reasoning="It may be in a.py."),
        *assistant("Done ✅", shape=shape, reasoning="Good."),
    ]
    accepted(messages, shape)


def test_an_interrupted_call_has_no_result() -> None:
    """`result=None` leaves the call unanswered in every shape."""
    for shape in SHAPES:
        step = tool_round([Call("run", {"cmd": "make"}, result=None)], shape=shape)
        assert len(step) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_drawn_conversations_are_valid_requests(shape: Shape) -> None:
    """Every drawn conversation passes the SDK's own request type."""

    @drawn
    @given(conversations(shape))
    def law(messages: list[Message]) -> None:
        accepted(messages, shape)

    law()


@pytest.mark.parametrize("shape", SHAPES)
def test_drawn_conversations_are_legal_on_the_wire(shape: Shape) -> None:
    """Every drawn conversation is read message by message, in its own shape, and breaks no rule."""

    @drawn
    @given(conversations(shape))
    def law(messages: list[Message]) -> None:
        read = [found for message in messages for found in wire.read(message).messages]
        assert [found.raw for found in read] == messages
        assert {found.shape for found in read} <= {shape, None}
        assert wire.faults(messages, shape=shape) == ()

    law()


def features(messages: list[Message]) -> Counter[str]:
    """What a conversation has in it."""
    found: Counter[str] = Counter()
    text = repr(messages)
    ids = [name for message in messages for name in call_ids(message)]
    found["repeated ids"] = len(ids) - len(set(ids))
    found["parallel"] = sum(len(call_ids(message)) > 1 for message in messages)
    pairs = pairwise(messages)  # Responses: one item a call
    found["parallel"] += sum(bool(call_ids(before) and call_ids(after)) for before, after in pairs)
    found["image"] = text.count("base64")
    found["reasoning"] = text.count("reasoning_content") + text.count("'thinking'") + text.count("rs_")
    found["Chinese"] = text.count("不要")
    found["emoji"] = text.count("🚀")
    found["giant"] = len(text) > 8_000
    found["middle system"] = any(message.get("role") == "system" for message in messages[3:])
    answers = ("'tool_call_id'", "'function_call_output'", "'custom_tool_call_output'", "'tool_result'")
    found["open"] = len(ids) - sum(text.count(answer) for answer in answers)
    return found


def call_ids(message: Message) -> list[str]:
    """Ids of the calls in a message."""
    if message.get("type") in ("function_call", "custom_tool_call"):
        return [message["call_id"]]
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [call["id"] for call in message.get("tool_calls", ())] + [b["id"] for b in blocks if b["type"] == "tool_use"]


@cache
def seen(shape: Shape, *, interrupted: bool = False) -> Counter[str]:
    """The features of 300 drawn conversations, summed."""
    total: Counter[str] = Counter()

    @settings(max_examples=300, deadline=None, database=None, phases=[Phase.generate], derandomize=True)
    @given(conversations(shape, interrupted=interrupted))
    def collect(messages: list[Message]) -> None:
        total.update(features(messages))

    collect()
    return total


@pytest.mark.parametrize("shape", SHAPES)
def test_every_wild_thing_is_drawn(shape: Shape) -> None:
    """Parallel calls, repeated ids, images, reasoning, Chinese, emoji, giants and mid-way systems all occur."""
    found = seen(shape)
    assert [name for name in features([]) if name != "open" and not found[name]] == []


@pytest.mark.parametrize("shape", SHAPES)
def test_interrupted_conversations_leave_calls_open(shape: Shape) -> None:
    """With `interrupted` a call without a result occurs, and never otherwise."""
    assert seen(shape)["open"] == 0
    assert seen(shape, interrupted=True)["open"] > 0


def test_steps_are_bounded() -> None:
    """One step is one user turn after the system messages; without a shape all three are drawn."""

    @drawn
    @given(conversations(min_steps=1, max_steps=1))
    def law(messages: list[Message]) -> None:
        assert [message["role"] for message in messages if message["role"] not in ("system", "developer")] == ["user"]

    law()


def test_the_module_imports_without_hypothesis() -> None:
    """Hypothesis is loaded by the first strategy, not by the import."""
    code = "import sys, context_kit.testing; sys.exit('hypothesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_image_blocks_name_the_shape() -> None:
    """An image block has the type that its shape knows."""
    assert [image(shape=shape)["type"] for shape in SHAPES] == ["image_url", "input_image", "image"]
