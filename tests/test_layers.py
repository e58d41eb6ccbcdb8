"""The rooms stand in one order, and each imports only from rooms below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "context_kit"

ROOMS = (
    "_lazily",
    "errors",
    "_events",
    "types",
    "_budget",
    "typing",
    "_redact",
    "wire",
    "tokens",
    "tools",
    "_entry",
    "_steps",
    "_cuts",
    "engrams",
    "summary",
    "bridge",
    "_records",
    "_others",
    "_ticked",
    "_log",
    "_settings",
    "_accept",
    "_due",
    "_candidates",
    "_topic",
    "_plan",
    "_clips",
    "_bridged",
    "_assemble",
    "_verify",
    "_commands",
    "_wishes",
    "_background",
    "_asking",
    "_flow",
    "_notices",
    "_prepare",
    "_turn",
    "_drive",
    "memory",
    "llm",
    "harness",
    "probes",
    "_remembering",
    "_session",
    "_overflow",
    "_call",
    "_construct",
    "_fork",
    "_standing",
    "_handle",
    "_probing",
    "_view",
    "_manager",
    "testing",
    "neighbours",
    "cli",
    "report",
    "__init__",
)
"""Bottom to top. `harness`, `probes`, `neighbours` and `report` have their place before they are built."""

SPINE = (
    "errors types _budget typing _redact wire tokens tools _cuts engrams summary bridge _log _verify _flow _drive "
    "memory llm harness probes _manager testing neighbours cli report __init__"
).split()
"""The spine of rooms, bottom to top; `cli` and `report` stand on one floor."""

FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(module: str) -> str:
    """The room of `context_kit.a.b`: `a`; the package itself is `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def module_of(path: Path) -> str:
    dotted = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    return dotted.removesuffix(".__init__")


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module of the package that is imported when the code runs, in functions as well."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from imported(other)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "context_kit")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import: give the whole name"
            if node.module == "context_kit":
                yield from (f"context_kit.{alias.name}" for alias in node.names)
            elif node.module and node.module.startswith("context_kit."):
                yield node.module
        else:
            yield from imported(node)


def test_the_order_is_the_designs() -> None:
    """Rooms of the spine stand in its order."""
    assert [room for room in ROOMS if room in SPINE] == SPINE
    assert len(set(ROOMS)) == len(ROOMS)


def test_every_module_is_in_a_room() -> None:
    """A reader knows where a line belongs: nothing stands outside of the list."""
    assert {room_of(module_of(path)) for path in FILES} - set(ROOMS) == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_from_rooms_below(path: Path) -> None:
    """Inside a room imports are free; else they go down, function-level ones too."""
    own = room_of(module_of(path))
    found = {room_of(module) for module in imported(ast.parse(path.read_text("utf-8")))}
    assert {room for room in found - {own} if ROOMS.index(room) > ROOMS.index(own)} == set()


@pytest.mark.parametrize("path", [p for p in FILES if p.name == "__init__.py" and p.parent != PACKAGE], ids=str)
def test_a_room_only_re_exports(path: Path) -> None:
    """A room's `__init__` holds its docstring, imports and a sorted `__all__`; the code stands in named modules.

    That of a folder inside a room may hold its docstring alone. Where the names are loaded at their first use, the
    imports stand for type checkers, and the modules that are loaded are the same.
    """
    tree = ast.parse(path.read_text("utf-8"))
    if path.parent.parent != PACKAGE and len(tree.body) == 1:
        assert ast.get_docstring(tree)
        return
    checked, late = guarded(tree)
    plain = (ast.Import, ast.ImportFrom, ast.Expr, ast.Assign)
    assert [ast.unparse(node)[:80] for node in rest(tree) if not isinstance(node, plain)] == []
    (names,) = (node.value for node in tree.body if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node))
    shown = ast.literal_eval(names)
    imports = [node for node in (*tree.body, *checked) if isinstance(node, ast.ImportFrom)]
    given = {alias.asname or alias.name for node in imports for alias in node.names}
    assert sorted(shown) == sorted(given - {"annotations", "TYPE_CHECKING", "names_of"})
    room = module_of(path)
    eager = {
        (str(node.module), alias.name) for node in checked if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert {(f"{room}.{module}", name) for module, some in late.items() for name in some.split()} == eager


def guarded(tree: ast.Module) -> tuple[list[ast.stmt], dict[str, str]]:
    """What only type checkers read, and by module the names that are loaded at their first use."""
    checked: list[ast.stmt] = []
    late: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            checked += node.body
        elif isinstance(node, ast.If):
            (made,) = (call for call in ast.walk(node) if isinstance(call, ast.Call))
            late = ast.literal_eval(made.args[1])
    return checked, late


def rest(tree: ast.Module) -> list[ast.stmt]:
    """The statements outside of both."""
    known = ("TYPE_CHECKING", "not TYPE_CHECKING")
    return [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) in known)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_all_is_sorted(path: Path) -> None:
    """`__all__` is sorted: constants, then classes, then functions, as ruff sorts it."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            assert names == sorted(names, key=lambda name: (not name.isupper(), not name[:1].isupper(), name))
