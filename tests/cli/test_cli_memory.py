"""The commands that look after a store: a page to read, a search, a clean-up, a piece forgotten, sessions."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from context_kit import ContextManager
from context_kit.cli import main
from context_kit.testing import assistant, user
from tests.talks import session

ARTICLE = (
    '{"ts": "day3-1420", "action": "edit", "file": "src/auth.js", "reason": "改同步为异步", "result": "测试通过"}\n'
    '{"ts": "day3-1435", "action": "fail", "cmd": "npm test", "error": "timeout in auth.spec.js:42"}\n'
)
"""The second article's two example lines."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two live sessions, a finished one, and three records, none of them written by a session itself."""
    place = tmp_path / "store"
    with ContextManager(6_000, store=place, session="one", policy="template") as ctx:
        ctx.add(session())
        ctx.compact()
        ctx.memory.append(action="decide", file="src/calc.py", reason="no new dependencies")
    with ContextManager(6_000, store=place, session="two", model="gpt-5.4") as ctx:
        ctx.add(user("hello"))
        ctx.memory.append(action="edit", file="lib/src/calc.py", cmd="pytest -q", result="12 passed")
        ctx.memory.append(action="edit", file="lib/src/calc.py", cmd="pytest -q", result="13 passed")
    with ContextManager(6_000, store=place, session="three") as ctx:
        ctx.add(user("bye"))
        ctx.close(done=True)
    return place


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    """A command's exit code, what it printed, and what it told on standard error."""
    code = main([str(each) for each in argv])
    shown, errors = capsys.readouterr()
    return code, shown, errors


def flat(shown: str) -> str:
    """A page in one line: where it is wrapped hangs on how long the store's path is."""
    return " ".join(shown.split())


def records(capsys: pytest.CaptureFixture[str], *argv: object) -> list[dict[str, Any]]:
    code, shown, _ = run(capsys, *argv, "--json")
    assert code == 0
    found: list[dict[str, Any]] = json.loads(shown)
    return found


# -- show ------------------------------------------------------------------------------------------


