"""The commands: what they print, what they write, and how they refuse."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from context_kit.cli import main
from context_kit.testing import Call, assistant, system, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import faults

SHARED = Path(__file__).parents[3] / "shared" / "transcripts"


def conversation(shape: Shape = "chat", rounds: int = 30) -> list[Message]:
    """An agent that reads and edits until the window is full, several times over."""
    messages = [user("修复 parser.py, do not touch tests/", shape=shape)]
    for number in range(rounds):
        text = "\n".join(f"{line}: value_{number}_{line} = {line * number}" for line in range(40))
        calls = [Call("Read", {"file_path": f"src/file_{number}.py"}, result=text, id=f"call_{number}")]
        messages += tool_round(calls, shape=shape, text=f"Reading file {number}.")
    return [*messages, *assistant("All read.", shape=shape)]


def write(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return str(path)


def told(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    return capsys.readouterr()


# -- compact ---------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["chat", "responses", "anthropic"])
def test_compact_writes_a_legal_window(tmp_path: Path, capsys: pytest.CaptureFixture[str], shape: Shape) -> None:
    """The written window is legal, smaller, and ends as the transcript did; the receipt and the count are shown."""
    messages = conversation(shape)
    source, out = write(tmp_path / "in.json", messages), tmp_path / "out.json"
    assert main(["compact", source, "--window", "8000", "-o", str(out)]) == 0
    window = json.loads(out.read_text(encoding="utf-8"))
    assert faults(window, shape=shape) == ()
    assert window[-1] == messages[-1]
    assert len(window) < len(messages)
    shown, errors = told(capsys)
    assert re.search(r"\d+ messages, [2-9] compactions", shown)
    assert "Compaction c" in shown
    assert (errors, [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]) == ("", [])


def test_compact_is_deterministic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs over one file give the same window, byte for byte."""
    source = write(tmp_path / "in.json", conversation())
    windows: list[str] = []
    for _ in range(2):
        assert main(["compact", source, "--window", "8000", "-o", "-"]) == 0
        windows.append(told(capsys)[0])
    assert windows[0] == windows[1]


def test_the_window_on_standard_output_is_alone_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `-o -` standard output is JSON and nothing else; the receipt goes to standard error."""
    source = write(tmp_path / "in.json", conversation())
    assert main(["compact", source, "--window", "8000", "-o", "-"]) == 0
    shown, errors = told(capsys)
    assert isinstance(json.loads(shown), list)
    assert "Compaction c" in errors


def test_compact_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints the receipt with all its fields, the summary among them."""
    source = write(tmp_path / "in.json", conversation())
    assert main(["compact", source, "--window", "8000", "--focus", "the parser", "--json"]) == 0
    found = json.loads(told(capsys)[0])
    assert found["shape"] == "chat"
    assert found["compactions"] >= 2
    assert found["receipt"]["summary"]["original_goal"] == "修复 parser.py, do not touch tests/"
    assert found["usage"]["window"] == 8_000


def test_an_existing_target_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    """The old file gives way to the new one, whole, with the same permissions; a link keeps its target."""
    source, out = write(tmp_path / "in.json", conversation(rounds=3)), tmp_path / "out.json"
    out.write_text("old")
    out.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(out)
    assert main(["compact", source, "--window", "8000", "-o", str(link)]) == 0
    assert link.is_symlink()
    assert isinstance(json.loads(out.read_text(encoding="utf-8")), list)
    assert out.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["in.json", "./in.json", "link.json", "hard.json"])
