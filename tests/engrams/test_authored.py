"""What the session itself declared is kept as its newest edit left it, also where another part was read since."""

from __future__ import annotations

from typing import Any

from context_kit import ContextManager
from context_kit.testing import Call, tool_round, user

BODY = "\n".join(f"    step_{number} = read(number={number})" for number in range(12))


def edit(key: str, path: str, old: str, new: str) -> list[dict[str, Any]]:
    arguments = {"file_path": path, "old_string": old, "new_string": new}
    return tool_round([Call("edit", arguments, result=f"The file {path} has been updated.", id=key)])


def run(key: str, command: str, output: str = "done") -> list[dict[str, Any]]:
    return tool_round([Call("bash", {"command": command}, result=output, id=key)])


def shown(key: str, path: str, text: str, first: int) -> list[dict[str, Any]]:
    lines = "\n".join(f"{at:>6}\t{line}" for at, line in enumerate(text.splitlines(), first))
    arguments = {"file_path": path, "offset": first, "limit": len(text.splitlines())}
    return tool_round([Call("read_file", arguments, result=lines, id=key)])


def contracts(*rounds: list[dict[str, Any]], window: int = 16_000) -> list[str]:
    """Texts of the contracts after a compaction of the rounds and other work."""
    ctx = ContextManager(window)
    ctx.add(user("Make the store faster."))
    for messages in rounds:
        ctx.add(messages)
    ctx.add(edit("z1", "docs/notes.md", "", "Some notes."))
    for number in range(3):
        ctx.add(run(f"z{number + 2}", f"ls part{number}", "listed\n" * 1_500))
    ctx.compact()
    return [engram.text for engram in ctx.engrams if engram.kind == "contract"]


def test_a_declaration_stays_known_when_another_part_of_its_file_is_read() -> None:
    """The read shows other lines; what the edit declared stands on the board all the same."""
    found = contracts(
        edit("a", "src/store.py", "pass", f"def load_all(keys: list[str]) -> bytes:\n{BODY}"),
        shown("b", "src/store.py", "def close(self) -> None:\n    self.file.close()", 200),
        run("c", "python -c 'store.load_all([])'"),
    )
    assert "def load_all(keys: list[str]) -> bytes:" in found


def test_only_the_newest_form_is_kept_and_what_was_taken_away_is_not() -> None:
    """An edit that changes a signature replaces it, one that removes a function ends it."""
    found = contracts(
        edit("a", "src/store.py", "pass", f"def load_all(keys):\n{BODY}\ndef old_way(key):\n{BODY}"),
        edit("b", "src/store.py", "def load_all(keys):", "def load_all(keys, timeout):"),
        edit("c", "src/store.py", f"def old_way(key):\n{BODY}", "# gone"),
        shown("d", "src/store.py", "def close(self) -> None:\n    self.file.close()", 200),
        run("e", "python -c 'store.load_all([], 1)'"),
    )
    assert "def load_all(keys, timeout):" in found
    assert not [text for text in found if "old_way" in text or text == "def load_all(keys):"]


def test_what_the_session_wrote_and_builds_on_stands_before_what_it_read() -> None:
    """A later step names it, behind a dot too; a file that was only read comes after it."""
    read = "\n".join(f"def helper_{number}(a: int, b: int) -> int:\n    return a" for number in range(8))
    found = contracts(
        edit(
            "a",
            "src/store.py",
            "pass",
            "def load_all(keys):\n    return fetch_rows(keys)\ndef fetch_rows(keys):\n    ...",
        ),
        shown("b", "src/helpers.py", read, 1),
        run("c", "python -c 'import store; store.fetch_rows([])'"),
    )
    assert found[0] == "def fetch_rows(keys):"
    assert found.index("def load_all(keys):") < found.index("def helper_0(a: int, b: int) -> int:")


def test_a_declaration_of_the_current_file_is_not_kept_beside_the_file_that_shows_it() -> None:
    """Nothing stands in the window twice."""
    ctx = ContextManager(16_000)
    ctx.add(user("Make the store faster."))
    whole = "def load_all(keys):\n    return keys\n"
    arguments = {"file_path": "src/store.py", "content": whole}
    ctx.add(tool_round([Call("write_file", arguments, result="File created.", id="a")]))
    for number in range(3):
        ctx.add(run(f"r{number}", f"python -c 'store.load_all({number})'", "listed\n" * 100))
    ctx.compact()
    assert str(ctx.messages).count("def load_all(keys):") == 1
