"""`call`: what is sent, what is added, and how an overflow is compacted away."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context_kit import (
    Budget,
    BudgetError,
    ContextKitError,
    ContextManager,
    InvalidMessageError,
    StoreError,
    WindowExceededError,
)
from context_kit.testing import assistant, conversations, user
from context_kit.typing import Message, Shape
from context_kit.wire import faults
from tests.talks import GOAL, SHAPES, accepted, feed, known, looks, prints, session, size, told

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1")
TELLING = "This model's maximum context length is {limit} tokens. However, your messages resulted in {asked} tokens."
SILENT = "Your input exceeds the context window of this model. Please adjust your input and try again."


def refusal(text: str, *, status: int = 400, code: str | None = "context_length_exceeded") -> openai.APIStatusError:
    body = {"message": text, "type": "invalid_request_error", "param": "messages", "code": code}
    kind = openai.BadRequestError if status == 400 else openai.RateLimitError
    return kind(text, response=httpx2.Response(status, request=REQUEST), body=body)


def answer(shape: Shape, text: str = "Done.", *, usage: int = 0, ending: str | None = None) -> Mapping[str, Any]:
    """A whole reply of a provider."""
    if shape == "anthropic":
        reply = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}]}
        return {**reply, "stop_reason": ending or "end_turn", "usage": {"input_tokens": usage, "output_tokens": 5}}
    if shape == "responses":
        content = [{"type": "output_text", "text": text, "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        return {"object": "response", "status": "completed", "output": [item], "usage": {"input_tokens": usage}}
    choice = {"index": 0, "finish_reason": ending or "stop", "message": {"role": "assistant", "content": text}}
    counts = {"prompt_tokens": usage, "completion_tokens": 5}
    return {"object": "chat.completion", "choices": [choice], **({"usage": counts} if usage else {})}


class Server:
    """A model behind `create`, with a window of its own, that keeps every request."""

    def __init__(self, window: int, *, shape: Shape = "chat", says: str = TELLING, hidden: int = 0) -> None:
        self.window = window
        self.shape: Shape = shape
        self.says = says
        self.hidden = hidden
        """Tokens of what the session doesn't know of."""
        self.sent: list[list[Message]] = []

    def tokens(self, messages: list[Message]) -> int:
        return size(messages) + self.hidden

    def create(self, **request: Any) -> Mapping[str, Any]:
        messages: list[Message] = request.get("input") or request["messages"]
        self.sent.append(messages)
        asked = self.tokens(messages)
        if asked > self.window:
            raise refusal(self.says.format(limit=self.window, asked=asked))
        return answer(self.shape, usage=asked)

    async def acreate(self, **request: Any) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        return self.create(**request)


class Script:
    """A `create` that gives one outcome after the other, and keeps what it was given."""

    def __init__(self, *outcomes: object) -> None:
        self.outcomes: Iterator[object] = iter(outcomes)
        self.given: list[dict[str, Any]] = []

    def __call__(self, **request: Any) -> Any:
        self.given.append(request)
        outcome = next(self.outcomes)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def filled(window: int = 100_000, *, shape: Shape = "chat", looked: int = 12, **arguments: Any) -> ContextManager:
    ctx = ContextManager(window, **arguments)
    ctx.add(session(shape, looked=looked))
    return ctx


def spoken(ctx: ContextManager, create: Callable[..., Any], mode: str, /, **kw: Any) -> Any:
    """A call in one of the two ways."""
    return ctx.call(create, **kw) if mode == "call" else asyncio.run(ctx.acall(create, **kw))


modes = pytest.mark.parametrize("mode", ["call", "acall"])


# -- a request ---------------------------------------------------------------------------------


@modes
@pytest.mark.parametrize("shape", SHAPES)
def test_the_reply_is_added_and_returned(shape: Shape, mode: str) -> None:
    """One request, of what `prepare()` returns; the reply as it came, its message and usage in the session."""
    ctx, server = filled(shape=shape), Server(100_000, shape=shape)
    prepared = ctx.prepare()
    reply = spoken(ctx, server.create, mode)
    assert prints(server.sent[0]) == prints(prepared)
    assert len(server.sent) == 1
    assert "Done." in told([reply])
    assert "Done." in told(ctx.messages[-1:])
    assert ctx.usage.source == "provider"


