"""A session on disk meets what disks and systems do: kills, forks, copies, older versions, loose rights."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from context_kit import ContextManager, StoreError
from context_kit.cli import main
from context_kit.memory import FileStore, forget, tidy
from context_kit.testing import user
from tests.talks import GOAL, looks, prints, session

ROOT = Path(__file__).resolve().parents[1]


def log_of(folder: Path, name: str = "s") -> Path:
    return folder / name / "log.jsonl"


def modes(folder: Path) -> dict[str, int]:
    """Rights of everything in a folder, itself included."""
    return {str(path): stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}


# -- killed at the first moment ------------------------------------------------------------------


@pytest.mark.parametrize("begun", [b"", b'{"k":"open","v":1,"win', b"\x00" * 512], ids=["empty", "torn", "nuls"])
def test_a_session_whose_first_record_was_never_acknowledged_is_none(begun: bytes, tmp_path: Path) -> None:
    """Killed while it was started: it is started again, by either way, with nothing to mend."""
    for name in ("s", "t"):
        (tmp_path / name).mkdir()
        log_of(tmp_path, name).write_bytes(begun)
    assert FileStore(tmp_path).sessions() == []
    with pytest.raises(StoreError, match="give window or model"):
        ContextManager.open(tmp_path, "s")
    with (
        ContextManager.open(tmp_path, "s", window=6_000) as one,
        ContextManager(6_000, store=tmp_path, session="t") as two,
    ):
        one.add(user(GOAL))
        two.add(user(GOAL))
    assert [ContextManager.open(tmp_path, name).messages for name in ("s", "t")] == [[user(GOAL)]] * 2


def test_drafts_of_the_dead_never_pile_up(tmp_path: Path) -> None:
    """What a killed process began to write is gone once the session is held again."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add(user(GOAL))
    (tmp_path / "s" / ".checkpoint.md.new").write_text("half a che")
    (tmp_path / "s" / ".checkpoint.md.4711.new").write_text("half a che")
    ContextManager.open(tmp_path, "s").close()
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["lock", "log.jsonl"]


FORKED = """
import os, sys, time
from context_kit import ContextManager
ctx = ContextManager(6_000, store=sys.argv[1], session="s")
ctx.add({"role": "user", "content": "kept"})
if os.fork() == 0:
    print("child", os.getpid(), flush=True)
    time.sleep(60)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system doesn't fork")
def test_a_fork_that_outlives_the_writer_does_not_hold_its_session(tmp_path: Path) -> None:
    """Worker processes inherit open files: the lock ends with its holder all the same."""
    holder = subprocess.Popen(
        [sys.executable, "-c", FORKED, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert holder.stdout is not None
    child = int(holder.stdout.readline().split()[1])
    try:
        with pytest.raises(StoreError, match=f"held by.*{holder.pid}"):
            ContextManager.open(tmp_path, "s")
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with ContextManager.open(tmp_path, "s") as ctx:
            assert ctx.messages == [user("kept")]
    finally:
        os.kill(child, signal.SIGKILL)
        holder.stdout.close()


@pytest.mark.parametrize("told", ["", "garbage", '{"process": 1, "host": "elsewhere"}'])
def test_a_stale_lock_is_taken_over(told: str, tmp_path: Path) -> None:
    """The file that a dead holder left says nothing about now."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add(user(GOAL))
    (tmp_path / "s" / "lock").write_text(told)
    with ContextManager.open(tmp_path, "s") as ctx:
        ctx.add(user("on"))
    assert str(os.getpid()) in (tmp_path / "s" / "lock").read_text()


# -- moved, deleted, linked ------------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["moved", "deleted"])
def test_a_store_that_goes_away_while_it_is_open_is_told(lost: str, tmp_path: Path) -> None:
    """A log that is begun anew in its old place would be torn in two: nothing is acknowledged or made there."""
    store = tmp_path / "store"
    ctx = ContextManager(6_000, store=store, session="s")
    ctx.add(user(GOAL))
    store.rename(tmp_path / "other")
    if lost == "deleted":
        shutil.rmtree(tmp_path / "other")
    acts: list[Callable[[], object]] = [
        lambda: ctx.add(user("on")),
        lambda: ctx.memory.append(action="decide", reason="r"),
        ctx.compact,
    ]
    for act in acts:
        with pytest.raises(StoreError, match="moved or deleted"):
            act()
    with suppress(StoreError):  # what it had to write has no place any more
        ctx.close()
    assert not store.exists()
    if lost == "moved":
        with ContextManager.open(tmp_path / "other", "s") as ctx:
            assert ctx.messages == [user(GOAL)]


