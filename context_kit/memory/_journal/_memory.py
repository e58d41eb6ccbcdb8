"""The journal: one record per atomic step, durable when `append` returns, read back by force.

Dedup (first article, 5.2): a record whose action and file equal the last one's of the same
session and agent within 60 s is skipped, unless it brings news. A record about no file says what it
is about in its reason, so there another reason is news, too.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timezone
from typing import Any

from context_kit.errors import BudgetError
from context_kit.memory._begin import exists
from context_kit.memory._cleaning._tidy import FOLDED, MARK, marked
from context_kit.memory._files._store import JOURNAL
from context_kit.memory._index._rank import best, found, wanted
from context_kit.memory._journal._care import Care, as_record
from context_kit.types import Record
from context_kit.typing import IndexedStore, Redact, Store

__all__ = ["Memory", "record_line", "record_text"]

STEPS = ("edit", "run", "fail")
"""Actions whose record is what was done, whatever the reason; of all others the words are the record."""
ENDS = (".", "!", "?", "…", "。", "！", "？")
"""How a sentence ends."""
SHOWN = 160
"""Characters of one field in a record's line."""
LONGEST_NAME = 128
"""Characters of a session's name (`SESSION_NAME`)."""
NEAR = 60.0
"""Seconds within which an equal record is a repetition."""
NEARBY = 1_000_000
"""Positions before the newest one among which a repetition is looked for."""


class Memory(Care):
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
        self._asked = store is None
        """Whether the newest record was looked for that is this agent's own."""
        self._forks = 0
        self._seen = self._newest()
        self._looked = _now()

    def fork(self) -> Memory:
        """The same records, written by another agent of this session, in a session of its own."""
        with self._lock:
            store = self._store
            while (
                (name := f"fork{self._forks + 1}") and store is not None and exists(store, _child(self.session, name))
            ):
                self._forks += 1
            self._forks += 1
        session, agent = _child(self.session, name), f"{self.agent}.{name}".lstrip(".")
        made = Memory(session=session, agent=agent, store=self._store, redact=self._redact)
        made._lock, made._kept, made._seen = self._lock, self._kept, self._newest()
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
            if near and (last := self._before()) is not None and _repeats(last, made, near):
                return last
            if self._store is not None:
                self._store.append(JOURNAL, [_line(made)], sync=True)
            else:
                self._kept.append(made)
            self._last, self._asked = made, True
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
            self._last, self._asked = made[-1], True

    def _made(self, id: str, fields: Mapping[str, str]) -> Record:  # noqa: A002 - the record's own name
        return Record(
            id=id,
            ts=_now(),
            session=self.session,
            agent=self.agent,
            **{name: self._redact(value) if value else "" for name, value in fields.items()},
        )

    def _before(self) -> Record | None:
        """The newest record of this session and agent, among the newest ones of all."""
        if not self._asked:
            after = max(0, self._seen - NEARBY)
            mine = [record for record, _ in self._after(after, self.session) if record.agent == self.agent]
            self._last, self._asked = mine[-1] if mine else None, True
        return self._last

    def records(self, session: str | None = None) -> tuple[Record, ...]:
        """The records of one session, or of the whole store, oldest first."""
        self.before()
        return tuple(record for record, _ in self._after(0, session))

    def mine(self, *, earlier: int = 0, since: int = 0) -> tuple[Record, ...]:
        """The records of this session that were written since it began, by whichever agent.

        Args:
            earlier: so many are of an older session of its name.
            since: position in the journal when it began, where the store has one.

        Those that were folded since come first, as ids without words: what was counted stays counted.
        """
        if self._indexed is None:
            return tuple(record for record, _ in self._after(since, self.session))[earlier:]
        since = since if since <= self._newest() else 0  # a journal that somebody cut begins anew
        lines = list(self._indexed.records(self.session, after=since))
        gone = [name for line in lines if line.get("action") == MARK for name in marked(line, since)]
        here = [as_record(line) for line in lines if line.get("action") not in (MARK, FOLDED)]
        return (*(Record(id=name, ts="") for name in gone), *here)

    def own(self, after: int) -> list[tuple[Record, int]]:
        """The records of this session's name after a position, each with its own; oldest first."""
        return self._after(after, self.session)

    def changes(self) -> tuple[Record, ...]:
        """What other sessions and agents wrote since this object's last look, or since it was opened.

        With a store that has an index this costs a look at the journal's size where nothing was written.
        """
        with self._lock:
            newest = self._newest() if self._indexed is not None else -1
            looked, self._looked = self._looked, _now()
            if newest == self._seen:
                return ()
            cut = 0 <= newest < self._seen
            found = self._after(0 if cut else self._seen)
            self._seen = max((at for _, at in found), default=newest if cut else self._seen)
        new = (record for record, _ in found if not cut or record.ts > looked)
        return tuple(record for record in new if (record.session, record.agent) != (self.session, self.agent))

    def related(
        self, words: str, *, files: Sequence[str] = (), actions: Collection[str] = (), limit: int = 20
    ) -> tuple[tuple[Record, float], ...]:
        """The records of *other* sessions about these words or files, best first, each with its score.

        With a store that has an index this takes a bounded time, however long the journal is.

        Args:
            words: any text; a record need not hold all of its words.
            files: paths; a record about one of them, or one of the same name, ranks higher.
            actions: only records of these actions; empty for all.
            limit: at most so many.
        """
        if self._indexed is not None:
            found = self._indexed.related(words, files=files, without=self.session, actions=actions, limit=limit)
        else:
            others = (_line(record) for record, _ in self._after(0) if record.session != self.session)
            kept = (line for line in others if not actions or line.get("action") in actions)
            found = best(kept, wanted(words, files), limit=limit)
        return tuple((as_record(line), float(line.get("score", 0.0))) for line in found)

    def search(self, query: str, *, limit: int = 20) -> tuple[Record, ...]:
        """The records that hold all words of a query, best first; then those that hold some of them.

        Newer records first where they tie. With an index it is finished first: all records are searched.

        Raises:
            BudgetError: the query is no text.
        """
        given: object = query
        if not isinstance(given, str):
            msg = f"query: {query!r} is no text: give words"
            raise BudgetError(msg)
        self.before()
        if self._store is not None:
            return tuple(as_record(line) for line in self._store.search(query, limit=limit))
        return tuple(as_record(line) for line in found(map(_line, self._kept), query, limit=limit))

    @property
    def _indexed(self) -> IndexedStore | None:
        return self._store if isinstance(self._store, IndexedStore) else None

    def _newest(self) -> int:
        """Position of the newest record."""
        if self._indexed is not None:
            return self._indexed.newest()
        return len(self._kept) if self._store is None else sum(1 for _ in self._store.read(JOURNAL))

    def _after(self, after: int, session: str | None = None) -> list[tuple[Record, int]]:
        """The records after a position, of a session or of all, each with its own."""
        if self._indexed is not None:
            lines = self._indexed.records(session, after=after)
            return [(as_record(line), int(line["at"])) for line in lines if line.get("action") != MARK]
        kept = self._kept if self._store is None else [as_record(line) for line in self._store.read(JOURNAL)]
        rest = enumerate(kept[after:], after + 1)
        return [(record, at) for at, record in rest if session is None or record.session == session]


