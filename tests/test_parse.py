"""A model's reply is read as the six fields, whatever is around them, or refused."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import Decision, FailedAttempt, FileState, Step, SummaryError, TaskSummary
from context_kit.summary import parse
from tests.talks import ran

ROOT = Path(__file__).resolve().parents[1]

FULL = TaskSummary(
    original_goal="Fix it.",
    completed_steps=[Step(text='Read {a} "b" <c>.', files=["src/数据.py", "a.py"])],
    current_files=[FileState(path="a.py", state="edited, not verified")],
    key_decisions=[Decision(decision="Use decimals.", reason="Money.")],
    failed_attempts=[FailedAttempt(attempt="pytest -q", error="ValueError: bad\ntoken")],
    todo=["Ship it. 👩‍💻", "再检查一次"],
)
JSON = FULL.model_dump_json()
EMPTY = '{"completed_steps": [], "current_files": [], "key_decisions": [], "failed_attempts": [], "todo": []}'


@pytest.mark.parametrize(
    "reply",
    [
        JSON,
        f"\ufeff{JSON}",
        f"  \n{JSON}\n\n",
        json.dumps(FULL.model_dump(), indent=4),
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```",
        f"Here is the record you asked for:\n\n{JSON}\n\nLet me know if it helps!",
        f'<think>First {{}} I look at {{"todo": []}}.</think>\n{JSON}',
        f"<analysis>The person wants {{this}}.</analysis>```json\n{JSON}\n```",
        f"The shape is {EMPTY[:20]}...}} and here it is: {JSON}",
        f"{JSON}\n{JSON}",
    ],
    ids=[
        "bare",
        "bom",
        "space",
        "indented",
        "fence",
        "plain fence",
        "prose",
        "thinking",
        "analysis",
        "braces",
        "twice",
    ],
)
def test_json_is_found_whatever_is_around_it(reply: str) -> None:
    """Bare, fenced, with prose or thinking tags around it."""
    assert parse(reply) == FULL


@pytest.mark.parametrize(
    "reply",
    [
        (
            "## Original goal\nFix it.\n\n## Completed steps\n- Read a.py [a.py]\n\n## Current files\n- a.py — edited\n\n"
            "## Key decisions\n- Use decimals. — Money.\n\n## Failed attempts\n- pytest -q — ValueError: bad\n\n## Todo\n- Ship it."
        ),
        (
            "**Task goal:** Fix it.\n**Completed:**\n* Read a.py [a.py]\n**Current file state:**\n* a.py — edited\n"
            "**Key decisions and reasons:**\n* Use decimals. — Money.\n**Known pitfalls:**\n* pytest -q — ValueError: bad\n"
            "**Todo:**\n* Ship it."
        ),
        (
            "1. Original Goal: Fix it.\n2. Completed Steps:\n- Read a.py [a.py]\n3. Current Files:\n- a.py — edited\n"
            "4. Key Decisions:\n- Use decimals. — Money.\n5. Failed Attempts:\n- pytest -q — ValueError: bad\n6. TODO:\n- Ship it."
        ),
        (
            "## 原始目标\nFix it.\n## 已完成步骤\n- Read a.py [a.py]\n## 当前编辑文件\n- a.py — edited\n## 关键决策\n"
            "- Use decimals. — Money.\n## 失败尝试\n- pytest -q — ValueError: bad\n## 待办事项\n- Ship it."
        ),
        (
            "任务目标：Fix it.\n已完成：\n- Read a.py [a.py]\n当前文件状态：\n- a.py — edited\n关键决策及原因：\n"
            "- Use decimals. — Money.\n已知坑：\n- pytest -q — ValueError: bad\n待办：\n- Ship it."
        ),
    ],
    ids=["english", "other english", "numbered", "chinese", "other chinese"],
)
def test_the_six_headings_are_read_too(reply: str) -> None:
    """In either of the articles' wordings, in English or Chinese."""
    found = parse(reply)
    assert found.original_goal == "Fix it."
    assert [step.text for step in found.completed_steps] == ["Read a.py [a.py]"]
    assert found.current_files == [FileState(path="a.py", state="edited")]
    assert found.key_decisions == [Decision(decision="Use decimals.", reason="Money.")]
    assert found.failed_attempts == [FailedAttempt(attempt="pytest -q", error="ValueError: bad")]
    assert found.todo == ["Ship it."]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("<think>only thoughts</think>", "empty"),
        ("I fixed the parser and ran the tests.", "six fields"),
        ("{}", "six fields"),
        ('{"todo": ["Ship it."]}', "six fields"),
        (JSON[:-20], "six fields"),
        ("[1, 2, 3]", "six fields"),
        (EMPTY, "all six fields are empty"),
        (EMPTY.replace("[]", '["none"]'), "all six fields are empty"),
        (EMPTY.replace("[]", '["无"]'), "all six fields are empty"),
        ("## Todo\n- Ship it.", "six fields"),
    ],
)
def test_what_does_not_give_the_six_fields_is_refused(reply: str, why: str) -> None:
    """With a reason that the next request can repeat; the reply's text is not in it."""
    with pytest.raises(SummaryError, match=why) as caught:
        parse(reply)
    assert "Ship it" not in str(caught.value)


