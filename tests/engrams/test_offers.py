"""What the assistant laid out and the person's newest words take up stays word for word, ids first."""

from __future__ import annotations

import pytest

from context_kit import ContextManager
from context_kit.engrams import offer
from context_kit.testing import Call, assistant, tool_round, user
from tests.test_extract import trailed

OPTIONS = """Here's what I found for your dates:

**Outbound:**
- **HAT275** (DTW to PHX): departs 12:00am, economy $142
- **HAT066** (PHX to LGA): departs 9:00pm, economy $192

**Return:**
- **HAT002** (LGA to PHX): departs 9:00pm, economy $100
- **HAT106** (PHX to DTW): departs 4:00am, economy $105

What would you like to do?"""
CHINESE = "有两个方案：\n1. 方案一：用 SQLite，改动 store.py\n2. 方案二：用 JSON Lines，改动 log.py\n你想用哪个？"
IDS = ("HAT275", "HAT066", "HAT002", "HAT106")


@pytest.mark.parametrize(
    ("laid_out", "words"),
    [
        (OPTIONS, "I'm okay with the 8am arrival. Please book the cheapest options you found for both directions."),
        (OPTIONS, "Yes, please proceed."),
        (OPTIONS, "the first one"),
        (OPTIONS, "Go ahead."),
        (OPTIONS, "Option 2, please."),
        (OPTIONS, "2"),
        (CHINESE, "方案二"),
        (CHINESE, "好的，就按你说的做"),
        (CHINESE, "第一个吧"),
        ("Shall I use lxml or etree for the export?", "etree"),
        ("I can add the index now. Should I?", "yes"),
    ],
)
def test_words_that_take_something_up_find_it(laid_out: str, words: str) -> None:
    """Options, a proposal or a question, in both languages."""
    found = offer(trailed([user("Book a flight."), *assistant("Hello!"), *assistant(laid_out), user(words)]))
    assert found is not None
    assert found.text == laid_out


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("The parser is done and all tests pass.", "Now write the changelog for the release and mention the parser."),
        (
            OPTIONS,
            "Let us stop here and look at the invoices of last year: which of them were never paid, and why? " * 3,
        ),
        ("Part 3 is done.", "Good. Now write the docs."),
    ],
)
def test_words_that_stand_for_themselves_take_nothing_up(said: str, words: str) -> None:
    """A new task needs nothing that was said before."""
    assert offer(trailed([user("Book a flight."), *assistant(said), user(words)])) is None


def test_the_list_is_found_behind_a_shorter_text() -> None:
    """What was found are the newest options that were laid out, not what was said last."""
    talk = [
        user("Book a flight."),
        *assistant(OPTIONS),
        *assistant("I am still here."),
        user("Book the ones you found."),
    ]
    found = offer(trailed(talk))
    assert found is not None
    assert found.text == OPTIONS


@pytest.mark.parametrize("window", [3_000, 6_000, 20_000])
def test_its_ids_stand_in_the_window_after_a_compaction(window: int) -> None:
    """A session without code goes on: what is to be booked is known, whatever else was said before."""
    ctx = ContextManager(window)
    ctx.add(user("Hi, I need to change my flights."))
    for number in range(6):
        ctx.add(
            [
                *assistant(f"Question {number}. " + "Tell me more about it. " * 40),
                user(f"Answer {number}: " + "as before, " * 30),
            ]
        )
    search = Call("search", {"from": "DTW"}, result="many flights " * 400, id="s1")
    ctx.add([*tool_round([search]), *assistant(OPTIONS), user("Please book the options you found.")])
    assert ctx.compact().outcome == "applied"
    text = "\n".join(str(message["content"]) for message in ctx.messages)
    assert all(flight in text for flight in IDS)
    assert text.count("HAT275") == 1


def test_a_constraint_goes_before_an_offer() -> None:
    """What the person forbade is never pushed out by what the assistant proposed."""
    ctx = ContextManager(3_000)
    ctx.add(user("Book my flights. Never book business class. Do not use my gift card."))
    rules = [f"Never fly with airline number {number} on any day of this month." for number in range(12)]
    for rule in rules:
        ctx.add([*assistant("Noted. " + "I wrote that down. " * 30), user(rule)])
    ctx.add([*assistant(OPTIONS * 3), user("Please book the options you found.")])
    assert ctx.compact().outcome == "applied"
    text = "\n".join(str(message["content"]) for message in ctx.messages)
    assert all(rule in text for rule in rules)
