"""Speed against the floor: `python -m benchmarks.speed [--json OUT]`.

All figures are ratios of CPU time within one run, so that a noisy machine doesn't matter:
`add` + `prepare` against bare tokenisation, its growth from 1,000 to 5,000 messages, one
extractive compaction of a long log against its tokenisation, traced memory against the
transcript's size on disk, and the import against pydantic's.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import statistics
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

from context_kit import ContextManager
from context_kit.tokens import counter

WORDS = """
river stone window paper garden module parser token result cache index branch value error config request handler
session async await return import class method test runner deploy schema column query update
""".split()
REPEATS = 5


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


def growth() -> dict[str, float]:
    """Ratio to bare tokenisation at 5,000 messages, and the exponent of growth from 1,000."""
    long, short = conversation(5_000), conversation(1_000)
    counter()("warm")
    ratios, exponents = [], []
    for _ in range(REPEATS):
        floor, mine, small = bare(long), loop(long), loop(short)
        ratios.append(mine / floor)
        exponents.append(math.log(mine / small) / math.log(5))
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


def main(argv: list[str] | None = None) -> int:
    """Print the ratios; 1 where one is above its bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    grown, compacted, imported = growth(), compaction(), imports()
    checks = [
        ("add + prepare / bare tokenisation, 5,000 messages", grown["ratio"], 1.5),
        ("growth exponent, 1,000 to 5,000 messages", grown["exponent"], 1.1),
        (f"one extractive compaction / tokenisation of {compacted['tokens']:,} tokens", compacted["ratio"], 3.0),
        ("traced peak memory / transcript on disk", compacted["memory"], 10.0),
        ("import context_kit / import pydantic.BaseModel", imported["ratio"], 2.0),
    ]
    for name, value, most in checks:
        print(f"{name:70} {value:6.2f}  (at most {most}) {'ok' if value <= most else 'ABOVE'}")
    print(f"heavy modules loaded by the import: {', '.join(imported['heavy']) or 'none'}")
    if args.json:
        found = {"growth": grown, "compaction": compacted, "import": imported}
        args.json.write_text(json.dumps(found, indent=1), "utf-8")
    return 0 if all(value <= most for _, value, most in checks) and not imported["heavy"] else 1


if __name__ == "__main__":
    sys.exit(main())
