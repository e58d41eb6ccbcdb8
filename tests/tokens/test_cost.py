"""Every string of a message counts once: by the tokeniser, by formula, or by what sealed data stands for."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit.tokens import cost, counter, media_cost, system_cost, tools_cost
from context_kit.tokens._cost import sealed
from context_kit.wire import read

Raw = dict[str, Any]
TRANSCRIPTS = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
UNSENT = {"type", "role", "id", "call_id", "tool_call_id", "tool_use_id", "signature", "status"}
PICTURES = {"image", "image_url", "input_image", "document", "file", "input_file", "input_audio"}

count = counter()


def size(raw: Raw, model: str | None = None) -> int:
    """Cost of everything that one argument of `add` holds."""
    return sum(cost(message, count=count, model=model) for message in read(raw).messages)


def strings(node: Any) -> int:
    """Tokens of every string, as an outsider counts them: media and ids are free."""
    if isinstance(node, str):
        return count(node)
    if isinstance(node, dict):
        if node.get("type") in PICTURES:
            return 0
        return sum(strings(value) for key, value in node.items() if key not in UNSENT)
    return sum(map(strings, node)) if isinstance(node, list) else 0


def test_a_plain_message_is_its_text_and_three() -> None:
    """OpenAI's framing of a message is three tokens; nothing else is added to a text."""
    for role in ("system", "user", "assistant"):
        assert size({"role": role, "content": "hello there"}) == count("hello there") + 3


def test_control_tokens_are_text() -> None:
    """`<|endoftext|>` counts as its characters, in texts, arguments, results and schemas."""
    assert size({"role": "user", "content": "<|endoftext|>" * 9}) >= 9 * 5
    assert tools_cost([{"type": "function", "function": {"name": "<|im_start|>"}}], count=count) > 5


def test_reasoning_and_unknown_keys_count() -> None:
    """Reasoning, refusals and keys that the library doesn't know are text that is sent."""
    words = "because " * 500
    plain = size({"role": "assistant", "content": "short"})
    for key in ("reasoning_content", "reasoning", "refusal", "brand_new"):
        assert size({"role": "assistant", "content": "short", key: words}) >= plain + count(words)


def test_sealed_data_is_no_text() -> None:
    """A signature is as large as the thinking it seals: shown thinking isn't counted twice, hidden is counted."""
    words = "Let me think about this for a moment. " * 50
    signature = "A" * ((len(words) + 176) * 4 // 3)
    think: Raw = {"type": "thinking", "thinking": words, "signature": signature}
    said: Raw = {"type": "text", "text": "done"}

    def reply(*blocks: Raw) -> int:
        return size({"role": "assistant", "content": [*blocks, said]})

    shown = reply(think) - reply()
    hidden = reply({**think, "thinking": ""}) - reply()
    redacted = reply({"type": "redacted_thinking", "data": signature}) - reply()
    assert shown == pytest.approx(count(words), rel=0.25)
    assert hidden == pytest.approx(count(words), rel=0.25)
    assert redacted == pytest.approx(count(words), rel=0.25)
    assert sealed("") == 0
    assert sealed("AAAA") == 1


def test_media_inside_results_costs_its_formula() -> None:
    """A screenshot in a tool result costs what an image costs, whatever its data's length."""
    block: Raw = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 400_000}}
    raw = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [block]}]}
    assert size(raw, "claude-opus-5") in range(media_cost(block, model="claude-opus-5"), 5_000)


def test_a_text_document_counts_as_its_text() -> None:
    """A document of plain text is counted, not guessed, and so are its title and context."""
    words = "plain words " * 300
    source = {"type": "text", "media_type": "text/plain", "data": words}
    raw = {"role": "user", "content": [{"type": "document", "title": "notes", "context": "old", "source": source}]}
    assert size(raw) - count(words) in range(2, 20)


