"""The second judge can fail, and says the same of a list as the library where both know the rule."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import ContextManager
from context_kit.testing import Call, assistant, conversations, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import faults
from tests.talks import SHAPES, answers
from tests.validators import has_tessera, refused, refused_by_types, unpaired

needs_tessera = pytest.mark.skipif(not has_tessera, reason="tessera-transcript needs Python 3.11")


def legal(shape: Shape) -> list[Message]:
    """A list that everybody accepts: two rounds, the second with parallel calls under the ids of the first."""
    calls = [Call("Read", {"file_path": name}, result=name, id=f"call_{name}") for name in "ab"]
    return [
        user("Fix it.", shape=shape, picture=True),
        *tool_round(calls[:1], shape=shape, text="Looking.", reasoning="Hm."),
        *tool_round(calls, shape=shape, reasoning="Both."),
        *assistant("Done.", shape=shape, reasoning="So."),
        user("Thanks.", shape=shape),
    ]


def without(wanted: Callable[[Message], bool]) -> Callable[[list[Message], Shape], list[Message]]:
    """The list without the last such message."""

    def broken(messages: list[Message], _: Shape) -> list[Message]:
        at = max(at for at, raw in enumerate(messages) if wanted(raw))
        return [*messages[:at], *messages[at + 1 :]]

    return broken


def calls(raw: Message) -> bool:
    """Whether a message calls a tool."""
    blocks = raw.get("content") if isinstance(raw.get("content"), list) else []
    named = any(block.get("type") == "tool_use" for block in blocks or [])
    return bool(raw.get("tool_calls")) or raw.get("type") == "function_call" or named


def twice(messages: list[Message], _: Shape) -> list[Message]:
    at = max(at for at, raw in enumerate(messages) if answers(raw))
    return [*messages[: at + 1], *messages[at:]]


def early(messages: list[Message], _: Shape) -> list[Message]:
    at = max(at for at, raw in enumerate(messages) if answers(raw))
    first = next(at for at, raw in enumerate(messages) if calls(raw) and at > 2)
    return [*messages[:first], messages[at], *messages[first:at], *messages[at + 1 :]]


def empty(messages: list[Message], shape: Shape) -> list[Message]:
    blank: Message = {"role": "assistant", "content": []}
    return [*messages, {**blank, "type": "message"} if shape == "responses" else blank, messages[-1]]


def number(messages: list[Message], _: Shape) -> list[Message]:
    return [*messages[:-1], {"role": "user", "content": 5}]


def stranger(messages: list[Message], _: Shape) -> list[Message]:
    return [*messages[:-1], {"role": "robot", "content": "Beep."}]


def added_key(messages: list[Message], _: Shape) -> list[Message]:
    return [*messages[:-1], {**messages[-1], "surprise": 1}]


BREAKS: dict[str, tuple[Callable[[list[Message], Shape], list[Message]], set[str]]] = {
    "a result is gone": (without(answers), {"library", "tessera"}),
    "a call is gone": (without(calls), {"library", "tessera"}),
    "a result stands twice": (twice, {"library", "tessera"}),
    "a result stands before its call": (early, {"library", "tessera"}),
    "nothing is said": (empty, {"library", "tessera"}),
    "content is a number": (number, {"library", "types"}),
    "the role is unknown": (stranger, {"library", "types"}),
    "a key is unknown": (added_key, {"types"}),  # the library hands unknown keys on: that is a promise
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_legal_list_is_accepted_by_all(shape: Shape) -> None:
    """None of the three has anything against it."""
    assert faults(legal(shape), shape=shape) == ()
    assert refused(legal(shape), shape) == ()


@needs_tessera
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_list_is_refused(name: str, shape: Shape) -> None:
    """By each judge who knows the rule, and by no other."""
    broken, known = BREAKS[name]
    messages = broken(copy.deepcopy(legal(shape)), shape)
    said: dict[str, tuple[Any, ...]] = {
        "library": faults(messages, shape=shape),
        "types": refused_by_types(messages, shape),
        "tessera": unpaired(messages, shape) if "content is" not in name else (),
    }
    assert {judge for judge, found in said.items() if found} >= known, said
    assert not (name == "a key is unknown" and said["library"])


@needs_tessera
@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_both_say_the_same_of_calls_and_results(shape: Shape, data: st.DataObject) -> None:
    """Whichever message is taken out of any list: either both find a call or result alone, or neither does."""
    ctx = ContextManager(1_000_000)
    ctx.add(data.draw(conversations(shape, min_steps=3, max_steps=8, giant=200)))
    messages = ctx.messages
    gone = data.draw(st.integers(0, len(messages) - 1))
    left = [*messages[:gone], *messages[gone + 1 :]]
    pairing = [fault for fault in faults(left, shape=shape) if fault.rule in ("pairs", "together")]
    assert bool(pairing) == bool(unpaired(left, shape)), (pairing, unpaired(left, shape))
