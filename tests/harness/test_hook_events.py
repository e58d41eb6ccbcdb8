"""An agent's events, answered: the checkpoint is kept, the record is injected, and the agent never notices a fault."""

from __future__ import annotations

import io
import json
import os
import random
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context_kit.cli import main
from context_kit.harness.hooks import AGENTS
from tests.harness.sessions import gemini, rows_of, write

ROOT = Path(__file__).parents[2]
BEFORE = {"claude-code": "PreCompact", "codex": "PreCompact", "gemini": "PreCompress", "qwen": "PreCompact"}
AFTER = {"claude-code": "SessionStart", "codex": "SessionStart", "gemini": "BeforeAgent", "qwen": "SessionStart"}
AWAY = {"HOME", "CONTEXT_KIT_HOOK_STORE", "XDG_STATE_HOME", *(agent.project for agent in AGENTS.values())} - {""}


class Agent:
    """Calls hooks as an agent does, in this process."""

    def __init__(self, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capture: Any) -> None:
        self.name, self.folder, self.patch, self.capture = name, folder, monkeypatch, capture
        self.transcript = write(folder / "transcript.jsonl", rows_of(name))
        for key in AWAY:
            monkeypatch.delenv(key, raising=False)
        monkeypatch.setenv("HOME", str(folder / "home"))
        (folder / ".git").mkdir()
        monkeypatch.chdir(folder)

    def raw(self, event: str, data: bytes, *more: str) -> tuple[int, str, str]:
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        named = () if "--agent" in more else ("--agent", self.name)
        code = main(["hook", event, *named, *more])
        out, err = self.capture.readouterr()
        return code, out, err

    def fields(self, event: str, **more: Any) -> dict[str, Any]:
        known = {"session_id": "s1", "transcript_path": str(self.transcript), "cwd": str(self.folder)}
        return {**known, "hook_event_name": event, **more}

    def call(self, event: str, **more: Any) -> str:
        code, out, err = self.raw(event, json.dumps(self.fields(event, **more)).encode())
        assert (code, err) == (0, "")
        return out

    def injected(self, event: str, **more: Any) -> str:
        told = json.loads(self.call(event, **more))
        assert list(told) == ["hookSpecificOutput"]
        assert told["hookSpecificOutput"]["hookEventName"] == event
        return str(told["hookSpecificOutput"]["additionalContext"])

    @property
    def kept(self) -> Path:
        return self.folder / ".harness" / "hooks" / f"{self.name}-s1"


