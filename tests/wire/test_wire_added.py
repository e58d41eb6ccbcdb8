"""What `add` takes is never handed out illegal: it is refused by field, or repaired."""

from __future__ import annotations

from pathlib import Path

import pytest

from context_kit import ContextManager, InvalidMessageError
from context_kit.testing import Call, assistant, image, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import faults
from tests.talks import told
from tests.validators import refused

TRIGGER = {"type": "compaction_trigger"}
SEARCH = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}


def sent(shape: Shape, *messages: Message, strict: bool = False) -> list[Message]:
    """The list of a session that was given these messages; no judge has anything against it, and it fits."""
    ctx = ContextManager(50_000, strict_roles=strict)
    for message in messages:
        ctx.add(message)
    out = ctx.prepare()
    assert not [*faults(out, shape=shape, strict=strict), *refused(out, shape)]
    return out


def says(*blocks: Message) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def shown(calls: int) -> list[Message]:
    """A chat step whose results are pictures, as some servers take them."""
    asked = [Call("Shot", {"n": number}, result="", id=f"call_{number}") for number in range(calls)]
    step = tool_round(asked, shape="chat")
    text = {"type": "text", "text": "as asked"}
    return [step[0], *({**each, "content": [text, image()]} for each in step[1:])]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("calls", [1, 3])
def test_pictures_of_chat_results_follow_all_results(calls: int, *, strict: bool) -> None:
    """A tool message takes text only: the pictures stand in one user message behind, and say whose they are."""
    given = shown(calls)
    out = sent("chat", user("Look."), *given, *assistant("I see."), user("Go on."), strict=strict)
    (picture,) = [message for message in out if image() in list(message["content"] or [])]
    assert out.index(picture) >= 2 + calls
    assert [block for block in picture["content"] if block == image()] == [image()] * calls
    assert all(f"call_{number}" in told([picture]) for number in range(calls))
    assert [message["content"] for message in out[2 : 2 + calls]] == [[{"type": "text", "text": "as asked"}]] * calls
    assert given == shown(calls)


def test_what_no_tool_message_holds_is_refused() -> None:
    """A block that is neither text nor media has no place in a chat result."""
    ctx = ContextManager(50_000)
    ctx.add([user("Look."), shown(1)[0]])
    with pytest.raises(InvalidMessageError) as caught:
        ctx.add({"role": "tool", "tool_call_id": "call_0", "content": [{"type": "new_kind", "x": "y"}]})
    assert caught.value.field == "content[0].type"


def test_a_compaction_trigger_is_the_last_item_or_is_not_sent() -> None:
    """What comes after it takes it out."""
    hello = user("Hello.", shape="responses")
    assert sent("responses", hello, TRIGGER) == [hello, TRIGGER]
    assert sent("responses", hello, TRIGGER, hello) == [hello, hello]


@pytest.mark.parametrize("strict", [False, True])
def test_a_session_that_begins_with_the_assistant_gets_a_stub(*, strict: bool) -> None:
    """Anthropic's first message is the user's; the assistant's words stay as they are."""
    step = tool_round([Call("Bash", {"command": "ls"}, result="a.py", id="call_1")], shape="anthropic")
    out = sent("anthropic", *step, strict=strict)
    assert out[0]["role"] == "user"
    assert out[1:] == step


def test_a_served_result_needs_its_call_in_the_same_turn() -> None:
    """Without it the result is refused; nothing is added."""
    hello = user("Hello.", shape="anthropic")
    ctx = ContextManager(50_000)
    ctx.add([hello, says({"type": "text", "text": "Hi."})])
    before = ctx.messages
    with pytest.raises(InvalidMessageError) as caught:
        ctx.add(says({"type": "text", "text": "Found."}, FOUND))
    assert caught.value.field == "content[1].tool_use_id"
    assert ctx.messages == before


def test_a_paused_turn_goes_on_with_the_served_result() -> None:
    """The call and its result may stand in two messages of one turn."""
    hello = user("Hello.", shape="anthropic")
    assert len(sent("anthropic", hello, says(SEARCH), says(FOUND), hello)) == 4


@pytest.mark.parametrize("key", [{"choices": []}, {"object": "response"}, {"output": [], "choices": [1]}])
def test_an_item_of_tomorrow_is_read_back_as_it_was_added(key: Message, tmp_path: Path) -> None:
    """What has a type is an item, whatever else it has: the disk gives it back."""
    item = {"type": "new_kind", "id": "n_1", **key}
    reply = {"object": "response", "status": "completed", "output": [item]}
    with ContextManager(50_000, store=tmp_path, session="s") as ctx:
        ctx.add([user("Hello.", shape="responses"), reply])
        before = ctx.messages
    with ContextManager.open(tmp_path, "s") as again:
        assert again.messages == before


