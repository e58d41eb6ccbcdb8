"""What is on disk: whole lines, durable when acknowledged, one writer, nothing lost to damage."""

from __future__ import annotations

import json
import os
import secrets
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context_kit import ContextManager, Store, StoreError
from context_kit.memory import FileStore, PostgresStore, decode, encode_record
from context_kit.testing import user
from tests.talks import GOAL, SHAPES, looks, prints, ran, session, told

ROOT = Path(__file__).resolve().parents[1]


Stores = Callable[[], Store]
"""Opens one and the same store, as often as wanted."""


def log_of(folder: Path, name: str = "s") -> Path:
    return folder / name / "log.jsonl"


# -- lines -------------------------------------------------------------------------------------


def test_a_log_is_json_lines(tmp_path: Path) -> None:
    r"""One record a line, UTF-8, `\\n`; the first tells version and window."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add([user("你好 👩‍💻\u2028\u0085 line"), *looks("chat", 1)])
        ctx.compact()
    data = log_of(tmp_path).read_bytes()
    assert data.endswith(b"\n")
    lines = [json.loads(line) for line in data.split(b"\n")[:-1]]
    assert all(isinstance(line, dict) and line["k"] for line in lines)
    assert (lines[0]["k"], lines[0]["v"], lines[0]["window"]) == ("open", 1, 6_000)
    assert "你好 👩‍💻" in data.decode("utf-8")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(max_size=60), min_size=1, max_size=6))
def test_any_text_comes_back_as_it_was(stores: Stores, texts: list[str]) -> None:
    """Line breaks of every kind, NULs, lone surrogates: a line is a line."""
    name = secrets.token_hex(6)
    with ContextManager(60_000, store=stores(), session=name) as ctx:
        for text in texts:
            ctx.add(user(text))
        before = prints(ctx.messages)
    with ContextManager.open(stores(), name) as ctx:
        assert prints(ctx.messages) == before


@pytest.mark.parametrize("shape", SHAPES)
def test_a_whole_session_comes_back(shape: Any, stores: Stores) -> None:
    """Window, receipts, board, summary, usage: the same objects."""
    with ContextManager(6_000, store=stores(), session="s") as ctx:
        ctx.add(session(shape))
        ctx.pin("The port is 4711.", label="port")
        ctx.prepare()
        ctx.compact()
        kept = (prints(ctx.messages), ctx.compactions, ctx.engrams, ctx.summary, ctx.usage)
    with ContextManager.open(stores(), "s") as ctx:
        assert (prints(ctx.messages), ctx.compactions, ctx.engrams, ctx.summary, ctx.usage) == kept
        assert ctx.recall("m4")[0].text
        ctx.add([message for number in range(60, 72) for message in looks(shape, number)])
        assert ctx.compact().id == f"c{len(kept[1]) + 1}"


def test_records_survive_encoding_and_decoding(stores: Stores) -> None:
    """Every kind of record: decode(encode(log)) gives the same window and the same records."""
    ctx = ContextManager(6_000, store=stores(), session="s")
    ctx.add(session())
    ctx.record_usage(input_tokens=3_000)
    pin = ctx.pin("x")
    ctx.prepare()
    ctx.compact()
    ctx.release(pin.id)
    ctx.compact()
    log = ctx._session.log
    lines = [json.loads(json.dumps(encode_record(record))) for record in log.records]
    again = decode(lines, "s")
    assert again.view() == log.view()
    assert [encode_record(record) for record in again.records] == [encode_record(record) for record in log.records]
    ctx.close()


def test_unknown_records_and_keys_are_ignored(tmp_path: Path) -> None:
    """A newer minor version may have written more: what is known is read."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add(user(GOAL))
    lines = log_of(tmp_path).read_text("utf-8").splitlines()
    extra = [json.dumps({**json.loads(line), "later": {"x": 1}}) for line in lines]
    log_of(tmp_path).write_text("\n".join([*extra, '{"k": "mood", "of": "the day"}']) + "\n", "utf-8")
    with ContextManager.open(tmp_path, "s") as ctx:
        assert ctx.messages == [user(GOAL)]


