"""What a session that will be killed does: each act follows from a seed, so that the judge knows its bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Act", "made"]

WORDS = "parser token index branch value config request handler session column 缓存 索引 事务 锁 日志".split()
KINDS = {
    "ask": 6,
    "call": 10,
    "large": 2,
    "list": 2,
    "prepare": 4,
    "compact": 2,
    "pin": 2,
    "append": 10,
    "usage": 2,
    "reopen": 1,
    "finish": 1,
    "tidy": 2,
    "forget": 1,
}
"""How often each act is drawn while no call waits."""
COMMANDS = ("pytest -q tests/test_api.py", "npm test", "ruff check src")


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a session."""

    kind: str
    mark: str
    """Stands in every text of the act and in no other one's."""
    messages: tuple[dict[str, Any], ...] = ()
    """What it adds."""
    records: tuple[tuple[int, dict[str, str]], ...] = ()
    """Journal records that it appends: which writer, and the fields."""


def made(seed: int, session: str, life: int, number: int, waiting: str) -> Act:
    """The act with this number of one life of a session.

    Args:
        seed: of the run.
        session: its name.
        life: how often the session was begun by a process, this one included.
        number: of the act within this life.
        waiting: id of the call that waits for its result, empty where none does.
    """
    rng = random.Random(f"{seed}/{session}/{life}/{number}")
    mark = f"{session}-{life}-{number}-x"
    if waiting and rng.random() < 0.85:
        return Act("result", mark, (_result(rng, mark, waiting),))
    (kind,) = rng.choices(list(KINDS), list(KINDS.values()))
    return Act(kind, mark, tuple(_messages(rng, kind, mark)), tuple(_records(rng, kind, mark)))


def _text(rng: random.Random, mark: str, size: int) -> str:
    lines: list[str] = []
    while size > 0:
        lines.append(f"{mark} {len(lines)} " + " ".join(rng.choices(WORDS, k=9)))
        size -= len(lines[-1])
    return "\n".join(lines)


def _messages(rng: random.Random, kind: str, mark: str) -> Sequence[dict[str, Any]]:
    if kind == "ask":
        return [{"role": "user", "content": _text(rng, mark, rng.choice((40, 400, 4_000)))}]
    if kind == "call":
        return [_call(rng, mark)]
    if kind == "large":
        call = _call(rng, mark)
        return [call, _result(rng, mark, f"call-{mark}", rng.choice((60_000, 200_000, 400_000)))]
    if kind == "list":
        return [
            {"role": role, "content": _text(rng, f"{mark}{i}", 300)} for i, role in enumerate(("user", "assistant"))
        ]
    return []


def _call(rng: random.Random, mark: str) -> dict[str, Any]:
    if rng.random() < 0.5:
        path = f"src/part_{rng.randrange(5)}.py"
        name, given = "edit_file", {"path": path, "old_string": "a = 1", "new_string": _text(rng, mark, 200)}
    else:
        name, given = "bash", {"command": rng.choice(COMMANDS)}
    function = {"name": name, "arguments": json.dumps(given)}
    said = f"I try it {mark}."
    calls = [{"id": f"call-{mark}", "type": "function", "function": function}]
    return {"role": "assistant", "content": said, "tool_calls": calls}


def _result(rng: random.Random, mark: str, call: str, size: int = 300) -> dict[str, Any]:
    ending = rng.choice((f"\n1 failed: AssertionError {mark}\nexit code 1", "\n12 passed", ""))
    return {"role": "tool", "tool_call_id": call, "content": _text(rng, mark, size) + ending}


def _records(rng: random.Random, kind: str, mark: str) -> Sequence[tuple[int, dict[str, str]]]:
    if kind != "append":
        return []
    out = []
    for place in range(rng.choice((1, 3, 12))):
        action = rng.choice(("decide", "note", "edit", "fail"))
        told = f"{mark}{place} {_text(rng, mark, 80)}"
        out.append((rng.randrange(3), {"action": action, "file": f"src/part_{rng.randrange(5)}.py", "result": told}))
    return out
