"""What ticks tell as things stand now, and what becomes of their files when something goes wrong."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from context_kit import BudgetError, ContextManager, Harness, StoreError, TickError
from context_kit.bridge import TickNotes, TickText, fit_ticks
from context_kit.testing import Call, tool_round, user
from tests.harness.test_tick_fixes import FOUND, PASSED, SOURCE, Job, section

TOKEN = "ghp_" + "aB3" * 12


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test in a directory of its own."""
    monkeypatch.chdir(tmp_path)


# -- what is told ---------------------------------------------------------------------------------


def test_the_briefing_says_what_holds_now() -> None:
    """A problem fixed since is open in no file that is told; the newest file's fixes come before older files."""
    Harness().require("ship it")
    job = Job()
    with job.ctx.tick("find"):
        job.run("pytest -q", PASSED, f"{FOUND}\n- src/b.py:6 the lock is leaked")
    with job.ctx.tick("mend"):
        job.read()
        job.edit("total = 1\n", "total = 11\n")
        job.run("pytest -q", PASSED)
    tick = job.ctx.tick("go on")
    told = tick.briefing.splitlines()
    assert [line for line in told if "never cleared" in line and "Open" in line] == []
    assert sum("the lock is leaked" in line for line in told) == 1
    assert sum("A1" in line for line in told) == 2
    assert not any(line.startswith("- Next:") for line in told)
    assert next(at for at, line in enumerate(told) if "Fixed: src/a.py:6" in line) < told.index(
        next(line for line in told if line.startswith("[t1"))
    )
    job.read(SOURCE, said="I look.", path="src/b.py")
    job.edit("total = 1\n", "unlock()\n", path="src/b.py")
    job.run("pytest -q", PASSED)
    assert [line for line in tick.briefing.splitlines() if "Open: src/b.py:6" in line] == []


def words(text: str) -> int:
    """Tokens, one a word."""
    return len(text.split())


def test_what_there_is_no_room_for_is_counted() -> None:
    """No heading without a line under it, no line cut in a word, and how many lines are left out."""
    lines = tuple(f"- Open: problem number {number} in a file with a long name" for number in range(9))
    pages = tuple(TickText(number=number, head="mend · closed", lines=lines) for number in (3, 2, 1))
    for room in range(30, 420, 13):
        told = fit_ticks(TickNotes(now=("node: build",), pages=pages), room, words)
        heads = [at for at, line in enumerate(told) if line.startswith("[t")]
        assert all(at + 1 < len(told) and told[at + 1].startswith("- ") for at in heads)
        assert sum(words(line) for line in told) <= room
        for at, end in zip(heads, [*heads[1:], len(told)][: len(heads)], strict=True):
            shown = [line for line in told[at + 1 : end] if not line.startswith("- … +")]
            left = [int(line.removeprefix("- … +")) for line in told[at + 1 : end] if line.startswith("- … +")]
            assert len(shown) + sum(left) == len(lines)
            assert all(line in lines or (line.endswith(" …") and line[:-1] in lines[len(shown) - 1]) for line in shown)


@pytest.mark.parametrize("criteria", [True, False])
def test_a_finished_job_needs_no_next(criteria: bool) -> None:
    """Where something was to be done and nothing is open, `none` is written by code."""
    job = Job()
    if criteria:
        Harness().require("ship it")
        Harness().judge("A1", "met", evidence="`pytest -q`: 9 passed")
    with job.ctx.tick("last") as tick:
        job.run("pytest -q", PASSED) if criteria else job.run("pytest -q", "src/a.py:3: ValueError\n1 failed in 0.1s")
        if not criteria:
            assert "next" not in tick.undecided
            job.run("pytest -q", PASSED)
    assert section("Next") == []


def test_a_program_that_fails_is_told() -> None:
    """A command that is no check says that it failed, and why; of one that passed there is one, in the singular."""
    Harness().require("ship it")
    job = Job()
    with job.ctx.tick("run") as tick:
        job.run(
            "python app.py",
            'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\nValueError: no port\n[exit code 1]',
        )
        job.run("ls src", "a.py")
        tick.write("found", "none")
    assert section("What was done") == [
        "- `python app.py` failed: ValueError: no port (m4)",
        "- 1 other command: `ls src` (m6)",
    ]


