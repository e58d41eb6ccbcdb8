"""What a summariser on a real client asks, what it makes of the replies, and what it learns."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import anthropic
import openai
import pytest

from context_kit import (
    BudgetError,
    SummaryError,
    SummaryReply,
    SummaryRequest,
    TaskSummary,
    from_anthropic,
    from_openai,
)
from context_kit._drive import is_async
from context_kit.llm._prompt import tool_words
from context_kit.llm._schema import TOOL
from context_kit.summary import parse, request
from tests.llm.provider import BREAKS, Break, Provider, Seen
from tests.llm.replies import RECORD, Reply
from tests.llm.trials import APIS, client_of, llm_of

QUICK: dict[str, Any] = {"wait": 0.001, "attempts": 3, "timeout": 30.0, "deadline": 60.0}
FORMS = [(api, stream, awaited) for api in APIS for stream in (False, True) for awaited in (False, True)]
"""Every API, whole and streamed, blocking and awaited."""


def asked(**changed: Any) -> SummaryRequest:
    """A request as the library makes it."""
    given: dict[str, Any] = {
        "previous": None,
        "focus": None,
        "messages": (),
        "max_tokens": 900,
        "language": "en",
        **changed,
    }
    return request([], **given)


class Talk(NamedTuple):
    """Answers to requests to one provider through one adapter."""

    replies: list[SummaryReply]
    bodies: list[dict[str, Any]]
    illegal: list[str]


def talk(
    api: str,
    play: Reply | Break | Callable[[Seen], Reply | Break],
    *,
    times: int = 1,
    lacks: frozenset[str] = frozenset(),
    awaited: bool = False,
    wanted: SummaryRequest | None = None,
    **settings: Any,
) -> Talk:
    """Ask a provider so many times."""
    answer = play if callable(play) else lambda _: play
    with Provider(answer, lacks=lacks) as provider:
        replies = _ask(api, provider.url, wanted or asked(), times, awaited, {**QUICK, **settings})
        return Talk(replies, [seen.body for seen in provider.seen], provider.illegal)


def _ask(api: str, url: str, wanted: SummaryRequest, times: int, awaited: bool, settings: Any) -> list[SummaryReply]:
    client: Any = client_of(api, url, awaited=awaited)
    if not awaited:
        with client:
            llm: Any = llm_of(api, client, **settings)
            return [llm(wanted) for _ in range(times)]

    async def play() -> list[SummaryReply]:
        async with client:
            llm: Any = llm_of(api, client, **settings)
            return [await llm(wanted) for _ in range(times)]

    return asyncio.run(play())


# -- what is asked ---------------------------------------------------------------------


@pytest.mark.parametrize(("api", "stream", "awaited"), FORMS)
def test_a_record_comes_back_with_its_usage(api: str, stream: bool, awaited: bool) -> None:
    """The text is the record, usage counts the whole input, and one request was enough."""
    found = talk(api, Reply(), stream=stream, awaited=awaited)
    assert parse(found.replies[0].text) == parse(RECORD)
    usage = dict(found.replies[0].usage or {})
    assert {key: usage[key] for key in ("input_tokens", "output_tokens", "cached_tokens", "requests")} == {
        "input_tokens": 900, "output_tokens": 120, "cached_tokens": 100, "requests": 1,
    }  # fmt: skip
    assert found.illegal == []
    assert bool(found.bodies[0].get("stream")) is stream


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("api", APIS)
def test_an_async_client_gives_an_async_summariser(api: str, awaited: bool) -> None:
    """The drivers see from the adapter whether it is to be awaited."""
    with Provider(lambda _: Reply()) as provider:
        assert is_async(llm_of(api, client_of(api, provider.url, awaited=awaited))) is awaited


@pytest.mark.parametrize("api", APIS)
def test_a_cold_request_has_nothing_of_the_sessions(api: str) -> None:
    """Instructions and transcript go out; the agent's messages, tools and system prompt don't."""
    wanted = asked(messages=({"role": "user", "content": "native words"},))
    (body,) = talk(api, Reply(), wanted=wanted, system="agent system", tools=[{"name": "x"}]).bodies
    told = json.dumps(body)
    assert json.dumps(wanted.instructions)[1:-1] in told
    assert json.dumps(wanted.transcript)[1:-1] in told
    assert ["native words" in told, "agent system" in told, "tools" in body] == [False, False, False]


@pytest.mark.parametrize("api", APIS)
def test_the_schema_is_closed_and_complete(api: str) -> None:
    """The provider's own structured output is asked for first, with all six fields required."""
    (body,) = talk(api, Reply()).bodies
    form = {
        "chat": lambda: body["response_format"]["json_schema"]["schema"],
        "responses": lambda: body["text"]["format"]["schema"],
        "messages": lambda: body["output_config"]["format"]["schema"],
    }[api]()
    assert sorted(form["required"]) == sorted(TaskSummary.model_fields)
    assert form["additionalProperties"] is False