@pytest.fixture(params=sorted(AGENTS))
def agent(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Agent:
    return Agent(request.param, tmp_path, monkeypatch, capsys)


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Agent:
    return Agent("claude-code", tmp_path, monkeypatch, capsys)


FACTS = (
    "/repo/src/app/parser.py",
    "/repo/docs/parser/notes.md",
    "FAILED tests/test_parser.py::test_empty - AssertionError",
    "pytest tests/test_parser.py",
    "Do not touch tests/.",
    "Never push to main.",
    "And keep the public signature as it is.",
    "Next I will return None for empty input and run the test again.",
)


# -- what is injected ----------------------------------------------------------------


def test_after_a_compaction_the_record_is_injected(agent: Agent) -> None:
    """Edited files, the open failure with its text, the user's words and what comes next, in each agent's way."""
    assert agent.call(BEFORE[agent.name], trigger="auto", custom_instructions=None) == ""
    text = agent.injected(AFTER[agent.name], source="compact", prompt="go on")
    assert [fact for fact in FACTS if fact not in text] == []
    assert text.startswith("[context record ·")
    assert str((agent.kept / "checkpoint.md").resolve()) in text


def test_the_checkpoint_is_private_and_stays_out_of_git(agent: Agent) -> None:
    """Only its user reads it, and the project's repository never sees it."""
    agent.call(BEFORE[agent.name])
    assert "Never push to main." in (agent.kept / "checkpoint.md").read_text("utf-8")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in agent.kept.iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(agent.kept.stat().st_mode) == 0o700
    assert (agent.kept.parent / ".gitignore").read_text("utf-8") == "*\n"


def test_an_event_that_comes_again_changes_nothing(agent: Agent) -> None:
    """PreCompact fires several times for one compaction."""
    agent.call(BEFORE[agent.name])
    first = {path.name: path.read_bytes() for path in agent.kept.iterdir()}
    agent.call(BEFORE[agent.name])
    assert {path.name: path.read_bytes() for path in agent.kept.iterdir()} == first


def test_without_a_checkpoint_the_transcript_is_read(claude: Agent) -> None:
    """Hooks that were installed in the middle of a session find all of it."""
    text = claude.injected("SessionStart", source="compact")
    assert [fact for fact in FACTS if fact not in text] == []


def test_a_transcript_that_is_gone_leaves_the_checkpoint(claude: Agent) -> None:
    """What was kept is injected, whatever became of the log."""
    claude.call("PreCompact")
    claude.transcript.unlink()
    code, out, err = claude.raw("SessionStart", json.dumps(claude.fields("SessionStart", source="compact")).encode())
    assert (code, "FileNotFoundError" in err) == (0, True)
    assert "Never push to main." in json.loads(out)["hookSpecificOutput"]["additionalContext"]


def test_what_was_done_since_the_checkpoint_is_in_the_record(agent: Agent) -> None:
    """A checkpoint is no limit: the transcript is read on from there."""
    agent.call(BEFORE[agent.name])
    more = [("user", "Also update CHANGES/next.md, and never delete entries.")]
    from tests.harness import sessions

    makers = {"claude-code": sessions.claude, "codex": sessions.codex, "gemini": sessions.gemini_records}
    rows = makers.get(agent.name, sessions.qwen)([*sessions.WORK, *more])
    write(agent.transcript, rows)
    agent.call(BEFORE[agent.name])
    text = agent.injected(AFTER[agent.name], source="compact")
    assert "never delete entries" in text
    assert [fact for fact in FACTS if fact not in text] == []


def test_gemini_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """The marker serves the first event that can inject, inside a turn or at the next one, and is gone."""
    agent = Agent("gemini", tmp_path, monkeypatch, capsys)
    assert agent.call("AfterTool", tool_name="replace") == ""
    agent.call("PreCompress")
    assert "Never push to main." in agent.injected("AfterTool", tool_name="replace")
    assert agent.call("BeforeAgent", prompt="go on") == ""


@pytest.mark.parametrize("source", ["startup", "clear", "", "fork"])
def test_a_new_context_is_left_alone(agent: Agent, source: str) -> None:
    """Only what goes on is told what was before."""
    agent.call(BEFORE[agent.name])
    assert agent.call("SessionStart", source=source) == ""


@pytest.mark.parametrize("event", ["PreCompact", "PostCompact", "Stop", "PostToolUse", "SessionEnd", "Notification"])
def test_an_event_that_may_not_inject_prints_nothing(claude: Agent, event: str) -> None:
    """Whatever stands in it: text on standard output of these is an error to the agent, or steers it."""
    claude.call("PreCompact")
    assert claude.call(event, trigger="auto", stop_hook_active=True, tool_name="Edit") == ""


@pytest.mark.parametrize("event", ["PreCompact", "pre-compact", "PRE_COMPACT", "precompact"])
def test_an_event_has_one_name(claude: Agent, event: str) -> None:
    """However it is spelled on the command line."""
    assert claude.call(event) == ""
    assert (claude.kept / "checkpoint.md").is_file()


def test_our_own_record_is_nobodys_words(claude: Agent) -> None:
    """A record that stands in the transcript is not read back as what the user said."""
    claude.call("PreCompact")
    text = claude.injected("SessionStart", source="compact")
    rows = [*rows_of("claude-code"), {"type": "user", "message": {"role": "user", "content": text}, "uuid": "own"}]
    write(claude.transcript, rows)
    assert claude.injected("SessionStart", source="compact").count("[context record ·") == 1


def test_secrets_stay_out(claude: Agent) -> None:
    """Neither the record nor the state holds one."""
    key = "sk-ant-api03-" + "a1B2" * 20
    rows = [*rows_of("claude-code"), {"type": "user", "message": {"role": "user", "content": f"My key is {key}"}}]
    write(claude.transcript, rows)
    claude.call("PreCompact")
    assert key not in claude.injected("SessionStart", source="compact")
    assert [path.name for path in claude.kept.iterdir() if key.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_the_limit_holds(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """However much there is to say: rules, files, then failures stay, and what is left out is counted."""
    from tests.harness import sessions

    agent = Agent(name, tmp_path, monkeypatch, capsys)
    steps: list[Any] = [("user", f"Rule {number}: never touch area{number}/. {'word ' * 30}") for number in range(12)]
    for number in range(400):
        arguments = {"file_path": f"/repo/pkg{number}/module{number}.py", "content": "x = 1\n"}
        steps.append(("call", (f"w{number}", "Write", arguments, "File created successfully", False)))
    makers = {"claude-code": sessions.claude, "codex": sessions.codex, "gemini": sessions.gemini_records}
    write(agent.transcript, makers.get(name, sessions.qwen)(steps))
    agent.call(BEFORE[name])
    text = agent.injected(AFTER[name], source="compact")
    size = len(text.encode()) if name == "codex" else len(text)
    assert size <= AGENTS[name].limit
    assert [number for number in range(12) if f"never touch area{number}/." not in text] == []
    assert re.search(r"… \d+ more in the whole record", text)
    assert "/repo/pkg399/" in text
    assert "/repo/pkg0/module0.py" in (agent.kept / "checkpoint.md").read_text("utf-8")


def test_codex_takes_no_more_than_its_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """By the tokeniser of its models, for text in which a token is short."""
    from context_kit.tokens import counter
    from tests.harness import sessions

    agent = Agent("codex", tmp_path, monkeypatch, capsys)
    rng = random.Random(5)
    steps: list[Any] = [("user", "Find out which hashes differ.")]
    for number in range(12):
        told = "\n".join(f"{rng.getrandbits(256):064x} != {rng.getrandbits(256):064x} {{[()]}};" for _ in range(12))
        steps.append(
            ("call", (f"c{number}", "Bash", {"command": f"./check {number}"}, f"{told}\nError: differs", True))
        )
    write(agent.transcript, sessions.codex(steps))
    text = agent.injected("SessionStart", source="compact")
    assert "./check 11" in text
    assert 1_000 < counter("gpt-4o")(text) < 2_500


def test_the_store_is_the_projects_wherever_the_agent_stands(claude: Agent) -> None:
    """A directory below the project's top writes to the same place."""
    below = claude.folder / "src" / "deep"
    below.mkdir(parents=True)
    claude.call("PreCompact", cwd=str(below))
    assert (claude.kept / "checkpoint.md").is_file()
    assert list(below.iterdir()) == []


# -- what goes wrong -----------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b'{"a": ' * 3000, b'{"session_id": 7, "transcript_path": [1]}', b"7"],
)
@pytest.mark.parametrize("event", ["PreCompact", "SessionStart", "AfterTool", "Nonsense"])
def test_a_broken_event_is_told_and_forgiven(claude: Agent, event: str, data: bytes) -> None:
    """Exit code 0, nothing on standard output, one line on standard error at most."""
    code, out, err = claude.raw(event, data)
    assert (code, out) == (0, "")
    assert len(err.splitlines()) <= 1


@pytest.mark.parametrize("what", ["missing", "folder", "pipe", "binary", "empty", "deep"])
def test_a_broken_transcript_is_told_and_logged(claude: Agent, what: str) -> None:
    """It never blocks, and the log says what was wrong."""
    path = claude.transcript
    path.unlink()
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what != "missing":
        path.write_bytes({"binary": bytes(range(256)) * 9, "empty": b"", "deep": b"[" * 100_000}[what])
    code, out, err = claude.raw("PreCompact", json.dumps(claude.fields("PreCompact")).encode())
    assert (code, out) == (0, "")
    log = claude.folder / ".harness" / "hooks" / "hook.log"
    assert (err != "") == log.exists()
    assert (err != "") == (what != "empty")


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("gemini", lambda data: b"\xef\xbb\xbf" + data),
        ("claude-code", lambda data: b"\xef\xbb\xbf" + data),
        ("codex", lambda data: data.replace(b"\n", b"\r\n")),
        ("claude-code", lambda data: data.replace(b"1 failed", b"1 failed \xe9\xff")),
        ("qwen", lambda data: data + b'{"type": "user", "mess'),
    ],
    ids=["mark, a list", "mark, lines", "carriage returns", "odd bytes", "cut"],
)
def test_nothing_is_lost_to_the_bytes_around_it(
    name: str, make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Byte order marks, line ends, bytes that are no UTF-8, a line that is being written."""
    agent = Agent(name, tmp_path, monkeypatch, capsys)
    if name == "gemini":
        write(agent.transcript, gemini(), listed=True)
    agent.transcript.write_bytes(make(agent.transcript.read_bytes()))
    agent.call(BEFORE[name])
    text = agent.injected(AFTER[name], source="compact")
    assert [fact for fact in FACTS if fact not in text] == []


def test_a_damaged_line_is_told(claude: Agent) -> None:
    """The rest is read; the log says how many were left out."""
    first, *others = claude.transcript.read_bytes().split(b"\n")
    claude.transcript.write_bytes(b"\n".join([first, b'{"role": "user", broken', *others]))
    code, out, err = claude.raw("PreCompact", json.dumps(claude.fields("PreCompact")).encode())
    assert (code, out) == (0, "")
    assert "1 damaged lines were left out" in err
    text = claude.injected("SessionStart", source="compact")
    assert [fact for fact in FACTS if fact not in text] == []


@pytest.mark.parametrize("known", [False, True])
def test_a_directory_that_is_gone(claude: Agent, tmp_path: Path, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The record is kept in the user's own folder, and injected from there."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    cwd = str(gone) if known else ""
    claude.call("PreCompact", cwd=cwd)
    claude.transcript.unlink()
    code, out, _ = claude.raw(
        "SessionStart", json.dumps(claude.fields("SessionStart", cwd=cwd, source="compact")).encode()
    )
    assert code == 0
    assert "Never push to main." in out
    kept = tmp_path / "home" / ".local" / "state" / "context-kit" / "hooks" / "claude-code-s1"
    assert (kept / "checkpoint.md").is_file()


@pytest.mark.parametrize("broken", ["closed", "full"])
def test_a_text_that_nobody_could_read_is_injected_later(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Gemini CLI is told once; where the output can't be written, it isn't told yet."""
    agent = Agent("gemini", tmp_path, monkeypatch, capsys)
    agent.call("PreCompress")

    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(28, "No space left on device")

        def fileno(self) -> int:
            raise OSError(9, "none")

    full = io.TextIOWrapper(Full())
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None if broken == "closed" else full)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(agent.fields("BeforeAgent")).encode())))
        assert main(["hook", "BeforeAgent", "--agent", "gemini"]) == 0
    full.detach()
    assert "standard output can't be written" in capsys.readouterr().err
    assert "Never push to main." in agent.injected("BeforeAgent")
    assert agent.call("BeforeAgent") == ""


