"""A session's window in another provider's shape, and the session that goes on there."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import BudgetError, ContextManager
from context_kit.testing import Call, assistant, conversations, system, tool_round, user
from context_kit.typing import Shape
from context_kit.wire import faults
from tests.talks import SHAPES, accepted, prints

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
