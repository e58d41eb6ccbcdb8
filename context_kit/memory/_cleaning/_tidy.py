"""The journal kept small by rules: what was decided stays, what was done long ago becomes a line per file and day.

    edit, run, fail, older than N days    one line per file and day: how many, and the last result
    contract, declared again later        the newer one stays
    a fact that is told again             the newest of them stays
    all else                              stays, however old: decisions, constraints, pitfalls, notes

Every line that goes is in the archive and has its id. The rules read each line once and keep a few numbers of it;
they name lines by position, so whoever appends meanwhile is not disturbed. A second run finds nothing to do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from hashlib import blake2b
from typing import Any, NamedTuple

from context_kit.errors import BudgetError, StoreError
from context_kit.memory._files._store import JOURNAL
from context_kit.typing import IndexedStore, Store

__all__ = ["DAYS", "FOLDED", "MARK", "Plan", "Tidied", "marked", "plan", "tidy"]

DAYS = 30
"""Days for which steps stay as they are."""
STEPS = ("edit", "run", "fail")
FOLDED = "steps"
"""Action of a line that stands for several steps."""
MARK = "tidied"
"""Action of a line that says which records of a live session went, so that it counts them and writes none again."""
LONGEST = 100_000
"""Days that a time can be reckoned back."""
SAYS = ("file", "cmd", "name", "reason", "result", "error")
TOLD = 400
"""Characters of a folded line's commands and last result."""
NAMED = 6
"""So many commands of a day are named."""
WORDS = {"edit": ("edit", "edits"), "run": ("run", "runs"), "fail": ("failure", "failures")}

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """What tidying did, or with `dry_run` would do."""

    records: int
    """Journal records that were read."""
    folded: int
    """Steps that were folded ..."""
    into: int
    """... into so many lines."""
    superseded: int
    """Contracts that were declared again later."""
    repeated: int
    """Facts that were told again later."""

    @property
    def gone(self) -> int:
        """Records that moved to the archive."""
        return self.folded + self.superseded + self.repeated


class _Place(NamedTuple):
    """A line that is there."""

    at: int
    name: str
    """Its id; where it has none, all that it says."""
    session: str


