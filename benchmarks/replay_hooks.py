"""Coding agents' logs as live event streams: `python -m benchmarks.replay_hooks [--only NAME] [--draws N] [--quick]`.

Each raw log is written row by row, as the agent wrote it, and its hooks are called through the real command line:
after each tool, at each turn's end, before and after each recorded compaction and some drawn ones. Judged without the
library: standard output and exit code of each call, and of each injected text the limit, every edited file, every open
failure's line, the user's standing constraints and what comes next.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._truth._calls import calls_of
from benchmarks._truth._failures import failures_of, squeezed
from benchmarks._truth._files import edited, named, same_files
from benchmarks._truth._logs import Log, document_of
from benchmarks._truth._next import last_words, open_items
from benchmarks._truth._person import constraints_in, person_texts

RAW = Path(__file__).resolve().parents[2] / "shared" / "transcripts" / "raw"
LOGS = {
    "cc-entire-fc99.jsonl": "claude-code",
    "cc-spotter-ae4a.jsonl": "claude-code",
    "codex-codemie-019e1625.jsonl": "codex",
    "gemini-cli-traj.json": "gemini",
}
CHARACTERS = 9_500
TOKENS = 2_500
TOOL = {"claude-code": "PostToolUse", "codex": "PostToolUse", "gemini": "AfterTool"}
TURN = {"claude-code": "Stop", "codex": "Stop", "gemini": "AfterAgent"}
BEFORE = {"claude-code": "PreCompact", "codex": "PreCompact", "gemini": "PreCompress"}


@dataclass
class Row:
    """One log: what was called, judged and missing."""

    name: str
    calls: int = 0
    compactions: int = 0
    facts: int = 0
    largest: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


class Agent:
    """Plays one log: writes its transcript and calls the hooks."""

    def __init__(self, log: Log, folder: Path, row: Row) -> None:
        self.log, self.row = log, row
        self.project = folder / "project"
        self.project.mkdir()
        self.transcript = folder / log.path.name
        self.transcript.touch()
        self.cwd = next((str(each["cwd"]) for each in log.rows if isinstance(each.get("cwd"), str)), str(self.project))

    def write(self, upto: int) -> None:
        """The transcript after so many rows."""
        if self.log.listed:
            self.transcript.write_text(self.log.written(upto), "utf-8")
        else:
            with self.transcript.open("a", encoding="utf-8") as file:
                file.write(self.log.lines[upto - 1] + "\n")

    def call(self, event: str, **more: Any) -> str:
        """Call a hook; what it printed."""
        fields = {
            "session_id": "replayed",
            "transcript_path": str(self.transcript),
            "cwd": self.cwd,
            "hook_event_name": event,
            **more,
        }
        command = [sys.executable, "-m", "context_kit.cli", "hook", event, "--agent", self.log.agent]
        began = time.perf_counter()
        done = subprocess.run(
            [*command, "--store", str(self.project / "store")],
            check=False,
            input=json.dumps(fields),
            capture_output=True,
            text=True,
            cwd=self.project,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])},
            timeout=120,
        )
        self.row.seconds += time.perf_counter() - began
        self.row.calls += 1
        if done.returncode or done.stderr:
            self.row.faults.append(f"{event}: exit code {done.returncode}, {done.stderr[:200]!r}")
        return done.stdout

    def silent(self, event: str, **more: Any) -> None:
        """Call a hook that has nothing to say."""
        if (printed := self.call(event, **more)).strip() not in ("", "{}"):
            self.row.faults.append(f"{event}: printed {printed[:80]!r}")

    def injected(self, event: str, **more: Any) -> str:
        """Call a hook that injects; the text."""
        printed = self.call(event, **more)
        try:
            told = json.loads(printed)["hookSpecificOutput"]
            if told["hookEventName"] != event:
                self.row.faults.append(f"{event}: speaks of {told['hookEventName']}")
            return str(told["additionalContext"])
        except (ValueError, KeyError, TypeError):
            self.row.faults.append(f"{event}: injected nothing: {printed[:80]!r}")
            return ""


def play(log: Log, folder: Path, draws: int, *, quick: bool) -> Row:
    """One log from its first row to its last."""
    row = Row(log.path.name)
    agent = Agent(log, folder, row)
    drawn = set(places(log, draws))
    pending = 0
    for number in range(len(log.rows)):
        if number in log.compacted:
            before(agent)
            agent.write(number + 1)
            continue
        agent.write(number + 1)
        if log.rows[number].get("isCompactSummary"):
            after(agent, number + 1)
            continue
        if pending and (log.results(number) or log.rows[number].get("role") == "user"):
            event = "AfterTool" if log.results(number) else "BeforeAgent"
            judge(row, agent, agent.injected(event), pending, f"{event} at row {number}")
            pending = 0
        elif not quick:
            for _ in range(log.results(number)):
                agent.silent(TOOL[log.agent], tool_name="tool", tool_input={}, tool_response={})
        if log.ends_turn(number):
            agent.silent(TURN[log.agent], stop_hook_active=False)
        if number in drawn:
            before(agent)
            if log.agent == "gemini":
                pending = number + 1
            else:
                after(agent, number + 1)
    return row


def places(log: Log, draws: int) -> Iterator[int]:
    """Rows after which a compaction is drawn: in the later three quarters, where no call is open."""
    rng = random.Random(log.path.name)
    rows = list(range(len(log.rows) // 4, len(log.rows) - 2))
    rng.shuffle(rows)
    yield from [number for number in rows if log.quiet(number)][:draws]


def before(agent: Agent) -> None:
    """What an agent says before it compacts; some say it twice."""
    for _ in range(2):
        agent.silent(BEFORE[agent.log.agent], trigger="auto", custom_instructions="")


def after(agent: Agent, upto: int) -> None:
    """What it says after it, and what that injects."""
    text = agent.injected("SessionStart", source="compact", model="m")
    judge(agent.row, agent, text, upto, f"SessionStart after row {upto - 1}")
    agent.silent("PostCompact", trigger="auto", compact_summary="a summary")


# -- the judge -------------------------------------------------------------------


def judge(row: Row, agent: Agent, text: str, upto: int, where: str) -> None:
    """Everything that an injected text must say."""
    row.compactions += 1
    document = document_of(agent.log, upto)
    size = count_tokens(text) if agent.log.agent == "codex" else len(text)
    limit = TOKENS if agent.log.agent == "codex" else CHARACTERS
    row.largest = max(row.largest, size)
    if size >= limit:
        row.faults.append(f"{where}: {size} of {limit}")
    told = squeezed(text)
    for kind, fact, there in facts(document, text, told):
        row.facts += 1
        if not there:
            row.faults.append(f"{where}: {kind} is missing: {fact[:200]}")


def facts(document: dict[str, Any], text: str, told: str) -> Iterator[tuple[str, str, bool]]:
    """Each fact of a session, and whether a text has it."""
    calls = calls_of(document)
    upto = len(document["messages"])
    files = same_files([path for call in calls for path in edited(call)])
    for path, spellings in files.items():
        yield "an edited file", path, named(path, spellings, files, text)
    for failure in failures_of(calls, upto, upto):
        yield "an open failure", failure.line, failure.line in told
    rules = dict.fromkeys(rule for _, words in person_texts(document) for rule in constraints_in(words))
    for rule in rules:
        yield "a constraint", rule, rule in told
    for item in open_items(calls):
        yield "what is next", item, squeezed(item) in told
    if last := last_words(document):
        yield "what was said last", last, last in told


def logs(only: str | None) -> Iterator[tuple[Log, Path]]:
    """Each log whose name has this in it, with an empty folder for its project."""
    if not RAW.is_dir():
        print("no raw logs: nothing to run")
        return
    for name, agent in LOGS.items():
        if only is None or only in name:
            with tempfile.TemporaryDirectory() as folder:
                yield Log(RAW / name, agent), Path(folder)


def main(argv: list[str] | None = None) -> int:
    """Play every log; 1 where something is missing or was wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only")
    parser.add_argument("--draws", type=int, default=3, help="drawn compactions in each log")
    parser.add_argument("--quick", action="store_true", help="without the calls after each tool")
    args = parser.parse_args(argv)
    rows: list[Row] = []
    for log, folder in logs(args.only):
        row = play(log, folder, args.draws, quick=args.quick)
        rows.append(row)
        print(
            f"{row.name:30} {row.calls:4} calls, {1000 * row.seconds / max(row.calls, 1):4.0f} ms each; "
            f"{row.compactions} compactions, {row.facts} facts, largest {row.largest:,}: "
            f"{'ok' if not row.faults else f'{len(row.faults)} FAULTS'}",
            flush=True,
        )
        for fault in row.faults:
            print(f"    {fault}")
    return 1 if any(row.faults for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
