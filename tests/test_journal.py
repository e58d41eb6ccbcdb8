"""The journal: one record per atomic step, written by code, durable, read back by force."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from context_kit import BudgetError, ContextManager, Record, Store, StoreError
from context_kit.memory import FileStore, Memory, record_line, settled
from context_kit.testing import assistant, user
from tests.talks import CODE, FAILED, GOAL, PASSED, SHAPES, looks, reads, runs, steps, told, writes


def plain(text: str) -> str:
    return text


def memory() -> Memory:
    return Memory(session="s", agent="", store=None, redact=plain)


@pytest.fixture(params=["in memory", "files", "postgres"])
def begin(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., ContextManager]:
    """A way to start a session, without a store and with either."""
    store: Store | None = None
    if request.param == "files":
        store = FileStore(tmp_path)
    elif request.param == "postgres":
        store = request.getfixturevalue("postgres")()

    def start(name: str = "s", **arguments: Any) -> ContextManager:
        return ContextManager(8_000, store=store, session=name, **arguments)

    return start


def told_of(records: tuple[Record, ...]) -> list[tuple[str, str, str, str]]:
    return [(record.action, record.file, record.cmd, record.result) for record in records]


# -- what the caller writes ---------------------------------------------------------------------


def test_append_gives_the_record_that_was_written(begin: Callable[..., ContextManager]) -> None:
    """With id and time; the same comes back when it is read."""
    ctx = begin()
    made = ctx.memory.append(action="decide", file="a.py", cmd="make", reason="r", result="s", error="e")
    assert (made.action, made.file, made.cmd, made.reason, made.result, made.error) == (
        "decide",
        "a.py",
        "make",
        "r",
        "s",
        "e",
    )
    assert made.session == "s"
    assert made.id
    assert ctx.memory.records() == (made,)
    then = datetime.fromisoformat(made.ts)
    assert then.utcoffset() == timedelta(0)
    assert abs(datetime.now(timezone.utc) - then) < timedelta(minutes=1)


def test_a_record_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    """`<store>/memory.jsonl`, one JSON object a line."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        made = ctx.memory.append(action="decide", reason="用小数 👩‍💻\nline two")
        (line,) = (tmp_path / "memory.jsonl").read_bytes().splitlines()
        assert json.loads(line)["reason"] == "用小数 👩‍💻\nline two"
        assert json.loads(line)["id"] == made.id


@pytest.mark.parametrize(
    "fields",
    [
        {"action": ""},
        {"action": None},
        {"action": "x", "file": 7},
        {"action": "x", "error": None},
        {"action": "x", "cmd": ["ls"]},
    ],
)
def test_a_record_without_words_is_refused(fields: dict[str, Any]) -> None:
    """`BudgetError`, by the field's name; nothing is written."""
    found = memory()
    with pytest.raises(BudgetError):
        found.append(**fields)
    assert found.records() == ()


def test_secrets_do_not_reach_the_journal(begin: Callable[..., ContextManager]) -> None:
    """Redacted before they are written."""
    ctx = begin()
    key = "sk-ant-api03-" + "a1B2" * 12
    made = ctx.memory.append(action="run", cmd=f"login {key}", error=f"{key} refused")
    assert key not in repr(made)
    assert "[redacted:anthropic-key]" in made.cmd


# -- dedup ------------------------------------------------------------------------------------------


def test_the_same_step_within_a_minute_is_one_record(begin: Callable[..., ContextManager]) -> None:
    """And `append` returns the record that it equals."""
    found = begin().memory
    first = found.append(action="edit", file="a.py", reason="first")
    assert found.append(action="edit", file="a.py", reason="second") == first
    assert found.records() == (first,)


def test_another_decision_is_news(begin: Callable[..., ContextManager]) -> None:
    """A record about no file says what it is about in its reason."""
    found = begin().memory
    first = found.append(action="decide", reason="use decimals")
    assert found.append(action="decide", reason="use decimals") == first
    found.append(action="decide", reason="drop python 3.9")
    assert [record.reason for record in found.records()] == ["use decimals", "drop python 3.9"]


