"""The index of the journal: it finds what the journal holds, and is never the reason that something fails."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import StoreError
from context_kit.memory import JOURNAL, FileStore, Memory
from context_kit.typing import IndexedStore
from tests.talks import ran

ROOT = Path(__file__).resolve().parents[2]
WORDS = "parse header cache retry config session lock index 数据库 迁移 缓存 decimal money total".split()


def lines(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """Journal lines of three sessions."""
    rng = random.Random(seed)
    return [
        {
            "id": f"r{number}",
            "ts": f"2026-01-01T00:00:{number % 60:02}+00:00",
            "session": f"s{number % 3}",
            "action": ("edit", "run", "decide", "fail")[number % 4],
            "file": f"src/m{number}.py",
            "reason": " ".join(rng.choices(WORDS, k=5)) + f" number{number}",
        }
        for number in range(count)
    ]


def filled(folder: Path, count: int = 60) -> FileStore:
    store = FileStore(folder)
    store.append(JOURNAL, lines(count))
    return store


def ids(found: Iterable[dict[str, Any]]) -> list[str]:
    return [line["id"] for line in found]


def works(folder: Path, count: int = 60) -> None:
    """All that an index is for, by a store that is opened now."""
    store = FileStore(folder)
    assert ids(store.search("number7")) == ["r7"]
    assert ids(store.search("m8.py")) == ["r8"]
    assert ids(store.records("s1")) == [f"r{number}" for number in range(1, count, 3)]
    assert ids(store.related("number9 something else"))[0] == "r9"
    store.append(JOURNAL, [{"id": "new", "session": "s1", "reason": "appended later"}])
    assert ids(store.search("appended later")) == ["new"]
    assert ids(store.records("s1"))[-1] == "new"


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A journal of some lines is a large one."""
    if "portions" in request.keywords or "portions" in request.node.name:
        monkeypatch.setattr("context_kit.memory._index._fill.PORTION", 500)
        monkeypatch.setattr("context_kit.memory._index._fill.OLDER", 300)
        monkeypatch.setattr("context_kit.memory._index._fill.WHOLE", 700)
        monkeypatch.setattr("context_kit.memory._files._journal_file.NEAR", 0)


# -- what is found ---------------------------------------------------------------------------------


def test_a_directory_is_an_indexed_store(tmp_path: Path) -> None:
    """It has all the methods of the protocol."""
    assert isinstance(FileStore(tmp_path), IndexedStore)


def test_a_new_store_has_nothing(tmp_path: Path) -> None:
    """No journal, no index, no error; and looking makes no journal."""
    store = FileStore(tmp_path)
    assert (store.newest(), list(store.records()), list(store.records("s"))) == (0, [], [])
    assert (list(store.related("x", files=["a.py"])), list(store.search("x"))) == ([], [])
    assert not (tmp_path / "memory.jsonl").exists()


@pytest.mark.parametrize("portions", [False, True])
def test_records_of_a_session_are_those_of_all_that_are_its_own(tmp_path: Path, portions: bool) -> None:
    """From any position on, in their order; every line with its own position, which grows."""
    store = filled(tmp_path)
    every = list(store.records())
    assert [{key: value for key, value in line.items() if key != "at"} for line in every] == lines(60)
    positions = [line["at"] for line in every]
    assert positions == sorted(set(positions))
    assert positions[-1] == store.newest()
    for after in (0, 1, positions[10], positions[10] + 1, positions[-1], positions[-1] + 5):
        assert list(store.records(after=after)) == [line for line in every if line["at"] > after]
        for session in ("s0", "s2", "nobody"):
            own = [line for line in every if line["at"] > after and line["session"] == session]
            assert list(store.records(session, after=after)) == own, portions


@pytest.mark.parametrize("portions", [False, True])
def test_a_search_is_complete(tmp_path: Path, portions: bool) -> None:
    """However little of the journal was indexed before: the oldest line is found as well as the newest."""
    store = filled(tmp_path, 300)
    store.related("number1")
    for number in (0, 150, 299):
        assert ids(store.search(f"number{number}")) == [f"r{number}"], portions


