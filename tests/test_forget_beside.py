"""What is forgotten is gone from what ticks and hooks wrote beside the store as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from context_kit import ContextManager, StoreError
from context_kit.cli import main
from context_kit.harness.hooks import answer, event_of
from context_kit.harness.hooks._facts import facts_from
from context_kit.memory import FileStore, forget
from context_kit.testing import Call, tool_round, user
from tests.harness.sessions import claude, write

SECRET = "zebra-9981-quokka"
TEXT = f'The customer said:\n  "the code is {SECRET}", and nobody may print it.'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a session, a closed tick, an open one, and the hooks of a coding agent."""
    monkeypatch.chdir(tmp_path)
    failed = f"src/p.py:2: ValueError {SECRET}\n1 failed in 0.1s"
    with ContextManager(32_000, store="memory", session="work") as ctx:
        ctx.add(user(TEXT))
        with ctx.tick("first", harness="state") as tick:
            ctx.prepare()
            ctx.add(tool_round([Call("bash", {"command": "pytest -q"}, result=failed, id="c1")], text="I run it."))
            tick.write("done", f"Looked at {SECRET}.")
            tick.write("next", "none")
        ctx.tick("second").write("found", f"src/p.py:3 prints {SECRET}")
    progress = tmp_path / "state" / "progress.md"
    progress.write_text(f"{progress.read_text()}\nMy own line about {SECRET}.\n")
    write(tmp_path / "t.jsonl", claude((("user", TEXT), ("say", f"I will never print {SECRET}."))))
    hooked(tmp_path, "PreCompact")
    return tmp_path


def hooked(project: Path, name: str, **more: str) -> str:
    fields = {"session_id": "s", "transcript_path": str(project / "t.jsonl"), "cwd": str(project), **more}
    return answer(event_of(name, fields, agent="claude-code"))


def holders(project: Path) -> list[str]:
    """The files that have the secret, but for the agent's own transcript."""
    found = (path for path in project.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes())
    return sorted(str(path.relative_to(project)) for path in found if path.name != "t.jsonl")


def test_a_text_is_gone_from_ticks_and_hooks(project: Path) -> None:
    """No file has it; the hook's record stays one, and the narrative keeps its other lines."""
    before = holders(project)
    assert {Path(name).name for name in before} >= {"state.json", "checkpoint.md", "tick-1-summary.md", "progress.md"}
    told = forget(FileStore("memory"), matching=SECRET)
    assert holders(project) == []
    assert told.files == len([name for name in before if not name.startswith("memory")])
    (state,) = project.rglob("state.json")
    facts = facts_from(json.loads(state.read_bytes())["facts"])
    assert "[forgotten]" in facts.words[0].text
    assert "My own line about [forgotten]." in (project / "state" / "progress.md").read_text()
    assert SECRET not in hooked(project, "SessionStart", source="compact")


def test_a_message_is_gone_from_what_quotes_it(project: Path) -> None:
    """By its address: the hook's record loses the person's words, whole and in parts."""
    forget(FileStore("memory"), "m1", session="work")
    for path in (project / ".harness").rglob("*.*"):
        assert "nobody may print it" not in path.read_text("utf-8"), path
    assert "nobody may print it" not in hooked(project, "SessionStart", source="compact")


def test_a_second_time_changes_nothing(project: Path) -> None:
    """Forgetting is done once."""
    forget(FileStore("memory"), matching=SECRET)
    assert forget(FileStore("memory"), matching=SECRET).files == 0


def test_the_command_names_a_folder_elsewhere(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--harness DIR`; what was changed is counted."""
    (project / "apart").mkdir()
    (project / "apart" / "tick-7-summary.md").write_text(f"- {SECRET}\n")
    (project / "apart" / "data.bin").write_bytes(b"\0\xff" + SECRET.encode())
    assert main(["memory", "forget", "memory", "--matching", SECRET, "--harness", "apart"]) == 0
    assert " files of ticks and hooks" in capsys.readouterr().out
    assert holders(project) == ["apart/data.bin"], "what is no text stays as it is"


def test_a_harness_without_a_store(project: Path) -> None:
    """Hooks alone: the folder itself is given as the store."""
    assert main(["memory", "forget", ".harness", "--matching", SECRET]) == 0
    assert not any(name.startswith(".harness") for name in holders(project))
    assert not list((project / ".harness").glob("*.jsonl")), "no journal is made where there was none"


def test_a_folder_that_is_not_there_is_told(project: Path) -> None:
    """Before anything is changed."""
    before = holders(project)
    with pytest.raises(StoreError, match="is no directory"):
        forget(FileStore("memory"), matching=SECRET, harness=["nowhere"])
    assert holders(project) == before