def test_loose_forms_are_taken_as_meant() -> None:
    """Strings for entries, one entry for a list, null for nothing, unknown keys: all read."""
    reply: dict[str, Any] = {
        "completed_steps": ["Read a.py.", {"text": "Wrote b.py.", "files": None, "mood": "good"}],
        "current_files": {"path": "a.py"},
        "key_decisions": None,
        "failed_attempts": [{"attempt": "", "error": "x"}],
        "todo": [{"task": "Ship it."}, "  ", "none"],
        "confidence": 0.9,
    }
    found = parse(json.dumps(reply))
    assert [step.text for step in found.completed_steps] == ["Read a.py.", "Wrote b.py."]
    assert found.current_files == [FileState(path="a.py")]
    assert (found.key_decisions, found.failed_attempts, found.todo) == ([], [], ["Ship it."])


def test_an_entry_of_a_wrong_type_is_refused_by_name() -> None:
    """The retry can say which field it was."""
    with pytest.raises(SummaryError, match="completed_steps"):
        parse(EMPTY.replace('"completed_steps": []', '"completed_steps": [{"text": ["a"]}]'))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400) | st.text(alphabet='{}[]":,\\ \n<>think/', max_size=400))
def test_any_text_is_read_or_refused(reply: str) -> None:
    """Never another error."""
    with contextlib.suppress(SummaryError):
        assert isinstance(parse(reply), TaskSummary)


text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(lambda t: t.strip() == t)
summaries = st.builds(
    TaskSummary,
    original_goal=text,
    completed_steps=st.lists(st.builds(Step, text=text, files=st.lists(text, max_size=2)), max_size=3),
    current_files=st.lists(st.builds(FileState, path=text, state=text), max_size=3),
    key_decisions=st.lists(st.builds(Decision, decision=text, reason=text), max_size=3),
    failed_attempts=st.lists(st.builds(FailedAttempt, attempt=text, error=text), max_size=3),
    todo=st.lists(
        text.filter(lambda t: t.lower() not in ("none", "none.", "n/a", "-", "无", "无。", "没有", "null")), max_size=3
    ),
)


@settings(max_examples=200, deadline=None)
@given(summaries, st.sampled_from(["{}", "```json\n{}\n```", "Sure:\n{}\nDone."]))
def test_every_summary_reads_back_as_itself(summary: TaskSummary, frame: str) -> None:
    """What a careful model says is what is understood."""
    assert parse(frame.replace("{}", summary.model_dump_json())) == summary


HOSTILE = """
from context_kit import SummaryError
from context_kit.summary import parse
for reply in ("{" * 200_000, "[" * 200_000, '{"a":' * 50_000, "<think>" * 100_000, "# " * 200_000, "-" * 500_000, "todo:" * 90_000):
    try:
        parse(reply)
    except SummaryError:
        continue
    raise AssertionError(reply[:20])
"""


def test_hostile_replies_are_refused_in_linear_time() -> None:
    """Deep nesting, open tags and long runs end in the same refusal, in seconds at most.

    A fresh interpreter, so that a hang fails this test and not the run: linear work takes well under a second.
    """
    ran(HOSTILE)
