"""Log records as JSON lines and back; unknown keys of other versions are ignored.

    {"k": "add", "n": 12, "m": {...}, "t": 345}     a message, its position and tokens

Every line carries its kind in `k`. The first line of a session is `open`, with the schema's
version in `v`. Lines of an older version are read through `MIGRATIONS`, step by step, and never rewritten: what is
appended from then on follows an `open` line of the version of today.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from context_kit._log import Log
from context_kit._records import (
    Added,
    Amended,
    Compacted,
    Heard,
    Opened,
    Pinned,
    Recalled,
    Record,
    Released,
    Sealed,
    Skipped,
    Ticked,
    UsageReported,
)
from context_kit._steps import Entry
from context_kit.engrams import Elsewhere
from context_kit.errors import InvalidMessageError, StoreError
from context_kit.tokens import cost, counter
from context_kit.types import Compaction, Engram, ProbeCounts, TaskSummary
from context_kit.wire import Reported, read

__all__ = ["MIGRATIONS", "VERSION", "current", "decode", "encode_record"]

report = logging.getLogger("context_kit")
VERSION = 1
Line: TypeAlias = "dict[str, Any]"


def _from_0(line: Line) -> Line:
    """Before versions were written, budgets were the default ones and a message's tokens were not kept."""
    if line.get("k") == "open":
        return {"budget": {}, **line}
    if line.get("k") == "add" and "t" not in line:
        return {**line, "t": sum(cost(message, count=counter()) for message in read(line["m"]).messages)}
    return line


MIGRATIONS: dict[int, Callable[[Line], Line]] = {0: _from_0}
"""By version: what makes a line of it one of the next version."""


def current(lines: Iterable[Mapping[str, Any]], session: str) -> Iterator[Line]:
    """Lines of any older version as those of today, oldest first.

    Raises:
        StoreError: a newer version wrote them.
    """
    version = VERSION
    for given in lines:
        line = dict(given)
        if line.get("k") == "open":
            told = line.get("v", 0)
            version = told if isinstance(told, int) else VERSION
        if version > VERSION:
            newer = f"written by a newer version (schema {version}, this one reads {VERSION})"
            msg = f"session {session!r}: {newer}: upgrade context-kit"
            raise StoreError(msg)
        try:
            for step in range(version, VERSION):
                line = MIGRATIONS[step](line)
        except (KeyError, TypeError, ValueError, InvalidMessageError) as error:
            report.warning("session %s: a record of schema %d can't be read (%s)", session, version, error)
            continue
        yield line


@cache
def _receipts() -> TypeAdapter[Compaction]:
    return TypeAdapter(Compaction)


def encode_record(record: Record) -> dict[str, Any]:
    """A record as one JSON object."""
    match record:
        case Opened():
            return {"k": "open", "v": VERSION, **asdict(record)}
        case Added(entry=entry):
            line: dict[str, Any] = {"k": "add", "n": entry.position, "m": entry.message.raw, "t": entry.cost}
            line |= {"f": entry.message.shape} if entry.message.shape else {}
            return line | ({"s": 1} if entry.message.starts else {}) | ({"i": 1} if entry.injected else {})
        case UsageReported(usage=usage, cost=cost):
            return {"k": "usage", "cost": cost, **asdict(usage)}
        case Pinned(engram=engram):
            return {"k": "pin", "engram": asdict(engram)}
        case Released(id=name):
            return {"k": "release", "id": name}
        case Recalled() | Heard() | Ticked() | Sealed() | Amended():
            return _noted(record)
        case Skipped(receipt=receipt):
            return {"k": "skip", "receipt": _receipts().dump_python(receipt, mode="json")}
        case Compacted():
            return _compacted(record)


def _noted(record: Recalled | Heard | Ticked | Sealed | Amended) -> dict[str, Any]:
    """What was only looked at, or handed out, or noted later."""
    match record:
        case Recalled(addresses=addresses, call=call):
            return {"k": "recall", "of": list(addresses)} | ({"c": call} if call else {})
        case Heard():
            return {"k": "heard", **asdict(record)}
        case Ticked():
            return {"k": "tick", **asdict(record)}
        case Sealed(position=position):
            return {"k": "seal", "n": position}
        case Amended():
            return {"k": "amend", **asdict(record)}


def _compacted(record: Compacted) -> dict[str, Any]:
    return {
        "k": "compact",
        "receipt": _receipts().dump_python(record.receipt, mode="json"),
        "bridge": record.bridge,
        "cut": record.cut,
        "replaced": {str(position): raw for position, raw in record.replaced.items()},
        "cost": record.cost,
        "costs": {str(position): size for position, size in record.costs.items()},
        "upto": record.upto,
        "said": record.said.model_dump() if record.said else None,
        "names": dict(record.names),
        "journal": record.journal,
    }


