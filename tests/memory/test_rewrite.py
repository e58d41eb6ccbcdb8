"""Lines put in the place of others: at once, durably, beside writers, and nothing else moves."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import ContextManager, StoreError
from context_kit.memory import JOURNAL, FileStore
from context_kit.testing import user
from tests.talks import ran

ROOT = Path(__file__).resolve().parents[2]
Line = dict[str, Any]


def filled(folder: Path, count: int = 30) -> FileStore:
    store = FileStore(folder)
    store.append(JOURNAL, [{"id": f"r{at}", "session": f"s{at % 3}", "reason": f"number{at}"} for at in range(count)])
    return store


def places(store: FileStore) -> dict[str, int]:
    return {line["id"]: line["at"] for line in store.records()}


def without(*names: str) -> Callable[[Line], list[Line]]:
    return lambda line: [] if line.get("id") in names else [line]


def every(line: Line) -> list[Line]:
    return [line]


def traces(folder: Path, word: str) -> list[str]:
    """Files of a store that hold a word, whatever letters it is in."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.relative_to(folder).as_posix() for path in files if word.encode() in path.read_bytes().lower()]


# -- the journal -----------------------------------------------------------------------------------


def test_lines_are_dropped_changed_and_multiplied(tmp_path: Path) -> None:
    """What the function makes of a line stands in its place; it is told how many changed."""
    store = filled(tmp_path, 6)

    def change(line: Line) -> Sequence[Mapping[str, Any]]:
        if line["id"] == "r1":
            return []
        if line["id"] == "r2":
            return [{**line, "id": "r2a"}, {**line, "id": "r2b"}]
        return [{**line, "result": "noted"}] if line["id"] == "r3" else [line]

    assert store.rewrite(JOURNAL, change, archive=True) == 3
    assert [line["id"] for line in store.read(JOURNAL)] == ["r0", "r2a", "r2b", "r3", "r4", "r5"]
    assert [line.get("result") for line in store.records()] == [None, None, None, "noted", None, None]


def test_positions_stay_and_go_on_growing(tmp_path: Path) -> None:
    """A line that is kept keeps its own, the newest one never falls, what comes later comes after it."""
    store = filled(tmp_path)
    before, newest = places(store), store.newest()
    for gone in (("r3", "r4"), ("r29", "r28"), ("r0",)):
        assert store.rewrite(JOURNAL, without(*gone), archive=True) == len(gone)
        assert places(store).items() <= before.items()
        assert store.newest() == newest
    assert list(store.records(after=newest)) == []
    store.append(JOURNAL, [{"id": "new"}])
    assert [line["id"] for line in store.records(after=newest)] == ["new"]
    assert store.newest() == list(store.records())[-1]["at"] > newest
    store.rewrite(JOURNAL, without("new"), archive=True)
    store.append(JOURNAL, [{"id": "newer"}])
    assert [line["id"] for line in store.records(after=newest)] == ["newer"]


def changed(line: Line, name: str, *, drop: bool) -> list[Line]:
    """One line is dropped, or becomes two."""
    if line["id"] != name:
        return [line]
    return [] if drop else [{**line, "note": 1}, {**line, "id": "more"}]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("adc"), st.integers(0, 40)), max_size=25), st.integers(0, 10_000))
def test_positions_only_grow(acts: list[tuple[str, int]], seed: int) -> None:
    """Whatever is appended, dropped and changed in whatever order: the law of a position."""
    import tempfile

    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        store, known, number = FileStore(name), dict[str, int](), 0
        for act, pick in acts:
            before = store.newest()
            if act == "a":
                store.append(JOURNAL, [{"id": f"r{number}", "reason": "x" * rng.randrange(300)}])
                number += 1
            else:
                store.rewrite(JOURNAL, partial(changed, name=f"r{pick}", drop=act == "d"), archive=True)
            assert store.newest() >= before
            now = list(store.records())
            at = [line["at"] for line in now]
            assert at == sorted(set(at))
            assert not at or at[-1] <= store.newest()
            assert all(
                known.get(line["id"], line["at"]) == line["at"]
                for line in now
                if line["id"][0] == "r" and "note" not in line
            )
            known |= {line["id"]: line["at"] for line in now if "note" not in line}
            assert [line["id"] for line in store.records(after=before)] == ([f"r{number - 1}"] if act == "a" else [])


