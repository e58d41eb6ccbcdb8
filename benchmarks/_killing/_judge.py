"""What must be there after a kill: kept by a process that is never killed, compared with what a new one finds."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks._killing._acts import Act, made
from benchmarks._killing._work import WINDOW, added, opened, receipts, secret, state
from context_kit import ContextManager
from context_kit.memory import FileStore, PostgresStore, tidy
from context_kit.memory._files._lines import read_lines
from context_kit.typing import Store

__all__ = ["Expected", "examine", "strays"]

ACTIONS = ("decide", "note", "edit", "fail")
"""What a session's writers append."""
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
    forgotten: list[str] = field(default_factory=list)
    """Texts that were written and forgotten."""

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
        if act.kind == "forget":
            self.forgotten.append(secret(act.mark))
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
    appended, faults = _journal(ctx, store, expected)
    broken += faults
    broken += _remembered(kind, where, store, expected)
    more = {"role": "user", "content": f"{expected.session}-{expected.lives}-judge-x: go on"}
    ctx.add(more)
    eras[-1].append(more)
    broken += [f"{expected.session}: {text}" for text in illegal(ctx.prepare())]
    if last:
        tidy(store, days=0)
        ctx.compact()
        before = state(ctx)
        ctx.close()
        ctx = ContextManager.open(store, expected.session)
        broken += [f"{expected.session}: another state after close()"] if state(ctx) != before else []
        broken += [f"{expected.session}: receipts are gone"] if receipts(ctx) != before["receipts"] else []
        broken += _failures(ctx, store, expected.session, eras)
    told = state(ctx)
    ctx.close()
    return {"broken": broken, "eras": eras, "appended": appended, "last": told}


def _eras(store: Store, session: str) -> list[list[dict[str, Any]]]:
    """The messages of each finished session of a name, then of the live one."""
    if isinstance(store, FileStore):
        place = store.folder / "archive"
        names = [session, *(f"{session}~{number}" for number in range(2, 1_000))]
        finished = [place / name / "log.jsonl" for name in names if (place / name).is_dir()]
        old = [added(read_lines(path)) for path in finished]
    else:
        assert isinstance(store, PostgresStore)
        rows = store._link.query(  # noqa: SLF001 - lines of finished sessions are nobody's business but a judge's
            "SELECT one.id, line FROM {schema}.lines JOIN {schema}.sessions one ON session = one.id "
            "WHERE name = %s AND archived IS NOT NULL ORDER BY archived, one.id, at, part",
            session,
        )
        by_id = groupby(rows, key=lambda row: row[0])
        old = [added(json.loads(line) for _, line in group) for _, group in by_id]
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


def _journal(ctx: ContextManager, store: Store, expected: Expected) -> tuple[dict[str, list[str]], list[str]]:
    """Every acknowledged record once, in order, by writer; no id twice; what was tidied away is in the archive."""
    broken: list[str] = []
    records = ctx.memory.records()
    twice = [name for name, times in Counter(record.id for record in records).items() if times > 1]
    broken += [f"{expected.session}: journal records twice: {twice[:3]}"] if twice else []
    found: dict[str, list[str]] = {}
    for record in records:
        ours = record.session.split(".")[0] == expected.session and record.result.startswith(f"{expected.session}-")
        if ours and record.id.startswith("r") and record.action in ACTIONS:
            found.setdefault(f"{record.session}|{record.agent}", []).append(record.result)
    away = {str(line.get("result")) for line in archived(store)}
    flight = expected.flight
    for name in {*found, *expected.appended}:
        want, have = expected.appended.get(name, []), found.get(name, [])
        lost = [text for text in want if text not in have and text not in away]
        mine = (
            [fields["result"] for which, fields in flight.records if writer(expected.session, which) == name]
            if flight
            else []
        )
        known = [*want, *mine]
        stays = [text for text in known if text in set(have)]
        if lost or have != stays:
            broken.append(
                f"{name}: {len(want)} records acknowledged, {len(have)} there, {len(lost)} lost, or not in order"
            )
        found[name] = [text for text in known if text in have or text in away]
    return found, broken


def archived(store: Store) -> list[dict[str, Any]]:
    """Journal lines that were tidied away."""
    if isinstance(store, FileStore):
        return list(read_lines(store.folder / "archive" / "memory.jsonl"))
    assert isinstance(store, PostgresStore)
    rows = store._link.query("SELECT line FROM {schema}.archive WHERE session = ''")  # noqa: SLF001
    return [json.loads(line) for (line,) in rows]


def _remembered(kind: str, where: str, store: Store, expected: Expected) -> list[str]:
    """What was forgotten and is there all the same."""
    data = json.dumps([*store.read(""), *archived(store)], ensure_ascii=False).encode()
    if kind == "files":
        data += b"".join(path.read_bytes() for path in Path(where).rglob("*") if path.is_file())
    return [f"{expected.session}: not forgotten: {text}" for text in expected.forgotten if text.encode() in data]


def _failures(ctx: ContextManager, store: Store, session: str, eras: Sequence[Sequence[dict[str, Any]]]) -> list[str]:
    """What the session's own journal says of failures, beside that of one that was never killed."""
    calm = ContextManager(10_000_000)
    calm.add(list(eras[-1]))
    wanted = {record.error for record in calm.memory.records() if record.action == "fail"}
    found = {record.error for record in ctx.memory.records(session)} | {
        str(line.get("error")) for line in archived(store)
    }
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


KNOWN = {
    "memory.jsonl",
    "log.jsonl",
    "lock",
    "checkpoint.md",
    "archive.jsonl",
    "index.sqlite3",
    "index.sqlite3-wal",
    "index.sqlite3-shm",
    ".tidied",
}


def strays(where: str) -> list[str]:
    """Files in a store's directory that are no store's."""
    return [str(path) for path in Path(where).rglob("*") if path.is_file() and path.name not in KNOWN]