def _child(session: str, name: str) -> str:
    """A session's name of its own, within the length that names may have."""
    return f"{session[: LONGEST_NAME - len(name) - 1]}.{name}"


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def _nothing() -> None:
    """Before a session is at work there is nothing to write."""


def _line(record: Record) -> dict[str, Any]:
    return {key: value for key, value in asdict(record).items() if value != ""}


def _repeats(last: Record, new: Record, near: float) -> bool:
    reason = last.reason if new.file and new.action in STEPS else new.reason
    same = replace(new, id=last.id, ts=last.ts, reason=reason) == last
    return same and _seconds(last.ts, new.ts) <= near


def _seconds(before: str, after: str) -> float:
    try:
        return (datetime.fromisoformat(after) - datetime.fromisoformat(before)).total_seconds()
    except (ValueError, TypeError):
        return NEAR + 1


def record_line(record: Record) -> str:
    """A record in one line, as the bridge shows it: without its time, so that equal sessions give equal bytes."""
    return record_text(record, _short)


def record_text(record: Record, shown: Callable[[str], str] = str) -> str:
    """A record as text, every field whole unless it is to be shown shorter."""
    what = " ".join(part for part in (record.action, record.file, f"`{record.cmd}`" if record.cmd else "") if part)
    told = _joined([shown(part) for part in (record.reason, record.result, record.error) if part])
    return f"{shown(what)}: {told}" if told else shown(what)


def _joined(parts: Sequence[str]) -> str:
    """Parts with a semicolon between them; one that ends as a sentence does needs none."""
    return "".join(
        f"{part}{'' if at == len(parts) else ' ' if part.endswith(ENDS) else '; '}" for at, part in enumerate(parts, 1)
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