def test_in_portions_the_newest_lines_are_known_first(tmp_path: Path) -> None:
    """A long journal without an index answers at once from its newest lines; each look knows more."""
    store = filled(tmp_path, 300)
    assert ids(store.related("number299 number0"))[0] == "r299"
    assert "r0" not in ids(store.related("number0"))
    looks = 0
    while "r0" not in ids(store.related("number0")):
        looks += 1
        assert looks < 300
    assert looks > 3


def test_all_words_come_first_then_some(tmp_path: Path) -> None:
    """And of lines that hold all of them the one about a file of that name."""
    store = FileStore(tmp_path)
    told = ["retry the cache", "cache", "retry", "nothing", "cache and retry and much more that is said of it here"]
    store.append(JOURNAL, [{"id": f"r{at}", "reason": text} for at, text in enumerate(told)])
    store.append(JOURNAL, [{"id": "file", "file": "src/cache.py", "reason": "retry"}])
    found = ids(store.search("retry cache"))
    assert found[0] == "file"
    assert set(found[:3]) == {"file", "r0", "r4"}
    assert set(found[3:]) == {"r1", "r2"}


@pytest.mark.parametrize("index", [True, False])
def test_a_record_is_found_by_its_id(index: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is told by whoever wrote it; before those that only speak of it."""
    if not index:
        monkeypatch.setitem(sys.modules, "sqlite3", None)
    store = filled(tmp_path)
    store.append(JOURNAL, [{"id": "other", "reason": "as r7 says"}])
    assert ids(store.search(" r7 ")) == ["r7", "other"]


def test_equal_lines_come_newest_first(tmp_path: Path) -> None:
    """In a search as in what is related; and no more than were asked for."""
    store = FileStore(tmp_path)
    store.append(JOURNAL, [{"id": f"r{number}", "reason": "the same words"} for number in range(9)])
    assert ids(store.search("same words", limit=3)) == ["r8", "r7", "r6"]
    assert ids(store.related("same words", limit=3)) == ["r8", "r7", "r6"]


def test_related_lines_are_of_others_and_of_these_actions(tmp_path: Path) -> None:
    """Best first, each with its score."""
    store = filled(tmp_path)
    found = list(store.related("parse the header of the config", without="s1", actions=["decide", "fail"], limit=50))
    assert found
    assert {line["session"] for line in found} <= {"s0", "s2"}
    assert {line["action"] for line in found} <= {"decide", "fail"}
    scores = [line["score"] for line in found]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_a_busy_session_does_not_hide_the_others(tmp_path: Path) -> None:
    """However many newer lines of one's own have the same words."""
    store = FileStore(tmp_path)
    store.append(JOURNAL, [{"id": "theirs", "session": "a", "action": "decide", "reason": "cache the header"}])
    own = [{"id": f"o{at}", "session": "b", "action": "edit", "reason": "cache the header"} for at in range(1_000)]
    store.append(JOURNAL, own)
    assert ids(store.related("cache header", without="b")) == ["theirs"]
    assert ids(store.related("cache header", actions=["decide"])) == ["theirs"]


def test_a_line_about_the_file_ranks_higher(tmp_path: Path) -> None:
    """First the same path, however it begins, then the same name, then the words."""
    store = FileStore(tmp_path)
    store.append(
        JOURNAL,
        [
            {"id": "path", "file": "src/app/calc.py", "reason": "x"},
            {"id": "name", "file": "old/calc.py", "reason": "x"},
            {"id": "words", "file": "other.py", "reason": "money totals"},
            {"id": "none", "file": "none.py", "reason": "y"},
        ],
    )
    found = ids(store.related("money", files=["/srv/app/src/app/calc.py"]))
    assert found == ["path", "name", "words"]


def test_words_of_every_field_are_found(tmp_path: Path) -> None:
    """The second article's two lines, with fields that nobody here knows."""
    store = FileStore(tmp_path)
    store.append(JOURNAL, [{"ts": "2024", "action": "edit", "files": ["a/b.py", 7], "note": {"deep": "treasure"}}])
    assert len(list(store.search("b.py"))) == len(list(store.search("treasure"))) == 1


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_query_is_words(query: str) -> None:
    """Quotes, operators, wildcards, NULs and lone surrogates are no syntax and no error."""
    with tempfile.TemporaryDirectory() as name:
        store = FileStore(name)
        store.append(JOURNAL, [{"id": "r", "session": query, "action": query, "file": query, "reason": query}])
        assert len(list(store.related(query, files=[query], without="other", actions=[query]))) <= 1
        assert ids(store.search(query)) in ([], ["r"])
        assert len(list(store.records(query))) == 1


@pytest.mark.parametrize(
    "query", ['"', "a AND", "NOT x", "NEAR(a b)", "file:x", "*", "a*", "^a", "-a", "{a b}: c", "''"]
)
def test_a_search_has_no_syntax(query: str, tmp_path: Path) -> None:
    """What FTS5 reads as operators are words like others."""
    store = filled(tmp_path)
    list(store.search(query))
    list(store.related(query, files=[query], without=query, actions=[query]))


def test_a_long_query_is_asked_by_its_first_words(tmp_path: Path) -> None:
    """A whole page of text is a query, too."""
    store = filled(tmp_path)
    page = " ".join(f"number{number % 60} src/m{number}.py" for number in range(5_000))
    assert len(list(store.search(page))) == 20
    assert len(list(store.related(page, files=[f"src/m{number}.py" for number in range(1_000)]))) == 20


# -- what happens to the files ------------------------------------------------------------------------


def no_index(folder: Path) -> None:
    for path in folder.glob("index.sqlite3*"):
        path.unlink()


def garbage(folder: Path) -> None:
    no_index(folder)
    (folder / "index.sqlite3").write_bytes(b"no database at all " * 500)


def half(folder: Path) -> None:
    data = (folder / "index.sqlite3").read_bytes()
    (folder / "index.sqlite3").write_bytes(data[: len(data) // 2 + 100])


def scrambled(folder: Path) -> None:
    data = bytearray((folder / "index.sqlite3").read_bytes())
    data[4_096:] = random.Random(3).randbytes(len(data) - 4_096)
    (folder / "index.sqlite3").write_bytes(bytes(data))


def empty(folder: Path) -> None:
    (folder / "index.sqlite3").write_bytes(b"")


def other_tables(folder: Path) -> None:
    no_index(folder)
    with sqlite3.connect(folder / "index.sqlite3") as database:
        database.execute("CREATE TABLE lines(x)")
    database.close()


def without_a_table(folder: Path) -> None:
    with sqlite3.connect(folder / "index.sqlite3") as database:
        database.execute("DROP TABLE covered")
    database.close()


def newer(folder: Path) -> None:
    with sqlite3.connect(folder / "index.sqlite3") as database:
        database.execute("PRAGMA user_version = 999")
    database.close()


def folder_in_its_place(folder: Path) -> None:
    no_index(folder)
    (folder / "index.sqlite3").mkdir()


def no_shared_memory(folder: Path) -> None:
    """As on a file system without what a write-ahead log needs."""
    no_index(folder)
    (folder / "index.sqlite3-shm").mkdir()
    (folder / "index.sqlite3-wal").mkdir()


def another_projects(folder: Path) -> None:
    no_index(folder)
    with tempfile.TemporaryDirectory() as name:
        other = FileStore(name)
        other.append(JOURNAL, lines(90, seed=8))
        list(other.search("parse"))
        other._index.close()
        (folder / "index.sqlite3").write_bytes((Path(name) / "index.sqlite3").read_bytes())


BREAKS = [
    no_index,
    garbage,
    half,
    scrambled,
    empty,
    other_tables,
    without_a_table,
    newer,
    folder_in_its_place,
    no_shared_memory,
    another_projects,
]


@pytest.mark.parametrize("harm", BREAKS, ids=lambda harm: harm.__name__)
def test_a_harmed_index_is_made_anew_or_done_without(harm: Callable[[Path], None], tmp_path: Path) -> None:
    """The journal is the truth: the same answers, before and after, and appends go on."""
    store = filled(tmp_path)
    list(store.search("parse"))
    store._index.close()
    harm(tmp_path)
    works(tmp_path)


@pytest.mark.parametrize("harm", [no_index, garbage, half, scrambled, empty], ids=lambda harm: harm.__name__)
def test_an_index_harmed_while_it_is_open_fails_nobody(harm: Callable[[Path], None], tmp_path: Path) -> None:
    """Whatever an open store makes of it, it answers; one that is opened later answers rightly."""
    store = filled(tmp_path)
    list(store.search("parse"))
    harm(tmp_path)
    store.append(JOURNAL, [{"id": "more", "reason": "more"}])
    assert "r7" in ids(store.search("number7"))
    assert ids(store.related("number8"))[:1] == ["r8"]
    assert ids(store.records("s1")) == [f"r{number}" for number in range(1, 60, 3)]
    assert ids(FileStore(tmp_path).search("number9")) == ["r9"]


def test_a_newer_index_is_left_alone(tmp_path: Path) -> None:
    """A newer version made it; this one keeps its own in memory."""
    store = filled(tmp_path)
    list(store.search("parse"))
    store._index.close()
    newer(tmp_path)
    before = (tmp_path / "index.sqlite3").read_bytes()
    assert ids(FileStore(tmp_path).search("number7")) == ["r7"]
    assert (tmp_path / "index.sqlite3").read_bytes() == before


def test_without_fts5_the_journal_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slower, with the same answers."""
    monkeypatch.setattr("context_kit.memory._index._tables.TABLES", "CREATE VIRTUAL TABLE found USING fts5x(a);")
    filled(tmp_path)
    works(tmp_path)


def test_without_sqlite_the_journal_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that was built without it will do."""
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    filled(tmp_path)
    works(tmp_path)


def truncated(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: data.rfind(b"\n", 0, len(data) // 2) + 1])


def swapped(path: Path) -> None:
    other = [json.dumps(line) + "\n" for line in lines(80, seed=9)]
    path.write_text("".join(other[40:]), "utf-8")


def line_gone(path: Path) -> None:
    """As an editor leaves it: another file."""
    data = path.read_bytes().split(b"\n")
    fresh = path.with_suffix(".fresh")
    fresh.write_bytes(b"\n".join(data[:5] + data[6:]))
    fresh.replace(path)


def overwritten(path: Path) -> None:
    """Garbage in the middle, of the same length."""
    data = path.read_bytes().split(b"\n")
    data[7] = b"\xff" * len(data[7])
    path.write_bytes(b"\n".join(data))


@pytest.mark.parametrize("harm", [Path.unlink, truncated, swapped, line_gone, overwritten])
def test_a_journal_changed_by_hand_is_seen_as_it_is(harm: Callable[[Path], None], tmp_path: Path) -> None:
    """Under an open index: deleted, cut, another one, an edited one. What is found stands in it."""
    store = filled(tmp_path)
    list(store.search("parse"))
    harm(tmp_path / "memory.jsonl")
    left = {line["id"]: line for line in FileStore(tmp_path).read(JOURNAL)}
    for number in (0, 5, 7, 20, 45, 59, 79):
        name = f"r{number}"
        assert ids(store.search(f"number{number}")) == ([name] if name in left else [])
        assert (ids(store.related(f"number{number}")) or [""])[0] == (name if name in left else "")
    for session in ("s0", "s1"):
        assert ids(store.records(session)) == [name for name, line in left.items() if line["session"] == session]
    store.append(JOURNAL, [{"id": "new", "session": "s1", "reason": "begun again"}])
    assert ids(store.search("begun again")) == ["new"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.newest(),
        lambda store: list(store.records()),
        lambda store: list(store.records("s")),
        lambda store: store.search("x"),
        lambda store: store.related("x"),
    ],
    ids="newest records session search related".split(),
)
def test_a_journal_that_cannot_be_read_is_told(ask: Callable[[FileStore], object], tmp_path: Path) -> None:
    """A directory in its place, which root has to obey as well: `StoreError`, whatever is asked."""
    (tmp_path / "memory.jsonl").mkdir()
    with pytest.raises(StoreError, match="can't be read"):
        ask(FileStore(tmp_path))


def test_a_line_taken_back_is_not_found(tmp_path: Path) -> None:
    """An append that failed after a reader saw it: what takes its place is found instead."""
    store = filled(tmp_path)
    size = (tmp_path / "memory.jsonl").stat().st_size
    store.append(JOURNAL, [{"id": "gone", "reason": "taken back"}])
    assert ids(store.search("taken back")) == ["gone"]
    os.truncate(tmp_path / "memory.jsonl", size)
    store.append(JOURNAL, [{"id": "kept", "reason": "put there"}])
    assert ids(store.search("taken back")) == []
    assert ids(store.search("put there")) == ["kept"]


@pytest.mark.parametrize(
    "damage",
    [b'{"id":"torn","reas', b"\x00" * 3_000, b"\xff\xfe\n", b"[1,2]\n", b"\n\n", b"[" * 100_000 + b"\n", b'"x"\n'],
    ids=["torn", "nuls", "bytes", "list", "empty", "deep", "text"],
)
def test_damage_costs_itself(damage: bytes, tmp_path: Path) -> None:
    """A torn last line, garbage in the middle: every other line is found, before and after it."""
    store = filled(tmp_path)
    with (tmp_path / "memory.jsonl").open("ab") as file:
        file.write(damage)
    assert ids(store.search("number59")) == ["r59"]
    works(tmp_path)


def test_a_huge_line_and_a_surrogate_are_lines(tmp_path: Path) -> None:
    """Found by how it begins; those around it as always."""
    store = filled(tmp_path)
    store.append(JOURNAL, [{"id": "huge", "session": "s1", "reason": "mountain " + "word " * 1_000_000}])
    store.append(JOURNAL, [{"id": "half", "session": "s\ud800", "file": "\udfff.py", "reason": "broken \ud83d letter"}])
    assert ids(store.search("mountain")) == ["huge"]
    assert ids(store.related("mountain")) == ["huge"]
    assert ids(store.search("broken letter")) == ["half"]
    assert ids(store.records("s\ud800")) == ["half"]
    assert ids(store.records("s1"))[-1] == "huge"


def test_a_clock_that_goes_back_changes_no_order(tmp_path: Path) -> None:
    """What was written later is newer."""
    store = FileStore(tmp_path)
    for year in (2030, 2020, 2025):
        store.append(JOURNAL, [{"id": str(year), "ts": f"{year}-01-01T00:00:00+00:00", "reason": "same"}])
    assert ids(store.search("same")) == ["2025", "2020", "2030"]


FULL = """
import resource, signal, sys
from context_kit.memory import FileStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = FileStore(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
assert [line["id"] for line in store.search("number7")] == ["r7"]
assert len(list(store.records("s1"))) == 20
assert [line["id"] for line in store.related("number8")][0] == "r8"
store.append("", [{"id": "then", "reason": "there was room"}])
assert [line["id"] for line in store.search("room was there")] == ["then"]
"""


@pytest.mark.parametrize("room", [12_000, 20_000, 30_000])
def test_a_disk_that_is_full_of_index_fails_no_search(room: int, tmp_path: Path) -> None:
    """The journal has room, the index has not: it is kept in memory."""
    filled(tmp_path)
    ran(FULL, str(tmp_path), str(room))
    works(tmp_path)


READ_ONLY = """
import os, sqlite3, sys
from context_kit.memory import FileStore
os.setgid(65534), os.setuid(65534)
store = FileStore(sys.argv[1])
assert [line["id"] for line in store.search("number7")] == ["r7"]
assert len(list(store.records("s1"))) == 20
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed")
@pytest.mark.parametrize("indexed", [False, True])
def test_a_directory_that_can_only_be_read_is_searched(indexed: bool, tmp_path: Path) -> None:
    """The index is kept in memory; nothing is written."""
    with tempfile.TemporaryDirectory() as name:
        store = filled(Path(name) / "store")
        if indexed:
            list(store.search("parse"))
        store._index.close()
        for path in (Path(name), *Path(name).rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        before = sorted(path.name for path in (Path(name) / "store").iterdir())
        ran(READ_ONLY, str(Path(name) / "store"))
        assert sorted(path.name for path in (Path(name) / "store").iterdir()) == before


def test_its_files_are_private(tmp_path: Path) -> None:
    """The index tells what the journal says: the log of the database, too."""
    store = filled(tmp_path / "store")
    list(store.search("parse"))
    found = list((tmp_path / "store").glob("index.sqlite3*"))
    assert len(found) == 3
    assert {path.stat().st_mode & 0o777 for path in found} == {0o600}


def test_sqlite_is_loaded_by_those_who_have_a_store() -> None:
    """Not by the import, and not by a session in memory."""
    code = """
import sys
from context_kit import ContextManager
import context_kit.memory
with ContextManager(8_000) as ctx:
    ctx.add({"role": "user", "content": "x"})
    ctx.memory.append(action="decide", reason="x")
    assert ctx.memory.search("x")
assert "sqlite3" not in sys.modules
"""
    ran(code)


def test_many_threads_share_one_store(tmp_path: Path) -> None:
    """Each finds what it wrote itself as soon as it is written."""
    store = FileStore(tmp_path)
    failed: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for number in range(15):
                store.append(
                    JOURNAL, [{"id": f"{name}-{number}", "session": f"t{name}", "reason": f"word{name}x{number}"}]
                )
                assert ids(store.search(f"word{name}x{number}")) == [f"{name}-{number}"]
                assert len(list(store.records(f"t{name}"))) == number + 1
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_opens_the_index_for_itself(tmp_path: Path) -> None:
    """Parent and child go on, each with a connection of its own."""
    store = filled(tmp_path)
    list(store.search("parse"))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            store.append(JOURNAL, [{"id": "child", "reason": "from below"}])
            code = 0 if ids(store.search("from below")) == ["child"] else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert ids(store.search("from below")) == ["child"]
    works(tmp_path)


# -- by meaning --------------------------------------------------------------------------------------

MEANINGS = {"car": (1.0, 0.1), "automobile": (1.0, 0.0), "vehicle": (0.9, 0.1), "banana": (0.0, 1.0)}


def embed(texts: Sequence[str]) -> list[tuple[float, float]]:
    """A toy: texts about the same thing point the same way."""
    return [next((MEANINGS[word] for word in MEANINGS if word in text), (-1.0, -1.0)) for text in texts]


def told(folder: Path, function: Any) -> FileStore:
    store = FileStore(folder, embed=function)
    for at, word in enumerate(("banana", "car", "vehicle", "stone")):
        store.append(JOURNAL, [{"id": word, "session": f"s{at}", "action": "decide", "reason": f"the {word} is red"}])
    return store


def test_lines_are_found_by_what_they_mean(tmp_path: Path) -> None:
    """No word in common, and yet: nearest first, others' only, in a search as well."""
    store = told(tmp_path, embed)
    assert ids(store.related("automobile"))[:2] == ["car", "vehicle"]
    assert "banana" not in ids(store.related("automobile"))
    assert ids(store.related("automobile", without="s1")) == ["vehicle"]
    assert ids(store.related("automobile", actions=["edit"])) == []
    assert ids(store.search("automobile"))[:2] == ["car", "vehicle"]
    assert ids(store.search("stone"))[0] == "stone"


def test_a_line_is_given_to_the_function_once(tmp_path: Path) -> None:
    """Its vector is kept, over a rewrite of other lines and by the next process, too."""
    asked: list[str] = []

    def counting(texts: Sequence[str]) -> list[tuple[float, float]]:
        asked.extend(texts)
        return embed(texts)

    store = told(tmp_path, counting)
    list(store.related("automobile"))
    list(store.search("automobile"))
    store.rewrite(JOURNAL, lambda line: [] if line["id"] == "stone" else [line], archive=True)
    list(FileStore(tmp_path, embed=counting).related("automobile"))
    assert sorted(text for text in asked if text != "automobile") == sorted(
        f"decide the {word} is red" for word in ("banana", "car", "vehicle", "stone")
    )


def test_what_is_forgotten_meanwhile_gets_no_vector(tmp_path: Path) -> None:
    """The function takes its time; the journal is rewritten before it answers."""
    other = FileStore(tmp_path)

    def slow(texts: Sequence[str]) -> list[tuple[float, float]]:
        other.rewrite(JOURNAL, lambda line: [] if line["id"] == "car" else [line], archive=False)
        return embed(texts)

    store = told(tmp_path, slow)
    list(store.related("automobile"))
    with sqlite3.connect(tmp_path / "index.sqlite3") as database:
        assert database.execute("SELECT count(*) FROM vectors").fetchone() == (0,)
    database.close()
    assert "car" not in ids(store.related("automobile"))


@pytest.mark.parametrize(
    "bad",
    [
        lambda _: 1 / 0,
        lambda _: None,
        lambda _: [],
        lambda texts: [[] for _ in texts],
        lambda texts: [["x"] for _ in texts],
        lambda texts: [[float("nan")] for _ in texts],
        lambda texts: [[float("inf"), 1.0] for _ in texts],
        lambda texts: [[0.0, 0.0] for _ in texts],
        lambda texts: [[1.0] * (1 + at) for at, _ in enumerate(texts)],
        lambda texts: [[1.0]] * (len(texts) + 1),
        lambda texts: [[1e300, 1e300] for _ in texts],
    ],
    ids="raises none nothing empty text nan infinite zero ragged more overflow".split(),
)
def test_a_function_that_fails_is_reported_and_left_out(
    bad: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The words alone decide."""
    store = told(tmp_path, bad)
    assert ids(store.related("banana")) == ids(told(tmp_path / "plain", None).related("banana"))
    assert ids(store.search("red car"))[0] == "car"
    assert "embed" in caplog.text


def test_a_function_that_changes_its_length_is_borne(tmp_path: Path) -> None:
    """Vectors of another length are not compared."""
    told(tmp_path, embed)
    list(FileStore(tmp_path, embed=embed).related("automobile"))
    store = FileStore(tmp_path, embed=lambda texts: [[1.0, 2.0, 3.0] for _ in texts])
    assert ids(store.related("banana"))[0] == "banana"


# -- what the session makes of it ---------------------------------------------------------------------


def test_the_memory_of_a_session_tells_what_others_know(tmp_path: Path) -> None:
    """Other sessions' records about words and files, with their scores; the same from a plain store."""
    store = filled(tmp_path)
    memory = Memory(session="s1", agent="", store=store, redact=str)
    found = memory.related("number9 and number10", files=["m12.py"], limit=3)
    assert {record.id for record, _ in found[:2]} == {"r9", "r12"}
    assert all(score > 0 for _, score in found)
    assert "s1" not in {record.session for record, _ in memory.related(" ".join(WORDS))}
