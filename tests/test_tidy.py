"""The journal is kept small by rules, and nothing that leaves it is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from context_kit import BudgetError, ContextManager, StoreError
from context_kit.memory import FileStore, PostgresStore, Tidied, tidy
from context_kit.memory._cleaning._tidy import plan
from context_kit.memory._files._flock import lock
from context_kit.memory._files._lines import read_lines
from context_kit.testing import Call, tool_round, user
from tests.talks import looks, session
from tests.talks import told as said
from tests.test_store import ListStore

ROOT = Path(__file__).resolve().parents[1]

NOW = datetime(2026, 3, 31, 12, tzinfo=timezone.utc)
Line = dict[str, Any]


def line(action: str, *, age: float = 60, session: str = "old", **fields: Any) -> Line:
    """A journal line that is so many days old."""
    ts = (NOW - timedelta(days=age)).isoformat(timespec="milliseconds")
    return {
        "id": f"r{abs(hash((action, age, str(fields)))):012x}"[:13],
        "ts": ts,
        "session": session,
        "action": action,
        **fields,
    }


def journal(lines: Iterable[Line]) -> list[Line]:
    """Lines with their positions."""
    return [{**each, "at": number} for number, each in enumerate(lines, 1)]


def tidied(lines: Iterable[Line], **settings: Any) -> tuple[list[Line], Tidied]:
    """The journal after a clean-up, and what was told of it."""
    placed = journal(lines)
    made = plan(placed, now=NOW, **settings)
    kept: list[Mapping[str, Any]] = [out for each in placed for out in made.change(each)]
    return [{key: value for key, value in each.items() if key != "at"} for each in kept], made.tidied


STEPS = [
    line("edit", age=60.30, file="src/a.py", cmd="pytest -q", result="failed: 2 tests"),
    line("fail", age=60.29, file="src/a.py", cmd="pytest -q", error="AssertionError: 3 != 4"),
    line("edit", age=60.20, file="src/b.py", result="not verified"),
    line("edit", age=60.10, file="src/a.py", cmd="pytest -q", result="12 passed", session="other"),
    line("edit", age=59.10, file="src/a.py", cmd="pytest -q", result="13 passed"),
    line("run", age=60.05, cmd="ruff check src", result="All checks passed"),
    line("fail", age=60.04, cmd="npm test", error="timeout in auth.spec.js:42"),
]


def test_old_steps_become_one_line_per_file_and_day() -> None:
    """With their counts and the last result; a file's only step of a day stays as it is."""
    lines, told = tidied(STEPS)
    folded = [each for each in lines if each["action"] == "steps"]
    assert told == Tidied(records=7, folded=5, into=2, superseded=0, repeated=0)
    assert [each for each in lines if each["action"] != "steps"] == [STEPS[2], STEPS[4]]
    assert folded[0]["file"] == "src/a.py"
    assert folded[0]["reason"] == "2026-01-30: 2 edits, 1 failure in 2 sessions: `pytest -q` 3×"
    assert (folded[0]["result"], folded[0]["ts"], folded[0]["session"]) == ("12 passed", STEPS[3]["ts"], "other")
    assert folded[1]["reason"] == "2026-01-30: 1 run, 1 failure: `ruff check src`, `npm test`"
    assert folded[1]["error"] == "timeout in auth.spec.js:42"


@pytest.mark.parametrize("action", ["decide", "contract", "constraint", "pitfall", "revise", "note", "deploy"])
def test_what_was_decided_stays_however_old(action: str) -> None:
    """Decisions, contracts, constraints, pitfalls and whatever word a caller has of its own."""
    lines = [line(action, age=4_000 - number, file="src/a.py", reason=f"why {number}") for number in range(9)]
    assert tidied(lines) == (lines, Tidied(records=9, folded=0, into=0, superseded=0, repeated=0))


@pytest.mark.parametrize(
    ("days", "left"), [(30, 1), (60.5, 9), (59, 1), (0, 1)], ids=["month", "longer", "shorter", "now"]
)
def test_steps_younger_than_the_days_stay(days: float, left: int) -> None:
    """The caller says how long a step is of use as it is."""
    lines = [line("edit", age=60 + number / 100, file="src/a.py", result=str(number)) for number in range(9)]
    assert len(tidied(lines, days=days)[0]) == left


