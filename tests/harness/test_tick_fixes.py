"""What mends a problem and what only looks so; what of an earlier tick is known again, and what is another problem."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from context_kit import ContextManager, Harness
from context_kit.testing import Call, tool_round, user

SOURCE = "".join(f"def f{at}(rows):\n    total = {at}\n    return total\n\n" for at in range(20))
"""Function `fN` stands in lines 4N + 1 to 4N + 3."""
FLAT = "".join(f"line{at}\n" for at in range(1, 60))
BROKEN = "tests/t.py:5: AssertionError\nFAILED tests/t.py::test_a - assert 1 == 2\n1 failed, 8 passed in 0.05s"
PASSED = "9 passed in 0.05s"
FOUND = "Problem:\n- src/a.py:6 the cache is never cleared"
"""In `f1`."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test in a directory of its own, with an open criterion: what comes next is decided."""
    monkeypatch.chdir(tmp_path)
    Harness().require("ship it")


class Job:
    """A session that is told what its tools answered."""

    def __init__(self, **settings: Any) -> None:
        self.ctx = ContextManager(64_000, **settings)
        self.ctx.add(user("Repair it."))
        self.calls = 0

    def step(self, name: str, arguments: dict[str, Any], result: str, text: str = "I go on.") -> None:
        """One call and its result, after a request."""
        self.ctx.prepare()
        self.calls += 1
        self.ctx.add(
            tool_round([Call(name, arguments, result=result, id=f"call_{os.getpid()}_{self.calls}")], text=text)
        )

    def run(self, command: str, result: str, text: str = "I check.") -> None:
        """A command."""
        self.step("bash", {"command": command}, result, text)

    def read(self, text: str = SOURCE, *, said: str = "I read it.", path: str = "src/a.py") -> None:
        """A file, read whole."""
        self.step("read_file", {"path": path}, text, said)

    def edit(self, old: str, new: str, *, path: str = "src/a.py", said: str = "I edit.") -> None:
        """An edit."""
        self.step("edit_file", {"path": path, "old_string": old, "new_string": new}, "edited", said)

    def mended(self, title: str = "find and mend") -> None:
        """A round in which the problem in `f1` is named, mended and checked."""
        with self.ctx.tick(title):
            self.read(said=FOUND)
            self.edit("total = 1\n", "total = 11\n")
            self.run("pytest -q", PASSED)


def section(name: str, number: int = 1) -> list[str]:
    """The lines of one section of a tick file; none where it says so."""
    text = Path(f".harness/tick-{number}-summary.md").read_text("utf-8")
    lines = text.partition(f"\n## {name}\n")[2].split("\n\n## ")[0].strip().splitlines()
    return [] if lines == ["none"] else lines


# -- which checks prove it --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failed", "said", "command", "printed"),
    [
        ("pytest -q", BROKEN, "pytest -q --collect-only", "9 tests collected in 0.01s"),
        ("pytest -q", BROKEN, "pytest -q -k other", "1 passed, 8 deselected in 0.01s"),
        ("pytest -q", BROKEN, "pytest -q", "9 skipped in 0.01s"),
        ("pytest -q", BROKEN, "pytest -q", "8 passed, 1 xfailed in 0.01s"),
        ("pytest -q", BROKEN, "timeout 60 pytest -q", ""),
        ("pytest -q", BROKEN, "ruff check .", "All checks passed!"),
        ("pytest -q", BROKEN, "pytest -q src", "4 passed in 0.01s"),
        ("pytest -q", BROKEN, "pytest -q tests/other.py", "4 passed in 0.01s"),
        ("pytest -q", BROKEN, "pytest -q tests/t.py::test_b", "1 passed in 0.01s"),
        ("pytest -q", BROKEN, "pytest -q tests/t.py -k test_b", "1 passed in 0.01s"),
        ("cd api && pytest -q", BROKEN, "pytest -q", PASSED),
        ("cd api && pytest -q", BROKEN, "cd web && pytest -q", PASSED),
        ("pytest -q && git push", "9 passed in 0.05s\nerror: failed to push some refs", "pytest -q", PASSED),
    ],
)  # fmt: skip
def test_a_run_that_did_not_look_at_it_mends_nothing(failed: str, said: str, command: str, printed: str) -> None:
    """What tested nothing, left something out or looked elsewhere closes no failing test."""
    job = Job()
    with job.ctx.tick("check"):
        job.run(failed, said + "\n[exit code 1]")
        job.run(command, printed)
    assert (section("Fixed"), len(section("Open"))) == ([], 1)