@modes
def test_arguments_pass_through_unchanged(mode: str) -> None:
    """What is not the session's goes to `create` as the caller gave it, the object itself."""
    tools: list[object] = [{"name": "bash"}]
    script = Script(answer("chat"))
    spoken(filled(), script, mode, model="m", tools=tools, max_tokens=7, create=1)
    given_ = script.given[0]
    assert given_["tools"] is tools
    assert {key: value for key, value in given_.items() if key not in ("messages", "tools")} == {
        "model": "m",
        "max_tokens": 7,
        "create": 1,
    }


def test_an_async_create_is_awaited() -> None:
    """`acall` takes either kind, and what returns something to await."""
    for wrapped in (False, True):
        ctx, server = filled(), Server(100_000)

        def sync(server: Server = server, **request: Any) -> Any:
            return server.acreate(**request)

        asyncio.run(ctx.acall(sync if wrapped else server.acreate))
        assert "Done." in told(ctx.messages[-1:])


def test_a_sync_create_does_not_block_the_loop() -> None:
    """Under `acall` it runs in a worker thread."""
    threads: list[int] = []

    def create(messages: list[Any]) -> Any:
        threads.append(threading.get_ident())
        return answer("chat")

    asyncio.run(filled().acall(create))
    assert threads != [threading.get_ident()]


class AsyncModel:
    """An object that is called and awaited."""

    async def __call__(self, **_: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    "create",
    [
        Server(100_000).acreate,
        functools.partial(Server(100_000).acreate, model="m"),
        AsyncModel(),
        functools.partial(AsyncModel(), model="m"),
        openai.AsyncOpenAI(api_key="none", base_url="http://127.0.0.1:9").chat.completions.create,
        openai.AsyncOpenAI(api_key="none", base_url="http://127.0.0.1:9").responses.create,
        anthropic.AsyncAnthropic(api_key="none", base_url="http://127.0.0.1:9").messages.create,
    ],
    ids=["method", "partial", "object", "partial of an object", "chat", "responses", "anthropic"],
)
def test_an_async_create_given_to_call_is_refused_at_once(create: Callable[..., Any]) -> None:
    """It raises with advice, and nothing was compacted; so nothing was sent."""
    ctx = filled(8_000)
    with pytest.raises(ContextKitError, match=r"use await acall\(\)"):
        ctx.call(create)
    assert ctx.compactions == ()


def test_a_disguised_async_create_sends_nothing() -> None:
    """As the SDKs wrap theirs: what it returns is closed before it begins."""
    ctx, server = filled(), Server(100_000)
    before = ctx.messages
    with pytest.raises(ContextKitError, match=r"use await acall\(\)"):
        ctx.call(lambda **request: server.acreate(**request))
    assert (server.sent, ctx.messages) == ([], before)


def test_the_sdks_own_create_is_understood() -> None:
    """Messages go where each SDK takes them."""
    seen: list[bytes] = []

    def reply(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.content)
        shapes: dict[str, Shape] = {"chat": "chat", "responses": "responses", "v1": "anthropic"}
        return httpx2.Response(200, json=dict(answer(shapes[request.url.path.split("/")[1]])))

    http = httpx2.Client(transport=httpx2.MockTransport(reply))
    base: dict[str, Any] = {"api_key": "none", "base_url": "http://127.0.0.1", "http_client": http}
    gpt, claude = openai.OpenAI(**base), anthropic.Anthropic(**base)
    filled().call(gpt.chat.completions.create, model="m")
    filled(shape="responses").call(functools.partial(gpt.responses.create, model="m"))
    ctx = ContextManager(100_000)
    ctx.add({"role": "user", "content": GOAL})
    ctx.call(claude.messages.create, model="m", max_tokens=10)
    assert ["messages" in json.loads(body) for body in seen] == [True, False, True]
    assert ["input" in json.loads(body) for body in seen] == [False, True, False]
    http.close()


@pytest.mark.parametrize(
    ("create", "shape", "name"),
    [
        (lambda *, messages, **_: messages, "responses", "messages"),
        (lambda *, input, messages=None: input, "responses", "messages"),  # noqa: A006
        (lambda *, input: input, "chat", "input"),  # noqa: A006
        (lambda **given: given, "responses", "input"),
        (lambda **given: given, "anthropic", "messages"),
    ],
)
def test_the_messages_go_under_the_name_that_create_has(create: Callable[..., Any], shape: Shape, name: str) -> None:
    """`messages` where it has that, else `input`; where anything goes, what the session's shape is sent as."""
    given_: dict[str, Any] = {}

    @functools.wraps(create)
    def kept(**request: Any) -> Any:
        given_.update(request)
        return answer(shape)

    filled(shape=shape).call(kept)
    assert list(given_) == [name]


