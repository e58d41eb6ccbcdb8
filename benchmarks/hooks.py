"""What a coding agent's hook costs: `python -m benchmarks.hooks [--json OUT] [--only NAME]`.

CPU time, as ratios within one run, of each event of the raw logs played live, against reading the transcript as it
then is and parsing its JSON. `work` is the event's own work, in a process that has answered others before; a transcript
of a few hundred kilobytes is parsed in a millisecond: where five times that is less than the floor, the floor counts.
`first` is a compaction of the whole log of which no hook has ever heard. `process` is all that an event costs, the
start of Python, the imports and what is made at first use included, against a Python process that only reads and
parses: no floor there. The processes start as an installed `context-kit` does: through its entry point, and with
byte code, which one unmeasured run before writes to a folder of its own, whatever the shell says of writing any.
Exit code 1 where either is over the ceiling.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._truth._logs import Log
from benchmarks.replay_hooks import BEFORE, TOOL, TURN, logs
from context_kit.harness.hooks import answer, event_of

CEILING = 5.0
FLOOR = 0.030
"""CPU seconds of an event's work that nobody notices, however small the transcript is."""
REPEATS = 5
ENTRY = "import sys; from context_kit.cli import main; sys.exit(main())"
"""What the installed script does."""
PARSE = """
import json, sys
data = open(sys.argv[1], encoding="utf-8").read()
json.loads(data) if sys.argv[1].endswith(".json") else [json.loads(line) for line in data.split("\\n") if line.strip()]
"""


@dataclass
class Row:
    """One log: the largest ratio of each event."""

    name: str
    megabytes: float
    work: dict[str, float] = field(default_factory=dict)
    process: dict[str, float] = field(default_factory=dict)
    parse_ms: float = 0.0

    over: dict[str, float] = field(default_factory=dict)
    """By event, the largest share of what it may cost: above 1 it is too much."""

    def note(self, kind: str, spent: float, floor: float) -> None:
        """One event's work beside the reading and parsing."""
        self.work[kind] = max(self.work.get(kind, 0.0), round(spent / floor, 2))
        self.over[kind] = max(self.over.get(kind, 0.0), round(spent / max(CEILING * floor, FLOOR), 2))


def parse(path: Path) -> Any:
    """What an event's work is compared with."""
    data = path.read_bytes()
    return json.loads(data) if path.suffix == ".json" else [json.loads(line) for line in data.split(b"\n") if line]


def cpu(act: Callable[[], object], repeats: int = REPEATS) -> float:
    """The least CPU time of a few runs, in seconds."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        began = time.process_time()
        act()
        best = min(best, time.process_time() - began)
    return best


class Live:
    """A log that is being written, and the hooks that hear of it."""

    def __init__(self, log: Log, folder: Path, row: Row) -> None:
        self.log, self.row, self.folder = log, row, folder
        self.transcript = folder / log.path.name

    def event(self, name: str, *, store: str = "store", **more: str) -> Callable[[], str]:
        """An event, ready to be answered."""
        fields = {"session_id": "s", "transcript_path": str(self.transcript), "cwd": str(self.folder), **more}
        return lambda: answer(event_of(name, fields, agent=self.log.agent, store=str(self.folder / store)))

    def measure(self, kind: str, name: str, **more: str) -> None:
        """Answer an event once, timed, against the transcript as it is."""
        spent = cpu(self.event(name, **more), 1)
        self.row.note(kind, spent, cpu(lambda: parse(self.transcript), 3))


def play(log: Log, folder: Path) -> Row:
    """One log, live: an event after each tool and turn, a compaction after each tenth of it."""
    row = Row(log.path.name, round(log.path.stat().st_size / 1e6, 2))
    live = Live(log, folder, row)
    agent, size = log.agent, len(log.rows)
    live.transcript.write_bytes(log.path.read_bytes())
    for number in range(3):
        live.event(BEFORE[agent], store=f"warm{number}")()
    least = cpu(lambda: parse(live.transcript))
    row.parse_ms = round(1000 * least, 2)
    row.note(
        "first", min(cpu(live.event(BEFORE[agent], store=f"first{number}"), 1) for number in range(REPEATS)), least
    )
    live.transcript.write_bytes(b"")
    for number in range(size):
        live.transcript.write_text(log.written(number + 1), "utf-8") if log.listed else _add(live, number)
        late = number > size // 4
        if log.results(number):
            live.measure("tool", TOOL[agent]) if late else live.event(TOOL[agent])()
        if log.ends_turn(number):
            live.measure("turn", TURN[agent]) if late else live.event(TURN[agent])()
        if late and number % (size // 10) == 0:
            live.measure("before", BEFORE[agent])
            live.measure("start", "SessionStart", source="compact")
    row.process = processes(live)
    row.over |= {f"process {name}": round(ratio / CEILING, 2) for name, ratio in row.process.items()}
    return row


def _add(live: Live, number: int) -> None:
    with live.transcript.open("a", encoding="utf-8") as file:
        file.write(live.log.lines[number] + "\n")


def processes(live: Live) -> dict[str, float]:
    """The same with everything, each as a process of its own; a process that parses runs beside each one."""
    agent = live.log.agent
    live.event(BEFORE[agent], store="p")()
    env = installed(live.folder)
    parsing = [sys.executable, "-c", PARSE, str(live.transcript)]
    fields = {"session_id": "s", "transcript_path": str(live.transcript), "cwd": str(live.folder), "source": "compact"}
    found: dict[str, float] = {}
    for name in (BEFORE[agent], "SessionStart", TOOL[agent], TURN[agent]):
        hook = [sys.executable, "-c", ENTRY, "hook", name, "--agent", agent, "--store"]
        floor = least = float("inf")
        for at in range(REPEATS + 1):
            store = str(live.folder / (f"{name}{at}" if name == BEFORE[agent] else "p"))
            costs = spent(parsing, "", env), spent([*hook, store], json.dumps(fields), env)
            if at:  # the first one writes the byte code
                floor, least = min(floor, costs[0]), min(least, costs[1])
        found[name] = round(least / floor, 2)
    return found


def installed(folder: Path) -> dict[str, str]:
    """The environment of a process that finds its byte code, as that of an installed package does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        "PYTHONPYCACHEPREFIX": str(folder / "byte-code"),
    }


def spent(command: list[str], text: str, env: Mapping[str, str]) -> float:
    """The CPU time of a process, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, text=True, check=True, capture_output=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(argv: list[str] | None = None) -> int:
    """Measure every log; 1 where an event's work or its whole process is over the ceiling."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only")
    args = parser.parse_args(argv)
    rows: list[Row] = []
    for log, folder in logs(args.only):
        row = play(log, folder)
        rows.append(row)
        work = ", ".join(f"{kind} {ratio}×" for kind, ratio in row.work.items())
        process = ", ".join(f"{kind} {ratio}×" for kind, ratio in row.process.items())
        print(
            f"{row.name:30} {row.megabytes:5} MB, parsed in {row.parse_ms} ms; work: {work}; process: {process}",
            flush=True,
        )
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    over = [f"{row.name}: {kind}" for row in rows for kind, share in row.over.items() if share > 1]
    print(f"over {CEILING}× (work: and {1000 * FLOOR:.0f} ms): {', '.join(over) or 'none'}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
