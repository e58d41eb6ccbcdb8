"""Which check covers which, and which runs tested nothing or left something out."""

from __future__ import annotations

import pytest

from context_kit.tools import checks_last, checks_of, covers, elsewhere, idle_check, left_out, stops_early


@pytest.mark.parametrize(
    ("passed", "failed"),
    [
        ("pytest -q", "pytest -q tests/test_a.py"),
        ("pytest", "pytest -q -k test_a"),
        ("python -m pytest tests", "uv run pytest tests/unit/test_a.py::test_x -x"),
        ("python -m coverage run -m pytest", "python3 -m coverage run --branch -m pytest tests"),
        (".venv/bin/pytest tests/t.py", "pytest tests/t.py::test_a"),
        (". .venv/bin/activate && pytest -q", "py.test"),
        ("npm --prefix web test", "cd web && npm test"),
        ("npm t -w web", "npm run test --workspace web"),
        ("go test ./...", "go test ./pkg"),
        ("python -m unittest", "python -m unittest tests.test_a"),
        ("python -m unittest tests/test_a.py", "python -m unittest tests/test_a.py -q"),
        ("vitest run", "npx vitest run src/a.test.ts"),
        ("cargo nextest run", "cargo nextest run adds"),
        ("make lint test", "make -j 4 test"),
        ("./gradlew clean test", "gradle test"),
        ("cargo test --manifest-path web/Cargo.toml", "cd web && cargo t"),
        ("python manage.py test", "python3 manage.py test app"),
        ("pytest && ruff check", "ruff check src && pytest tests"),
        ("cd /srv/p/web && npm test", "cd web && npm test"),
        ("cd a && npm test; cd - && npm run lint", "npm run lint"),
        ("jest -w 4", "jest"),
    ],
)
def test_a_check_that_looks_at_no_less(passed: str, failed: str) -> None:
    """How it is started and how loud it is says nothing of what it looks at."""
    assert covers(passed, failed)


@pytest.mark.parametrize(
    ("passed", "failed"),
    [
        ("pytest tests/test_a.py", "pytest"),
        ("pytest -k fast", "pytest tests/test_a.py"),
        ("pytest -kfast", "pytest"),
        ("pytest --ignore=tests/t.py", "pytest"),
        ("pytest --lf", "pytest"),
        ("pytest --collect-only", "pytest tests/test_a.py"),
        ("pytest --version", "pytest"),
        ("pytest -V", "pytest"),
        ("pytest tests/unit", "pytest tests/unittest_a.py"),
        ("npm test -- --listTests", "npm test"),
        ("go test ./... -run XXX", "go test ./..."),
        ("go test -short ./...", "go test ./..."),
        ("cargo test --no-run", "cargo test"),
        ("cargo test -p core", "cargo test"),
        ("cargo test --lib", "cargo test --workspace"),
        ("ruff check . --select=E501", "ruff check ."),
        ("python -m unittest tests.test_b", "python -m unittest tests.test_a"),
        ("python -m unittest -k one", "python -m unittest"),
        ("vitest run src/a.test.ts", "vitest run"),
        ("npx playwright test a.spec.ts", "npx playwright test"),
        ("golangci-lint run ./a", "golangci-lint run"),
        ("python manage.py test app", "python manage.py test"),
        ("make lint", "make lint test"),
        ("make -n test", "make test"),
        ("make test TESTS=a", "make test"),
        ("ctest -N", "ctest"),
        ("ctest -R a", "ctest -E a"),
        ("tsc -p a", "tsc -p b"),
        ("cd web && npm test", "cd api && npm test"),
        ("npm test", "cd web && npm test"),
        ("cd /srv/web && npm test", "cd /srv/api && npm test"),
        ('cd "$ROOT/web" && npm test', 'cd "$ROOT/api" && npm test'),
        ("npm run lint", "npm test"),
        ("pytest", "pytest && git push"),
        ("pytest", "pytest && ruff check ."),
        ("make test", "ls tests"),
    ],
)
def test_a_check_that_looks_at_less_or_elsewhere(passed: str, failed: str) -> None:
    """It never says that what another one found is gone; and no check says that more was done than to look."""
    assert not covers(passed, failed)


