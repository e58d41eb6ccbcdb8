"""The directory behind Anthropic's memory tool: its commands, its words, and nothing outside of it."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import BudgetError, ContextManager, MemoryDirectory


@pytest.fixture
def memory(tmp_path: Path) -> MemoryDirectory:
    return MemoryDirectory(tmp_path / "memory")


def told(memory: MemoryDirectory, command: str, **arguments: Any) -> str:
    text, failed = memory.answer({"command": command, **arguments})
    assert not failed, text
    return text


def refused(memory: MemoryDirectory, command: str, **arguments: Any) -> str:
    text, failed = memory.answer({"command": command, **arguments})
    assert failed, text
    return text


def test_every_command_answers_as_documented(memory: MemoryDirectory) -> None:
    """Word for word what the SDK's own backend says."""
    from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

    theirs = BetaLocalFilesystemMemoryTool(str(memory.folder.parent / "theirs"))
    for arguments in (
        {"command": "create", "path": "/memories/notes/a.txt", "file_text": "one\ntwo\nthree\n"},
        {"command": "view", "path": "/memories/notes/a.txt"},
        {"command": "view", "path": "/memories/notes/a.txt", "view_range": [2, 3]},
        {"command": "view", "path": "/memories/notes/a.txt", "view_range": [2, -1]},
        {"command": "str_replace", "path": "/memories/notes/a.txt", "old_str": "two", "new_str": "2"},
        {"command": "insert", "path": "/memories/notes/a.txt", "insert_line": 1, "insert_text": "between\n"},
        {"command": "view", "path": "/memories/notes/a.txt"},
        {"command": "rename", "old_path": "/memories/notes/a.txt", "new_path": "/memories/notes/b/c.txt"},
        {"command": "delete", "path": "/memories/notes/b"},
    ):
        assert memory.answer(arguments) == (theirs.call(arguments), False)
    assert not (memory.folder / "notes" / "b").exists()


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("view", {"path": "/memories/none"}),
        ("create", {"path": "/memories/a.txt", "file_text": "again"}),
        ("str_replace", {"path": "/memories/a.txt", "old_str": "nowhere", "new_str": "x"}),
        ("str_replace", {"path": "/memories/a.txt", "old_str": "o", "new_str": "x"}),
        ("insert", {"path": "/memories/a.txt", "insert_line": 99, "insert_text": "x"}),
        ("insert", {"path": "/memories/none", "insert_line": 0, "insert_text": "x"}),
        ("delete", {"path": "/memories/none"}),
        ("delete", {"path": "/memories"}),
        ("rename", {"old_path": "/memories/none", "new_path": "/memories/b"}),
        ("rename", {"old_path": "/memories/a.txt", "new_path": "/memories/b.txt"}),
        ("view", {"path": "/etc/passwd"}),
    ],
)
def test_every_complaint_is_worded_as_documented(
    memory: MemoryDirectory, command: str, arguments: dict[str, Any]
) -> None:
    """So that the model knows what to do: it was trained on these words."""
    from anthropic.lib.tools import ToolError
    from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

    theirs = BetaLocalFilesystemMemoryTool(str(memory.folder.parent / "theirs"))
    for name in ("a.txt", "b.txt"):
        made = {"command": "create", "path": f"/memories/{name}", "file_text": "one\ntwo\n"}
        memory.answer(made)
        theirs.call(made)
    with pytest.raises(ToolError) as error:
        theirs.call({"command": command, **arguments})
    assert refused(memory, command, **arguments) == str(error.value)


def test_a_view_of_a_folder_lists_it(memory: MemoryDirectory) -> None:
    """Two levels, sizes, no hidden names."""
    told(memory, "create", path="/memories/a.txt", file_text="x" * 1_536)
    told(memory, "create", path="/memories/deep/er/still.txt", file_text="y")
    text = told(memory, "view", path="/memories")
    assert text.startswith(
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:"
    )
    assert "1.5K\t/memories/a.txt" in text
    assert "/memories/deep/er/" in text
    assert "still.txt" not in text
    assert ".lock" not in text


