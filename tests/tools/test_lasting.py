"""What a command does for good, what two tries of it have in common, and what one only wanted to see."""

from __future__ import annotations

import pytest

from context_kit.tools import lasting, looked_for, tried
from tests.tools.calls import ran

COMMITTED = "[main 7e00b6e] fix: blank lines\n 1 file changed"
DONE = [
    ("git commit -am 'fix: blank lines'", COMMITTED, False, [("git commit", "[main 7e00b6e] fix: blank lines")]),
    ("git -C sub commit -qm 'quiet one'", "", False, [("git commit", "quiet one")]),
    ("git add . && git commit -m x && git push", f"{COMMITTED}\nerror: failed to push some refs", True, [("git commit", "[main 7e00b6e] fix: blank lines")]),
    ("git commit -m x 2>&1 | tail -1", " 1 file changed, 2 insertions(+)", False, [("git commit", "1 file changed, 2 insertions(+)")]),
    ("git commit -m x | tail -1", "Done.", False, []),
    ("git commit -m x", "nothing to commit, working tree clean", True, []),
    ("git commit --dry-run -m x", COMMITTED, False, []),
    ("git push", "To forge:x/y.git\n   7e00b6e..8a11b2c  main -> main", False, [("git push", "7e00b6e..8a11b2c  main -> main")]),
    ("git push", "Everything up-to-date", False, []),
    ("git tag v1.2", "", False, [("git tag v1.2", "")]),
    ("git tag --list", "v1.1", False, []),
    ("git checkout -b fix/a", "Switched to a new branch 'fix/a'", False, [("git checkout -b fix/a", "Switched to a new branch 'fix/a'")]),
    ("git checkout main", "Switched to branch 'main'", False, []),
    ("gh pr create --title x", "https://forge.example/x/pull/136", False, [("gh pr create", "https://forge.example/x/pull/136")]),
    ("gh pr view 136", "https://forge.example/x/pull/136", False, []),
    ("python3 manage.py migrate", "  Applying app.0001_initial... OK", False, [("manage.py migrate", "Applying app.0001_initial... OK")]),
    ("npx prisma migrate status", "Database is up to date", False, []),
    ("git log --oneline", COMMITTED, False, []),
    ("echo git commit", COMMITTED, False, []),
]  # fmt: skip


@pytest.mark.parametrize(("command", "said", "failed", "found"), DONE)
def test_what_was_done_for_good(command: str, said: str, failed: bool, found: list[tuple[str, str]]) -> None:
    """Shown by its own output, or by a line that passed and hides nothing; nothing that came to nothing."""
    assert [(each.what, each.told) for each in lasting(ran(command, said, failed=failed)[0])] == found


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("git add -A && git commit -m 'one'", "git commit -am 'two'", True),
        ('git commit -m "$(cat <<\'EOF\'\nfix "it"\nEOF\n)"', "git commit --no-verify -m two", True),
        ("gh pr create --title a --body b", "gh pr create --fill", True),
        ("npm test && git commit -m a", "git commit -m a", False),
        ("git push", "git commit -m push", False),
        ("gh issue create --title a", "gh issue create --title b", False),
        ("pytest -q | tail -3", "cd a && pytest -q", True),
    ],
)
def test_two_tries_of_one_thing(one: str, other: str, same: bool) -> None:
    """A message is no part of what is tried."""
    assert (tried(one) == tried(other)) == same


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("ls src/gone", ("src/gone",)),
        ("cd src && head -5 a.py", ("src/a.py",)),
        ("grep -n x conf/a.ini", ("conf/a.ini",)),
        ("make x", ()),
        ("cat a && make", ()),
    ],
)
def test_what_a_command_only_wanted_to_see(command: str, files: tuple[str, ...]) -> None:
    """Nothing of a command that does more than to look."""
    assert looked_for(command) == files
