"""The journal: one record per atomic step, durable when `append` returns, read back by force.

Dedup (first article, 5.2): a record whose action and file equal the last one's of the same
session and agent within 60 s is skipped, unless it brings news. A record about no file says what it
is about in its reason, so there another reason is news, too.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import datetime, timezone
from typing import Any

from context_kit.errors import BudgetError
from context_kit.memory._files import JOURNAL
from context_kit.types import Record
from context_kit.typing import Redact, Store

__all__ = ["Memory", "record_line", "record_of"]

SHOWN = 160
"""Characters of one field in a record's line."""
LONGEST_NAME = 128
"""Characters of a session's name (`SESSION_NAME`)."""
NEAR = 60.0
"""Seconds within which an equal record is a repetition."""


class Memory:
    """A session's journal, and that of all sessions of its store."""

    def __init__(self, *, session: str, agent: str, store: Store | None, redact: Redact) -> None:
        self.session = session
        """Name of the session that writes."""
        self.before: Callable[[], None] = _nothing
        """Called before reading, so that what the session did is written first."""
        self.agent = agent
        """Who of the session's agents writes; empty for the session's own."""
        self._store = store
        self._redact = redact
        self._lock = threading.Lock()
        self._kept: list[Record] = []
        """Records without a store; with one, those that this object wrote."""
        self._last: Record | None = None
        self._forks = 0
        if store is not None:
            mine = [record for record in self._read() if record.session == session and record.agent == agent]
            self._last = mine[-1] if mine else None

    def fork(self) -> Memory:
        """The same records, written by another agent of this session, in a session of its own."""
        with self._lock:
            taken = self._store.sessions() if self._store is not None else ()
            while (name := f"fork{self._forks + 1}") and _child(self.session, name) in taken:
                self._forks += 1
            self._forks += 1
        session, agent = _child(self.session, name), f"{self.agent}.{name}".lstrip(".")
        made = Memory(session=session, agent=agent, store=self._store, redact=self._redact)
        made._lock, made._kept = self._lock, self._kept
        return made

    def append(
        self,
        *,
        action: str,
        file: str = "",
        cmd: str = "",
        reason: str = "",
        result: str = "",
        error: str = "",
    ) -> Record:
        """Write one record; it is durable when this returns. The record it equals, if it repeats one.

        Raises:
            BudgetError: `action` is empty or a field is no text.
            StoreError: the store can't be written; nothing was.
        """
        fields = {"action": action, "file": file, "cmd": cmd, "reason": reason, "result": result, "error": error}
        for name, value in fields.items():
            if not isinstance(value, str):
                msg = f"{name}: {value!r} is no text: give a str"
                raise BudgetError(msg)
        if not action:
            msg = "action: is empty: say what was done, such as 'edit', 'run' or 'decide'"
            raise BudgetError(msg)
        return self.write(f"r{secrets.token_hex(6)}", near=NEAR, **fields)

    def write(self, id: str, *, near: float = 0.0, **fields: str) -> Record:  # noqa: A002 - the record's own name
        """Write a record under an id; within `near` seconds the record it equals, if it repeats one."""
        made = self._made(id, fields)
        with self._lock:
            if near and self._last is not None and _repeats(self._last, made, near):
                return self._last
            if self._store is not None:
                self._store.append(JOURNAL, [_line(made)], sync=True)
            else:
                self._kept.append(made)
            self._last = made
        return made

    def write_all(self, found: Mapping[str, Mapping[str, str]]) -> None:
        """Write several records by their ids in one durable act: all of them or none."""
        made = [self._made(name, fields) for name, fields in found.items()]
        if not made:
            return
        with self._lock:
            if self._store is not None:
                self._store.append(JOURNAL, [_line(record) for record in made], sync=True)
            else:
                self._kept += made
            self._last = made[-1]

    def _made(self, id: str, fields: Mapping[str, str]) -> Record:  # noqa: A002 - the record's own name
        return Record(
            id=id,
            ts=datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
            session=self.session,
            agent=self.agent,
            **{name: self._redact(value) if value else "" for name, value in fields.items()},
        )

    def records(self, session: str | None = None) -> tuple[Record, ...]:
        """The records of one session, or of the whole store, oldest first."""
        self.before()
        found = self._read() if self._store is not None else list(self._kept)
        return tuple(record for record in found if session is None or record.session == session)

    def search(self, query: str) -> tuple[Record, ...]:
        """The records that hold all words of a query, newest first.

        Raises:
            BudgetError: the query is no text.
        """
        given: object = query
        if not isinstance(given, str):
            msg = f"query: {query!r} is no text: give words"
            raise BudgetError(msg)
        self.before()
        if self._store is not None:
            return tuple(record_of(line) for line in self._store.search(query))
        words = query.lower().split()
        return tuple(r for r in reversed(self._kept) if all(word in record_line(r).lower() for word in words))

    def _read(self) -> list[Record]:
        return [record_of(line) for line in self._store.read(JOURNAL)] if self._store is not None else []


def _child(session: str, name: str) -> str:
    """A session's name of its own, within the length that names may have."""
    return f"{session[: LONGEST_NAME - len(name) - 1]}.{name}"


def _nothing() -> None:
    """Before a session is at work there is nothing to write."""


def _line(record: Record) -> dict[str, Any]:
    return {key: value for key, value in asdict(record).items() if value != ""}


def record_of(line: Mapping[str, Any]) -> Record:
    """A record from any version's line; what isn't text is shown as text."""
    known = {key: str(line[key]) for key in Record.__dataclass_fields__ if line.get(key) is not None}
    return Record(**{"id": "", "ts": "", **known})


def _repeats(last: Record, new: Record, near: float) -> bool:
    reason = last.reason if new.file else new.reason
    same = replace(new, id=last.id, ts=last.ts, reason=reason) == last
    return same and _seconds(last.ts, new.ts) <= near


def _seconds(before: str, after: str) -> float:
    try:
        return (datetime.fromisoformat(after) - datetime.fromisoformat(before)).total_seconds()
    except (ValueError, TypeError):
        return NEAR + 1


def record_line(record: Record) -> str:
    """A record in one line, as the bridge shows it: without its time, so that equal sessions give equal bytes."""
    what = " ".join(part for part in (record.action, record.file, f"`{record.cmd}`" if record.cmd else "") if part)
    told = "; ".join(_short(part) for part in (record.reason, record.result, record.error) if part)
    return f"{_short(what)}: {told}" if told else _short(what)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