def test_a_store_that_cannot_be_written_is_told_in_the_users_own_log(claude: Agent) -> None:
    """The record is injected all the same, made anew from the transcript."""
    (claude.folder / "file").write_text("", "utf-8")
    fields = json.dumps(claude.fields("PreCompact")).encode()
    code, out, err = claude.raw("PreCompact", fields, "--store", str(claude.folder / "file" / "store"))
    assert (code, out) == (0, "")
    assert "context-kit hook: " in err
    assert (claude.folder / "home" / ".local" / "state" / "context-kit" / "hook.log").is_file()
    fields = json.dumps(claude.fields("SessionStart", source="compact")).encode()
    code, out, err = claude.raw("SessionStart", fields, "--store", str(claude.folder / "file" / "store"))
    assert (code, "can't be written" in err) == (0, True)
    assert "Never push to main." in json.loads(out)["hookSpecificOutput"]["additionalContext"]


def test_codex_may_leave_the_transcript_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Its log is found by the session's id."""
    agent = Agent("codex", tmp_path, monkeypatch, capsys)
    home = tmp_path / "codex"
    monkeypatch.setenv("CODEX_HOME", str(home))
    (home / "sessions" / "2026" / "01" / "02").mkdir(parents=True)
    session = "019e1625-789d-76c0-80ab-3724b5ddb799"
    agent.transcript.rename(home / "sessions" / "2026" / "01" / "02" / f"rollout-2026-01-02T03-04-05-{session}.jsonl")
    text = agent.injected("SessionStart", source="compact", session_id=session, transcript_path=None)
    assert "Never push to main." in text