def test_other_options_go_with_each_request() -> None:
    """What the caller adds is sent as it is, beside what the adapter sets; nothing is stored on the server unasked."""
    (chat,) = talk("chat", Reply(), reasoning_effort="low").bodies
    (claude,) = talk("messages", Reply(), output_config={"effort": "low"}).bodies
    (kept,) = talk("responses", Reply(), store=True).bodies
    (unkept,) = talk("responses", Reply()).bodies
    assert chat["reasoning_effort"] == "low"
    assert [claude["output_config"]["effort"], claude["output_config"]["format"]["type"]] == ["low", "json_schema"]
    assert [kept["store"], unkept["store"]] == [True, False]


def test_manual_thinking_leaves_the_reply_its_own_tokens() -> None:
    """`max_tokens` is the reply's limit and the thinking's budget together."""
    (body,) = talk("messages", Reply(reasoning=50), thinking={"type": "enabled", "budget_tokens": 2_000}).bodies
    assert body["max_tokens"] == 900 + 2_000


# -- falling back ----------------------------------------------------------------------

LADDERS = [
    ("chat", {"json_schema"}, "json"),
    ("chat", {"response_format"}, "tool"),
    ("chat", {"response_format", "tools"}, "text"),
    ("responses", {"json_schema"}, "json"),
    ("responses", {"text"}, "tool"),
    ("responses", {"text", "tools"}, "text"),
    ("messages", {"output_config"}, "tool"),
    ("messages", {"output_config", "tools"}, "text"),
]


def form_of(body: dict[str, Any]) -> str:
    """By which means a request asks for JSON."""
    if "tools" in body:
        assert body["tool_choice"] in ("auto", {"type": "auto"})
        return "tool"
    form = (
        body.get("response_format") or body.get("text", {}).get("format") or body.get("output_config", {}).get("format")
    )
    return {None: "text", "json_object": "json", "json_schema": "schema"}[form and form["type"]]


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(("api", "lacks", "form"), LADDERS)
def test_a_server_that_lacks_a_form_is_asked_in_the_next(api: str, lacks: set[str], form: str, awaited: bool) -> None:
    """Each form that the server refuses as unsupported is left out; the one that works is used from then on."""

    def play(seen: Seen) -> Reply:
        return Reply(tool="write_record", stop="tool") if form_of(seen.body) == "tool" else Reply()

    found = talk(api, play, times=2, lacks=frozenset(lacks), awaited=awaited)
    assert [parse(reply.text) for reply in found.replies] == [parse(RECORD)] * 2
    assert [form_of(body) for body in found.bodies[-2:]] == [form, form]
    assert (found.replies[1].usage or {})["requests"] == 1
    assert found.illegal == []


def test_an_older_server_gets_the_older_token_limit() -> None:
    """`max_tokens` where `max_completion_tokens` isn't known, and the form of JSON stays the best."""
    found = talk("chat", Reply(), times=2, lacks=frozenset({"max_completion_tokens"}))
    assert [sorted({"max_tokens", "max_completion_tokens"} & body.keys()) for body in found.bodies] == [
        ["max_completion_tokens"], ["max_tokens"], ["max_tokens"],
    ]  # fmt: skip
    assert {form_of(body) for body in found.bodies} == {"schema"}


def test_a_stream_goes_on_without_usage_where_it_cant_be_asked_for() -> None:
    """Servers that refuse `stream_options` are streamed without; the usage is then not known."""
    found = talk("chat", Reply(), stream=True, lacks=frozenset({"stream_options"}))
    assert found.replies[0].usage == {"requests": 2}


@pytest.mark.parametrize("name", ["400", "401", "403"])
@pytest.mark.parametrize("api", APIS)
def test_no_other_error_makes_it_fall_or_try_again(api: str, name: str) -> None:
    """A wrong key stays a wrong key: one request, and the provider's own error."""
    with Provider(lambda _: BREAKS[name]) as provider:
        with pytest.raises((openai.APIStatusError, anthropic.APIStatusError)):
            _ask(api, provider.url, asked(), 1, False, QUICK)
        assert len(provider.seen) == 1


# -- reasoning, refusals, truncation ---------------------------------------------------


@pytest.mark.parametrize(("api", "stream", "awaited"), FORMS)
def test_reasoning_that_ate_the_reply_gets_more_room(api: str, stream: bool, awaited: bool) -> None:
    """An empty reply at the token limit is asked for once more with room, and the room is remembered."""

    def play(seen: Seen) -> Reply:
        limit = max(seen.body.get(key, 0) for key in ("max_completion_tokens", "max_output_tokens", "max_tokens"))
        return Reply(reasoning=500) if limit > 1_000 else Reply(text="", stop="length", reasoning=900)

    found = talk(api, play, times=2, stream=stream, awaited=awaited)
    assert [parse(reply.text) for reply in found.replies] == [parse(RECORD)] * 2
    assert len(found.bodies) == 3


