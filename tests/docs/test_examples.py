"""Every example in README and docs runs as it stands, with warnings as errors and no network."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anthropic
import openai
import pytest

import context_kit.testing
from context_kit import ContextManager
from context_kit.cli import main
from tests.docs.clients import FILES, GIVEN, FakeAnthropic, FakeAsyncOpenAI, FakeOpenAI
from tests.talks import session
from tests.test_layers import ROOMS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
PRINTS = 'text title="prints"'
LANGUAGES = {"python", "text", PRINTS, "sh"}
"""What a fenced block may be: code that is run, output, output that is compared, commands that are run."""
SET_UP = re.compile(r"^python3 -m venv .*$", re.MULTILINE)


class Block(NamedTuple):
    """One fenced block of a page."""

    language: str
    line: int
    """Line of its first line of code, from 1."""
    code: str


def blocks(page: Path) -> Iterator[Block]:
    lines = page.read_text("utf-8").split("\n")
    opened: tuple[str, int] | None = None
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if opened is None:
            opened = (line[3:].strip(), number + 1)
        else:
            language, first = opened
            yield Block(language, first, "\n".join(lines[first - 1 : number - 1]) + "\n")
            opened = None
    assert opened is None, f"{page.name}: the block at line {opened} never ends"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of, and clients that need no network."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "transcript.json").write_text(json.dumps(session()), "utf-8")
    (tmp_path / "transcripts").mkdir()
    for looked in range(12, 16):
        told = {"system": f"You are agent {looked}.", "messages": session(looked=looked)}
        (tmp_path / "transcripts" / f"{looked}.json").write_text(json.dumps(told), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(openai, "OpenAI", FakeOpenAI)
    monkeypatch.setattr(openai, "AsyncOpenAI", FakeAsyncOpenAI)
    monkeypatch.setattr(anthropic, "Anthropic", FakeAnthropic)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_block_is_of_a_known_kind(page: Path) -> None:
    """No example escapes the tests by the name of its language."""
    assert [block for block in blocks(page) if block.language not in LANGUAGES] == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_the_python_of_a_page_runs(
    page: Path, folder: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    """A page's blocks run in order, as one program; what they print is what the page says."""
    assert folder.is_dir()
    names: dict[str, Any] = {"__name__": f"page_{page.stem}", **(GIVEN if page.name == "README.md" else {})}
    if page.name == "postgres.md":
        names["SERVER"] = request.getfixturevalue("server").url
    printed = ""
    for block in blocks(page):
        if block.language == "python":
            capsys.readouterr()
            code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
            exec(code, names)
            printed = capsys.readouterr().out
        elif block.language == PRINTS:
            assert printed.rstrip() == block.code.rstrip()
    for value in names.values():
        if isinstance(value, ContextManager):
            value.close()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_the_commands_of_a_page_run(page: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`context-kit` commands end with 0; all other commands are known ones, run elsewhere in the tests or in CI.

    On the page of the memory's care they are about the store that its first block makes.
    """
    assert folder.is_dir()
    if page.name == "memory-care.md":
        exec(next(blocks(page)).code, {})
    for block in blocks(page):
        for line in block.code.splitlines() if block.language == "sh" else ():
            command = shlex.split(line, comments=True)
            if command[:1] == ["context-kit"]:
                assert (main(command[1:]), line) == (0, line)
                assert capsys.readouterr().out
            elif command and not measures(command):
                assert SET_UP.fullmatch(line) or " ".join(command) in KNOWN, line


def measures(command: list[str]) -> bool:
    """Whether it is a benchmark of this tree, by name, and takes the options that are given."""
    module = command[2].replace(".", "/") if command[:2] == ["python", "-m"] else ""
    path = ROOT / f"{module}.py"
    if not module.startswith("benchmarks/") or not path.is_file():
        return False
    source = path.read_text("utf-8")
    return all(f'"{option}"' in source for option in command[3:] if option.startswith("--"))


KNOWN = {
    "pip install context-kit",
    "pip install context-kit[postgres]",
    "pip install context-kit[cli]",
    "bash .ci/run",
    "ruff check .",
    "ruff format .",
    "mypy",
    "pyright",
    "pytest -n 2",
    "mkdocs build --strict",
    "mkdocs serve",
    "python examples/openai_loop.py",
    "python examples/anthropic_loop.py",
}
"""Commands that the other tests, the benchmarks or .ci/run run."""


def test_two_commands_do_all_the_set_up() -> None:
    """README has exactly two, a line each; .ci/run takes both from it and runs them."""
    found = SET_UP.findall((ROOT / "README.md").read_text("utf-8"))
    assert ["context-kit demo" in found[0], "pytest" in found[1], len(found)] == [True, True, 2]
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "'^python3 -m venv .*$' README.md" in script


def test_the_floor_plan_is_the_one_that_is_enforced() -> None:
    """CONTRIBUTING lists every room that exists, in the order that the layer test holds."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    told = re.findall(r"^\| `(\w+)(?:\.py|/)` \|", text, re.MULTILINE)
    exists = {path.stem for path in (ROOT / "context_kit").iterdir()}
    assert [room for room in reversed(ROOMS) if room in exists] == told


def test_the_reference_names_all_that_is_public() -> None:
    """Each name of the package and each member of the manager stands in the reference."""
    text = (ROOT / "docs" / "reference.md").read_text("utf-8")
    members = [name for name in dir(ContextManager) if not name.startswith("_")]
    wanted = [*context_kit.__all__, *context_kit.testing.__all__, *members]
    assert [name for name in wanted if f"`{name}" not in text and f"`.{name}" not in text] == []
