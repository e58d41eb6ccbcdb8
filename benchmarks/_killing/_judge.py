"""What must be there after a kill: kept by a process that is never killed, compared with what a new one finds."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._killing._acts import Act, made
from benchmarks._killing._work import WINDOW, added, opened, receipts, state
from context_kit import ContextManager
from context_kit.memory import FileStore
from context_kit.typing import Store

__all__ = ["Expected", "examine", "strays"]

LOOKED = 3
"""So many messages of each session are recalled after each kill."""


@dataclass
class Expected:
    """What one session was acknowledged."""

    session: str
    seed: int
    lives: int = 0
    eras: list[list[dict[str, Any]]] = field(default_factory=lambda: [[]])
    """Its messages: of each finished session of this name, then of the live one."""
    appended: dict[str, list[str]] = field(default_factory=dict)
    """Results of journal records, by writer, in order."""
    last: dict[str, Any] | None = None
    """The state that was told last."""
    flight: Act | None = None
    """The act that was begun and not acknowledged."""
    acts: int = 0

    def heard(self, lines: Iterable[str]) -> list[str]:
        """Take in what a process told before it was killed; what it told that can't be."""
        broken: list[str] = []
        for line in lines:
            told = json.loads(line)
            if "opened" in told:
                broken += self.reopened(told)
            elif "begin" in told:
                self.flight = made(self.seed, self.session, self.lives, told["begin"], told["waiting"])
            else:
                self._done(told)
        return broken

    def reopened(self, found: Mapping[str, Any]) -> list[str]:
        """What of the last acknowledged state is not as it was."""
        last, self.last = self.last, dict(found)
        if last is None or (self.flight and self.flight.kind == "finish"):
            return []
        same = last["records"] == found["records"]
        broken = [] if self.flight or same else [f"{last['records']} records became {found['records']}"]
        if same and last["state"] != found["state"]:
            broken.append("window, usage, pins or summary changed by a reopen")
        if found["receipts"][: len(last["receipts"])] != last["receipts"]:
            broken.append("receipts changed by a reopen")
        return [f"{self.session}: {text}" for text in broken]

    def _done(self, told: dict[str, Any]) -> None:
        act = self.flight
        assert act is not None
        self.acts += 1
        self.last, self.flight = told, None
        self.eras[-1] += act.messages
        if act.kind == "finish":
            self.eras.append([])
        for which, fields in act.records:
            self.appended.setdefault(writer(self.session, which), []).append(fields["result"])

    def adopt(self, found: Mapping[str, Any]) -> None:
        """Take what was found as the truth from here on: the act in flight may have been done in part."""
        self.eras, self.appended, self.last = found["eras"], found["appended"], found["last"]
        self.flight = None


def writer(session: str, which: int) -> str:
    """Session and agent of one of an act's writers, as one text."""
    return f"{session}|" if which == 0 else f"{session}.side|{('one', 'two')[which - 1]}"


def examine(kind: str, where: str, expected: Expected, *, last: bool) -> dict[str, Any]:
    """What a new process finds of a session, and what of it is broken; with `last`, it is closed for good."""
    store = opened(kind, where)
    broken: list[str] = []
    eras = _eras(store, expected.session)
    broken += _messages(expected, eras)
    ctx = ContextManager.open(store, expected.session, window=WINDOW)
    broken += expected.reopened(state(ctx))
    broken += _recalled(ctx, store, eras[-1], expected)
    appended, faults = _journal(ctx, expected)
    broken += faults
    more = {"role": "user", "content": f"{expected.session}-{expected.lives}-judge-x: go on"}
    ctx.add(more)
    eras[-1].append(more)
    broken += [f"{expected.session}: {text}" for text in illegal(ctx.prepare())]
    if last:
        ctx.compact()
        before = state(ctx)
        ctx.close()
        ctx = ContextManager.open(store, expected.session)
        broken += [f"{expected.session}: another state after close()"] if state(ctx) != before else []
        broken += [f"{expected.session}: receipts are gone"] if receipts(ctx) != before["receipts"] else []
        broken += _failures(ctx, expected.session, eras)
    told = state(ctx)
    ctx.close()
    return {"broken": broken, "eras": eras, "appended": appended, "last": told}


def _eras(store: Store, session: str) -> list[list[dict[str, Any]]]:
    """The messages of each finished session of a name, then of the live one."""
    if isinstance(store, FileStore):
        from context_kit.memory._lines import read_lines

        place = store.folder / "archive"
        names = [session, *(f"{session}.{number}" for number in range(2, 1_000))]
        finished = [place / name / "log.jsonl" for name in names if (place / name).is_dir()]
        old = [added(read_lines(path)) for path in finished]
    else:
        old = [added(lines) for lines in store.finished(session)]  # type: ignore[attr-defined]
    return [*old, added(store.read(session))]


