"""The laws of a session, over whole conversations of all three shapes.

Each holds whatever was said, however small the window, however often the loop asks. 60 examples of
each law by default, which CI can afford: test_walk.py takes every path 200 times. Set `CONTEXT_KIT_EXAMPLES`
for another number (2,000 nightly).
"""

from __future__ import annotations

import asyncio
import copy
import json
import os
import tempfile
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from context_kit import Compaction, ContextManager, SummaryRequest, WindowExceededError
from context_kit.testing import conversations
from context_kit.typing import Message, Shape
from context_kit.wire import PLACEHOLDER, faults
from tests.talks import SHAPES, accepted, answers, due, feed, known, prints, size, speaks, texts, told

WINDOWS = (600, 1_200, 2_500, 5_000, 12_000)
"""From ones that hold hardly a step to ones that hold most of what is drawn."""

MODELS: dict[Shape, tuple[str | None, ...]] = {
    "chat": (None, "gpt-4o", "deepseek-reasoner"),
    "responses": (None, "gpt-5.6", "o3"),
    "anthropic": (None, "claude-sonnet-4-5", "claude-opus-5-5"),
}
"""Unknown, and of each vendor one whose reasoning is bound to what stands before it and one whose isn't."""

law = settings(
    max_examples=int(os.environ.get("CONTEXT_KIT_EXAMPLES", "60")),
    deadline=None,
    phases=(Phase.reuse, Phase.generate, *((Phase.shrink,) if os.environ.get("SHRINK", "1") == "1" else ())),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
shapes = pytest.mark.parametrize("shape", SHAPES)
windows = st.sampled_from(WINDOWS)


def asked(talk: Sequence[Message], *, impatient: bool) -> Iterator[tuple[int, bool]]:
    """Each message's index and whether the model is asked before it; an impatient loop asks at every one."""
    for at in range(len(talk)):
        yield at, at > 0 and (impatient or due(talk, at))


def play(ctx: ContextManager, talk: Sequence[Message], *, impatient: bool = False) -> Iterator[list[Message]]:
    """Every list that is sent, up to the first that can't be made (that law has a test of its own)."""
    for at, ask in asked(talk, impatient=impatient):
        if ask:
            try:
                sent = ctx.prepare()
            except WindowExceededError:
                return
            yield sent
        ctx.add(talk[at])


# -- what the laws judge by -----------------------------------------------------------------


def stuck(given_: Sequence[Message], shape: Shape, window: int) -> bool:
    """Whether what can't shrink may really fill the window: system messages, media, opaque items, the newest step.

    Generous: 300 tokens for the bridge, 40 for what is left of each clipped text.
    """
    newest = step_starts(given_, shape)[-1]
    rigid = 300 + sum(size([message]) + 8 for message in given_ if message.get("role") in ("system", "developer"))
    for message in given_[newest:]:
        rigid += 40 + sum(40 + fixed_size(block) for block in blocks(message))
        rigid += 40 * len(message.get("tool_calls") or []) + (40 if message.get("reasoning_content") else 0)
        rigid += 300 * (message.get("role") == "user" and "image" in json.dumps(message))
    return rigid > 0.8 * window


def blocks(message: Message) -> list[Message]:
    content = message.get("content", message.get("output", message.get("input")))
    found = content if isinstance(content, list) else []
    inner = [each for block in found if isinstance(block.get("content"), list) for each in block["content"]]
    return [*found, *inner, *([message] if message.get("type") in ("web_search_call", "reasoning") else [])]


def fixed_size(block: Message) -> int:
    """Tokens of a block that no clip can shorten: reasoning where it stays, what the provider ran."""
    kind = str(block.get("type"))
    rigid = kind.startswith(("web_search", "server_tool", "thinking", "redacted_thinking", "reasoning"))
    return size([{"text": json.dumps(block, ensure_ascii=False)}]) if rigid else 0


def step_starts(talk: Sequence[Message], shape: Shape) -> list[int]:
    """Indexes at which a step begins, told from the messages alone.

    Not at a result. Responses items of the assistant that follow each other count as one reply, and an Anthropic
    system message belongs to what it follows.
    """

    def continues(at: int) -> bool:
        if shape == "anthropic":
            return talk[at].get("role") == "system"
        return shape == "responses" and at > 0 and speaks(talk[at]) and speaks(talk[at - 1])

    return [at for at, message in enumerate(talk) if not answers(message) and not continues(at)]


def applied(ctx: ContextManager) -> list[Compaction]:
    return [receipt for receipt in ctx.compactions if receipt.outcome == "applied"]


def newest_words(talk: Sequence[Message]) -> str:
    """The newest text in the user role; empty where it is not plainly a person's."""
    for message in reversed(talk):
        if message.get("role") == "user" and not answers(message):
            content = message["content"]
            return content if isinstance(content, str) else str(content[0]["text"])
    return ""


# -- the laws -------------------------------------------------------------------------------


@shapes
@law
@given(data=st.data())
def test_no_cut_splits_a_step(shape: Shape, data: st.DataObject) -> None:
    """What stays begins with the first message of a step, and everything before it left."""
    talk = data.draw(conversations(shape, max_steps=24))
    ctx = ContextManager(data.draw(windows), model=data.draw(st.sampled_from(MODELS[shape])))
    for _ in play(ctx, talk):
        pass
    starts = {f"m{at + 1}" for at in step_starts(talk, shape)}
    for receipt in applied(ctx):
        if receipt.kept:
            assert receipt.kept[0] in starts
            first = int(receipt.kept[0][1:])
            assert all(int(address[1:]) < first for address in receipt.summarised)
            assert [int(address[1:]) for address in receipt.kept] == [*range(first, first + len(receipt.kept))]


@shapes
@law
@given(data=st.data())
def test_every_list_is_legal(shape: Shape, data: st.DataObject) -> None:
    """Calls and results pair, roles follow the rules, and the SDK's own request type accepts the list."""
    talk = data.draw(conversations(shape, max_steps=24, interrupted=data.draw(st.booleans())))
    ctx = ContextManager(data.draw(windows), model=data.draw(st.sampled_from(MODELS[shape])))
    for sent in play(ctx, talk, impatient=data.draw(st.booleans())):
        assert faults(sent, shape=known(ctx)) == ()
        accepted(sent, shape)


@shapes
@law
@given(data=st.data())
def test_every_list_fits(shape: Shape, data: st.DataObject) -> None:
    """By the library's own count a list leaves room for the reply; by another tokeniser it is in the window."""
    talk = data.draw(conversations(shape, max_steps=24, interrupted=data.draw(st.booleans())))
    window = data.draw(windows)
    ctx = ContextManager(window, model=data.draw(st.sampled_from(MODELS[shape])))
    for sent in play(ctx, talk, impatient=data.draw(st.booleans())):
        assert size(sent) <= ctx.usage.tokens <= window - min(8_192, int(0.2 * window))


@shapes
@law
@given(data=st.data())
def test_a_session_is_stuck_only_where_nothing_can_shrink(shape: Shape, data: st.DataObject) -> None:
    """`WindowExceededError` comes only where system messages, media and the newest step's frame fill the window."""
    talk = data.draw(conversations(shape, max_steps=24))
    ctx = ContextManager(data.draw(windows), model=data.draw(st.sampled_from(MODELS[shape])))
    for at, ask in asked(talk, impatient=data.draw(st.booleans())):
        if ask:
            try:
                ctx.prepare()
            except WindowExceededError as error:
                assert stuck(talk[:at], shape, ctx.usage.window), str(error)
                return
        ctx.add(talk[at])


@shapes
@law
@given(data=st.data())
def test_between_compactions_the_window_only_grows_at_its_end(shape: Shape, data: st.DataObject) -> None:
    """Each list begins with the bytes of the one before it, unless a compaction was applied between them.

    The placeholders of calls that still wait, at the very end, are all that may change.
    """
    talk = data.draw(conversations(shape, max_steps=24, interrupted=data.draw(st.booleans())))
    ctx = ContextManager(data.draw(windows), model=data.draw(st.sampled_from(MODELS[shape])))
    last: list[str] = []
    made = 0
    for sent in play(ctx, talk, impatient=data.draw(st.booleans())):
        if len(applied(ctx)) == made:
            assert prints(sent)[: len(last)] == last
        made = len(applied(ctx))
        last = settled(prints(sent))


def settled(sent: list[str]) -> list[str]:
    """A list without the open step at its end: from the first answer of the round that waits."""
    end = len(sent)
    while end and ('"tool' in sent[end - 1] or "_output" in sent[end - 1]):
        end -= 1
    return sent[:end] if any(PLACEHOLDER in each for each in sent[end:]) else sent


@shapes
@law
@given(data=st.data())
def test_the_newest_words_of_the_user_are_always_in_the_window(shape: Shape, data: st.DataObject) -> None:
    """Whatever leaves, what the person wrote last stands in the list: in the tail or in the bridge."""
    talk = data.draw(conversations(shape, max_steps=24, giant=4_000))
    ctx = ContextManager(data.draw(st.sampled_from(WINDOWS[3:])))
    for at, ask in asked(talk, impatient=False):
        if ask:
            try:
                text = told(ctx.prepare())
            except WindowExceededError:
                return
            words = newest_words(talk[:at])
            if len(words) <= 200 and not words.startswith(("Traceback", "FAILED")):
                assert words in text
        ctx.add(talk[at])


@shapes
@law
@given(data=st.data())
def test_two_runs_give_the_same_bytes(shape: Shape, data: st.DataObject) -> None:
    """Nothing depends on chance, time or memory addresses."""
    talk, window = data.draw(conversations(shape, max_steps=24)), data.draw(windows)
    first, second = ContextManager(window), ContextManager(window)
    assert [prints(sent) for sent in play(first, talk)] == [prints(sent) for sent in play(second, talk)]


@shapes
@law
@given(data=st.data())
def test_sync_equals_async(shape: Shape, data: st.DataObject) -> None:
    """Blocking or awaited, with a model or without: the same lists and the same receipts."""
    talk, window = data.draw(conversations(shape, max_steps=16)), data.draw(windows)
    replies = data.draw(st.sampled_from([None, REPLY, "no JSON at all"]))

    def speak(_: SummaryRequest) -> str:
        return str(replies)

    async def speak_later(_: SummaryRequest) -> str:
        return str(replies)

    blocking = ContextManager(window, llm=speak if replies else None)
    awaited = ContextManager(window, llm=speak_later if replies else None)

    async def awaiting() -> list[list[str]]:
        out: list[list[str]] = []
        for at, message in enumerate(talk):
            if due(talk, at):
                try:
                    out.append(prints(await awaited.aprepare()))
                except WindowExceededError:
                    break
            awaited.add(message)
        return out

    assert [prints(sent) for sent in play(blocking, talk)] == asyncio.run(awaiting())
    assert [timeless(receipt) for receipt in blocking.compactions] == [timeless(each) for each in awaited.compactions]


REPLY = json.dumps(
    {
        "original_goal": "something else",
        "completed_steps": [{"text": "Looked around.", "files": ["a.py"]}],
        "current_files": [{"path": "a.py", "state": "read"}],
        "key_decisions": [{"decision": "Keep run() as it is.", "reason": "It was asked for."}],
        "failed_attempts": [],
        "todo": ["Ship it."],
    }
)


def timeless(receipt: Compaction) -> str:
    """A receipt without its wall time."""
    return repr({name: getattr(receipt, name) for name in Compaction.__dataclass_fields__ if name != "seconds"})


@shapes
@law
@given(data=st.data())
def test_the_log_restored_equals_the_log_saved(shape: Shape, data: st.DataObject) -> None:
    """Closed and reopened from disk at any message, a session goes on as if nothing had happened.

    Without the journal here: closing settles an edit that waits for its verification, by rule.
    """
    talk = data.draw(conversations(shape, max_steps=16))
    window, broken = data.draw(windows), data.draw(st.integers(1, len(talk)))
    kept = ContextManager(window, policy="template+engrams")
    with tempfile.TemporaryDirectory() as folder:
        stored = ContextManager(window, store=folder, session="s", policy="template+engrams")
        for at, message in enumerate(talk):
            if at == broken:
                stored.close()
                stored = ContextManager.open(folder, "s", policy="template+engrams")
                assert prints(stored.messages) == prints(kept.messages)
                assert stored.usage == kept.usage
            if due(talk, at):
                sent = attempt(kept)
                assert attempt(stored) == sent
                if sent is None:
                    break
            kept.add(message)
            stored.add(message)
        assert [timeless(each) for each in stored.compactions] == [timeless(each) for each in kept.compactions]
        stored.close()


def attempt(ctx: ContextManager) -> list[str] | None:
    """The bytes of the next list; None where it can't be made."""
    try:
        return prints(ctx.prepare())
    except WindowExceededError:
        return None


@shapes
@law
@given(data=st.data())
def test_the_callers_messages_are_never_changed(shape: Shape, data: st.DataObject) -> None:
    """Neither what was added nor what was handed out is changed by anything that comes later."""
    talk = data.draw(conversations(shape, max_steps=16, interrupted=data.draw(st.booleans())))
    before = copy.deepcopy(talk)
    ctx = ContextManager(data.draw(windows))
    handed = [(sent, copy.deepcopy(sent)) for sent in play(ctx, talk)]
    assert talk == before
    assert all(sent == then for sent, then in handed)


@shapes
@law
@given(data=st.data())
def test_every_address_brings_its_text_back(shape: Shape, data: st.DataObject) -> None:
    """What a receipt names can be recalled; a message that left comes back word for word."""
    talk = data.draw(conversations(shape, max_steps=24))
    ctx = ContextManager(data.draw(windows))
    for _ in play(ctx, talk):
        pass
    for receipt in applied(ctx):
        for address in {*receipt.summarised, *receipt.kept, *receipt.clipped, *receipt.evicted, *receipt.pinned}:
            (found,) = ctx.recall(address)
            assert found.address == address
            if address.startswith("m"):
                original = talk[int(address[1:]) - 1]
                assert all(words in found.text for words in spoken(original))
            else:
                assert found.text.strip()
        if receipt.summarised:
            (found,) = ctx.recall(receipt.id)
            assert all(
                words in found.text for address in receipt.summarised for words in spoken(original_of(talk, address))
            )


def original_of(talk: Sequence[Message], address: str) -> Message:
    return talk[int(address[1:]) - 1]


def spoken(message: Message) -> list[str]:
    """Every text that a reader sees in a message: its words, calls and results."""
    if isinstance(message.get("content"), str):
        words = [message["content"]]
    else:
        words = [block["text"] for block in blocks(message) if isinstance(block.get("text"), str)]
    words += [str(call.get("custom", call.get("function"))["name"]) for call in message.get("tool_calls") or []]
    for block in [*blocks(message), message]:
        if isinstance(block.get("input"), dict):
            words += [
                text for text in texts(block["input"]) if text.isprintable() and '"' not in text and "\\" not in text
            ]
        if isinstance(block.get("content"), str) and block.get("type") == "tool_result":
            words.append(block["content"])
    words += [message["output"]] if isinstance(message.get("output"), str) else []
    return words


@law
@given(conversations(max_steps=12), windows)
def test_a_given_list_and_its_messages_one_by_one_are_the_same(talk: list[Message], window: int) -> None:
    """`add` of a list adds its messages in order, all or none."""
    one, many = ContextManager(window), ContextManager(window)
    for message in talk:
        one.add(message)
    many.add(talk)
    assert prints(many.messages) == prints(one.messages)
    assert many.usage == one.usage


@law
@given(conversations(max_steps=10), st.integers(1, 4))
def test_nothing_stands_twice_in_the_window(talk: list[Message], times: int) -> None:
    """After manual compactions in a row there is one bridge, and the head once."""
    ctx = ContextManager(12_000)
    feed(ctx, talk)
    for _ in range(times):
        receipt = ctx.compact()
        sent = ctx.messages
        assert sum("[context record c" in str(message.get("content"))[:40] for message in sent) <= 1
        heads = [prints(heading(found)) for found in (sent, talk)]
        assert all(heads[0].count(each) <= heads[1].count(each) for each in heads[0])
        assert receipt.outcome != "applied" or len(sent) <= len(receipt.kept) + len(heads[0]) + 1


def heading(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.get("role") in ("system", "developer")]
