"""Declarations of a file beneath each other: each member reads as one of its own class."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from context_kit import ContextManager
from context_kit.engrams import contracts, naming, placed, where
from context_kit.engrams._members import belongs, labelled
from context_kit.testing import Call, assistant, tool_round, user

PYTHON = """class Busy(RuntimeError):
    \"\"\"Locked.\"\"\"

    def code(self): ...


def helper(x): ...


class Store:
    jobs: list[str]

    def lock(self): ...

    class Item:
        def name(self): ...

    def _write(self, jobs): ...
"""
TYPESCRIPT = """export class Busy extends Error {
  code(): number {
    return 1;
  }
}

export class Store {
  lock(): void {
    a();
  }
  write(jobs: string[]): void {
    b();
  }
}
"""
RUBY = "class Busy\n  def code\n  end\nend\n\nclass Store\n  def lock\n  end\nend\n"
RUST = """pub struct Busy {
    pub code: i32,
}

impl Store {
    pub fn lock(&self) {
    }
}
"""
SOURCES = {"store.py": PYTHON, "store.ts": TYPESCRIPT, "store.rb": RUBY, "store.rs": RUST}
CLASS = re.compile(r"(?:(?:#|//) in ([\w.]+):|[ \t]*(?:(?:export|pub)[ \t]+)?(?:class|struct) (\w+))")


def read_back(lines: list[str]) -> list[str]:
    """The members as a reader takes them: each of the nearest class above it that is less indented."""
    above: list[tuple[int, str]] = []
    told: list[str] = []
    for line in lines:
        depth = len(line) - len(line.lstrip())
        above = [each for each in above if each[0] < depth or line.startswith(("#", "//"))]
        if found := CLASS.match(line):
            above = [] if found[1] else above
            above.append((-1 if found[1] else depth, found[1] or found[2]))
            continue
        name = re.search(r"(\w+)(?:\(|$)", line)
        if name and depth and re.search(r"def |fn |\(\)|\(jobs", line):
            told.append(f"{above[-1][1]}.{name[1]}" if above else name[1])
    return told


@pytest.mark.parametrize("path", SOURCES)
def test_no_choice_of_declarations_gives_a_member_to_another_class(path: str) -> None:
    """Whichever of them have room."""
    declared = contracts(SOURCES[path], path)
    named = {each.line: belongs(each, declared) for each in declared}
    for size in range(1, len(declared) + 1):
        for chosen in combinations(declared, size):
            text = "\n".join(placed([(named[each.line], each.text) for each in chosen], path))
            own = [
                named[each.line] for each in chosen if each.kind in ("method", "function") and each.text[0].isspace()
            ]
            assert [name.split(".")[-2:] for name in own] == [
                name.split(".")[-2:] for name in read_back(text.split("\n"))
            ]


def test_a_member_of_which_only_the_edit_was_seen_names_no_class() -> None:
    """It is told that it is in one."""
    (found,) = contracts("    def lock(self):\n        pass\n", "store.py")
    name = belongs(found, ())
    assert placed([("Busy", "class Busy(RuntimeError):"), (name, found.text)], "store.py") == [
        "class Busy(RuntimeError):",
        "# in a class:",
        "    def lock(self):",
    ]


@pytest.mark.parametrize(
    ("path", "line", "name"), [("a.py", 12, "Store.lock"), ("my file.py", 3, "lock"), ("a.py", 0, "?.lock")]
)
def test_a_label_tells_line_and_name(path: str, line: int, name: str) -> None:
    """Both are read back."""
    assert where(labelled(path, line, name)) == (line, name)


@pytest.mark.parametrize(
    ("path", "comment"), [("a.py", "# in Store:"), ("a.ts", "// in Store:"), ("a.sql", "-- in Store:")]
)
def test_a_class_is_named_in_the_languages_own_comment(path: str, comment: str) -> None:
    """And only where a member's text is indented."""
    assert naming("Store.lock", "    lock()", path) == comment
    assert naming("Store.Lock", "func (s *Store) Lock()", path) == ""


def test_the_record_lists_a_files_declarations_in_its_order() -> None:
    """Whichever was most wanted: later steps name members, and the class without any stands above none of them."""
    ctx = ContextManager(8_000)
    ctx.add(user("Fix the parser."))
    ctx.add(tool_round([Call("read_file", {"path": "store.py"}, result=PYTHON, id="c1")]))
    code = "import store\nstore.open()._write([])\nstore.lock()\n"
    ctx.add(tool_round([Call("write_file", {"path": "main.py", "content": code}, result="ok", id="c2")]))
    for number in range(30):
        ctx.add(assistant(f"Step {number}. " + "rows mapped to columns one by one. " * 14))
    ctx.compact()
    block = str(ctx.messages[0]["content"]).partition("[contract · ")[2].split("```")[1]
    assert read_back(block.splitlines()) == ["Busy.code", "Store.lock", "Item.name", "Store._write"]
