"""Clips: single messages shortened when head, bridge and tail don't fit; the whole stays at its address."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import ContextManager, WindowExceededError
from context_kit._clips import clip_entries
from context_kit._steps import Entry
from context_kit.testing import Call, assistant, conversations, tool_round, user
from context_kit.tokens import cost, counter
from context_kit.typing import Message, Shape
from context_kit.wire import faults, read
from tests.talks import SHAPES, accepted, prints, size, texts, told

law = settings(max_examples=60, deadline=None)
COUNT = counter()


def words(count: int, seed: int = 7) -> str:
    """Text of about two tokens a word, no two lines alike."""
    return "\n".join(" ".join(f"w{(line * 10 + n) * seed % 9_973}" for n in range(10)) for line in range(count // 10))


def mark(address: str) -> str:
    return f'… [left out, whole text: recall("{address}")] …'


def entries(talk: Sequence[Message]) -> list[Entry]:
    read_ = [read(raw).messages[0] for raw in talk]
    return [Entry(n, message, cost(message, count=COUNT)) for n, message in enumerate(read_, 1)]


def clipped(talk: Sequence[Message], over: int) -> dict[int, dict[str, Any]]:
    return clip_entries(entries(talk), over=over, count=COUNT, mark=mark)


TALK = [
    user(f"Fix it. {words(400, 3)} Thank you."),
    *tool_round(
        [
            Call("Write", {"file_path": "a.py", "content": words(400, 5)}, result=words(600, 11), id="a"),
            Call("Bash", {"command": "cat b"}, result=words(1_200, 13), id="b"),
        ],
        text=f"I will look. {words(200, 17)}",
    ),
]
SIZE = sum(entry.cost for entry in entries(TALK))


def test_nothing_gives_where_nothing_has_to() -> None:
    """No tokens over, no clips."""
    assert clipped(TALK, 0) == {}


def test_the_largest_tool_output_gives_first() -> None:
    """While it is larger than the others, it alone is shortened."""
    assert list(clipped(TALK, 500)) == [4]
    assert sorted(clipped(TALK, 3_000)) == [3, 4]


def test_the_assistants_own_texts_give_next_and_the_users_last() -> None:
    """Tool outputs are at their least before a call's arguments give, and those before the person's words."""
    outputs = sum(entry.cost for entry in entries(TALK)[2:])
    second = clipped(TALK, outputs + 200)
    assert sorted(second) == [2, 3, 4]
    everything = clipped(TALK, SIZE - 300)
    assert sorted(everything) == [1, 2, 3, 4]


def test_a_clip_keeps_head_and_tail_and_names_the_address() -> None:
    """Word for word at both ends; the rest is one recall away."""
    text = str(clipped(TALK, 1_000)[4]["content"])
    whole = str(TALK[3]["content"])
    head, told_, tail = text.partition(mark("m4"))
    assert told_
    assert whole.startswith(head.strip())
    assert whole.endswith(tail.strip())
    assert len(head) > len(tail) > 100


@pytest.mark.parametrize("over", [100, 1_000, 3_000, 5_000])
def test_a_clip_saves_what_was_asked_for(over: int) -> None:
    """As long as texts have something to give, the list is smaller by at least that much."""
    found = clipped(TALK, over)
    after = sum(entry.cost if entry.position not in found else sized(found[entry.position]) for entry in entries(TALK))
    assert SIZE - after >= over - 8 * len(found)


def sized(raw: dict[str, Any]) -> int:
    return cost(read(raw).messages[0], count=COUNT)


@pytest.mark.parametrize("shape", SHAPES)
def test_clipped_arguments_are_still_arguments(shape: Shape) -> None:
    """A call's input stays one JSON object with the same names."""
    calls = [Call("Write", {"file_path": "a.py", "content": words(2_000), "mode": 7}, result="ok", id="a")]
    talk = [user("hi"), *tool_round(calls, shape=shape)]
    found = clipped(talk, 2_500)
    assert faults([found.get(n, raw) for n, raw in enumerate(talk, 1)], shape=shape) == ()
    (call,) = read(found[2]).messages[0].calls
    assert call.arguments["file_path"] == "a.py"
    assert call.arguments["mode"] == 7
    assert 'recall("m2")' in call.arguments["content"]