def test_the_session_writes_the_same_journal_at_any_speed(
    begin: Callable[..., ContextManager], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has no clock: steps that repeat are one record, a second or an hour apart."""
    found: list[list[tuple[str, str, str, str]]] = []
    for hours in (0, 1):
        began = datetime.now(timezone.utc)
        clock = iter(range(1_000))

        class Clock(datetime):
            @classmethod
            def now(cls, tz: Any = None, clock: Any = clock, began: Any = began, hours: int = hours) -> Any:
                return began + timedelta(hours=hours * next(clock))

        monkeypatch.setattr("context_kit.memory._journal._memory.datetime", Clock)
        ctx = begin(f"s{hours}")
        ctx.add(user(GOAL))
        for number in range(4):
            ctx.add(writes("chat", "a.py", CODE, id=f"w{number}"))
        ctx.add([*runs("chat", PASSED, id="t1"), *writes("chat", "b.py", CODE, id="w9")])
        ctx.close()
        found.append(told_of(steps(ctx.memory.records(f"s{hours}"))))
    assert found[0] == found[1]
    assert [record[1] for record in found[0]] == ["a.py", "a.py", "b.py"]


def test_a_session_that_is_opened_again_repeats_no_repetition(tmp_path: Path) -> None:
    """What was skipped as a repetition is skipped again, whatever came after it."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.add(user(GOAL))
        for number in range(3):
            ctx.add(writes("chat", "a.py", CODE, id=f"w{number}"))
        ctx.add(writes("chat", "b.py", CODE, id="w9"))
    before = (tmp_path / "memory.jsonl").read_bytes()
    with ContextManager.open(tmp_path, "s") as ctx:
        ctx.memory.records()
    assert (tmp_path / "memory.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "news", [{"cmd": "make"}, {"result": "passed"}, {"error": "ValueError"}, {"file": "b.py"}, {"action": "run"}]
)
def test_news_stays(news: dict[str, str], begin: Callable[..., ContextManager]) -> None:
    """What differs in action, file, command, result or error is a record of its own."""
    found = begin().memory
    found.append(action="edit", file="a.py")
    found.append(**{"action": "edit", "file": "a.py", **news})
    assert len(found.records()) == 2


def test_only_the_last_record_counts() -> None:
    """A, B, A are three steps."""
    found = memory()
    for file in ("a.py", "b.py", "a.py"):
        found.append(action="edit", file=file)
    assert [record.file for record in found.records()] == ["a.py", "b.py", "a.py"]


@pytest.mark.parametrize(("seconds", "count"), [(59, 1), (61, 2), (3_600, 2)])
def test_after_a_minute_it_is_another_step(seconds: int, count: int, tmp_path: Path) -> None:
    """The time is the record's own; an older file's record counts as well."""
    then = (datetime.now(timezone.utc) - timedelta(seconds=seconds)).isoformat()
    old = {"id": "r1", "ts": then, "session": "s", "action": "edit", "file": "a.py"}
    (tmp_path / "memory.jsonl").write_text(json.dumps(old) + "\n", "utf-8")
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.memory.append(action="edit", file="a.py")
        assert len(ctx.memory.records("s")) == count


def test_another_sessions_record_is_no_repetition(tmp_path: Path) -> None:
    """Dedup is within a session and agent."""
    with (
        ContextManager(8_000, store=tmp_path, session="a") as one,
        ContextManager(8_000, store=tmp_path, session="b") as two,
    ):
        one.memory.append(action="edit", file="a.py")
        two.memory.append(action="edit", file="a.py")
        assert [record.session for record in one.memory.records()] == ["a", "b"]


# -- what the session writes by itself ----------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_an_edit_and_its_verification_are_one_record(shape: Any, begin: Callable[..., ContextManager]) -> None:
    """Written from the tool calls, with the assistant's own sentence as the reason; nobody was asked to."""
    ctx = begin()
    ctx.add(user(GOAL, shape=shape))
    ctx.add(writes(shape, "src/calc.py", CODE, id="w1", text="I will guard against zero."))
    ctx.add(runs(shape, PASSED, id="t1"))
    (record,) = steps(ctx.memory.records("s"))
    assert told_of((record,)) == [("edit", "src/calc.py", "pytest -q", "4 passed in 0.10s")]
    assert record.reason == "I will guard against zero."


def test_a_verification_that_fails_is_a_record_of_its_own_too(begin: Callable[..., ContextManager]) -> None:
    """The edit says that its check failed; the failure keeps the error's own line."""
    ctx = begin()
    ctx.add(
        [user(GOAL), *writes("chat", "src/calc.py", CODE, id="w1"), *runs("chat", f"Exit code 1\n{FAILED}", id="t1")]
    )
    edit, fail = steps(ctx.memory.records("s"))
    assert (edit.action, edit.result) == ("edit", "failed: 1 failed, 3 passed in 0.12s")
    assert (fail.action, fail.cmd) == ("fail", "pytest -q")
    assert "ZeroDivisionError: division by zero" in fail.error


def test_another_edit_comes_first(begin: Callable[..., ContextManager]) -> None:
    """Then the one before is recorded at once: not verified."""
    ctx = begin()
    ctx.add(
        [user(GOAL), *writes("chat", "src/a.py", "a = 1\n", id="w1"), *writes("chat", "src/b.py", "b = 1\n", id="w2")]
    )
    assert told_of(ctx.memory.records("s")) == [("edit", "src/a.py", "", "not verified")]
    ctx.add(runs("chat", PASSED, id="t1"))
    assert [record.file for record in ctx.memory.records("s")] == ["src/a.py", "src/b.py"]
    assert "4 passed" in ctx.memory.records("s")[-1].result


def test_a_check_that_passes_verifies_every_edit_before_it(begin: Callable[..., ContextManager]) -> None:
    """The bridge tells each with the check's result, the command once; the journal's lines stay as they were written."""
    ctx = begin()
    ctx.add(
        [
            user(GOAL),
            *writes("chat", "src/a.py", "a = 1\n", id="w1"),
            *writes("chat", "src/b.py", "b = 1\n", id="w2"),
            *runs("chat", PASSED, id="t1"),
            *writes("chat", "src/c.py", "c = 1\n", id="w3"),
        ]
    )
    ctx.add([message for number in range(14) for message in looks("chat", number)])
    ctx.compact()
    journal = str(ctx.messages[0]["content"]).split("## Journal since the last record")[1].splitlines()
    (of_a,), (of_b,), (of_c,) = ([line for line in journal if f"src/{name}.py" in line] for name in "abc")
    assert of_a.endswith("4 passed in 0.10s")
    assert of_b.endswith("4 passed in 0.10s")
    assert "`pytest -q`" in of_b
    assert of_c.endswith("not verified")
    assert ctx.memory.records("s")[0].result == "not verified"


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ({"action": "run", "cmd": "pytest -q", "result": "4 passed in 0.10s"}, "4 passed in 0.10s"),
        ({"action": "edit", "file": "src/b.py", "cmd": "pytest -q", "result": "4 passed"}, "4 passed"),
        ({"action": "run", "cmd": "pytest tests/test_a.py", "result": "1 passed in 0.10s"}, "1 passed in 0.10s"),
        ({"action": "run", "cmd": "pytest tests/test_b.py", "result": "1 passed in 0.10s"}, "not verified"),
        ({"action": "edit", "file": "b.py", "cmd": "pytest -q", "result": "failed: 1 failed"}, "not verified"),
        ({"action": "fail", "cmd": "pytest -q", "error": "E   assert 1 == 2"}, "not verified"),
        ({"action": "run", "cmd": "pytest -q", "result": "2 failed, 1 passed in 0.10s"}, "not verified"),
        ({"action": "run", "cmd": "pytest -q", "result": "no tests ran in 0.01s"}, "not verified"),
        ({"action": "run", "cmd": "ls", "result": "a.py"}, "not verified"),
    ],
)
def test_only_a_check_that_looked_at_the_file_and_passed_verifies_it(after: dict[str, str], told: str) -> None:
    """A whole run, or one that names the file or its test."""
    edit = Record(id="1", ts="", action="edit", file="src/a.py", result="not verified")
    check = Record(id="2", ts="", **after)
    assert [record.result for record in settled([edit, check])] == [told, check.result]
    assert settled([check, edit]) == [check, edit]


