"""A session's facts: folded in pieces or at once, kept as JSON, read from every agent's own log."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit.harness.hooks._facts import Facts, facts_from, facts_to
from context_kit.harness.hooks._fold import fold, wished
from context_kit.harness.hooks._text import compose
from context_kit.harness.transcripts import TranscriptError, grown
from tests.harness.sessions import WORK, Row, claude, codex, gemini, gemini_records, qwen, rows_of, write

RAW = Path(__file__).parents[3] / "shared" / "transcripts" / "raw"
LOGS = {
    "cc-entire-fc99.jsonl": "claude-code",
    "cc-spotter-ae4a.jsonl": "claude-code",
    "codex-codemie-019e1625.jsonl": "codex",
    "gemini-cli-traj.json": "gemini",
}
SPENT = "Chunk ID: a21e41\nWall time: 1.0 seconds\n"
"""How Codex begins what a command printed."""
AGENTS = ("claude-code", "codex", "gemini", "qwen")


def known(path: Path, agent: str, facts: Facts | None = None) -> Facts:
    """The facts of a transcript as it is now, on from what is known."""
    from dataclasses import replace

    facts = Facts() if facts is None else facts
    growth = grown(str(path), agent=agent, mark=facts.mark, head=facts.head)
    kept = fold(Facts() if growth.fresh else facts, growth.settled)
    return replace(kept, mark=growth.mark, head=growth.head)


def told(facts: Facts) -> dict[str, Any]:
    """What a record says, as far as it doesn't depend on where a reading ended."""
    return {
        "words": [(said.text, said.rules) for said in facts.words],
        "edited": sorted((each.path, each.times, each.gone) for each in facts.edited),
        "failed": sorted((each.name, each.line, each.error) for each in facts.failed),
        "plan": facts.plan,
        "checks": {each.command: each.told for each in facts.checks},
        "intent": facts.intent,
    }


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_session_in_pieces_is_the_session_at_once(tmp_path_factory: Any, agent: str, data: st.DataObject) -> None:
    """Wherever a reading ended, in the middle of a line too."""
    path = tmp_path_factory.mktemp("session") / "transcript.jsonl"
    whole = write(path, rows_of(agent)).read_bytes()
    at_once = known(path, agent)
    facts = Facts()
    for cut in sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5))):
        path.write_bytes(whole[:cut])
        facts = facts_from(json.loads(json.dumps(facts_to(known(path, agent, facts)))))
    path.write_bytes(whole)
    assert told(known(path, agent, facts)) == told(at_once)


@pytest.mark.skipif(not RAW.is_dir(), reason="the shared transcripts are not here")
@pytest.mark.parametrize("name", sorted(LOGS))
def test_a_real_session_in_pieces_is_the_session_at_once(tmp_path: Path, name: str) -> None:
    """The raw logs, read at twelve drawn places."""
    path, agent = tmp_path / name, LOGS[name]
    text = (RAW / name).read_text("utf-8")
    rows = json.loads(text) if name.endswith(".json") else text.splitlines(keepends=True)

    def put(upto: int) -> None:
        some = rows[:upto]
        path.write_text(json.dumps(some) if name.endswith(".json") else "".join(some), "utf-8")

    put(len(rows))
    at_once, facts = told(known(path, agent)), Facts()
    for upto in [*sorted(random.Random(name).sample(range(len(rows)), 12)), len(rows)]:
        put(upto)
        facts = known(path, agent, facts)
    found = told(facts)
    assert found["edited"] == at_once["edited"]
    assert found["failed"] == at_once["failed"]
    assert found["words"] == at_once["words"]
    assert found["plan"] == at_once["plan"]


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agents_log_tells_the_same_work(tmp_path: Path, agent: str) -> None:
    """One session, logged by four agents: the same files, the same failure, the same words."""
    facts = known(write(tmp_path / "log", rows_of(agent)), agent)
    assert [each.path for each in facts.edited] == ["/repo/src/app/parser.py", "/repo/docs/parser/notes.md"]
    assert [each.line for each in facts.failed] == ["E   AssertionError: assert '' is None"]
    assert [said.text for said in facts.words] == [text for kind, text in WORK if kind == "user"]