@pytest.mark.parametrize("model", ["gpt-5.4-mini", "o3-mini", "openai/o4-mini", "deepseek-reasoner"])
def test_models_that_are_known_to_reason_have_room_at_once(model: str) -> None:
    """The first request of such a model leaves room for its reasoning."""
    with Provider(lambda _: Reply()) as provider, openai.OpenAI(base_url=f"{provider.url}/v1", api_key="k") as client:
        from_openai(client, model, **QUICK)(asked())
    assert provider.seen[0].body["max_completion_tokens"] > 2_000


@pytest.mark.parametrize(("api", "stream", "awaited"), FORMS)
def test_a_cut_reply_says_so(api: str, stream: bool, awaited: bool) -> None:
    """The stop reason of a truncated reply is one that the library knows for it."""
    (reply,) = talk(api, Reply(text=RECORD[:60], stop="length"), stream=stream, awaited=awaited).replies
    assert reply.stop in ("length", "max_tokens")


@pytest.mark.parametrize(("api", "stream", "awaited"), FORMS)
@pytest.mark.parametrize(
    ("play", "told"),
    [(Reply(text="No.", stop="refusal"), "refused"), (Reply(tool="bash", stop="tool", text="{}"), "tool call")],
)
def test_refusals_and_tool_calls_are_failures(api: str, stream: bool, awaited: bool, play: Reply, told: str) -> None:
    """A refusal or a call of a tool is no summary; the failure says which, and none of the model's words."""
    with pytest.raises(SummaryError, match=told) as caught:
        talk(api, play, stream=stream, awaited=awaited)
    assert play.text not in str(caught.value)


@pytest.mark.parametrize(("api", "stream", "awaited"), FORMS)
@pytest.mark.parametrize("name", ["429", "500", "503", "529", "reset", "html", "cut", "malformed", "error"])
def test_what_passes_is_tried_again(api: str, stream: bool, awaited: bool, name: str) -> None:
    """Rate limits, server errors, broken connections and damaged bodies: the next try's record comes back."""
    first = iter([BREAKS[name]])
    (reply,) = talk(api, lambda _: next(first, Reply()), stream=stream, awaited=awaited).replies
    assert parse(reply.text) == parse(RECORD)
    assert (reply.usage or {})["requests"] == 2


@pytest.mark.parametrize("api", APIS)
def test_the_sdks_own_retries_are_off(api: str) -> None:
    """So many requests as attempts, though the client's own setting is two retries for each."""
    with Provider(lambda _: BREAKS["500"]) as provider:
        with pytest.raises((openai.InternalServerError, anthropic.InternalServerError)):
            _ask(api, provider.url, asked(), 1, False, QUICK)
        assert len(provider.seen) == 3


# -- cost, settings --------------------------------------------------------------------


def test_prices_give_a_cost() -> None:
    """Millionths of the prices' currency: 800 fresh, 100 cached and 120 written tokens."""
    (reply,) = talk("chat", Reply(), prices={"input": 2.0, "cached": 0.5, "output": 10.0}).replies
    assert (reply.usage or {})["cost_micros"] == 800 * 2 + 50 + 1_200


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"api": "completions"}, "chat"),
        ({"prices": {"input": 1.0}}, "output"),
        ({"attempts": 0}, "attempts"),
        ({"max_tokens": 5}, "max_tokens"),
        ({"messages": []}, "messages"),
    ],
)
def test_a_wrong_setting_is_told_at_once(settings: dict[str, Any], told: str) -> None:
    """Settings are checked when the summariser is made."""
    client = openai.OpenAI(api_key="key")
    with pytest.raises(BudgetError, match=told):
        from_openai(client, "m", **settings)


def test_the_other_vendors_client_is_refused() -> None:
    """A client without the API is named, with what to give."""
    with pytest.raises(BudgetError, match="chat.completions.create"):
        from_openai(anthropic.Anthropic(api_key="key"), "m")
    with pytest.raises(BudgetError, match="messages.create"):
        from_anthropic(openai.OpenAI(api_key="key"), "m")


@pytest.mark.parametrize("made", [dict, SimpleNamespace], ids=["dicts", "objects"])
def test_a_client_need_not_be_the_sdks(made: Callable[..., Any]) -> None:
    """Anything with the same `create` will do: replies may be dicts or plain objects."""
    usage = made(prompt_tokens=9, completion_tokens=4)
    reply = made(choices=[made(message=made(content=RECORD), finish_reason="stop")], usage=usage)
    client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=lambda **_: reply)))
    llm: Any = from_openai(client, "m")
    found = llm(asked())
    assert [found.text, found.stop] == [RECORD, "stop"]
    assert found.usage == {"input_tokens": 9, "output_tokens": 4, "requests": 1}


def test_the_tool_is_named_in_the_words_that_ask_for_it() -> None:
    """The instructions forbid tool calls; the request that offers a tool says that this one is wanted."""
    assert [TOOL in tool_words(language) for language in ("en", "zh")] == [True, True]