@pytest.mark.parametrize("shape", SHAPES)
@law
@given(data=st.data())
def test_whatever_is_clipped_stays_legal(shape: Shape, data: st.DataObject) -> None:
    """Ids, names and order stay; no text becomes empty, nothing becomes larger."""
    talk = data.draw(conversations(shape, max_steps=8))
    found = clipped(talk, data.draw(st.integers(1, 8_000)))
    now = [found.get(number, raw) for number, raw in enumerate(talk, 1)]
    assert faults(now, shape=shape) == ()
    accepted(now, shape)
    for number, raw in found.items():
        assert sized(raw) <= entries(talk)[number - 1].cost + 8


@pytest.mark.parametrize("shape", SHAPES)
def test_pictures_leave_before_a_persons_words(shape: Shape) -> None:
    """Of a heap the oldest go, a text with the address stands for them; the words beside them stay."""
    kind = "input_text" if shape == "responses" else "text"
    heap = [{"type": kind, "text": "Compare these."}, *[unknown(shape)] * 6]
    found = clipped([user("hi"), {"role": "user", "content": heap}], 2_000)
    content = found[2]["content"]
    assert content[0] == heap[0]
    assert 'recall("m2")' in content[1]["text"]
    assert 1 <= len(content) - 2 < 6
    assert content[2:] == heap[-(len(content) - 2) :]
    assert faults([user("hi"), found[2]], shape=shape) == ()
    accepted([user("hi"), found[2]], shape)


def unknown(shape: Shape) -> dict[str, Any]:
    """An image whose size nobody knows."""
    url = "https://example.com/a.png"
    if shape == "anthropic":
        return {"type": "image", "source": {"type": "url", "url": url}}
    if shape == "responses":
        return {"type": "input_image", "detail": "auto", "image_url": url}
    return {"type": "image_url", "image_url": {"url": url}}


def test_the_same_clips_every_time() -> None:
    """Nothing depends on chance."""
    assert json.dumps(clipped(TALK, 2_000)) == json.dumps(clipped(TALK, 2_000))


# -- in a session --------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_one_giant_output_is_clipped_and_comes_back_whole(shape: Shape) -> None:
    """A list that doesn't fit at all is clipped down to soft; the receipt and the mark name the address."""
    giant = words(9_000)
    talk = [user("Fix it."), *tool_round([Call("Bash", {"command": "cat x"}, result=giant, id="a")], shape=shape)]
    ctx = ContextManager(8_000)
    ctx.add(talk)
    sent = ctx.prepare()
    (receipt,) = ctx.compactions
    assert (receipt.outcome, receipt.rung, receipt.trigger) == ("applied", "clip", "hard")
    assert receipt.clipped == ("m3",)
    assert ctx.usage.level == "ok"
    assert "Fix it." in told(sent)
    assert 'recall("m3")' in told(sent)
    assert ctx.recall("m3")[0].text == giant
    assert faults(sent, shape=shape) == ()


def test_the_giant_is_the_users_own_text() -> None:
    """Last of all, but rather than being stuck: head and tail, and the address."""
    giant = f"Do it like this. {words(9_000)} And never push."
    ctx = ContextManager(8_000)
    ctx.add(user(giant))
    text = told(ctx.prepare())
    assert "Do it like this." in text
    assert "And never push." in text
    assert ctx.recall("m1")[0].text == giant


def test_a_clipped_message_stays_as_it_was_sent() -> None:
    """Until the next compaction its bytes don't change."""
    ctx = ContextManager(8_000)
    ctx.add([user("Fix it."), *tool_round([Call("Bash", {"command": "cat x"}, result=words(9_000), id="a")])])
    first = prints(ctx.prepare())
    for number in range(3):
        ctx.add([*assistant(f"Step {number}."), user("Go on.")])
        assert prints(ctx.prepare())[: len(first)] == first


def test_what_was_clipped_can_be_clipped_again() -> None:
    """A second giant result in the same step: the first one gives once more, and the list fits."""
    calls = [Call("Bash", {"command": f"cat {n}"}, result=words(900 + 600 * n, 7 + n), id=f"c{n}") for n in range(2)]
    said, first, second = tool_round(calls)
    ctx = ContextManager(2_500)
    ctx.add([user("Fix it."), said, first])
    ctx.prepare()
    ctx.add(second)
    try:
        sent = ctx.prepare()
    except WindowExceededError as error:
        pytest.fail(f"{error}")
    assert ctx.usage.tokens <= 2_000
    assert 'recall("m4")' in told(sent)


