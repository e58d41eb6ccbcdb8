"""Peers are compared fairly: judged without the library, weighed by one rule, driven by one protocol."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks import peers
from benchmarks._judge import count_tokens
from benchmarks._peers import _figures, _venvs
from benchmarks._peers._cost import Meter, uncompacted
from benchmarks._peers._known import ENVIRONMENTS, OURS, PEERS, Known
from benchmarks._peers._play import Row, Task, play, tasks
from benchmarks._peers._protocol import Job, Message, Stub, fitting, serve
from benchmarks._peers._resume import CLASSES, facts_of, judged
from benchmarks._peers._shape import chat
from benchmarks._peers._stub import HEADINGS, sections, written
from benchmarks._truth._calls import calls_of
from benchmarks._truth._signatures import declared, used_signatures

HERE = Path(peers.__file__).parent
SHARED = HERE.parents[1] / "shared" / "transcripts"
ADAPTERS = sorted(path for path in (HERE / "_peers").glob("*.py") if not path.stem.startswith("ours"))
JUDGES = ("_peers._cost", "_peers._play", "_peers._protocol", "_peers._resume", "_peers._shape", "_peers._stub")


@pytest.fixture(autouse=True, scope="module")
def tokenizer() -> None:
    """Load the judge's tokenizer once: it opens its data in a way that Python warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        count_tokens("once")


def call(key: str, name: str, **arguments: Any) -> Message:
    made = {"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def result(key: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": key, "content": text}


def session() -> dict[str, Any]:
    """A small session with a fact of every class."""
    messages = [
        {"role": "user", "content": "Make the parser faster. Never touch vendor/old.py."},
        call("a", "read_file", path="src/lexer.py"),
        result("a", "class Lexer:\n    pass\n"),
        call(
            "b",
            "edit",
            path="src/parser.py",
            old_string="pass",
            new_string="def parse_fast(text: str) -> int:\n    ...",
        ),
        result("b", "The file src/parser.py has been updated."),
        call("c", "bash", command="pytest -q tests/test_parser.py"),
        result("c", "Exit code 1\nE   ValueError: unexpected token at line 12"),
        call("d", "bash", command="grep -n parse_fast src/parser.py"),
        result("d", "1:def parse_fast(text: str) -> int:"),
        {"role": "assistant", "content": "The test still fails."},
    ]
    return {"id": "made-up", "format": "openai-chat", "system": "Be brief.", "tools": [], "messages": messages}


