"""An edit that was refused is never shown as the file's content."""

from __future__ import annotations

import pytest

from context_kit import ContextManager
from context_kit.testing import Call, assistant, tool_round, user

SOURCE = "A = 1\nB = 2\n\n\ndef f(x):\n    return x + A\n"


def bridged(old: str, said: str) -> str:
    """The record after a read of a.py and an edit of it that was answered so."""
    ctx = ContextManager(8_000)
    ctx.add(user("Fix the thing."))
    ctx.add(tool_round([Call("read_file", {"path": "a.py"}, result=SOURCE, id="c1")], text="Read."))
    change = {"path": "a.py", "old": old, "new": "A = 9"}
    ctx.add(tool_round([Call("edit_file", change, result=said, id="c2")], text="Set it."))
    for number in range(14):
        ctx.add(assistant(f"Look {number}. " + "rows mapped to columns one by one. " * 14))
    ctx.compact()
    return str(ctx.messages[0]["content"])


@pytest.mark.parametrize("old", ["A = 1", "A = 7"])
@pytest.mark.parametrize(
    "said", ["No match. Nothing was changed.", "0 replacements made", "Rejected by policy hook", "编辑失败：未匹配"]
)
def test_a_refused_edit_is_told_as_such(old: str, said: str) -> None:
    """The file is shown as it was read, the attempt as failed, in the tool's own words."""
    text = bridged(old, said)
    assert SOURCE.strip() in text
    assert "A = 9" not in text
    assert "Edited a.py" not in text
    assert said in text


def test_an_edit_that_may_have_done_nothing_is_told_as_unsure() -> None:
    """The known content stays, and nothing is claimed of the new text."""
    text = bridged("A = 7", "a.py")
    assert SOURCE.strip() in text
    assert "A = 9" not in text
    assert "unsure" in text


def test_an_edit_that_was_made_is_shown() -> None:
    """The newest content, as the disk has it."""
    assert SOURCE.replace("A = 1", "A = 9").strip() in bridged("A = 1", "edited a.py")
