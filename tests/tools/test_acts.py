"""Which file a call read or edited, whatever the agent calls its tools and arguments."""

from __future__ import annotations

from typing import Any

import pytest

from context_kit.tools import Todo, acts, error_line, plan_after
from context_kit.types import Tool
from tests.tools.calls import call, did

FOOTER = "(Open file: /r/a.py)\n(Current directory: /r)\nbash-$"
CODEX = "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"
LIVE = "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
NUMBERED = "     1→import os\n     2→\n     3→x = 1\n\n<system-reminder>\nBe careful.\n</system-reminder>\n"


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("Read", {"file_path": "/r/a.py"}, NUMBERED),
        ("read", {"path": "/r/a.py"}, "import os\n\nx = 1"),
        ("read_file", {"file_path": "/r/a.py"}, "import os\n\nx = 1"),
        (
            "read",
            {"filePath": "/r/a.py"},
            "<file>\n00001| import os\n00002| \n00003| x = 1\n\n(End of file - total 3 lines)\n</file>",
        ),
        (
            "str_replace_editor",
            {"command": "view", "path": "/r/a.py"},
            "Here's the result of running `cat -n` on /r/a.py:\n     1\timport os\n     2\t\n     3\tx = 1\n",
        ),
        (
            "Read",
            {"path": "/r/a.py"},
            '{"status": "success", "data": {"content": "   1 | import os\\n   2 | \\n   3 | x = 1"}, "text": "Read 3"}',
        ),
        (
            "read_files",
            {"files": [{"path": "/r/a.py"}]},
            '{"query": "/r/a.py", "result": "1 | import os\\n2 | \\n3 | x = 1", "success": true}',
        ),
        (
            "open",
            {"path": "/r/a.py"},
            f"[File: /r/a.py (3 lines total)]\n1:import os\n2:\n3:x = 1\n{FOOTER}",
        ),
        ("bash", {"command": "cat /r/a.py"}, "import os\n\nx = 1\n"),
        (
            "execute_bash",
            {"command": "cd /r && cat a.py"},
            "import os\n\nx = 1\n[The command completed with exit code 0.]",
        ),
        (
            "exec_command",
            {"cmd": "nl -ba /r/a.py"},
            CODEX + "     1\timport os\n     2\t\n     3\tx = 1\n",
        ),
        ("mcp__fs__read_file", {"path": "/r/a.py"}, "import os\n\nx = 1"),
    ],
)
def test_a_read_gives_the_files_own_text(name: str, args: dict[str, Any], said: str) -> None:
    """Whatever the viewer adds (numbers, frames, reminders) is not the file's."""
    act = did(name, args, said)[-1]
    assert (act.kind, act.path, act.whole, act.failed) == ("read", "/r/a.py", True, False)
    assert (act.content or "").rstrip("\n") == "import os\n\nx = 1"


@pytest.mark.parametrize(
    ("name", "args", "said", "lines"),
    [
        ("Read", {"file_path": "a", "offset": 70, "limit": 2}, "    70→x\n    71→y\n", (70, 71)),
        (
            "read",
            {"path": "a", "offset": 1, "limit": 2},
            "x\ny\n\n[97 more lines in file. Use offset=3 to continue]",
            (1, 2),
        ),
        (
            "read_file",
            {"file_path": "a", "start_line": 5, "end_line": 6},
            (
                "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 5-6 of 90 total lines.\n"
                "Action: go on.\n\n--- FILE CONTENT (truncated) ---\nx\ny"
            ),
            (5, 6),
        ),
        ("bash", {"command": "sed -n '7,8p' a"}, "x\ny\n", (7, 8)),
        ("bash", {"command": "cat a | head -2"}, "x\ny\n", (1, 2)),
        (
            "open",
            {"path": "a", "line_number": 9},
            f"[File: a (99 lines total)]\r\n(8 more lines above)\r\n9:x\r\n10:y\r\n(89 more lines below)\r\n{FOOTER}",
            (9, 10),
        ),
        (
            "str_replace_editor",
            {"command": "view", "path": "a", "view_range": [3, 4]},
            "Here's the result of running `cat -n` on a:\n     3\tx\n     4\ty\n",
            (3, 4),
        ),
    ],
)
def test_a_partial_read_names_its_lines(name: str, args: dict[str, Any], said: str, lines: tuple[int, int]) -> None:
    """A range is never taken for the whole file."""
    act = did(name, args, said)[-1]
    assert (act.kind, act.whole, (act.first, act.last)) == ("read", False, lines)
    assert (act.content or "").rstrip("\n") == "x\ny"


