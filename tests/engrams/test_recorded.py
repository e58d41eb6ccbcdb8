"""A person's words come back from the record of another session, whatever its language and length."""

from __future__ import annotations

import pytest

from context_kit import ContextManager
from context_kit.engrams._recorded import recorded
from context_kit.testing import assistant, user

EN = ("Fix src/app.py. Do not touch tests/.", "Also:\n- keep run()\n- keep `load()`")
ZH = ("修复登录接口。不要改动 tests/ 目录。", "另外：\n- 保留 run()\n- 更新文档")


def record(texts: tuple[str, str], window: int) -> str:
    """The bridge of a session in which a person said two things."""
    ctx = ContextManager(window)
    for text in texts:
        ctx.add(user(text))
        ctx.add(assistant("done " * (window // 5)))
    ctx.compact()
    content: str = ctx.messages[0]["content"]
    assert content.startswith("[context record c1")
    return content


@pytest.mark.parametrize("window", [1_500, 8_000])
@pytest.mark.parametrize("texts", [EN, ZH], ids=["en", "zh"])
def test_what_the_bridge_quotes_is_read_back(texts: tuple[str, str], window: int) -> None:
    """Goal first, then the other words, letter by letter; nothing that a program or a tool wrote."""
    assert recorded(record(texts, window)) == "\n\n".join(texts)


def test_a_goal_that_stands_below_is_no_goal() -> None:
    """Where the record only points at the messages behind it, they tell the goal themselves."""
    text = "[context record c1]\n\n## Original goal (the user's words)\nIt stands word for word in the messages below (m2)."
    assert recorded(text) == ""


@pytest.mark.parametrize("text", ["Fix it.\n## Original goal (the user's words)\nNo.", "", "[user] hello"])
def test_another_text_is_no_record(text: str) -> None:
    """Only a text that begins as a record is one."""
    assert recorded(text) == ""
