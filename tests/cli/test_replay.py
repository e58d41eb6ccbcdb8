"""`context-kit replay`: what the table counts, what it reads, and how it goes on after it was killed."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, get_args

import pytest

from context_kit import ContextManager
from context_kit.cli import main
from context_kit.cli._bill import Request, bill
from context_kit.cli._prices import PRICES, UNITS, Price, price_of
from context_kit.cli._recording import recorded
from context_kit.cli._score import Score, score
from context_kit.harness.transcripts import load
from context_kit.testing import Call, assistant, system, tool_round, user
from context_kit.typing import Message, Policy

POLICIES = get_args(Policy)


def talk(name: str = "a", rounds: int = 24) -> list[Message]:
    """An agent that reads and edits until a window of 4,000 tokens is full, several times over."""
    messages = [system("You are an agent."), user(f"Fix module {name}, do not touch tests/")]
    for number in range(rounds):
        text = "\n".join(f"def {name}_{number}_{line}(): return {line * number}" for line in range(25))
        calls = [Call("Read", {"file_path": f"src/{name}_{number % 6}.py"}, result=text, id=f"call_{number}")]
        messages += tool_round(calls, text=f"Reading file {number}.")
    return [*messages, *assistant("All read.")]


def write(path: Path, value: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return str(path)


def figures(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    """What `--json` writes."""
    out = tmp_path / "figures.json"
    assert main(["replay", *arguments, "--window", "4000", "--jobs", "1", "--json", str(out)]) == 0
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return found


# -- what is counted -----------------------------------------------------------------


def test_every_policy_stands_beside_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --policy all five are replayed, after a column of the session that never compacts."""
    found = figures(tmp_path, write(tmp_path / "a.json", talk()))
    assert list(found["policies"]) == ["none", *POLICIES]
    shown = capsys.readouterr().out
    for word in ("tokens per task", "peak window", "compactions", "summariser reads", "cost, units", "re-reads"):
        assert word in shown
    assert "kept: files" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


@pytest.mark.parametrize("policy", ["template", "default"])
def test_the_figures_are_those_of_the_library(tmp_path: Path, policy: Policy) -> None:
    """Tokens, peak, compactions and lost items are what a plain loop around a manager counts."""
    messages = talk()
    one = figures(tmp_path, write(tmp_path / "a.json", messages), "--policy", policy)["policies"][policy]
    ctx = ContextManager(4_000, policy=policy)
    sizes: list[int] = []
    for index, message in enumerate(messages):
        if message["role"] == "assistant" and index:
            ctx.prepare()
            sizes.append(ctx.usage.tokens)
        ctx.add(message)
    applied = [receipt for receipt in ctx.compactions if receipt.outcome == "applied"]
    assert len(applied) > 2
    assert (one["requests"], one["tokens"], one["peak"]) == (len(sizes), sum(sizes), max(sizes))
    assert one["compactions"] == len(applied)
    assert one["lost"] == len({item for receipt in applied for item in receipt.fidelity.lost})
    for name, kept in one["classes"].items():
        expected = [receipt.fidelity.classes[name] for receipt in applied]
        assert kept["expected"] == sum(each.expected for each in expected)
        assert kept["present"] == sum(each.present for each in expected)


def test_every_token_is_read_written_or_missed(tmp_path: Path) -> None:
    """The three add up to all that was sent; without a compaction all of a request but its new end is read."""
    found = figures(tmp_path, write(tmp_path / "a.json", talk()))["policies"]
    for one in found.values():
        charged = one["bill"]
        assert charged["read"] + charged["write"] + charged["miss"] == one["tokens"]
    assert found["none"]["bill"]["write"] <= found["none"]["peak"]
    assert found["default"]["bill"]["write"] > found["none"]["bill"]["write"]


def test_a_summariser_reads_what_leaves(tmp_path: Path) -> None:
    """The tokens that compactions took out are read by it, and its instructions beside them; none, where none is."""
    found = figures(tmp_path, write(tmp_path / "a.json", talk()))["policies"]
    assert found["none"]["asked"] == found["none"]["answered"] == found["none"]["compactions"] == 0
    whole = found["none"]["peak"]
    assert whole / 2 < found["template"]["asked"] < 4 * whole


THREE = (Request(0, 1_000, 50), Request(1_000, 500, 50), Request(200, 800, 50))


