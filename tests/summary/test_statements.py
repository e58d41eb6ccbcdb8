"""Decisions, intents, findings and questions are taken from an assistant's text word for word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit.summary._statements import decisions, findings, intent, question


@pytest.mark.parametrize(
    ("text", "decision", "reason"),
    [
        (
            "I'll use SQLite instead of Postgres because the tool runs on one machine.",
            "I'll use SQLite instead of Postgres because the tool runs on one machine.",
            "the tool runs on one machine",
        ),
        (
            "We decided to keep the old parser. Because two clients rely on it.",
            "We decided to keep the old parser.",
            "Because two clients rely on it.",
        ),
        ("The cleanest approach is a lock file.", "The cleanest approach is a lock file.", ""),
        (
            "Looked at it. We should not cache here because the key is stale.",
            "We should not cache here because the key is stale.",
            "the key is stale",
        ),
        ("Rejected a global lock: it blocks reads.", "Rejected a global lock: it blocks reads.", ""),
        (
            "**Root cause:** the cache is never cleared in `a.reset`.",
            "**Root cause:** the cache is never cleared in `a.reset`.",
            "",
        ),
        ("The root cause is a missing await.", "The root cause is a missing await.", ""),
        (
            "It's better to fail early. This avoids half-written files.",
            "It's better to fail early.",
            "This avoids half-written files.",
        ),
        ("Decision: one file per session", "Decision: one file per session", ""),
        (
            "The fix is simple: use `queueMessage` instead of `appendMessage` in agent.ts when streaming.",
            "The fix is simple: use `queueMessage` instead of `appendMessage` in agent.ts when streaming.",
            "",
        ),
        ("因为接口有限流，所以改用批量请求。", "因为接口有限流，所以改用批量请求。", "接口有限流"),
        ("决定采用 SQLite，由于部署在单机上。", "决定采用 SQLite，由于部署在单机上。", "部署在单机上"),
        ("我选择 pnpm 而不是 npm。", "我选择 pnpm 而不是 npm。", ""),
        ("根因是缓存没有清理。", "根因是缓存没有清理。", ""),
    ],
)
def test_a_stated_choice_is_a_decision(text: str, decision: str, reason: str) -> None:
    """A choice, a rejection or a root cause comes out with the reason that the text gives."""
    assert decisions(text) == ((decision, reason),)


@pytest.mark.parametrize(
    "text",
    [
        "Let me read the file.",
        "Should we use SQLite instead of Postgres?",
        "| use A | instead of B | because |",
        "Alternatively, we could use Redis instead of a file.",
        "It's returning `nil` instead of calling the handler.",
        "Let me try a different approach:",
        "```\nI'll use A instead of B because C.\n```",
        "是否改用 Redis？",
        "已读取文件。",
    ],
)
def test_no_choice_no_decision(text: str) -> None:
    """Plans to look, questions, options, descriptions and code decide nothing."""
    assert decisions(text) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("All tests pass. Let me update the docs:", "Let me update the docs:"),
        ("Next, I'll add the migration. It needs a new column.", "Next, I'll add the migration."),
        ("Now I need to fix `a.b.c`.\n\n```py\nx = 1\n```", "Now I need to fix `a.b.c`."),
        ("Now update the checkboxes and commit:", "Now update the checkboxes and commit:"),
        ("搜索完成。接下来更新主页。", "接下来更新主页。"),
        ("路径不正确，需要先检查目录结构。", "路径不正确，需要先检查目录结构。"),
        ("Done. Let me know if you need anything else.", ""),
        ("Everything is in place. Want me to begin?", ""),
        ("已成功创建主页。", ""),
        ("", ""),
    ],
)
def test_the_last_word_on_what_comes_next(text: str, said: str) -> None:
    """The intent is the last sentence that says what the assistant does next."""
    assert intent(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "The issue is that `dirname` goes up one level too many.",
            ("The issue is that `dirname` goes up one level too many.",),
        ),
        (
            "Test 4 fails because `super().x()` doesn't exist there.",
            ("Test 4 fails because `super().x()` doesn't exist there.",),
        ),
        ("I found that the hook runs twice. Fixing.", ("I found that the hook runs twice.",)),
        ("Note that the API returns UTC only.", ("Note that the API returns UTC only.",)),
        (
            "There's a conflict - `countLines` already exists in `common.go`.",
            ("There's a conflict - `countLines` already exists in `common.go`.",),
        ),
        ("问题是提示函数没有实现。", ("问题是提示函数没有实现。",)),
        ("原因在于路径写错，导致读取失败。", ("原因在于路径写错，导致读取失败。",)),
        ("I see the issue.", ()),
        ("Is the problem that it runs twice?", ()),
        ("Let me read the file.", ()),
    ],
)
def test_findings(text: str, said: tuple[str, ...]) -> None:
    """A cause, a pitfall or a discovery is a finding; a suspicion in a question is not."""
    assert findings(text) == said


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Done. Want me to proceed?", True),
        ("**Which one do you prefer?**", True),
        ("Proceed with the migration? (yes/no)", True),
        ("Please confirm the path.", True),
        ("需要我继续吗？", True),
        ("请确认是否删除旧文件。", True),
        ("Why does it fail? Let me look at the log.", False),
        ("All done.", False),
        ("Let me know if you need anything else!", False),
        ("已完成。", False),
        ("", False),
    ],
)
def test_question(text: str, asks: bool) -> None:
    """A text asks where its end does, not where a question is raised on the way."""
    assert question(text) is asks


@given(st.text(alphabet="abI'll use instead of. because\n-是，。改用因为?`*", max_size=300))
def test_nothing_is_composed(text: str) -> None:
    """Decisions, reasons, intents and findings stand in the text, character for character."""
    for decision, reason in decisions(text):
        assert decision in text
        assert reason in text
    assert intent(text) in text
    assert all(said in text for said in findings(text))
