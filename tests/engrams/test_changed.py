"""Values that edits changed: each key's newest line, whatever the edit was made with, and never an old one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from context_kit.engrams import changed_values
from context_kit.testing import Call, tool_round, user
from tests.test_extract import trailed


def read(path: str, text: str) -> Call:
    return Call("read_file", {"path": path}, result=text)


def edit(path: str, old: str, new: str) -> Call:
    return Call(
        "edit", {"path": path, "old_string": old, "new_string": new}, result=f"The file {path} has been updated."
    )


def write(path: str, text: str) -> Call:
    return Call("write_file", {"path": path, "content": text}, result="ok")


def shell(command: str) -> Call:
    return Call("bash", {"command": command}, result="")


def patch(text: str) -> Call:
    return Call("apply_patch", {"input": text}, result="Done!")


def values(calls: Sequence[Call]) -> list[tuple[str, str]]:
    """Path and line of each value that the calls changed."""
    talk = [user("Set it up.")]
    for number, call in enumerate(calls):
        talk += tool_round([Call(call.name, call.arguments, result=call.result, id=f"c{number}")], shape="chat")
    return [(path, line) for path, line, _ in changed_values(trailed(talk), lambda text: text)]


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("app.toml", 'port = "8000"', 'port = "9000"', 'port = "9000"'),
        ("app.yaml", "server:\n  port: 8000", "server:\n  port: 9000", "port: 9000"),
        ("app.json", '  "port": 8000,', '  "port": 9000,', '"port": 9000,'),
        ("app.ini", "port=8000", "port=9000", "port=9000"),
        (".env", "export PORT=8000", "export PORT=9000", "export PORT=9000"),
        (".env.production", "API_URL=http://a", "API_URL=http://b", "API_URL=http://b"),
        ("settings.py", "PORT: int = 8000\nused = 1", "PORT: int = 9000\nused = 2", "PORT: int = 9000"),
        ("config.ts", "export const PORT = 8000;", "export const PORT = 9000;", "export const PORT = 9000;"),
    ],
)
def test_the_changed_line_of_every_format(path: str, old: str, new: str, line: str) -> None:
    """TOML, YAML, JSON, INI, .env, constants of a source file."""
    assert values([edit(path, old, new)]) == [(path, line)]


PATCH = "*** Begin Patch\n*** Update File: a.toml\n@@\n [s]\n-port = 1\n+port = 2\n*** End Patch"
DIFF = "git apply <<'EOF'\n--- a/a.toml\n+++ b/a.toml\n@@ -1,2 +1,2 @@\n [s]\n-port = 1\n+port = 2\nEOF"
WHOLE = "[s]\nport = 1\nhost = q\n"


@pytest.mark.parametrize(
    "calls",
    [
        [edit("a.toml", "port = 1", "port = 2")],
        [patch(PATCH)],
        [shell(DIFF)],
        [read("a.toml", WHOLE), write("a.toml", WHOLE.replace("1", "2"))],
        [write("a.toml", WHOLE), shell("cat > a.toml <<'EOF'\n" + WHOLE.replace("1", "2") + "EOF")],
        [read("a.toml", WHOLE), shell("sed -i 's/port = 1/port = 2/' a.toml")],
        [read("a.toml", WHOLE), shell("cd /srv && sed -i -e 's|1|2|' a.toml")],
        [shell("sed -i 's/^port = .*/port = 2/' a.toml")],
        [shell("echo 'port = 2' >> a.toml")],
    ],
    ids=["edit", "patch", "diff", "write", "heredoc", "sed", "sed value", "sed line", "append"],
)
def test_whatever_the_edit_was_made_with(calls: list[Call]) -> None:
    """An editor's call, a patch, a whole write of a file that is known, the shell."""
    assert values(calls)[-1:] == [("a.toml", "port = 2")]


def test_every_key_stays_known_with_its_newest_value() -> None:
    """Not only the newest edit of a file; newest last."""
    calls = [
        edit("a.toml", "port = 1", "port = 2"),
        edit("a.toml", "host = 'x'", "host = 'y'"),
        edit("b.toml", "name = 'x'", "name = 'y'"),
        edit("a.toml", "port = 2", "port = 3"),
    ]
    assert values(calls) == [("a.toml", "host = 'y'"), ("b.toml", "name = 'y'"), ("a.toml", "port = 3")]


def test_the_same_key_in_two_sections_is_two_values() -> None:
    """What was replaced tells them apart."""
    calls = [
        edit("a.toml", "port = 1", "port = 2"),
        edit("a.toml", "port = 7", "port = 8"),
        edit("a.toml", "port = 2", "port = 3"),
    ]
    assert values(calls) == [("a.toml", "port = 8"), ("a.toml", "port = 3")]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (read("a.toml", "port = 5\n"), [("a.toml", "port = 5")]),
        (read("/srv/app/a.toml", "port = 5\n"), [("a.toml", "port = 5")]),
        (read("a.toml", "host = 1\n"), []),
        (edit("a.toml", "port = 2\n", ""), []),
        (shell("rm a.toml"), []),
        (shell("sed -i 's/\\(port = \\).*/\\13/' a.toml"), []),
        (shell("perl -pi -e 's/2/3/' a.toml"), []),
        (shell("git apply fix.diff"), []),
        (shell("git pull"), []),
        (shell("git apply --check fix.diff"), [("a.toml", "port = 2")]),
        (shell("ruff format ."), [("a.toml", "port = 2")]),
        (shell("mv a.toml b.toml"), [("b.toml", "port = 2")]),
    ],
    ids=[
        "read",
        "other name",
        "gone",
        "removed",
        "rm",
        "sed",
        "perl",
        "git apply",
        "git pull",
        "only checked",
        "formatted",
        "mv",
    ],
)
def test_an_old_value_is_never_listed(last: Call, expected: list[tuple[str, str]]) -> None:
    """What the file shows now counts; where that can't be known, nothing is claimed."""
    assert values([edit("a.toml", "port = 1", "port = 2"), last]) == expected


@pytest.mark.parametrize(
    "call",
    [
        edit("app.py", "rows = 1\nreturn rows", "rows = 2\nreturn rows"),
        edit("README.md", "Port: 1", "Port: 2"),
        edit("package-lock.json", '"version": "1"', '"version": "2"'),
        write("new.toml", "port = 1\n"),
        Call("edit", {"path": "a.toml", "old_string": "port = 1", "new_string": "port = 2"}, result="Error: not found"),
    ],
    ids=["code", "prose", "lock file", "new file", "failed"],
)
def test_what_is_no_changed_value(call: Call) -> None:
    """Code, prose, generated files, a file that is new, an edit that failed."""
    assert values([call]) == []


def test_secrets_are_taken_out() -> None:
    """Lines go into the window, so they pass through the redaction."""
    talk = [user("go"), *tool_round([edit(".env", "TOKEN=a", "TOKEN=hunter2")], shape="chat")]
    assert changed_values(trailed(talk), lambda text: text.replace("hunter2", "***")) == [(".env", "TOKEN=***", 3)]
