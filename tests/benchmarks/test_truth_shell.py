"""The benchmarks' own reading of shell commands and answers."""

from __future__ import annotations

import pytest

from benchmarks._truth import _shell
from benchmarks._truth._calls import Call, calls_of, failed
from benchmarks._truth._failures import failures_of, key_of, last_error_line
from benchmarks._truth._files import named, same_files
from benchmarks._truth._shell import edits, reads


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat > a/b.py <<'EOF'\nopen('x', 'w')\nEOF\npython a/b.py", ["a/b.py"]),
        ("cat <<EOF > conf.toml\nport = 1\nEOF", ["conf.toml"]),
        ("echo hi >> notes.md && echo ho > /dev/null", ["notes.md"]),
        ("sed -i 's/a/b/' src/x.py && sed -n '1,3p' src/y.py", ["src/x.py"]),
        ("sed -i '' -e 's/a/b/' src/x.py", ["src/x.py"]),
        ("git apply <<'P'\n--- a/m.py\n+++ b/m.py\nP", ["m.py"]),
        ("python - <<'E'\nopen('out.txt', 'w').write('x')\nE", ["out.txt"]),
        ("go test ./... > log.txt 2>&1", []),
    ],
)
def test_a_command_edits_the_files_it_writes(command: str, files: list[str]) -> None:
    """Text that a command carries into a file is an edit; a program's output is not."""
    assert edits(command) == files


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cd /x && cat a.py b.py | head -5", ["a.py", "b.py"]),
        ("sed -n '1,20p' src/a.go && nl -ba src/b.go", ["src/a.go", "src/b.go"]),
        ("grep -n x a.py; ls src", []),
        ("cat a.py > b.py", []),
    ],
)
def test_a_command_reads_the_files_it_shows(command: str, files: list[str]) -> None:
    """Showing a file is reading it; searching or copying is not."""
    assert reads(command) == files


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("cd x && mise run test -- -run A 2>&1 | tail -5", ["mise run test -- -run A"]),
        ('npm test -- --run a.test.ts -t "B C"', ['npm test -- --run a.test.ts -t "B C"']),
        ("python -m pytest -q tests && npm run build", ["python -m pytest -q tests"]),
        ("python test_fix.py; python setup.py install", ["python test_fix.py"]),
    ],
)
def test_test_commands_stand_as_they_were_typed(command: str, found: list[str]) -> None:
    """A test command is the part that runs the tests, without pipes and redirections."""
    assert _shell.tests(command) == found


def call(command: str, result: str, index: int = 0) -> Call:
    return Call(index, "bash", {"command": command}, index + 1, result)


def test_the_last_error_line_is_the_one_that_tells() -> None:
    """Status echoes and quoted source after the error do not count."""
    output = "Exit code 1\nx.go:3:1: undefined: y\n\tt := error()\nFAIL\tpkg [build failed]\n[t] ERROR task failed"
    assert last_error_line(call("go test ./...", output))[0] == "x.go:3:1: undefined: y"


def test_a_failure_is_resolved_when_its_command_passes() -> None:
    """The same command counts as the same whatever directory and filters stand around it."""
    broken, fine = call("cd /a && make x | tail -3", "Exit code 2\nfatal error: no x", 1), call("make x", "done", 3)
    assert failed(broken)
    assert not failed(fine)
    assert key_of(broken) == key_of(fine)
    assert [each.line for each in failures_of([broken], 9, 9)] == ["fatal error: no x"]
    assert failures_of([broken, fine], 9, 9) == []


def test_a_refusal_is_no_failure() -> None:
    """What a person stopped has not failed."""
    assert not failed(Call(0, "Edit", {}, 1, "The user doesn't want to proceed with this tool use.", flagged=True))


def test_a_process_read_on_later_is_one_call() -> None:
    """Reads of a running process belong to the call that started it."""

    def made(key: str, name: str, arguments: str) -> dict[str, object]:
        return {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}

    messages = [
        {"role": "assistant", "tool_calls": [made("1", "exec_command", '{"cmd": "make"}')]},
        {"role": "tool", "tool_call_id": "1", "content": "Process running with session ID 7\nOutput:\n"},
        {"role": "assistant", "tool_calls": [made("2", "write_stdin", '{"session_id": 7}')]},
        {"role": "tool", "tool_call_id": "2", "content": "Process exited with code 2\nOutput:\nfatal error: no x\n"},
    ]
    (only,) = calls_of({"messages": messages})
    assert (only.index, only.answered, failed(only)) == (0, 3, True)


def test_a_file_is_named_by_an_end_of_its_path_that_is_its_own() -> None:
    """A bare name that two files share names neither; the shortest end of its own does."""
    paths = ["/w/a/util/x.py", "/w/b/util/x.py", "x.py"]
    files = same_files(paths)
    assert files == {"/w/a/util/x.py": ["/w/a/util/x.py"], "/w/b/util/x.py": ["/w/b/util/x.py"]}
    assert named("/w/a/util/x.py", ["/w/a/util/x.py"], files, "Edited a/util/x.py (m3)")
    assert not named("/w/a/util/x.py", ["/w/a/util/x.py"], files, "Edited util/x.py (m3)")
    assert not named("/w/a/util/x.py", ["/w/a/util/x.py"], files, "Edited a/util/x.pyc")