@pytest.mark.parametrize(
    ("failed", "command"),
    [
        ("python -m pytest -q", "uv run pytest"),
        ("pytest", ". .venv/bin/activate && pytest -q"),
        ("pytest -q", "pytest -q tests"),
        ("pytest -q", "pytest -q tests/t.py"),
        ("pytest -q", "pytest -q tests/t.py::test_a"),
        ("cd web && pytest", "cd ./web/ && pytest -q"),
        ("cd /srv/web && pytest", "pytest -q"),
        ("pytest -q && git push", "pytest -q"),
        ("ruff check . && pytest -q", "pytest -q && ruff check ."),
        ("pytest `git ls-files tests`", "pytest `git ls-files tests`"),
    ],
)
def test_one_check_has_many_spellings(failed: str, command: str) -> None:
    """How a program is started and how loud it is says nothing of what it looks at."""
    job = Job()
    with job.ctx.tick("check"):
        job.run(failed, BROKEN + "\n[exit code 1]")
    with job.ctx.tick("again"):
        job.run(command, PASSED)
    assert (len(section("Fixed", 2)), section("Open", 2)) == (1, [])


def test_each_error_is_a_problem_of_its_own() -> None:
    """Two tests that fail at one line are two; what the newest full run no longer shows is not told as next."""
    blank = "src/p.py:5: ValueError: not enough values to unpack"
    equals = "src/p.py:5: ValueError: too many values to unpack"
    names = (
        "FAILED tests/test_p.py::test_blank - ValueError: not enough values to unpack",
        "FAILED tests/test_p.py::test_equals - ValueError: too many values to unpack",
    )
    job = Job()
    with job.ctx.tick("check"):
        job.run("pytest -q", "\n".join([blank, equals, *names, "2 failed in 0.02s", "[exit code 1]"]))
        job.run("pytest -q", "\n".join([equals, names[1], "1 failed, 1 passed in 0.02s", "[exit code 1]"]))
    first, second = section("Open")
    assert "test `tests/test_p.py::test_blank`, not in the newest run, which failed (m6)" in first
    assert ("too many" in second, "test `tests/test_p.py::test_equals`" in second) == (True, True)
    assert [line for line in section("Next") if "Fix" in line] == [
        "- Fix src/p.py:5 ValueError: too many values to unpack"
    ]


BOTH = (
    "tests/t.py:5: AssertionError\ntests/u.py:9: KeyError\nFAILED tests/t.py::test_a - assert 1 == 2\n"
    "FAILED tests/u.py::test_b - KeyError\n2 failed, 7 passed in 0.05s"
)
TYPES = "src/a.py:3: error: no x\nsrc/b.py:4: error: no y\nFound 2 errors in 2 files (checked 9 source files)"
CASES = (
    'FAIL: test_a (tests.t.Case.test_a)\n  File "/repo/tests/t.py", line 5, in test_a\nAssertionError: 1 != 2\n'
    'FAIL: test_b (tests.u.Case.test_b)\n  File "/repo/tests/u.py", line 9, in test_b\nAssertionError: 3 != 4\n'
    "Ran 9 tests in 0.1s\n\nFAILED (failures=2)"
)
JEST = (
    "FAIL src/t.test.js\n  ● adds\n\n    Error: no sum\n      at Object.<anonymous> (src/t.test.js:5:3)\n"
    "FAIL src/u.test.js\n  ● takes\n\n    Error: no rest\n      at Object.<anonymous> (src/u.test.js:9:3)\n"
    "Tests: 2 failed, 7 passed, 9 total"
)


@pytest.mark.parametrize(
    ("wide", "said", "part", "passed", "left"),
    [
        ("pytest", BOTH, "pytest tests/t.py", "3 passed in 0.01s", "tests/u.py:9"),
        ("mypy", TYPES, "mypy src/a.py", "Success: no issues found in 1 source file", "src/b.py:4"),
        ("python -m unittest", CASES, "python -m unittest tests.t", "Ran 3 tests in 0.1s\n\nOK", "/repo/tests/u.py:9"),
        ("jest", JEST, "jest src/t.test.js", "Tests: 3 passed, 3 total", "src/u.test.js:9"),
    ],
)
def test_a_run_of_one_file_mends_what_was_found_in_it(wide: str, said: str, part: str, passed: str, left: str) -> None:
    """And nothing else; the rest is mended by a run of all."""
    job = Job()
    with job.ctx.tick("check"):
        job.run(wide, said + "\n[exit code 1]")
        job.run(part, passed)
    (still,) = section("Open")
    assert (len(section("Fixed")), still.startswith(f"- {left} ")) == (1, True)
    with job.ctx.tick("again"):
        job.run(wide, passed)
    assert (len(section("Fixed", 2)), section("Open", 2)) == (1, [])