@modes
@pytest.mark.parametrize("name", ["messages", "input", "previous_response_id", "conversation", "stream"])
def test_what_call_can_not_work_with_is_refused_before_it_is_sent(name: str, mode: str) -> None:
    """The session's own messages, a history that the server holds, a stream: named, with advice."""
    ctx, server = filled(8_000), Server(100_000)
    with pytest.raises(InvalidMessageError) as caught:
        spoken(ctx, server.create, mode, **{name: ["x"]})
    assert (caught.value.field, server.sent, ctx.compactions) == (name, [], ())


def test_what_can_not_be_called_is_refused() -> None:
    """A reply in the place of a function is a common slip."""
    with pytest.raises(BudgetError, match="can't be called"):
        filled().call(answer("chat"))  # type: ignore[arg-type]


@modes
def test_a_stream_is_refused_with_advice(mode: str) -> None:
    """It can't be read without taking it from the caller."""
    ctx = filled()
    before = ctx.messages
    with pytest.raises(InvalidMessageError, match="is a stream: collect it"):
        spoken(ctx, Script(iter([1])), mode)
    assert ctx.messages == before


# -- errors ------------------------------------------------------------------------------------


@modes
@pytest.mark.parametrize(
    "error",
    [
        refusal(
            "Request too large on tokens per min (TPM): Limit 1, Requested 2", status=429, code="rate_limit_exceeded"
        ),
        refusal("max_tokens is too large: 200000.", code="invalid_value"),
        TimeoutError("timed out"),
        KeyError("bug"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_another_error_is_raised_unchanged(error: Exception, mode: str) -> None:
    """The very object, nothing chained to it, no second request, no message added."""
    ctx, script = filled(), Script(error, answer("chat"))
    before = ctx.messages
    with pytest.raises(type(error)) as caught:
        spoken(ctx, script, mode)
    assert caught.value is error
    assert (error.__cause__, error.__context__) == (None, None)
    assert (len(script.given), ctx.messages, ctx.compactions) == (1, before, ())


def test_an_iterators_end_is_an_error_like_any_other() -> None:
    """It ends no generator of the library's own."""
    error = StopIteration("odd")
    with pytest.raises(StopIteration) as caught:
        filled().call(Script(error))
    assert caught.value is error


def test_a_compaction_that_was_due_stays() -> None:
    """It was prepare's, before the request."""
    ctx = filled(8_000)
    with pytest.raises(TimeoutError):
        ctx.call(Script(TimeoutError()))
    assert [receipt.trigger for receipt in ctx.compactions] == ["hard"]


@modes
def test_an_error_after_an_overflow_is_raised_unchanged(mode: str) -> None:
    """The rate limit that follows a refused request is the caller's to wait for."""
    ctx = filled()
    error = refusal("Rate limit reached", status=429, code="rate_limit_exceeded")
    with pytest.raises(openai.RateLimitError) as caught:
        spoken(ctx, Script(refusal(SILENT), error), mode)
    assert caught.value is error
    assert error.__cause__ is None


# -- overflow ----------------------------------------------------------------------------------


@modes
@pytest.mark.parametrize("says", [TELLING, SILENT])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_overflow_is_compacted_away(shape: Shape, says: str, mode: str) -> None:
    """The window was believed larger than it is: one refused request, then a shorter one that fits."""
    ctx, server = filled(shape=shape), Server(6_000, shape=shape, says=says)
    spoken(ctx, server.create, mode)
    assert [server.tokens(sent) > 6_000 for sent in server.sent] == [True, False]
    assert [receipt.trigger for receipt in ctx.compactions] == ["overflow"]
    assert GOAL in told(server.sent[-1])
    assert "Done." in told(ctx.messages[-1:])


def test_a_window_that_is_told_is_remembered(tmp_path: Path) -> None:
    """Every later prepare keeps to it, and so does a session that is opened again."""
    with filled(store=tmp_path, session="s") as ctx:
        ctx.call(Server(6_000).create)
        assert ctx.usage.window == 6_000
        feed(ctx, [message for number in range(90, 99) for message in looks("chat", number)])
        assert size(ctx.prepare()) <= 6_000
    for arguments in ({}, {"window": 100_000}):
        with ContextManager.open(tmp_path, "s", **arguments) as again:
            assert (again.usage.window, prints(again.messages)) == (6_000, prints(ctx.messages))
    with ContextManager.open(tmp_path, "s", model="gpt-5.4") as again:
        assert again.usage.window == 100_000
    with ContextManager.open(tmp_path, "s", window=200_000) as again:
        assert again.usage.window == 200_000


def test_the_shares_of_a_smaller_window_are_the_callers() -> None:
    """Only the size changes; a reserve that was set is kept where it has room."""
    budget = Budget(100_000, reserve=20_000, target=0.5)
    assert budget.within(6_000) == Budget(6_000, reserve=1_200, target=0.5)
    assert Budget(100_000, reserve=0).within(6_000).reserve == 0
    assert budget.within(200_000) == budget


def test_a_window_that_is_not_told_is_not_made_up() -> None:
    """The next request may be as large as the caller said."""
    ctx = filled()
    ctx.call(Server(6_000, says=SILENT).create)
    assert ctx.usage.window == 100_000


@pytest.mark.parametrize("says", [TELLING, SILENT])
def test_parts_that_the_session_does_not_know_of_are_made_room_for(says: str) -> None:
    """Tools that were not given to it: what the provider counted is the measure."""
    ctx, server = filled(10_000, looked=6), Server(10_000, says=says, hidden=6_000)
    ctx.call(server.create)
    assert len(server.sent) <= 3
    assert server.tokens(server.sent[-1]) <= 10_000


@pytest.mark.parametrize(("reply", "left"), [(5_000, 5_000), (8_800, 1_200)])
def test_tokens_asked_for_the_reply_are_made_room_for(reply: int, left: int) -> None:
    """Where they count, the prompt gets what they leave."""
    text = (
        f"This model's maximum context length is 10000 tokens. However, you requested {7_000 + reply} tokens (7000 in the "
        f"messages, {reply} in the completion)."
    )
    ctx, script = filled(10_000, looked=6), Script(refusal(text), answer("chat"))
    ctx.call(script, max_tokens=reply)
    assert size(script.given[-1]["messages"]) <= left
    assert ctx.usage.window == 10_000


def test_each_refusal_is_answered_with_a_shorter_request() -> None:
    """Harder each time, three at most, then an error that names what can't shrink, the provider's behind it."""
    ctx = filled(looked=30)
    last = refusal(SILENT)
    script = Script(refusal(SILENT), refusal(SILENT), last, answer("chat"))
    with pytest.raises(WindowExceededError, match="3 requests.*can't shrink: system prompt") as caught:
        ctx.call(script)
    sizes = [size(request["messages"]) for request in script.given]
    assert sizes == sorted(set(sizes), reverse=True)
    assert len(sizes) == 3
    assert caught.value.__cause__ is last
    assert caught.value.system > 0
    assert "Done." not in told(ctx.messages)
    assert f"{caught.value.largest} tokens. Shorten" in str(caught.value)
    assert 0 < caught.value.largest <= size(script.given[-1]["messages"])  # what left the window is no part of it


def test_what_can_not_shrink_is_not_sent_again() -> None:
    """A system prompt above the true window: one request, and an error with its size."""
    ctx = ContextManager(100_000)
    ctx.add({"role": "system", "content": " ".join(map(str, range(4_000)))})
    ctx.add({"role": "user", "content": GOAL})
    server = Server(2_000)
    with pytest.raises(WindowExceededError) as caught:
        ctx.call(server.create)
    assert len(server.sent) == 1
    assert caught.value.system > 2_000
    assert isinstance(caught.value.__cause__, openai.BadRequestError)


@pytest.mark.parametrize("says", [TELLING, SILENT])
def test_a_short_session_is_not_sent_twice(says: str) -> None:
    """Nothing is left to compact: the refused request is the only one."""
    ctx, server = ContextManager(100_000), Server(1, says=says)
    ctx.add({"role": "user", "content": "Go on."})
    with pytest.raises(WindowExceededError):
        ctx.call(server.create)
    assert len(server.sent) == 1


def test_calls_at_the_same_time_make_one_compaction() -> None:
    """Who was refused second finds the work done."""
    ctx, server = filled(), Server(6_000)

    async def create(**request: Any) -> Any:
        await asyncio.sleep(0.05)
        return server.create(**request)

    async def work() -> None:
        await asyncio.gather(ctx.acall(create), ctx.acall(create))

    asyncio.run(work())
    assert [receipt.trigger for receipt in ctx.compactions] == ["overflow"]
    assert len(server.sent) == 4


def test_a_giant_is_clipped_to_the_window_that_was_found() -> None:
    """One message larger than the true window is no reason to stop."""
    ctx, server = ContextManager(100_000), Server(4_000)
    ctx.add({"role": "user", "content": GOAL + "\n" + "\n".join(f"line {n} of a log" for n in range(3_000))})
    ctx.call(server.create)
    assert len(server.sent) == 2
    assert GOAL in told(server.sent[-1])


def test_a_summariser_is_asked_once_for_an_overflow() -> None:
    """Nobody pays twice for one cut, also where the first plan was too hard."""
    asked: list[object] = []

    def llm(request: object) -> str:
        asked.append(request)
        raise TimeoutError

    ctx = filled(llm=llm)
    ctx.call(Script(refusal(SILENT), answer("chat")))
    assert len(asked) == 1


@modes
def test_a_message_added_while_create_runs_is_kept(mode: str) -> None:
    """No lock is held: another thread adds, and an overflow's retry has it."""
    ctx, server = filled(), Server(6_000)

    def create(**request: Any) -> Any:
        if not server.sent:
            thread = threading.Thread(target=ctx.add, args=({"role": "user", "content": "Stop after this step."},))
            thread.start()
            thread.join(timeout=20)
            assert not thread.is_alive()
        return server.create(**request)

    spoken(ctx, create, mode)
    assert "Stop after this step." in told(server.sent[-1])
    assert "Stop after this step." in told(ctx.messages)


@modes
def test_a_reply_that_can_not_be_added_goes_to_the_caller(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was paid for: the store's error carries it, and it can be added once there is room."""
    ctx, reply = filled(store=tmp_path, session="s"), answer("chat", "Paid for.")
    store: Any = ctx._session._store
    before = ctx.messages

    def full(*_: object, **__: object) -> None:
        msg = "the disk is full"
        raise StoreError(msg)

    with monkeypatch.context() as patched:
        patched.setattr(store, "append", full)
        with pytest.raises(StoreError, match="full") as caught:
            spoken(ctx, Script(reply), mode)
    assert caught.value.reply is reply
    assert ctx.messages == before
    ctx.add(caught.value.reply)
    assert ctx.messages[-1]["content"] == "Paid for."
    ctx.close()


@modes
def test_a_reply_that_can_not_be_read_goes_to_the_caller(mode: str) -> None:
    """What no session can take is in the error."""
    ctx = filled()
    with pytest.raises(InvalidMessageError) as caught:
        spoken(ctx, Script({"role": "nobody"}), mode)
    assert caught.value.reply == {"role": "nobody"}


def test_a_cancelled_call_adds_nothing() -> None:
    """What was awaited is gone, the session is as it was and works on."""
    ctx, server = filled(), Server(100_000)
    before = ctx.messages

    async def slow(**_: Any) -> Any:
        await asyncio.sleep(60)

    async def work() -> None:
        task = asyncio.create_task(ctx.acall(slow))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ctx.messages == before
        await ctx.acall(server.acreate)

    asyncio.run(work())
    assert len(server.sent) == 1


def test_create_may_use_the_session() -> None:
    """No turn is held while it runs: it may read, add and even prepare."""
    ctx = filled()

    def create(**_: Any) -> Any:
        assert ctx.prepare()
        return answer("chat")

    ctx.call(create)
    assert "Done." in told(ctx.messages[-1:])


# -- overflows that look like success ----------------------------------------------------------


@modes
def test_a_reply_that_the_window_ended_is_asked_for_again(mode: str) -> None:
    """It is cut: it isn't added, the window is what request and reply had together, the next one is whole."""
    ctx = filled(shape="anthropic")
    tokens = ctx.usage.tokens
    cut = answer("anthropic", "I was abo", usage=tokens, ending="model_context_window_exceeded")
    script = Script(cut, answer("anthropic", "A whole reply."))
    reply = spoken(ctx, script, mode)
    assert "A whole reply." in told([reply])
    assert "I was abo" not in told(ctx.messages)
    assert ctx.usage.window == tokens + 5
    assert size(script.given[1]["messages"]) < size(script.given[0]["messages"])


def test_an_error_event_in_the_place_of_a_reply_is_an_overflow() -> None:
    """A Responses stream yields it without raising."""
    ctx = filled(shape="responses")
    event = {"type": "error", "code": "context_length_exceeded", "message": SILENT, "param": "input"}
    failed = {"type": "response.failed", "response": {"status": "failed", "error": event}}
    script = Script(event, failed, answer("responses"))
    ctx.call(script)
    assert len(script.given) == 3
    assert "Done." in told(ctx.messages[-1:])


def test_an_error_event_tells_the_window_as_an_exception_does() -> None:
    """What it says is learned, far below what was sent as it may be."""
    ctx = filled()
    ctx.call(Script({"error": {"code": 400, "message": TELLING.format(limit=6_000, asked=20_000)}}, answer("chat")))
    assert ctx.usage.window == 6_000


class Ollama(Server):
    """A server that drops the oldest messages of what is too long, and says nothing."""

    def create(self, **request: Any) -> Mapping[str, Any]:
        kept = list(request["messages"])
        self.sent.append(list(kept))
        while self.tokens(kept) > self.window:
            del kept[0]
        return answer("chat", f"I read {len(kept)} messages.", usage=self.tokens(kept))


def test_a_silent_cut_is_noticed() -> None:
    """Far fewer tokens reported than were sent: compacted and asked again, and the window is remembered."""
    ctx, server = filled(64_000, looked=40), Ollama(4_096)
    ctx.call(server.create)
    assert len(server.sent) == 2
    assert f"I read {len(server.sent[-1])} messages." in told(ctx.messages[-1:])
    assert ctx.usage.window <= 4_096
    for number in range(60, 70):
        ctx.add(looks("chat", number, lines=8))
        ctx.call(server.create)
        assert f"I read {len(server.sent[-1])} messages." in told(ctx.messages[-1:])


def test_a_report_that_falls_while_the_window_grows_is_a_cut() -> None:
    """A loop that outgrows its server is noticed at the next small step, whatever the sizes are."""
    ctx, server = ContextManager(64_000), Ollama(4_096)
    ctx.add([{"role": "system", "content": "You are careful."}, {"role": "user", "content": GOAL}])
    for number in range(60, 90):
        ctx.add(looks("chat", number, lines=12))
        ctx.call(server.create, tools=[])
        unread = size(server.sent[-1]) - server.window
        assert unread < 1_000
    assert ctx.compactions
    assert ctx.usage.window <= 4_096


def test_a_count_of_what_is_new_is_no_cut() -> None:
    """Some servers report only what they had not read already: one request a call, and no compaction."""
    ctx, sent = filled(64_000, looked=30), list[list[Message]]()

    def create(messages: list[Message]) -> Any:
        known = 0
        while sent and known < len(sent[-1]) and messages[known] == sent[-1][known]:
            known += 1
        sent.append(messages)
        return answer("chat", f"Reply {len(sent)}.", usage=size(messages[known:]))

    for number in range(60, 66):
        ctx.call(create)
        ctx.add(looks("chat", number, lines=120))
    assert (len(sent), ctx.compactions, ctx.usage.window) == (6, (), 64_000)


def test_a_request_without_its_tools_is_no_cut() -> None:
    """The last call of a loop often leaves them out: the report falls though nothing was left unread."""
    tools = [{"type": "function", "function": {"name": f"tool_{n}", "description": "word " * 60}} for n in range(100)]
    ctx = filled(64_000, tools=tools)
    ctx.call(Script(answer("chat", usage=size(ctx.messages) + 8_000)))
    ctx.add({"role": "user", "content": "Sum it up."})
    script = Script(answer("chat", usage=size(ctx.messages)))
    ctx.call(script)
    assert (len(script.given), ctx.compactions) == (1, ())


@pytest.mark.parametrize("mark", ["media", "reasoning", "count", "model"])
def test_a_low_count_that_has_another_cause_is_no_cut(mark: str) -> None:
    """Media and reasoning are counted as each server likes, a caller's count and another model in other units."""
    own: dict[str, Any] = {"count": len} if mark == "count" else {}
    ctx = filled(200_000, looked=40, **own)
    if mark == "model":
        ctx.record_usage(input_tokens=ctx.usage.tokens, model="large")
    if mark == "media":
        ctx.add(user("Look.", picture=True))
    if mark == "reasoning":
        ctx.add(assistant("I see.", reasoning="It is late."))
    script = Script({**answer("chat", usage=4_000), "model": "small"})
    ctx.call(script)
    assert (len(script.given), ctx.compactions) == (1, ())


def test_a_suspicion_costs_no_reply() -> None:
    """Where nothing can shrink, the reply that came is kept."""
    ctx = ContextManager(32_000)
    ctx.add({"role": "system", "content": " ".join(map(str, range(4_000)))})
    ctx.add({"role": "user", "content": GOAL})
    ctx.call(Script(answer("chat", usage=1_100)))
    assert "Done." in told(ctx.messages[-1:])


# -- the law -----------------------------------------------------------------------------------


@settings(
    max_examples=int(os.environ.get("CONTEXT_KIT_EXAMPLES", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    data=st.data(),
    shape=st.sampled_from(SHAPES),
    share=st.floats(0.1, 1.2),
    says=st.sampled_from([TELLING, SILENT]),
    hidden=st.sampled_from([0, 500]),
    mode=st.sampled_from(["call", "acall"]),
)
def test_a_call_ends_with_a_reply_or_with_what_can_not_shrink(
    data: st.DataObject, shape: Shape, share: float, says: str, hidden: int, mode: str
) -> None:
    """Three requests at most, no two equal in a row, each legal; what is left fits and is legal."""
    talk = data.draw(conversations(shape))
    ctx = ContextManager(50_000)
    ctx.add(talk)
    server = Server(max(int(share * size(talk)), 50), shape=shape, says=says, hidden=hidden)
    try:
        spoken(ctx, server.create, mode)
    except WindowExceededError as error:
        assert isinstance(error.__cause__, openai.BadRequestError)
    else:
        assert server.tokens(server.sent[-1]) <= server.window
    assert 1 <= len(server.sent) <= 3
    assert all(prints(one) != prints(two) for one, two in zip(server.sent, server.sent[1:], strict=False))
    for sent in [*server.sent, ctx.messages]:
        assert faults(sent, shape=known(ctx)) == ()
        accepted(sent, shape)
    assert ctx.usage.tokens <= 50_000


# -- what a provider tells is weighed ----------------------------------------------------------


@pytest.mark.parametrize(
    ("told_limit", "window"),
    [
        ("128k", 128_000),
        ("131.072", 131_072),
        ("131 072", 131_072),
        ("131,072", 131_072),
        ("0.1M", 100_000),
        ("1", 200_000),
        ("1M", 200_000),
    ],
)
def test_a_limit_is_read_as_a_person_reads_it(told_limit: str, window: int) -> None:
    """Units and separators count; what no server is run with, or more than was believed, changes nothing."""
    ctx = filled(200_000)
    text = f"This model's maximum context length is {told_limit} tokens. However, you requested 200000 tokens."
    ctx.call(Script(refusal(text), answer("chat")))
    assert ctx.usage.window == window
    assert "Done." in told(ctx.messages[-1:])


def test_a_limit_is_remembered_once_a_shorter_request_was_answered() -> None:
    """A refusal alone may be about anything: a window that no request proved is not kept."""
    ctx = filled(200_000)
    with pytest.raises(RuntimeError, match="gone"):
        ctx.call(Script(refusal(TELLING.format(limit=6_000, asked=20_000)), RuntimeError("gone")))
    assert ctx.usage.window == 200_000


@pytest.mark.parametrize("asked", [10**9, 10**13])
def test_a_wild_count_of_the_request_is_no_reason_to_give_up(asked: int) -> None:
    """It is taken as untold: compacted and asked again."""
    ctx = filled(32_000)
    script = Script(refusal(TELLING.format(limit=10**12, asked=asked)), answer("chat"))
    ctx.call(script)
    assert size(script.given[1]["messages"]) < size(script.given[0]["messages"])


def test_a_field_that_is_no_number_tells_nothing() -> None:
    """`n_ctx: true` is no window of one token."""
    ctx = filled(32_000)
    error = {"error": {"code": 400, "message": "the request exceeds the available context size", "n_ctx": True}}
    ctx.call(Script(error, answer("chat")))
    assert ctx.usage.window == 32_000
