"""The newest content of a file, rebuilt from reads and edits."""

from __future__ import annotations

from typing import Any

import pytest

from context_kit.tools import Act, Files, FileView
from tests.tools.calls import did, ran


def folded(*done: tuple[Act, ...]) -> Files:
    """The files after these calls, at positions 1, 2, …"""
    files = Files()
    for position, found in enumerate(done, 1):
        for act in found:
            files.fold(act, position)
    return files


def only(*done: tuple[Act, ...]) -> FileView:
    """The one file that is known."""
    (view,) = folded(*done).views.values()
    return view


def write(text: str, path: str = "/r/a.py") -> tuple[Act, ...]:
    return did("Write", {"file_path": path, "content": text}, "ok")


def edit(old: str, new: str, said: str = "ok", path: str = "/r/a.py", **more: Any) -> tuple[Act, ...]:
    return did("Edit", {"file_path": path, "old_string": old, "new_string": new, **more}, said)


def test_a_write_and_its_edits_give_the_newest_text() -> None:
    """Each replacement is applied to what is known."""
    view = only(write("a\nb\nb\n"), edit("a", "c"), edit("b", "d", replace_all=True))
    assert (view.text, view.whole, view.edits, view.last_edit, view.as_of) == ("c\nd\nd\n", True, 3, 3, 3)


def test_a_failed_edit_changes_nothing() -> None:
    """Neither text nor count."""
    view = only(write("a\n"), edit("x", "y", "<tool_use_error>String to replace not found in file.</tool_use_error>"))
    assert (view.text, view.edits) == ("a\n", 1)


def test_an_edit_that_can_not_be_followed_makes_the_text_unknown() -> None:
    """Nothing is guessed; the new words stay as a region."""
    view = only(write("a\n"), edit("x", "y"))
    assert (view.text, view.whole, view.regions) == (None, False, ("y",))
    assert view.note


@pytest.mark.parametrize("said", ["", "/r/a.py"])
def test_an_edit_that_may_have_done_nothing_leaves_what_was_known(said: str) -> None:
    """Its answer says neither, and its old text isn't in the file: the content stays, marked as unsure."""
    view = only(write("a\n"), edit("x", "y", said))
    assert (view.text, view.whole, view.regions, view.unsure) == ("a\n", False, (), True)
    assert "unsure" in view.note
    again = only(write("a\n"), edit("x", "y", said), write("b\n"))
    assert (again.text, again.whole, again.unsure) == ("b\n", True, False)


def test_sed_in_place_is_noted() -> None:
    """The new text is the shell's secret."""
    view = only(write("a\n"), ran("sed -i s/a/b/ /r/a.py"))
    assert (view.text, view.whole) == (None, False)
    assert "sed -i" in view.note


def test_a_later_read_knows_it_whole_again() -> None:
    """A read is newer than any doubt."""
    view = only(write("a\n"), ran("sed -i s/a/b/ /r/a.py"), did("Read", {"file_path": "/r/a.py"}, "     1→b\n"))
    assert (view.text, view.whole, view.note, view.last_read) == ("b", True, "", 3)


def test_parts_read_one_after_the_other_join() -> None:
    """Lines 1 to 2 and 3 to 4 are lines 1 to 4, not the whole."""
    view = only(ran("sed -n '1,2p' /r/a", "a\nb\n"), ran("sed -n '3,4p' /r/a", "c\nd\n"))
    assert (view.text, view.whole, view.first, view.last) == ("a\nb\nc\nd\n", False, 1, 4)


def test_two_names_of_one_file_are_one() -> None:
    """The longest name is the key; the newest is shown."""
    files = folded(write("a\n"), edit("a", "b", path="r/a.py"))
    assert list(files.views) == ["/r/a.py"]
    assert (files.views["/r/a.py"].path, files.views["/r/a.py"].text) == ("r/a.py", "b\n")
    assert folded(edit("a", "b", path="a.py"), write("a\n")).views.keys() == {"/r/a.py"}


def test_a_short_name_that_could_be_two_files_is_its_own() -> None:
    """Guessing would mix two files."""
    files = folded(write("1\n", "/r/x/i.ts"), write("2\n", "/r/y/i.ts"), write("3\n", "i.ts"))
    assert [view.text for view in files.views.values()] == ["1\n", "2\n", "3\n"]


def test_a_moved_file_takes_its_text_along() -> None:
    """And the old name is gone."""
    files = folded(write("a\n"), ran("cd /r && git mv a.py b.py"))
    assert (files.views["/r/b.py"].text, files.views["/r/b.py"].whole) == ("a\n", True)
    assert files.views["/r/a.py"].gone


def test_a_deleted_file_is_gone() -> None:
    """Its text with it."""
    view = only(write("a\n"), ran("rm /r/a.py"))
    assert (view.gone, view.text, view.note) == (True, None, "deleted")


def test_patches_are_applied() -> None:
    """apply_patch and a unified diff give the same text."""
    patch = "*** Begin Patch\n*** Update File: r/a.py\n@@\n a\n-b\n+c\n*** End Patch"
    diff = "git apply <<'P'\n--- a/r/a.py\n+++ b/r/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\nP"
    for done in (did("apply_patch", {"input": patch}, "Success."), ran(diff)):
        assert only(write("a\nb\n"), done).text == "a\nc\n"