def test_text_that_merely_starts_with_digits_keeps_them() -> None:
    """Numbers count as line numbers only where they run on without a gap."""
    act = did("read", {"path": "t.tsv"}, "10\ta\n99\tb\n")[0]
    assert act.content == "10\ta\n99\tb\n"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("Write", {"file_path": "a.py", "content": "x\n"}),
        ("write", {"path": "./a.py", "content": "x\n"}),
        ("write_file", {"file_path": "a.py", "content": "x\n"}),
        ("write_to_file", {"path": "a.py", "content": "x\n"}),
        ("str_replace_editor", {"command": "create", "path": "a.py", "file_text": "x\n"}),
        ("create_file", {"filePath": "a.py", "content": "x\n"}),
        ("mcp__sandbox__sandbox_write", {"name": "box", "path": "a.py", "content": "x\n"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"}),
        ("store_document", {"path": "a.py", "content": "x\n"}),
        ("bash", {"command": "cat > a.py <<'EOF'\nx\nEOF"}),
        ("bash", {"command": "echo x > a.py"}),
        ("shell", {"command": ["bash", "-lc", "tee a.py <<EOF\nx\nEOF"]}),
    ],
)
def test_a_write_gives_the_whole_content(name: str, args: dict[str, Any]) -> None:
    """What is written whole is known whole."""
    act = did(name, args, "done")[-1]
    assert (act.kind, act.path, act.content, act.whole) == ("edit", "a.py", "x\n", True)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}),
        ("edit", {"path": "a.py", "oldText": "x", "newText": "y"}),
        ("edit", {"filePath": "a.py", "oldString": "x", "newString": "y"}),
        ("replace", {"file_path": "a.py", "old_string": "x", "new_string": "y", "instruction": "i"}),
        ("editor", {"path": "a.py", "old_text": "x", "new_text": "y"}),
        ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}]}),
        ("replace_string_in_file", {"filePath": "a.py", "oldString": "x", "newString": "y"}),
        ("my_edit_tool", {"path": "a.py", "old": "x", "new": "y"}),
    ],
)
def test_an_edit_gives_old_and_new(name: str, args: dict[str, Any]) -> None:
    """One pair, whatever its arguments are called."""
    (act,) = did(name, args, "ok")
    assert (act.kind, act.path, act.replacements) == ("edit", "a.py", (("x", "y"),))


def test_search_and_replace_blocks_are_pairs() -> None:
    """Cline's replace_in_file holds its pairs in one text."""
    diff = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    assert did("replace_in_file", {"path": "a.py", "diff": diff}, "ok")[0].replacements == (("x\n", "y\n"),)


def test_one_patch_over_several_files_is_several_acts() -> None:
    """Added, changed, moved and deleted files each have their own act."""
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Update File: b.py\n*** Move to: c.py\n@@\n-1\n+2\n"
        "*** Delete File: d.py\n*** End Patch"
    )
    found = did("apply_patch", {"input": patch}, '{"output":"Success.","metadata":{"exit_code":0}}')
    assert [(act.path, act.gone) for act in found] == [("a.py", ""), ("c.py", "b.py"), ("d.py", "d.py")]
    assert found[0].replacements == (("x\n", "y\n"),)


def test_several_files_read_in_one_call_are_several_acts() -> None:
    """Each with its own result; one that failed doesn't fail the others."""
    said = '{"query":"a","result":"1 | x","success":true}\n'
    said += '{"query":"b","result":"","error":"File not found: b","success":false}'
    first, second = did("read_files", {"files": [{"path": "a"}, {"path": "b"}]}, said)
    assert (first.content, first.failed) == ("x", False)
    assert (second.failed, second.error) == (True, "File not found: b")


def test_codex_output_belongs_to_the_command_that_printed_it() -> None:
    """`write_stdin` goes on with a command of an earlier call, and shows what that command read."""
    running: dict[str, str] = {}
    first = acts(
        *call(
            "exec_command",
            {"cmd": "sed -n '1,50p' a.ts"},
            LIVE,
        ),
        running=running,
    )
    second = acts(
        *call(
            "write_stdin",
            {"session_id": 7, "chars": ""},
            CODEX + "x\ny\n",
        ),
        running=running,
    )
    assert [(act.kind, act.ended) for act in first] == [("run", False)]
    assert [(act.kind, act.command) for act in second] == [
        ("run", "sed -n '1,50p' a.ts"),
        ("read", "sed -n '1,50p' a.ts"),
    ]
    assert (second[1].content, second[1].whole) == ("x\ny\n", True)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("TodoWrite", {"todos": [{"content": "甲", "status": "in_progress"}, {"content": "b", "status": "completed"}]}),
        ("update_plan", {"plan": [{"step": "甲", "status": "in_progress"}, {"step": "b", "status": "completed"}]}),
        (
            "write_todos",
            {"todos": [{"description": "甲", "status": "in_progress"}, {"description": "b", "status": "completed"}]},
        ),
        ("todo", {"todos": "- [~] 甲\n- [x] b\n"}),
    ],
)
def test_a_plan_is_its_items(name: str, args: dict[str, Any]) -> None:
    """Text and status, word for word."""
    (act,) = did(name, args, "ok")
    assert act.kind == "plan"
    assert act.todos == (Todo(text="甲", status="in_progress"), Todo(text="b", status="completed"))