def test_a_newer_schema_is_refused_with_advice(tmp_path: Path) -> None:
    """Guessing would corrupt: upgrade."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add(user(GOAL))
    data = log_of(tmp_path).read_text("utf-8").replace('"v":1', '"v":99', 1)
    log_of(tmp_path).write_text(data, "utf-8")
    with pytest.raises(StoreError, match="upgrade"):
        ContextManager.open(tmp_path, "s")


# -- damage --------------------------------------------------------------------------------------


def damaged(tmp_path: Path, damage: bytes) -> ContextManager:
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add([user(GOAL), *looks("chat", 1)])
    with log_of(tmp_path).open("ab") as file:
        file.write(damage)
    return ContextManager.open(tmp_path, "s")


@pytest.mark.parametrize(
    "damage",
    [
        b'{"k":"add","n":4,"m":{"role":"us',
        b"\x00" * 4_096,
        b"\xff\xfe\xfd",
        b"[1, 2]\n",
        b"garbage\n",
        b"\n\n\n",
        b'"text"\n',
    ],
    ids=["torn", "nuls", "bytes", "list", "garbage", "empty", "string"],
)
def test_a_damaged_last_line_is_set_aside(damage: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It costs itself and no other; it is reported; what is added next is a whole line again."""
    ctx = damaged(tmp_path, damage)
    assert prints(ctx.messages) == prints([user(GOAL), *looks("chat", 1)])
    assert ("damaged" in caplog.text) is bool(damage.strip())
    ctx.add(user("go on"))
    ctx.close()
    with ContextManager.open(tmp_path, "s") as again:
        assert again.messages[-1] == user("go on")


def test_damage_in_the_middle_costs_that_line_and_no_address(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is reported; what hangs on it is set aside with it; every other message keeps its address."""
    talk = [user(GOAL), *looks("chat", 1), user("go on"), *looks("chat", 2)]
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add(talk)
    lines = log_of(tmp_path).read_bytes().split(b"\n")
    lines[2] = lines[2][: len(lines[2]) // 2]
    log_of(tmp_path).write_bytes(b"\n".join(lines))
    with ContextManager.open(tmp_path, "s") as ctx:
        assert "damaged" in caplog.text
        assert prints(ctx.messages) == prints([talk[0], *talk[3:]])
        assert [piece.text for piece in ctx.recall("m6")] == [talk[5]["content"]]
        ctx.add(user("and now?"))
        assert ctx.recall("m7")[0].text == "and now?"
        assert ctx.prepare()[-1] == user("and now?")


def test_a_session_without_its_first_line_needs_a_window(tmp_path: Path) -> None:
    """Without it nothing tells the window; with one given, what is left opens."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add(user(GOAL))
    lines = log_of(tmp_path).read_bytes().split(b"\n")
    log_of(tmp_path).write_bytes(b"\n".join(lines[1:]))
    with pytest.raises(StoreError, match="first record"):
        ContextManager.open(tmp_path, "s")
    with ContextManager.open(tmp_path, "s", window=6_000) as ctx:
        assert ctx.messages == [user(GOAL)]


# -- the disk -------------------------------------------------------------------------------------


FULL_DISK = """
import resource, signal, sys
from context_kit import ContextManager, StoreError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ctx = ContextManager(60_000, store=sys.argv[1], session="s")
ctx.add({"role": "user", "content": "before"})
before = ctx.messages
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500, hard))
try:
    ctx.add({"role": "user", "content": "x" * 5_000})
except StoreError as error:
    assert "nothing was lost" in str(error), error
else:
    raise AssertionError("the disk was full")
assert ctx.messages == before, ctx.messages
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
ctx.add({"role": "user", "content": "after"})
ctx.close()
"""


def test_a_full_disk_loses_nothing_and_works_again(tmp_path: Path) -> None:
    """`StoreError`, the log as it was, no half line; once there is room the session goes on."""
    ran(FULL_DISK, str(tmp_path))
    with ContextManager.open(tmp_path, "s") as ctx:
        assert ctx.messages == [user("before"), user("after")]


def as_nobody() -> bool:
    """Whether this process is bound by file permissions."""
    return os.geteuid() != 0


@pytest.mark.skipif(not as_nobody(), reason="root may write read-only directories")
def test_a_read_only_directory_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """Whether the folder or the file can't be written: `StoreError`, and the window is as it was."""
    ctx = ContextManager(6_000, store=tmp_path, session="s")
    ctx.add(user(GOAL))
    log_of(tmp_path).chmod(0o400)
    with pytest.raises(StoreError, match="permissions"):
        ctx.add(user("more"))
    assert ctx.messages == [user(GOAL)]
    log_of(tmp_path).chmod(0o600)
    ctx.add(user("more"))
    assert ctx.messages == [user(GOAL), user("more")]
    ctx.close()
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="permissions|can be written"):
        ContextManager(6_000, store=tmp_path, session="t")
    tmp_path.chmod(0o700)