@pytest.mark.parametrize("rows", [gemini(), gemini_records()], ids=["contents", "records"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_gemini_logs_as_one_document(tmp_path: Path, rows: list[Row], wrapped: bool) -> None:
    """Older versions write a list, or an object with the messages in it."""
    path = tmp_path / "log.json"
    path.write_text(
        json.dumps({"sessionId": "s", "messages": rows}, indent=2) if wrapped else json.dumps(rows), "utf-8"
    )
    growth = grown(str(path), agent="gemini")
    facts = fold(fold(Facts(), growth.settled), growth.rest)
    assert [each.path for each in facts.edited] == ["/repo/src/app/parser.py", "/repo/docs/parser/notes.md"]


def test_a_failure_that_was_solved_is_gone(tmp_path: Path) -> None:
    """The command's own success solves it, in a later reading too."""
    path = write(tmp_path / "log", claude())
    facts = known(path, "claude-code")
    passed = ("call", ("c9", "Bash", {"command": "pytest tests/test_parser.py"}, "1 passed in 0.01s", False))
    write(path, claude([*WORK, passed]))
    again = known(path, "claude-code", facts)
    assert (len(facts.failed), again.failed) == (1, ())
    assert [(check.told, check.failed) for check in again.checks] == [("1 passed in 0.01s", False)]


def test_a_constraint_that_was_taken_back_is_one_no_more(tmp_path: Path) -> None:
    """Told in a later reading: it marks nothing, though the words still stand."""
    path = write(tmp_path / "log", claude())
    facts = known(path, "claude-code")
    write(path, claude([*WORK, ("user", "You may now touch tests/ again.")]))
    again = known(path, "claude-code", facts)
    assert "Do not touch tests/." in facts.words[0].rules
    assert "Do not touch tests/." not in again.words[0].rules
    assert "Never push to main." in again.words[0].rules


def test_a_log_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    """Another file under the same name is another session."""
    path = write(tmp_path / "log", claude())
    facts = known(path, "claude-code")
    write(path, claude([("user", "Something else.")]))
    assert [said.text for said in known(path, "claude-code", facts).words] == ["Something else."]


def test_a_subagents_rows_are_not_the_sessions(tmp_path: Path) -> None:
    """What a subagent was told is nobody's constraint."""
    aside = {**claude([("user", "Never answer.")])[0], "isSidechain": True, "uuid": "x"}
    path = write(tmp_path / "log", [*claude(), aside])
    assert len(known(path, "claude-code").words) == 2


def test_a_command_that_runs_on_is_known_in_the_next_reading(tmp_path: Path) -> None:
    """Codex reads on from a running process: its failure is the command's."""
    start = (
        "call",
        ("r1", "exec_command", {"cmd": "pytest -q"}, f"{SPENT}Process running with session ID 7\nOutput:\n", False),
    )
    end = f"{SPENT}Process exited with code 1\nOutput:\nFAILED tests/test_a.py::test_a - ValueError\n1 failed"
    path = write(tmp_path / "log", codex([("user", "go"), start]))
    facts = known(path, "codex")
    write(path, codex([("user", "go"), start, ("call", ("r2", "write_stdin", {"session_id": 7}, end, False))]))
    (failure,) = known(path, "codex", facts).failed
    assert (failure.name, failure.line) == ("`pytest -q`", "FAILED tests/test_a.py::test_a - ValueError")


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
@settings(deadline=None)
def test_facts_from_anything(value: Any) -> None:
    """A state file that holds anything else gives no facts, and no error."""
    assert facts_from(value) == Facts()


@pytest.mark.parametrize("limit", [0, 10, 200, 800, 2_000, 9_400])
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_the_text_is_never_over_its_limit(tmp_path: Path, agent: str, limit: int) -> None:
    """By characters or by bytes; the record of a small limit begins like the one of a large."""
    facts = known(write(tmp_path / "log", rows_of(agent)), agent)

    def size(text: str) -> int:
        return len(text.encode())

    assert len(compose(facts, limit=limit)) <= limit
    assert size(compose(facts, limit=limit, size=size)) <= limit


def test_chinese_sessions_have_chinese_headings(tmp_path: Path) -> None:
    """The record speaks the user's language."""
    path = write(tmp_path / "log", claude([("user", "修复解析器，不要改动 tests/ 下的任何文件。")]))
    text = compose(known(path, "claude-code"), limit=9_000)
    assert "## 用户原文" in text
    assert "不要改动 tests/ 下的任何文件。" in text


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    """Reading it would wait for ever."""
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TranscriptError, match="no regular file"):
        grown(str(tmp_path / "pipe"), agent="codex")


def test_the_kinds_of_rows_differ() -> None:
    """The sessions that the tests draw on are not four times the same."""
    assert len({json.dumps(rows) for rows in (claude(), codex(), gemini(), gemini_records(), qwen())}) == 5


FETCHED = ("WebFetch", "url", "https://one.example/a", "https://two.example/b")
SEARCHED = ("Grep", "pattern", "foo(", "bar")
ASKED = ("mcp__issues__get", "id", "5", "6")


@pytest.mark.parametrize(("tool", "key", "first", "other"), [FETCHED, SEARCHED, ASKED])
@pytest.mark.parametrize("apart", [False, True])
def test_a_failure_is_not_solved_by_another_ones_success(
    tool: str, key: str, first: str, other: str, apart: bool, tmp_path: Path
) -> None:
    """What a tool was asked for tells its tries apart, read in pieces or at once; its own success solves it."""
    tried = ("call", ("c1", tool, {key: first, "prompt": "a"}, "Error: connection refused by the host", True))
    beside = ("call", ("c2", tool, {key: other, "prompt": "a"}, "All of it.", False))
    again = ("call", ("c3", tool, {key: first, "prompt": "b"}, "All of it.", False))
    facts = Facts()
    steps: list[tuple[str, Any]] = [("user", "Look it up.")]
    for step in (tried, beside):
        steps.append(step)
        if apart:
            facts = facts_from(
                json.loads(json.dumps(facts_to(known(write(tmp_path / "t", claude(steps)), "claude-code", facts))))
            )
    facts = known(write(tmp_path / "t", claude(steps)), "claude-code", facts)
    assert [failure.name for failure in facts.failed] == [f"{tool} {first}"]
    facts = known(write(tmp_path / "t", claude([*steps, again])), "claude-code", facts)
    assert facts.failed == ()


GO = "go test -tags=integration ./integration_test/..."
BUILD = 'npm run build && git add . && git commit -m "x"'
DENIED = "bash: /opt/tools/run: Permission denied"


def ran(command: str, said: str, *, failed: bool = False) -> tuple[str, Any]:
    """A command line."""
    return ("call", (f"c{command}{said}", "Bash", {"command": command}, said, failed))


def open_after(path: Path, steps: list[tuple[str, Any]], *, apart: bool) -> Facts:
    """The facts of a session, read in pieces or at once."""
    facts = Facts()
    for at in range(1, len(steps) + 1) if apart else [len(steps)]:
        facts = facts_from(json.loads(json.dumps(facts_to(facts))))
        facts = known(write(path / "t", claude([("user", "Build it."), *steps[:at]])), "claude-code", facts)
    return facts


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    ("failed", "later", "solved"),
    [
        ((BUILD, "Found 1 error."), [("npm run build", "Built."), ("git commit -am x", "[main a1b2c3d] x")], True),
        ((BUILD, "Found 1 error."), [("npm run build", "Built.")], True),
        ((BUILD, "src/a.ts(3,5): error TS1: no\nerror Command failed"), [("npm run build", "Built.")], True),
        ((BUILD, "npm notice\nnothing to commit, working tree clean"), [("npm run build", "Built.")], False),
        (("./gen.sh && ./load.sh", "Error: no input"), [("./gen.sh", "ok")], False),
        (("./gen.sh && ./load.sh", "Error: no input"), [("./gen.sh", "ok"), ("./load.sh", "ok")], True),
        (("ruff check && pytest -q", "Found 1 error."), [("ruff check", "All checks passed!"), ("pytest -q", "9 passed in 1s")], True),
        (("pytest -q && ./deploy.sh", "9 passed in 1s\nError: no host"), [("pytest -q", "9 passed in 1s")], False),
        (("pytest -q && ./deploy.sh", "9 passed in 1s\nError: no host"), [("./deploy.sh", "done")], True),
        (("pytest -q; git push", "1 failed in 1s"), [("pytest -q", "9 passed in 1s")], False),
        ((BUILD, "Found 1 error."), [("git commit -am x", "[main a1b2c3d] x")], False),
        ((GO, "FAIL\tx/integration_test\t3.5s"), [("mise run test:ci", "ok  \tx/cli\t6s\nok  \tx/integration_test\t39s")], True),
        ((GO, "FAIL\tx/integration_test\t3.5s"), [("mise run test:ci", "ok  \tx/cli\t6s")], False),
        ((GO, "FAIL\tx/integration_test\t3.5s"), [("go test -run One ./...", "ok  \tx/integration_test\t1s")], False),
    ],
)  # fmt: skip
def test_a_failed_line_is_closed_by_its_steps(
    failed: tuple[str, str], later: list[tuple[str, str]], solved: bool, apart: bool, tmp_path: Path
) -> None:
    """The check by the check, the rest by being done; a package by a wider run that names it as passed."""
    steps = [ran(*failed, failed=True), *(ran(*each) for each in later)]
    assert (not open_after(tmp_path, steps, apart=apart).failed) == solved