@dataclass(slots=True)
class _Group:
    """The steps of one file and day."""

    counts: Counter[str] = field(default_factory=Counter[str])
    cmds: Counter[str] = field(default_factory=Counter[str])
    sessions: dict[str, None] = field(default_factory=dict[str, None])
    members: list[_Place] = field(default_factory=list[_Place])
    steps: int = 0
    """How many of the lines are steps, not folded before."""
    last: Line = field(default_factory=dict[str, Any])

    def take(self, line: Line) -> None:
        """One step more, or those that an earlier run has folded."""
        action = line["action"]
        told = line.get("counts") if action == FOLDED else {action: 1}
        self.counts.update(told if isinstance(told, Mapping) else {})
        self.cmds.update(line.get("cmds") or ([line["cmd"]] if line.get("cmd") else []))
        self.sessions.update(dict.fromkeys(line.get("sessions") or [line.get("session") or ""]))
        self.members.append(_place(line))
        self.steps += action != FOLDED
        if str(line.get("ts", "")) >= str(self.last.get("ts", "")):
            self.last = line

    def line(self, file: str, day: str) -> dict[str, Any]:
        """The line that stands for all of them."""
        last = self.last
        counted = [f"{n} {WORDS[kind][n != 1]}" for kind in STEPS if (n := self.counts[kind])]
        among = f" in {len(self.sessions)} sessions" if len(self.sessions) > 1 else ""
        named = [f"`{cmd}`" + (f" {n}×" if n > 1 else "") for cmd, n in self.cmds.most_common(NAMED)]
        rest = f" and {len(self.cmds) - NAMED} more" if len(self.cmds) > NAMED else ""
        ran = f": {', '.join(named)}{rest}" if named else ""
        what = "\0".join((day, file, *(place.name for place in self.members)))
        made = {
            "id": f"r{_digest(what)}",
            "ts": last.get("ts", day),
            "session": last.get("session", ""),
            "action": FOLDED,
            "file": file,
            "reason": f"{day}: {', '.join(counted)}{among}{ran}"[:TOLD],
            "result": str(last.get("result") or "")[:TOLD],
            "error": str(last.get("error") or "")[:TOLD],
            "counts": dict(self.counts),
            "sessions": list(self.sessions),
            "cmds": dict(self.cmds.most_common(NAMED * 4)),
        }
        return {key: value for key, value in made.items() if value}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to become of which line."""

    gone: Mapping[str, frozenset[int]]
    """The lines that leave the journal: what each is known by, and where it stands."""
    made: Mapping[tuple[str, int], Sequence[Line]]
    """What stands in the place of a line; nothing where none is named."""
    tidied: Tidied

    def change(self, line: dict[str, Any]) -> Iterable[Line]:
        """A line as `IndexedStore.rewrite` asks for it: with its position, or without."""
        name = _name(line)
        places = self.gone.get(name, frozenset())
        at = line.get("at", max(places, default=0))
        return self.made.get((name, at), ()) if at in places else (line,)


def plan(lines: Iterable[Line], *, now: datetime, days: float = DAYS, live: Iterable[str] = ()) -> Plan:
    """The rules, over all records of a journal.

    Args:
        lines: the records, oldest first, each with its position under `at`.
        now: the moment that ages are counted from.
        days: steps younger than this stay.
        live: sessions that may be opened again.

    Raises:
        BudgetError: `days` is no number, or below 0.
    """
    given: object = days
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given < LONGEST:
        msg = f"days: {days!r} is no number of days: give 0 or more"
        raise BudgetError(msg)
    reading = _Reading(before=now - timedelta(days=days), live=frozenset(live))
    for line in lines:
        reading.take(line)
    return reading.plan()


@dataclass(slots=True)
class _Reading:
    """What is kept of the lines while they are read."""

    before: datetime
    live: frozenset[str]
    count: int = 0
    groups: dict[tuple[str, str], _Group] = field(default_factory=dict[tuple[str, str], _Group])
    facts: dict[tuple[str, ...], _Place] = field(default_factory=dict[tuple[str, ...], _Place])
    marks: dict[str, Line] = field(default_factory=dict[str, Line])
    older: Counter[str] = field(default_factory=Counter[str])
    gone: list[_Place] = field(default_factory=list[_Place])

    def take(self, line: Line) -> None:
        """One line more."""
        self.count += 1
        action = str(line.get("action") or "")
        if action == MARK:
            self.marks[str(line.get("session") or "")] = line
        elif action not in (*STEPS, FOLDED):
            self._fact(line, action)
        elif (day := _day(line, self.before)) is not None:
            self.groups.setdefault((str(line.get("file") or ""), day), _Group()).take(line)

    def _fact(self, line: Line, action: str) -> None:
        """The newest of what says the same thing stays."""
        declared = action == "contract" and bool(line.get("name"))
        says = ("file", "name") if declared else SAYS
        key = (action, *(_text(line.get(name)) for name in says))
        older = self.facts.get(key)
        self.facts[key] = _place(line)
        if older is not None:
            self.gone.append(older)
            self.older["superseded" if declared else "repeated"] += 1

    def plan(self) -> Plan:
        """What is to become of which line."""
        folding = {key: group for key, group in self.groups.items() if group.steps and len(group.members) > 1}
        made: dict[_Place, list[Line]] = {group.members[-1]: [group.line(*key)] for key, group in folding.items()}
        gone = [*self.gone, *(place for group in folding.values() for place in group.members)]
        gone += self._marked(gone, made)
        tidied = Tidied(
            records=self.count - len(self.marks),
            folded=sum(group.steps for group in folding.values()),
            into=len(folding),
            superseded=self.older["superseded"],
            repeated=self.older["repeated"],
        )
        by_name: dict[str, set[int]] = {}
        for place in gone:
            by_name.setdefault(place.name, set()).add(place.at)
        stands = {(place.name, place.at): lines for place, lines in made.items()}
        return Plan({name: frozenset(places) for name, places in by_name.items()}, stands, tidied)

    def _marked(self, gone: Sequence[_Place], made: dict[_Place, list[Line]]) -> list[_Place]:
        """Say in the journal which records of a live session went, and where they stood; the marks that go."""
        left: dict[str, list[_Place]] = {}
        for place in sorted(gone):
            if place.session in self.live:
                left.setdefault(place.session, []).append(place)
        for session, places in left.items():
            of = [*self.marks.get(session, {}).get("of", ()), *([place.name, place.at] for place in places)]
            told = f"{len(of)} records of this session were folded"
            mark = {"id": f"t{_digest(session)}", "session": session, "action": MARK, "reason": told, "of": of}
            made.setdefault(max(places), []).insert(0, mark)
        return [_place(mark) for session, mark in self.marks.items() if session in left or session not in self.live]


def marked(line: Line, since: int) -> list[str]:
    """Ids of the records that a mark says went, of those that stood after a position."""
    told = line.get("of")
    pairs = [pair for pair in told if isinstance(pair, list) and len(pair) == 2] if isinstance(told, list) else []
    return [str(name) for name, at in pairs if isinstance(at, int) and at > since]


def _place(line: Line) -> _Place:
    return _Place(line["at"], _name(line), _text(line.get("session")))


def _name(line: Line) -> str:
    rest = {key: value for key, value in line.items() if key != "at"}
    return _text(line.get("id")) or json.dumps(rest, sort_keys=True, default=str)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _day(line: Line, before: datetime) -> str | None:
    """The day of a step that is old enough; None where it isn't, or where nobody can tell."""
    try:
        moment = datetime.fromisoformat(str(line.get("ts", "")).replace("Z", "+00:00"))
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc).date().isoformat() if moment < before else None


def tidy(store: Store, *, days: float = DAYS, dry_run: bool = False, now: datetime | None = None) -> Tidied:
    """Condense a store's journal by the rules; what leaves it moves to the archive. Safe beside other writers.

    Args:
        store: one that has an index: a `FileStore`, a `PostgresStore`.
        days: steps younger than this stay as they are.
        dry_run: change nothing, only tell what would be done.
        now: the moment that ages are counted from; by default this one.

    Raises:
        BudgetError: `days` is no number, or below 0.
        StoreError: the store can't rewrite its journal, or can't be read or written.
    """
    if not isinstance(store, IndexedStore):
        msg = f"store: {type(store).__name__} can't rewrite its journal: give it the methods of IndexedStore"
        raise StoreError(msg)
    moment = now or datetime.now(timezone.utc)
    made = plan(store.records(), now=moment, days=days, live=store.sessions())
    if made.gone and not dry_run:
        store.rewrite(JOURNAL, made.change, archive=True)
    return made.tidied
