"""A piece removed everywhere: logs, archive, journal, index, receipts, bridges, checkpoints; a tombstone stays.

The tombstone says when, and that something was forgotten; never what. Sessions that would change are held
meanwhile: one that is at work elsewhere still has the piece in its window, so it has to be closed first. The
session that the piece is of comes last, so that an interrupted run is simply begun again.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

from context_kit._log import Log
from context_kit.engrams import Trail
from context_kit.errors import BudgetError, StoreError
from context_kit.memory._cleaning._beside import folders_beside, scrubbed_beside
from context_kit.memory._cleaning._forgotten import NOTED, Aim, Change, changed, record_change
from context_kit.memory._cleaning._scrub import Scrub, weight
from context_kit.memory._cleaning._tombs import said
from context_kit.memory._codec import decode
from context_kit.memory._files._lines import write_whole
from context_kit.memory._files._store import JOURNAL, FileStore
from context_kit.memory._recall._recall import ADDRESS, file_text
from context_kit.summary import archived
from context_kit.typing import Archives, IndexedStore, Store

__all__ = ["Forgotten", "forget"]

SHORTEST = 4
"""Weight of a text that may be forgotten by itself; a shorter one stands in every second line."""
OF_RECORDS = "ra"
"""How the ids of journal records begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten."""

    pieces: int
    """Messages, engrams and records that are tombstones now."""
    lines: int
    """Lines of logs and of the journal that changed, those included."""
    sessions: tuple[str, ...]
    """Sessions whose logs changed."""
    lost: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What each of them lost: addresses of the messages, pins and compactions that changed, its goal by that name."""
    files: int = 0
    """Files of ticks and hooks that changed."""


def forget(
    store: Store,
    address: str = "",
    *,
    session: str | None = None,
    matching: str | None = None,
    now: datetime | None = None,
    harness: Iterable[str | os.PathLike[str]] = (),
) -> Forgotten:
    """Remove a piece from a store for good.

    Args:
        store: one that can rewrite its lines: a `FileStore`, a `PostgresStore`.
        address: of a message (`m12`), a file's content (`f:PATH@12`), all that a compaction took out (`c3`), an
            engram or pin (`e4`, `p1`), a journal record (`r…`, `a…`). What quotes it loses the quote.
        session: whose address it is; not needed for records, or where the store has one session.
        matching: instead of an address, a text that is cut out wherever it stands.
        now: the moment that the tombstone tells.
        harness: folders of ticks and hooks to look into, besides `.harness` in the store and beside it and those that
            its sessions name.

    Raises:
        BudgetError: neither an address nor a text, or both; a text that is too short; no address.
        StoreError: there is no such session or piece; a session that has it is at work; the store can't do it; a folder
            of `harness` doesn't exist.
    """
    if not isinstance(store, IndexedStore):
        msg = f"store: {type(store).__name__} can't rewrite its lines: give it the methods of IndexedStore"
        raise StoreError(msg)
    moment = (now or datetime.now(timezone.utc)).strftime("%Y-%m-%dT%H:%M:%SZ")
    stone = f"[forgotten {moment}: removed from the store on request]"
    if matching is not None:
        aim, owner = _matching(matching, address, stone), None
    else:
        aim, owner = _aimed(store, address, session, stone)
    return _carried_out(store, aim, owner, stone, harness)


def _matching(text: str, address: str, stone: str) -> Aim:
    given: object = text
    if address or not isinstance(given, str) or weight(given.strip()) < SHORTEST:
        msg = f"matching: {text!r}: give a text of at least {SHORTEST} letters, and no address beside it"
        raise BudgetError(msg)
    return Aim(scrub=Scrub([text.strip()], literal=True), stone=stone)


def _aimed(store: IndexedStore, address: str, session: str | None, stone: str) -> tuple[Aim, str | None]:
    """What an address means, and whose it is."""
    given: object = address
    if not isinstance(given, str) or not ADDRESS.fullmatch(given):
        some = "such as m12, f:PATH@12, c3, e4 or a record's id, or matching=..."
        msg = f"address: {address!r} is no address: give one {some}"
        raise BudgetError(msg)
    if address[0] in OF_RECORDS:
        return _record(store, address, stone), None
    name = session or _only(store)
    lines = _lines(store, name)
    if not lines:
        msg = f"session {name!r} is not in the store: context-kit session list shows what is"
        raise StoreError(msg)
    aim = _piece(decode(lines, name), address, stone)
    if aim is None:
        msg = f"session {name!r} has no {address}: its receipts and recall say what it has"
        raise StoreError(msg)
    return aim, name


def _only(store: IndexedStore) -> str:
    names = _names(store)
    if len(names) != 1:
        some = f" ({', '.join(names[:8])})" if names else ""
        msg = f"session: the store has {len(names)}{some}: say whose address it is"
        raise BudgetError(msg)
    return names[0]


def _record(store: IndexedStore, name: str, stone: str) -> Aim:
    found = [line for line in store.records() if line.get("id") == name]
    old = store.archived(name) if isinstance(store, Archives) and not found else None
    found += [old] if old is not None else []
    if not found:
        msg = f"the journal has no record {name!r}: context-kit memory search finds its id"
        raise StoreError(msg)
    told = ("reason", "result", "error", "was")
    texts = [str(line[key]) for line in found for key in told if line.get(key)]
    return Aim(scrub=Scrub(texts), stone=stone, names=frozenset([name]))