def test_what_is_kept_is_the_same_bytes(tmp_path: Path) -> None:
    """But for its position, which it tells from now on; a person and `jq` read it as before."""
    path = tmp_path / "memory.jsonl"
    text = '{ "id" :"a", "reason": "\\u00e9  spaced", "x": 1.50 }\n{"id":"b"}\n{}\n{"at":5,"id":"foreign"}\n'
    path.write_text(text, "utf-8")
    FileStore(tmp_path).rewrite(JOURNAL, without("b"), archive=True)
    head, first, *rest = path.read_text("utf-8").splitlines()
    assert json.loads(head)["k"] == "journal"
    at = text.index("\n") + 1
    assert first == f'{{"at":{at},"id" :"a", "reason": "\\u00e9  spaced", "x": 1.50 }}'
    assert [json.loads(line).get("id") for line in rest] == [None, "foreign"]
    assert [line.get("id") for line in FileStore(tmp_path).read(JOURNAL)] == ["a", None, "foreign"]


def test_nothing_changed_is_nothing_written(tmp_path: Path) -> None:
    """The file is the same one."""
    store = filled(tmp_path)
    before = (tmp_path / "memory.jsonl").stat()
    assert store.rewrite(JOURNAL, every, archive=True) == 0
    after = (tmp_path / "memory.jsonl").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_size) == (before.st_ino, before.st_mtime_ns, before.st_size)
    assert FileStore(tmp_path / "empty").rewrite(JOURNAL, every, archive=False) == 0


def test_the_index_follows(tmp_path: Path) -> None:
    """Of the store that rewrote, and of one that was open beside it."""
    store, other = filled(tmp_path), FileStore(tmp_path)
    list(other.search("number4"))
    store.rewrite(JOURNAL, lambda line: [{**line, "reason": "turned"}] if line["id"] == "r4" else [line], archive=True)
    for each in (store, other):
        assert [line["id"] for line in each.search("turned")] == ["r4"]
        assert list(each.search("number4")) == []
        assert [line["id"] for line in each.search("number5")] == ["r5"]
        assert [line["id"] for line in each.records("s1")] == [f"r{at}" for at in range(1, 30, 3)]


def test_what_changed_is_in_the_archive(tmp_path: Path) -> None:
    """As it was, with its position, after all that was archived before."""
    store = filled(tmp_path)
    before = places(store)
    store.rewrite(JOURNAL, without("r3", "r7"), archive=True)
    store.rewrite(JOURNAL, without("r5"), archive=True)
    kept = [json.loads(line) for line in (tmp_path / "archive" / "memory.jsonl").read_text("utf-8").splitlines()]
    assert [(line["id"], line["at"]) for line in kept] == [(name, before[name]) for name in ("r3", "r7", "r5")]


def test_without_an_archive_nothing_of_it_is_left(tmp_path: Path) -> None:
    """Neither journal nor archive, neither index nor its log, not even in a page that is free; open ones included."""
    store = filled(tmp_path)
    store.append(JOURNAL, [{"id": "secret", "file": "hushhush.py", "reason": "the Hushhush plan " * 50}])
    list(store.search("hushhush"))
    store.append(JOURNAL, [{"id": f"more{at}", "reason": f"filling {at}"} for at in range(200)])
    list(store.search("filling"))
    store.rewrite(JOURNAL, lambda line: [{**line, "reason": "x"}] if line["id"] == "secret" else [line], archive=True)
    list(store.search("filling"))
    other = FileStore(tmp_path, embed=lambda texts: [[1.0] for _ in texts])
    list(other.search("hushhush"))
    assert traces(tmp_path, "hushhush") != []

    def forget(line: Line) -> list[Line]:
        return [] if "hushhush" in json.dumps(line).lower() else [line]

    assert store.rewrite(JOURNAL, forget, archive=False) == 2
    assert traces(tmp_path, "hushhush") == []
    assert "secret" not in [line["id"] for line in other.search("hushhush")]
    assert traces(tmp_path, "hushhush") == []


