"""What is in hand when a compaction strikes: the user's slash command, the newest call, what is left of a failed line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from context_kit.harness.hooks._facts import Facts, facts_from, facts_to
from context_kit.harness.hooks._fold import fold
from context_kit.harness.hooks._text import compose
from context_kit.harness.transcripts import grown
from tests.harness.sessions import Row, claude, codex, gemini_records, write

RAW = Path(__file__).parents[3] / "shared" / "transcripts" / "raw" / "cc-entire-fc99.jsonl"
BODY = "# Release\n\nFollow the steps. Never skip one.\n\n1. Read CHANGELOG.md."
GO = ("user", "Make the parser robust against blank lines.")


def told(path: Path, rows: Iterable[Row], agent: str = "claude-code", *, apart: bool = False) -> tuple[Facts, str]:
    """The facts and the text of a session, read at once or after each row."""
    found = [{**row, "uuid": f"u{at}"} if str(row.get("uuid"))[:1] == "u" else row for at, row in enumerate(rows)]
    facts, now = Facts(), Facts()
    for upto in range(1, len(found) + 1) if apart else [len(found)]:
        growth = grown(str(write(path / "log", found[:upto])), agent=agent, mark=facts.mark, head=facts.head)
        facts = replace(fold(Facts() if growth.fresh else facts, growth.settled), mark=growth.mark, head=growth.head)
        facts = facts_from(json.loads(json.dumps(facts_to(facts))))
        now = fold(facts, growth.rest)
    return now, compose(now, limit=9_400, folder="/repo")


def typed(name: str, arguments: str = "", body: str = BODY) -> list[Row]:
    """A slash command as Claude Code logs it."""
    said = f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>"
    said += f"\n<command-args>{arguments}</command-args>" if arguments else ""
    rows: list[Row] = [{"type": "user", "uuid": f"c-{name}", "message": {"role": "user", "content": said}}]
    if body:
        message = {"role": "user", "content": [{"type": "text", "text": body}]}
        rows.append(
            {"type": "user", "uuid": f"m-{name}", "parentUuid": f"c-{name}", "isMeta": True, "message": message}
        )
    return rows


def bash(number: int, command: str, said: str, *, failed: bool = False, **more: str) -> tuple[str, Any]:
    return ("call", (f"t{number}", "Bash", {"command": command, **more}, said, failed))


# -- slash commands ------------------------------------------------------------------


@pytest.mark.parametrize("apart", [False, True])
def test_a_slash_command_is_the_task_in_hand(tmp_path: Path, apart: bool) -> None:
    """With its name and arguments as they were typed, and how the prompt begins that it stands for."""
    rows = [*claude([GO, ("say", "Done.")]), *typed("release", "2.1 but do not push")]
    rows += claude([("say", "I read the change log."), bash(1, "cat CHANGELOG.md", "2.0")])
    facts, text = told(tmp_path, rows, apart=apart)
    line = "- In hand, the user's task: /release 2.1 but do not push (expands to: # Release Follow the steps."
    assert line in text.partition("\n## The user")[0]
    assert "- [goal] Make the parser robust against blank lines." in text
    assert [said.rules for said in facts.words] == [(), ("/release 2.1 but do not push",)]
    waiting = told(tmp_path, [*claude([GO]), *typed("release")], apart=apart)[1]
    assert "- The user asked, not answered yet: /release (expands to: # Release" in waiting


@pytest.mark.parametrize("apart", [False, True])
def test_a_session_that_a_slash_command_began(tmp_path: Path, apart: bool) -> None:
    """Where the user's own words follow a bare command, they are the goal; where none do, it is."""
    alone = [*typed("release"), *claude([("say", "Which version?")])]
    assert "- [goal] /release\n" in told(tmp_path, alone, apart=apart)[1]
    text = told(tmp_path, [*alone, *claude([("user", "Release 2.1 from the branch that is checked out.")])])[1]
    assert "- [goal] Release 2.1 from the branch that is checked out." in text
    assert "- [newest] /release" in text


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (typed("clear", body=""), []),
        (typed("model", "opus", body=""), []),
        (typed("compact", "keep the names", body=""), ["keep the names"]),
        (typed("release", body="")[:1] + claude([("user", "Do it.")]), ["/release", "Do it."]),
        ([{**typed("release")[0], "isMeta": True}], []),
    ],
)
def test_what_is_no_task_stays_none(rows: list[Row], words: list[str], tmp_path: Path) -> None:
    """A command that works on the agent is no task; what stands behind `/compact` is a wish, not a task."""
    facts, _ = told(tmp_path, [*claude([GO]), *rows])
    assert [said.text for said in facts.words[1:]] == words
    assert [said.opened for said in facts.words] == [""] * len(facts.words)