def test_a_failed_check_without_a_place_is_told() -> None:
    """Beside another one that is open."""
    job = Job()
    with job.ctx.tick("check"):
        job.run("cargo test", "test result: FAILED. 1 passed; 1 failed; 0 ignored\n[exit code 101]")
        job.run("./run_tests.sh", "test_login ... not ok\n1 of 12 failed\n[exit code 1]")
    assert [line.partition("by ")[2] for line in section("Open")] == ["`cargo test`", "`./run_tests.sh`"]


def test_one_check_in_two_folders_finds_two_problems() -> None:
    """With one line at one place; each is mended by its own check."""
    said = "src/p.py:2: ValueError: no port\n1 failed in 0.05s\n[exit code 1]"
    job = Job()
    with job.ctx.tick("check"):
        for folder in ("api", "web"):
            job.run(f"cd {folder} && pytest -q", said)
        job.run("cd web && pytest -q", PASSED)
    assert ["cd api" in line for line in section("Open")] == [True]
    assert ["cd web" in line for line in section("Fixed")] == [True]


# -- which edits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "old", "fixed"),
    [
        (SOURCE, 6, "total = 1\n", True),
        (SOURCE, 6, "def f1(rows)", False),
        (SOURCE, 7, "total = 1\n", False),
        (SOURCE, 6, "total = 2\n", False),
        (SOURCE, 6, "def f0(rows)", False),
        (SOURCE, 6, "total = 15", False),
        (FLAT, 5, "line5\n", True),
        (FLAT, 5, "line6\n", False),
        (FLAT, 5, "line12\n", False),
        ("", 5, "line50", False),
    ],
)
def test_the_place_is_its_own_line(text: str, line: int, old: str, fixed: bool) -> None:
    """An edit elsewhere in its function or file, or in a file that nobody read, is a mark beside a problem that stays open."""
    job = Job()
    with job.ctx.tick("mend"):
        if text:
            job.read(text)
        job.run("pytest -q", PASSED, f"Problem:\n- src/a.py:{line} the cache is never cleared")
        job.edit(old, "other" + old[-1:].strip(" 0123456789)"))
        job.run("pytest -q", PASSED)
    told = section("Fixed" if fixed else "Open")
    assert ("edited there (m" in told[0], "edited near (m" in told[0]) == (fixed, not fixed)


@pytest.mark.parametrize(
    ("old", "fixed", "again"),
    [
        ("total = 1\n", True, "src/a.py:11"),
        ("total = 4\n", True, "src/a.py:5-19"),
        ("total = 9\n", False, "src/a.py:18"),
    ],
)
def test_a_range_is_mended_by_an_edit_inside_of_it(old: str, fixed: bool, again: str) -> None:
    """Wherever in it; reported again inside of it, it is the one that was fixed."""
    job = Job()
    with job.ctx.tick("mend"):
        job.read(said="Problem:\n- src/a.py:6-18 the totals are never reset")
        job.edit("def f0(", "# a note\n" * 30 + "def f0(")
        job.edit("# a note\n" * 30, "")
        job.edit(old, "total = 0\n")
        job.run("pytest -q", PASSED)
    assert (len(section("Fixed")), len(section("Open"))) == (int(fixed), int(not fixed))
    with job.ctx.tick("review"):
        job.run("ls", "src", f"Findings:\n- {again} the totals are never reset")
    assert len(section("Open", 2)) == int(not fixed)


@pytest.mark.parametrize(
    ("commands", "mended"),
    [
        (["git stash -q && pytest -q; git stash pop -q"], True),
        (["git stash", "pytest -q", "git stash pop"], True),
        (["git stash push -- docs/x.md"], True),
        (["git stash"], False),
        (["git stash", "git stash drop"], False),
        (["git stash", "git stash clear"], False),
    ],
)
def test_edits_that_are_laid_aside_come_back(commands: list[str], mended: bool) -> None:
    """A stash touches what was edited and no other file; brought back it is as it was, and no run between counts."""
    job = Job()
    with job.ctx.tick("mend"):
        job.read(said=f"{FOUND}\n- src/b.py:2 the lock is leaked")
        job.edit("total = 1\n", "total = 11\n")
        job.run("pytest -q", PASSED)
        for command in commands:
            job.run(command, BROKEN if "pytest" in command else "Saved")
    assert ("changed again" in section("Fixed")[0]) == (not mended)
    assert section("Open") == ["- src/b.py:2 the lock is leaked (m3)"]