def test_damaged_lines_are_kept_or_asked_about(tmp_path: Path) -> None:
    """They may hold what has to be forgotten: then, and only then, the function decides."""
    store = filled(tmp_path, 3)
    with (tmp_path / "memory.jsonl").open("ab") as file:
        file.write(b'{"id":"torn","reason":"hushhush\n\xff\xfe\n')
    store.append(JOURNAL, [{"id": "last"}])
    asked: list[Line] = []

    def forget(line: Line) -> list[Line]:
        asked.append(line)
        return [] if "hushhush" in str(line) or line.get("id") == "r1" else [line]

    assert store.rewrite(JOURNAL, without("r0"), archive=True) == 1
    assert traces(tmp_path, "hushhush") == ["memory.jsonl"]
    assert store.rewrite(JOURNAL, forget, archive=False) >= 2
    assert traces(tmp_path, "hushhush") == []
    assert b"\xff\xfe\n" in (tmp_path / "memory.jsonl").read_bytes()
    assert [line["id"] for line in store.records()] == ["r2", "last"]
    assert {"damaged": '{"id":"torn","reason":"hushhush'} in asked


def test_a_torn_last_line_costs_itself(tmp_path: Path) -> None:
    """Of a writer who died; what is appended afterwards is whole."""
    store = filled(tmp_path, 3)
    with (tmp_path / "memory.jsonl").open("ab") as file:
        file.write(b'{"id":"torn","reas')
    assert store.rewrite(JOURNAL, without("r0"), archive=True) == 1
    store.append(JOURNAL, [{"id": "new"}])
    assert [line["id"] for line in store.records()] == ["r1", "r2", "new"]


# -- a session's log ---------------------------------------------------------------------------------


def test_a_sessions_log_is_rewritten_live_and_finished(tmp_path: Path) -> None:
    """All sessions of that name, and no other one; the session opens as before."""
    for done in (True, True, False):
        with ContextManager(8_000, store=tmp_path, session="s") as ctx:
            ctx.add([user("keep this"), user("the hushhush plan")])
            ctx.close(done=done)
    with ContextManager(8_000, store=tmp_path, session="other") as ctx:
        ctx.add(user("the hushhush plan"))
    store = FileStore(tmp_path)

    def change(line: Line) -> list[Line]:
        return [json.loads(json.dumps(line).replace("hushhush", "[forgotten]"))]

    assert store.rewrite("s", change, archive=True) == 3
    assert len(traces(tmp_path / "s", "hushhush")) == 1
    assert store.rewrite("s", change, archive=False) == 3
    assert traces(tmp_path, "hushhush") == ["other/log.jsonl"]
    with ContextManager.open(tmp_path, "s") as ctx:
        assert [message["content"] for message in ctx.messages] == ["keep this", "the [forgotten] plan"]


def test_a_session_that_is_at_work_goes_on(tmp_path: Path) -> None:
    """It writes by path: what it adds next stands in the new file."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.add(user("first"))
        FileStore(tmp_path).rewrite("s", lambda line: [{**line, "x": 1}], archive=True)
        ctx.add(user("second"))
    with ContextManager.open(tmp_path, "s") as ctx:
        assert [message["content"] for message in ctx.messages] == ["first", "second"]


def test_a_plain_name_is_needed(tmp_path: Path) -> None:
    """No way out of the store's directory."""
    with pytest.raises(StoreError, match="no plain name"):
        FileStore(tmp_path).rewrite("../x", every, archive=True)


# -- at any moment -----------------------------------------------------------------------------------


def test_a_function_that_raises_changes_nothing(tmp_path: Path) -> None:
    """Its error comes out; no file is left behind."""
    store = filled(tmp_path)
    before = (tmp_path / "memory.jsonl").read_bytes()

    def change(line: Line) -> list[Line]:
        return [] if line["id"] != "r9" else [1 / 0]  # type: ignore[list-item]

    with pytest.raises(ZeroDivisionError):
        store.rewrite(JOURNAL, change, archive=True)
    assert (tmp_path / "memory.jsonl").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["memory.jsonl"]