OUTSIDE = [
    "/memories/../secret",
    "/memories/a/../../secret",
    "/memories/./../secret",
    "../secret",
    "/etc/passwd",
    "memories/a",
    "/memoriesx/a",
    "/memories/\x00",
    "/memories/a\x00.txt",
    "/memories/..\\secret",
    "/memories/C:\\secret",
    "/memories/.lock",
    "/memories/.hidden",
    "/memories/a\nb",
    "/memories/" + "n" * 400,
    "/memories/" + "/".join("d" * 40),
    "",
    "/",
    7,
    None,
    ["/memories"],
]


@pytest.mark.parametrize("path", OUTSIDE, ids=repr)
@pytest.mark.parametrize("command", ["view", "create", "str_replace", "insert", "delete", "rename"])
def test_no_path_leads_outside(memory: MemoryDirectory, path: Any, command: str) -> None:
    """Refused before anything is opened, the same by every command."""
    secret = memory.folder.parent / "secret"
    secret.write_text("key")
    keys = ("path", "old_path", "new_path", "file_text", "old_str", "new_str", "insert_text")
    refused(memory, command, **dict.fromkeys(keys[:3], path), **dict.fromkeys(keys[3:], "x"), insert_line=0)
    assert secret.read_text() == "key"
    assert [each.name for each in memory.folder.iterdir() if each.name != ".lock"] == []


