"""The command line and its standard streams: closed, full, narrow, or read by someone who stops."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from context_kit.testing import Call, assistant, tool_round, user

FULL = Path("/dev/full")


@pytest.fixture
def session(tmp_path: Path) -> str:
    """A session with Chinese in it and a failure."""
    failed = Call("Bash", {"command": "pytest"}, result="Exit code 1\nE   ValueError: 错误", id="c1")
    path = tmp_path / "a.json"
    path.write_text(json.dumps([user("修复它, please"), *tool_round([failed]), *assistant("好")]), "utf-8")
    return str(path)


def run(*arguments: str, shell: str = "", encoding: str = "utf-8", **more: Any) -> subprocess.CompletedProcess[bytes]:
    """The command; with a shell's redirection behind it where one is given."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "context_kit.cli", *arguments]
    if shell:
        command = ["sh", "-c", f'exec "$@" {shell}', "sh", *command]
    return subprocess.run(command, capture_output=True, env=environment, timeout=120, check=False, **more)


COMMANDS = (
    ["inspect"],
    ["inspect", "--json"],
    ["replay", "--window", "4000"],
    ["replay", "--window", "4000", "--json", "-"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_full_disk_is_told_in_one_line(session: str, command: list[str]) -> None:
    """Below standard output, whatever is printed there."""
    if not FULL.exists():
        pytest.skip("the system has no device that is always full")
    with FULL.open("wb") as full:
        arguments = [sys.executable, "-m", "context_kit.cli", command[0], session, *command[1:]]
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (1, b"context-kit: no space left on device\n")


@pytest.mark.parametrize("command", COMMANDS[1:3], ids=" ".join)
@pytest.mark.parametrize("shell", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_ends_nothing(session: str, command: list[str], shell: str) -> None:
    """What would go there goes nowhere; no traceback, and no other stream gets it."""
    done = run(command[0], session, *command[1:], shell=shell)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert bool(done.stdout) == (">&-" not in shell.replace("2>&-", ""))


def test_standard_input_that_is_closed_is_refused() -> None:
    """One line, as for an empty file."""
    done = run("replay", "-", "--window", "4000", shell="<&-")
    assert done.returncode == 2
    assert done.stderr.startswith(b"context-kit: -: ")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_reader_who_stops_is_no_error(session: str, command: list[str]) -> None:
    """As `| head` does: nothing is told, whenever it is noticed."""
    read, end = os.pipe()
    os.close(read)
    arguments = [sys.executable, "-m", "context_kit.cli", command[0], session, *command[1:]]
    done = subprocess.run(arguments, stdout=end, stderr=subprocess.PIPE, timeout=120, check=False)
    os.close(end)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    "command", [["inspect", "--json"], ["replay", "--window", "4000", "--json", "-"]], ids=" ".join
)
def test_json_loses_no_letter_on_a_narrow_terminal(session: str, command: list[str], tmp_path: Path) -> None:
    """Where the encoding lacks a letter, JSON's own escape stands for it."""
    file = tmp_path / "会话.json"
    Path(session).rename(file)
    found = [
        json.loads(run(command[0], str(file), *command[1:], encoding=encoding).stdout.decode(encoding))
        for encoding in ("cp1252", "utf-8")
    ]
    assert found[0] == found[1]
    assert "会话" in json.dumps(found[0], ensure_ascii=False)


def test_no_progress_bar_where_nobody_looks(session: str) -> None:
    """Standard error that is no terminal gets no bar and no escape codes."""
    done = run("replay", session, "--window", "4000")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
