"""Completed steps: what was done or found, no heading, no condition, no greeting; a thing is told once."""

from __future__ import annotations

import pytest

from context_kit.summary import extract
from context_kit.summary._narrative import told
from context_kit.summary._why import whys
from context_kit.testing import Call, assistant, tool_round, user
from tests.test_extract import trailed

HEADED = """**Important Finding:**
Unfortunately, **there are no direct flights that arrive before 7am**.
"""
POLICY = """I understand your question, and I appreciate you asking.

**Cancellation Eligibility:**
Your reservation can be cancelled with a full refund only if one of these applies:
1. The booking was made within the last 24 hours, which fails because it was in May
2. You have travel insurance AND the reason is wrong weather, since the airline says so
"""


@pytest.mark.parametrize(
    ("text", "step"),
    [
        (HEADED, "Unfortunately, **there are no direct flights that arrive before 7am**."),
        (
            "**1. Destination Change (LGA to JFK):**\nThe issue is that the airport can't be changed.",
            "The issue is that",
        ),
        ("Done:\n- moved the parser\n- fixed the tests", "Done: - moved the parser - fixed the tests"),
        ("Perfect! I've retrieved the reservation VA5SGQ. What is next?", "I've retrieved the reservation VA5SGQ."),
        ("好的。已经把解析器移到 src/parser.py，测试也都通过了。", "已经把解析器移到 src/parser.py，测试也都通过了。"),
        ("It fails because the list is empty.", "It fails because the list is empty."),
    ],
)
def test_a_step_is_what_was_done_or_found(text: str, step: str) -> None:
    """What stands below a heading, behind a greeting, before a question."""
    (line, *_) = told(text)
    assert line.startswith(step)
    assert not line.endswith("?")


@pytest.mark.parametrize(
    "text",
    [
        POLICY,
        "Hi! How can I help you today?",
        "Hello! I'd be happy to help you with your flights.",
        "**Next Steps:**",
        "To help you, I need some information:\n1. **Your user ID**, which opens your account\n2. **Your booking**",
        "If you have travel insurance, the refund is yours, because the policy says so.",
        "您好！请问有什么可以帮您？",
        "只有满足以下条件才能退款：\n1. 用户购买了旅行保险，因为保险覆盖天气原因\n2. 航空公司取消了航班",
        "## Summary\n---",
    ],
)
def test_a_heading_a_condition_and_a_greeting_are_no_steps(text: str) -> None:
    """They tell of nothing that happened."""
    assert told(text) == ()


DECIDED = "I decided to round with quantize, because round() is banker's rounding."
WRONG = "Rounding per line gives 0.18, that is wrong: the test wants it rounded once per rate."
FAILED = "E AssertionError: assert 0.18 == 0.19\n1 failed in 0.10s\nExit code 1"


def test_a_decision_is_told_in_its_own_field_only() -> None:
    """Not among the steps as well."""
    call = Call("bash", {"command": "ls"}, result="a", id="c1")
    found = extract(trailed([user("Fix it."), *tool_round([call], text=DECIDED)]), cut=99, redact=str, language="en")
    assert [made.decision for made in found.key_decisions] == [f"{DECIDED} (m2)"]
    assert not any(DECIDED in step.text for step in found.completed_steps)


@pytest.mark.parametrize(
    "why",
    [
        WRONG,
        "That doesn't work because the locale is missing on this machine.",
        "The problem is that vat() sums per line.",
        "It gives 0.1881 but the test expected 0.19.",
        "It prints the number instead of the string.",
        "The locale isn't installed here.",
        "按行取整不行，因为测试要求每个税率只取整一次。",
        "问题在于 vat() 是按行求和的，得到 0.18 而不是期望的 0.19。",
    ],
)
def test_why_an_attempt_failed_stands_with_the_attempt(why: str) -> None:
    """In the agent's own words, behind the attempt that it speaks of, and nowhere else."""
    check = Call("bash", {"command": "pytest -q"}, result=FAILED, id="c1", failed=True)
    other = Call("bash", {"command": "ls"}, result="a", id="c2")
    talk = [user("Fix it."), *tool_round([check], text="Check."), *tool_round([other], text=why)]
    found = extract(trailed(talk), cut=99, redact=str, language="en")
    attempt, reason = found.failed_attempts
    assert attempt.attempt == "`pytest -q` (m3)"
    assert (reason.attempt, reason.error) == (f"{why} (m4)", "")
    assert not any(why in step.text for step in found.completed_steps)


def test_it_stands_when_the_attempt_is_solved() -> None:
    """What not to try again is worth knowing for the rest of the task."""
    check = Call("bash", {"command": "pytest -q"}, result=FAILED, id="c1", failed=True)
    passed = Call("bash", {"command": "pytest -q"}, result="3 passed in 0.10s", id="c2")
    talk = [user("Fix it."), *tool_round([check]), *tool_round([passed], text=WRONG)]
    found = extract(trailed(talk), cut=99, redact=str, language="en")
    assert "solved at m4" in found.failed_attempts[0].attempt
    assert found.failed_attempts[1].attempt == f"{WRONG} (m4)"


def test_a_sentence_after_a_success_is_no_reason_of_a_failure() -> None:
    """Only what is said right after a failed attempt speaks of it."""
    check = Call("bash", {"command": "pytest -q"}, result="3 passed in 0.10s", id="c1")
    talk = trailed([user("Fix it."), *tool_round([check]), *assistant(WRONG)])
    assert list(whys(talk, str)) == []
    assert [each.error for each in extract(talk, cut=99, redact=str, language="en").failed_attempts] == [""]