@pytest.mark.parametrize(
    "state", [b"", b"{", b'{"schema": 1}', b'{"schema": 1, "facts": {"words": 7}, "text": 3}', b"\0"]
)
def test_a_damaged_state_is_made_anew(claude: Agent, state: bytes) -> None:
    """From the transcript, whatever stood there."""
    claude.call("PreCompact")
    (claude.kept / "state.json").write_bytes(state)
    text = claude.injected("SessionStart", source="compact")
    assert [fact for fact in FACTS if fact not in text] == []


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    event=st.sampled_from(["PreCompact", "SessionStart", "PostToolUse", "Stop", "BeforeAgent", "PreCompress"]),
    who=st.sampled_from(sorted(AGENTS)),
    rows=st.lists(ODD, max_size=6),
    fields=st.dictionaries(st.sampled_from(["source", "trigger", "session_id", "cwd", "tool_response", "extra"]), ODD),
)
def test_whatever_an_event_and_a_transcript_hold(
    claude: Agent, event: str, who: str, rows: list[Any], fields: dict[str, Any]
) -> None:
    """Exit code 0, and standard output is empty or one JSON object."""
    claude.name = who
    mixed = [*rows_of(who)[:3], *rows, *rows_of(who)[3:]]
    claude.transcript.write_text("".join(f"{json.dumps(row)}\n" for row in mixed), "utf-8")
    code, out, _ = claude.raw(event, json.dumps({**claude.fields(event), **fields}).encode())
    assert code == 0
    assert out == "" or list(json.loads(out)) == ["hookSpecificOutput"]


