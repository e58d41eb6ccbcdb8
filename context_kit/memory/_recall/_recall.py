"""Recall: what left the window comes back, word for word by address, by piece for words.

The log is the archive: an address is looked up in it, words in an index over it (`_ranking.py`), with the journal's
records beside. What stands in the window is not brought again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from context_kit._log import Log
from context_kit._steps import Entry
from context_kit.engrams import Trail, sentences
from context_kit.errors import BudgetError
from context_kit.memory._journal._book import OWN
from context_kit.memory._journal._foreign import foreign
from context_kit.memory._journal._memory import Memory, record_text
from context_kit.memory._recall._asked import question
from context_kit.memory._recall._ranking import Found, Index, Text, text_of
from context_kit.tools import Files
from context_kit.types import Recollection, Record, Source
from context_kit.typing import Count

__all__ = ["addresses", "addresses_of", "check_query", "inherited", "recall"]

ADDRESS = re.compile(r"m(\d{1,9})|c\d{1,9}|t\d{1,6}|f:.+|[ep]\d+|[ra][0-9a-f]{12}", re.DOTALL)
WRAPPED = re.compile(r"\s*(?:recall\()?[\[(\"'`]*(.+?)[\])\"'`]*\s*", re.DOTALL)
"""An address as a model may write it: in quotes, in brackets, with the call around it."""
RANGE = re.compile(r"m(\d{1,9})\s*(?:-|–|—|\.\.|to|至|到)\s*m?(\d{1,9})", re.IGNORECASE)
TICK = re.compile(r"(?:tick|轮次|第)[\s#_-]{0,3}(\d{1,6})(?:\s{0,2}(?:轮|个)?(?:tick|轮)?|-summary\.md)", re.IGNORECASE)
"""A tick as it is spoken of, or its file."""
MOST = 50
"""Messages of a range that are given at once."""
OTHERS = 20
"""Records of other sessions that are looked at."""
RANKS = {action: rank for rank, action in enumerate(("decide", "constraint", "pitfall", "contract"))}
"""Which record tells a reason that several have."""
CONTEXT = 700
"""Characters kept on each side of a match."""


def check_query(query: object, *, k: object, max_tokens: object) -> None:
    """Refuse what can't be looked for.

    Raises:
        BudgetError: a query that is no text, or a number below 1.
    """
    if not isinstance(query, str):
        msg = f"query: {query!r} is no text: give words, a path or an address"
        raise BudgetError(msg)
    for name, value in (("k", k), ("max_tokens", max_tokens)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            msg = f"{name}: {value!r} is no whole number above 0"
            raise BudgetError(msg)


def recall(
    query: str,
    *,
    index: Index,
    log: Log,
    trail: Trail,
    memory: Memory,
    session: str,
    k: int,
    max_tokens: int,
    count: Count,
    redact: Callable[[str], str],
    ticks: Mapping[str, str] | None = None,
) -> list[Recollection]:
    """The whole text of an address, or the best pieces for words, together within `max_tokens`.

    `ticks` are the tick files by their addresses.
    """
    pages = {address: Text(address, "tick", text, 0, session) for address, text in (ticks or {}).items()}
    texts = [
        pages.get(address) if address[0] == "t" else _address(address, log, trail, memory, session, redact)
        for address in addresses(query, log.newest)
    ]
    named = [text for text in texts if text is not None]
    if named or ADDRESS.fullmatch(query.strip()):
        return [_made(text, redact(text.text), 1.0, log, count) for text in named]
    index.follow(_gone(log), trail, session, without=log.brought)
    others = [*_clipped(log, session, redact), *_records(query, index, memory, log), *pages.values()]
    best = list(islice(index.best(question(query), others), k))
    out: list[Recollection] = []
    for number, found in enumerate(best):
        room = max_tokens // (len(best) - number)
        piece = _piece(found, query, room, count)
        if piece:
            made = _made(found.text, piece, found.score, log, count)
            out.append(made)
            max_tokens -= made.tokens
    return out


def inherited(address: str, *, position: int, compaction: int) -> bool:
    """Whether an address is of something that is older than a fork.

    Args:
        address: one address.
        position: newest position of the parent's when the fork began.
        compaction: number of the compaction that it began with.
    """
    kind, _, at = address.rpartition("@") if address.startswith("f:") else (address[:1], "", address[1:])
    most = {"m": position, "c": compaction}.get(kind, position if kind.startswith("f:") else 0)
    return at.isdigit() and int(at) <= most


def addresses_of(found: Sequence[Recollection], session: str) -> tuple[str, ...]:
    """The addresses of a session's own messages and files among what was fetched."""
    ours = (each.address for each in found if each.source.session == session)
    return tuple(address for address in ours if address[:1] in ("m", "f"))


def addresses(query: str, newest: int) -> list[str]:
    """The addresses that a query is made of: one, several, or a range of messages; none where it is words."""
    bare = WRAPPED.fullmatch(query)
    text = bare[1] if bare else query
    if found := RANGE.fullmatch(text):
        first, last = int(found[1]), min(int(found[2]), newest)
        return [f"m{position}" for position in range(first, min(last, first + MOST - 1) + 1)]
    if found := TICK.fullmatch(text.strip()):
        return [f"t{found[1]}"]
    pieces = [text] if text.startswith("f:") else re.split(r"[,;，、\s]+", text)
    lowered = [piece if piece.startswith("f:") else piece.lower() for piece in pieces if piece]
    return lowered if lowered and all(ADDRESS.fullmatch(piece) for piece in lowered) else []