def test_a_rewrite_that_died_before_its_end_doubles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Archived, and not yet in place: the next one archives only what is missing, and clears up."""
    store = filled(tmp_path)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("context_kit.memory._files._rewrite._rename", die)
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        store.rewrite(JOURNAL, without("r3", "r4"), archive=True)
    assert len(list(tmp_path.glob(".memory.jsonl.*.new"))) == 1
    assert len(places(store)) == 30
    with (tmp_path / "archive" / "memory.jsonl").open("ab") as file:
        file.write(b'{"at":1,"id":"to')
    store.rewrite(JOURNAL, without("r3", "r4", "r8"), archive=True)
    kept = (tmp_path / "archive" / "memory.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["id"] for line in kept] == ["r3", "r4", "r8"]
    assert list(tmp_path.glob(".memory.jsonl.*.new")) == []


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    """`StoreError` with what to do; then it works again."""
    code = """
import resource, signal, sys
from context_kit import StoreError
from context_kit.memory import FileStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = FileStore(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    store.rewrite("", lambda line: [] if line["id"] == "r3" else [line], archive=True)
except StoreError as error:
    assert "make room" in str(error), error
else:
    raise AssertionError("the disk was full")
"""
    store = filled(tmp_path, 300)
    before = (tmp_path / "memory.jsonl").read_bytes()
    ran(code, str(tmp_path), "4000")
    assert (tmp_path / "memory.jsonl").read_bytes() == before
    assert list(tmp_path.glob(".*.new")) == []
    assert store.rewrite(JOURNAL, without("r3"), archive=True) == 1


def test_writers_in_other_threads_lose_nothing(tmp_path: Path) -> None:
    """They append while the journal is rewritten again and again, by two at once."""
    store, stop = filled(tmp_path), threading.Event()

    def write(name: str) -> None:
        for number in range(60):
            FileStore(tmp_path).append(JOURNAL, [{"id": f"{name}{number}"}])

    def tidy(mark: str) -> None:
        while not stop.is_set():
            FileStore(tmp_path).rewrite(
                JOURNAL, lambda line: [line if mark in line else {**line, mark: 1}], archive=True
            )

    writers = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    tidiers = [threading.Thread(target=tidy, args=(mark,)) for mark in ("one", "two")]
    for thread in [*writers, *tidiers]:
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in tidiers:
        thread.join()
    found = [line["id"] for line in store.read(JOURNAL)]
    assert sorted(found) == sorted(
        {*(f"r{at}" for at in range(30)), *(f"{name}{at}" for name in "abc" for at in range(60))}
    )
    assert list(tmp_path.glob(".*.new")) == []


KILLED = """
import sys, threading
from context_kit.memory import FileStore
folder, seed = sys.argv[1], int(sys.argv[2])
store = FileStore(folder)
def tidy():
    number = 0
    while True:
        number += 1
        store.rewrite("", lambda line: [] if line.get("n", 1) % 7 == number % 7 and line["kind"] == "old" else [line], archive=True)
        store.append("", [{"kind": "old", "n": number, "round": seed}])
threading.Thread(target=tidy, daemon=True).start()
for number in range(10_000):
    FileStore(folder).append("", [{"kind": "kept", "id": f"{seed}-{number}"}], sync=True)
    print(number, flush=True)
"""


def test_killed_at_any_moment_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path) -> None:
    """Kill -9 in the middle of rewriting and appending, several rounds; the store needs no repair."""
    rng = random.Random(5)
    told: set[str] = set()
    for seed in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path), str(seed)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert child.stdout is not None
        last, least = -1, rng.randrange(5, 60)
        for line in child.stdout:
            last = int(line)
            if last >= least:
                child.send_signal(signal.SIGKILL)
                break
        last = max([last, *map(int, child.stdout.read().split())])
        child.stdout.close()
        child.wait()
        told |= {f"{seed}-{number}" for number in range(last + 1)}
        found = [line["id"] for line in FileStore(tmp_path).records() if line["kind"] == "kept"]
        assert len(found) == len(set(found))
        assert told <= set(found)
        told |= set(found)
        assert len(list(FileStore(tmp_path).search("kept", limit=100_000))) == len(found)
    archived = [json.loads(line) for line in (tmp_path / "archive" / "memory.jsonl").read_text("utf-8").splitlines()]
    assert len(archived) == len({line["at"] for line in archived})
    assert [path.name for path in (tmp_path / "archive").iterdir()] == ["memory.jsonl"]
