"""Speed against the floor: `python -m benchmarks.speed [--peers FILE] [--json OUT] [--markdown PAGE] [--svg FILE]`.

All figures are ratios within one run, so that a noisy machine doesn't matter; of CPU time: `add` +
`prepare` against bare tokenisation, its growth from 1,000 to 5,000 messages, one extractive
compaction of a long log against its tokenisation, and the import against pydantic's; of bytes: traced
memory against the transcript's size on disk; of medians of time, measured in turn: an append to the
journal against a bare write and fsync, and a search in it against a bare FTS5 query
(`benchmarks.search` has both for larger memories). With `--peers FILE`, the JSON of `benchmarks.peers`,
the times of other libraries stand beside them. A page with the marks `<!-- speed -->` keeps the rest of
its text.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks._arguments import target
from benchmarks._page import bars, image, put, table
from benchmarks.search import appending, searching
from context_kit import ContextManager
from context_kit.tokens import counter

WORDS = """
river stone window paper garden module parser token result cache index branch value error config request handler
session async await return import class method test runner deploy schema column query update
""".split()
REPEATS = 5
RECORDS = 10_000
"""Records of the memory that is searched."""


@dataclass(frozen=True, slots=True)
class Check:
    """One ratio and its bound."""

    name: str
    ratio: float
    most: float

    @property
    def ok(self) -> bool:
        """Whether it is within its bound."""
        return self.ratio <= self.most


def text(rng: random.Random, tokens: int) -> str:
    """About `tokens` tokens of prose and code, no two alike."""
    lines = []
    for number in range(tokens // 10):
        words = " ".join(rng.choice(WORDS) for _ in range(6))
        lines.append(f"    {words} = {rng.randrange(1000)}  # {number}" if number % 3 else f"{words}.")
    return "\n".join(lines)


def conversation(messages: int, tokens: int = 200, seed: int = 7) -> list[dict[str, Any]]:
    """An agent's session: a request, then rounds of a call and its result; a person speaks at times."""
    rng = random.Random(seed)
    out: list[dict[str, Any]] = [{"role": "user", "content": "Refactor src/app.py. Do not touch tests/."}]
    while len(out) < messages:
        number = len(out)
        if number % 50 == 1 and number > 1:
            out.append({"role": "assistant", "content": text(rng, tokens)})
            out.append({"role": "user", "content": f"go on with part {number}"})
            continue
        path = f"src/module_{rng.randrange(40)}.py"
        name, arguments = rng.choice(
            [
                ("read_file", {"path": path}),
                ("bash", {"command": f"pytest -q tests/test_{number % 30}.py"}),
                ("edit_file", {"path": path, "old_string": text(rng, 60), "new_string": text(rng, 80)}),
            ]
        )
        call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        out.append({"role": "assistant", "content": text(rng, 40), "tool_calls": [call]})
        out.append({"role": "tool", "tool_call_id": f"c{number}", "content": text(rng, 2 * tokens - 100)})
    return out[:messages]


def strings(messages: list[dict[str, Any]]) -> list[str]:
    """What the bare tokeniser is given: each message's text and call arguments, once."""
    found = []
    for message in messages:
        calls = "".join(call["function"]["arguments"] for call in message.get("tool_calls") or [])
        found.append((message["content"] or "") + calls)
    return found


def cpu(fn: Any) -> float:
    """CPU seconds of one call."""
    gc.collect()
    start = time.process_time()
    fn()
    return time.process_time() - start


def bare(messages: list[dict[str, Any]]) -> float:
    """CPU seconds to tokenise each message once."""
    from context_kit.tokens._encodings import encoding

    encode = encoding("o200k_base").encode_ordinary
    texts = strings(messages)
    return cpu(lambda: [encode(each) for each in texts])


def loop(messages: list[dict[str, Any]]) -> float:
    """CPU seconds of `add` and `prepare` in a window that never compacts."""
    ctx = ContextManager(4_000_000)

    def go() -> None:
        for message in messages:
            if message["role"] == "assistant":
                ctx.prepare()
            ctx.add(message)

    return cpu(go)


def growth(many: int = 5_000, few: int = 1_000, repeats: int = REPEATS) -> dict[str, float]:
    """Ratio to bare tokenisation with many messages, and the exponent of growth from few."""
    long, short = conversation(many), conversation(few)
    counter()("warm")
    ratios, exponents = [], []
    for _ in range(repeats):
        floor, mine, small = bare(long), loop(long), loop(short)
        ratios.append(mine / floor)
        exponents.append(math.log(mine / small) / math.log(many / few))
    return {"ratio": statistics.median(ratios), "exponent": statistics.median(exponents)}


def compaction(messages: int = 5_000) -> dict[str, float]:
    """One extractive compaction of the whole log, against its tokenisation; traced memory against its size."""
    session = conversation(messages)
    tokens = sum(map(counter(), strings(session)))
    ratios = []
    for _ in range(3):
        floor = bare(session)
        ctx = ContextManager(int(tokens * 1.3))
        ctx.add(session)
        ratios.append(cpu(ctx.compact) / floor)
        assert ctx.compactions[-1].outcome == "applied", ctx.compactions[-1].reason
    size = len(json.dumps(session).encode())
    tracemalloc.start()
    ctx = ContextManager(int(tokens * 1.3))
    ctx.add(session)
    ctx.compact()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"tokens": tokens, "ratio": statistics.median(ratios), "memory": peak / size}