@pytest.mark.parametrize(
    ("passed", "item", "held"),
    [
        ("pytest tests", "tests/t.py::test_a", True),
        ("pytest src", "tests/t.py::test_a", False),
        ("pytest tests/t.py", "tests/t.py::test_a", True),
        ("pytest /repo/tests/t.py", "tests/t.py::test_a", True),
        ("pytest tests/t.py", "tests/t.py", True),
        ("pytest tests/t.py", "tests/other/t.py", False),
        ("pytest tests/t.py", "tests/t.pyc", False),
        ("pytest tests/t.py::test_a", "tests/t.py::test_a", True),
        ("pytest tests/t.py::test_a", "tests/t.py::test_a[1]", True),
        ("pytest tests/t.py::test_a", "tests/t.py::test_ab", False),
        ("pytest tests/t.py::test_a", "tests/t.py", False),
        ("pytest tests/t.py -k a", "tests/t.py::test_a", False),
        ("cd api && pytest tests/t.py", "tests/t.py::test_a", False),
        ("ruff check tests/t.py", "tests/t.py::test_a", False),
    ],
)
def test_a_part_holds_what_was_found_in_it(passed: str, item: str, held: bool) -> None:
    """A run of a part says all of a problem that stands in that part, and nothing of another one."""
    (failed,) = checks_of("pytest")
    assert checks_of(passed)[0].covers(failed, item) is held


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("cd web && npm test", "cd api && npm test", True),
        ("cd web && npm test", "npm test", False),
        ("cd web && npm test", "cd /srv/web && npm test", False),
        ("cd web && ls", "cd api && ls", False),
    ],
)
def test_one_check_in_two_folders(one: str, other: str, apart: bool) -> None:
    """Only where both say where they run; a shell may stand in the folder already."""
    assert elsewhere(one, other) is apart


@pytest.mark.parametrize(
    ("command", "last"),
    [("sed -i s/a/b/ a.py && pytest | tail -3", True), ("pytest; sed -i s/a/b/ a.py", False), ("ls", False)],
)
def test_a_line_that_ends_in_a_check(command: str, last: bool) -> None:
    """What else it does came before."""
    assert checks_last(command) is last


@pytest.mark.parametrize(
    ("command", "stops"), [("pytest -x", True), ("jest --bail", True), ("pytest --maxfail=1", True), ("pytest", False)]
)
def test_a_run_that_ends_at_the_first_failure(command: str, stops: bool) -> None:
    """What it doesn't show may be there all the same."""
    assert stops_early(command) is stops


@pytest.mark.parametrize(
    ("command", "output", "nothing"),
    [
        ("pytest", "no tests ran in 0.1s", True),
        ("pytest", "9 skipped in 0.01s", True),
        ("pytest", "8 passed, 1 xfailed in 0.01s", False),
        ("pytest --version", "pytest 8.0", True),
        ("pytest --co", "9 tests collected in 0.01s", True),
        ("timeout 60 pytest -q", "", True),
        ("mypy src", "", False),
        ("mypy src", "Success: no issues found in 0 source files", True),
        ("mypy src", "Success: no issues found in 9 source files", False),
        ("ruff check x", "All checks passed!\nwarning: No Python files found under the given path(s)", True),
        ("python -m unittest", "Ran 0 tests in 0.000s\n\nOK", True),
        ("python -m unittest", "Ran 3 tests in 0.000s\n\nOK (skipped=3)", True),
        ("python -m unittest", "Ran 3 tests in 0.000s\n\nOK (skipped=2)", False),
        ("cargo test", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 2 filtered out", True),
        ("go test ./...", "ok  \texample.com/e\t0.002s [no tests to run]", True),
        ("go test ./...", "ok  \tpkg/a\t0.1s\n?   \tpkg/b\t[no test files]", False),
        ("make test", "make: 'test' is up to date.", True),
        ("make build", "make: 'build' is up to date.", False),
    ],
)
def test_a_run_that_tested_nothing(command: str, output: str, nothing: bool) -> None:
    """It passes, and says nothing of what failed before; a program that runs tests always prints something."""
    assert idle_check(command, output) is nothing


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ("7 passed, 2 skipped, 1 xfailed in 0.1s", 3),
        ("Ran 5 tests in 0.1s\n\nOK (skipped=2, expected failures=1)", 3),
        ("ok. 3 passed; 0 failed; 1 ignored; 4 filtered out", 5),
        ("12 passed in 1s", 0),
    ],
)
def test_what_a_run_left_out(output: str, count: int) -> None:
    """Skipped, deselected or expected to fail: none of it was proved."""
    assert left_out(output) == count
