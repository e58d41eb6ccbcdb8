"""One session against a provider that breaks: whatever happens there, the promises of the window hold.

Shared by the tests (a few runs a kind) and by `python -m benchmarks.faults` (as many as asked for).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import anthropic
import httpx2
import openai

from context_kit import ContextManager, from_anthropic, from_openai
from context_kit.typing import Message, Model, Shape
from context_kit.wire import faults
from tests.llm.provider import BREAKS, Break, Provider, Seen
from tests.llm.replies import RECORD, Reply
from tests.talks import accepted, due, session, size

__all__ = ["APIS", "KINDS", "client_of", "llm_of", "trial"]

APIS: Mapping[str, Shape] = {"chat": "chat", "responses": "responses", "messages": "anthropic"}
WINDOW = 6_000
QUICK: dict[str, Any] = {"wait": 0.001, "attempts": 2, "timeout": 30.0, "deadline": 60.0}
SHORT = {"timeout": 0.1}
"""For a server that says nothing: it must not be long, and a busy machine must not look like one."""

SAID: dict[str, Reply] = {
    "good": Reply(),
    "reasoned": Reply(reasoning=300),
    "tool": Reply(tool="write_record", stop="tool"),
    "wrong tool": Reply(tool="bash", stop="tool", text='{"command": "rm -rf /"}'),
    "refusal": Reply(text="I can't help with that.", stop="refusal"),
    "empty": Reply(text=""),
    "starved": Reply(text="", stop="length", reasoning=2_000),
    "truncated": Reply(text=RECORD[: len(RECORD) // 2], stop="length"),
    "broken JSON": Reply(text=RECORD.replace(":", ";")),
    "half JSON": Reply(text=RECORD[:-40]),
    "prose": Reply(text="Sure! What would you like me to do next?"),
    "over-long": Reply(text=RECORD.replace('"Return 0."', f'"{"Return 0 and again. " * 1_500}"')),
}
"""What the model says, good and bad."""
KINDS: dict[str, Reply | Break] = {**SAID, **BREAKS}


def client_of(api: str, url: str, *, awaited: bool) -> Any:
    """A client of the SDK's own, its retries as they are by default."""
    # Loopback speaks no TLS: reading the certificates would be most of a run's time.
    http: Any = httpx2.AsyncClient(verify=False) if awaited else httpx2.Client(verify=False)
    if api == "messages":
        made: Any = anthropic.AsyncAnthropic if awaited else anthropic.Anthropic
        return made(base_url=url, api_key="key", http_client=http)
    made = openai.AsyncOpenAI if awaited else openai.OpenAI
    return made(base_url=f"{url}/v1", api_key="key", http_client=http)


def llm_of(api: str, client: Any, **settings: Any) -> Model:
    """The adapter of an API."""
    if api == "messages":
        return from_anthropic(client, "m", **settings)
    return from_openai(client, "m", api="responses" if api == "responses" else "chat", **settings)


def plays(kind: Reply | Break, number: int) -> Callable[[Seen], Reply | Break]:
    """A provider that breaks at once, from the second request on, or every other time, by the run's number."""
    count = iter(range(1_000_000))

    def play(_: Seen) -> Reply | Break:
        at = next(count)
        good = (False, at == 0, at % 2 == 1)[number % 3]
        return Reply() if good else kind

    return play


@cache
def _talk(shape: Shape, number: int) -> tuple[Message, ...]:
    return tuple(session(shape, "zh" if number % 2 else "en", looked=10 + number % 7))


def trial(api: str, name: str, number: int, *, stream: bool, awaited: bool) -> list[str]:
    """Play one session; everything that was broken, empty where nothing was."""
    talk = list(_talk(APIS[api], number))
    with Provider(plays(KINDS[name], number)) as provider:
        warm = number % 5 == 4
        short = SHORT if name == "timeout" else {}
        settings = {**QUICK, **short, "stream": stream, "warm": warm, **({"tools": _tools(api)} if warm else {})}
        runner = _awaited if awaited else _blocking
        ctx, sent = runner(api, provider.url, talk, settings)
        found = [*provider.illegal, *_judged(ctx, talk, sent, APIS[api])]
        if not provider.seen and not short:
            found.append("the provider was never asked")
    return found


def _tools(api: str) -> list[dict[str, Any]]:
    empty = {"type": "object", "properties": {}}
    if api == "messages":
        return [{"name": "Bash", "input_schema": empty}]
    flat = {"name": "Bash", "parameters": empty}
    return (
        [{"type": "function", "strict": False, **flat}]
        if api == "responses"
        else [{"type": "function", "function": flat}]
    )


def _blocking(
    api: str, url: str, talk: list[Message], settings: Mapping[str, Any]
) -> tuple[ContextManager, list[list[Message]]]:
    with client_of(api, url, awaited=False) as client:
        ctx = ContextManager(WINDOW, llm=llm_of(api, client, **settings))
        sent: list[list[Message]] = []
        for at, message in enumerate(talk):
            if due(talk, at):
                sent.append(ctx.prepare())
            ctx.add(message)
        sent.append(ctx.prepare())
    return ctx, sent


def _awaited(
    api: str, url: str, talk: list[Message], settings: Mapping[str, Any]
) -> tuple[ContextManager, list[list[Message]]]:
    async def play() -> tuple[ContextManager, list[list[Message]]]:
        async with client_of(api, url, awaited=True) as client:
            ctx = ContextManager(WINDOW, llm=llm_of(api, client, **settings))
            sent: list[list[Message]] = []
            for at, message in enumerate(talk):
                if due(talk, at):
                    sent.append(await ctx.aprepare())
                ctx.add(message)
            sent.append(await ctx.aprepare())
        return ctx, sent

    return asyncio.run(play())


def _judged(ctx: ContextManager, talk: list[Message], sent: list[list[Message]], shape: Shape) -> Iterator[str]:
    """A lost log, an illegal list, a window that doesn't fit, a failure that no receipt tells."""
    for at, window in enumerate(sent):
        for fault in faults(window, shape=shape):
            yield f"list {at}: {fault}"
        try:
            accepted(window, shape)
        except ValueError as error:
            yield f"list {at}: {str(error)[:200]}"
        if size(window) > WINDOW:
            yield f"list {at} has {size(window)} tokens"
    applied = [receipt for receipt in ctx.compactions if receipt.outcome == "applied"]
    if not applied:
        yield "no compaction was applied"
    for receipt in applied:
        if receipt.summariser == "extractive" and not receipt.failures:
            yield f"{receipt.id} fell back and does not say why"
        for address in receipt.summarised:
            told = "".join(found.text for found in ctx.recall(address))
            lost = [text for text in _words(talk[int(address[1:]) - 1]) if text not in told]
            if lost:
                yield f"{address} is lost: {lost[0][:60]!r}"


def _words(message: Message) -> Iterator[str]:
    """What a message says, ids and names aside."""
    content = message.get("content", message.get("output"))
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        inner = part.get("text", part.get("content"))
        if isinstance(inner, str):
            yield inner
