"""A command line is told apart from what it runs in, so that what cured a failure can be said."""

from __future__ import annotations

import pytest

from context_kit.tools import acts, attempted, error_line
from context_kit.wire import Part

LINES = [
    ("pytest -q", "pytest -q", "", ()),
    ("cd services/api && npm test", "npm test", "cd services/api", ()),
    ("export DJANGO_SETTINGS_MODULE=shop.conf && python manage.py check", "python manage.py check", "", ("DJANGO",)),
    ("PYTHONPATH=$PWD/src LANG='de DE' python run.py 2>&1 | tail -5", "python run.py", "", ("PYTHONPATH", "LANG")),
    ("env A=1 B=2 make", "make", "", ("A=1", "B=2")),
    ("sleep 15 && pytest", "pytest", "", ("sleep 15",)),
    ("docker compose up -d db && sleep 3; pytest", "docker compose up -d db && pytest", "", ("sleep 3",)),
    (". .venv/bin/activate && pytest", "pytest", "", (". .venv",)),
    ("nvm use 20 && cd web && npm ci", "npm ci", "cd web", ("nvm use 20",)),
    ("sudo -E timeout 60 make install", "make install", "", ("sudo", "timeout 60")),
    ("set -e; time make", "make", "", ()),
    ("echo 'sleep 5' && make X=1", "echo 'sleep 5' && make X=1", "", ()),
]


@pytest.mark.parametrize(("line", "core", "place", "settings"), LINES)
def test_a_line_is_a_command_and_its_circumstances(line: str, core: str, place: str, settings: tuple[str, ...]) -> None:
    """The environment, the folder and the wait are not the command; each is kept as it stands."""
    found = attempted(line)
    assert (found.core, found.place) == (core, place)
    assert [told.startswith(start) for told, start in zip(found.settings, settings, strict=True)] == [True] * len(
        settings
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ("Error: Cannot find module 'left-pad'\n1 failing", "Error: Cannot find module 'left-pad'"),
        ("Error: connect ECONNREFUSED\nnpm ERR! Test failed.", "Error: connect ECONNREFUSED"),
        ("TypeError: x is not a function\nError: Command failed: npm test", "TypeError: x is not a function"),
    ],
)
def test_the_telling_line_comes_before_the_count(error: str, line: str) -> None:
    """What went wrong says more than how often."""
    assert error_line(error) == line


@pytest.mark.parametrize(
    "arguments",
    [
        '{"command": "view", "path": "/memories"}',
        '{"command": "create", "path": "/memories/a.md", "file_text": "def f(): pass"}',
        '{"command": "str_replace", "path": "/memories/a.md", "old_str": "a", "new_str": "b"}',
        '{"command": "view", "path": "/memories/../x"}',
    ],
)
@pytest.mark.parametrize("said", ["done", "Error: The path /memories/a.md does not exist"])
def test_the_models_notes_are_no_files_of_the_project(arguments: str, said: str) -> None:
    """A call of Anthropic's memory tool reads, edits and fails nothing."""
    (act,) = acts(Part("call", arguments, id="1", name="memory"), Part("result", said, id="1", failed=True))
    assert (act.kind, act.path, act.failed, act.error) == ("other", "", False, "")