# -- who knows the library ---------------------------------------------------------


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: path.stem)
def test_no_adapter_and_no_judge_imports_the_library(path: Path) -> None:
    """Only our own adapters name the library; every other script is blind to it."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    assert not [name for name in names if name.split(".")[0] == "context_kit"]


def test_the_judges_load_without_the_library() -> None:
    """Nothing that they import in turn imports it either."""
    imports = "; ".join(f"import benchmarks.{name}" for name in JUDGES)
    told = f"import sys; {imports}; print('context_kit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, cwd=HERE.parent)
    assert done.stdout.strip() == "False"


def test_a_script_that_loads_the_library_is_not_judged() -> None:
    """The protocol tells whether a process has it, and only ours may."""
    [task] = tasks(session(), [4_000], [0.25])
    cheat = Known("a peer", "ours")
    with pytest.raises(AssertionError, match="imports the library"):
        list(play(cheat, Path(sys.executable), [task]))


def test_every_peer_has_a_script_an_environment_and_settings() -> None:
    """The table holds together, and every version is pinned."""
    assert len({known.name for known in PEERS}) == len(PEERS)
    for known in PEERS:
        assert (HERE / "_peers" / f"{known.module}.py").is_file()
        assert known.environment in ("", *ENVIRONMENTS)
        assert known.settings
    assert all("==" in wanted for each in ENVIRONMENTS.values() for wanted in each)


# -- the judge of facts ------------------------------------------------------------


def test_facts_of_every_class_are_found_in_the_whole_session_and_nowhere_else() -> None:
    """The whole session holds all that is expected, an empty window nothing."""
    facts = facts_of(session())
    whole, nothing = facts.found(chat(session())), facts.found([])
    assert {kind: each["expected"] for kind, each in whole.items()} == {
        "files": 2,
        "errors": 1,
        "constraints": 1,
        "goal": 1,
        "tests": 1,
        "signatures": 1,
    }
    assert all(each["found"] == each["expected"] for each in whole.values())
    assert all(each["found"] == 0 for each in nothing.values())
    assert facts.missing(chat(session())) == []
    assert len(facts.missing([])) == 7


def test_a_fact_counts_word_for_word_only() -> None:
    """A paraphrase is not the user's constraint, and another file's name is not the file."""
    facts = facts_of(session())
    near = [{"role": "user", "content": "vendor/old.py stays as it is; src/lexer.pyx was read"}]
    assert {kind: each["found"] for kind, each in facts.found(near).items() if each["found"]} == {}
    exact = [{"role": "user", "content": "kept: Never touch  vendor/old.py. And src/lexer.py"}]
    found = facts.found(exact)
    assert (found["constraints"]["found"], found["files"]["found"]) == (1, 1)


SIGNED = [
    call(
        "a", "write", path="src/store.py", content="class Store:\n    def load(self, key: str) -> bytes:\n        ..."
    ),
    result("a", "ok"),
    call("b", "write", path="tests/test_store.py", content="def check_store():\n    Store()"),
    result("b", "ok"),
    call(
        "c", "edit", path="src/store.py", old_string="def load(self, key: str)", new_string="def load(self, name: str)"
    ),
    result("c", "ok"),
    call("d", "bash", command="python -c 'Store().load(1)'"),
    result("d", "ok"),
]


def test_signatures_are_those_that_stand_and_are_used_later() -> None:
    """The newest form counts, a test's own functions and what nobody names again don't."""
    calls = calls_of({"messages": SIGNED})
    assert {each.line for each in declared(calls)} == {"class Store", "def load(self, name: str)"}
    assert [each.line for each in used_signatures(calls)] == ["class Store", "def load(self, name: str)"]
    assert used_signatures(calls[:3]) == [] or "def load(self, name: str)" not in [
        each.line for each in used_signatures(calls[:3])
    ]


@pytest.mark.parametrize(
    ("window", "fault"),
    [
        ([{"role": "user", "content": "go on"}, result("a", "x")], "without its call"),
        ([{"role": "user", "content": "go on"}, call("a", "read_file", path="x")], "never answered"),
        ([{"role": "system", "content": "Be brief."}], "no message is left"),
        ([{"role": "user", "content": 7}], "types refuse it"),
        ([{"role": "user", "content": "go on"}, call("a", "read_file", path="x"), result("a", "x")], ""),
    ],
)
def test_an_illegal_window_is_known(window: list[Message], fault: str) -> None:
    """What a provider refuses is refused here, without the library's rules."""
    verdict = judged(window, 1_000, 0)
    assert fault in verdict.fault
    assert verdict.counts is (fault == "")


def test_a_window_over_its_budget_does_not_count() -> None:
    """One token too many is too many, and tools count."""
    window = [{"role": "user", "content": "go on"}]
    size = count_tokens(window)
    assert judged(window, size, 0).counts
    assert not judged(window, size, 1).counts


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared transcripts are not here")
@pytest.mark.parametrize("name", ["cc-viewer-fe5e-side", "openhands-ponyc-c", "mca-zh-212300", "miniswe-django-12284"])
def test_nothing_is_expected_that_the_session_itself_does_not_say(name: str) -> None:
    """Every fact of a real session stands in its whole text, in the shape that everybody is given."""
    document = json.loads((SHARED / f"{name}.json").read_text("utf-8"))
    assert facts_of(document).missing(chat(document)) == []
    assert judged(chat(document), 10**9, 0).counts


# -- the shape ---------------------------------------------------------------------


def test_blocks_become_plain_chat_messages() -> None:
    """Results come before a person's words, thinking is left out, an image is a word."""
    document = {
        "system": None,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "source": {}}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "go on"},
                    {"type": "tool_result", "tool_use_id": "a", "content": "y"},
                ],
            },
        ],
    }
    assert chat(document) == [
        {"role": "user", "content": "look\n[image]"},
        call("a", "read", path="x"),
        result("a", "y"),
        {"role": "user", "content": "go on"},
    ]


# -- the cost model ----------------------------------------------------------------


def test_a_request_costs_a_tenth_where_it_begins_like_the_last_one() -> None:
    """Shared bytes 0.1, the rest 1.25, what the summariser read 1.0."""
    first, second = {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}
    size = [len(json.dumps([])), len(json.dumps(first)), len(json.dumps(second))]
    meter = Meter([], [])
    meter.sent([first])
    meter.sent([first, second])
    assert meter.cost() == pytest.approx(1.25 * sum(size) + 0.1 * (size[0] + size[1]))
    assert meter.cost(asked=40) == pytest.approx(meter.cost() + 40)