@pytest.mark.parametrize(("path", "marked"), [("src/a.py", False), ("scripts/env.sh", True)])
def test_what_was_denied_is_no_matter_of_other_files(path: str, marked: bool, tmp_path: Path) -> None:
    """An edit is marked beside a shell's refusal only where the line names the file."""
    edit = ("call", ("e1", "Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, "ok", False))
    facts = open_after(tmp_path, [ran("source scripts/env.sh && deploy", DENIED, failed=True), edit], apart=False)
    assert [bool(each.edited) for each in facts.failed] == [marked]


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("asks", [False, True])
def test_a_question_with_a_call_waits_for_nobody(asks: bool, apart: bool, tmp_path: Path) -> None:
    """Who asks and goes on working awaits no answer."""
    steps: list[tuple[str, Any]] = [("say", "Which of the two parsers does it use?")]
    steps += [] if asks else [ran("grep -rn Parser src", "src/a.py:1: class Parser")]
    assert open_after(tmp_path, steps, apart=apart).intent == ("Which of the two parsers does it use?" if asks else "")


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("Yes, but we don't need to commit.", False),
        ("You don't need to commit, and never push to main.", True),
        ("Don't commit.", True),
    ],
)
def test_what_need_not_be_done_is_not_forbidden(text: str, bound: bool, tmp_path: Path) -> None:
    """A word that spares work binds nobody."""
    facts = open_after(tmp_path, [("say", "Done."), ("user", text)], apart=False)
    assert bool(facts.words[-1].rules) == bound


