"""Edits that a later check verified, as they are told: the journal's own lines stay as they were written.

An edit is recorded at once where another one comes first, before anybody can know of its verification. A check that
passes later and looks at the file verifies all edits before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from context_kit.tools import failure, looked_at
from context_kit.types import Record

__all__ = ["NOT_VERIFIED", "settled"]

NOT_VERIFIED = "not verified"
"""Result of an edit that nothing has verified when it is recorded."""
FAILED = "failed: "
"""How the result of an edit begins whose verification failed."""
MOST = 20
"""So many different checks, those that came first after an edit, are looked at."""


def settled(records: Sequence[Record]) -> list[Record]:
    """The records, oldest first, each unverified edit with the result of the first check that verified it.

    The check's command stands in the check's own record.
    """
    checks: dict[str, Record] = {}
    told: list[Record] = []
    for record in reversed(records):
        if record.action == "edit" and record.result == NOT_VERIFIED:
            told.append(_verified(record, checks))
            continue
        told.append(record)
        if _passed(record):
            checks.pop(record.cmd, None)
            checks[record.cmd] = record
    return told[::-1]


def _passed(record: Record) -> bool:
    if record.action not in ("edit", "run") or not record.cmd or record.error or record.result.startswith(FAILED):
        return False
    return not failure(record.result, command=record.cmd)


def _verified(edit: Record, checks: dict[str, Record]) -> Record:
    for check in list(reversed(checks.values()))[:MOST]:
        if looked_at(check.cmd, edit.file, told=check.result):
            return replace(edit, result=check.result)
    return edit
