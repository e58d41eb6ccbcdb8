"""What other sessions and agents wrote since the last look: each thing once, and nothing of one's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from context_kit import ContextManager, Store
from context_kit.memory import JOURNAL, FileStore, Memory
from context_kit.testing import user
from tests.test_store import ListStore

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["directory", "PostgreSQL", "plain store"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """A store with an index, and one that is read whole."""
    if request.param == "PostgreSQL":
        begin: Callable[[], Store] = request.getfixturevalue("postgres")
        return begin()
    return FileStore(tmp_path) if request.param == "directory" else ListStore()


def memory(store: Store | None, session: str) -> Memory:
    return Memory(session=session, agent="", store=store, redact=str)


def told(memory: Memory) -> list[str]:
    return [record.reason for record in memory.changes()]


def says(memory: Memory, *words: str) -> None:
    for word in words:
        memory.append(action="decide", reason=word)


def test_each_sees_what_the_others_wrote(store: Store) -> None:
    """Since it was opened, then since its last look; never its own, never twice."""
    one = memory(store, "a")
    says(one, "before")
    two = memory(store, "b")
    assert told(two) == []
    says(one, "first", "second")
    says(two, "mine")
    assert told(two) == ["first", "second"]
    assert told(two) == []
    assert told(one) == ["mine"]
    says(one, "third")
    assert told(two) == ["third"]


def test_two_objects_of_one_session_are_one_agent(store: Store) -> None:
    """What either wrote is no news to the other; a third session's is news to both."""
    one, two, other = memory(store, "a"), memory(store, "a"), memory(store, "b")
    says(one, "ours")
    says(other, "theirs")
    assert told(one) == told(two) == ["theirs"]


@pytest.mark.parametrize("given", [True, False], ids=["store", "in memory"])
def test_parent_and_fork_see_each_other(given: bool, tmp_path: Path) -> None:
    """A fork begins with what is known: only what comes later is news, both ways."""
    ctx = ContextManager(8_000, store=tmp_path if given else None, session="s")
    ctx.add(user("go"))
    ctx.memory.append(action="decide", reason="known")
    child = ctx.fork("part of it")
    assert told(child.memory) == []
    child.memory.append(action="decide", reason="from the child")
    ctx.memory.append(action="decide", reason="from the parent")
    assert told(ctx.memory) == ["from the child"]
    assert told(child.memory) == ["from the parent"]
    assert told(ctx.memory) == told(child.memory) == []
    child.close()
    ctx.close()


def test_where_nothing_happened_nothing_is_read(tmp_path: Path) -> None:
    """A look at the journal's size is all that it costs."""

    class Counting(FileStore):
        reads = 0

        def records(self, session: str | None = None, /, *, after: int = 0) -> Any:
            Counting.reads += 1
            return super().records(session, after=after)

    one, two = memory(Counting(tmp_path), "a"), memory(FileStore(tmp_path), "b")
    says(two, "news")
    assert told(one) == ["news"]
    before = Counting.reads
    assert [told(one) for _ in range(5)] == [[]] * 5
    assert Counting.reads == before


CHILD = """
import sys
from context_kit import ContextManager
with ContextManager(8_000, store=sys.argv[1], session=sys.argv[2]) as ctx:
    for number in range(5):
        ctx.memory.append(action="decide", reason=f"{sys.argv[2]} {number}")
    print([record.reason for record in ctx.memory.changes()])
"""


def test_other_processes_are_others(tmp_path: Path) -> None:
    """What they wrote is there when they said so, in their order."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        for name in ("one", "two"):
            subprocess.run([sys.executable, "-c", CHILD, str(tmp_path), name], check=True, cwd=ROOT, timeout=60)
            assert told(ctx.memory) == [f"{name} {number}" for number in range(5)]


def drop(name: str) -> Callable[[dict[str, Any]], list[dict[str, Any]]]:
    return lambda line: [] if line.get("reason") == name else [line]


@pytest.mark.parametrize("archive", [True, False])
def test_a_rewrite_brings_nothing_back_and_hides_nothing(archive: bool, tmp_path: Path) -> None:
    """Tidied or forgotten meanwhile: what was seen stays seen, what is new is told."""
    store = FileStore(tmp_path)
    one, two = memory(store, "a"), memory(FileStore(tmp_path), "b")
    says(two, "x", "y", "z")
    assert told(one) == ["x", "y", "z"]
    store.rewrite(JOURNAL, drop("z"), archive=archive)
    assert told(one) == []
    says(two, "unseen", "seen later")
    store.rewrite(JOURNAL, drop("unseen"), archive=archive)
    store.rewrite(JOURNAL, drop("x"), archive=archive)
    assert told(one) == ["seen later"]
    says(two, "last")
    assert told(one) == ["last"]


def deleted(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: data.find(b"\n") + 1])


@pytest.mark.parametrize("harm", [deleted, cut])
def test_a_journal_that_was_cut_by_hand_is_gone_on_with(harm: Callable[[Path], None], tmp_path: Path) -> None:
    """What is written from then on is told; what was told before is not."""
    one, two = memory(FileStore(tmp_path), "a"), memory(FileStore(tmp_path), "b")
    says(two, "x", "y", "z")
    assert told(one) == ["x", "y", "z"]
    harm(tmp_path / "memory.jsonl")
    assert told(one) == []
    says(two, "new")
    assert told(one) == ["new"]


def test_a_line_that_is_being_written_is_told_when_it_is_whole(tmp_path: Path) -> None:
    """Half of it is none."""
    one = memory(FileStore(tmp_path), "a")
    path = tmp_path / "memory.jsonl"
    with path.open("ab", buffering=0) as file:
        file.write(b'{"id":"r1","session":"b","rea')
        assert told(one) == []
        file.write(b'son":"whole"}\n')
    assert told(one) == ["whole"]
    assert told(one) == []


def test_a_session_of_an_old_name_begins_anew(tmp_path: Path) -> None:
    """Its journal is read back from its own start: what a finished one of that name wrote is none of its own."""
    for round_ in range(3):
        with ContextManager(8_000, store=tmp_path, session="s") as ctx:
            ctx.memory.append(action="decide", reason=f"round {round_}")
            at = ctx._session.log.opened
            assert [record.reason for record in ctx.memory.mine(since=at.since)] == [f"round {round_}"]
            ctx.close(done=True)
    assert len(list(FileStore(tmp_path).records("s"))) == 3


def test_a_session_opens_without_reading_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is: whoever reads it whole is caught."""
    FileStore(tmp_path).append(JOURNAL, [{"id": f"r{at}", "session": f"s{at}", "reason": "old"} for at in range(500)])

    def whole(self: FileStore, session: str, /) -> Any:
        assert session != JOURNAL
        return original(self, session)

    original = FileStore.read
    monkeypatch.setattr(FileStore, "read", whole)
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.memory.append(action="decide", reason="new")
        assert told(ctx.memory) == []
        assert len(ctx.memory.related("old")) == 20
    with ContextManager.open(tmp_path, "s") as ctx:
        assert [record.reason for record in ctx.memory.records("s")] == ["new"]