def _gone(log: Log) -> Iterator[Entry]:
    """Every message that left the window."""
    here = {entry.position for step in log.steps.all[log.start :] for entry in step.entries}
    for entry in log.entries:
        system = entry.message.role == "system" and log.shape != "anthropic"
        if entry.position not in here and not entry.injected and not system:
            yield entry


def _clipped(log: Log, session: str, redact: Callable[[str], str]) -> Iterator[Text]:
    """Every message that stands shortened in the window."""
    entries = (log.entry(position) for position in (log.last.replaced if log.last else ()))
    for entry in entries:
        if entry is not None and not entry.injected:
            yield text_of(entry, session, redact, without=log.brought)


def _records(query: str, index: Index, memory: Memory, log: Log) -> list[Text]:
    """What the journal has: this session's records, but for those that its log says itself, and others' about it."""
    for record, at in memory.own(index.read_to):
        index.read_to, index.mine = at, index.mine + (at > log.opened.since)
        old = at <= log.opened.since or index.mine <= log.opened.earlier
        if old or not record.id.startswith(OWN):
            index.notes.append(foreign(record) if old else record)
    others = (foreign(record) for record, _ in memory.related(query, limit=OTHERS))
    return [_record(record) for record in reasons_once([*index.notes, *others])]


def reasons_once(records: Sequence[Record]) -> list[Record]:
    """The same records, each reason told by one of them only: by a decision where there is one."""
    told: set[str] = set()
    kept: dict[int, Record] = {}
    for number, record in sorted(enumerate(records), key=lambda each: RANKS.get(each[1].action, len(RANKS))):
        said = frozenset(sentences(record.reason))
        if not said or not said <= told:
            kept[number] = record
        elif record.cmd or record.result or record.error or record.was:
            kept[number] = replace(record, reason="")
        told |= said
    return [kept[number] for number in sorted(kept)]


def _record(record: Record) -> Text:
    about = dict.fromkeys(part for part in (record.file, record.cmd) if part)
    return Text(record.id, "journal", record_text(record), 0, record.session, about=about, kinds={record.action})


def _address(
    address: str, log: Log, trail: Trail, memory: Memory, session: str, redact: Callable[[str], str]
) -> Text | None:
    """The whole text behind an address."""
    if address[0] == "m":
        entry = log.entry(int(address[1:]))
        return text_of(entry, session) if entry else None
    if address[0] == "c":
        return _compaction(address, log, session)
    if address.startswith("f:"):
        path, _, at = address[2:].rpartition("@")
        if not at.isdigit():
            path, at = address[2:], str(log.newest)
        return _file(address, path, int(at), trail, session, redact)
    if address[0] in "ep":
        known = {engram.id: engram for receipt in log.receipts for engram in receipt.engrams} | log.pins
        engram = known.get(address)
        return Text(address, engram.kind, engram.text, 0, session) if engram else None
    record = memory.find(address)
    return _record(record if record.session == session else foreign(record)) if record else None


def _compaction(address: str, log: Log, session: str) -> Text | None:
    receipt = next((receipt for receipt in log.receipts if receipt.id == address), None)
    if receipt is None:
        return None
    found = [log.entry(int(m[1:])) for m in receipt.summarised]
    texts = [text_of(entry, session) for entry in found if entry is not None]
    body = "\n\n".join(f"[{text.address} {text.kind}]\n{text.text}" for text in texts)
    return Text(address, "compaction", body, texts[0].position if texts else 0, session)


def _file(
    address: str, path: str, position: int, trail: Trail, session: str, redact: Callable[[str], str]
) -> Text | None:
    """A file's content as of a position."""
    text = file_content(path, position, trail, redact)
    return None if text is None else Text(address, "file", text, position, session)


def file_text(address: str, trail: Trail, newest: int) -> str:
    """The content that an address such as `f:PATH@12` means; empty where there is none."""
    path, _, at = address[2:].rpartition("@")
    path, at = (path, at) if at.isdigit() else (address[2:], str(newest))
    return file_content(path, int(at), trail, str) or ""


def file_content(path: str, position: int, trail: Trail, redact: Callable[[str], str]) -> str | None:
    """A file's content as of a position, folded anew from what was done until then."""
    files = Files()
    for deed in trail.deeds:
        if deed.until <= position:
            files.fold(deed.done, deed.until, deed.act)
    view = next((view for view in files.views.values() if path in (view.path, redact(view.path))), None)
    if view is None:
        return None
    return view.text if view.text is not None else "\n…\n".join(view.regions)


def _piece(found: Found, query: str, room: int, count: Count) -> str:
    """The text around its best match, within `room` tokens."""
    text = found.text.text
    if len(text) <= room * 12 and count(text) <= room:
        return text
    at = text.lower().find(query.lower().strip())
    at = at if at >= 0 else found.place
    reach = min(CONTEXT, room * 3)
    while reach > 0:
        piece = text[max(at - reach // 2, 0) : at + reach]
        if count(piece) <= room:
            return piece
        reach = reach * 2 // 3
    return ""


def _made(text: Text, piece: str, score: float, log: Log, count: Count) -> Recollection:
    age = log.newest - text.position if text.position else 0
    source = Source(session=text.session, position=text.position, age=age)
    return Recollection(
        text=piece, address=text.address, kind=text.kind, tokens=count(piece), score=score, source=source
    )
