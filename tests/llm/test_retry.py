"""When a request is tried again and how long it waits: the loop driven by hand, no clock and no network."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import httpx2
import openai
import pytest

from context_kit.llm._errors import retry_after, transient, unsupported
from context_kit.llm._retry import Patience, Send, Sleep, tries
from context_kit.summary import Outcome

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1")


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def error(status: int, *, headers: Mapping[str, str] | None = None, body: Any = None, text: str = "no") -> Exception:
    """What the SDK raises for a status."""
    response = httpx2.Response(status, headers=headers, request=REQUEST)
    return openai.APIStatusError(text, response=response, body=body)


def patience(clock: Clock, **changed: Any) -> Patience:
    given: dict[str, Any] = {"deadline": 60.0, "timeout": 20.0, "attempts": 4, "wait": 1.0, "clock": clock, **changed}
    return Patience(**given)


def play(outcomes: list[Outcome], how: Patience, clock: Clock, seconds: float = 0.0) -> tuple[Any, list[Any]]:
    """Feed outcomes to the loop; what came of it, and what it did."""
    acts: list[Any] = []
    flow = tries(lambda limit: Send(body={}, seconds=limit, fold=None), lambda value: value, how, clock())
    act = next(flow)
    try:
        while True:
            acts.append(act)
            if isinstance(act, Sleep):
                clock.now += act.seconds
                act = flow.send(None)
            else:
                clock.now += seconds
                act = flow.send(outcomes.pop(0))
    except StopIteration as stop:
        return stop.value, acts


def waits(acts: list[Any]) -> list[float]:
    return [act.seconds for act in acts if isinstance(act, Sleep)]


def test_waits_double_and_are_spread() -> None:
    """1, 2, 4 seconds, each with up to a second of jitter, then the answer."""
    clock = Clock()
    said, acts = play([*[Outcome(error=error(500))] * 3, Outcome("answer")], patience(clock), clock)
    assert said == "answer"
    assert [least <= seconds <= least + 1 for seconds, least in zip(waits(acts), (1, 2, 4), strict=True)] == [True] * 3


@pytest.mark.parametrize(
    ("headers", "least"),
    [({"retry-after": "7"}, 7.0), ({"retry-after-ms": "2500"}, 2.5), ({"Retry-After": "0"}, 0.0)],
)
def test_the_server_says_how_long(headers: dict[str, str], least: float) -> None:
    """`Retry-After` is waited for, and a little more."""
    clock = Clock()
    _, acts = play([Outcome(error=error(429, headers=headers)), Outcome("answer")], patience(clock), clock)
    assert [least <= seconds <= least + 1 for seconds in waits(acts)] == [True]


def test_a_date_is_understood() -> None:
    """`Retry-After` may be a date; nonsense is none."""
    at = error(429, headers={"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"})
    assert retry_after(at, now=1_796_040_000.0) == 30.0
    assert retry_after(error(429, headers={"retry-after": "soon"})) is None
    assert retry_after(ValueError()) is None


def test_a_wait_past_the_deadline_is_not_begun() -> None:
    """A server that wants an hour gets its error told at once."""
    clock = Clock()
    failing = error(429, headers={"retry-after": "3600"})
    with pytest.raises(openai.APIStatusError) as caught:
        play([Outcome(error=failing)], patience(clock), clock)
    assert caught.value is failing
    assert clock.now == 100.0


def test_no_try_takes_more_than_what_is_left() -> None:
    """Slow tries: each is given at most the deadline's rest, and it ends in time."""
    clock = Clock()
    with pytest.raises(TimeoutError):
        play([Outcome(error=TimeoutError())] * 9, patience(clock, attempts=9), clock, seconds=20.0)
    assert clock.now <= 100.0 + 60.0 + 20.0


def test_attempts_are_counted() -> None:
    """After the last attempt the provider's own error is raised."""
    clock = Clock()
    last = error(529)
    with pytest.raises(openai.APIStatusError) as caught:
        play([*[Outcome(error=error(500))] * 3, Outcome(error=last)], patience(clock), clock)
    assert caught.value is last


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        *[(error(status), True) for status in (408, 409, 429, 500, 502, 503, 504, 529)],
        *[(error(status), False) for status in (400, 401, 403, 404, 413, 422, 501)],
        (error(429, body={"code": "insufficient_quota"}), False),
        (error(503, headers={"x-should-retry": "false"}), False),
        (error(500, text="maximum context length is 8192 tokens"), False),
        (openai.APIConnectionError(request=REQUEST), True),
        (openai.APITimeoutError(request=REQUEST), True),
        (openai.APIError("x", REQUEST, body={"code": "server_error"}), True),
        (openai.APIError("x", REQUEST, body={"code": "invalid_prompt"}), False),
        (httpx2.ReadError("gone"), True),
        (httpx2.RemoteProtocolError("peer closed"), True),
        (ConnectionResetError(), True),
        (TypeError("a bug"), False),
        (ValueError("a bug"), False),
    ],
    ids=str,
)
def test_what_may_pass(found: Exception, expected: bool) -> None:
    """Rate limits, overload, server errors and connections may pass; the request, the key and bugs don't."""
    assert transient(found) is expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (error(400, text="Unsupported parameter: 'response_format' is not supported with this model."), True),
        (error(422, text="extra inputs are not permitted: response_format"), True),
        (error(404, text="No endpoints found that support response_format"), True),
        (error(400, text="Invalid schema for response_format 'record'"), True),
        (TypeError("create() got an unexpected keyword argument 'response_format'"), True),
        (error(400, text="The model is not supported."), False),
        (error(400, text="maximum context length exceeded; response_format is not supported"), False),
        (error(401, text="response_format is not supported for this key"), False),
        (error(403, text="response_format is not supported for this key"), False),
        (error(500, text="response_format is not supported"), False),
        (TypeError("a bug"), False),
    ],
    ids=str,
)
def test_what_says_that_a_feature_is_missing(found: Exception, expected: bool) -> None:
    """Only a bad request that names the feature and says that it isn't there."""
    assert unsupported(found, ["response_format"]) is expected


def test_errors_need_not_be_the_sdks() -> None:
    """A client of another make is understood by status and headers, however they are written."""

    class Limited(Exception):
        status_code = 429
        response = SimpleNamespace(headers={"Retry-After": "3"})

    assert [transient(Limited()), retry_after(Limited())] == [True, 3.0]
