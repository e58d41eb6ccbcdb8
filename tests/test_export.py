"""A session's window in another provider's shape, and the session that goes on there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import BudgetError, ContextManager
from context_kit.testing import Call, assistant, conversations, system, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import ADDED, Part, faults, read
from tests.talks import SHAPES, accepted, prints
from tests.validators import refused

PAIRS: list[tuple[Shape, Shape]] = list(permutations(SHAPES, 2))
FORMAT: dict[Shape, str] = {"chat": "openai", "responses": "openai-responses", "anthropic": "anthropic"}


def working(shape: Shape, rounds: int = 12, window: int = 12_000) -> ContextManager:
    """A session that has compacted and goes on."""
    ctx = ContextManager(window)
    if shape != "anthropic":
        ctx.add(system("You repair Python files."))
    ctx.add(user("Fix src/app.py. Do not touch tests/."))
    for number in range(rounds):
        call = Call("Read", {"file_path": f"src/f{number}.py"}, result="value = 1\n" * 300, id=f"call_{number}")
        ctx.add(tool_round([call], shape=shape, text=f"Reading {number}.", reasoning="Hm."))
        ctx.prepare()
    return ctx


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_compacted_window_is_exported(source: Shape, target: Shape) -> None:
    """Bridge and tail go over, twice the same, and the session is as it was."""
    ctx = working(source)
    before = prints(ctx.messages)
    out = ctx.export(FORMAT[target])
    assert faults(out, shape=target) == ()
    accepted(out, target)
    assert any(str(raw.get("content")).startswith("[context record c") for raw in out)
    assert ctx.export(FORMAT[target]) == out
    assert prints(ctx.messages) == before


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_session_goes_on_in_the_other_shape(source: Shape, target: Shape) -> None:
    """The exported messages start a session that works on, compacts and comes back."""
    ctx = working(source)
    ctx.add(user("Also keep run() as it is.", shape=source))
    moved = ContextManager(12_000)
    moved.add(ctx.export(FORMAT[target]))
    for number in range(12):
        call = Call("Bash", {"command": "ls"}, result="a.py\n" * 400, id=f"more_{number}")
        moved.add(tool_round([call], shape=target))
        assert faults(moved.prepare(), shape=target) == ()
    assert len(moved.compactions) > 1
    goal = moved.compactions[-1].summary
    assert goal is not None
    assert goal.original_goal == "Fix src/app.py. Do not touch tests/."
    assert "Also keep run() as it is." in str(moved.messages)
    back = ContextManager(12_000)
    back.add(moved.export(FORMAT[source]))
    back.add(assistant("Done.", shape=source))
    assert faults(back.prepare(), shape=source) == ()


@pytest.mark.parametrize(("source", "target"), PAIRS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_any_session_can_be_moved(source: Shape, target: Shape, data: st.DataObject) -> None:
    """Whatever was said, interrupted calls too, the export is legal and a new session takes all of it."""
    ctx, moved = ContextManager(1_000_000), ContextManager(1_000_000)
    for message in data.draw(conversations(source, interrupted=True, giant=400, max_steps=6)):
        ctx.add(message)
    out = ctx.export(FORMAT[target])
    assert faults(out, shape=target) == ()
    moved.add(out)
    assert faults(moved.prepare(), shape=target) == ()


def carried(messages: Sequence[Message]) -> tuple[list[str], list[tuple[str, str]], list[str], int]:
    """What every shape can carry: a person's and the model's words, calls, results, pictures."""
    texts: list[str] = []
    calls: list[tuple[str, str]] = []
    results: list[str] = []
    pictures = 0
    for message in (each for raw in messages for each in read(raw).messages):
        words = [part for part in message.parts if part.kind == "text" and not part.text.startswith(ADDED)]
        texts += [part.text for part in words if part.text.strip()]
        calls += [(part.name, _named(part)) for part in message.calls]
        results += [part.text.removeprefix("[tool error]").strip() for part in message.results]
        blocks = [block for part in message.parts for block in (part.block if part.kind == "result" else [part]) or ()]
        pictures += sum(1 for block in blocks if (block.kind if isinstance(block, Part) else "media") == "media")
    return texts, calls, results, pictures


def _named(call: Part) -> str:
    """Arguments as JSON; the free text of a custom tool as the object that stands for it elsewhere."""
    try:
        found = json.loads(call.text)
    except ValueError:
        found = {"input": call.text}
    return json.dumps(found, sort_keys=True)


@pytest.mark.parametrize(("source", "target"), PAIRS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_nothing_is_lost_on_the_way_there_and_back(source: Shape, target: Shape, data: st.DataObject) -> None:
    """Words, calls with their arguments, results and pictures are the same, in the same order, in both shapes."""
    ctx = ContextManager(1_000_000)
    ctx.add(data.draw(conversations(source, interrupted=True, giant=400, max_steps=6)))
    out = ctx.export(FORMAT[target])
    there = ContextManager(1_000_000)
    there.add(out)
    back = there.export(FORMAT[source])
    assert faults(back, shape=source) == ()
    assert refused(back, source) == ()
    assert refused(out, target) == ()
    told_in = [carried(ctx.messages), carried(out), carried(back)]
    for own, other in pairwise(told_in):
        assert own[1:] == other[1:]
        assert [text for text in own[0] if text not in other[0]] == []


@pytest.mark.parametrize("shape", SHAPES)
def test_the_own_shape_is_the_window(shape: Shape) -> None:
    """An export to the session's own shape is its window, reasoning and all."""
    ctx = working(shape, rounds=2)
    assert ctx.export(FORMAT[shape]) == ctx.messages
    assert ctx.export(shape) == ctx.messages


def test_an_unknown_format_is_refused() -> None:
    """The text lists the known ones."""
    with pytest.raises(BudgetError, match="'gemini' is unknown, use one of openai, openai-responses, anthropic"):
        ContextManager(8_000).export("gemini")


def test_an_empty_session_exports_nothing() -> None:
    """Nothing was said, so there is nothing to send."""
    assert ContextManager(8_000).export("anthropic") == []


@pytest.mark.parametrize("content", ["", None])
def test_a_reply_of_calls_alone_says_nothing_elsewhere_either(content: str | None) -> None:
    """No empty message of the assistant's stands before its call."""
    ctx = ContextManager(12_000)
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    ctx.add([user("Look."), {"role": "assistant", "content": content, "tool_calls": [call]}])
    ctx.add({"role": "tool", "tool_call_id": "call_1", "content": "one file"})
    out = ctx.export("openai-responses")
    assert [raw.get("type", raw.get("role")) for raw in out] == ["user", "function_call", "function_call_output"]
    assert refused(out, "responses") == ()