@pytest.mark.parametrize("command", ["view", "create", "str_replace", "insert", "delete", "rename"])
def test_no_link_is_followed(memory: MemoryDirectory, command: str) -> None:
    """Neither to a file nor to a folder, the last name or one on the way."""
    outside = memory.folder.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("key\n")
    (memory.folder / "file").symlink_to(outside / "secret")
    (memory.folder / "folder").symlink_to(outside, target_is_directory=True)
    more = {"file_text": "x", "old_str": "key", "new_str": "x", "insert_line": 0, "insert_text": "x"}
    for path in ("/memories/file", "/memories/folder/secret", "/memories/folder/new"):
        text = refused(memory, command, path=path, old_path=path, new_path="/memories/folder/moved", **more)
        assert "key\n" not in text
    assert [each.name for each in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "key\n"


def test_a_name_swapped_for_a_link_while_it_is_used_leads_nowhere(memory: MemoryDirectory) -> None:
    """Each folder is opened by itself, so that a check can't be outrun."""
    outside = memory.folder.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("secret")
    inside, aside, stop = memory.folder / "d", memory.folder.parent / "aside", threading.Event()

    def swap() -> None:
        while not stop.is_set():
            with suppress(OSError):  # the writer makes the folder anew
                inside.rename(aside)
                shutil.rmtree(aside)
                inside.symlink_to(outside, target_is_directory=True)
                inside.unlink()

    told(memory, "create", path="/memories/d/a.txt", file_text="mine")
    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        seen = [memory.answer({"command": "view", "path": "/memories/d/a.txt"})[0] for _ in range(400)]
        for number in range(60):
            memory.answer({"command": "create", "path": f"/memories/d/n{number}", "file_text": "x"})
    finally:
        stop.set()
        swapping.join()
    assert not any("secret" in text for text in seen)
    assert [each.name for each in outside.iterdir()] == ["a.txt"]


def test_a_device_or_pipe_is_no_file(memory: MemoryDirectory) -> None:
    """It is not opened for good: that would wait for ever."""
    os.mkfifo(memory.folder / "pipe")
    assert "does not exist" in refused(memory, "view", path="/memories/pipe")


def test_modes_are_private(memory: MemoryDirectory) -> None:
    """0600 and 0700, whatever the umask."""
    before = os.umask(0)
    try:
        told(memory, "create", path="/memories/d/a.txt", file_text="x")
        told(memory, "str_replace", path="/memories/d/a.txt", old_str="x", new_str="y")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in memory.folder.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert stat.S_IMODE((memory.folder / "d").stat().st_mode) == 0o700


def test_limits_hold(tmp_path: Path) -> None:
    """Of a file, of all, of their number; what was there stays."""
    memory = MemoryDirectory(tmp_path, file_bytes=100, total_bytes=250, files=4)
    told(memory, "create", path="/memories/a", file_text="x" * 100)
    assert "at most 100" in refused(memory, "create", path="/memories/b", file_text="é" * 51)
    assert "at most 100" in refused(memory, "insert", path="/memories/a", insert_line=0, insert_text="y")
    told(memory, "create", path="/memories/b", file_text="x" * 100)
    assert "full" in refused(memory, "create", path="/memories/c", file_text="x" * 60)
    told(memory, "create", path="/memories/c", file_text="")
    told(memory, "create", path="/memories/d", file_text="")
    assert "full" in refused(memory, "create", path="/memories/e", file_text="")
    assert (tmp_path / "a").read_text() == "x" * 100


def on_disk(memory: MemoryDirectory) -> list[Path]:
    return [path for path in memory.folder.rglob("*") if path.name != ".lock"]


def test_folders_count_however_they_come_to_be(tmp_path: Path) -> None:
    """A path makes its folders, a new name as well: all of them are within the limit."""
    memory = MemoryDirectory(tmp_path / "memory", files=5)
    told(memory, "create", path="/memories/a", file_text="x")
    assert "full" in refused(memory, "create", path="/memories/b/c/d/e/f", file_text="x")
    told(memory, "rename", old_path="/memories/a", new_path="/memories/b/c/a")
    assert "full" in refused(memory, "rename", old_path="/memories/b/c/a", new_path="/memories/d/e/f/a")
    assert len(on_disk(memory)) == 3


def test_nothing_is_moved_out_of_sight(memory: MemoryDirectory) -> None:
    """What stands too deep to be named would neither be seen nor counted."""
    told(memory, "create", path="/memories/" + "d/" * 11 + "f", file_text="x")
    assert "deeper" in refused(memory, "rename", old_path="/memories/d", new_path="/memories/e/d")
    assert "into itself" in refused(memory, "rename", old_path="/memories/d", new_path="/memories/d/d/new/d")
    assert told(memory, "view", path="/memories/" + "d/" * 11 + "f").endswith("x")
    assert len(on_disk(memory)) == 12


def test_complaints_are_short(memory: MemoryDirectory) -> None:
    """However long the text is that isn't there, and however often it is."""
    told(memory, "create", path="/memories/a", file_text="a" * 90_000 + "\n" * 4_000)
    for old in ("b" * 500_000, "a", "\n", "a" * 40_000):
        assert len(refused(memory, "str_replace", path="/memories/a", old_str=old, new_str="")) < 1_000


@pytest.mark.parametrize("limits", [{"file_bytes": 0}, {"total_bytes": -1}, {"files": True}, {"files": 1.5}])
def test_limits_are_whole_numbers(tmp_path: Path, limits: Any) -> None:
    """Above 0."""
    with pytest.raises(BudgetError):
        MemoryDirectory(tmp_path, **limits)


VALUES = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers(), max_size=3)
COMMANDS = st.sampled_from(["view", "create", "str_replace", "insert", "delete", "rename", "format", ""])


@settings(max_examples=150, deadline=None)
@given(
    COMMANDS | VALUES,
    st.dictionaries(
        st.sampled_from("path old_path new_path file_text old_str new_str insert_line insert_text view_range".split()),
        VALUES | st.sampled_from(["/memories/a", "/memories/b/c", "/memories", "a"]),
    ),
)
def test_any_input_is_answered(tmp_path_factory: pytest.TempPathFactory, command: Any, arguments: Any) -> None:
    """Never with an exception, and nothing is left half done."""
    memory = MemoryDirectory(tmp_path_factory.getbasetemp() / "any")
    assert isinstance(memory.answer({"command": command, **arguments})[0], str)
    assert not list(memory.folder.rglob(".*.new"))


