"""Recall: what left the window comes back, word for word by address, by piece for words.

Without an index of its own: the log is the archive. Words are weighed by how rare they are;
a hit on the whole word counts more than one inside another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from context_kit._log import Log
from context_kit._steps import Entry
from context_kit.engrams import Trail
from context_kit.errors import BudgetError
from context_kit.memory._book import OWN
from context_kit.memory._journal import Memory, record_line
from context_kit.summary import archived
from context_kit.tools import Files
from context_kit.types import Recollection, Source
from context_kit.typing import Count

__all__ = ["addresses", "addresses_of", "check_query", "inherited", "recall", "words"]

ADDRESS = re.compile(r"m(\d{1,9})|c\d{1,9}|t\d{1,6}|f:.+|[ep]\d+|[ra][0-9a-f]{12}", re.DOTALL)
WRAPPED = re.compile(r"\s*(?:recall\()?[\[(\"'`]*(.+?)[\])\"'`]*\s*", re.DOTALL)
"""An address as a model may write it: in quotes, in brackets, with the call around it."""
RANGE = re.compile(r"m(\d{1,9})\s*(?:-|–|—|\.\.|to|至|到)\s*m?(\d{1,9})", re.IGNORECASE)
TICK = re.compile(r"(?:tick|轮次|第)[\s#_-]{0,3}(\d{1,6})(?:\s{0,2}(?:轮|个)?(?:tick|轮)?|-summary\.md)", re.IGNORECASE)
"""A tick as it is spoken of, or its file."""
WORD = re.compile(r"[a-z0-9_]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
INSIDE = 0.25
"""What a hit inside another word counts, beside 1.0 for a whole one."""
MOST = 50
"""Messages of a range that are given at once."""
CONTEXT = 700
"""Characters kept on each side of a match."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that can be recalled."""

    address: str
    kind: str
    text: str
    position: int
    session: str


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
    pages = {address: _Text(address, "tick", text, 0, session) for address, text in (ticks or {}).items()}
    texts = [
        pages.get(address) or _address(address, log, trail, memory, session, redact)
        for address in addresses(query, log.newest)
    ]
    named = [text for text in texts if text is not None]
    if named or ADDRESS.fullmatch(query.strip()):
        return [_made(text, redact(text.text), 1.0, log, count) for text in named]
    terms = words(query)
    ranked = _rank(
        terms, query.lower().strip(), [*_gone(log, session), *_records(memory, session, log), *pages.values()]
    )
    out: list[Recollection] = []
    for number, (score, text) in enumerate(ranked[:k]):
        room = max_tokens // min(k - number, len(ranked[:k]) - number)
        piece = _piece(redact(text.text), terms, query, room, count)
        if piece:
            made = _made(text, piece, score, log, count)
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


def words(query: str) -> list[str]:
    """The terms of a query: words, parts of identifiers and paths, pairs of Han characters."""
    found: list[str] = []
    for word in WORD.findall(query.lower()):
        if word[0].isascii():
            found.append(word)
            found += [part for part in word.split("_") if len(part) > 2 and part != word]
        else:
            found += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
    return list(dict.fromkeys(found))


def _gone(log: Log, session: str) -> Iterator[_Text]:
    """Every message that left the window, or stands clipped in it."""
    clipped = log.last.replaced if log.last else {}
    here = {entry.position for step in log.steps.all[log.start :] for entry in step.entries}
    for entry in log.entries:
        if entry.injected or (entry.message.role == "system" and log.shape != "anthropic"):
            continue
        if entry.position not in here or entry.position in clipped:
            yield _text(entry, session)


def _text(entry: Entry, session: str) -> _Text:
    return _Text(entry.address, entry.message.role, archived(entry.message), entry.position, session)


def _records(memory: Memory, session: str, log: Log) -> Iterator[_Text]:
    """The journal of the whole store, but for what this log says itself."""
    records = memory.records()
    mine = {record.id for record in memory.mine(earlier=log.opened.earlier, since=log.opened.since)}
    for record in records:
        if record.session == session and record.id.startswith(OWN) and record.id in mine:
            continue
        yield _Text(record.id, "journal", record_line(record), 0, record.session or session)


