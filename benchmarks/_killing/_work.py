"""The process that is killed: it works on one session and tells each act on a pipe, before it and after it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter

from benchmarks._killing._acts import Act, made
from context_kit import BudgetError, Compaction, ContextManager
from context_kit.memory import FileStore, Memory, PostgresStore, forget, tidy
from context_kit.typing import Store

__all__ = ["WINDOW", "added", "opened", "receipts", "secret", "state", "work"]

WINDOW = 24_000
KEPT_PINS = 3
"""Above so many pins the oldest is released instead."""


def opened(kind: str, where: str) -> Store:
    """The store of a kind at a place: a directory, or a schema and a server's address."""
    if kind == "files":
        return FileStore(where)
    schema, _, server = where.partition(" ")
    return PostgresStore(server, schema=schema)


def added(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages of a session's lines that its caller added."""
    return [line["m"] for line in lines if line.get("k") == "add" and not line.get("i")]


def receipts(ctx: ContextManager) -> list[str]:
    """One digest a receipt."""
    for receipt in ctx.compactions:
        if id(receipt) not in _DIGESTS:
            _DIGESTS[id(receipt)] = (receipt, _digest(_adapter().dump_json(receipt)))
    return [_DIGESTS[id(receipt)][1] for receipt in ctx.compactions]


@cache
def _adapter() -> TypeAdapter[Compaction]:
    return TypeAdapter(Compaction)


_DIGESTS: dict[int, tuple[Compaction, str]] = {}
"""Of the receipts that this process has seen, which are kept, so that no other one has the same number."""


def state(ctx: ContextManager) -> dict[str, Any]:
    """What must be the same after a reopen: the window's bytes, ledger, pins, summary; and how long the log is."""
    pins = [(engram.id, engram.text) for engram in ctx.engrams if engram.kind == "note"]
    summary = ctx.summary.model_dump_json() if ctx.summary else ""
    whole = json.dumps([ctx.messages, repr(ctx.usage), pins, summary]).encode()
    records = len(ctx._session.log.records)  # noqa: SLF001 - the log's length is nobody's business but a judge's
    return {"state": _digest(whole), "records": records, "receipts": receipts(ctx)}


def work(kind: str, where: str, seed: int, session: str, life: int, pipe: int) -> None:
    """Act until killed."""

    def say(**told: Any) -> None:
        os.write(pipe, json.dumps(told).encode() + b"\n")

    store = opened(kind, where)
    ctx = ContextManager.open(store, session, window=WINDOW)
    said = added(store.read(session))
    say(opened=True, **state(ctx))
    number = 0
    while True:
        waiting = _waits(said)
        act = made(seed, session, life, number, waiting)
        say(begin=number, waiting=waiting)
        ctx = DOINGS[act.kind](ctx, act, store)
        said = [] if act.kind == "finish" else [*said, *act.messages]
        say(done=number, **state(ctx))
        number += 1


def _waits(said: list[dict[str, Any]]) -> str:
    calls = said[-1].get("tool_calls") if said else None
    return str(calls[0]["id"]) if calls else ""


def _add(ctx: ContextManager, act: Act, _: Store) -> ContextManager:
    first, *rest = act.messages
    ctx.add([first, *rest] if rest else first)
    return ctx


def _prepare(ctx: ContextManager, _act: Act, _store: Store) -> ContextManager:
    ctx.prepare()
    return ctx


def _compact(ctx: ContextManager, _act: Act, _store: Store) -> ContextManager:
    ctx.compact()
    return ctx


def _pin(ctx: ContextManager, act: Act, _: Store) -> ContextManager:
    pins = [engram.id for engram in ctx.engrams if engram.kind == "note"]
    if len(pins) >= KEPT_PINS:
        ctx.release(pins[0])
        return ctx
    try:
        ctx.pin(f"pinned {act.mark}")
    except BudgetError:  # no room beside the others
        ctx.release(pins[0])
    return ctx


def _append(ctx: ContextManager, act: Act, store: Store) -> ContextManager:
    writers = [ctx.memory, *(_aside(ctx, name, store) for name in ("one", "two"))]
    for which, fields in act.records:
        writers[which].append(**fields)
    return ctx


def _aside(ctx: ContextManager, agent: str, store: Store) -> Memory:
    return Memory(session=f"{ctx.session}.side", agent=agent, store=store, redact=str)


def _usage(ctx: ContextManager, _act: Act, _store: Store) -> ContextManager:
    if ctx.messages:
        ctx.record_usage(input_tokens=max(ctx.usage.tokens * 11 // 10, 1))
    return ctx


def _reopen(ctx: ContextManager, _act: Act, store: Store) -> ContextManager:
    ctx.close()
    return ContextManager.open(store, ctx.session)


def _tidy(ctx: ContextManager, _act: Act, store: Store) -> ContextManager:
    tidy(store, days=0)
    return ctx


def _forget(ctx: ContextManager, act: Act, store: Store) -> ContextManager:
    ctx.memory.append(action="note", result=secret(act.mark))
    forget(store, matching=secret(act.mark))
    return ctx


def secret(mark: str) -> str:
    """What an act writes and forgets."""
    return f"secret of {mark} 不可见"


def _finish(ctx: ContextManager, _act: Act, store: Store) -> ContextManager:
    ctx.close(done=True)
    return ContextManager.open(store, ctx.session, window=WINDOW)


DOINGS: dict[str, Callable[[ContextManager, Act, Store], ContextManager]] = {
    **dict.fromkeys(("ask", "call", "result", "large", "list"), _add),
    "prepare": _prepare,
    "compact": _compact,
    "pin": _pin,
    "append": _append,
    "usage": _usage,
    "reopen": _reopen,
    "finish": _finish,
    "tidy": _tidy,
    "forget": _forget,
}


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]