def test_a_compaction_comes_first(begin: Callable[..., ContextManager]) -> None:
    """So that the record is there before what it tells of leaves the window."""
    ctx = begin()
    ctx.add([user(GOAL), *writes("chat", "src/a.py", "a = 1\n", id="w1")])
    ctx.add([message for number in range(14) for message in looks("chat", number)])
    receipt = ctx.compact()
    assert told_of(steps(ctx.memory.records("s"))) == [("edit", "src/a.py", "", "not verified")]
    assert (receipt.written, receipt.read) == (1, 1)


def test_the_end_comes_first(tmp_path: Path) -> None:
    """`close` settles what waits; opening again writes nothing twice."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.add([user(GOAL), *writes("chat", "src/a.py", "a = 1\n", id="w1")])
        assert ctx.memory.records("s") == ()
    for _ in range(3):
        with ContextManager.open(tmp_path, "s") as ctx:
            assert told_of(steps(ctx.memory.records("s"))) == [("edit", "src/a.py", "", "not verified")]
            ctx.compact()


def test_looking_around_is_no_step(begin: Callable[..., ContextManager]) -> None:
    """Reads, searches and talk change nothing: the journal stays empty."""
    ctx = begin()
    ctx.add([user(GOAL), *reads("chat", "a.py", CODE, id="r1"), *looks("chat", 1), *assistant("I see.")])
    assert ctx.memory.records("s") == ()


@pytest.mark.parametrize("policy", ["template", "template+engrams"])
def test_without_memory_in_its_policy_a_session_writes_nothing_by_itself(policy: Any) -> None:
    """What the caller writes is still written."""
    ctx = ContextManager(8_000, policy=policy, session="s")
    ctx.add([user(GOAL), *writes("chat", "src/a.py", "a = 1\n", id="w1"), *runs("chat", PASSED, id="t1")])
    assert ctx.memory.records("s") == ()
    ctx.memory.append(action="decide", reason="x")
    assert len(ctx.memory.records("s")) == 1


# -- read back -------------------------------------------------------------------------------------------


def test_after_each_compaction_the_new_records_are_in_the_bridge(begin: Callable[..., ContextManager]) -> None:
    """Those since the last one, each once; the receipt counts them."""
    ctx = begin()
    ctx.add(user(GOAL))
    for number in range(3):
        ctx.memory.append(action="decide", file=f"src/m{number}.py", reason=f"split module {number}")
        ctx.add([message for n in range(14) for message in looks("chat", 100 * number + n)])
        assert ctx.compact().read == 1
        journal = str(ctx.messages[0]["content"]).split("## Journal since the last record")[1]
        assert f"split module {number}" in journal
        assert f"split module {number - 1}" not in journal


def test_the_file_is_read_not_a_memory_of_it(tmp_path: Path) -> None:
    """Read back by force: a record that another program put there for this session is seen."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.add([user(GOAL), *(message for number in range(14) for message in looks("chat", number))])
        ctx.memory.append(action="decide", reason="mine")
        foreign = {
            "id": "rffffffffffff",
            "ts": "2026-01-01T00:00:00+00:00",
            "session": "s",
            "action": "decide",
            "reason": "from outside",
        }
        with (tmp_path / "memory.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(foreign) + "\n")
        ctx.compact()
        assert "from outside" in told(ctx.messages)


def test_a_damaged_journal_line_costs_itself(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The others are read, and the loss is reported."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.memory.append(action="decide", reason="one")
        with (tmp_path / "memory.jsonl").open("ab") as file:
            file.write(b'{"action": "dec\x00\xff\n')
        ctx.memory.append(action="decide", reason="two", result="r")
        assert [record.reason for record in ctx.memory.records()] == ["one", "two"]
    assert "damaged" in caplog.text


@pytest.mark.parametrize("line", ['{"action": 7, "file": ["a"], "mood": "good"}', "{}", '{"ts": null, "action": "x"}'])
def test_a_record_of_another_version_is_shown_as_text(line: str, tmp_path: Path) -> None:
    """Nothing in an older file stops a session."""
    (tmp_path / "memory.jsonl").write_text(line + "\n", "utf-8")
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        (record,) = ctx.memory.records()
        assert isinstance(record, Record)
        assert record_line(record) is not None
        assert ctx.memory.append(action="edit", file="a.py").file == "a.py"


def test_search_finds_all_words_newest_first(begin: Callable[..., ContextManager]) -> None:
    """Over every field; of the whole store."""
    found = begin().memory
    for number in range(3):
        found.append(action="decide", file=f"src/m{number}.py", reason="Use DECIMALS for money", result=str(number))
    found.append(action="decide", reason="用小数表示金额", result="z")
    assert [record.file for record in found.search("decimals money")] == ["src/m2.py", "src/m1.py", "src/m0.py"]
    assert [record.file for record in found.search("m1.py")] == ["src/m1.py"]
    assert [record.result for record in found.search("小数")] == ["z"]
    assert next(record.result for record in found.search("decimals 小数")) == "z"


def test_a_record_is_one_line_in_the_bridge() -> None:
    """Whatever it holds."""
    made = memory().append(action="run", cmd="make\nall", reason="a\n\nb", result="c", error="d\n")
    assert "\n" not in record_line(made)
    assert record_line(made).startswith("run ")


def test_a_new_session_of_a_finished_ones_name_has_a_journal_of_its_own(tmp_path: Path) -> None:
    """Its bridge tells no steps of the older task, and the same step of both is in the journal twice."""
    for text in ("old task", "new task"):
        with ContextManager(8_000, store=tmp_path, session="s") as ctx:
            ctx.add([user(text), *runs("chat", FAILED, id="t1", command=f"pytest {text[:3]}.py", failed=True)])
            ctx.add(runs("chat", PASSED, id="t2"))
            ctx.add([message for number in range(14) for message in looks("chat", number)])
            assert ctx.compact().read == 2
            assert ("old.py" in str(ctx.messages)) == (text == "old task")
            ctx.close(done=True)
    assert [record.cmd for record in ctx.memory.records("s")].count("pytest -q") == 2


def test_a_journal_that_cannot_be_written_never_refuses_what_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`add` has the message on disk already; the record follows once the disk is well."""
    ctx = ContextManager(8_000, store=tmp_path, session="s")
    ctx.add(user(GOAL))
    well = FileStore.append

    def full(self: FileStore, session: str, lines: Any, /, *, sync: bool = False) -> None:
        if not session:
            raise StoreError("store: no space left")
        well(self, session, lines, sync=sync)

    monkeypatch.setattr(FileStore, "append", full)
    ctx.add(runs("chat", PASSED, id="t1"))
    with pytest.raises(StoreError, match="no space left"):
        ctx.close()
    monkeypatch.setattr(FileStore, "append", well)
    with ContextManager.open(tmp_path, "s") as ctx:
        assert [record.cmd for record in ctx.memory.records("s")] == ["pytest -q"]


def test_two_decisions_about_one_file_are_two_records(tmp_path: Path) -> None:
    """Of a decision the words are the record; only a step is the same whatever its reason."""
    with ContextManager(6_000, store=tmp_path, session="s") as ctx:
        for reason in ("one", "two"):
            ctx.memory.append(action="decide", file="a.py", reason=reason)
            ctx.memory.append(action="decide", file="a.py", reason=reason)
        assert [record.reason for record in ctx.memory.records()] == ["one", "two"]