@pytest.mark.parametrize("window", [700, 1_000, 2_000, 4_000])
@pytest.mark.parametrize("giant", [0, 1, 2, 3])
def test_any_single_giant_fits_any_window(window: int, giant: int) -> None:
    """User text, call arguments, assistant's words or tool output: whatever is too large is clipped."""
    large = words(5 * window)
    talk = [
        user(large if giant == 0 else "Fix it."),
        *tool_round(
            [
                Call(
                    "Write",
                    {"file_path": "a", "content": large if giant == 1 else "x"},
                    result=large if giant == 3 else "ok",
                    id="a",
                )
            ],
            text=large if giant == 2 else "Yes.",
        ),
    ]
    ctx = ContextManager(window)
    ctx.add(talk)
    ctx.prepare()
    assert ctx.usage.tokens <= 0.8 * window


def test_lists_that_fit_are_not_clipped() -> None:
    """Clips are the last rung: where dropping old steps is enough, every message of the tail is the original."""
    ctx = ContextManager(6_000)
    talk = [
        user("Fix it."),
        *(
            m
            for n in range(12)
            for m in tool_round([Call("Bash", {"command": "ls"}, result=words(200, n + 3), id=f"c{n}")])
        ),
    ]
    ctx.add(talk)
    sent = ctx.prepare()
    (receipt,) = ctx.compactions
    assert receipt.clipped == ()
    assert prints(sent[1:]) == prints(talk[-len(sent) + 1 :])


def test_no_text_of_a_clip_is_composed() -> None:
    """Every line of a clipped message is a line of the original or the mark."""
    found = clipped(TALK, 2_000)
    lines = {line for text in texts(TALK) for line in text.splitlines()}
    for raw in found.values():
        assert all(line in lines or "recall(" in line for line in str(raw["content"]).splitlines())


@pytest.mark.parametrize("shape", SHAPES)
def test_a_result_that_came_too_late_is_clipped_as_any_other(shape: Shape) -> None:
    """What goes out is the clip, in the message that stands for it, and the window fits by another count, too."""
    ctx = ContextManager(3_000)
    ctx.add(user("List it.", shape=shape))
    call, result = tool_round([Call("run", {"command": "list"}, result=words(9_000), id="late")], shape=shape)
    ctx.add(call)
    ctx.add(user("Never mind, go on.", shape=shape))
    ctx.prepare()
    ctx.add(result)
    sent = ctx.prepare()
    assert ctx.compactions[-1].rung == "clip"
    assert not faults(sent, shape=shape)
    assert size(sent) <= 3_000 - 600
    assert words(9_000)[:60] in told(sent)


def test_the_last_picture_of_a_persons_newest_message_stays() -> None:
    """Older ones leave with their address; one alone that doesn't fit is told, not left out."""
    pictures = [{"type": "image_url", "image_url": {"url": f"https://example.org/{n}.png"}} for n in range(3)]
    ctx = ContextManager(8_000)
    ctx.add({"role": "user", "content": [{"type": "text", "text": "Like this."}, *pictures]})
    sent = ctx.prepare()[-1]["content"]
    assert sent[-1] == pictures[-1]
    assert 'recall("m1")' in told(ctx.messages)
    small = ContextManager(4_000)
    small.add({"role": "user", "content": [{"type": "text", "text": "Like this."}, pictures[0]]})
    with pytest.raises(WindowExceededError) as caught:
        small.prepare()
    assert caught.value.largest > 4_000


def test_a_receipt_says_which_messages_were_clipped_and_how_much() -> None:
    """Address, tokens before, tokens after: what a log's reader looks for."""
    ctx = ContextManager(4_000)
    ctx.add(user("Go."))
    ctx.add(assistant(words(9_000)))
    ctx.add(user("On."))
    ctx.add(assistant(words(9_000, seed=8)))
    receipt = ctx.compact()
    (said,) = [each for each in receipt.failures if "messages clipped" in each]
    told = re.findall(r"(m\d+) \(([\d,]+) tokens to ([\d,]+)\)", said)
    assert [address for address, _, _ in told] == [each for each in receipt.clipped if each.startswith("m")]
    assert all(int(before.replace(",", "")) > int(after.replace(",", "")) for _, before, after in told)
