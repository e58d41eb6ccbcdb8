"""`from_openai` and `from_anthropic` answer recall checks: legal requests, plain text back, retries as ever."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from context_kit import ContextManager, ProbeReport
from context_kit.llm._schema import TOOL
from context_kit.typing import Shape
from tests.llm.provider import BREAKS, Break, Provider, Seen
from tests.llm.replies import Reply
from tests.llm.trials import APIS, client_of, llm_of
from tests.probes.checks import compacted
from tests.talks import SHAPES, looks, session

QUICK: dict[str, Any] = {"wait": 0.001, "attempts": 3, "timeout": 30.0, "deadline": 60.0}


def checked(
    api: str, provider: Provider, ctx: ContextManager, *, awaited: bool = False, k: int = 3, **settings: Any
) -> ProbeReport:
    client: Any = client_of(api, provider.url, awaited=awaited)
    if not awaited:
        with client:
            return ctx.probe(llm_of(api, client, **{**QUICK, **settings}), k=k)

    async def go() -> ProbeReport:
        async with client:
            return await ctx.aprobe(llm_of(api, client, **{**QUICK, **settings}), k=k)

    return asyncio.run(go())


def tools_of(api: str) -> list[dict[str, Any]]:
    empty = {"type": "object", "properties": {}}
    flat = {"name": "Bash", "parameters": empty}
    tools: dict[str, list[dict[str, Any]]] = {
        "messages": [{"name": "Bash", "input_schema": empty}],
        "responses": [{"type": "function", "strict": False, **flat}],
        "chat": [{"type": "function", "function": flat}],
    }
    return tools[api]


def said(_: Seen) -> Reply:
    return Reply(text="not known")


def last_text(body: dict[str, Any]) -> str:
    content: Any = (body["messages"] if "messages" in body else body["input"])[-1]["content"]
    return str(content if isinstance(content, str) else content[-1]["text"])


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("api", APIS)
def test_every_api_answers_for_every_shape(api: str, shape: Shape, stream: bool, awaited: bool) -> None:
    """The session's own messages, converted where the API speaks another shape; the provider finds nothing illegal."""
    ctx = compacted(shape, system="Be careful.", tools=tools_of(api) if APIS[api] == shape else None)
    with Provider(said) as provider:
        report = checked(api, provider, ctx, awaited=awaited, stream=stream)
        assert provider.illegal == []
        assert report.failures == ()
        assert len(report.probes) == len(provider.seen) == 3
        for probe, (seen_api, body) in zip(report.probes, provider.seen, strict=True):
            assert seen_api == api
            assert probe.question in last_text(body)
            assert "Be careful." in str(body)
            assert "response_format" not in body
            assert TOOL not in str(body)


@pytest.mark.parametrize("api", APIS)
def test_tools_are_declared_and_forbidden(api: str) -> None:
    """As the session has them, so that calls in the messages are legal; none may be called in an answer."""
    ctx = compacted(APIS[api], tools=tools_of(api))
    with Provider(said) as provider:
        checked(api, provider, ctx)
    for _, body in provider.seen:
        assert body["tools"] == tools_of(api)
        assert body["tool_choice"] in ("none", {"type": "none"})


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_server_that_takes_no_tools_is_asked_without_them(api: str) -> None:
    """Found out once, remembered for the other questions."""
    ctx = compacted(APIS[api], tools=tools_of(api))
    with Provider(said, lacks=frozenset({"tools"})) as provider:
        report = checked(api, provider, ctx)
        assert report.failures == ()
        assert ["tools" in body for _, body in provider.seen][-3:] == [False] * 3


@pytest.mark.parametrize("name", ["429", "500", "reset", "html"])
@pytest.mark.parametrize("api", APIS)
def test_a_passing_trouble_is_tried_again(api: str, name: str) -> None:
    """As for a summary: the questions are all answered."""
    plays: list[Reply | Break] = [BREAKS[name], *[Reply(text="not known")] * 9]
    with Provider(lambda _: plays.pop(0)) as provider:
        report = checked(api, provider, compacted(APIS[api]))
        assert report.failures == ()
        assert len(report.probes) == 3
        assert provider.illegal == []


@pytest.mark.parametrize("api", APIS)
def test_a_lasting_trouble_is_told(api: str) -> None:
    """A key that isn't valid: three questions get no answer, and no other is asked."""
    with Provider(lambda _: BREAKS["401"]) as provider:
        report = checked(api, provider, compacted(APIS[api]), k=9)
    assert report.probes == ()
    assert "AuthenticationError" in report.failures[0]
    assert len(provider.seen) <= 3


@pytest.mark.parametrize("api", APIS)
def test_a_refusal_is_no_answer(api: str) -> None:
    with Provider(lambda _: Reply(text="I can't help with that.", stop="refusal")) as provider:
        report = checked(api, provider, compacted(APIS[api]), k=1)
    assert report.probes == ()
    assert "refused" in report.failures[0]


@pytest.mark.parametrize("api", APIS)
def test_reasoning_has_its_room(api: str) -> None:
    """A reply that the reasoning ate up is asked for again, with more tokens."""
    plays = [Reply(text="", stop="length", reasoning=200), *[Reply(text="not known")] * 4]
    with Provider(lambda _: plays.pop(0)) as provider:
        report = checked(api, provider, compacted(APIS[api]), k=2)
        assert report.failures == ()
        assert len(provider.seen) == 3


def test_one_adapter_summarises_and_answers() -> None:
    """What it learns of a server for one of them does not harm the other."""

    def play(seen: Seen) -> Reply:
        return Reply() if "response_format" in seen.body else Reply(text="not known")

    with Provider(play) as provider, client_of("chat", provider.url, awaited=False) as client:
        llm = llm_of("chat", client, **QUICK)
        ctx = ContextManager(8_000, llm=llm)
        for part in range(3):
            ctx.add(session(looked=20) if part == 0 else [m for n in range(20) for m in looks("chat", 100 * part + n)])
            assert ctx.compact().summariser == "llm"
            assert ctx.probe(llm, k=2).failures == ()
        assert provider.illegal == []