def test_a_log_that_cannot_be_opened_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """The file gives way to a directory (root has to obey that, too): `StoreError`, then on as before."""
    ctx = ContextManager(6_000, store=tmp_path, session="s")
    ctx.add(user(GOAL))
    log = log_of(tmp_path)
    log.rename(log.with_suffix(".away"))
    log.mkdir()
    with pytest.raises(StoreError, match="can't be opened"):
        ctx.add(user("more"))
    assert ctx.messages == [user(GOAL)]
    log.rmdir()
    log.with_suffix(".away").rename(log)
    ctx.add(user("more"))
    ctx.close()
    with ContextManager.open(tmp_path, "s") as again:
        assert again.messages == [user(GOAL), user("more")]


def test_a_store_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """With its path and what to do."""
    path = tmp_path / "file"
    path.write_text("x")
    with pytest.raises(StoreError, match="directory"):
        ContextManager(6_000, store=path, session="s")


def test_files_are_private_to_the_user(tmp_path: Path) -> None:
    """The log keeps the originals, secrets included: nobody else may read it."""
    with ContextManager(6_000, store=tmp_path / "store", session="s") as ctx:
        ctx.add(session())
        ctx.compact()
        ctx.memory.append(action="decide", reason="x")
    for path in (tmp_path / "store").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert stat.S_IMODE((tmp_path / "store").stat().st_mode) & 0o077 == 0


def test_a_failing_checkpoint_stops_the_compaction(tmp_path: Path) -> None:
    """Durable before the log moves: where the checkpoint can't be written, the window is as it was."""
    ctx = ContextManager(6_000, store=tmp_path, session="s")
    ctx.add(session())
    before = prints(ctx.messages)
    (tmp_path / "s" / "checkpoint.md").mkdir()
    with pytest.raises(StoreError):
        ctx.compact()
    assert prints(ctx.messages) == before
    (tmp_path / "s" / "checkpoint.md").rmdir()
    assert ctx.compact().outcome == "applied"
    told_ = (tmp_path / "s" / "checkpoint.md").read_text("utf-8")
    assert "src/calc.py" in told_
    assert told_.strip() in told(ctx.messages)
    ctx.close()


# -- one writer --------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_and_told_who_holds_the_session(stores: Stores) -> None:
    """By process and host; in the same process, too; another session is free."""
    ctx = ContextManager(6_000, store=stores(), session="s")
    with pytest.raises(StoreError, match=rf"held by process {os.getpid()} on host [^\"{{}}]+: close it"):
        ContextManager.open(stores(), "s")
    ContextManager(6_000, store=stores(), session="t").close()
    ctx.close()
    ContextManager.open(stores(), "s").close()


KILLED = """
import sys, time
from context_kit import ContextManager
ctx = ContextManager(6_000, store=sys.argv[1], session="s")
number = 0
while True:
    ctx.add({"role": "user", "content": f"message {number} " + "word " * 60})
    ctx.add({"role": "assistant", "content": f"answer {number}"})
    if number % 10 == 9:
        ctx.prepare()
        ctx.memory.append(action="decide", result=f"round {number}")
    number += 1
    print(number, flush=True)
"""


def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Kill -9 in the middle of the work: all that `add` returned for is there, and the dead holder's lock is free."""
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout is not None
    told_ = 0
    for line in child.stdout:
        told_ = int(line)
        if told_ == 60:
            with pytest.raises(StoreError, match=f"held by.*{child.pid}"):
                ContextManager.open(tmp_path, "s")
        if told_ >= 75:
            child.send_signal(signal.SIGKILL)
            break
    rest = child.stdout.read().split()
    child.stdout.close()
    child.wait()
    told_ = max([told_, *map(int, rest)])
    with ContextManager.open(tmp_path, "s") as ctx:
        entries = ctx._session.log.entries
        assert len(entries) >= 2 * told_
        assert [entry.message.text.split(" word")[0].strip() for entry in entries[: 2 * told_]] == [
            text for number in range(told_) for text in (f"message {number}", f"answer {number}")
        ]
        assert ctx.compactions
        assert len([record for record in ctx.memory.records("s") if record.action == "decide"]) >= told_ // 10
        assert ctx.prepare()


