"""`context-kit replay`: which files are read, which are spared, and what several runs share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from context_kit import Budget
from context_kit.cli import _sources, main
from context_kit.cli._jobs import Failed, Job, Pool
from context_kit.cli._results import Results
from context_kit.cli._score import Score
from context_kit.cli._snapshots import ChangedError, loaded, taken
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.typing import Message

BASE = ("--window", "2000", "--policy", "template", "--jobs", "1")


def talk(name: str = "a", rounds: int = 10) -> list[Message]:
    messages = [user(f"Fix module {name}")]
    for number in range(rounds):
        text = "\n".join(f"def {name}_{number}_{line}(): return {line}" for line in range(12))
        messages += tool_round([Call("Read", {"file_path": f"src/{name}{number}.py"}, result=text, id=f"c{number}")])
    return [*messages, *assistant("All read.")]


def write(path: Path, value: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return str(path)


def replayed(tmp_path: Path, *arguments: str) -> list[str]:
    """The names of the files that are in the figures."""
    out = tmp_path / "figures.out"
    assert main(["replay", *arguments, *BASE, "--json", str(out)]) == 0
    return [Path(each["file"]).name for each in json.loads(out.read_text("utf-8"))["sessions"]]


# -- what counts ---------------------------------------------------------------------


def test_a_session_that_another_goes_on_with_counts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A resumed agent begins a new log with the old one's messages; the longer one has them all."""
    logs = tmp_path / "logs"
    whole = talk()
    write(logs / "first.json", whole[:9])
    write(logs / "resumed.json", whole)
    (logs / "again.json").write_text(json.dumps({"messages": whole}, indent=2))
    write(logs / "other.json", talk("b"))
    assert replayed(tmp_path, str(logs)) == ["again.json", "other.json"]
    assert "first.json is the beginning of " in (told := capsys.readouterr().err)
    assert "and 1 more of this kind" in told


def test_the_same_messages_for_another_system_prompt_are_another_session(tmp_path: Path) -> None:
    """What is sent beside the messages is part of the session."""
    logs = tmp_path / "logs"
    for name in ("one", "two"):
        write(logs / f"{name}.json", {"system": name, "messages": talk()})
    assert len(replayed(tmp_path, str(logs))) == 2