def test_what_a_skill_says_that_the_model_launched_is_no_command(tmp_path: Path) -> None:
    """It belongs to the model's call, wherever it stands."""
    skill = {**typed("x")[1], "sourceToolUseID": "t1", "parentUuid": "c-release"}
    facts, _ = told(tmp_path, [*typed("release", body=""), skill])
    assert [(said.text, said.opened) for said in facts.words] == [("/release", "")]


@pytest.mark.parametrize("apart", [False, True])
def test_a_custom_command_of_gemini(tmp_path: Path, apart: bool) -> None:
    """What was typed stands beside its expansion in the record; a path that begins with a slash is no command."""
    rows = gemini_records([GO, ("say", "Done."), ("user", BODY), ("say", "I read the change log.")])
    rows[2]["displayContent"] = [{"text": "/release 2.1"}]
    facts, text = told(tmp_path, rows, "gemini", apart=apart)
    assert [said.text for said in facts.words] == [GO[1], "/release 2.1"]
    assert "In hand, the user's task: /release 2.1 (expands to: # Release" in text
    rows[2]["displayContent"] = rows[2]["content"]
    assert [said.text for said in told(tmp_path, rows, "gemini")[0].words] == [GO[1], BODY]


def test_a_custom_prompt_of_codex_stands_as_it_was_expanded(tmp_path: Path) -> None:
    """Its log has nothing else."""
    facts, _ = told(tmp_path, codex([GO, ("say", "Done."), ("user", BODY)]), "codex")
    assert [said.text for said in facts.words] == [GO[1], BODY]


@pytest.mark.skipif(not RAW.is_file(), reason="the shared transcripts are not here")
def test_the_slash_commands_of_a_real_session(tmp_path: Path) -> None:
    """Three tasks and a setting: the tasks are told, with the user's own words behind them."""
    rows = [json.loads(line) for line in RAW.read_text("utf-8").splitlines()[:520]]
    facts, text = told(tmp_path, rows)
    commands = [said for said in facts.words if said.text.startswith("/")]
    assert [said.text.split()[0] for said in commands] == [
        "/superpowers:brainstorm",
        "/superpowers:execute-plan",
        "/github-pr-review",
    ]
    assert all(said.opened for said in commands)
    assert "! /superpowers:execute-plan keep each commit with working code please" in text
    assert "not answered yet: /github-pr-review (expands to: Base directory for this skill:" in text


# -- the newest call -------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini"])
def test_a_call_without_a_result_is_told(tmp_path: Path, agent: str) -> None:
    """The compaction struck while it ran; once it has ended, how it ended is told."""
    steps = [GO, ("say", "I run the tests."), bash(1, "pytest -q", "2 passed in 0.1s")]
    rows = {"claude-code": claude, "codex": codex, "gemini": gemini_records}[agent](steps)
    if agent == "gemini":
        rows[-1]["toolCalls"][0]["name"] = "run_shell_command"
        del (waiting := json.loads(json.dumps(rows)))[-1]["toolCalls"][0]["result"]
    else:
        waiting = rows[:-1]
    assert "- Called, no result yet: `pytest -q`\n" in told(tmp_path, waiting, agent)[1]
    assert "- Done last: `pytest -q` → 2 passed in 0.1s\n" in told(tmp_path, rows, agent)[1]


@pytest.mark.parametrize("apart", [False, True])
def test_a_command_that_runs_on_is_told_by_its_name(tmp_path: Path, apart: bool) -> None:
    """While it runs, and while somebody waits for it; once it has ended it is what was done last."""
    begun = "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
    ended = "Wall time: 1.0 seconds\nProcess exited with code 0\nOutput:\n2 passed in 0.1s"
    steps: list[tuple[str, Any]] = [GO, ("call", ("r1", "exec_command", {"cmd": "pytest -q"}, begun, False))]
    rows = codex([*steps, ("call", ("r2", "write_stdin", {"session_id": 7}, ended, False))])
    for upto in (-2, -1):
        assert "- Called, no result yet: `pytest -q`" in told(tmp_path, rows[:upto], "codex", apart=apart)[1]
    assert "- Done last: `pytest -q` → 2 passed in 0.1s" in told(tmp_path, rows, "codex", apart=apart)[1]


def test_a_call_that_the_user_broke_off_waits_for_nothing(tmp_path: Path) -> None:
    """Somebody has spoken since."""
    rows = claude([GO, bash(1, "pytest -q", "2 passed in 0.1s")])[:-1]
    text = told(tmp_path, [*rows, *claude([("user", "Stop. Look at the docs first.")])])[1]
    assert "no result yet" not in text


@pytest.mark.parametrize(
    ("said", "shown"), [("Next I will mend the parser.", True), ("Next I will do these three things:", False)]
)
def test_an_intent_that_only_leads_to_a_list_is_none(tmp_path: Path, said: str, shown: bool) -> None:
    """The list stands in what was said last."""
    items = "\n".join(
        f"- the {at}. thing, with as many words as it takes to fill a line of the list" for at in range(9)
    )
    text = told(tmp_path, claude([GO, ("say", f"{said}\n\n{items}")]))[1]
    assert (f"- Said to come next: {said}" in text, said in text) == (shown, True)


