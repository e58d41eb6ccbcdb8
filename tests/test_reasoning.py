"""Reasoning in every list: what stands before the first changed byte stays, the rest goes, whole blocks only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import ContextManager, WindowExceededError
from context_kit.testing import Call, conversations, system, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import faults
from tests.talks import due, speaks
from tests.test_laws import law

BOUND: dict[Shape, tuple[str | None, ...]] = {"anthropic": (None, "claude-opus-5-5"), "responses": (None, "gpt-5.6")}
FREE: dict[Shape, tuple[str | None, ...]] = {
    "anthropic": ("claude-sonnet-4-5", "claude-opus-4-8"),
    "responses": ("o3",),
}
KINDS = ("thinking", "redacted_thinking", "reasoning")
SEALS = ("signature", "data", "encrypted_content")
windows = st.sampled_from((900, 2_500, 6_000))


def sealed(talk: Sequence[Message]) -> list[Message]:
    """The conversation with a seal of its own on each piece of reasoning."""
    return [_sealed(raw, f"seal{at}_") for at, raw in enumerate(talk)]


def _sealed(raw: Message, seal: str) -> Message:
    if raw.get("type") == "reasoning":
        return {**raw, "encrypted_content": seal}
    content = raw.get("content")
    if not isinstance(content, list):
        return raw
    return {**raw, "content": [_marked(block, f"{seal}{n}_") for n, block in enumerate(content)]}


def _marked(block: dict[str, Any], seal: str) -> dict[str, Any]:
    key = {"thinking": "signature", "redacted_thinking": "data"}.get(str(block.get("type")))
    return {**block, key: seal} if key else block


def thoughts(messages: Sequence[Message]) -> Iterator[str]:
    """Every piece of reasoning, as it stands."""
    for raw in messages:
        blocks = raw.get("content") if isinstance(raw.get("content"), list) else []
        yield from (json.dumps(each) for each in (raw, *(blocks or ())) if each.get("type") in KINDS)


def played(ctx: ContextManager, talk: Sequence[Message]) -> Iterator[tuple[int, list[Message]]]:
    """Every list that is sent, with the number of messages that were said before it."""
    for at, message in enumerate(talk):
        if due(talk, at):
            try:
                yield at, ctx.prepare()
            except WindowExceededError:
                return
        ctx.add(message)


@pytest.mark.parametrize("shape", ["anthropic", "responses"])
@law
@given(data=st.data())
def test_bound_reasoning_goes_up_to_the_compaction(shape: Shape, data: st.DataObject) -> None:
    """All that was made before the last compaction is gone, all that was made after it stands, byte for byte."""
    talk = sealed(data.draw(conversations(shape, max_steps=20)))
    ctx = ContextManager(data.draw(windows), model=data.draw(st.sampled_from(BOUND[shape])))
    for said, sent in played(ctx, talk):
        last = ctx._session.log.last
        since = last.upto if last else 0
        assert list(thoughts(sent)) == list(thoughts(talk[since:said]))


@pytest.mark.parametrize("shape", ["anthropic", "responses"])
@law
@given(data=st.data())
def test_free_reasoning_stays_with_its_message(shape: Shape, data: st.DataObject) -> None:
    """Models that don't bind it get all that stands in the tail, byte for byte; none of it is ever clipped."""
    talk = sealed(data.draw(conversations(shape, max_steps=20)))
    ctx = ContextManager(data.draw(windows), model=data.draw(st.sampled_from(FREE[shape])))
    for said, sent in played(ctx, talk):
        last = ctx._session.log.last
        assert list(thoughts(sent)) == list(thoughts(talk[last.cut - 1 if last else 0 : said]))


@law
@given(data=st.data())
def test_nothing_points_to_reasoning_that_is_gone(data: st.DataObject) -> None:
    """In the Responses shape an item keeps its `id` with the reasoning of its reply, and loses it with that."""
    talk = sealed(data.draw(conversations("responses", max_steps=20)))
    ctx = ContextManager(data.draw(windows))
    owners = {raw["id"]: thought for raw, thought in _led_to(talk)}
    for _, sent in played(ctx, talk):
        standing = {raw["id"] for raw in sent if raw.get("type") == "reasoning"}
        assert all(owners[raw["id"]] in standing for raw in sent if raw.get("id") in owners)


