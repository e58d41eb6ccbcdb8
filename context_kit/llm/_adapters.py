"""The two doors: a client of the caller's in; out comes what answers a summary's request, and a recall check's."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, Literal

from context_kit.errors import BudgetError
from context_kit.llm._api import Api
from context_kit.llm._asking import ROOM, Asking, Form
from context_kit.llm._breaker import Breaker
from context_kit.llm._chat import CHAT
from context_kit.llm._claude import CLAUDE
from context_kit.llm._drive import AsyncSummariser, Summariser, awaits
from context_kit.llm._responses import RESPONSES
from context_kit.llm._retry import Clock, Patience
from context_kit.typing import Model

__all__ = ["from_anthropic", "from_openai"]

APIS: dict[str, Api] = {"chat": CHAT, "responses": RESPONSES}
REASONS = re.compile(
    r"^(?:.*[/:])?(?:o[134](?:-|$)|gpt-(?:5|6|oss)|deepseek-r|qwq|magistral|grok-[34]-mini|.*-(?:thinking|reasoner))"
)
"""Models that are known to reason before they answer, so the first request leaves room for it.

Vendors' model pages, 2026-11-30. Others are found out by their first reply.
"""


def from_openai(
    client: Any,
    model: str,
    *,
    api: Literal["chat", "responses"] = "chat",
    warm: bool = False,
    stream: bool = False,
    attempts: int = 3,
    deadline: float = 300.0,
    timeout: float | None = None,
    wait: float = 0.5,
    cooldown: float = 60.0,
    prices: Mapping[str, float] | None = None,
    clock: Clock = time.monotonic,
    **options: Any,
) -> Model:
    """A summariser on an OpenAI client, or on one of any server that speaks its chat completions.

    It answers recall checks, too (`ctx.probe`), from the session's own messages, system prompt and tools.

    Structured output by the best means that the server takes: JSON schema, JSON mode, an offered tool, plain text;
    what worked is remembered. Rate limits, overload, server errors and broken connections are retried; after three
    failures in a row it fails at once until the cool-down has passed.

    Args:
        client: your own `OpenAI` or `AsyncOpenAI`; an async one gives an async `LLM`.
        model: the model's name.
        api: `chat` (chat completions) or `responses`.
        warm: send the session's own messages and one instruction, so that the prompt cache is hit. Only for the
            session's own model; give its `system=` and `tools=` as options, exactly as your loop sends them.
        stream: collect a stream instead of waiting for the whole reply.
        attempts: tries of one request; by default as many as the SDKs make.
        deadline: seconds for one summary, all tries and waits together.
        timeout: seconds for one try; by default half of the deadline.
        wait: seconds before the second try, doubled from then on, with jitter; `Retry-After` wins.
        cooldown: seconds for which the model is left alone after three failures in a row.
        prices: per million tokens: `input`, `output`, maybe `cached`; the usage then has `cost_micros`, millionths.
        clock: seconds that only grow.
        **options: go with each request (`reasoning_effort="low"`); `system`, `tools` and theirs only with a warm one.

    Raises:
        BudgetError: a setting that isn't known, or a client without that API.
    """
    if api not in APIS:
        msg = f"api: {api!r} is not known: use one of {sorted(APIS)}"
        raise BudgetError(msg)
    return _summariser(
        APIS[api], client, model, options, warm=warm, stream=stream, prices=prices,
        patience=_patience(attempts, deadline, timeout, wait, clock), breaker=Breaker(cooldown, clock),
    )  # fmt: skip


def from_anthropic(
    client: Any,
    model: str,
    *,
    warm: bool = False,
    stream: bool = False,
    attempts: int = 3,
    deadline: float = 300.0,
    timeout: float | None = None,
    wait: float = 0.5,
    cooldown: float = 60.0,
    prices: Mapping[str, float] | None = None,
    clock: Clock = time.monotonic,
    **options: Any,
) -> Model:
    """A summariser on an Anthropic client; the arguments are those of `from_openai`.

    Structured output by `output_config`, else an offered tool, else plain text. No `thinking` is asked for unless
    the options say so; a manual budget is added to the reply's limit.

    Args:
        client: your own `Anthropic` or `AsyncAnthropic`; an async one gives an async `LLM`.
        model: the model's name.
        warm: as in `from_openai`.
        stream: as in `from_openai`.
        attempts: as in `from_openai`.
        deadline: as in `from_openai`.
        timeout: as in `from_openai`.
        wait: as in `from_openai`.
        cooldown: as in `from_openai`.
        prices: as in `from_openai`.
        clock: as in `from_openai`.
        **options: as in `from_openai`.

    Raises:
        BudgetError: a setting that isn't known, or a client without that API.
    """
    return _summariser(
        CLAUDE, client, model, options, warm=warm, stream=stream, prices=prices,
        patience=_patience(attempts, deadline, timeout, wait, clock), breaker=Breaker(cooldown, clock),
    )  # fmt: skip


def _patience(attempts: int, deadline: float, timeout: float | None, wait: float, clock: Clock) -> Patience:
    if attempts < 1 or deadline <= 0 or wait < 0:
        msg = f"attempts {attempts!r}, deadline {deadline!r}, wait {wait!r}: give at least 1, above 0, at least 0"
        raise BudgetError(msg)
    one = deadline / 2 if timeout is None else timeout
    return Patience(attempts=attempts, deadline=deadline, timeout=one, wait=wait, clock=clock)


def _summariser(
    api: Api,
    client: Any,
    model: str,
    options: Mapping[str, Any],
    *,
    warm: bool,
    stream: bool,
    prices: Mapping[str, float] | None,
    patience: Patience,
    breaker: Breaker,
) -> Model:
    try:
        awaited = awaits(client, api.path)
    except AttributeError as error:
        path = ".".join((*api.path, "create"))
        msg = f"client: {type(client).__name__!r} has no {path}: give a client of the SDK, not its class or module"
        raise BudgetError(msg) from error
    taken = sorted({"messages", "input", "model", *api.limits} & options.keys())
    if taken:
        msg = f"{taken[0]}: the summariser sets it itself: leave it out"
        raise BudgetError(msg)
    if prices is not None and not {"input", "output"} <= prices.keys():
        msg = f"prices: {sorted(prices)} is not enough: give `input` and `output` per million tokens"
        raise BudgetError(msg)
    asking = Asking(
        api=api,
        model=model,
        options=options,
        warm=warm,
        stream=stream,
        prices=prices,
        patience=patience,
        breaker=breaker,
        form=Form(room=ROOM if REASONS.match(model) else 0),
    )
    return (AsyncSummariser if awaited else Summariser)(client, asking)
