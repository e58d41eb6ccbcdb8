"""Whether it failed, and the line that says why."""

from __future__ import annotations

import pytest

from context_kit.tools import error_line, failure, outcome
from tests.tools.calls import did, ran

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: bad value'


@pytest.mark.parametrize(
    ("said", "command", "line"),
    [
        (f"<returncode>1</returncode>\n<output>\n{TRACE}\n</output>", "python a.py", "ValueError: bad value"),
        ("Exit code 1\n# x\na.go:12:3: undefined: y", "go build ./...", "a.go:12:3: undefined: y"),
        ("Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nboom", "x", "boom"),
        (
            "a.ts(1,2): error TS2304: Cannot find name 'q'.\n\nCommand exited with code 2",
            "npx tsc",
            "a.ts(1,2): error TS2304: Cannot find name 'q'.",
        ),
        ("no rule\n[The command completed with exit code 1.]\n[Current working directory: /r]", "x", "no rule"),
        ("Output: oops\nExit Code: 1\nProcess Group PGID: 12", "x", "oops"),
        (
            '{"status": "partial", "data": {"stderr": "python3: can\'t open file", "exit_code": 2}, "text": ""}',
            "python3 q.py",
            "python3: can't open file",
        ),
        ('{"error": "Failed to edit, 0 occurrences found"}', "", "Failed to edit, 0 occurrences found"),
        ('{"stdout": "", "stderr": "bad", "exitCode": 1}', "x", "bad"),
        (f"start\n{TRACE}\n", "python a.py 2>&1 | tail -5", "ValueError: bad value"),
        ("bash: foo: command not found", "foo", "bash: foo: command not found"),
        ("cat: q.py: No such file or directory", "cat q.py", "cat: q.py: No such file or directory"),
        (
            "error[E0382]: borrow of moved value: `x`\n --> src/main.rs:4:5\n\nerror: aborting due to 1 previous error",
            "cargo build",
            "error[E0382]: borrow of moved value: `x`",
        ),
        ("a.c:3:5: error: expected ';'\nmake: *** [a.o] Error 1", "make", "a.c:3:5: error: expected ';'"),
        (
            "E       assert 1 == 2\n\na.py:3: AssertionError\n== summary ==\nFAILED a.py::t\n== 1 failed in 0.1s ==",
            "pytest | tail",
            "E       assert 1 == 2",
        ),
        (
            "AssertionError: 1 != 2\n\nRan 3 tests in 0.1s\n\nFAILED (failures=1)",
            "python -m unittest",
            "AssertionError: 1 != 2",
        ),
        (
            "--- FAIL: TestX (0.00s)\n    x_test.go:9: got 1\nFAIL\nFAIL\tp\t0.1s",
            "go test ./... || true",
            "x_test.go:9: got 1",
        ),
        (
            "  ● adds\n    expect(received).toBe(expected)\nTests:       1 failed, 2 total",
            "npm test | tail -3",
            "Tests:       1 failed, 2 total",
        ),
        ("  1) adds:\n     AssertionError: expected 1\n\n  1 failing", "npx mocha", "AssertionError: expected 1"),
        (
            "test a ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed",
            "cargo test 2>&1 | tail",
            "test result: FAILED. 0 passed; 1 failed",
        ),
        ("npm ERR! missing script: q", "npm run q", "npm ERR! missing script: q"),
        ("fatal: not a git repository", "git status", "fatal: not a git repository"),
        ("错误：文件不存在", "run.sh", "错误：文件不存在"),
        ("执行失败: 网络异常", "", "执行失败: 网络异常"),
    ],
)
def test_these_failed(said: str, command: str, line: str) -> None:
    """Exit codes in every agent's frame, tracebacks, compilers, test runners, English and Chinese."""
    error = failure(said, command=command)
    assert error_line(error).strip() == line.strip()


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("raise ValueError('error: x')\nFAILED = 1", "cat a.py"),
        ("a.py:3:    raise ValueError\nerror: x", "grep -rn error src"),
        ("<returncode>1</returncode>\n<output>\n</output>", "cat a | grep x"),
        ("(no output)\n\nCommand exited with code 1", "grep -n q a.ts"),
        ("12 passed in 0.3s, 0 errors", "pytest"),
        ("14 doctests, 297 tests, 0 failures", "mix test | tail -3"),
        ("Found 0 errors. Watching.", "tsc"),
        ("test error_is_raised ... ok\n\ntest result: ok. 3 passed; 0 failed", "cargo test | tail"),
        ("Script completed, no errors. Result: True", "python a.py"),
        ("错误数: 0", "run.sh"),
        ("", "make"),
        ("commit 1\n\n    Error: handle it", "git log"),
        ("Wall time: 1.0 seconds\nProcess running with session ID 4\nOutput:\n", "npm run dev"),
    ],
)
def test_these_did_not(said: str, command: str) -> None:
    """The word in a file, in a hit, in a count of nothing is no failure; nor is finding nothing."""
    assert failure(said, command=command) == ""


