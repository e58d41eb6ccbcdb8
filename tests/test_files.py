"""Files and functions stay small enough to be read (STYLE)."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "context_kit"
FILES = sorted(PACKAGE.rglob("*.py"))
EMPTY_WORDS = ("util", "helper", "handler", "processor", "misc", "common")

files = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and lines of every function, docstring included."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


@files
def test_a_file_has_at_most_300_lines(path: Path) -> None:
    """What can't be read in one sitting is two files."""
    assert len(path.read_text("utf-8").splitlines()) <= 300


@files
def test_a_function_has_at_most_50_lines(path: Path) -> None:
    """Longer than a screen is longer than a thought."""
    assert [each for each in functions(path) if each[1] > 50] == []


def test_most_functions_are_short() -> None:
    """The median is at most 12 lines, and at most one in twenty has more than 25."""
    sizes = [lines for path in FILES for _, lines in functions(path)]
    assert statistics.median(sizes) <= 12
    assert sum(lines > 25 for lines in sizes) <= len(sizes) / 20


@files
def test_a_file_opens_with_its_purpose(path: Path) -> None:
    """Every module has a docstring whose first line can be read aloud."""
    told = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert told
    assert told.splitlines()[0].rstrip()[-1] in ".,:;?!"


@files
def test_a_name_says_something(path: Path) -> None:
    """No file and no class is called after what any file or class is."""
    names = [
        path.stem,
        *(node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ClassDef)),
    ]
    assert [name for name in names if any(word in name.lower() for word in EMPTY_WORDS)] == []
    assert [name for name in names if "Manager" in name and name != "ContextManager"] == []