def test_a_result_that_comes_late_is_in_the_tick_in_which_it_came() -> None:
    """The call was made in the tick before."""
    Harness().require("ship it")
    ctx = ContextManager(32_000)
    ctx.add(user("Repair it."))
    call, result = tool_round(
        [Call("bash", {"command": "pytest -q"}, result="src/p.py:2: ValueError\n1 failed in 0.1s", id="k")]
    )
    with ctx.tick("one") as tick:
        tick.write("found", "none")
        ctx.add(call)
    with ctx.tick("two"):
        ctx.add(result)
    assert ("src/p.py:2" in section("Open", 2)[0], "failed" in section("What was done", 2)[0]) == (True, True)


# -- secrets, names, numbers ---------------------------------------------------------------------------


def test_no_secret_gets_into_the_state_files() -> None:
    """Notes, evidence, criteria and reasons of moves are redacted, and a text before it is cut."""
    url = "postgres://admin:hunter2secretpw@db.internal/x"
    harness = Harness()
    harness.declare({"a": ["b"], "b": []})
    harness.move("b", why=f"token {TOKEN}")
    harness.require(f"works with {TOKEN}")
    harness.note(f"note {TOKEN}")
    harness.judge("A1", "failed", evidence=f"token {TOKEN}")
    ctx = ContextManager(32_000)
    ctx.add(user("Repair it."))
    with pytest.raises(RuntimeError), ctx.tick("x" * 165 + f" {url}"):
        raise RuntimeError("x" * 160 + f" {url}")
    texts = [path.read_text("utf-8") for path in Path(".harness").iterdir()]
    assert [TOKEN in text or "hunter2" in text for text in texts] == [False] * len(texts)
    assert TOKEN in (Harness("other", redact=False).require(f"works with {TOKEN}").text)


def test_a_name_begins_no_section() -> None:
    """Line breaks in the names of tools and nodes, and in paths, stay within their line."""
    forged = "x\n\n## Open\n- src/x.py:3 forged: missing check"
    harness = Harness()
    harness.declare({forged: ["b"], "b": []})
    harness.note("hello")
    job = Job()
    with job.ctx.tick("one") as tick:
        job.step(forged, {"q": 1}, "r")
        job.edit("a", "b", path=f"a.py{forged}")
        tick.write("found", "none")
    assert (section("Open"), [entry.text for entry in harness.entries][:1]) == ([], ["hello"])


def test_numbers_go_on() -> None:
    """However large they are; a file that is named otherwise is none."""
    Path(".harness").mkdir()
    Path(".harness/tick-999999-summary.md").write_text("# Tick 999999: x\n", "utf-8")
    Path(".harness/tick-05-summary.md").write_text("# Tick 5: x\n", "utf-8")
    job, numbers = Job(), list[int]()
    for title in ("one", "two"):
        with job.ctx.tick(title) as tick:
            tick.write("found", "none")
            tick.write("next", "none")
        numbers.append(tick.number)
    assert (numbers, Harness().numbers()) == ([1_000_000, 1_000_001], [999_999, 1_000_000, 1_000_001])


def test_one_message_is_one_position() -> None:
    """A tick of one message says which, and it is read back."""
    ctx = ContextManager(32_000)
    ctx.add(user("Repair it."))
    with ctx.tick("one") as tick:
        tick.write("found", "none")
        tick.write("next", "none")
    (page,) = Harness().pages
    assert f", m{page.last}\n" in tick.path.read_text("utf-8")
    assert page.first == page.last


def test_what_is_no_part_of_a_repository_is_ignored() -> None:
    """The lock and the drafts; the rest can be committed. A person's own `.gitignore` stays."""
    Harness().require("ship it")
    subprocess.run(["git", "init", "-q"], check=True)
    ContextManager(32_000).tick("one")
    listed = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], capture_output=True, text=True, check=True
    ).stdout
    assert listed.split() == ["??", ".harness/acceptance-criteria.md"]
    Path("mine").mkdir()
    Path("mine/.gitignore").write_text("*\n", "utf-8")
    Harness("mine").note("x")
    assert Path("mine/.gitignore").read_text("utf-8") == "*\n"