def _address(
    address: str, log: Log, trail: Trail, memory: Memory, session: str, redact: Callable[[str], str]
) -> _Text | None:
    """The whole text behind an address."""
    if address[0] == "m":
        entry = log.entry(int(address[1:]))
        return _text(entry, session) if entry else None
    if address[0] == "c":
        return _compaction(address, log, session)
    if address.startswith("f:"):
        path, _, at = address[2:].rpartition("@")
        if not at.isdigit():
            path, at = address[2:], str(log.newest)
        return _file(address, path, int(at), trail, session, redact)
    if address[0] == "t":
        return None
    if address[0] in "ep":
        known = {engram.id: engram for receipt in log.receipts for engram in receipt.engrams} | log.pins
        engram = known.get(address)
        return _Text(address, engram.kind, engram.text, 0, session) if engram else None
    record = next((record for record in memory.records() if record.id == address), None)
    return _Text(address, "journal", record_line(record), 0, record.session) if record else None


def _compaction(address: str, log: Log, session: str) -> _Text | None:
    receipt = next((receipt for receipt in log.receipts if receipt.id == address), None)
    if receipt is None:
        return None
    found = [log.entry(int(m[1:])) for m in receipt.summarised]
    texts = [_text(entry, session) for entry in found if entry is not None]
    body = "\n\n".join(f"[{text.address} {text.kind}]\n{text.text}" for text in texts)
    return _Text(address, "compaction", body, texts[0].position if texts else 0, session)


def _file(
    address: str, path: str, position: int, trail: Trail, session: str, redact: Callable[[str], str]
) -> _Text | None:
    """A file's content as of a position, folded anew from what was done until then."""
    files = Files()
    for deed in trail.deeds:
        if deed.until <= position:
            files.fold(deed.done, deed.until, deed.act)
    view = next((view for view in files.views.values() if path in (view.path, redact(view.path))), None)
    if view is None:
        return None
    text = view.text if view.text is not None else "\n…\n".join(view.regions)
    return _Text(address, "file", text, position, session)


def _rank(terms: Sequence[str], phrase: str, texts: Sequence[_Text]) -> list[tuple[float, _Text]]:
    """Texts that hold a term, best first; the newer one where they tie."""
    if not terms:
        return []
    hits: list[tuple[_Text, list[float]]] = []
    for text in texts:
        low = text.text.lower()
        found = [_weight(term, low) for term in terms]
        if any(found):
            hits.append((text, [*found, 1.0 if phrase in low else 0.0]))
    rarity = [math.log(1 + len(texts) / (1 + sum(1 for _, found in hits if found[i] >= 1))) for i in range(len(terms))]
    ranked = [
        (sum(weight * rare for weight, rare in zip(found[:-1], rarity, strict=True)) + found[-1] * sum(rarity), text)
        for text, found in hits
    ]
    return sorted(ranked, key=lambda pair: (-pair[0], -pair[1].position))


def _weight(term: str, low: str) -> float:
    """How well a term is met: by whole words, with less and less for repetitions."""
    if term not in low:
        return 0.0
    if not term[0].isascii():
        return 1.0 + math.log(low.count(term))
    whole = len(re.findall(rf"(?<![a-z0-9_]){re.escape(term)}(?![a-z0-9_])", low))
    return 1.0 + 0.3 * math.log(whole) if whole else INSIDE


def _piece(text: str, terms: Sequence[str], query: str, room: int, count: Count) -> str:
    """The text around its best match, within `room` tokens."""
    if count(text[: room * 12]) <= room and len(text) <= room * 12:
        return text
    low = text.lower()
    at = low.find(query.lower().strip())
    if at < 0:
        at = min((found for term in terms if (found := low.find(term)) >= 0), default=0)
    reach = min(CONTEXT, room * 3)
    while reach > 0:
        piece = text[max(at - reach // 2, 0) : at + reach]
        if count(piece) <= room:
            return piece
        reach = reach * 2 // 3
    return ""


def _made(text: _Text, piece: str, score: float, log: Log, count: Count) -> Recollection:
    age = log.newest - text.position if text.position else 0
    source = Source(session=text.session, position=text.position, age=age)
    return Recollection(
        text=piece, address=text.address, kind=text.kind, tokens=count(piece), score=score, source=source
    )
