"""A session's dealings with the journal: what it did and learned is written, what others know is read.

Written and read by code at fixed moments: after each result where there is a store, at each compaction, at the end.
Nothing here changes the log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from copy import copy
from typing import Any

from context_kit._commands import Journal, Listen, News, ReadJournal
from context_kit._log import Log
from context_kit._records import Compacted
from context_kit._settings import Settings
from context_kit._topic import Remembered, Topic
from context_kit.bridge import BridgeWords, Line, bridge_words
from context_kit.engrams import Trail, outdated, quote
from context_kit.errors import StoreError
from context_kit.memory import LESSONS, OWN, Book, Index, Lessons, LongTerm, Memory, Watch, recall, record_line, settled
from context_kit.summary import archived
from context_kit.types import Recollection, Record
from context_kit.typing import Redact, Store
from context_kit.wire import Message

__all__ = ["Remembering"]

report = logging.getLogger("context_kit")

PIECES = 12
"""Texts of this session that are looked at for what is brought back."""
SHARE = 4
"""Of the room for them, what each may have at most is one part in so many."""
BROUGHT = ("assistant", "tool")
"""Whose texts are brought back: a person's stand on the board, or are named there with their addresses."""


class Remembering:
    """What of a session stands in the journal, and what of the journal concerns it."""

    def __init__(
        self,
        memory: Memory,
        log: Log,
        trail: Trail,
        settings: Settings,
        *,
        store: Store | None,
        lock: AbstractContextManager[Any],
        closed: Callable[[], bool],
    ) -> None:
        self.memory = memory
        self._log, self._trail, self._settings = log, trail, settings
        self._lock, self._closed = lock, closed
        self._told = 0
        opened = log.opened
        self._watch = Watch(memory, earlier=opened.earlier, since=opened.since)
        self._lessons = Lessons(Book(memory, opened.earlier or opened.since, self._watch.known))
        self._lessons.declarations.recall(self._mine())
        self._index = Index(settings.redact)
        self._others: LongTerm | None = None
        if store is not None and settings.remembers:
            self._others = LongTerm(store, memory.session, settings.redact, began=opened.since or opened.heard)
            log.others.begun |= any(entry.message.role == "assistant" for entry in log.entries)

    def _mine(self) -> tuple[Record, ...]:
        return self.memory.mine(earlier=self._log.opened.earlier, since=self._log.opened.since)

    # -- writing -------------------------------------------------------------------

    def catch_up(self, *, flush: bool = False) -> None:
        """Write what was done and learned since the last look; with `flush` the waiting edit and what was said, too.

        Raises:
            StoreError: the journal can't be written; what was not written is tried again next time.
        """
        if not self._settings.remembers or self._closed():
            return
        with self._lock:
            log, trail = self._log, self._trail
            trail.follow(log.entries)
            self._watch.follow(trail, flush=flush)
            self._lessons.since = self._lessons.since or _parents(log)
            self._lessons.follow(trail)
            if flush:
                last = log.last
                said = last.said.key_decisions if last and last.said else ()
                self._lessons.conclude(trail, said, last.receipt.id if last else "")

    def fetched(self, found: Iterable[Recollection]) -> None:
        """Note which records of other sessions were fetched: what is fetched often is told first to the next ones.

        Raises:
            StoreError: the journal can't be written.
        """
        if not self._settings.remembers or self._others is None:
            return
        for each in found:
            if each.kind == "journal" and each.source.session != self.memory.session:
                self._lessons.refer(each.address)

    # -- reading -------------------------------------------------------------------

    def journal(self, command: ReadJournal) -> Journal:
        """What the journal says since the last compaction, and what is brought back for the step in hand."""
        if not self._settings.remembers:
            return Journal()
        self.catch_up(flush=True)
        mine = self._mine()
        shown = (
            record for record in settled(mine[command.since :]) if not (self._settings.anchors and _lesson(record))
        )
        lines = tuple(map(record_line, shown))
        written, self._told = self._watch.written - self._told, self._watch.written
        return Journal(
            lines=lines,
            read_to=len(mine),
            written=written,
            others=self._remembered(command.topic, told=command.told),
            back=tuple(self._back(command)) if self._settings.retrieves else (),
        )

    def stirred(self) -> bool:
        """Whether others may have written since the last look."""
        if self._others is None:
            return False
        try:
            return self._others.stirred()
        except StoreError as error:
            report.warning("what other sessions wrote can't be read: %s", error)
            return False

    def listen(self, command: Listen) -> News:
        """What others wrote after a position of the journal; nothing where that can't be read now."""
        if self._others is None:
            return News(upto=command.since)
        if command.topic is not None:
            return News(upto=command.since, remembered=self._remembered(command.topic))
        try:
            upto, contracts = self._others.since(command.since)
        except StoreError as error:
            report.warning("what other sessions wrote can't be read: %s", error)
            return News(upto=command.since)
        self._others.looked = upto
        return News(upto=upto, contracts=contracts)

    def _remembered(self, topic: Topic, *, told: Sequence[str] | None = None) -> tuple[Remembered, ...]:
        """What others know of a topic and what was told; nothing where it can't be read: no turn fails for it."""
        if self._others is None:
            return ()
        try:
            return self._others.remembered(topic, told=told)
        except StoreError as error:
            report.warning("what other sessions know can't be read: %s", error)
            return ()

    def _back(self, command: ReadJournal) -> Iterator[Remembered]:
        """Pieces of this session's own texts that are about the step in hand and not in its window any more."""
        if not command.topic.words.strip() or command.room < 1:
            return
        with self._lock:
            gone = copy(self._log)
            gone.start = max(gone.index_of(command.cut), gone.start)
            found = recall(
                " ".join((command.topic.words, *command.topic.files)),
                index=self._index,
                log=gone,
                trail=self._trail,
                memory=self.memory,
                session=self.memory.session,
                k=PIECES,
                max_tokens=PIECES * max(command.room // SHARE, 1),
                count=self._settings.count,
                redact=self._settings.redact,
            )
        words, old = bridge_words(command.topic.language), outdated(self._trail)
        for each in found:
            mine = each.source.session == self.memory.session and each.kind in BROUGHT
            entry = self._log.entry(each.source.position) if mine and each.source.position not in old else None
            text = _words_of(each.text, entry.message, self._settings.redact) if entry else ""
            if text.strip():
                yield _piece(each.address, text.strip("\n"), words)


def _words_of(piece: str, message: Message, redact: Redact) -> str:
    """A piece of a message in whole lines, without the calls, which the steps tell."""
    words = redact(message.text) if message.calls else redact(archived(message))
    if message.calls and piece not in words:
        return words if words in piece else ""
    return _whole_lines(piece, words)


def _whole_lines(piece: str, text: str) -> str:
    """A piece of a text without the lines that it cuts in two; of one long line, without the words that it cuts."""
    at = text.find(piece)
    if at < 0:
        return piece
    end = at + len(piece)
    for mark in ("\n", " "):
        first = 0 if at == 0 or text[at - 1] == mark else piece.find(mark) + 1 or len(piece)
        last = len(piece) if end == len(text) or text[end] == mark else piece.rfind(mark)
        if first < last:
            return piece[first:last]
    return piece


def _piece(address: str, text: str, words: BridgeWords) -> Remembered:
    line = f'[{address} · {words.whole} recall("{address}")]\n{quote(text, always=True)}'
    return Remembered(id=address, line=Line(body=line), says=text)


def _lesson(record: Record) -> bool:
    """What the bridge tells by its fields and its board already."""
    return record.action in LESSONS and record.id.startswith(OWN)


def _parents(log: Log) -> int:
    """In a fork, the position at which its own part begins."""
    first = next((record for record in log.records if isinstance(record, Compacted)), None)
    return first.cut if first is not None and first.receipt.reason.startswith("fork of ") else 0
