"""Whether a check looked at a file."""

from __future__ import annotations

import pytest

from context_kit.tools import looked_at


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("pytest -q", "src/a.py"),
        ("cd /repo && python -m pytest", "src/a.py"),
        ("cd /repo && python -m pytest", "/repo/src/a.py"),
        ("cd api && pytest", "api/a.py"),
        ("pytest tests", "src/a.py"),
        ("pytest tests/test_a.py", "src/a.py"),
        ("pytest tests/test_a.py::test_one -x", "/repo/src/a.py"),
        ("pytest tests/a_test.py", "a.py"),
        ("pytest tests/test_store.py", "src/store/__init__.py"),
        ("npx vitest run src/a.spec.ts", "src/a.ts"),
        ("mypy src", "src/a.py"),
        ("mypy src/a.py", "/repo/src/a.py"),
        ("go test ./pkg/...", "pkg/a.go"),
        ("npm test", "src/a.ts"),
        ("ruff check . && pytest tests/test_b.py", "src/a.py"),
    ],
)
def test_a_whole_run_or_one_that_names_it_looks_at_a_file(command: str, path: str) -> None:
    """By its own name, its folder's, or its test's."""
    assert looked_at(command, path)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("pytest tests/test_b.py", "src/a.py"),
        ("pytest -k slow", "src/a.py"),
        ("pytest tests -k slow", "src/a.py"),
        ("pytest --collect-only", "src/a.py"),
        ("cd web && npm test", "api/a.py"),
        ("cd /other && pytest", "/repo/a.py"),
        ("mypy lib", "src/a.py"),
        ("ls src", "src/a.py"),
        ("", "src/a.py"),
    ],
)
def test_a_narrower_run_or_one_elsewhere_does_not(command: str, path: str) -> None:
    """Nor does what checks nothing."""
    assert not looked_at(command, path)


def test_a_run_that_says_that_nothing_ran_checked_nothing() -> None:
    """Whatever it was to look at."""
    assert not looked_at("pytest -q", "src/a.py", told="no tests ran in 0.01s")
    assert looked_at("pytest -q", "src/a.py", told="4 passed in 0.10s")