@pytest.mark.parametrize("ts", ["day3-1420", "", None, "2026-99-99", 4711])
def test_a_time_that_cannot_be_read_is_never_old(ts: Any) -> None:
    """What an older file says is kept as it stands."""
    lines = [{**each, "ts": ts} for each in STEPS]
    assert tidied(lines)[0] == lines


@pytest.mark.parametrize("ts", ["2026-01-30T10:00:00Z", "2026-01-30T10:00:00", "2026-01-30T12:00:00+02:00"])
def test_any_iso_time_is_read(ts: str) -> None:
    """With a zone or without one: then it is UTC."""
    lines = [{**line("edit", file="a.py", result=str(number)), "ts": ts} for number in range(2)]
    assert [each["reason"] for each in tidied(lines)[0]] == ["2026-01-30: 2 edits"]


def test_a_contract_that_was_declared_again_goes() -> None:
    """The newest one of each name and file stays, gone ones included: others must hear that it is gone."""
    lines = [
        line("contract", age=9, file="a.py", name="f", result="def f(x): ..."),
        line("contract", age=8, file="a.py", name="g", result="def g(): ..."),
        line("contract", age=7, file="b.py", name="f", result="def f(x): ..."),
        line("contract", age=6, file="a.py", name="f", result="def f(x, y): ...", was="def f(x): ..."),
        line("contract", age=5, file="a.py", name="g", was="def g(): ..."),
    ]
    assert tidied(lines) == (lines[2:], Tidied(records=5, folded=0, into=0, superseded=2, repeated=0))


def test_of_a_fact_that_is_told_again_the_newest_stays() -> None:
    """Whoever told it; another reason is another fact."""
    lines = [
        line("decide", age=9, reason="no new dependencies"),
        line("decide", age=8, reason="no new dependencies", session="other"),
        line("decide", age=7, reason="no new dependencies, says the user"),
        line("decide", age=6, reason="no new dependencies"),
    ]
    assert tidied(lines) == (lines[2:], Tidied(records=4, folded=0, into=0, superseded=0, repeated=2))


def test_a_second_run_finds_nothing_to_do() -> None:
    """Also where sessions are live, and marks were left for them."""
    lines = [
        *STEPS,
        *(line("contract", file="a.py", name="f", result=str(n), age=9 - n, session="old") for n in range(3)),
    ]
    own = [{**each, "id": f"a{number:012x}"} for number, each in enumerate(lines)]
    for live in ((), ("old",), ("old", "other")):
        once, told = tidied(own, live=live)
        assert told.gone == 7
        again, nothing = tidied(once, live=live)
        assert (again, nothing.gone) == (once, 0)


def test_steps_of_a_day_that_was_folded_join_its_line() -> None:
    """A machine that was away brings its records late: counts add up."""
    once, _ = tidied(STEPS[:4])
    late = line("fail", age=60.01, file="src/a.py", cmd="pytest -q", error="ImportError")
    lines, told = tidied([*once, late])
    (folded,) = [each for each in lines if each["action"] == "steps"]
    assert folded["reason"] == "2026-01-30: 2 edits, 2 failures in 2 sessions: `pytest -q` 4×"
    assert (folded["error"], told.folded, told.into) == ("ImportError", 1, 1)


def test_a_live_session_is_told_which_of_its_records_went() -> None:
    """One mark a session; it goes with the session."""
    own = [{**each, "id": f"a{number:012x}"} for number, each in enumerate(STEPS)]
    lines, _ = tidied(own, live=["old"])
    (mark,) = [each for each in lines if each["action"] == "tidied"]
    assert mark["session"] == "old"
    assert mark["of"] == [[own[number]["id"], number + 1] for number in (0, 1, 5, 6)]
    finished, _ = tidied(lines, live=[])
    assert [each for each in finished if each["action"] == "tidied"] == []