@pytest.mark.parametrize(
    ("price", "read", "write", "miss", "cost"),
    [
        (UNITS, 1_200, 2_300, 0, 1_200 * 0.1 + 2_300 * 1.25),
        (Price(name="x", miss=2, read=1, write=None, output=9, least=0), 1_200, 0, 2_300, 1_200 + 2 * 2_300),
        (Price(name="x", miss=2, read=1, write=4, output=9, least=1_024), 0, 1_500, 2_000, 4 * 1_500 + 2 * 2_000),
        (Price(name="x", miss=2, read=1, write=4, output=9, least=1_000), 1_000, 2_500, 0, 1_000 + 4 * 2_500),
    ],
)
def test_a_bill_is_the_price_list_applied(price: Price, read: int, write: int, miss: int, cost: float) -> None:
    """What the request before had is read, the rest written; nothing is cached below the smallest size."""
    found = bill(THREE, price)
    assert (found.read, found.write, found.miss) == (read, write, miss)
    assert found.cost == pytest.approx(cost / 1e6)
    dearer = bill(THREE, price, asked=100, answered=10)
    assert dearer.cost == pytest.approx((cost + 100 * price.miss + 10 * price.output) / 1e6)
    assert dearer.seconds > found.seconds


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (None, ""),
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("gpt-5.4-mini", "gpt-5.4-mini"),
        ("gpt-5.4-2026-03-05", "gpt-5.4"),
        ("gpt-5-pro", ""),
        ("o3-mini", ""),
        ("gpt-55", ""),
        ("somebody's own", ""),
    ],
)
def test_a_price_is_the_models_own_or_none(model: str | None, name: str) -> None:
    """A date behind a name is no other model; a size, a version or a stranger gets unit ratios, never a guess."""
    assert price_of(model).name == name


@pytest.mark.parametrize("name", sorted(PRICES))
def test_a_price_list_is_plausible(name: str) -> None:
    """Each row is found by its own name; reading from a cache is cheaper than not, writing not cheaper, output dearest."""
    found = price_of(name)
    assert found.name == name
    assert 0 < found.read < found.miss <= (found.write or found.miss) < found.output


# -- re-reads ------------------------------------------------------------------------


def reading(path: str, number: int, text: str) -> list[Message]:
    return tool_round([Call("Read", {"file_path": path}, result=text, id=f"r{number}")])


def editing(path: str, number: int) -> list[Message]:
    call = Call("Edit", {"file_path": path, "old_string": "x", "new_string": "y"}, result="The file was updated.")
    return tool_round([Call(call.name, call.arguments, result=call.result, id=f"e{number}")])


TEXT = "\n".join(f"{line}\tx = {line}" for line in range(1, 40))
FILL = [message for number in range(100, 112) for message in reading(f"src/other_{number}.py", number, TEXT * 2)]


@pytest.mark.parametrize(
    ("between", "last", "rereads"),
    [
        (FILL, reading("src/a.py", 2, TEXT), 1),
        (FILL, editing("src/a.py", 2), 1),
        ([], reading("src/a.py", 2, TEXT), 0),
        (FILL, reading("src/never.py", 2, TEXT), 0),
        ([*FILL, *editing("src/a.py", 3)], reading("src/a.py", 2, TEXT), 1),
        ([*editing("src/a.py", 3), *FILL], reading("src/a.py", 2, TEXT), 0),
    ],
    ids=["read again", "edited", "still there", "never read", "once since the compaction", "changed before"],
)
def test_a_reread_is_a_use_of_what_has_left(
    tmp_path: Path, between: list[Message], last: list[Message], rereads: int
) -> None:
    """A file that is as it was when it was read, whose content has left the window, and that is used again."""
    messages = [user("go"), *reading("src/a.py", 1, TEXT), *between, *last, *assistant("Done.")]
    recording = recorded(load(write(tmp_path / "a.json", messages)))
    found = score(recording, window=4_000, model=None, policy="template")
    assert (found.rereads, found.reread > 0) == (rereads, rereads > 0)


def test_a_score_survives_its_file(tmp_path: Path) -> None:
    """What is kept between runs is all of it."""
    found = score(recorded(load(write(tmp_path / "a.json", talk()))), window=4_000, model=None, policy="default")
    assert Score.of(json.loads(json.dumps(found.plain()))) == found


# -- what is read --------------------------------------------------------------------