@pytest.mark.parametrize("thought", [{"reasoning_content": "Hmm."}, {"refusal": "I can't."}])
def test_a_reply_of_reasoning_alone_has_content(thought: Message) -> None:
    """A chat reply that ended before its first word is sent with an empty text."""
    reply = {"role": "assistant", **thought}
    assert sent("chat", user("Hello."), reply, user("Go on."))[1] == {**reply, "content": ""}


def test_a_compaction_item_has_its_content_whatever_else_it_has() -> None:
    """Also with a role, an item without its sealed content is refused."""
    ctx = ContextManager(50_000)
    with pytest.raises(InvalidMessageError) as caught:
        ctx.add({"type": "compaction", "role": "assistant", "id": "cmp_1"})
    assert caught.value.field == "encrypted_content"


@pytest.mark.parametrize("words", [[], [{"type": "text", "text": "Let me look."}]])
def test_a_served_call_that_a_person_interrupts_is_not_sent(words: list[Message]) -> None:
    """Its result never comes; what was said beside it stays. While the turn is paused it stands."""
    hello = user("Hello.", shape="anthropic")
    paused = says(*words, SEARCH)
    assert sent("anthropic", hello, paused) == [hello, paused]
    assert sent("anthropic", hello, paused, hello) == [hello, *([says(*words)] if words else []), hello]


def test_a_cache_mark_on_thinking_is_refused() -> None:
    """Anthropic takes it on any other block (wire-facts 1.6)."""
    ctx = ContextManager(50_000)
    ctx.add(user("Hello.", shape="anthropic"))
    thought = {"type": "thinking", "thinking": "Hmm.", "signature": "s", "cache_control": {"type": "ephemeral"}}
    with pytest.raises(InvalidMessageError) as caught:
        ctx.add(says(thought, {"type": "text", "text": "Hi."}))
    assert caught.value.field == "content[0].cache_control"


def test_a_late_result_of_blocks_goes_out_once() -> None:
    """In chat its blocks are the result's own: nobody's words stand beside it."""
    ctx = ContextManager(50_000)
    ask = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}
    ctx.add([user("Hello."), {"role": "assistant", "content": None, "tool_calls": [ask]}, user("Never mind.")])
    ctx.prepare()
    ctx.add({"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a.py"}]})
    window = ctx.prepare()
    assert not faults(window, shape="chat")
    assert [raw["role"] for raw in window[-2:]] == ["user", "user"]


@pytest.mark.parametrize("content", ["Hi.", [{"type": "text", "text": "Hi.", "cache_control": {"type": "ephemeral"}}]])
def test_thoughts_beside_the_content_are_no_block(content: object) -> None:
    """A gateway's `reasoning` stands in no place where a cache mark could be."""
    ctx = ContextManager(50_000)
    ctx.add({"role": "user", "content": [image(shape="anthropic")]})
    reply = {"role": "assistant", "content": content, "reasoning": "Hmm."}
    ctx.add(reply)
    assert ctx.prepare()[-1] == reply


def test_what_was_sent_before_the_shape_was_known_is_repaired_by_its_rules() -> None:
    """A blank text is refused by Anthropic (wire-facts 1.1.4), wherever it stands, and by no other."""
    ctx = ContextManager(50_000)
    blank, words = {"type": "text", "text": " "}, {"type": "text", "text": "Hello."}
    for message in ({"role": "user", "content": [blank, words]}, user("Are you there?")):
        ctx.add(message)
        ctx.prepare()
    ctx.add(says({"type": "thinking", "thinking": "Hmm.", "signature": "s"}, {"type": "text", "text": "Yes."}))
    assert ctx.prepare()[0] == {"role": "user", "content": [words]}


@pytest.mark.parametrize("shape", ["chat", "responses", "anthropic"])
def test_the_newest_step_is_sent_as_it_stands(shape: Shape) -> None:
    """However often the window is looked at while a step grows, it reads as if it was looked at once."""
    asked = [Call("Bash", {"n": number}, result=f"{number}.py", id=f"call_{number}") for number in range(3)]
    ctx, looked = ContextManager(50_000), ContextManager(50_000)
    for message in (user("Hello.", shape=shape), *tool_round(asked, shape=shape), assistant("Done.", shape=shape)):
        ctx.add(message)
        looked.add(message)
        assert looked.messages == looked.messages
    assert looked.messages == ctx.messages