def test_a_plan_of_numbered_tasks_grows_and_changes() -> None:
    """Claude Code's TaskCreate and TaskUpdate name one item each."""
    made = did("TaskCreate", {"subject": "s", "description": "d"}, "Task #1 created successfully: s")[0]
    changed = did("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status")[0]
    assert plan_after(plan_after((), made), changed) == (Todo(text="s", status="completed", id="1"),)


def test_swe_agents_edit_is_of_the_open_file() -> None:
    """The footer names it, and a window that shows all of the file gives its whole text."""
    said = "[File: /r/a.py (2 lines total)]\n1:\n2:x\n(Open file: /r/a.py)\n(Current directory: /r)\nbash-$"
    (act,) = did("insert", {"text": "x"}, said)
    assert (act.kind, act.path, act.content, act.whole) == ("edit", "/r/a.py", "\nx\n", True)


def test_the_callers_own_table_wins() -> None:
    """`semantics` says what a tool means, even one whose name is known here."""
    own = {"Read": Tool("edit", path="where", new="text", failed="^NO"), "go": Tool("run", command="line")}
    (act,) = did("Read", {"where": "a.py", "text": "y"}, "yes", semantics=own)
    assert (act.kind, act.path, act.replacements, act.failed) == ("edit", "a.py", (("", "y"),), False)
    (act,) = did("Read", {"where": "a.py", "text": "y"}, "NO: locked", semantics=own)
    assert (act.failed, act.error) == (True, "NO: locked")
    assert did("go", {"line": "pytest"}, "1 passed", semantics=own)[0].command == "pytest"


TRACE = "    def test_a():\n>       assert f() == 2\nE       AssertionError: assert 1 == 2\n\n1 failed in 0.02s"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"\[exit [1-9]", f"{TRACE}\n\n[exit 1]"),
        (r"^exit code [1-9]", f"exit code 1\n{TRACE}"),
        (r"^rc=[1-9]", f"{TRACE}\nrc=1\n"),
        (r"^命令失败", f"{TRACE}\n命令失败，退出码 1"),
        (r"^RESULT: FAIL", f"RESULT: FAIL\n{TRACE}"),
    ],
)
def test_a_pattern_says_that_it_failed_and_not_where_it_says_why(pattern: str, said: str) -> None:
    """The telling line is found as without one, wherever the mark of the failure stands."""
    own = {"go": Tool("run", command="line", failed=pattern)}
    act = did("go", {"line": "pytest -q"}, said, semantics=own)[0]
    assert (act.failed, error_line(act.error)) == (True, "E       AssertionError: assert 1 == 2")


def test_a_mark_that_is_all_that_was_said_is_the_error() -> None:
    """There is nothing better to tell."""
    own = {"go": Tool("run", command="line", failed=r"\[exit [1-9]")}
    assert did("go", {"line": "make"}, "[exit 2]", semantics=own)[0].error == "[exit 2]"
    assert did("go", {"line": "make"}, "no rule\n[exit 2]", semantics=own)[0].error == "no rule"
    assert not did("go", {"line": "make"}, "error: none\n", semantics=own)[0].failed


def test_what_a_command_did_is_known_with_a_pattern_as_well() -> None:
    """A file that it wrote, as where the tool has no pattern."""
    own = {"go": Tool("run", command="line", failed=r"\[exit [1-9]")}
    found = did("go", {"line": "cat > a.py <<'E'\nx = 1\nE"}, "", semantics=own)
    assert [(act.kind, act.path, act.content) for act in found if act.kind == "edit"] == [("edit", "a.py", "x = 1\n")]


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("edit_file", {"path": "src/a.py"}, "edit"),
        ("custom_grep", {"pattern": "x"}, "search"),
        ("launch", {"command": "make"}, "run"),
        ("view_thing", {"path": "a.py"}, "read"),
        ("book_flight", {"origin": "MSP"}, "other"),
        ("Grep", {"pattern": "x", "path": "src"}, "search"),
        ("", {}, "other"),
    ],
)
def test_unknown_tools_are_known_by_their_arguments(name: str, args: dict[str, Any], kind: str) -> None:
    """A path with a telling name, a command, a pattern: enough to know the kind."""
    assert did(name, args, "ok")[0].kind == kind


def test_a_call_without_a_result_has_not_failed() -> None:
    """An open call is known by what it asks for."""
    (act,) = did("Write", {"file_path": "a", "content": "x"}, None)
    assert (act.content, act.failed, act.output) == ("x", False, "")


def test_arguments_that_are_no_json_are_tolerated() -> None:
    """A model may write anything."""
    assert did("Edit", '{"file_path": "a', "InputValidationError: bad")[0].failed
    assert did("apply_patch", "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch", "ok")[0].path == "a"