def test_folders_are_walked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every transcript in a folder counts once; what is none, or hidden, is left out, and the first of it told."""
    folder = tmp_path / "logs"
    write(folder / "b.json", talk("b"))
    write(folder / "deep" / "a.log", talk("a"))
    write(folder / "deep" / "again.json", talk("a"))
    write(folder / ".git" / "c.json", talk("c"))
    (folder / "README.md").write_text("# not a transcript\n")
    found = figures(tmp_path, str(folder), "--policy", "default")
    assert [Path(each["file"]).name for each in found["sessions"]] == ["b.json", "a.log"]
    errors = capsys.readouterr().err
    assert "1 file was left out, first " in errors
    assert "README.md: " in errors


def test_a_file_given_twice_counts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its content, and it is told."""
    path = write(tmp_path / "a.json", talk())
    found = figures(tmp_path, path, write(tmp_path / "b.json", talk()), "--policy", "default")
    assert len(found["sessions"]) == 1
    assert "again and was left out" in capsys.readouterr().err


def test_standard_input_is_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`-` reads a transcript; `--json -` prints the figures alone."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(talk()).encode())))
    assert main(["replay", "-", "--window", "4000", "--policy", "default", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["file"] for each in found["sessions"]] == ["-"]


def test_prices_are_those_of_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--model chooses the price list; an unknown one has unit ratios and is told."""
    path = write(tmp_path / "a.json", talk())
    assert figures(tmp_path, path, "--policy", "default", "--model", "claude-sonnet-5")["price"]["unit"] == "USD"
    assert figures(tmp_path, path, "--policy", "default", "--model", "mine")["price"]["unit"] == "units"
    assert "the prices of 'mine' are not known" in capsys.readouterr().err


def test_a_session_that_can_never_fit_is_in_no_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told, and the others are compared without it."""
    heavy = write(tmp_path / "heavy.json", {"system": "rule " * 6_000, "messages": talk("h", rounds=2)})
    found = figures(tmp_path, write(tmp_path / "a.json", talk()), heavy)
    assert [Path(each["file"]).name for each in found["sessions"]] == ["a.json"]
    assert "heavy.json: left out: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        ([], 2, "FILES"),
        (["in.json"], 2, "--window"),
        (["missing.json", "--window", "4000"], 2, "missing.json: can't be read"),
        (["missing", "in.json", "--window", "4000"], 2, "missing: can't be read"),
        (["empty", "--window", "4000"], 2, "empty: holds no transcript"),
        (["bad.json", "--window", "4000"], 2, "bad.json: message 2 (m2): tool_call_id: "),
        (["in.json", "bad.json", "--window", "4000"], 2, "bad.json: message 2 (m2): tool_call_id: "),
        (["deep.json", "--window", "4000"], 2, "deep.json: message 1 (m1): "),
        (["in.json", "--window", "0"], 2, "window: 0"),
        (["in.json", "--window", "many"], 2, "--window"),
        (["in.json", "--window", "4000", "--policy", "best"], 2, "--policy: 'best' is unknown, use one of template,"),
        (["in.json", "--window", "4000", "--jobs", "0"], 2, "--jobs"),
        (["in.json", "--window", "4000", "--json", "in.json"], 2, "is the input"),
        (["in.json", "--window", "4000", "--json", "none/out.json"], 2, "its directory does not exist"),
        (["in.json", "--window", "4000", "--resume", "in.json"], 2, "--resume: in.json: can't be written"),
        (["in.json", "--model", "no-such-model"], 2, "give it in tokens with --window"),
        (["-", "-", "--window", "4000"], 2, "standard input can be read once"),
        (["heavy.json", "--window", "1000"], 1, "system prompt"),
        (["in.json", "--window", "4000", "--sweep"], 2, "--sweep needs at least 4 sessions"),
        (["in.json", "--window", "4000", "--sweep", "--policy", "default", "--policy", "layered"], 2, "one --policy"),
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
    """Bad usage and bad input are told in the last line and cost 2; a window that is too small costs 1."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.json", talk(rounds=3))
    write(tmp_path / "bad.json", [user("go"), {"role": "tool", "tool_call_id": "c9", "content": "?"}])
    write(tmp_path / "heavy.json", {"system": "rule " * 3_000, "messages": talk(rounds=3)})
    deep = "[" * 900 + "]" * 900
    (tmp_path / "deep.json").write_text(f'[{{"role": "user", "content": [{{"type": "x", "y": {deep}}}]}}]')
    (tmp_path / "empty").mkdir()
    assert main(["replay", *arguments]) == code
    shown, errors = capsys.readouterr()
    assert line in errors.splitlines()[-1]
    assert (shown, errors[-1], "Traceback" in errors) == ("", "\n", False)


# -- processes -----------------------------------------------------------------------


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "context_kit.cli", "replay", *arguments, "--window", "4000"]


def folder_of(path: Path, sessions: int, rounds: int = 24) -> str:
    for number in range(sessions):
        write(path / f"{number}.json", talk(f"s{number}", rounds=rounds))
    return str(path)


def test_processes_change_no_figure(tmp_path: Path) -> None:
    """One process or two: the same bytes."""
    folder = folder_of(tmp_path / "logs", 3)
    found: list[bytes] = []
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.json"
        subprocess.run(command(folder, "--jobs", jobs, "--json", str(out)), check=True, capture_output=True)
        found.append(out.read_bytes())
    assert found[0] == found[1]


def children(process: int) -> set[int]:
    """Processes below one; nothing where the system doesn't tell."""
    found: set[int] = set()
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        for child in path.read_text().split():
            found |= {int(child)} | children(int(child))
    return found


def alive(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def until(condition: Any, *, seconds: float = 60) -> bool:
    """Whether a condition came true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """After kill -9 the finished results stay and are not made anew, no process is left, and the figures are the same."""
    folder, kept, out = folder_of(tmp_path / "logs", 8, rounds=60), tmp_path / "kept", tmp_path / "out.json"
    arguments = command(folder, "--jobs", "2", "--resume", str(kept), "--json", str(out))
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert until(lambda: len(list(kept.glob("[0-9a-f]*.json"))) >= 2)
    below = children(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = {path.name: path.stat().st_mtime_ns for path in kept.glob("[0-9a-f]*.json")}
    assert not out.exists()
    assert until(lambda: not any(map(alive, below)))
    subprocess.run(arguments, check=True, capture_output=True)
    after = {path.name: path.stat().st_mtime_ns for path in kept.glob("[0-9a-f]*.json")}
    assert len(after) == 8 * len(POLICIES)
    assert {name: after[name] for name in before} == before
    fresh = tmp_path / "fresh.json"
    subprocess.run(command(folder, "--json", str(fresh)), check=True, capture_output=True)
    assert fresh.read_bytes() == out.read_bytes()


def test_a_damaged_result_is_made_anew(tmp_path: Path) -> None:
    """What was cut off, or is of another kind, counts as not there."""
    path, kept = write(tmp_path / "a.json", talk()), tmp_path / "kept"
    first = figures(tmp_path, path, "--resume", str(kept))
    for each, text in zip(sorted(kept.glob("*.json")), ("", "{", "[]", '{"requests": 3}', "null"), strict=True):
        each.write_text(text)
    assert figures(tmp_path, path, "--resume", str(kept)) == first


@pytest.mark.parametrize("change", [("--window", "4100"), ("--policy", "layered"), ("--model", "gpt-4")])
def test_other_settings_use_no_old_result(tmp_path: Path, change: tuple[str, str]) -> None:
    """A kept result is of its settings and of the file's content alone."""
    path, kept = write(tmp_path / "a.json", talk()), tmp_path / "kept"
    base = ["--window", "4000", "--policy", "default", "--jobs", "1", "--resume", str(kept)]
    assert main(["replay", path, *base]) == 0
    assert main(["replay", path, *base, *change]) == 0
    assert len(list(kept.glob("*.json"))) == 2
    write(tmp_path / "a.json", talk("b"))
    assert main(["replay", path, *base]) == 0
    assert len(list(kept.glob("*.json"))) == 3


def heard() -> None:
    """Ctrl-C is heard, even where the tests run in a shell's background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_ends_it_in_one_line(tmp_path: Path) -> None:
    """An interrupted run says so, leaves with 130 and leaves no process."""
    folder, kept = folder_of(tmp_path / "logs", 8, rounds=60), tmp_path / "kept"
    arguments = command(folder, "--jobs", "2", "--resume", str(kept))
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=heard
    )
    assert until(lambda: kept.is_dir() and bool(list(kept.glob("[0-9a-f]*.json"))))
    below = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    shown, errors = process.communicate(timeout=60)
    assert (process.returncode, shown, errors) == (130, b"", b"context-kit: interrupted\n")
    assert until(lambda: not any(map(alive, below)))