THREE = (
    "Problem:\n- src/a.py:5 f1 has no type hints\n- src/a.py:6 the total starts at the wrong row\n"
    "- src/a.py:7 one bad row loses all"
)
BODY = "def f1(rows):\n    total = 1\n    return total\n"


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("total = 1\n", "total = 11\n", [5, 7]),
        (BODY, "def f1(rows: list):\n    total = 1\n    return list(total)\n", [6]),
        (BODY, "def f1(rows: list) -> int:\n    return sum(map(int, rows))\n", []),
        ("def f1(rows):\n", 'def f1(rows):\n    """Add."""\n', [5, 6, 7]),
    ],
)
def test_one_edit_mends_what_stands_on_its_lines(old: str, new: str, left: list[int]) -> None:
    """Of several problems in a function only those close whose lines are others now; the rest is open when told again."""
    job = Job()
    with job.ctx.tick("mend"):
        job.read(said=THREE)
        job.edit(old, new)
        job.run("pytest -q", PASSED)
    lines = THREE.splitlines()[1:]
    still = [line for at, line in zip((5, 6, 7), lines, strict=True) if at in left]
    assert [line.partition(" (m")[0] for line in section("Open")] == still
    with job.ctx.tick("again"):
        job.run("pytest -q" if not still else "ls", PASSED, "\n".join(["Problem:", *still]) if still else "Fine.")
    assert [line.partition(" (m")[0] for line in section("Open", 2)] == still
    assert not any("Fixed in tick 1" in str(message["content"]) for message in job.ctx.messages)


def test_a_place_moves_with_its_lines() -> None:
    """Lines that were put above it shift it: the edit that counts is the one where it is now."""
    for number, (place, fixed) in enumerate([("total = 1\n", True), ("total = 9\n", False)], 1):
        job = Job()
        with job.ctx.tick(f"round {number}"):
            job.read(said=FOUND)
            job.edit("def f0(", "# a note\n" * 32 + "def f0(")
            job.edit(place, "total = 0\n")
            job.run("pytest -q", PASSED)
        assert bool(section("Fixed", number)) is fixed
        Path(f".harness/tick-{number}-summary.md").write_text("# Tick: set aside\n", "utf-8")


@pytest.mark.parametrize("ended", ["closed", "interrupted"])
@pytest.mark.parametrize("reopened", [False, True])
def test_an_edit_of_one_tick_and_a_check_of_the_next(ended: str, reopened: bool) -> None:
    """The mark stays beside the problem, and the check of a later round closes it."""
    job = Job(store="state", session="night")
    try:
        with job.ctx.tick("edit"):
            job.read(said=FOUND)
            job.edit("total = 1\n", "total = 11\n")
            job.step("ls", {}, "src", "No check yet.")
            if ended == "interrupted":
                raise RuntimeError("overloaded")
    except RuntimeError:
        pass
    assert "edited there (m" in section("Open")[0]
    if reopened:
        job.ctx.close()
        job.ctx = ContextManager.open("state", "night")
    with job.ctx.tick("check"):
        job.run("pytest -q", PASSED)
    assert (section("Open", 2), "edited there (m" in section("Fixed", 2)[0]) == ([], True)


def test_the_mark_of_another_session_counts() -> None:
    """A session without its log reads the mark from the file."""
    first, second = Job(), Job()
    with first.ctx.tick("edit"):
        first.read(said=FOUND)
        first.edit("total = 1\n", "total = 11\n")
    with second.ctx.tick("check"):
        second.run("pytest -q", PASSED)
    assert (section("Open", 2), len(section("Fixed", 2))) == ([], 1)


@pytest.mark.parametrize(
    ("command", "fixed"),
    [
        ("sed -i '6s/1/11/' src/a.py && pytest -q", True),
        ("sed -i 's/total = 1$/total = 11/' src/a.py && pytest -q", True),
        ("sed -i '40s/1/11/' src/a.py && pytest -q", False),
        ("pytest -q; sed -i '6s/1/11/' src/a.py", False),
    ],
)
def test_one_line_that_edits_and_checks(command: str, fixed: bool) -> None:
    """The check counts as after the edit where it stands behind it."""
    job = Job()
    with job.ctx.tick("mend"):
        job.read(said=FOUND)
        job.run(command, PASSED)
    assert bool(section("Fixed")) is fixed


