"""What an edit tool's own answer says of its edit, in whatever words."""

from __future__ import annotations

import pytest

from context_kit.tools import error_line
from context_kit.types import Tool
from tests.tools.calls import did

UNDONE = (
    "No match. Nothing was changed.",
    "old_string not found",
    "0 replacements made",
    "edited a.py: 0 replacements",
    "no changes made",
    "FAILED",
    "The edit was not applied.",
    "Rejected by policy hook",
    "Edit declined by user",
    "ambiguous match (3 candidates)",
    "Found 3 matches; need exactly one",
    "Edit failed: file was modified since you read it",
    "The file is read-only",
    "Hunk #1 FAILED at 12.",
    "Search block didn't match any lines in a.py",
    "Some edits were produced but none of them could be applied. Read the file again",
    "The model made no changes to the file. Note that the apply model may be wrong",
    "Edit operation blocked by hook:\n- no edits",
    "couldn’t apply edit",
    "Approval required",
    "Dry run: no files changed",
    "false",
    '{"ok": false}',
    '{"applied": false, "reason": "no match"}',
    '{"success": true, "replacements": 0}',
    '{"status": "no_match"}',
    '{"status": "success", "data": {"applied": false}}',
    "未找到要替换的文本",
    "替换了 0 处",
    "文件未修改",
    "编辑失败",
    "用户拒绝了此次编辑",
    "被策略拒绝",
    "匹配不唯一",
    "找到多处匹配，未替换",
    "权限不足",
)
DONE = (
    "ok",
    "edited a.py",
    "Edited a.py. No errors found.",
    "Edited without error",
    "Edited config so access is denied by default",
    "Updated docs to say values cannot be changed",
    "No exact match, applied a fuzzy match",
    "Found 3 matches, replaced all",
    "Replaced 1 occurrence, 0 occurrences remaining",
    "Applied 3 edits, 0 failed",
    "1 file changed, 1 insertion(+), 0 deletions(-)",
    "Edit applied successfully.\n\nLSP errors detected in this file:\nERROR [3:1] not found",
    "Wrote failed.log",
    "Blocked users no longer log in. Edit applied.",
    "Saved. Tests were not run.",
    "The file a.py has been updated. Here's the result of running `cat -n`:\n  1\traise Denied",
    '{"ok": true, "replacements": 2}',
    '{"status": "success", "data": {"applied": true}}',
    "修改成功",
    "文件更新成功，未发现语法错误",
    "编辑成功。注意：其他文件未修改",
    '已将"未找到"改为"找不到"',
)
NEITHER = (
    "",
    "a.py",
    "No lint errors",
    "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-A = 1\n+A = 9\n# not applied",
    "```\nnot found\n```",
    "    1\told_string not found",
)
EDIT = {"path": "a.py", "old": "A = 1", "new": "A = 9"}


@pytest.mark.parametrize("said", UNDONE)
@pytest.mark.parametrize("tool", ["edit_file", "my_own_edit"])
def test_an_edit_that_its_tool_says_was_not_made_failed(tool: str, said: str) -> None:
    """No match, zero changes, a refusal, a policy: whatever the words, in English and Chinese."""
    (act,) = did(tool, EDIT, said)
    assert (act.kind, act.failed) == ("edit", True)
    assert error_line(act.error).strip("{}") in said


@pytest.mark.parametrize("said", DONE)
def test_an_edit_that_its_tool_reports_is_done(said: str) -> None:
    """Whatever else its words speak of."""
    (act,) = did("edit_file", EDIT, said)
    assert (act.failed, act.vague) == (False, False)


@pytest.mark.parametrize("said", NEITHER)
def test_an_answer_that_says_neither_is_no_failure(said: str) -> None:
    """What it shows of a file says nothing about the edit."""
    (act,) = did("edit_file", EDIT, said)
    assert (act.failed, act.vague) == (False, True)


@pytest.mark.parametrize(("said", "failed"), [("no luck", True), ("no changes made", False)])
def test_the_callers_own_pattern_decides_of_an_edit(said: str, failed: bool) -> None:
    """`failed=` says what a refusal looks like; then nothing is guessed."""
    own = {"swap": Tool("edit", path="path", old="old", new="new", failed=r"^no luck")}
    (act,) = did("swap", EDIT, said, semantics=own)
    assert (act.failed, act.vague) == (failed, False)


@pytest.mark.parametrize("said", ["Edit declined by user", "The user has rejected this edit", "操作已被用户取消"])
def test_a_person_who_declines_an_edit_is_no_failure_of_it(said: str) -> None:
    """It was never tried."""
    (act,) = did("edit_file", EDIT, said)
    assert (act.failed, act.refused) == (True, True)


@pytest.mark.parametrize("said", ["not found\n" + "# not applied\n" * 400, "word " * 40_000, "无" * 40_000])
def test_a_long_answer_is_read_at_its_first_line_only(said: str) -> None:
    """What comes behind may be the file."""
    (act,) = did("edit_file", EDIT, said)
    assert act.failed == said.startswith("not found")