# -- what is left of a failed line -------------------------------------------------------

LINE = "npm run build && git add . && git commit -m 'x'"


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    ("command", "said", "parts"),
    [
        (LINE, "src/a.ts(3,5): error TS1: no", "failed at: `npm run build`; never run: `git commit`"),
        (LINE, "fatal: unable to write", "failed at: `git commit`; done: `npm run build`"),
        (
            "git commit -m x && git push",
            "[main 1a2b3c4] x\n ! [rejected] main\nerror: failed to push some refs",
            "failed at: `git push`; done: `git commit`",
        ),
        (
            "cd web && npm run lint && npm test && ./ship.sh",
            "Tests: 1 failed, 3 passed, 4 total",
            "failed at: `cd web && npm run lint`, `cd web && npm test`; never run: `cd web && ./ship.sh`",
        ),
    ],
)
def test_a_failed_line_tells_its_steps(tmp_path: Path, command: str, said: str, parts: str, apart: bool) -> None:
    """Where it failed, what was done, what never ran; as far as the line and its output show it."""
    text = told(tmp_path, claude([GO, bash(1, command, said, failed=True)]), apart=apart)[1]
    assert f"\n    {parts}\n" in text


@pytest.mark.parametrize("apart", [False, True])
def test_what_never_ran_is_told_until_it_does(tmp_path: Path, apart: bool) -> None:
    """The step that failed passes: the failure is over, and the rest is still to do."""
    steps = [GO, bash(1, LINE, "src/a.ts(3,5): error TS1: no", failed=True), bash(2, "npm run build", "Built.")]
    facts, text = told(tmp_path, claude(steps), apart=apart)
    assert (facts.failed, [each.unrun for each in facts.halted]) == ((), [("git commit",)])
    assert "- `git commit` (failed at: `npm run build`: src/a.ts(3,5): error TS1: no)" in text
    facts, text = told(tmp_path, claude([*steps, bash(3, "git commit -am y", "[main 1a2b3c4] y")]), apart=apart)
    assert (facts.failed, facts.halted, "Never run" in text) == ((), (), False)


@pytest.mark.parametrize("apart", [False, True])
def test_what_passed_since_is_told_beside_the_rest(tmp_path: Path, apart: bool) -> None:
    """Of a failed run of all tests; the rest stays open until it passes, too."""
    said = "FAILED tests/a.py::test_a - E\nFAILED tests/b.py::test_b - E\n2 failed, 7 passed in 0.1s"
    steps = [GO, bash(1, "pytest", said, failed=True), bash(2, "pytest tests/a.py", "3 passed in 0.1s")]
    assert "- `pytest` (passed since: tests/a.py::test_a)" in told(tmp_path, claude(steps), apart=apart)[1]
    steps.append(bash(3, "pytest tests/b.py", "3 passed in 0.1s"))
    assert told(tmp_path, claude(steps), apart=apart)[0].failed == ()


# -- two folders --------------------------------------------------------------------------


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_one_command_in_two_folders_is_two(tmp_path: Path, named: bool, apart: bool) -> None:
    """Where the line changes into them, or the call names them; each is closed by its own success."""

    def step(number: int, folder: str, said: str, *, failed: bool) -> tuple[str, Any]:
        command = "npm test" if named else f"cd {folder} && npm test"
        more = {"workdir": f"/repo/{folder}"} if named else {}
        return ("call", (f"t{number}", "Bash", {"command": command, **more}, said, failed))

    steps = [GO, step(1, "api", "Error: no port", failed=True), step(2, "web", "Error: no port", failed=True)]
    facts, text = told(tmp_path, codex(steps), "codex", apart=apart)
    assert [each.times for each in facts.failed] == [1, 1]
    assert [f"- `cd {each} && npm test`" in text for each in ("api", "web")] == [True, True]
    facts, text = told(tmp_path, codex([*steps, step(3, "web", "Tests: 4 passed", failed=False)]), "codex", apart=apart)
    assert ["api" in each.name for each in facts.failed] == [True]
    assert [each.told for each in facts.checks if "web" in each.command] == ["Tests: 4 passed"]


def test_calls_at_once_in_two_folders_are_two(tmp_path: Path) -> None:
    """Of one message, with one error."""
    rows = claude([GO, *(bash(at, f"cd {at} && make", "make: *** no rule", failed=True) for at in (1, 2))])
    rows[1]["message"]["content"] += rows.pop(3)["message"]["content"]
    facts, _ = told(tmp_path, rows)
    assert [each.name for each in facts.failed] == ["`cd 1 && make`", "`cd 2 && make`"]