# -- as a process --------------------------------------------------------------------


def process(code: str, event: dict[str, Any]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return done.stdout


def test_no_tokeniser_is_loaded(claude: Agent) -> None:
    """Nor anything that a hook doesn't need; after a compaction not even the engine."""
    code = (
        "import sys; from context_kit.cli import main; main(['hook', sys.argv[1] if sys.argv[1:] else '{}', '--agent', "
        "'claude-code']); print('\\n' + ' '.join(sys.modules))"
    )
    fields = claude.fields("PreCompact")
    loaded = process(code.replace("sys.argv[1] if sys.argv[1:] else '{}'", "'PreCompact'"), fields).split()
    assert {"tiktoken", "bpe_openai", "typer", "rich", "openai", "anthropic"} & set(loaded) == set()
    fields = claude.fields("SessionStart", source="compact")
    loaded = process(code.replace("sys.argv[1] if sys.argv[1:] else '{}'", "'SessionStart'"), fields).split()
    assert {"tiktoken", "pydantic", "context_kit.engrams", "typer"} & set(loaded) == set()


def test_a_reader_that_is_gone_is_no_failure(claude: Agent) -> None:
    """Standard output closed: exit code 0 all the same."""
    claude.call("PreCompact")
    fields = json.dumps(claude.fields("SessionStart", source="compact"))
    command = f'"{sys.executable}" -m context_kit.cli hook SessionStart --agent claude-code >&-'
    done = subprocess.run(
        ["sh", "-c", command], input=fields, text=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0


def test_four_at_once_leave_one_whole_checkpoint(claude: Agent) -> None:
    """PreCompact fires several times at the same moment: each waits for the others, and nothing is torn."""
    fields = json.dumps(claude.fields("PreCompact"))
    command = [sys.executable, "-m", "context_kit.cli", "hook", "PreCompact", "--agent", "claude-code"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
        )
        for _ in range(4)
    ]
    ended = [(*process.communicate(fields, timeout=60), process.returncode) for process in running]
    assert ended == [("", "", 0)] * 4
    assert sorted(path.name for path in claude.kept.iterdir()) == ["checkpoint.md", "lock", "state.json"]
    text = claude.injected("SessionStart", source="compact")
    assert [fact for fact in FACTS if fact not in text] == []


# -- what the user asks of a compaction ------------------------------------------------


@pytest.mark.parametrize("agent", ["claude-code", "qwen"], indirect=True)
def test_the_wish_beside_a_compaction_is_the_users_newest(agent: Agent) -> None:
    """`/compact never rename the module`: it stands first in what comes next, and is a constraint that stays."""
    wish = "Go on with the parser. Never rename the module."
    agent.call("PreCompact", trigger="auto")
    for _ in range(2):
        agent.call("PreCompact", trigger="manual", custom_instructions=wish)
    text = agent.injected("SessionStart", source="compact")
    assert text.index(f"this compaction: {wish}") < text.index("## The user's words")
    assert f"[newest] {wish.replace('Never', '! Never')}" in text
    assert text.count("! Never rename the module.") == 1


def test_a_wish_is_for_one_compaction(claude: Agent) -> None:
    """The next one has none; the words stay the user's."""
    claude.call("PreCompact", custom_instructions="Go on. Never rename the module.")
    claude.call("PreCompact", trigger="auto", custom_instructions="")
    text = claude.injected("SessionStart", source="compact")
    assert "this compaction:" not in text
    assert "! Never rename the module." in text


def test_the_record_is_named_by_a_path_that_holds_everywhere(claude: Agent) -> None:
    """The agent's shell may stand in a subdirectory of the project."""
    (claude.folder / "sub").mkdir()
    claude.call("PreCompact", cwd=str(claude.folder / "sub"))
    text = claude.injected("SessionStart", source="compact", cwd=str(claude.folder / "sub"))
    named = text.partition("whole record: ")[2].partition("]")[0]
    assert Path(named) == (claude.kept / "checkpoint.md").resolve()
    assert "Never push to main." in Path(named).read_text("utf-8")


# -- what is wrong with a call -----------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "arguments", "data", "told"),
    [
        ("PreCompact", ["--agent", "nope"], None, "agent 'nope' is unknown"),
        ("Foo", [], None, "event 'Foo' is unknown"),
        ("PreCompact", [], b"{bad", "JSONDecodeError"),
        ("PreCompact", ["--colour"], None, "argument '--colour' is unknown"),
    ],
)
def test_a_wrong_call_is_noted_in_the_projects_log(
    claude: Agent, event: str, arguments: list[str], data: bytes | None, told: str
) -> None:
    """Exit code 0 all the same, and one line that says what is wrong."""
    claude.patch.chdir(claude.folder)
    given = json.dumps(claude.fields(event)).encode() if data is None else data
    code, out, err = claude.raw(event, given, *arguments)
    assert (code, out, told in err) == (0, "", True)
    assert told in (claude.folder / ".harness" / "hooks" / "hook.log").read_text("utf-8")