def test_the_input_is_never_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Under whatever name: by another path, through a link, by a second hard link."""
    source = tmp_path / "in.json"
    before = write(source, conversation(rounds=3)) and source.read_bytes()
    (tmp_path / "link.json").symlink_to(source)
    os.link(source, tmp_path / "hard.json")
    monkeypatch.chdir(tmp_path)
    assert main(["compact", "in.json", "--window", "8000", "-o", name]) == 2
    assert "is the input" in told(capsys)[1]
    assert source.read_bytes() == before


def test_half_a_surrogate_pair_survives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What some logs hold and UTF-8 can't is written as its escape, and shown as nothing."""
    path = tmp_path / "in.json"
    path.write_text(r'[{"role": "user", "content": "a \ud83d b"}]', encoding="utf-8")
    out = tmp_path / "out.json"
    assert main(["compact", str(path), "--window", "8000", "-o", str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))[0]["content"] == "a \ud83d b"
    assert main(["inspect", str(path)]) == 0
    told(capsys)[0].encode("utf-8")


# -- inspect -----------------------------------------------------------------------


def test_inspect_shows_every_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Window, roles, kinds, tools and the largest messages, without control codes, at 80 columns."""
    source = write(tmp_path / "in.json", [system("Be brief."), *conversation(rounds=3)])
    assert main(["inspect", source, "--window", "8000"]) == 0
    shown = told(capsys)[0]
    for title in ("Window", "By role", "By kind", "By tool", "Largest messages"):
        assert title in shown
    assert "\x1b" not in shown


def test_inspect_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` gives the whole measure; the model decides the encoding."""
    source = write(tmp_path / "in.json", conversation(rounds=3))
    assert main(["inspect", source, "--model", "gpt-4", "--json"]) == 0
    found = json.loads(told(capsys)[0])
    assert sum(found["measure"]["roles"].values()) == found["tokens"]
    assert found["measure"]["tools"]["Read"]["calls"] == 3


def test_notes_go_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was left out of a log is told, beside the JSON, not in it."""
    path = tmp_path / "log"
    path.write_text(json.dumps(user("go")) + '\n{"role": ', encoding="utf-8")
    assert main(["inspect", str(path), "--json"]) == 0
    shown, errors = told(capsys)
    assert json.loads(shown)["measure"]["messages"] == 1
    assert errors == f"context-kit: {path}: line 2 is cut off and was left out\n"


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`-` reads the transcript from standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(conversation()).encode())))
    assert main(["inspect", "-", "--json"]) == 0
    assert json.loads(told(capsys)[0])["file"] == "-"


# -- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["inspect", "missing.json"], 2, "missing.json: can't be read: no such file"),
        (["compact", "missing.json", "--window", "8000"], 2, "missing.json: can't be read"),
        (["compact", "bad.json", "--window", "8000"], 2, "bad.json: message 2 (m2): tool_call_id: "),
        (["inspect", "bad.json"], 2, "bad.json: message 2 (m2): tool_call_id: "),
        (["compact", "in.json"], 2, "--window"),
        (["compact", "in.json", "--window", "0"], 2, "window: 0"),
        (["compact", "in.json", "--window", "-8"], 2, "window: -8"),
        (["compact", "in.json", "--window", "many"], 2, "--window"),
        (["inspect", "in.json", "--window", "0"], 2, "window: 0"),
        (["demo", "--window", "0"], 2, "window: 0"),
        (["compact", "heavy.json", "--window", "1000"], 1, "system prompt"),
        (["compact", "in.json", "--window", "8000", "-o", "."], 2, "is a directory"),
        (["compact", "in.json", "--window", "8000", "-o", "none/out.json"], 2, "its directory does not exist"),
        (["compact", "in.json", "--window", "8000", "-o", "-", "--json"], 2, "both print to standard output"),
        (["compact", "in.json", "--window", "8000", "-o", "no\0name"], 2, "can't be written"),
        (["compact", "in.json", "--window", "8000", "-o", "x" * 5_000], 2, "can't be written"),
        (["compact", "deep.json", "--window", "8000"], 2, "nested"),
        (["inspect", "deep.json"], 2, "nested"),
        (["compact", "in.json", "--model", "no-such-model"], 2, "give it in tokens with --window"),
        (["inspect"], 2, "FILE"),
        (["inspect", "in.json", "--bogus"], 2, "--bogus"),
        (["bogus"], 2, "bogus"),
    ],
)
def test_a_refusal_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    line: str,
) -> None:
    """Bad usage and bad input are one line on standard error and exit code 2; what can't be done is 1."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.json", conversation(rounds=3))
    write(tmp_path / "bad.json", [user("go"), {"role": "tool", "tool_call_id": "c9", "content": "?"}])
    write(tmp_path / "heavy.json", {"system": "rule " * 3_000, "messages": conversation(rounds=3)})
    deep = "[" * 900 + "]" * 900
    (tmp_path / "deep.json").write_text(f'[{{"role": "user", "content": [{{"type": "x", "y": {deep}}}]}}]')
    assert main(arguments) == code
    shown, errors = told(capsys)
    assert line in errors
    assert errors.startswith("context-kit: ")
    assert (shown, errors.count("\n"), errors[-1]) == ("", 1, "\n")