def test_what_a_folder_lacks_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A link to nowhere, a log with a gap: the run goes on, and both are named."""
    logs = tmp_path / "logs"
    write(logs / "会话-é.json", talk())
    (logs / "gone.json").symlink_to(logs / "nowhere.json")
    lines = [json.dumps(message) for message in talk("b")]
    (logs / "cut.jsonl").write_text("\n".join([*lines, '{"role": "us']))
    assert sorted(replayed(tmp_path, str(logs))) == ["cut.jsonl", "会话-é.json"]
    told = capsys.readouterr().err
    assert "1 file was left out, first gone.json: can't be read: no such file" in told
    assert "1 file has gaps, first cut.jsonl: line 23 is cut off" in told


def test_a_file_too_large_for_a_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It isn't read unless it is named."""
    monkeypatch.setattr(_sources, "LARGEST", 5_000)
    write(tmp_path / "logs" / "small.json", talk(rounds=2))
    large = write(tmp_path / "logs" / "large.json", talk("b", rounds=20))
    assert replayed(tmp_path, str(tmp_path / "logs")) == ["small.json"]
    assert "large.json: is larger than 5,000 bytes" in capsys.readouterr().err
    assert replayed(tmp_path, large) == ["large.json"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Inside another it is left out; by itself it is refused."""
    write(tmp_path / "logs" / "a.json", talk())
    closed = tmp_path / "logs" / "closed"
    write(closed / "b.json", talk("b"))
    closed.chmod(0)
    try:
        assert replayed(tmp_path, str(tmp_path / "logs")) == ["a.json"]
        assert "closed: can't be read: permission denied" in capsys.readouterr().err
        assert main(["replay", str(closed), *BASE]) == 2
        assert "permission denied" in capsys.readouterr().err
    finally:
        closed.chmod(0o700)


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """As a shell gives one for `<(zcat log.gz)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = json.dumps(talk())
    writer = threading.Thread(target=lambda: pipe.write_text(text))
    writer.start()
    assert replayed(tmp_path, str(pipe)) == ["pipe"]
    writer.join()


@pytest.mark.parametrize("messages", [[user("go")], [*assistant("Hello."), user("go")]])
def test_a_session_without_a_request_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], messages: list[Message]
) -> None:
    """A model that never answered was never asked: there is nothing to count."""
    assert main(["replay", write(tmp_path / "a.json", messages), *BASE]) == 2
    assert "nothing was sent" in capsys.readouterr().err


def test_a_reason_why_nothing_is_left_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no session fits, one line says so, with the reason of the first."""
    logs = tmp_path / "logs"
    for name in "ab":
        write(logs / f"{name}.json", {"system": f"{name} " * 3_000, "messages": talk(name)})
    for more in ([], ["--sweep"]):
        assert main(["replay", str(logs), *BASE, *more]) == 1
        [line] = capsys.readouterr().err.splitlines()
        assert "a.json: the window of 2000 tokens" in line
        assert "(1 more session can't be replayed either)" in line


def test_a_folder_without_a_transcript_says_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first file that was left out, with its reason."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.jsonl").write_text('{"role": "user", "content": "x"}\nbroken\n{}\n')
    assert main(["replay", str(tmp_path / "logs"), *BASE]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "holds no transcript that can be replayed: 1 file was left out, first a.jsonl: line 2: is not JSON" in line


# -- what is spared ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.json", "again.json", "broken.json"])
def test_no_file_that_is_read_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Whether it is replayed, left out as a copy, or damaged."""
    logs = tmp_path / "logs"
    write(logs / "a.json", talk())
    write(logs / "again.json", talk())
    (logs / "broken.json").write_text("[{")
    before = (logs / name).read_bytes()
    assert main(["replay", str(logs), *BASE, "--json", str(logs / name)]) == 2
    assert "is a file that is read" in capsys.readouterr().err
    assert (logs / name).read_bytes() == before


@pytest.mark.parametrize("more", [[], ["--sweep"]])
def test_figures_among_the_transcripts_are_written_anew(tmp_path: Path, more: list[str]) -> None:
    """`replay . --json figures.json` works the second time, too."""
    logs = tmp_path / "logs"
    for name in "abcd":
        write(logs / f"{name}.json", talk(name))
    out = logs / "figures.json"
    for _ in range(2):
        assert main(["replay", str(logs), *BASE, *more, "--json", str(out), "--resume", str(logs / "kept")]) == 0
        found = json.loads(out.read_text("utf-8"))
        assert len(found.get("sessions", [*found.get("train", ()), *found.get("held_back", ())])) == 4


def test_results_are_kept_apart_from_the_transcripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder inside is not read as transcripts; the folder itself is refused."""
    logs = tmp_path / "logs"
    write(logs / "a.json", talk())
    for _ in range(2):
        assert main(["replay", str(logs), *BASE, "--resume", str(logs / "kept")]) == 0
        assert "left out" not in capsys.readouterr().err
    assert main(["replay", str(logs), *BASE, "--resume", str(logs)]) == 2
    assert "give another one for the results" in capsys.readouterr().err


# -- a log that grows ----------------------------------------------------------------


def test_a_snapshot_is_the_file_as_it_was(tmp_path: Path) -> None:
    """What an agent appends meanwhile isn't there; what was changed or taken away is an error."""
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in talk()))
    snapshot = taken(path)
    before = loaded(snapshot).messages
    with path.open("a") as file:
        file.write(json.dumps(user("and now?")) + "\n")
    assert loaded(snapshot).messages == before
    path.write_text(path.read_text().replace("Fix", "Fox"))
    with pytest.raises(ChangedError, match="run the command again"):
        loaded(snapshot)
    path.unlink()
    with pytest.raises(ChangedError, match="no such file"):
        loaded(snapshot)


def test_no_result_of_a_changed_file_is_kept(tmp_path: Path) -> None:
    """It is no result of the bytes that it would be kept under."""
    path, kept = Path(write(tmp_path / "a.json", talk())), tmp_path / "kept"
    kept.mkdir()
    job = Job(snapshot=taken(path), tokens=1, model=None, policy="template", budget=Budget(2_000))
    path.write_text(json.dumps(talk("b")))
    [found] = Pool(1, kept=kept).run([job])
    assert isinstance(found, Failed)
    assert "was changed" in found.reason
    assert not list(kept.glob("*.json"))
    path.write_text(json.dumps(talk()))
    assert isinstance(Pool(1, kept=kept).run([job])[0], Score)


# -- two runs at once ----------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/locks").is_file(), reason="the system doesn't tell who waits")
def test_a_result_that_another_run_makes_is_waited_for(tmp_path: Path) -> None:
    """Two runs with one folder share the work: who comes second takes what the first has made."""
    path, kept, out = Path(write(tmp_path / "a.json", talk())), tmp_path / "kept", tmp_path / "out.json"
    kept.mkdir()
    job = Job(snapshot=taken(path), tokens=1, model=None, policy="template", budget=Budget(2_000))
    [made] = Pool(1).run([job])
    assert isinstance(made, Score)
    arguments = [*BASE, "--resume", str(kept), "--json", str(out)]
    results = Results(kept)
    with results.claim(job.key()):
        command = [sys.executable, "-m", "context_kit.cli", "replay", str(path), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while f"-> POSIX  ADVISORY  WRITE {process.pid}" not in Path("/proc/locks").read_text():
            assert time.monotonic() < end
            time.sleep(0.02)
        results.write(job.key(), {**made.plain(), "peak": 123_456})
    assert process.wait(60) == 0
    assert json.loads(out.read_text("utf-8"))["policies"]["template"]["peak"] == 123_456