def _led_to(talk: Sequence[Message]) -> Iterator[tuple[Message, str]]:
    """Items with an id, and the id of the reasoning that their reply began with."""
    thought = ""
    for raw in talk:
        if raw.get("type") == "reasoning":
            thought = raw["id"]
        elif not speaks(raw):
            thought = ""
        elif thought and "id" in raw:
            yield raw, thought


@law
@given(data=st.data())
def test_manual_thinking_opens_the_loop(data: st.DataObject) -> None:
    """In an open tool loop the first message of the assistant's begins with thinking, as it did."""
    calls = [Call("Read", {"file_path": f"f{n}"}, result="value = 1\n" * 40, id=f"c{n}") for n in range(30)]
    ctx = ContextManager(data.draw(st.sampled_from((1_500, 4_000))), model="claude-sonnet-4-5")
    ctx.add(user("Fix it."))
    interleaved = data.draw(st.booleans())
    for number, call in enumerate(calls[: data.draw(st.integers(1, 30))]):
        ctx.add(tool_round([call], shape="anthropic", reasoning="Hm." if interleaved or number == 0 else ""))
        try:
            sent = ctx.prepare()
        except WindowExceededError:
            return
        first = next(raw for raw in sent if raw["role"] == "assistant")
        assert first["content"][0]["type"] == "thinking"


@law
@given(data=st.data())
def test_what_servers_want_back_stays_with_its_call(data: st.DataObject) -> None:
    """DeepSeek's `reasoning_content` and Gemini's signature stand on each call in the list that had one."""
    model = data.draw(st.sampled_from((None, "deepseek-reasoner", "gemini-3-pro")))
    ctx = ContextManager(data.draw(windows), model=model)
    ctx.add(system("You repair Python files."))
    ctx.add(user("Fix it."))
    signed = {"google": {"thought_signature": "QUJD" * 8}}
    for number in range(data.draw(st.integers(1, 24))):
        calls = [Call("Read", {"file_path": name}, result="x\n" * 150, id=f"{name}{number}") for name in "ab"]
        said, *results = tool_round(calls, reasoning="Hm. " * data.draw(st.sampled_from((0, 1, 400))))
        first, *others = said["tool_calls"]
        said = {"reasoning_content": "", **said, "tool_calls": [{**first, "extra_content": signed}, *others]}
        ctx.add([said, *results])
        try:
            sent = ctx.prepare()
        except WindowExceededError:
            return
        assert faults(sent, shape="chat") == ()
        for raw in sent:
            if raw.get("tool_calls"):
                assert "reasoning_content" in raw
                assert [call.get("extra_content") for call in raw["tool_calls"]] == [signed, None]


BLOCK = {"type": "compaction", "content": "They fixed it.", "encrypted_content": "QUJD", "signature": "c2ln"}


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_providers_compaction_keeps_its_place(data: st.DataObject) -> None:
    """Anthropic's signed block is first and whole, then the bridge; nothing that it stands for is lost."""
    talk = data.draw(conversations("anthropic", min_steps=2, max_steps=16))
    ctx = ContextManager(data.draw(windows), model="claude-opus-5-5")
    ctx.add(user("Fix src/app.py."))
    ctx.add({"role": "assistant", "content": [BLOCK]})
    for _, sent in played(ctx, talk):
        assert sent[0] == {"role": "assistant", "content": [BLOCK]}
        assert faults(sent, shape="anthropic") == ()
        bridged = [str(raw["content"]).startswith("[context record c") for raw in sent]
        assert bridged[1:2] == ([True] if ctx._session.log.last else [False])
    moved = ctx.export("openai")
    assert faults(moved, shape="chat") == ()
    assert "They fixed it." in str(moved)