def test_two_writers_lose_nothing(memory: MemoryDirectory) -> None:
    """A change is read and written under one lock."""
    told(memory, "create", path="/memories/a", file_text="0\n")
    other = MemoryDirectory(memory.folder)

    def write(at: MemoryDirectory, name: str) -> None:
        for number in range(40):
            told(at, "insert", path="/memories/a", insert_line=0, insert_text=f"{name}{number}")

    threads = [threading.Thread(target=write, args=(at, name)) for at, name in ((memory, "x"), (other, "y"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len((memory.folder / "a").read_text().split()) == 81


def test_the_sdks_runner_takes_it(memory: MemoryDirectory) -> None:
    """As its abstract memory tool; a complaint is the SDK's own error."""
    from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError

    tool = memory.tool()
    assert isinstance(tool, BetaAbstractMemoryTool)
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    made = {"command": "create", "path": "/memories/a", "file_text": "x"}
    assert tool.call(made) == "File created successfully at: /memories/a"
    with pytest.raises(ToolError, match="already exists"):
        tool.call(made)


def test_a_session_dispatches_it(memory: MemoryDirectory) -> None:
    """Declared beside recall and remember, answered by the same method."""
    from anthropic.types.beta import BetaToolUnionParam
    from pydantic import TypeAdapter

    ctx = ContextManager(8_000)
    tools = ctx.recall_tools("anthropic", memory=memory)
    TypeAdapter(list[BetaToolUnionParam]).validate_python(tools)
    assert tools[-1] == {"type": "memory_20250818", "name": "memory"}
    call = {"type": "tool_use", "id": "t1", "name": "memory"}
    made = {"command": "create", "path": "/memories/a", "file_text": "x"}
    (block,) = ctx.handle({**call, "input": made})["content"]
    assert block == {"type": "tool_result", "tool_use_id": "t1", "content": "File created successfully at: /memories/a"}
    (block,) = ctx.handle({**call, "input": made})["content"]
    assert block["is_error"] is True


def test_its_calls_are_no_work_on_the_project(memory: MemoryDirectory, tmp_path: Path) -> None:
    """What is kept in the directory is no step in the journal, no file in hand, no failure, and nothing to recall."""
    calls = [
        {"command": "create", "path": "/memories/a.md", "file_text": "the zebra plan"},
        {"command": "view", "path": "/memories/a.md"},
        {"command": "view", "path": "/memories/nowhere.md"},
    ]
    with ContextManager(8_000, store=tmp_path / "store", session="s") as ctx:
        ctx.recall_tools("anthropic", memory=memory)
        ctx.add({"role": "user", "content": "Tidy src/app.py."})
        for number, arguments in enumerate(calls):
            call = {"type": "tool_use", "id": f"t{number}", "name": "memory", "input": arguments}
            ctx.add({"role": "assistant", "content": [{"type": "text", "text": "My notes."}, call]})
            ctx.add(ctx.handle(call))
        ctx.add([{"role": role, "content": f"{word} " * 900} for word in "abcd" for role in ("assistant", "user")])
        ctx.compact()
        bridge = str(ctx.prepare()[0])
        assert "context record" in bridge
        assert "nowhere.md" not in bridge
        assert ctx.recall("zebra") == []
    assert ctx.memory.records() == ()


def test_the_memory_tool_is_anthropics(memory: MemoryDirectory) -> None:
    """Another provider doesn't know its type."""
    with pytest.raises(BudgetError, match="anthropic"):
        ContextManager(8_000).recall_tools("openai", memory=memory)
