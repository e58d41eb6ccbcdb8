"""The public face: what is visible, what an import costs, and that nothing reaches the network."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import context_kit

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "openai",
    "anthropic",
    "tenacity",
    "tiktoken",
    "typer",
    "rich",
    "sqlite3",
    "psycopg",
    "httpx",
    "hypothesis",
    "asyncio",
)

NO_NETWORK = """
import socket
def refuse(*_, **__):
    raise AssertionError("the network was asked for")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
"""


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_is_sorted_and_complete() -> None:
    """`__all__` is sorted, and is exactly what a user sees in the package beside its modules."""
    names = context_kit.__all__
    assert list(names) == sorted(names, key=lambda name: (not name.isupper(), name))
    modules = {path.stem for path in (ROOT / "context_kit").iterdir()}
    seen = {name for name in vars(context_kit) if not name.startswith("_")} - modules - {"TYPE_CHECKING", "Any"}
    assert seen - {"annotations"} <= set(names)


@pytest.mark.parametrize("name", context_kit.__all__)
def test_every_name_can_be_imported(name: str) -> None:
    """What `__all__` names is there and, an alias aside, says what it is."""
    found = getattr(context_kit, name)
    assert found is not None
    assert name == "LLM" or found.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The lazy names don't hide a typing error."""
    with pytest.raises(AttributeError, match="no attribute 'ContextManagr'"):
        _ = context_kit.ContextManagr


def test_the_designs_names_are_there() -> None:
    """Users find the names of the spine."""
    wanted = {
        "Budget",
        "BudgetError",
        "Compaction",
        "ContextKitError",
        "ContextManager",
        "Decision",
        "Engram",
        "FailedAttempt",
        "Fidelity",
        "FileState",
        "InvalidMessageError",
        "LLM",
        "Memory",
        "Pin",
        "PostCompact",
        "PreCompact",
        "Recollection",
        "Record",
        "Replace",
        "Step",
        "Store",
        "StoreError",
        "SummaryError",
        "SummaryReply",
        "SummaryRequest",
        "TaskSummary",
        "Tool",
        "Usage",
        "Veto",
        "WindowExceededError",
        "from_anthropic",
        "from_openai",
    }
    assert wanted - set(context_kit.__all__) == set()


def test_the_error_tree() -> None:
    """One root; misuse is also a ValueError, the disk also an OSError."""
    for error, base in (("InvalidMessageError", ValueError), ("BudgetError", ValueError), ("StoreError", OSError)):
        found = getattr(context_kit, error)
        assert issubclass(found, context_kit.ContextKitError)
        assert issubclass(found, base)
    assert issubclass(context_kit.SummaryError, context_kit.ContextKitError)
    assert issubclass(context_kit.WindowExceededError, context_kit.ContextKitError)


def test_the_import_loads_nothing_heavy() -> None:
    """`import context_kit` loads no SDK, tokeniser, CLI library, database or event loop."""
    loaded = python("import sys, context_kit; print(' '.join(sys.modules))").split()
    assert set(HEAVY) & set(loaded) == set()


def test_the_testing_tools_load_without_hypothesis() -> None:
    """`context_kit.testing` works where hypothesis isn't installed; only a strategy needs it."""
    loaded = python("import sys, context_kit.testing; print(' '.join(sys.modules))").split()
    assert "hypothesis" not in loaded


def test_nothing_reaches_the_network() -> None:
    """Importing, counting, compacting and recalling work with every socket blocked."""
    code = f"""{NO_NETWORK}
from context_kit import ContextManager
ctx = ContextManager(4_000, model="gpt-4o")
ctx.add({{"role": "user", "content": "Fix src/app.py. 不要改动 tests/。"}})
for number in range(40):
    ctx.add({{"role": "assistant", "content": "words and words " * 20 + str(number)}})
    ctx.add({{"role": "user", "content": "go on " * 20}})
    ctx.prepare()
assert ctx.compactions
print(len(ctx.recall("words")))
"""
    assert int(python(code)) > 0


def test_the_import_makes_no_file_and_reads_no_setting(tmp_path: Path) -> None:
    """Nothing happens at import: an empty home stays empty."""
    code = "import context_kit, context_kit._manager, os; print(sorted(os.listdir(os.environ['HOME'])))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.stdout.strip() == "[]"


def test_the_package_is_typed() -> None:
    """`py.typed` is in the package, so that users' checkers read its annotations."""
    spec = importlib.util.find_spec("context_kit")
    assert spec is not None
    assert spec.origin is not None
    assert (Path(spec.origin).parent / "py.typed").is_file()
