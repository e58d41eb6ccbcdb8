"""A warm request is the session's own bytes and one instruction more; where that can't be, it is asked cold."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from context_kit import ContextManager
from context_kit.llm._warm import rides
from context_kit.summary import parse
from context_kit.testing import Call, tool_round, user
from tests.llm.provider import BREAKS, Break, Provider
from tests.llm.replies import RECORD, Reply
from tests.llm.test_adapters import QUICK, asked, talk
from tests.llm.trials import APIS, _tools, client_of, llm_of
from tests.talks import session

PREFIX = {"chat": "messages", "responses": "input", "messages": "messages"}


def given(api: str) -> dict[str, Any]:
    """What a loop sends beside its messages."""
    return {"system": "You are a careful engineer.", "tools": _tools(api)}


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("api", APIS)
def test_the_prefix_goes_out_unchanged(api: str, awaited: bool) -> None:
    """Bytes of the session's own list, one user message behind, system and tools as the caller gave them; no schema."""
    shape = APIS[api]
    with Provider(lambda _: Reply()) as provider:
        client: Any = client_of(api, provider.url, awaited=awaited)
        beside = {"system": None, **given(api)} if api != "chat" else {"tools": _tools(api)}
        ctx = ContextManager(20_000, llm=llm_of(api, client, warm=True, **beside, **QUICK))
        ctx.add(session(shape, looked=20))
        before = ctx.messages
        receipt = asyncio.run(_compacted(ctx, client)) if awaited else ctx.compact()
        if not awaited:
            client.close()
    (body,) = (seen.body for seen in provider.seen)
    *prefix, ask = body[PREFIX[api]]
    assert provider.illegal == []
    assert json.dumps(prefix) == json.dumps(before[: len(prefix)])
    assert [len(prefix) > 4, ask["role"]] == [True, "user"]
    assert body["tools"] == _tools(api)
    assert {"response_format", "text", "output_config", "tool_choice"} & body.keys() == set()
    if api != "chat":
        assert body["instructions" if api == "responses" else "system"] == "You are a careful engineer."
    assert [receipt.summariser, receipt.failures] == ["llm", ()]


async def _compacted(ctx: ContextManager, client: Any) -> Any:
    async with client:
        return await ctx.acompact()


def history(api: str) -> tuple[dict[str, Any], ...]:
    """A person's request, a call and its result."""
    call = Call("Bash", {"command": "ls"}, result="a.py", id="c1")
    return user("Fix it.", shape=APIS[api]), *tool_round([call], shape=APIS[api])


@pytest.mark.parametrize(
    "play",
    [
        BREAKS["400"],
        Break("400", 400, "invalid_request_error", "This model's maximum context length is exceeded"),
        Break("400", 400, "invalid_request_error", "tools are not supported with this model"),
        Reply(text="Now I run the tests."),
        Reply(tool="Bash", stop="tool", text='{"command": "ls"}'),
        Reply(text="No.", stop="refusal"),
    ],
    ids=["bad request", "too long", "no tools", "prose", "tool call", "refusal"],
)
@pytest.mark.parametrize("api", APIS)
def test_a_warm_request_that_fails_is_asked_cold(api: str, play: Reply | Break) -> None:
    """Whatever a model in the middle of its work does instead of a record: the fenced transcript is asked for."""
    first = iter([play])
    found = talk(api, lambda _: next(first, Reply()), warm=True, wanted=asked(messages=history(api)), **given(api))
    assert parse(found.replies[0].text) == parse(RECORD)
    warm, cold = (json.dumps(body) for body in found.bodies)
    assert ["Fix it." in warm, "Fix it." in cold] == [True, False]


@pytest.mark.parametrize("api", APIS)
def test_what_cant_be_sent_again_is_asked_cold_at_once(api: str) -> None:
    """An open call, a foreign shape, calls without the caller's tools, or nothing at all: one request, cold."""
    waiting = history(api)[:2]
    foreign = history("messages" if api == "chat" else "chat")
    for messages, beside in ((waiting, given(api)), (foreign, given(api)), (history(api), {}), ((), given(api))):
        (body,) = talk(api, Reply(), warm=True, wanted=asked(messages=messages), **beside).bodies
        assert "Fix it." not in json.dumps(body)


def test_a_placeholder_at_the_end_is_an_open_call() -> None:
    """A result that may still come in its place would change the bytes; one with a later message behind it stays."""
    ctx = ContextManager(6_000)
    ctx.add([{"role": "user", "content": "Fix it."}, *history("chat")[1:2]])
    open_list = ctx.messages
    ask = {"role": "user", "content": "Record."}
    assert rides([*open_list, ask], "chat", tools=[1]) is False
    ctx.add({"role": "user", "content": "Stop."})
    assert rides([*ctx.messages, ask], "chat", tools=[1]) is True


def test_the_words_are_in_the_sessions_language() -> None:
    """English and Chinese, the library's own instructions whole behind them."""
    for language, told in (("en", "the conversation above"), ("zh", "上面的对话")):
        wanted = asked(messages=history("chat"), language=language)
        (body,) = talk("chat", Reply(), warm=True, wanted=wanted, **given("chat")).bodies
        words = body["messages"][-1]["content"]
        assert told in words
        assert words.endswith(wanted.instructions)