PATCH = "--- a/r/a.py\n+++ b/r/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


@pytest.mark.parametrize(
    "command",
    [
        "git apply fix.diff",
        "patch -p1 < fix.diff",
        "patch -p1 -i fix.diff",
        "cd /r && patch a.py fix.diff",
        "git apply --3way fix.diff",
    ],
)
def test_a_patch_from_a_known_file_is_applied(command: str) -> None:
    """What stands in the file that it was written to is what it does."""
    files = folded(write("a\nb\n"), write(PATCH, "fix.diff"), ran(command))
    view = files.views["/r/a.py"]
    assert (view.text, view.whole, view.edits, view.last_edit) == ("a\nc\n", True, 2, 3)


@pytest.mark.parametrize("command", ["git apply -v fix.diff", "patch -p1 < fix.diff", "curl -s x | patch -p1"])
def test_a_patch_that_nobody_saw_changes_the_files_that_it_names(command: str) -> None:
    """What they hold now isn't known; the others are as they were."""
    said = "patching file 'r/a.py'" if "patch -" in command else "Applied patch r/a.py cleanly."
    files = folded(write("a\nb\n"), write("x\n", "/r/b.py"), ran(command, said))
    changed, other = files.views["/r/a.py"], files.views["/r/b.py"]
    assert (changed.text, changed.last_edit) == (None, 3)
    assert changed.note.startswith("changed by")
    assert (other.text, other.whole, other.note) == ("x\n", True, "")


@pytest.mark.parametrize(
    ("command", "by"),
    [
        ("git apply fix.diff", "git apply"),
        ("patch -s -p1 < fix.diff", "patch"),
        ("git diff main | git apply", "git apply"),
        ("patch -R -s -p1 < known.diff", "patch"),
    ],
)
def test_a_patch_that_names_no_file_leaves_a_doubt_in_each(command: str, by: str) -> None:
    """As after `git pull`: the text is what was seen, and a note says that it may be another one now."""
    view = folded(write("a\nb\n"), write(PATCH, "known.diff"), ran(command)).views["/r/a.py"]
    assert (view.text, view.whole, view.note) == ("a\nb\n", False, f"`{by}` ran after this was seen")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git apply --check fix.diff", ""),
        ("git apply --stat fix.diff", " r/a.py | 2 +-"),
        ("patch --dry-run -p1 < fix.diff", "checking file r/a.py"),
        ("git apply fix.diff", "error: patch failed: r/a.py:1\nerror: r/a.py: patch does not apply"),
        ("cat patch.md", "a"),
        ("git log --patch", "commit"),
    ],
)
def test_a_patch_that_changed_nothing_leaves_no_doubt(command: str, said: str) -> None:
    """Only looked at, or refused whole."""
    view = folded(write("a\nb\n"), write(PATCH, "fix.diff"), ran(command, said)).views["/r/a.py"]
    assert (view.text, view.whole, view.note) == ("a\nb\n", True, "")


def test_a_file_that_comes_and_goes_is_no_folder() -> None:
    """A copy without an extension that is moved back is a file; no other path is made up."""
    files = folded(write("a\n", "a.py"), ran("cp a.py x && mv x a.py"))
    assert set(files.views) == {"a.py", "x"}


def test_text_is_put_at_the_end_and_between_lines() -> None:
    """`>>` and an insert command."""
    view = only(write("a\nb\n"), ran("echo c >> /r/a.py"))
    assert view.text == "a\nb\nc\n"
    insert = {"command": "insert", "path": "/r/a.py", "insert_line": 1, "new_str": "x"}
    assert only(write("a\nb\n"), did("str_replace_editor", insert, "ok")).text == "a\nx\nb\n"


def test_a_range_of_lines_is_replaced() -> None:
    """SWE-agent's edit names lines."""
    args = {"start_line": 2, "end_line": 3, "replacement_text": "x\n"}
    said = "File updated.\n(Open file: /r/a.py)\n(Current directory: /r)\nbash-$"
    assert only(write("a\nb\nc\nd\n"), did("edit", args, said)).text == "a\nx\nd\n"


def test_git_that_changes_the_tree_casts_doubt_on_all() -> None:
    """What was known may no longer be true."""
    view = only(write("a\n"), ran("git stash"))
    assert (view.text, view.whole) == ("a\n", False)
    assert "git stash" in view.note


def test_regions_are_bounded() -> None:
    """A session that edits one file a thousand times keeps a dozen regions of it."""
    view = only(*(edit("x", f"y{index}" * 5_000) for index in range(40)))
    assert len(view.regions) == 12
    assert max(map(len, view.regions)) <= 4_000


def test_a_region_that_is_edited_again_shows_the_newer_words_only() -> None:
    """An older version of the same lines never stands beside the newer one."""
    files = Files()
    for position, (old, new) in enumerate(
        [("a = 0\n", "def f():\n    return 1\n"), ("    return 1", "    return 2"), ("z", "    return 2\n    # end")], 1
    ):
        act = Act(kind="edit", tool="edit", path="src/a.py", replacements=((old, new),))
        files.fold(act, position)
    (view,) = files.views.values()
    assert "return 1" not in "".join(view.regions)
    assert view.regions == ("def f():\n    return 2\n", "    return 2\n    # end")