def _messages(expected: Expected, found: Sequence[list[dict[str, Any]]]) -> list[str]:
    """Every acknowledged message once, as it was, in order; at most the act in flight beside them."""
    wanted = [list(era) for era in expected.eras]
    flight = expected.flight
    if flight and flight.kind == "finish" and len(found) == len(wanted) + 1:
        wanted.append([])
    if len(found) != len(wanted):
        return [f"{expected.session}: {len(found)} sessions of this name, not {len(wanted)}"]
    for number, (want, have) in enumerate(zip(wanted, found, strict=True)):
        more = have[len(want) :]
        allowed = list(flight.messages) if flight and number == len(wanted) - 1 else []
        if have[: len(want)] != want:
            at = next((i for i, pair in enumerate(zip(want, have, strict=False)) if pair[0] != pair[1]), len(have))
            return [f"{expected.session}: message {at} of {len(want)} (there are {len(have)}) is not what it was"]
        if more != allowed[: len(more)]:
            return [f"{expected.session}: {len(more)} messages that nobody added"]
    return []


def _recalled(
    ctx: ContextManager, store: Store, messages: Sequence[Mapping[str, Any]], expected: Expected
) -> list[str]:
    rng = random.Random(f"{expected.session}/{expected.lives}")
    broken = []
    wanted = {text: 0 for m in rng.sample(list(messages), min(LOOKED, len(messages))) if (text := m["content"])}
    entries = {line["m"]["content"]: line["n"] for line in store.read(expected.session) if line.get("k") == "add"}
    for text in wanted:
        found = ctx.recall(f"m{entries[text]}") if text in entries else []
        if [each.text for each in found] != [text] and not (found and text in found[0].text):
            broken.append(f"{expected.session}: m{entries.get(text)} can't be recalled as it was")
    return broken


def _journal(ctx: ContextManager, expected: Expected) -> tuple[dict[str, list[str]], list[str]]:
    """Every acknowledged record once, in order, by writer; no id twice."""
    broken: list[str] = []
    records = ctx.memory.records()
    twice = [name for name, times in Counter(record.id for record in records).items() if times > 1]
    broken += [f"{expected.session}: journal records twice: {twice[:3]}"] if twice else []
    found: dict[str, list[str]] = {}
    for record in records:
        if record.session.split(".")[0] == expected.session and record.id.startswith("r"):
            found.setdefault(f"{record.session}|{record.agent}", []).append(record.result)
    flight = expected.flight
    for name in {*found, *expected.appended}:
        want, have = expected.appended.get(name, []), found.get(name, [])
        mine = flight.records if flight else ()
        allowed = [fields["result"] for which, fields in mine if writer(expected.session, which) == name]
        if have[: len(want)] != want or have[len(want) :] != allowed[: len(have) - len(want)]:
            broken.append(f"{name}: {len(want)} records acknowledged, {len(have)} there, or not in order")
    return found, broken


def _failures(ctx: ContextManager, session: str, eras: Sequence[Sequence[dict[str, Any]]]) -> list[str]:
    """What the session's own journal says of failures, beside that of one that was never killed."""
    calm = ContextManager(10_000_000)
    calm.add(list(eras[-1]))
    wanted = {record.error for record in calm.memory.records() if record.action == "fail"}
    found = {record.error for record in ctx.memory.records(session) if record.action == "fail"}
    return [f"{session}: failures missing in the journal: {sorted(wanted - found)[:2]}"] if wanted - found else []


def illegal(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a chat provider would refuse: a result without its call before it, or a call without its result."""
    waiting: set[str] = set()
    broken = []
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                broken.append(f"message {number} answers no call")
            waiting.discard(message["tool_call_id"])
            continue
        if waiting:
            broken.append(f"message {number} stands before the results of {sorted(waiting)}")
        waiting = {call["id"] for call in message.get("tool_calls") or ()}
    return broken + ([f"no result of {sorted(waiting)}"] if waiting else [])


KNOWN = {"memory.jsonl", "log.jsonl", "lock", "checkpoint.md"}


def strays(where: str) -> list[str]:
    """Files in a store's directory that are no store's."""
    return [str(path) for path in Path(where).rglob("*") if path.is_file() and path.name not in KNOWN]