# -- the caller's own store -----------------------------------------------------------------------------


class ListStore:
    """A store of lists, as a user might write one."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {}
        self.locks: dict[str, threading.Lock] = {}
        self.broken = False

    def append(self, session: str, lines: Sequence[Mapping[str, Any]], /, *, sync: bool = False) -> None:
        if self.broken:
            msg = "the database is away: try again"
            raise StoreError(msg)
        self.lines.setdefault(session, []).extend(json.dumps(line) for line in lines)

    def read(self, session: str, /) -> Iterable[dict[str, Any]]:
        return [json.loads(line) for line in self.lines.get(session, [])]

    def search(self, query: str, /, *, limit: int = 20) -> Iterable[dict[str, Any]]:
        return [line for line in self.read("") if query in json.dumps(line)][:limit]

    @contextmanager
    def lock(self, session: str, /) -> Generator[None]:
        lock = self.locks.setdefault(session, threading.Lock())
        if not lock.acquire(blocking=False):
            msg = f"{session} is held by this process"
            raise StoreError(msg)
        try:
            yield
        finally:
            lock.release()

    def sessions(self) -> Sequence[str]:
        return sorted(name for name in self.lines if name)


def test_any_store_with_five_methods_will_do() -> None:
    """A session lives in it, survives in it, and compacts without a directory."""
    store: Store = ListStore()
    with ContextManager(6_000, store=store, session="s") as ctx:
        ctx.add(session())
        ctx.compact()
        ctx.memory.append(action="decide", reason="use decimals")
        before = prints(ctx.messages)
    with ContextManager.open(store, "s") as ctx:
        assert prints(ctx.messages) == before
        assert [record.reason for record in ctx.memory.search("decimals")] == ["use decimals"]


def test_a_store_that_fails_changes_nothing() -> None:
    """Its error comes out; the session works again as soon as the store does."""
    store = ListStore()
    ctx = ContextManager(6_000, store=store, session="s")
    ctx.add(session())
    before = prints(ctx.messages)
    store.broken = True
    for change in (lambda: ctx.add(user("x")), lambda: ctx.pin("x"), ctx.compact):
        with pytest.raises(StoreError, match="away"):
            change()
    assert prints(ctx.messages) == before
    assert ctx.engrams == ()
    store.broken = False
    assert ctx.compact().outcome == "applied"
    ctx.close()


def test_a_store_is_shared_by_sessions(stores: Stores) -> None:
    """Each has its log, all have one journal."""
    store = stores()
    with ContextManager(6_000, store=store, session="a") as one, ContextManager(6_000, store=store, session="b") as two:
        one.add(user("one"))
        two.add(user("two"))
        one.memory.append(action="decide", reason="first")
        two.memory.append(action="decide", reason="second")
        assert [record.session for record in one.memory.records()] == ["a", "b"]
        assert [record.reason for record in two.memory.records("a")] == ["first"]
    assert store.sessions() == ["a", "b"]


@pytest.mark.parametrize("name", ["archive", "memory.jsonl"])
def test_a_session_never_takes_a_name_of_the_store_itself(name: str, tmp_path: Path) -> None:
    """It is refused before anything is made, so that the other sessions go on."""
    with pytest.raises(StoreError, match="no plain name"):
        ContextManager(8_000, store=tmp_path, session=name)
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        assert ctx.memory.records() == ()


def test_a_finished_session_is_told_from_one_that_never_was(stores: Stores) -> None:
    """Where it is, and that a window starts a new one of its name."""
    store = stores()
    ContextManager(6_000, store=store, session="s").close(done=True)
    with pytest.raises(StoreError, match=r"finished and archived.*memory show.*give window"):
        ContextManager.open(store, "s")
    with pytest.raises(StoreError, match="is not in the store"):
        ContextManager.open(store, "t")


def test_every_finished_session_of_a_name_is_there_to_be_read(stores: Stores) -> None:
    """In the order in which they ended; the second one is `s~2`."""
    store = stores()
    for text in ("one", "two"):
        with ContextManager(6_000, store=store, session="s") as ctx:
            ctx.add(user(text))
            ctx.close(done=True)
    assert isinstance(store, (FileStore, PostgresStore))
    said = {name: [line["m"]["content"] for line in lines if line["k"] == "add"] for name, lines in store.ended()}
    assert said == {"s": ["one"], "s~2": ["two"]}