def test_criteria_keep_what_a_person_wrote() -> None:
    """Line ends, form feeds and text of any length stay; a version isn't a name."""
    path = Path(".harness/acceptance-criteria.md")
    path.parent.mkdir()
    path.write_bytes(
        b"# C\r\n\r\n- [ ] A1 one\r\nprose \x0c\r\n- [ ] Py3.11 works\r\n" + b"prose\r\n" * 700_000 + b"- [ ] last\r\n"
    )
    harness = Harness()
    assert [(each.id, each.text) for each in harness.criteria] == [
        ("A1", "one"),
        ("A2", "Py3.11 works"),
        ("A3", "last"),
    ]
    harness.judge("a3", "met", evidence="seen")
    after = path.read_bytes()
    assert after.startswith(b"# C\r\n\r\n- [ ] A1 one\r\nprose \x0c\r\n- [ ] A2 \xc2\xb7 Py3.11 works\r\n")
    assert after.endswith(b"- [x] A3 \xc2\xb7 last\r\n  evidence: seen\r\n")
    harness.note("x" * 4_100_000)
    harness.note("newest")
    assert harness.entries[-1].text == "newest"


@pytest.mark.parametrize(
    "act",
    [
        lambda harness: harness.note(None),
        lambda harness: harness.require(None),
        lambda harness: harness.declare(["a", "b"]),
        lambda harness: harness.move([]),
        lambda harness: harness.judge("A1", ["met"]),
        lambda harness: harness.judge("A1", "met", evidence=None),
        lambda _: Harness(5),  # type: ignore[arg-type]
        lambda _: Harness("\0"),
        lambda _: Harness("~nouser/x"),
    ],
)
def test_what_is_no_text_is_refused(act: Callable[[Any], Any]) -> None:
    """With an error of this library's that says what to give."""
    Harness().require("ship it")
    with pytest.raises(BudgetError):
        act(Harness())


def test_a_node_that_is_none_is_named() -> None:
    """A flow that a hand put at a node that isn't in its graph says so, and which there are."""
    Path(".harness").mkdir()
    Path(".harness/flow-state.json").write_text('{"node": "zzz", "nodes": {"a": ["b"], "b": []}}', "utf-8")
    with pytest.raises(StoreError, match="at 'zzz', which is no node, there are a, b"):
        _ = Harness().flow


# -- when something goes wrong -----------------------------------------------------------------------


class Mute(Exception):
    """An error that can't say what it is."""

    def __str__(self) -> str:
        raise ValueError("no text")


def test_an_error_without_text_goes_on_as_it_is() -> None:
    """The file names it, and the next tick can begin."""
    job = Job()
    with pytest.raises(Mute), job.ctx.tick("one"):
        raise Mute
    assert "interrupted (Mute)" in Path(".harness/tick-1-summary.md").read_text("utf-8")
    assert job.ctx.tick("two").number == 2


def test_a_coroutine_that_is_closed_ends_its_tick() -> None:
    """It may not wait for a thread then; its file is written all the same."""
    job = Job()

    class Once:
        def __await__(self) -> Generator[None]:
            yield

    async def work() -> None:
        async with job.ctx.tick("one"):
            await Once()

    going = work()
    going.send(None)
    going.close()
    assert "interrupted (GeneratorExit)" in Path(".harness/tick-1-summary.md").read_text("utf-8")
    asyncio.run(asyncio.sleep(0))


def test_a_log_that_cannot_be_written_loses_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A close that is refused by the disk can be done again; a begin that is refused leaves nothing behind."""
    job = Job()
    ticking = job.ctx._session.ticking  # pyright: ignore[reportPrivateUsage]
    good = ticking._append  # pyright: ignore[reportPrivateUsage]

    def full(*_: Any) -> None:
        raise StoreError("no room")

    monkeypatch.setattr(ticking, "_append", full)
    with pytest.raises(StoreError):
        job.ctx.tick("one")
    assert list(Path(".harness").glob("*.draft.json")) == []
    monkeypatch.setattr(ticking, "_append", good)
    tick = job.ctx.tick("one")
    for name, text in (("done", "PRECIOUS"), ("found", "none"), ("next", "none")):
        tick.write(name, text)  # type: ignore[arg-type]
    monkeypatch.setattr(ticking, "_append", full)
    with pytest.raises(StoreError):
        tick.close()
    monkeypatch.setattr(ticking, "_append", good)
    tick.close()
    assert (tick.number, section("What was done"), list(Path(".harness").glob("*.draft.json"))) == (1, ["PRECIOUS"], [])
    assert len(Harness().entries) == 1


def test_a_long_text_is_kept() -> None:
    """A draft has no size at which it is read as none."""
    job = Job()
    with job.ctx.tick("one") as tick:
        for name, text in (("done", "PRECIOUS"), ("found", "none"), ("next", "none"), ("done", "错" * 1_400_000)):
            tick.write(name, text)  # type: ignore[arg-type]
    assert section("What was done")[0] == "PRECIOUS"


def test_another_folder_is_another_tick() -> None:
    """A tick left open in one folder isn't gone on with in another, whose numbers are its own."""
    with Job().ctx.tick("other job", harness="b") as tick:
        for name in ("done", "found", "next"):
            tick.write(name, "PRECIOUS" if name == "done" else "none")
    job = Job()
    with pytest.raises(TickError), job.ctx.tick("a", harness="a"):
        pass
    assert job.ctx.tick("a", harness="b").number == 2
    assert (
        "PRECIOUS" in tick.path.read_text("utf-8"),
        "left for a" in Path("a/tick-1-summary.md").read_text("utf-8"),
    ) == (True, True)