@pytest.mark.parametrize("indent", [None, 2])
def test_an_older_session_of_gemini_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, indent: int | None
) -> None:
    """One JSON object with the messages in it, on one line or on several; read on from where it ended."""
    from tests.harness import sessions

    agent = Agent("gemini", tmp_path, monkeypatch, capsys)

    def put(steps: Any) -> None:
        rows = sessions.gemini_records(steps)
        session = {"sessionId": "s", "projectHash": "0" * 64, "lastUpdated": str(len(rows)), "messages": rows}
        agent.transcript.write_text(json.dumps(session, indent=indent), "utf-8")

    put(sessions.WORK[:3])
    agent.call("AfterAgent")
    put(sessions.WORK)
    agent.call("PreCompress")
    text = agent.injected("BeforeAgent", prompt="go on")
    assert [fact for fact in FACTS if fact not in text] == []
    assert text.count("And keep the public signature as it is.") == 1


def test_a_transcript_of_nothing_known_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """It is read, there is no message in it, and the log says so."""
    agent = Agent("gemini", tmp_path, monkeypatch, capsys)
    agent.transcript.write_text('{"turns": [{"who": "me", "what": "hello"}]}', "utf-8")
    code, out, err = agent.raw("PreCompress", json.dumps(agent.fields("PreCompress")).encode())
    assert (code, out, "no message that is known" in err) == (0, "", True)
    assert "no message that is known" in (agent.folder / ".harness" / "hooks" / "hook.log").read_text("utf-8")
