"""What a command line did beside running."""

from __future__ import annotations

import pytest

from context_kit.tools import normal_command, same_file, verifies
from tests.tools.calls import ran


def kinds(command: str, said: str = "") -> list[tuple[str, str]]:
    """Kind and path of each act behind the run."""
    first, *rest = ran(command, said)
    assert first.kind == "run"
    return [(act.kind, act.path) for act in rest]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a.py b.py", [("read", "a.py"), ("read", "b.py")]),
        ("cd /r/src && sed -i 's/x/y/' a.py ../b.py", [("edit", "/r/src/a.py"), ("edit", "/r/b.py")]),
        ("sed -i '' -e 's/a/b/' x.ts", [("edit", "x.ts")]),
        ("perl -pi -e 's/a/b/' x.ts", [("edit", "x.ts")]),
        ("cat x | grep -n foo", [("read", "x")]),
        ("grep -rn 'foo > bar' src", [("search", "src")]),
        ("rg foo && find . -name '*.py'", [("search", ""), ("search", ".")]),
        ("git mv a.py b.py", [("edit", "b.py")]),
        ("mv a.py lib", [("edit", "lib/a.py")]),
        ("cp a.py x && mv x a.py", [("edit", "x"), ("edit", "a.py")]),
        ("cp a.py copy; sed s/a/b/ < copy > a.py", [("edit", "copy"), ("edit", "a.py")]),
        ("mv a.py lib && mv b.py lib", [("edit", "lib/a.py"), ("edit", "lib/b.py")]),
        ("awk -i inplace '{print $1}' a.txt b.txt", [("edit", "a.txt"), ("edit", "b.txt")]),
        ("awk '{print $1}' a.txt", []),
        ("ed -s a.py", [("edit", "a.py")]),
        ("rm -f a.py", [("edit", "a.py")]),
        ("git checkout -- a.py", [("edit", "a.py")]),
        ("make > /dev/null 2>&1", []),
        ("echo 'x > y'", []),
        ('for f in *.ts; do mv "$f" ../x; done', []),
        ("git commit -m \"$(cat <<'EOF'\nfix > it\nEOF\n)\"", []),
        ("python3 - <<'E'\nopen('a.txt', 'w').write('x')\nE", [("edit", "a.txt")]),
        ("python -c \"open('a.txt', 'w').write('x')\"", [("edit", "a.txt")]),
        ("cd lib && python3 -u -c \"\nwith open('a.py', mode='a') as f:\n    f.write(x)\n\"", [("edit", "lib/a.py")]),
        (
            "python - <<'E'\nfrom pathlib import Path\np = Path('a.py')\np.write_text(p.read_text())\nE",
            [("edit", "a.py")],
        ),
        ("python -c \"n='b.txt'; open(n, 'w')\"", [("edit", "b.txt")]),
        ("python -c \"print(open('a.txt').read(), open(b, 'w'))\"", []),
        ("python make.py x -c \"open('a.txt', 'w')\"", []),
        ("node -e \"require('fs').writeFileSync('a.js', 'x')\"", [("edit", "a.js")]),
        ("node <<'E'\nconst f = 'a.js'\nfs.appendFileSync(f, 'x')\nE", [("edit", "a.js")]),
        ("apply_patch <<'P'\n*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\nP", [("edit", "a")]),
        ("git apply <<'P'\n--- a/q.c\n+++ b/q.c\n@@ -1 +1 @@\n-x\n+y\nP", [("edit", "q.c")]),
        ("echo hi >> log.txt", [("edit", "log.txt")]),
        ("pytest -q # > x", []),
    ],
)
def test_what_a_command_did(command: str, expected: list[tuple[str, str]]) -> None:
    """The run first, then the files, in order; nothing from quotes, comments and here-documents."""
    assert kinds(command) == expected


def test_output_is_a_files_only_where_nothing_else_printed() -> None:
    """Two viewers in one line share their output, so neither file's text is known."""
    assert all(act.content is None for act in ran("cat a; cat b", "x\ny\n"))
    assert ran("cd /r && cat a", "x\n")[1].content == "x\n"


def test_a_write_before_a_failing_command_has_happened() -> None:
    """`cat > t.py … && python t.py` writes the file, whatever python says."""
    run, edit = ran(
        "cat > t.py <<'E'\nboom\nE\npython t.py", "<returncode>1</returncode>\n<output>\nNameError: boom\n</output>"
    )
    assert (run.failed, edit.failed, edit.content) == (True, False, "boom\n")


def test_a_failed_redirection_changes_nothing() -> None:
    """The shell names the file that it couldn't write."""
    *_, edit = ran("cat > /no/t.py <<'E'\nx\nE\npython t.py", "Exit code 1\nbash: /no/t.py: No such file or directory")
    assert edit.failed


def test_truncated_output_is_no_whole_file() -> None:
    """The agent's notice says that something is missing."""
    assert not ran("cat a", "x\n… 1200 tokens truncated …\ny\n")[1].whole


VERIFY = """
pytest -q|tox|python -m unittest|python3 -m pytest x|npm test|npm run test:unit|npx jest|npx vitest run|go test ./...
cargo test|cargo clippy|mvn -q test|./gradlew check|make|make test|tsc --noEmit|npx tsc -p .|mypy .|ruff check .
mix test|vendor/bin/phpunit|ctest|uv run pytest|poetry run mypy .|cd x && CI=1 timeout 60 pytest|dotnet test|pnpm lint
golangci-lint run|python manage.py test|python -m django test a|python test_fix.py|bundle exec rspec|gcc -c a.c
mise run lint|nox|flutter test|swift test|bazel test //...|deno test|bun test|cmake --build .|eslint src|yarn build
"""
OTHERS = [
    "bd show x",
    "ls",
    "cat test.py",
    "echo pytest",
    "npm install",
    "git status",
    "python run.py",
    "grep -n test a",
    "",
]


@pytest.mark.parametrize("command", VERIFY.strip().replace("\n", "|").split("|"))
def test_these_verify(command: str) -> None:
    """Tests, type checks, lint and builds of the usual languages."""
    assert verifies(command)


@pytest.mark.parametrize("command", OTHERS)
def test_these_do_not(command: str) -> None:
    """Naming a test is not running it."""
    assert not verifies(command)


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("cd /r && npm run check 2>&1 | tail -10", "npm run check"),
        ("npm  run \n check", "npm run check"),
        ("CI=1 timeout 60 pytest -q || true", "pytest -q"),
        ('pytest -q 2>&1 | tail -n 5; echo "exit: $?"', "pytest -q"),
        ("sudo -n apt-get update", "apt-get update"),
        ("a | sort | tail", "a | sort"),
        ("tail -5", "tail -5"),
    ],
)
def test_two_runs_of_one_command_compare_equal(command: str, plain: str) -> None:
    """What differs from run to run is left out."""
    assert normal_command(command) == plain
    assert normal_command(plain) == plain


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("./src/a.py", "src/a.py", True),
        ("/r/src/a.py", "src/a.py", True),
        ("/r/a.py", "a.py", True),
        ("src/a.py", "a.py", False),
        ("/r/a.py", "/q/a.py", False),
        ("/r/ba.py", "a.py", False),
        ("C:\\r\\src\\a.py", "src/a.py", True),
        ("", "a.py", False),
    ],
)
def test_names_of_one_file(a: str, b: str, *, same: bool) -> None:
    """A relative name ends the longer one, component by component."""
    assert same_file(a, b) is same
    assert same_file(b, a) is same