def test_a_changed_beginning_is_paid_anew_from_its_first_changed_byte() -> None:
    """Bytes count, also within a message, and umlauts as the bytes they are."""
    meter = Meter([], [])
    meter.sent([{"role": "user", "content": "äbc"}, {"role": "user", "content": "tail"}])
    meter.sent([{"role": "user", "content": "äbX"}, {"role": "user", "content": "tail"}])
    assert meter.shared == len("[]") + len('{"role": "user", "content": "äb'.encode())


def test_the_uncompacted_session_pays_everything_once_and_the_rest_from_the_cache() -> None:
    """It is what the same meter says of requests that carry all."""
    messages = chat(session())
    meter = Meter(messages[:1], [])
    for at in (2, 4, 6, 8, 10):
        meter.sent(messages[1:at])
    assert uncompacted(messages, 1, []) == meter.cost()


# -- the protocol ------------------------------------------------------------------


class Halved:
    """A fake peer: it forgets the first half from six messages on."""

    def __init__(self, job: Job, stub: Stub) -> None:
        self.job, self.stub, self.compactions = job, stub, 0
        self.messages: list[Message] = []
        self.windows: list[list[Message]] = []

    def add(self, message: Message, /) -> None:
        if message["content"] == "break":
            msg = "as it was told"
            raise ValueError(msg)
        self.messages.append(message)

    def request(self) -> list[Message]:
        if len(self.messages) >= 6:
            self.compactions += 1
            text = self.stub.reply("Summarise: " + json.dumps(self.messages[:3]))
            self.messages = [{"role": "user", "content": text}, *self.messages[3:]]
        self.windows.append(list(self.messages))
        return list(self.messages)

    def compact(self) -> list[Message]:
        return self.messages[-1:]


def job_line(messages: list[Message]) -> str:
    told = {"messages": messages, "head": 1, "tools": [], "window": 900, "soft": 600, "target": 300, "summary": 100}
    return json.dumps(told) + "\n"


def driven(*jobs: str) -> tuple[list[Halved], list[dict[str, Any]]]:
    made: list[Halved] = []

    def make(job: Job, stub: Stub) -> Halved:
        made.append(Halved(job, stub))
        return made[-1]

    out = io.StringIO()
    serve(make, lines=io.StringIO("".join(jobs)), out=out)
    return made, [json.loads(line) for line in out.getvalue().splitlines()]


def test_windows_are_told_by_what_changed_and_can_be_put_together_again() -> None:
    """The reader gets exactly the peer's windows, its head aside."""
    [peer], told = driven(job_line(chat(session())))
    window: list[Message] = []
    for line, wanted in zip(told[:-1], peer.windows, strict=True):
        window = window[: line["keep"]] + line["add"]
        assert window == wanted
    assert told[-1]["final"] == chat(session())[-1:]
    assert told[-1]["compactions"] == peer.compactions > 0
    assert told[-1]["asked"] == peer.stub.bytes > 0
    assert told[-1]["bare"] > 0


def test_a_peer_that_fails_says_so_and_the_next_job_goes_on() -> None:
    """An error is a result of its own."""
    broken = job_line([{"role": "user", "content": "x"}, {"role": "user", "content": "break"}])
    _, told = driven(broken, job_line(chat(session())))
    assert told[0] == {"error": "ValueError: as it was told"}
    assert "final" in told[-1]


def test_a_peer_may_try_again_with_less_at_the_end() -> None:
    """The first window within the budget is taken, else the smallest."""
    long, short = [{"role": "user", "content": "word " * 50}], [{"role": "user", "content": "word"}]
    assert fitting(iter([long, short]), 10) == short
    assert fitting(iter([long, short]), 1_000) == long
    assert fitting(iter([long, short]), 0) == short


def test_a_real_process_is_driven_and_judged() -> None:
    """A row has its counts, its cost and its time, and a window that holds the session costs as much as without."""
    [task] = tasks(session(), [4_000], [0.25, 0.12])
    [row] = play(Known("tail only", "tail"), Path(sys.executable), [task])
    assert (row.transcript, row.window, row.shares) == ("made-up", 4_000, [0.25, 0.12])
    assert (row.legal, row.over, row.missing, row.requests) == (True, False, "", 5)
    assert row.cost_ratio == 1.0
    assert row.seconds_ratio > 0
    assert set(row.classes) == set(CLASSES)
    assert all(each["share"] == 1.0 for each in row.classes.values())