def test_finishing_a_session_is_no_loss_for_the_others_of_its_store(tmp_path: Path) -> None:
    """Its directory moves to the archive; who shares the store object goes on."""
    store = FileStore(tmp_path)
    first, second = (ContextManager(6_000, store=store, session=name) for name in "ab")
    first.add(user(GOAL))
    first.close(done=True)
    second.add(user("on"))
    second.memory.append(action="decide", reason="r")
    second.close()
    assert store.finished() == ["a"]


# -- opened again ----------------------------------------------------------------------------------


def test_the_next_request_is_the_same_bytes_after_a_reopen(tmp_path: Path) -> None:
    """Window, ledger with what it learnt, receipts: a session doesn't notice that it was closed."""
    talk = session()
    half = len(talk) // 2

    def drive(ctx: ContextManager, numbers: range) -> None:
        for number in numbers:
            ctx.prepare()
            ctx.add(talk[number])
            if number % 7 == 3:
                ctx.record_usage(input_tokens=ctx.usage.tokens * 13 // 10)

    whole = ContextManager(6_000, session="s")
    drive(whole, range(len(talk)))
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        drive(ctx, range(half))
    with ContextManager.open(tmp_path, "s") as ctx:
        drive(ctx, range(half, len(talk)))
        assert prints(ctx.prepare()) == prints(whole.prepare())
        assert ctx.usage == whole.usage
        assert [receipt.kept for receipt in ctx.compactions] == [receipt.kept for receipt in whole.compactions]


def version_0(folder: Path) -> None:
    """Make a session's log as the oldest version wrote it: no version, no budget, no tokens."""
    lines = [json.loads(line) for line in log_of(folder).read_text("utf-8").splitlines()]
    old = [{key: value for key, value in line.items() if key not in ("v", "budget", "t")} for line in lines]
    log_of(folder).write_text("".join(json.dumps(line) + "\n" for line in old), "utf-8")


def test_a_log_of_an_older_schema_is_read_and_goes_on_in_the_new_one(tmp_path: Path) -> None:
    """Its lines stay as they are; what is appended follows a line that tells the version of today."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add([user(GOAL), *looks("chat", 1)])
        before = (prints(ctx.messages), ctx.usage)
    version_0(tmp_path)
    old = log_of(tmp_path).read_bytes()
    with ContextManager.open(tmp_path, "s") as ctx:
        assert (prints(ctx.messages), ctx.usage) == before
        ctx.add(user("on"))
    assert log_of(tmp_path).read_bytes().startswith(old)
    more = [json.loads(line) for line in log_of(tmp_path).read_bytes()[len(old) :].splitlines()]
    assert [(line["k"], line.get("v")) for line in more] == [("open", 1), ("add", None)]
    with ContextManager.open(tmp_path, "s") as ctx:
        assert prints(ctx.messages) == [*before[0], *prints([user("on")])]


def test_a_newer_schema_is_refused_before_anything_of_it_is_read(tmp_path: Path) -> None:
    """Its first line may say things that this version has no words for."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        ctx.add(user(GOAL))
    lines = log_of(tmp_path).read_text("utf-8").splitlines()
    lines[0] = json.dumps({"k": "open", "v": 2, "window": {"tokens": 6_000}, "budget": "default"})
    log_of(tmp_path).write_text("\n".join(lines) + "\n", "utf-8")
    before = log_of(tmp_path).read_bytes()
    with pytest.raises(StoreError, match=r"'s'.*newer version.*upgrade"):
        ContextManager.open(tmp_path, "s")
    assert log_of(tmp_path).read_bytes() == before


# -- private ---------------------------------------------------------------------------------------


@pytest.fixture
def loose_umask() -> Any:
    mask = os.umask(0)
    yield
    os.umask(mask)


@pytest.mark.usefixtures("loose_umask")
def test_whatever_the_umask_files_are_0600_and_directories_0700(tmp_path: Path) -> None:
    """Parents that had to be made, too."""
    with ContextManager(6_000, store=tmp_path / "a" / "b" / "store", session="s") as ctx:
        ctx.add(session())
        ctx.compact()
        ctx.memory.append(action="decide", reason="x")
    with ContextManager.open(tmp_path / "a" / "b" / "store", "s") as ctx:
        ctx.memory.search("x")
        ctx.close(done=True)
    found = modes(tmp_path / "a")
    assert {path: mode for path, mode in found.items() if mode != (0o700 if Path(path).is_dir() else 0o600)} == {}


def test_rights_that_a_copy_loosened_are_taken_back(tmp_path: Path) -> None:
    """A store restored from a backup: files are private again once they are written, session folders once held."""
    store = tmp_path / "store"
    with ContextManager(6_000, store=store, session="s") as ctx:
        ctx.add(user(GOAL))
        ctx.memory.append(action="decide", reason="x")
    for path in store.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with ContextManager.open(store, "s") as ctx:
        ctx.add(user("on"))
        ctx.memory.append(action="decide", reason="y")
    found = {Path(path).name: mode for path, mode in modes(store).items()}
    assert (found["log.jsonl"], found["memory.jsonl"], found["s"]) == (0o600, 0o600, 0o700)


def test_a_directory_that_was_there_is_told_not_changed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is its user's own: what stands in it is private, and its rights are said once."""
    place = tmp_path / "mine"
    place.mkdir()
    place.chmod(0o755)
    with caplog.at_level(logging.WARNING, "context_kit"):
        for name in ("s", "t"):
            with ContextManager(6_000, store=place, session=name) as ctx:
                ctx.add(user(GOAL))
    assert stat.S_IMODE(place.stat().st_mode) == 0o755
    assert [record.getMessage() for record in caplog.records if "755" in record.getMessage()] != []
    assert len(caplog.records) == 1
    assert all(not mode & 0o077 for path, mode in modes(place).items() if path != str(place))


# -- a disk of its own --------------------------------------------------------------------------------


@pytest.fixture
def disk(tmp_path: Path) -> Any:
    """A small file system that can be filled and made read-only."""
    place = tmp_path / "disk"
    place.mkdir(0o700)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=600k,mode=700", "tmpfs", place], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    while place.is_mount():
        subprocess.run(["umount", "-l", place], check=True)


def kept(place: Path) -> list[Any]:
    """The messages that callers added, as the log has them."""
    return [line["m"] for line in FileStore(place).read("s") if line["k"] == "add" and not line.get("i")]


def test_a_full_disk_costs_nothing_that_was_acknowledged(disk: Path) -> None:
    """Whatever is refused, messages, records, compactions: the session is as it was, and goes on with room."""
    (disk / "ballast").write_bytes(b"x" * 150_000)
    ctx = ContextManager(6_000, store=disk, session="s")
    messages, reasons, refused = list[Any](), list[str](), set[str]()
    for number in range(200):
        before = prints(ctx.messages)
        try:
            ctx.add(message := user(f"{number} " + "word " * (400 if number % 3 else 1)))
            messages.append(message)
        except StoreError as error:
            assert "make room" in str(error)
            assert prints(ctx.messages) == before
            refused.add("add")
        try:
            reasons.append(ctx.memory.append(action="decide", reason=f"reason {number} " + "y" * 300).reason)
        except StoreError:
            refused.add("append")
        try:
            ctx.prepare()
        except StoreError:
            refused.add("prepare")
        ctx.recall("word")
        ctx.memory.search("reason")
    with suppress(StoreError):
        ctx.close()
    assert {"add", "append"} <= refused
    with suppress(StoreError):
        tidy(FileStore(disk), days=0)
    with pytest.raises(StoreError, match="room"):
        forget(FileStore(disk), "m1", session="s")
    (disk / "ballast").unlink()
    assert kept(disk) == messages
    with ContextManager.open(disk, "s") as ctx:
        assert [record.reason for record in ctx.memory.records() if record.action == "decide"] == reasons
        ctx.add(user("after"))
        ctx.prepare()
        assert ctx.memory.append(action="decide", reason="after") in ctx.memory.search("after")
    assert list(disk.rglob("*.new")) == []


def test_a_read_only_disk_can_be_read_and_is_told(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Writing and opening raise `StoreError` with advice; the journal is shown and searched; then on as before."""
    ctx = ContextManager(6_000, store=disk, session="s")
    ctx.add(user(GOAL))
    ctx.memory.append(action="decide", reason="kept")
    subprocess.run(["mount", "--bind", disk, disk], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", disk], check=True)
    with pytest.raises(StoreError, match="permissions"):
        ctx.add(user("more"))
    with pytest.raises(StoreError, match="permissions"):
        ctx.memory.append(action="decide", reason="more")
    assert ctx.messages == [user(GOAL)]
    with pytest.raises(StoreError, match="permissions"):  # rules of the goal that the journal hasn't yet
        ctx.close()
    with pytest.raises(StoreError, match="permissions"):
        ContextManager.open(disk, "s")
    with pytest.raises(StoreError, match="can be written"):
        ContextManager(6_000, store=disk, session="t")
    for argv in (["memory", "show", disk], ["memory", "search", disk, "kept"]):
        assert (main([str(each) for each in argv]), "kept" in capsys.readouterr().out) == (0, True)
    for argv in (
        ["memory", "tidy", disk, "--days", 0],
        ["memory", "forget", disk, "m1"],
        ["session", "archive", disk, "s"],
    ):
        code = main([str(each) for each in argv])
        errors = capsys.readouterr().err
        assert (code, errors.count("\n")) == (1 if "tidy" not in argv else 0, 1 if "tidy" not in argv else 0), errors
    subprocess.run(["umount", disk], check=True)
    with ContextManager.open(disk, "s") as ctx:
        ctx.add(user("more"))
        assert ctx.messages == [user(GOAL), user("more")]