def decode(lines: Iterable[Mapping[str, Any]], session: str, opened: Opened | None = None) -> Log:
    """The log that these lines tell; a record that can't stand is set aside and reported.

    Args:
        lines: the session's lines, oldest first.
        session: its name, for what is said of it.
        opened: stands for the first record where that one is damaged.

    Raises:
        StoreError: the session's first line is missing, or written by a newer version.
    """
    log: Log | None = None
    for number, line in enumerate(current(lines, session), 1):
        try:
            record = _record(line)
            if record is None or (log is not None and _stands(record, log)):
                continue
            if log is None:
                log, record = _begun(record, session, opened)
            if record is not None:
                log.append(record)
        except (KeyError, TypeError, ValueError, ValidationError, InvalidMessageError) as error:
            report.warning("session %s: record %d can't stand and was set aside (%s)", session, number, error)
    if log is None:
        msg = f"session {session!r} has no records: start it with a window"
        raise StoreError(msg)
    return log


def _begun(record: Record, session: str, opened: Opened | None) -> tuple[Log, Record | None]:
    if isinstance(record, Opened):
        return Log(record), None
    if opened is None:
        msg = f"session {session!r}: its first record is damaged: give window or model to open what is left"
        raise StoreError(msg)
    return Log(opened), record


def _stands(record: Record, log: Log) -> bool:
    """Whether a message stands in the log already: a line that was written twice."""
    return isinstance(record, Added) and record.entry.position <= log.newest


def _record(line: Mapping[str, Any]) -> Record | None:
    kind = line.get("k")
    if kind == "add":
        message = read(line["m"]).messages[0]
        message = replace(message, starts=bool(line.get("s")), shape=line.get("f", message.shape))
        return Added(entry=Entry(line["n"], message, line["t"], injected=bool(line.get("i"))))
    if kind == "open":
        opened: Opened = _known(Opened, line)
        return opened
    if kind == "usage":
        usage = Reported(
            input_tokens=line["input_tokens"], output_tokens=line.get("output_tokens"), model=line.get("model")
        )
        return UsageReported(usage=usage, cost=line["cost"])
    if kind == "pin":
        return Pinned(engram=_known(Engram, line["engram"]))
    if kind == "release":
        return Released(id=line["id"])
    if isinstance(kind, str) and kind in NOTES:
        return NOTES[kind](line)
    if kind == "skip":
        return Skipped(receipt=_receipts().validate_python(line["receipt"]))
    return _read_compacted(line) if kind == "compact" else None


def _heard(line: Mapping[str, Any]) -> Heard:
    changes = tuple(_known(Elsewhere, each) for each in line.get("changes", ()))
    return Heard(upto=line["upto"], changes=changes, records=tuple(map(str, line.get("records", ()))))


def _ticked(line: Mapping[str, Any]) -> Ticked:
    told: Ticked = _known(Ticked, line)
    return replace(told, answered=tuple(told.answered))


def _amended(line: Mapping[str, Any]) -> Amended:
    told: Amended = _known(Amended, line)
    probed = _known(ProbeCounts, line.get("probed", {}))
    return replace(told, failures=tuple(told.failures), repaired=tuple(told.repaired), probed=probed)


NOTES: Mapping[str, Callable[[Mapping[str, Any]], Record]] = {
    "recall": lambda line: Recalled(addresses=tuple(map(str, line["of"])), call=str(line.get("c", ""))),
    "heard": _heard,
    "tick": _ticked,
    "seal": lambda line: Sealed(position=line["n"]),
    "amend": _amended,
}
"""How records are read of what was only looked at, told, handed out, or noted later."""


def _known(kind: type[Any], line: Mapping[str, Any]) -> Any:
    return kind(**{key: value for key, value in line.items() if key in kind.__dataclass_fields__})


def _read_compacted(line: Mapping[str, Any]) -> Compacted:
    said = line.get("said")
    return Compacted(
        receipt=_receipts().validate_python(line["receipt"]),
        bridge=line["bridge"],
        cut=line["cut"],
        replaced={int(position): raw for position, raw in line.get("replaced", {}).items()},
        cost=line["cost"],
        costs={int(position): size for position, size in line.get("costs", {}).items()},
        upto=line["upto"],
        said=TaskSummary.model_validate(said) if said else None,
        names=line.get("names", {}),
        journal=line.get("journal", 0),
    )