def test_a_flag_is_believed_but_for_an_empty_search() -> None:
    """`is_error` decides; a search that found nothing is an answer."""
    assert failure("strange", flagged=True) == "strange"
    assert failure("", flagged=True)
    assert failure("(no output)\n\nCommand exited with code 1", command="grep q a", flagged=True) == ""


def test_an_exit_code_without_words_is_its_own_error() -> None:
    """The frame's line is what there is to quote."""
    assert failure("Exit code 3", command="./x") == "Exit code 3"


def test_a_long_output_gives_one_piece_of_it() -> None:
    """At most 40 lines, word for word, with the exception in it."""
    said = "noise\n" * 5_000 + TRACE + "\n"
    error = failure(f"Exit code 1\n{said}", command="python a.py")
    assert error in said
    assert error.count("\n") < 40
    assert error.endswith("ValueError: bad value")


@pytest.mark.parametrize(
    ("name", "said", "line"),
    [
        (
            "Edit",
            "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>",
            "String to replace not found in file.",
        ),
        (
            "str_replace_editor",
            "ERROR:\nNo replacement was performed, old_str `x` did not appear verbatim in /a.",
            "No replacement was performed, old_str `x` did not appear verbatim in /a.",
        ),
        (
            "edit",
            "Your proposed edit has introduced new syntax error(s).\nERRORS:\n- E999 SyntaxError: unmatched ')'",
            "- E999 SyntaxError: unmatched ')'",
        ),
        (
            "Edit",
            "File has not been read yet. Read it first before writing to it.",
            "File has not been read yet. Read it first before writing to it.",
        ),
    ],
)
def test_a_refused_edit_failed(name: str, said: str, line: str) -> None:
    """Each editor's own way to say no."""
    act = did(name, {"path": "/a", "command": "str_replace", "old_str": "x", "new_str": "y"}, said)[0]
    assert act.failed
    assert error_line(act.error) == line


def test_a_file_that_talks_of_errors_was_read() -> None:
    """A viewer's content is no refusal, however it begins."""
    text = "# Error: how we handle it\n" + "text\n" * 400
    assert not did("read", {"path": "docs/errors.md"}, text)[0].failed
    assert not did("Read", {"file_path": "a.py"}, "     1→raise ValueError('failed')\n")[0].failed


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("....\n===== 12 passed in 0.30s =====\n", "12 passed in 0.30s"),
        ("Ran 3 tests in 0.1s\n\nFAILED (failures=1)\n", "Ran 3 tests in 0.1s; FAILED (failures=1)"),
        ("Test Suites: 1 failed\nTests:       3 failed, 4 total\nTime: 1s\n", "Tests:       3 failed, 4 total"),
        ("ok  \tpkg\t0.01s\n", "ok  \tpkg\t0.01s"),
        ("a\nBuild succeeded\n", "Build succeeded"),
        ("<returncode>0</returncode>\n<output>\nlast words\n</output>", "last words"),
        ("", ""),
    ],
)
def test_how_it_ended_in_one_line(said: str, line: str) -> None:
    """The summing-up, else the last line."""
    assert outcome(said, "go test" if "pkg" in said else "") == line


def test_a_run_that_goes_on_has_neither_passed_nor_failed() -> None:
    """A server in the background is no passed command."""
    (act,) = ran("npm run dev", "Command running in background with ID: bash_2")
    assert (act.ended, act.failed) == (False, False)