def _piece(log: Log, address: str, stone: str) -> Aim | None:
    """A message, all of a compaction, a file's content, an engram; None where there is none."""
    trail = Trail(semantics={}, redact=str)
    trail.follow(log.entries)
    if address[0] in "mc":
        receipts = {receipt.id: receipt.summarised for receipt in log.receipts}
        wanted = [address] if address[0] == "m" else receipts.get(address, ())
        entries = [entry for each in wanted if (entry := log.entry(int(each[1:]))) is not None]
        messages = {entry.position: entry.message.raw for entry in entries}
        texts = [text for entry in entries for text in (*said(entry.message.raw), archived(entry.message))]
        paths = {deed.done.path for deed in trail.deeds if {deed.position, deed.until} & messages.keys()}
        about = _about(trail, paths - {""})
        return Aim(scrub=Scrub(texts), stone=stone, messages=messages, about=about) if entries else None
    if address.startswith("f:"):
        path = address[2:].rpartition("@")[0] or address[2:]
        text = file_text(address, trail, log.newest)
        return Aim(scrub=Scrub([text]), stone=stone, about=_about(trail, {path})) if text else None
    known = {engram.id: engram for receipt in log.receipts for engram in receipt.engrams} | log.pins
    engram = known.get(address)
    if engram is None:
        return None
    of_file = engram.source.startswith("f:")
    about = _about(trail, {engram.source[2:].rpartition("@")[0]}) if of_file else frozenset[int]()
    texts = [engram.text, *([file_text(engram.source, trail, log.newest)] if of_file else [])]
    return Aim(scrub=Scrub(texts), stone=stone, names=frozenset([address]), about=about)


def _about(trail: Trail, paths: Iterable[str]) -> frozenset[int]:
    """Messages that read or write one of these files."""
    known = set(paths)
    return frozenset(at for deed in trail.deeds if deed.done.path in known for at in (deed.position, deed.until))


def _names(store: IndexedStore) -> list[str]:
    """Live and finished sessions."""
    finished = store.finished() if isinstance(store, Archives) else ()
    return sorted({*store.sessions(), *finished})


def _lines(store: IndexedStore, session: str) -> list[dict[str, Any]]:
    """The lines of a live session, else of the newest finished one of its name."""
    if session in store.sessions():
        return list(store.read(session))
    if session not in _names(store):
        return []
    found: list[dict[str, Any]] = []
    store.rewrite(session, partial(_noted, found), archive=False)
    return found


def _noted(found: list[dict[str, Any]], line: dict[str, Any]) -> Sequence[dict[str, Any]]:
    """Look at a line, and leave it as it is."""
    if "damaged" not in line:
        found.append(line)
    return (line,)


def _carried_out(
    store: IndexedStore, aim: Aim, owner: str | None, stone: str, harness: Iterable[str | os.PathLike[str]]
) -> Forgotten:
    live = set(store.sessions())
    named = list(harness)
    beside: dict[Path, None] = dict.fromkeys(folders_beside(_folder(store), (), named))
    changes: dict[str, Change] = {}
    lost: dict[str, tuple[str, ...]] = {}
    sources: list[str] = []
    for name in _names(store):
        lines = _lines(store, name)
        change = Change(aim, lines, own=name == owner)
        sources.append(change.sources)
        beside.update(dict.fromkeys(folders_beside(None, lines, ())))
        if name == owner or change.touches(lines):
            changes[name] = change
            lost[name] = changed(change, lines)
    order = sorted(changes, key=lambda name: (name == owner, name))
    with ExitStack() as held:
        for name in order:
            if name in live:
                held.enter_context(store.lock(name))
        known = "\n".join(sources)
        files = scrubbed_beside(beside, lambda text: aim.scrub.made(text, known))
        count = store.rewrite(JOURNAL, partial(record_change, aim, known), archive=False)
        for name in order:
            _checkpoints(store, name, changes[name])
            count += store.rewrite(name, changes[name], archive=False)
        if count:
            _note(store, stone)
    pieces = len(aim.messages) + len(aim.names)
    gone = order if count else []
    return Forgotten(
        pieces=pieces, lines=count, sessions=tuple(gone), lost={name: lost[name] for name in gone}, files=files
    )


def _folder(store: IndexedStore) -> Path | None:
    return store.folder if isinstance(store, FileStore) else None


def _checkpoints(store: IndexedStore, session: str, change: Change) -> None:
    """The files that say what was in hand."""
    if not isinstance(store, FileStore):
        return
    for path in store.checkpoints(session):
        _scrubbed(path, change)


def _scrubbed(path: Path, change: Change) -> None:
    text = path.read_text("utf-8", "replace")
    if (left := change.text(text)) != text:
        write_whole(path, left)


def _note(store: IndexedStore, stone: str) -> None:
    """That something was forgotten, and when, for whoever reads the journal."""
    ts = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    line = {"id": f"r{secrets.token_hex(6)}", "ts": ts, "action": NOTED, "reason": stone}
    store.append(JOURNAL, [line], sync=True)