def test_a_hostile_name_stays_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A file name with line breaks and escape codes is told on one line, without them, and not at any length."""
    assert main(["inspect", "a\nb\x1b[31m" + "x" * 5_000]) == 2
    errors = told(capsys)[1]
    assert errors.startswith("context-kit: a b [31mxxx")
    assert (errors.count("\n"), "\x1b" in errors, len(errors) < 1_000) == (1, False, True)


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a command the help is shown; every command is in it."""
    assert main([]) == 0
    shown = told(capsys)[0]
    assert [name for name in ("demo", "inspect", "compact") if name not in shown] == []
    assert main(["--version"]) == 0
    assert told(capsys)[0].startswith("context-kit ")


@pytest.mark.parametrize("group", [[], ["memory"], ["session"], ["hook"]])
def test_the_help_cuts_no_sentence(group: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Each command's line ends as its author ended it."""
    assert main([*group, "--help"]) == 0
    lines = told(capsys)[0].partition("Commands:")[2].splitlines()
    assert [line for line in lines if line.rstrip().endswith("...")] == []


@pytest.mark.parametrize("rounds", [3, 30])
def test_compact_tells_the_whole_way(rounds: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tokens before the first compaction and after the last, and why there is a manual one."""
    source = write(tmp_path / "in.json", conversation(rounds=rounds))
    assert main(["compact", source, "--window", "8000", "--json"]) == 0
    found = json.loads(told(capsys)[0])
    assert found["tokens_before"] > found["tokens_after"] == found["receipt"]["tokens_after"]
    assert main(["compact", source, "--window", "8000"]) == 0
    shown = " ".join(told(capsys)[0].split())
    assert f"{found['tokens_before']:,} tokens before the first, {found['tokens_after']:,} after the last" in shown
    assert "the transcript ends" in shown


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without typer the command says how to get it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "typer" else object())
    assert main(["demo"]) == 2
    assert "pip install 'context-kit[cli]'" in told(capsys)[1]


def test_importing_the_entry_point_loads_no_command_line_library() -> None:
    """Typer and rich are loaded when a command runs, not before."""
    code = "import sys, context_kit.cli; sys.exit(bool({'typer', 'rich', 'click'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_narrow_encoding_is_no_error(tmp_path: Path, encoding: str) -> None:
    """Where standard output can't hold a letter, a `?` stands for it."""
    source = write(tmp_path / "in.json", conversation(rounds=3))
    command = [sys.executable, "-m", "context_kit.cli", "inspect", source]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "path", sorted((SHARED / "raw").glob("*")) if (SHARED / "raw").is_dir() else [], ids=lambda path: path.stem
)
def test_real_logs_are_compacted(tmp_path: Path, path: Path) -> None:
    """A raw log of Claude Code, Codex or Gemini CLI goes in, a legal window comes out."""
    out = tmp_path / "out.json"
    assert main(["compact", str(path), "--window", "60000", "-o", str(out)]) == 0
    window = json.loads(out.read_text(encoding="utf-8"))
    shapes: dict[str, Shape] = {"cc": "anthropic", "codex": "responses", "gemini": "chat"}
    assert faults(window, shape=shapes[path.stem.split("-")[0]]) == ()
