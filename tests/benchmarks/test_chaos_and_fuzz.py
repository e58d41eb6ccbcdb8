"""Small runs of the two that break everything, and proof that their judges can tell a fault."""

from __future__ import annotations

import logging
import random
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import chaos, fuzz
from benchmarks._chaos import _judge, _play, _talks
from benchmarks._chaos._breaks import SECRETS
from benchmarks._malformed import base, mutated
from context_kit import ContextManager, InvalidMessageError, _background
from context_kit.testing import Call, system, tool_round, user
from context_kit.typing import Message, Shape
from tests.talks import SHAPES, prints, warm

SEED = 7


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small sessions, a short patience, no log."""
    warm()
    monkeypatch.setattr(_background, "LONGEST", chaos.PATIENCE)
    monkeypatch.setattr(_talks, "MOST_TOKENS", 60_000)
    logging.getLogger("context_kit").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        yield
    logging.getLogger("context_kit").setLevel(logging.NOTSET)


@pytest.mark.parametrize("number", range(20))
def test_a_chaotic_session_is_never_stuck_illegal_or_lost(number: int) -> None:
    """As `python -m benchmarks.chaos` plays five hundred of."""
    found = _play.play(f"{SEED} {number}")
    assert (found.stuck, found.illegal, found.lost) == ([], [], [])
    assert found.lists


def test_what_is_drawn_is_the_same_for_a_seed() -> None:
    """A session that was broken can be played again."""
    first, second = (_talks.drawn(random.Random("again")) for _ in range(2))
    assert first == second
    assert prints([base(random.Random(3), "chat")]) == prints([base(random.Random(3), "chat")])


# -- the judges can fail ---------------------------------------------------------------------------

TALK = [system("Be brief."), user("Request 1-9: go on."), *tool_round([Call("Bash", {"command": "ls"}, result="a")])]


def verdict(sent: list[Message], *, window: int = 8_000) -> _judge.Verdict:
    found = _judge.Verdict()
    said, systems = _judge.newest(TALK), ["Be brief."]
    _judge.judged(found, sent, "chat", window=window, said=said, systems=systems)
    return found


def test_a_whole_window_is_no_fault() -> None:
    """What follows is told from this list by its change alone."""
    assert verdict(TALK).broken == 0


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (TALK[:-1], "illegal"),
        (TALK[:2] + TALK[3:], "illegal"),
        ([*TALK, {"role": "user", "content": None}], "illegal"),
        ([*TALK, user(f"The key is {SECRETS[0]}.")], "illegal"),
        ([*TALK, user("word " * 9_000)], "stuck"),
        (TALK[1:], "lost"),
        ([TALK[0], user("Something else."), *TALK[2:]], "lost"),
    ],
)
def test_a_broken_window_is_told(sent: list[Message], kind: str) -> None:
    """A call without a result, a result without its call, no content, a secret; too large; something missing."""
    found = verdict(sent)
    assert getattr(found, kind)


def test_a_message_that_is_gone_is_told() -> None:
    """One that was acknowledged and is not in the log, and one whose address brings another text."""
    ctx = ContextManager(8_000)
    ctx.add(TALK)
    assert list(_judge.recalled(ctx, TALK)) == []
    assert list(_judge.recalled(ctx, [*TALK, user("And this.")]))
    assert list(_judge.recalled(ctx, [*TALK[:-1], {**TALK[-1], "content": "b"}]))


def test_a_session_that_raises_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever reaches the agent that should not."""

    def broken(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(ContextManager, "prepare", broken)
    monkeypatch.setattr(ContextManager, "aprepare", broken)
    monkeypatch.setattr(ContextManager, "call", broken)
    monkeypatch.setattr(ContextManager, "acall", broken)
    assert "ZeroDivisionError" in _play.play(f"{SEED} 0").stuck[0]


# -- fuzz ------------------------------------------------------------------------------------------


def test_malformed_messages_are_refused_and_change_nothing() -> None:
    """As `python -m benchmarks.fuzz` gives fifty thousand of."""
    counted, broken = fuzz.play(600, SEED)
    assert broken == []
    assert counted["refused"] > 200
    assert counted["accepted"] > 50


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_mutated_was_legal(shape: Shape) -> None:
    """Each base is taken by a session in which its call waits, or refused for the call alone."""
    for seed in range(40):
        given = base(random.Random(seed), shape)
        ctx = ContextManager(8_000)
        ctx.add([user("hi"), *tool_round([Call("Bash", {"command": "ls"}, result="a")], shape=shape)])
        try:
            ctx.add(given)
        except InvalidMessageError as error:
            assert "call" in str(error)
    assert mutated(random.Random(1), shape) is not None


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InvalidMessageError("is wrong: give another"), ""),
        (InvalidMessageError("is wrong"), "what to do"),
        (InvalidMessageError("is wrong: " + "x" * 2_000), "characters"),
        (InvalidMessageError("is wrong: give another", field=""), "no field"),
    ],
)
def test_an_error_that_tells_too_little_is_told(error: InvalidMessageError, told: str) -> None:
    """The field, what to do, a bounded text."""
    found = fuzz.told_badly(error)
    assert told in found
    assert bool(found) is bool(told)


@pytest.mark.parametrize(("raised", "what"), [(KeyError("x"), "raised"), (None, "accepted")])
def test_an_add_that_is_broken_is_told(raised: Exception | None, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of another kind; a message that makes the window illegal."""
    subject = fuzz.Subject("chat", 1, None)

    def add(self: ContextManager, message: object) -> None:
        if raised is not None:
            raise raised
        self._session.log.entries[-1].message.raw.pop("tool_calls")

    monkeypatch.setattr(ContextManager, "add", add)
    found, fault = subject.give()
    assert found == what
    assert fault