def test_what_a_window_over_its_budget_holds_is_zero() -> None:
    """The tail keeps one step at least; where that is too much, nothing counts."""
    long = session()
    long["messages"].append({"role": "user", "content": "word " * 200})
    [task] = tasks(long, [200], [0.25])
    [row] = play(Known("tail only", "tail"), Path(sys.executable), [task])
    assert row.over
    assert all(each["found"] == 0 for each in row.classes.values())


# -- the stub ----------------------------------------------------------------------


def test_the_stub_says_the_same_of_the_same_and_keeps_to_its_size() -> None:
    """It is deterministic, bounded, and every line it gives was shown to it."""
    shown = "\n".join(f"line {at}: error in src/file_{at}.py, never retry" for at in range(300))
    found = sections(shown, 2_000)
    assert found == sections(shown, 2_000)
    assert sum(len(line) + 3 for lines in found.values() for line in lines) <= 2_000
    assert all(line in shown for lines in found.values() for line in lines)
    assert list(found) == list(HEADINGS)


def test_the_stub_carries_an_earlier_summary_on() -> None:
    """What it told before comes before the newer lines run out of room."""
    first = written(sections("Fix the build.\nE   KeyError: 'old_one'\nsee src/first.py", 400))
    again = sections(f"Summary of the conversation:\n\n{first}\nuser: go on\nTypeError: the new one failed", 400)
    assert again["Goal"][0] == "Fix the build."
    assert "E KeyError: 'old_one'" in again["Errors"]
    assert "TypeError: the new one failed" in again["Errors"] + again["Latest"]
    assert "src/first.py" in again["Files"]


def test_a_reply_has_at_most_its_tokens() -> None:
    """Counted by the judge's own tokeniser, and its input is weighed."""
    stub = Stub(most=60)
    text = stub.reply("Sum up.\n" + "\n".join(f"错误：第 {at} 行失败 src/文件_{at}.py" for at in range(200)))
    assert 0 < count_tokens(text) <= 60
    assert (stub.calls, stub.bytes > 200) == (1, True)


# -- summary and page --------------------------------------------------------------


def row(peer: str, found: int, cost: float, **more: Any) -> Row:
    classes = {kind: {"expected": 10, "found": found, "share": found / 10} for kind in CLASSES}
    values: dict[str, Any] = {"tokens": 300, "budget": 400, "legal": True, "seconds_ratio": 5.0} | more
    return Row(peer, "made-up", 1_000, [0.25], classes=classes, cost=cost, whole=100.0, cost_ratio=cost / 100, **values)


def test_ours_holds_where_it_keeps_enough_for_its_cost_and_nobody_is_above() -> None:
    """All three are wanted, and a peer that is above us in one class is named."""
    ours, peer = OURS[0], "tail only"
    assert _figures.summed([row(ours, 10, 30.0), row(peer, 10, 20.0)])["held"]
    assert not _figures.summed([row(ours, 8, 30.0)])["held"]
    assert not _figures.summed([row(ours, 10, 32.0)])["held"]
    beaten = _figures.summed([row(ours, 9, 30.0), row(peer, 10, 20.0)])
    assert not beaten["held"]
    assert len(beaten["above"]) == len(CLASSES)


def test_the_page_says_where_a_peer_is_better_and_who_was_not_run() -> None:
    """Neither a better peer nor a missing one is left out."""
    rows = [
        row(OURS[0], 10, 30.0),
        row("tail only", 3, 20.0, seconds_ratio=1.0),
        Row("strands", missing="can't be had"),
    ]
    page = _figures.written(_figures.summed(rows), PEERS, picture="assets/peers.svg")
    assert "tail only costs less (0.200 against 0.300), takes less time (1.0 against 5.0)" in page
    assert "- **strands**: can't be had" in page
    assert "| tail only | 30 %" in page
    assert "(assets/peers.svg)" in page
    assert all(known.settings in page for known in PEERS)
    assert "strands" not in _figures.chart(_figures.summed(rows))