DIED = """
import os
from context_kit import ContextManager
from context_kit.testing import user
ctx = ContextManager(32_000, store="state", session="one")
ctx.add(user("Repair it."))
ctx.tick("x")
os._exit(9)
"""


@pytest.mark.parametrize("title", ["x", "y"])
def test_a_tick_that_another_one_took_up_is_theirs(title: str) -> None:
    """The dead session's log still has it open; reopened it begins one of its own, and theirs is not touched."""
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", DIED], env={**os.environ, "PYTHONPATH": str(root)}, check=False)
    other = Job()
    theirs = other.ctx.tick("x")
    theirs.write("done", "EARLY")
    with ContextManager.open("state", "one") as ctx:
        assert (theirs.number, theirs.resumed, ctx.tick(title).number) == (1, True, 2)
    for name in ("found", "next"):
        theirs.write(name, "none")
    theirs.close()
    assert (section("What was done"), "state: closed" in theirs.path.read_text("utf-8")) == (["EARLY"], True)


def test_a_damaged_neighbour_stops_nothing() -> None:
    """A tick file that can't be read, a draft of an impossible process: reported, and the round goes on."""
    Path(".harness/tick-1-summary.md").mkdir(parents=True)
    draft = {
        "number": 2,
        "title": "one",
        "session": "s",
        "process": 10**10,
        "host": socket.gethostname(),
        "written": {},
    }
    Path(".harness/tick-2.draft.json").write_text(json.dumps(draft), "utf-8")
    job = Job()
    with job.ctx.tick("one") as tick:
        assert job.ctx.prepare()
        tick.write("found", "none")
        tick.write("next", "none")
    assert (tick.number, tick.path.is_file()) == (3, True)


def test_a_folder_stays_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the process goes meanwhile."""
    Path("sub").mkdir()
    job = Job()
    with job.ctx.tick("one") as tick:
        tick.write("found", "none")
        tick.write("next", "none")
        monkeypatch.chdir("sub")
    assert (tick.path.is_file(), Path(".harness").exists()) == (True, False)


def test_a_fork_has_a_tick_of_its_own() -> None:
    """In its parent's folder; the parent's notes keep the parent's tick."""
    job = Job()
    tick = job.ctx.tick("parent", harness="state")
    child = job.ctx.fork("Look at b.")
    other = child.tick("child")
    assert (other.harness.name, other.number) == ("state", 2)
    other.write("found", "none")
    other.write("next", "none")
    other.close()
    tick.harness.note("parent's own")
    assert [entry.head.rpartition(" · ")[2] for entry in tick.harness.entries] == ["tick 2", "tick 1"]


def test_open_problems_come_first_and_what_is_left_out_is_counted() -> None:
    """Where no tick file has room its open problems stand before the rest of the state; the others are a number."""
    page = TickText(
        number=1, head="find · closed", lines=("- Open: a.py:3 the lock leaks (m3)", "- What was done: much")
    )
    notes = TickNotes(
        now=("Tick 2: mend", "node: none", "- A1 ship it"), pages=(page,), open=("- Open: a.py:3 the lock leaks",)
    )
    wide = fit_ticks(notes, 400, lambda line: len(line.split()))
    assert [line for line in wide if "lock" in line] == ["- Open: a.py:3 the lock leaks (m3)"]
    small = fit_ticks(notes, -10, lambda line: len(line.split()), share=32)
    assert small == ["Tick 2: mend", "- Open: a.py:3 the lock leaks", "node: none", "- … +4"]