def test_who_appends_or_tidies_meanwhile_is_not_disturbed() -> None:
    """A plan names lines by position and id: any other line stays as it is."""
    placed = journal(STEPS)
    made = plan(placed, now=NOW)
    other = {**placed[0], "id": "r999999999999"}
    new = {**line("edit", file="src/a.py"), "at": 99}
    assert [list(made.change(each)) for each in (other, new)] == [[other], [new]]
    assert list(made.change(placed[0])) == []


def test_ten_years_of_steps_are_bounded_by_files_and_days() -> None:
    """However many steps a day has, a file has one line for it, and that line is short."""
    lines = [
        line("run", age=40 + day + step / 1000, cmd=f"pytest tests/test_{step}.py", result="passed " * 50)
        for day in range(10)
        for step in range(300)
    ]
    kept, told = tidied(lines)
    assert told.into == len(kept) <= 11
    assert all(len(json.dumps(each)) < 4_000 for each in kept)


@pytest.mark.parametrize("days", [-1, "30", None, True, float("nan"), float("inf"), 10**9])
def test_days_that_are_none_are_refused(days: Any) -> None:
    """Before anything is read or changed."""
    with pytest.raises(BudgetError, match="days"):
        plan([], now=NOW, days=days)


# -- on disk ---------------------------------------------------------------------------------------


Stores = Callable[[], "FileStore | PostgresStore"]


def aged(store: FileStore | PostgresStore, days: float) -> None:
    """Make every record of a journal so many days older."""

    def older(each: Line) -> list[Line]:
        return [{**each, "ts": (datetime.fromisoformat(each["ts"]) - timedelta(days=days)).isoformat()}]

    store.rewrite("", older, archive=False)


def worked(store: FileStore | PostgresStore) -> None:
    """A session that edits, fails and runs."""
    with ContextManager(20_000, store=store, session="s") as ctx:
        ctx.add(session())
        for number in range(4):
            edit = Call("edit_file", {"path": "b.py", "old_string": "1", "new_string": str(number)}, id=f"e{number}")
            run = Call("bash", {"command": "pytest -q"}, result=f"{number} failed\nexit code 1", id=f"r{number}")
            ctx.add([*tool_round([edit], text="I change it."), *tool_round([run], text="I try it.")])
        ctx.memory.append(action="decide", reason="no new dependencies")
        ctx.memory.append(action="edit", file="a.py", result="first 中文")
        ctx.memory.append(action="edit", file="a.py", result="second")


def test_what_leaves_the_journal_is_recalled_by_its_id(stores: Stores) -> None:
    """Byte-identical in the archive; a search finds the line that stands for it."""
    store = stores()
    worked(store)
    aged(store, 60)
    before = list(store.read(""))
    with ContextManager.open(store, "s") as ctx:
        dry = ctx.memory.tidy(dry_run=True)
        assert len(ctx.memory.records()) == len(before)
        told = ctx.memory.tidy()
        assert told == dry
        assert told.folded >= 2
        left = ctx.memory.records()
        assert len(left) == len(before) - told.gone + told.into
        assert "no new dependencies" in {record.reason for record in left}
        for old in before:
            record = ctx.memory.find(old["id"])
            assert record is not None
            assert (record.action, record.result, record.ts) == (old["action"], old.get("result", ""), old["ts"])
        (piece,) = ctx.recall(next(old["id"] for old in before if old.get("result") == "first 中文"))
        assert "first 中文" in piece.text
        assert [record.action for record in ctx.memory.search("a.py second")][:1] == ["steps"]
        assert ctx.memory.tidy().gone == 0


def test_a_live_session_goes_on_as_if_nothing_had_been_folded(stores: Stores) -> None:
    """Opened again it writes none of its records a second time, and reads on where it had read to."""
    store = stores()
    worked(store)
    with ContextManager.open(store, "s") as ctx:
        ctx.compact()
    aged(store, 60)
    with ContextManager.open(store, "s") as ctx:
        assert ctx.memory.tidy().folded > 2
        left = ctx.memory.records()
    with ContextManager.open(store, "s") as ctx:
        assert ctx.memory.records() == left
        ctx.memory.append(action="decide", reason="the port is 4711")
        ctx.add([message for number in range(40, 60) for message in looks("chat", number)])
        receipt = ctx.compact()
        assert receipt.read == 1
        assert "the port is 4711" in said(ctx.messages)