@pytest.mark.parametrize("name", ["found", "open"])
def test_a_written_problem_is_mended_like_any_other(name: Any) -> None:
    """By an edit at its place after it was written and a check after that; an edit before it is none."""
    job = Job()
    with job.ctx.tick("mend") as tick:
        job.read()
        job.edit("total = 2\n", "total = 22\n")
        tick.write(name, "- src/a.py:6 the cache is never cleared\n- src/a.py:10 the lock is never released")
        job.edit("total = 1\n", "total = 11\n")
        job.run("pytest -q", PASSED)
    assert (len(section("Fixed")), len(section("Open"))) == (1, 1)
    assert ("src/a.py:6" in section("Fixed")[0], "src/a.py:10" in section("Open")[0]) == (True, True)


# -- known again ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "undo",
    [
        lambda job: job.edit("total = 11\n", "total = 1\n", said="Revert it."),
        lambda job: job.run("git checkout src/a.py", "Updated 1 path from the index"),
        lambda job: job.run("git checkout -- src/a.py", ""),
        lambda job: job.run("git stash", "Saved working directory"),
        lambda job: job.run("git revert HEAD --no-edit", "[main 1234567] Revert"),
    ],
)  # fmt: skip
def test_a_fix_that_was_undone_hides_nothing(undo: Any) -> None:
    """Reported again after that the problem is open, with the tick that had fixed it; the request is told so."""
    job = Job()
    job.mended()
    with job.ctx.tick("undo"):
        undo(job)
        job.run("pytest -q", PASSED, FOUND)
        job.ctx.prepare()
        told = str(job.ctx.messages)
    assert "reported again after its fix was undone; it was fixed in tick 1" in section("Open", 2)[0]
    assert "Reported again after its fix was undone; it was fixed in tick 1" in told


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("- src/a.py:6 the cache is never cleared", True),
        ("- src/a.py:8 cache grows forever because nothing clears it", True),
        ("- a.py:5: the cache never gets cleared", True),
        ("- src/a.py:6 the cache is never filled", False),
        ("- src/a.py:6 the cache key ignores the locale", False),
        ("- src/a.py:6 the cache is cleared twice", False),
        ("- src/b.py:6 the cache is never cleared", False),
    ],
)
def test_another_problem_is_not_taken_for_the_mended_one(said: str, again: bool) -> None:
    """Other words for what is wrong are another problem; the same said otherwise at its place is the same."""
    job = Job()
    job.mended()
    with job.ctx.tick("review"):
        job.run("pytest -q", PASSED, f"Findings:\n{said}")
    assert (len(section("Open", 2)), "fixed in tick 1" in section("Problems found", 2)[0]) == (int(not again), again)


# -- a process that dies ------------------------------------------------------------------------------

KILLED = """
import os, signal
from tests.harness.test_tick_fixes import BROKEN, FOUND, Job
job = Job(**{settings})
tick = job.ctx.tick("one")
job.run("pytest -q", BROKEN, "Problem:\\n- src/b.py:9 the handle leaks")
tick.write("done", "I looked at the cache.")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("settings", [{}, {"store": "state", "session": "night"}])
def test_what_a_killed_process_saw_is_kept(settings: dict[str, str]) -> None:
    """Without a store in the draft: the next process goes on with its problems, and is told what was written."""
    root = Path(__file__).resolve().parents[2]
    code = KILLED.replace("{settings}", repr(settings))
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(root)}, check=False)
    assert done.returncode == -signal.SIGKILL
    job = Job()
    if settings:
        job.ctx = ContextManager.open("state", "night")
        job.ctx.add(user("Go on."))
    with job.ctx.tick("one") as tick:
        assert (tick.number, tick.resumed) == (1, True)
        told = str(job.ctx.prepare()[-1])
        briefed = tick.briefing
        job.run("pytest -q", PASSED)
    for text in (told, briefed):
        assert ("I looked at the cache." in text, "src/b.py:9 the handle leaks" in text) == (True, True)
    assert [line.split(" (m")[0] for line in section("Problems found")] == [
        "- src/b.py:9 the handle leaks",
        "- tests/t.py:5 assert 1 == 2",
    ]
    assert (len(section("Fixed")), "src/b.py:9" in section("Open")[0]) == (1, True)
    assert "`pytest -q` failed" in "\n".join(section("What was done")) or settings
