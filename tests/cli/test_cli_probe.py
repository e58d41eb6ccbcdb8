"""`context-kit probe`: what it shows, what it writes, and how it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from context_kit import ContextManager
from context_kit.cli import main
from context_kit.testing import user
from tests.probes.sessions import coding, texts

FIELDS = {"kind", "question", "answer", "address", "difficulty"}


def write(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return str(path)


def test_the_probes_are_shown_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One table a compaction, one object a probe; each answer stands in the transcript at its address."""
    messages = coding(rounds=40)
    source, out = write(tmp_path / "in.json", messages), tmp_path / "probes.json"
    assert main(["probe", source, "--window", "6000", "--json", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert all(set(row) >= FIELDS for row in found)
    assert all(row["answer"] in texts(messages[int(row["address"][1:]) - 1]) for row in found if row["address"])
    shown = capsys.readouterr().out
    assert "Compaction c1" in shown
    assert "in the window" in shown
    assert f"{sum(not row['again'] for row in found)} probes" in shown
    each = Counter(row["compaction"] for row in found)
    assert len(each) > 1
    assert min(each.values()) >= 20


def test_an_evaluation_set_is_one_record_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with an id of its own and all that a grader needs; `-` prints nothing else."""
    source = write(tmp_path / "in.json", coding("zh"))
    assert main(["probe", source, "--window", "6000", "--jsonl", "-", "--most", "7"]) == 0
    printed, told = capsys.readouterr()
    records = [json.loads(line) for line in printed.splitlines()]
    assert all(set(record) >= FIELDS | {"id", "also", "source"} for record in records)
    assert len({record["id"] for record in records}) == len(records)
    assert {record["source"] for record in records} == {source}
    assert "probes" in told
    assert "不要改动" not in told


def test_each_probe_is_listed_once_and_says_when_to_ask_it(tmp_path: Path) -> None:
    """At its first compaction; the later ones that have it are named. `upto` messages make that compaction again."""
    messages = coding(rounds=40)
    source, out = write(tmp_path / "in.json", messages), tmp_path / "probes.jsonl"
    assert main(["probe", source, "--window", "6000", "--jsonl", str(out)]) == 0
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    asked = [(record["question"], record["answer"], record["address"]) for record in records]
    assert len(set(asked)) == len(asked)
    assert any(record["again"] for record in records)
    assert all(record["compaction"] not in record["again"] for record in records)
    last = records[-1]
    ctx = ContextManager(last["window"])
    for index, message in enumerate(messages[: last["upto"] + 1]):
        if message["role"] == "assistant" and index:
            ctx.prepare()
        if index < last["upto"]:
            ctx.add(message)
    assert ctx.compactions[-1].id == last["compaction"]
    assert last["question"] in {probe.question for probe in ctx.probes}


def test_two_outputs_are_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second would replace the first."""
    source = write(tmp_path / "in.json", coding())
    out = str(tmp_path / "out")
    assert main(["probe", source, "--window", "6000", "--json", out, "--jsonl", f"{tmp_path}/./out"]) == 2
    assert "one of them" in capsys.readouterr().err
    assert not Path(out).exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_takes_the_text_and_stays_a_pipe(tmp_path: Path) -> None:
    """No file takes its place."""
    source, pipe = write(tmp_path / "in.json", coding()), tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    assert main(["probe", source, "--window", "6000", "--json", str(pipe)]) == 0
    reader.join()
    assert json.loads(read[0])
    assert pipe.is_fifo()


def test_a_window_that_holds_all_has_nothing_to_ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says so, and the list is empty."""
    source, out = write(tmp_path / "in.json", [user("hello")]), tmp_path / "probes.json"
    assert main(["probe", source, "--window", "50000", "--json", str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8")) == []
    assert "nothing left this window" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "Missing option '--window'"),
        (["--window", "0"], "window"),
        (["--window", "6000", "--most", "0"], "--most"),
        (["--window", "6000", "--json", "-", "--jsonl", "-"], "both print"),
        (["--window", "6000", "--json", "IN"], "is the input"),
        (["--window", "6000", "--jsonl", "no/such/folder/x"], "can't be written"),
    ],
)
def test_bad_usage_is_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    """Exit code 2, before any work is done."""
    source = write(tmp_path / "in.json", coding())
    given = [source if each == "IN" else each for each in arguments]
    assert main(["probe", source, *given]) == 2
    assert why in capsys.readouterr().err


def test_json_loses_no_letter_on_a_narrow_terminal(tmp_path: Path) -> None:
    """What standard output can't hold is escaped, so that a reader gets the questions as they are."""
    source = write(tmp_path / "in.json", coding("zh"))
    command = [sys.executable, "-m", "context_kit.cli", "probe", source, "--window", "6000", "--json", "-"]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    questions = "".join(row["question"] for row in json.loads(done.stdout.decode("cp1252")))
    assert done.returncode == 0
    assert "哪" in questions
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["--json", "--jsonl"])
def test_an_empty_name_is_refused(tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = write(tmp_path / "in.json", coding())
    assert main(["probe", source, "--window", "6000", option, ""]) == 2
    assert "no file name" in capsys.readouterr().err