def test_the_articles_two_lines_are_two_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As they stand in the article, times of their own kind included."""
    (tmp_path / "memory.jsonl").write_text(ARTICLE, "utf-8")
    code, shown, _ = run(capsys, "memory", "show", tmp_path)
    assert code == 0
    assert "2 records" in flat(shown)
    for text in (
        "day3-1420",
        "src/auth.js",
        "改同步为异步",
        "→ 测试通过",
        "`npm test`",
        "✗ timeout in auth.spec.js:42",
    ):
        assert text in shown
    assert records(capsys, "memory", "show", tmp_path) == [json.loads(line) for line in ARTICLE.splitlines()]


def test_the_page_has_days_and_every_record(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Oldest first; each with its file, its command, why, how it ended, and its id."""
    code, shown, errors = run(capsys, "memory", "show", store)
    lines = [json.loads(line) for line in (store / "memory.jsonl").read_text("utf-8").splitlines()]
    assert (code, errors) == (0, "")
    assert f"{datetime.now(timezone.utc):%Y-%m-%d}" in shown
    assert all(line["id"] in shown for line in lines)
    assert [shown.index(line["id"]) for line in lines] == sorted(shown.index(line["id"]) for line in lines)
    assert "no new dependencies" in flat(shown)
    assert max(len(line) for line in shown.splitlines()) <= 80


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--session", "two"], 2),
        (["--file", "calc.py"], 3),
        (["--file", "lib/src/calc.py"], 2),
        (["--file", "other.py"], 0),
        (["--since", "1h"], 3),
        (["--since", "2999-01-01"], 0),
        (["--since", "2000-01-01T00:00:00Z", "--last", "2"], 2),
    ],
)
def test_a_part_of_the_page(options: list[str], count: int, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By session, by file, by time, the newest."""
    found = records(capsys, "memory", "show", store, *options)
    assert len(found) == count, found


def test_secrets_are_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever wrote them there."""
    secret = "sk-proj-" + "a1B2" * 12
    (tmp_path / "memory.jsonl").write_text(json.dumps({"ts": "x", "action": "note", "reason": f"key {secret}"}) + "\n")
    for argv in (["show", tmp_path], ["show", tmp_path, "--json"], ["search", tmp_path, "key"]):
        code, shown, _ = run(capsys, "memory", *argv)
        assert (code, secret in shown, "key" in shown) == (0, False, True)


def test_text_of_a_record_cannot_break_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Markup, control characters, line breaks, endless words."""
    line = {
        "ts": "2026-01-01T00:00:00Z",
        "action": "[red]x\x1b[2J",
        "reason": "[bold]a\nb\x07" + "y" * 5_000,
        "session": "s",
    }
    (tmp_path / "memory.jsonl").write_text(json.dumps(line) + "\n")
    code, shown, _ = run(capsys, "memory", "show", tmp_path)
    assert code == 0
    assert "[bold]a b" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_an_empty_store_has_an_empty_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No records is no error."""
    code, shown, _ = run(capsys, "memory", "show", tmp_path)
    assert (code, flat(shown)) == (0, f"{tmp_path}: 0 records")


# -- search ------------------------------------------------------------------------------------------


def test_a_search_finds_by_words_and_paths(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Best first; nothing found is exit code 1, told in one line."""
    found = records(capsys, "memory", "search", store, "dependencies", "new")
    assert [each["reason"] for each in found[:1]] == ["no new dependencies"]
    assert "no new dependencies" in flat(run(capsys, "memory", "search", store, "dependencies")[1])
    code, shown, errors = run(capsys, "memory", "search", store, "xylophone")
    assert (code, shown, errors.count("\n")) == (1, "", 1)


# -- tidy --------------------------------------------------------------------------------------------


def test_tidy_tells_then_does_then_has_nothing_to_do(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A dry run changes nothing."""
    before = (store / "memory.jsonl").read_bytes()
    code, shown, _ = run(capsys, "memory", "tidy", store, "--days", 0, "--dry-run")
    assert (code, (store / "memory.jsonl").read_bytes()) == (0, before)
    assert re.search(r"^3 records: 2 steps would be folded into 1 line$", shown.strip())
    assert run(capsys, "memory", "tidy", store)[1].strip() == "3 records: nothing to tidy"
    code, shown, _ = run(capsys, "memory", "tidy", store, "--days", 0, "--json")
    assert (code, json.loads(shown)) == (
        0,
        {"dry_run": False, "gone": 2, "records": 3, "folded": 2, "into": 1, "superseded": 0, "repeated": 0},
    )
    assert run(capsys, "memory", "tidy", store, "--days", 0)[1].strip() == "2 records: nothing to tidy"
    assert "2 edits" in run(capsys, "memory", "show", store)[1]


# -- forget ------------------------------------------------------------------------------------------


def test_forget_by_address_and_by_text(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 where something was forgotten, 1 where nothing has the text."""
    assert run(capsys, "memory", "forget", store, "m1", "--session", "two")[0] == 0
    assert b"hello" not in (store / "two" / "log.jsonl").read_bytes()
    code, shown, _ = run(capsys, "memory", "forget", store, "--matching", "no new dependencies", "--json")
    assert (code, json.loads(shown)["lines"]) == (0, 1)
    assert b"no new dependencies" not in (store / "memory.jsonl").read_bytes()
    code, shown, errors = run(capsys, "memory", "forget", store, "--matching", "no new dependencies")
    assert (code, shown, errors.count("\n")) == (1, "", 1)


@pytest.mark.parametrize(
    ("argv", "says"),
    [([], "--matching TEXT"), (["p10/x"], "'p10/x' is no address.*--matching TEXT"), (["m1"], "3.*with --session")],
)
def test_what_is_no_address_is_echoed_with_the_options(
    argv: list[str], says: str, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words of the command line, not of the library."""
    code, _, errors = run(capsys, "memory", "forget", store, *argv)
    assert code == 2
    assert re.search(says, errors)
    assert "matching=" not in errors


def test_forget_tells_which_session_lost_what(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The other sessions that quote it, too, and that it was a goal."""
    words = "The ledger must balance to the cent, whatever the currency is."
    for name in ("four", "five"):
        with ContextManager(6_000, store=store, session=name) as ctx:
            ctx.add(user(words))
    code, shown, _ = run(capsys, "memory", "forget", store, "m1", "--session", "four")
    assert code == 0
    assert "session four: m1 (its goal)" in shown
    lost = {line.split()[1].rstrip(":") for line in shown.splitlines() if line.startswith("  session ")}
    logs = {name for name in ("one", "two", "four", "five") if "[forgotten" in (store / name / "log.jsonl").read_text()}
    assert lost == logs


# -- sessions ----------------------------------------------------------------------------------------


def test_sessions_are_listed_and_archived(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Live ones with what is in them, then finished ones; an archived one leaves the live ones."""
    found = records(capsys, "session", "list", store)
    assert [(each["name"], each["state"]) for each in found] == [
        ("one", "live"),
        ("two", "live"),
        ("three", "finished"),
    ]
    assert (found[0]["compactions"], found[1]["messages"], found[1]["model"]) == (1, 1, "gpt-5.4")
    code, shown, _ = run(capsys, "session", "list", store)
    assert code == 0
    assert "3 sessions" in shown
    assert run(capsys, "session", "archive", store, "two")[:2] == (0, "archived: two\n")
    assert [each["name"] for each in records(capsys, "session", "list", store)] == ["one", "three", "two"]
    assert len(records(capsys, "memory", "show", store, "--session", "two")) == 2


def test_a_session_at_work_is_not_archived(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who holds it is told; exit code 1."""
    with ContextManager.open(store, "one"):
        code, shown, errors = run(capsys, "session", "archive", store, "one")
    assert (code, shown) == (1, "")
    assert "held by" in errors


# -- refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        ["memory", "show", "{missing}"],
        ["memory", "show", "{file}"],
        ["memory", "show"],
        ["memory"],
        ["memory", "frobnicate", "{store}"],
        ["memory", "show", "{store}", "--since", "yesterday-ish"],
        ["memory", "show", "{store}", "--last", "0"],
        ["memory", "search", "{store}"],
        ["memory", "search", "{store}", " "],
        ["memory", "tidy", "{store}", "--days", "-1"],
        ["memory", "tidy", "{store}", "--days", "soon"],
        ["memory", "tidy", "{missing}"],
        ["memory", "forget", "{store}"],
        ["memory", "forget", "{store}", "m1"],
        ["memory", "forget", "{store}", "m1", "--session", "nobody"],
        ["memory", "forget", "{store}", "the words", "--session", "one"],
        ["memory", "forget", "{store}", "--matching", "a"],
        ["session", "list", "{missing}"],
        ["session", "archive", "{store}", "nobody"],
        ["session", "archive", "{store}", "three"],
        ["session", "archive", "{store}", "../one"],
    ],
)
def test_bad_usage_is_exit_code_2_and_one_line(
    argv: list[str], store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is printed, nothing made, nothing changed."""
    (tmp_path / "file.txt").write_text("x")
    names = {"store": store, "missing": tmp_path / "missing", "file": tmp_path / "file.txt"}
    before = sorted(path.name for path in tmp_path.iterdir())
    code, shown, errors = run(capsys, *(each.format(**names) for each in argv))
    assert (code, shown) == (2, "")
    assert errors.startswith("context-kit: ")
    assert errors.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "text", ["3d", "2 w", "90m", "2026-01-02", "2026-01-02T03:04:05+01:00", "2026-01-02T03:04:05Z"]
)
def test_since_reads_dates_times_and_ages(text: str) -> None:
    """All of them before now."""
    from context_kit.cli._page import since_when

    now = datetime(2026, 6, 1, tzinfo=timezone.utc)
    assert timedelta(minutes=89) < now - since_when(text, now) < timedelta(days=200)


def test_finished_sessions_are_told_with_their_numbers(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As long as their logs are there; the second one of a name is `name~2`."""
    with ContextManager(7_000, store=store, session="three") as ctx:
        ctx.add([user("again"), *assistant("yes")])
        ctx.close(done=True)
    found = {each["name"]: each for each in records(capsys, "session", "list", store)}
    assert [found[name]["messages"] for name in ("three", "three~2")] == [1, 2]
    assert [found[name]["window"] for name in ("three", "three~2")] == [6_000, 7_000]


def test_a_directory_has_no_schema(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An option that would do nothing is refused."""
    code, _, errors = run(capsys, "session", "list", store, "--schema", "x")
    assert (code, "--schema" in errors) == (2, True)


def test_a_word_of_the_librarys_own_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below the page, where it stands in it; nowhere else."""
    lines = [{"id": "a1", "ts": "x", "action": action, "reason": "Never mind."} for action in ("revise", "note")]
    (tmp_path / "memory.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    shown = " ".join(run(capsys, "memory", "show", tmp_path)[1].split())
    assert "revise: words of the user's that take something back" in shown
    assert "steps:" not in shown