def test_unknown_blocks_count_as_their_json() -> None:
    """A block of an unknown type is about as large as its JSON."""
    block = {"type": "brand_new_block", "foo": 1, "bar": {"text": "some words here", "list": [1, 2.5, "x"]}}
    raw = {"role": "user", "content": [{"type": "text", "text": "see"}, block]}
    assert size(raw) == pytest.approx(count(json.dumps(block)), rel=0.5)


def test_calls_and_results_have_a_frame() -> None:
    """A call costs its name, its arguments and a frame, in each shape."""
    arguments = json.dumps({"path": "src/main.py", "limit": 20})
    chat = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": arguments}}
    use = {"type": "tool_use", "id": "c", "name": "read_file", "input": json.loads(arguments)}
    for raw in (
        {"role": "assistant", "content": None, "tool_calls": [chat]},
        {"type": "function_call", "call_id": "c", "name": "read_file", "arguments": arguments},
        {"role": "assistant", "content": [use]},
    ):
        assert size(raw) in range(count(arguments) + 4, count(arguments) + 60)


def test_broken_types_are_no_error() -> None:
    """A `type` that is no string is just another value."""
    assert (
        size({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "x", "y": {"type": {"a": "b"}}}]}) > 0
    )


def test_system_and_tools_beside_the_messages() -> None:
    """A system prompt and each tool are counted, as strings, blocks, dicts or SDK objects; none is nothing."""
    words = "policy " * 200
    assert system_cost(None, count=count) == system_cost("", count=count) == 0
    assert system_cost(words, count=count) - count(words) in range(6)
    assert system_cost([{"type": "text", "text": words}], count=count) - count(words) in range(6)
    schema = {"name": "t", "description": words, "parameters": {"type": {"type": "string"}, "enum": ["a" * 90, "b c"]}}
    assert tools_cost(None, count=count) == tools_cost([], count=count) == 0
    one = tools_cost([schema], count=count)
    assert one >= count(words)
    assert tools_cost([schema, schema], count=count) == 2 * one
    assert tools_cost([SimpleNamespace(model_dump=lambda: schema)], count=count) == one


TEXTS = st.text(max_size=60)
BLOCKS: st.SearchStrategy[Raw] = st.one_of(
    st.builds(lambda text: {"type": "text", "text": f"t{text}"}, TEXTS),
    st.builds(lambda text, words: {"type": "thinking", "thinking": text, "signature": words}, TEXTS, TEXTS),
    st.builds(
        lambda name, given: {"type": "tool_use", "id": "c", "name": f"n{name}", "input": given},
        TEXTS,
        st.dictionaries(
            TEXTS, st.recursive(TEXTS | st.integers(), lambda inner: st.lists(inner, max_size=3)), max_size=3
        ),
    ),
    st.builds(lambda text, more: {"type": "strange", "words": text, "more": {"deep": [more]}}, TEXTS, TEXTS),
)


@given(st.lists(BLOCKS, min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_no_outsider_counts_more(blocks: list[Raw]) -> None:
    """The sum of all strings, counted by an outsider, is never above the cost of the message."""
    numbered = [{**block, "id": f"c{at}"} if "id" in block else block for at, block in enumerate(blocks)]
    raw = {"role": "assistant", "content": numbered}
    assert size(raw) >= strings(raw)


def test_transcripts_cost_at_least_their_strings() -> None:
    """On every message of the shared sessions an outsider's count is at most ours, and not far below it."""
    if not TRANSCRIPTS.exists():
        pytest.skip("no ../shared/transcripts beside this repository")
    for path in sorted(TRANSCRIPTS.glob("*.json"))[:6]:
        messages = json.loads(path.read_text("utf-8"))["messages"]
        ours, theirs = [size(raw) for raw in messages], [strings(raw) for raw in messages]
        assert all(mine >= other for mine, other in zip(ours, theirs, strict=True))
        assert sum(ours) <= 1.25 * sum(theirs)