def test_a_peer_without_its_environment_is_a_row_that_says_so(tmp_path: Path) -> None:
    """No peer is left out in silence, with the versions that are wanted."""
    [strands] = peers.chosen("strands")
    found: list[Task] = []
    [missing] = peers.run([strands], found, tmp_path)
    assert (missing.peer, missing.transcript) == (strands.name, "")
    assert "strands-agents==" in missing.missing
    assert "--setup" in missing.missing


def test_an_environment_that_cannot_be_made_says_what_was_tried(tmp_path: Path) -> None:
    """The reason comes back, and nothing half made stays."""
    why = _venvs.make(tmp_path, "strands", python=sys.executable + "-of-nowhere")
    assert why.startswith("tried to install strands-agents==")
    assert not (tmp_path / "strands").exists()


@pytest.mark.parametrize("word", ["langchain", "tail", "ours_stub"])
def test_peers_are_chosen_by_a_word_of_their_name(word: str) -> None:
    """Or by the name of their script."""
    assert peers.chosen(word)
    assert peers.chosen("no such peer") == []


def test_a_window_that_nobody_brought_within_the_budget_is_named() -> None:
    """It counts as zero for all, and the page says which one it is."""
    rows = [row(OURS[0], 0, 30.0, over=True), row("tail only", 0, 20.0, legal=False)]
    summary = _figures.summed(rows)
    assert summary["unmet"] == [{"transcript": "made-up", "window": 1_000}]
    assert summary["zero"] == [{"transcript": "made-up", "window": 1_000, "tokens": 300, "budget": 400}]
    assert "- made-up at 1,000 tokens" in _figures.written(summary, PEERS)
    assert _figures.summed([*rows, row("another", 3, 20.0)])["unmet"] == []


def test_nothing_is_claimed_of_what_was_not_run() -> None:
    """No peer is called no better where the library's default, or every peer, wasn't run."""
    ours, other = row(OURS[0], 10, 30.0), row("tail only", 0, 40.0)
    told = [_figures.written(_figures.summed(rows), PEERS) for rows in ([other], [ours], [ours, other])]
    assert "The library's default was not run" in told[0]
    assert "No peer was run" in told[1]
    assert "No peer is better than the library's default" in told[2]
    assert not any("No peer is better" in text for text in told[:2])


def test_a_peer_that_prints_something_else_has_a_row(tmp_path: Path) -> None:
    """What isn't the protocol's is its own fault; it ends no run, and nothing that follows is taken for an answer."""
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nwhile read line; do echo 'Welcome!'; echo '{\"final\": []}'; done\n")
    script.chmod(0o755)
    found = list(play(PEERS[-1], script, tasks(session(), [4_000, 5_000], [0.25, 0.12])))
    assert [each.missing.split(":")[0] for each in found] == ["its process printed no JSON"] * 2
    assert [each.window for each in found] == [4_000, 5_000]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--transcripts", "no-such-session", "--only", "tail"], "no transcript's name holds no-such-session"),
        (["--rows", "nowhere.json"], "holds no rows of an earlier run"),
        (["--json", "nowhere/rows.json"], "can't be written"),
        (["--only", "no such peer"], "there are context_kit"),
    ],
)
def test_what_cannot_work_is_refused_before_any_run(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Bad usage costs 2 and is told."""
    monkeypatch.setattr(peers, "TRANSCRIPTS", tmp_path)
    with pytest.raises(SystemExit) as error:
        peers.main(arguments)
    assert error.value.code == 2
    assert words in capsys.readouterr().err


def test_the_page_is_made_anew_from_an_earlier_run(tmp_path: Path) -> None:
    """Rows are read back as they were written, and the page's own words stay around its figures."""
    ours = row(OURS[0], 10, 30.0)
    told = {"rows": [asdict(ours)]}
    (tmp_path / "rows.json").write_text(json.dumps(told), "utf-8")
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("# Peers\n\n<!-- peers -->\nold\n<!-- /peers -->\n\nThe end.\n", "utf-8")
    asked = ["--rows", str(tmp_path / "rows.json"), "--markdown", str(page), "--svg", str(tmp_path / "docs" / "a.svg")]
    assert peers.main([*asked, "--json", str(tmp_path / "again.json")]) == 0
    assert json.loads((tmp_path / "again.json").read_text("utf-8"))["rows"] == told["rows"]
    text = page.read_text("utf-8")
    assert text.startswith("# Peers")
    assert "old" not in text.splitlines()
    assert "(a.svg)" in text
    assert text.endswith("The end.\n")
