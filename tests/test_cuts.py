"""Steps, and where a cut may fall."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import InvalidMessageError
from context_kit._cuts import cut, legal
from context_kit._steps import Entry, Step, Steps
from context_kit.testing import Call, assistant, conversations, system, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import read
from tests.talks import SHAPES, answers

law = settings(max_examples=100, deadline=None)


def stepped(talk: Sequence[Message], shape: Shape | None = None, cost: int = 10) -> Steps:
    steps = Steps()
    steps.shape = shape
    for number, raw in enumerate(talk, 1):
        message = read(raw).messages[0]
        steps.home(message)
        if steps.shape is None and message.shape is not None:
            steps.shape = message.shape
        steps.place(Entry(number, message, cost))
    return steps


def sizes(steps: Steps) -> list[int]:
    return [len(step.entries) for step in steps.all]


def call(name: str, result: str | None = "ok") -> Call:
    return Call("Bash", {"command": "ls"}, result=result, id=name)


@pytest.mark.parametrize(
    ("shape", "expected"), [("chat", [1, 4, 1]), ("responses", [1, 7, 1]), ("anthropic", [1, 2, 1])]
)
def test_a_reply_with_all_its_calls_and_results_is_one_step(shape: Shape, expected: list[int]) -> None:
    """Parallel calls and their results belong together; a user message is a step of its own."""
    calls = [call("a"), call("b"), call("c")]
    talk = [
        user("hi"),
        *tool_round(calls, shape=shape, reasoning="why" if shape == "responses" else ""),
        user("thanks"),
    ]
    assert sizes(stepped(talk, shape)) == expected


@pytest.mark.parametrize("shape", SHAPES)
@law
@given(data=st.data())
def test_every_message_is_in_one_step_and_in_order(shape: Shape, data: st.DataObject) -> None:
    """The steps are the log, cut into pieces: nothing is lost, doubled or moved."""
    talk = data.draw(conversations(shape, max_steps=16, interrupted=data.draw(st.booleans())))
    steps = stepped(talk, shape)
    assert [entry.position for step in steps.all for entry in step.entries] == [*range(1, len(talk) + 1)]
    assert sum(step.cost for step in steps.all) == 10 * len(talk)
    assert not any(answers(step.entries[0].message.raw) for step in steps.all if not step.late)


def test_ids_may_return_in_later_turns() -> None:
    """Many servers number calls anew in each turn: a result goes to the nearest open call."""
    talk = [user("a"), *tool_round([call("c0"), call("c1")]), user("b"), *tool_round([call("c0"), call("c1")])]
    steps = stepped(talk)
    assert sizes(steps) == [1, 3, 1, 3]
    assert steps.waiting == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_a_result_without_a_call_is_refused(shape: Shape) -> None:
    """The error names the field and the id; nothing was placed."""
    talk = tool_round([call("a")], shape=shape)
    steps = stepped([user("hi")], shape)
    with pytest.raises(InvalidMessageError, match="'a'") as caught:
        steps.home(read(talk[-1]).messages[0])
    assert caught.value.field.endswith(("tool_call_id", "call_id", "tool_use_id"))
    assert sizes(steps) == [1]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_second_result_of_one_call_is_refused(shape: Shape) -> None:
    """Each call takes one result."""
    talk = tool_round([call("a")], shape=shape)
    steps = stepped([user("hi"), *talk], shape)
    with pytest.raises(InvalidMessageError, match="second result"):
        steps.home(read(talk[-1]).messages[0])


def test_a_user_turn_while_calls_wait_is_accepted() -> None:
    """That is what an interrupted agent sends: the calls stay open."""
    talk = [user("hi"), *tool_round([call("a", None), call("b")]), user("stop")]
    steps = stepped(talk)
    assert sizes(steps) == [1, 2, 1]
    assert [*steps.unanswered[0].waiting] == ["a"]
    assert steps.waiting == 1


def test_a_result_whose_place_is_taken_is_late() -> None:
    """Once the placeholder was handed out with a message after it, the result comes as a step of its own."""
    talk = [user("hi"), *tool_round([call("a", None)]), user("stop")]
    steps = stepped(talk)
    steps.seal(steps.unanswered[0])
    late = read({"role": "tool", "tool_call_id": "a", "content": "at last"}).messages[0]
    steps.home(late)
    step = steps.place(Entry(4, late, 10))
    assert step.late
    assert steps.all[-1] is step
    (raw,) = step.rendered("chat")
    assert raw["role"] == "user"
    assert "at last" in str(raw["content"])
    assert "late result" in str(raw["content"])


def test_trying_on_a_scratch_copy_changes_nothing() -> None:
    """A list of messages is tried as a whole before one of them is added."""
    steps = stepped([user("hi"), *tool_round([call("a", None)])])
    tried = steps.scratch()
    result = read({"role": "tool", "tool_call_id": "a", "content": "ok"}).messages[0]
    tried.place(Entry(3, result, 10))
    assert sizes(tried) == [1, 2]
    assert sizes(steps) == [1, 1]
    assert steps.waiting == 1


def talked(count: int) -> list[Step]:
    return stepped([message for n in range(count) for message in (user(f"q{n}"), *tool_round([call(f"c{n}")]))]).all


def test_the_tail_is_the_longest_that_fits() -> None:
    """Whole steps from the end, as many as the room holds; it starts with an assistant message where one can."""
    steps = talked(10)
    found = cut(steps, start=0, room=90, floor=0, model=None)
    assert found.tokens <= 90
    assert steps[found.index].role == "assistant"
    assert found.tokens == sum(step.cost for step in steps[found.index :]) == 80


def test_the_newest_step_always_stays() -> None:
    """Even where it is larger than the room."""
    steps = talked(3)
    assert cut(steps, start=0, room=0, floor=0, model=None).index == len(steps) - 1


def test_the_floor_wins_over_the_room() -> None:
    """What the tail has at least, it has even where that is above the room."""
    steps = talked(10)
    assert 60 < cut(steps, start=0, room=0, floor=110, model=None).tokens <= 110


@law
@given(
    st.lists(st.integers(1, 500), min_size=1, max_size=40),
    st.integers(0, 3_000),
    st.integers(0, 3_000),
    st.integers(0, 39),
)
def test_a_cut_is_a_place_between_steps(costs: list[int], room: int, floor: int, start: int) -> None:
    """At or after the start, before the end; within room and floor unless it is the newest step alone."""
    steps = stepped([message for n, _ in enumerate(costs) for message in [user(f"q{n}")]]).all
    for step, cost in zip(steps, costs, strict=True):
        step.cost = cost
    start = min(start, len(steps) - 1)
    found = cut(steps, start=start, room=room, floor=floor, model=None)
    assert start <= found.index < len(steps)
    assert found.tokens == sum(costs[found.index :])
    assert found.tokens <= max(room, floor) or found.index == len(steps) - 1


def thinking_loop() -> list[Step]:
    """One open tool loop of five steps; only its first message holds thinking, as manual thinking wants it."""
    talk = [user("go")]
    for number in range(5):
        talk += tool_round([call(f"c{number}")], shape="anthropic", reasoning="let me see" if number == 0 else "")
    return stepped(talk, "anthropic").all


def test_an_open_loop_with_manual_thinking_is_not_cut() -> None:
    """On Claude up to 4.6 the loop must begin with its thinking block: the tail holds the whole loop."""
    steps = thinking_loop()
    assert cut(steps, start=0, room=25, floor=0, model="claude-sonnet-4-5").index == 1
    assert legal(steps, 1, "claude-sonnet-4-5")
    assert not legal(steps, 3, "claude-sonnet-4-5")


def test_a_newer_model_may_be_cut_inside_its_loop() -> None:
    """Where reasoning is dropped by whole blocks, any step may come first."""
    steps = thinking_loop()
    assert cut(steps, start=0, room=25, floor=0, model="claude-opus-5-5").index > 1
    assert cut(steps, start=0, room=25, floor=0, model=None).index > 1


def test_an_anthropic_system_message_stays_with_what_it_followed() -> None:
    """In the middle it belongs to the step before it; in chat it is a step of its own."""
    talk = [
        user("hi"),
        *tool_round([call("a")], shape="anthropic"),
        system("Be brief."),
        *assistant("Yes.", shape="anthropic"),
    ]
    assert sizes(stepped(talk, "anthropic")) == [1, 3, 1]
    assert sizes(stepped([user("hi"), system("Be brief."), *assistant("Yes.")], "chat")) == [1, 1, 1]