def imports() -> dict[str, Any]:
    """`import context_kit` against `from pydantic import BaseModel`, and what it loads."""

    def best(statement: str) -> float:
        code = f"import time; t=time.process_time(); {statement}; print(time.process_time()-t)"
        return min(float(_printed(code)) for _ in range(7))

    loaded = _printed("import sys, context_kit; print(' '.join(sys.modules))").split()
    heavy = {"openai", "anthropic", "tiktoken", "typer", "rich", "sqlite3", "psycopg", "httpx", "hypothesis"}
    return {
        "ratio": best("import context_kit") / best("from pydantic import BaseModel"),
        "heavy": sorted(heavy & set(loaded)),
    }


def _printed(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def memory() -> dict[str, float]:
    """Ratios of an append to the journal and of a search in it, to what they can't do without."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return {
            "append": appending(folder / "append")["ratio"],
            "search": searching(folder / "search", RECORDS)["ratio"],
        }


def checks_of(found: dict[str, Any]) -> list[Check]:
    """Every ratio with its bound."""
    return [
        Check("add + prepare / bare tokenisation, 5,000 messages", found["growth"]["ratio"], 1.5),
        Check("growth exponent, 1,000 to 5,000 messages", found["growth"]["exponent"], 1.1),
        Check(
            f"one extractive compaction / tokenisation of {found['compaction']['tokens']:,} tokens",
            found["compaction"]["ratio"],
            3.0,
        ),
        Check("traced peak memory / transcript on disk", found["compaction"]["memory"], 10.0),
        Check("import context_kit / import pydantic.BaseModel", found["import"]["ratio"], 2.0),
        Check("append to the journal / bare write and fsync", found["memory"]["append"], 1.5),
        Check(f"search in {RECORDS:,} records / bare FTS5 query", found["memory"]["search"], 3.0),
    ]


def page(checks: list[Check], svg: Path | None, beside: Sequence[Mapping[str, Any]] = ()) -> str:
    """The ratios as a table, with the chart where there is one, and the peers' where they were run."""
    rows = [{"what": each.name, "ratio": round(each.ratio, 2), "most": each.most} for each in checks]
    told = "Made by `python -m benchmarks.speed --markdown PAGE --svg FILE`: ratios within one run.\n\n"
    picture = f"\n{image(svg.as_posix(), 'Ratios to the floor, as in the table')}" if svg is not None else ""
    found = told + table(rows, {"what": "what / floor", "ratio": "ratio", "most": "at most"}) + picture
    if not beside:
        return found
    return f"{found}\n{BESIDE}\n\n{table(beside, {'peer': '', 'time': 'time', 'compactions': 'compactions'})}"


BESIDE = (
    "The whole loop beside other libraries ([Peers](#peers) has the settings): real sessions, all requests and "
    "compactions of each, the summariser's time left out; CPU time against tokenising every text once in the same "
    "process, the median of the sessions:"
)


def paces(path: Path) -> list[dict[str, Any]]:
    """What each peer took, from the JSON of `benchmarks.peers`; who wasn't run has no row.

    Raises:
        OSError, ValueError, KeyError, TypeError: the file holds none.
    """
    peers: dict[str, Any] = json.loads(path.read_text("utf-8"))["summary"]["peers"]
    return [
        {"peer": name, "time": f"{found['seconds']:.1f}", "compactions": found["compactions"]}
        for name, found in peers.items()
        if not found["missing"] and found["seconds"] is not None
    ]


def chart(checks: list[Check]) -> str:
    """The ratios and their bounds as bars."""
    series = {"ratio": [round(each.ratio, 2) for each in checks], "at most": [each.most for each in checks]}
    names = ["add + prepare", "growth exponent", "one compaction", "memory", "import", "journal append", "search"]
    return bars(names, series, "context_kit against the floor", note="ratios within one run; 1 is the floor itself")


def main(argv: list[str] | None = None) -> int:
    """Print the ratios; 1 where one is above its bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--peers", type=Path, metavar="FILE", help="JSON of benchmarks.peers, for its times")
    parser.add_argument("--json", type=target, help="where the figures go")
    parser.add_argument("--markdown", type=Path, help="where the table goes")
    parser.add_argument("--svg", type=target, help="where the chart goes")
    args = parser.parse_args(argv)
    try:
        beside = paces(args.peers) if args.peers else []
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.error(f"--peers: {args.peers} holds no figures of benchmarks.peers: {type(error).__name__}: {error}")
    found: dict[str, Any] = {"growth": growth(), "compaction": compaction(), "import": imports(), "memory": memory()}
    checks, heavy = checks_of(found), found["import"]["heavy"]
    for each in checks:
        print(f"{each.name:70} {each.ratio:6.2f}  (at most {each.most}) {'ok' if each.ok else 'ABOVE'}")
    print(f"heavy modules loaded by the import: {', '.join(heavy) or 'none'}")
    for peer in beside:
        print(f"{peer['peer']:70} {peer['time']:>6}  (CPU time of real sessions / tokenising them)")
    if args.json:
        told = {"checks": [asdict(each) for each in checks], "peers": beside}
        args.json.write_text(json.dumps(found | told, indent=1), "utf-8")
    if args.svg:
        args.svg.write_text(chart(checks), "utf-8")
    if args.markdown:
        picture = Path(os.path.relpath(args.svg, args.markdown.parent)) if args.svg else None
        put(args.markdown, "speed", page(checks, picture, beside))
    return 0 if all(each.ok for each in checks) and not heavy else 1


if __name__ == "__main__":
    sys.exit(main())