def test_a_command_of_several_lines_stays_another_one_than_its_words(tmp_path: Path) -> None:
    """Where a line ended a sign stands, so that pasting it runs nothing else; what is cut says so."""
    facts = open_after(tmp_path, [ran("ls nowhere\nrm -r old", "no such file", failed=True)], apart=False)
    assert [each.name for each in facts.failed] == ["`ls nowhere ⏎ rm -r old`"]
    facts = open_after(tmp_path, [ran(f"deploy {'x' * 400}", "denied", failed=True)], apart=False)
    assert facts.failed[0].name.endswith("…")


def test_the_line_that_changed_says_something(tmp_path: Path) -> None:
    """A line of which only a comma changed tells nothing where another one does."""
    arguments = {"file_path": "a.py", "old_string": "one(\n  a\n)", "new_string": "one(\n  a,\n  limit=3,\n)"}
    facts = open_after(tmp_path, [("call", ("e1", "Edit", arguments, "ok", False))], apart=False)
    assert facts.edited[0].change == "limit=3,"


def test_a_refusal_tells_why(tmp_path: Path) -> None:
    """The user's reason stands beside what they refused; the error that it met before is told as well."""
    no = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse the dry run"
    steps = [ran("make deploy", "Error 1", failed=True), ran("make deploy", no, failed=True)]
    text = compose(open_after(tmp_path, steps, apart=False), limit=9_000)
    assert "- `make deploy` (the user said: use the dry run)" in text
    assert "Error 1" in text
    assert "Still failing" not in text


def test_a_plan_tells_whether_the_user_spoke_since(tmp_path: Path) -> None:
    """Only what was said after it can have changed it; a wish stands once; a frame's lines are no words."""
    plan = {"todos": [{"content": "Mend it", "status": "pending"}]}
    steps: list[tuple[str, Any]] = [("call", ("p1", "TodoWrite", plan, "ok", False))]
    steps += [ran(f"ls {at}", "a.py") for at in range(12)]
    facts = open_after(tmp_path, steps, apart=False)
    assert "what the user said since" not in compose(facts, limit=9_000)
    spoken = open_after(tmp_path, [*steps, ("user", "┌────┐\nNow the docs.\n└────┘")], apart=False)
    text = compose(wished(spoken, "keep the names"), limit=9_000)
    assert ("what the user said since" in text, text.count("keep the names"), "┌" in text) == (True, 1, False)