APPENDING = """
import sys
from context_kit.memory import FileStore, Memory
memory = Memory(session=sys.argv[2], agent="", store=FileStore(sys.argv[1]), redact=str)
for number in range(150):
    memory.append(action="edit", file=f"{number}.py", result=sys.argv[2])
"""


def test_nothing_is_lost_to_a_clean_up_beside_writers(tmp_path: Path) -> None:
    """Each record is in the journal or in the archive, once, whoever appends while it is tidied."""
    writers = [subprocess.Popen([sys.executable, "-c", APPENDING, str(tmp_path), name], cwd=ROOT) for name in "ab"]
    store = FileStore(tmp_path)
    while any(writer.poll() is None for writer in writers):
        tidy(store, days=0)
    assert [writer.wait() for writer in writers] == [0, 0]
    lines = [*store.read(""), *read_lines(tmp_path / "archive" / "memory.jsonl")]
    steps = [(each["session"], each["file"]) for each in lines if each["action"] == "edit"]
    assert sorted(steps) == sorted((name, f"{number}.py") for name in "ab" for number in range(150))


def grown(folder: Path) -> None:
    """A journal that is worth tidying."""
    store = FileStore(folder)
    lines = [line("edit", file=f"{number % 9}.py", result="x" * 400, reason=str(number)) for number in range(3_000)]
    store.append("", [{**each, "id": f"r{number:012d}"} for number, each in enumerate(lines)], sync=True)


def upkept(folder: Path) -> bool:
    """Close a session; whether the journal was tidied."""
    with ContextManager.open(folder, "s", window=6_000) as ctx:
        ctx.add(user("hello"))
    for thread in threading.enumerate():
        if thread.name == "context_kit-tidy":
            thread.join()
    return (folder / ".tidied").exists()


def test_close_tidies_a_grown_journal_in_the_background_and_rarely(tmp_path: Path) -> None:
    """Not a small one, not twice a day, not while another process is at it."""
    assert not upkept(tmp_path)
    grown(tmp_path)
    with (tmp_path / ".tidied").open("w") as held:
        lock(held.fileno(), wait=False)
        upkept(tmp_path)
        assert sum(1 for _ in FileStore(tmp_path).read("")) == 3_000
    (tmp_path / ".tidied").unlink()
    assert upkept(tmp_path)
    assert sum(1 for _ in FileStore(tmp_path).read("")) < 30
    grown(tmp_path)
    upkept(tmp_path)
    assert sum(1 for _ in FileStore(tmp_path).read("")) >= 3_000
    assert (tmp_path / ".tidied").stat().st_mode & 0o777 == 0o600


EXITING = """
import sys, time
from context_kit import ContextManager
with ContextManager.open(sys.argv[1], "s", window=6_000) as ctx:
    ctx.add({"role": "user", "content": "hello"})
"""


def test_a_process_that_ends_waits_for_no_clean_up(tmp_path: Path) -> None:
    """It ends in peace, and the journal is whole either way."""
    grown(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", EXITING, str(tmp_path)],
        cwd=ROOT,
        check=False,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sum(1 for _ in FileStore(tmp_path).read("")) > 0
    assert tidy(FileStore(tmp_path), days=30).gone + sum(1 for _ in FileStore(tmp_path).read("")) >= 9


def test_a_failing_clean_up_is_nobodys_business(tmp_path: Path) -> None:
    """close() never raises for it."""
    grown(tmp_path)
    (tmp_path / "archive").write_text("no directory")
    upkept(tmp_path)
    assert sum(1 for _ in FileStore(tmp_path).read("")) == 3_000


@pytest.mark.parametrize("store", [None, ListStore()])
def test_a_store_that_cannot_rewrite_says_so(store: Any) -> None:
    """A caller's own store of five methods, or none at all."""
    with ContextManager(6_000, store=store) as ctx, pytest.raises(StoreError, match="store"):
        ctx.memory.tidy()
