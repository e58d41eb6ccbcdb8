"""Lists for servers that insist on alternation: one system message, then user and assistant in turn."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit.testing import Call, assistant, conversations, system, tool_round, user
from context_kit.typing import Shape
from context_kit.wire import NO_REPLY, faults, strict

Raw = dict[str, Any]
SHAPES: tuple[Shape, ...] = ("chat", "responses", "anthropic")


def rounds(shape: Shape, text: str = "") -> list[Raw]:
    return tool_round([Call("ls", {}, result="a.py", id="c1")], shape=shape, text=text)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_conversation_alternates(shape: Shape, data: st.DataObject) -> None:
    """Whatever was said, one that alternates already comes back as it is, and no word is lost."""
    talk = data.draw(conversations(shape, max_steps=10, giant=200))
    out = strict(talk, shape=shape)
    assert faults(out, shape=shape, strict=True) == ()
    assert strict(out, shape=shape) == out
    words = [raw["content"] for raw in talk if isinstance(raw.get("content"), str)]
    assert all(word in str([_texts(raw) for raw in out]) or word in _joined(out) for word in words)


def _texts(raw: Raw) -> list[str]:
    content = raw.get("content")
    if isinstance(content, str):
        return [content]
    return [str(block.get("text", block.get("content"))) for block in content or []]


def _joined(out: list[Raw]) -> str:
    return "\n".join(text for raw in out for text in _texts(raw))


def test_system_messages_are_one_and_first() -> None:
    """Wherever they stood; the words stay in their order."""
    talk = [system("A."), user("Hi."), system("B.", role="developer")]
    assert strict(talk, shape="chat") == [system("A.\n\nB."), user("Hi.")]


def test_anthropics_are_told_in_the_user_message_before_them() -> None:
    """They can't be the first, and may not stand in the middle."""
    out = strict([user("Hi."), system("Be brief."), *assistant("Yes.", shape="anthropic")], shape="anthropic")
    assert [raw["role"] for raw in out] == ["user", "assistant"]
    assert [block["text"] for block in out[0]["content"]] == ["Hi.", "[system message]", "Be brief."]


def test_words_of_the_assistant_in_a_row_are_one_message() -> None:
    """Before calls, too, where they then stand beside them."""
    talk = [user("Hi."), *assistant("A."), *assistant("B."), *rounds("chat", "C.")]
    out = strict(talk, shape="chat")
    assert [raw["role"] for raw in out] == ["user", "assistant", "tool"]
    assert out[1]["content"] == "A.\n\nB.\n\nC."
    assert len(out[1]["tool_calls"]) == 1


@pytest.mark.parametrize("shape", ["chat", "responses"])
def test_a_missing_turn_has_a_stub(shape: Shape) -> None:
    """A person who speaks right after results: the assistant's turn is marked as missing."""
    out = strict([user("Hi."), *rounds(shape), user("Stop.")], shape=shape)
    assert out[-2:] == [{"role": "assistant", "content": NO_REPLY}, user("Stop.")]


def test_anthropics_results_and_words_are_one_message() -> None:
    """There they share a turn, so no stub is needed."""
    out = strict([user("Hi."), *rounds("anthropic"), user("Stop.")], shape="anthropic")
    assert [raw["role"] for raw in out] == ["user", "assistant", "user"]
    assert out[2]["content"][-1] == {"type": "text", "text": "Stop."}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_user_begins(shape: Shape) -> None:
    """A conversation that begins with the assistant has a marked first message."""
    out = strict(assistant("Hello.", shape=shape), shape=shape)
    assert [raw["role"] for raw in out] == ["user", "assistant"]
    assert out[0]["content"].startswith("[the conversation begins")


def test_a_providers_compaction_stays_in_front() -> None:
    """It is no turn: what follows it is the user's."""
    block = {"role": "assistant", "content": [{"type": "compaction", "content": "c", "signature": "s"}]}
    talk = [block, user("Hi."), *assistant("Yes.", shape="anthropic")]
    assert strict(talk, shape="anthropic") == talk
    assert faults(talk, shape="anthropic", strict=True) == ()
