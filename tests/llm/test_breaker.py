"""After three failures in a row the summariser is left alone for the cool-down; by an injected clock."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from context_kit import ContextKitError, ContextManager
from context_kit.llm._breaker import Breaker
from tests.llm.provider import BREAKS, Provider
from tests.llm.replies import Reply
from tests.llm.test_retry import Clock
from tests.llm.trials import client_of, llm_of
from tests.talks import session


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(60.0, clock)
    for _ in range(3):
        breaker.enter()
        breaker.failed(ConnectionError("gone"))
    return breaker


def test_it_opens_after_three_and_says_why() -> None:
    """The error names the count, the rest of the cool-down and the last failure."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 15
    with pytest.raises(ContextKitError, match=r"failed 3 times in a row .* again in 45 s; last: ConnectionError: gone"):
        breaker.enter()


def test_an_answer_begins_the_count_anew() -> None:
    """Two failures and an answer, over and over, never open it."""
    breaker = Breaker(60.0, Clock())
    for _ in range(4):
        for _ in range(2):
            breaker.enter()
            breaker.failed(ConnectionError())
        breaker.enter()
        breaker.succeeded()


@pytest.mark.parametrize("ends", ["failed", "succeeded", "left"])
def test_one_call_tries_after_the_cool_down(ends: str) -> None:
    """Alone: another is refused meanwhile. A failure closes it for a cool-down more, an answer opens it to all."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 61
    breaker.enter()
    with pytest.raises(ContextKitError):
        breaker.enter()
    if ends == "failed":
        breaker.failed(ConnectionError())
        clock.now += 59
        with pytest.raises(ContextKitError):
            breaker.enter()
        clock.now += 2
    elif ends == "succeeded":
        breaker.succeeded()
        breaker.enter()
    else:
        breaker.left()
    breaker.enter()


def test_many_threads_make_one_try() -> None:
    """After the cool-down exactly one of many threads gets through."""
    clock = Clock()
    breaker = opened(clock)
    clock.now += 61

    def enter(_: int) -> bool:
        try:
            breaker.enter()
        except ContextKitError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(enter, range(64))) == 1


def test_a_session_goes_on_without_the_model_and_comes_back_to_it() -> None:
    """Three compactions fail, the fourth costs no request and says why on its receipt, after the cool-down it works."""
    clock, down = Clock(), [True]
    settings: dict[str, Any] = {"wait": 0.001, "attempts": 1, "clock": clock}
    with (
        Provider(lambda _: BREAKS["500"] if down[0] else Reply()) as provider,
        client_of("chat", provider.url, awaited=False) as client,
    ):
        llm = llm_of("chat", client, **settings)
        receipts, requests = [], []
        for turn in range(5):
            if turn == 4:
                clock.now, down[0] = clock.now + 61, False
            ctx = ContextManager(6_000, llm=llm, llm_window=100_000)
            ctx.add(session())
            receipts.append(ctx.compact())
            requests.append(len(provider.seen))
    assert requests == [1, 2, 3, 3, 4]
    assert [receipt.summariser for receipt in receipts] == ["extractive"] * 4 + ["llm"]
    assert "is not asked" in receipts[3].failures[0]
    assert receipts[4].failures == ()


def test_an_input_that_is_too_long_is_no_failure_of_the_provider() -> None:
    """It is halved until it fits, however often: the breaker stays closed, and the receipt says `llm_clipped`."""
    with (
        Provider(lambda _: Reply(), window=9_000) as provider,
        client_of("chat", provider.url, awaited=False) as client,
    ):
        ctx = ContextManager(60_000, llm=llm_of("chat", client, wait=0.001))
        ctx.add(session(looked=40))
        receipt = ctx.compact()
    assert len(provider.seen) > 3
    assert [receipt.rung, receipt.summariser] == ["llm_clipped", "llm"]
