"""A session at work: its log, its locks, its store. Records are written before the log moves.

Two locks. `_lock` guards the log for as long as pure code runs; it is never held while a model,
a hook or a store's reader is called. The turn lets one compaction run at a time; who comes
second waits and finds the work done.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any

from context_kit._accept import accepted, sized
from context_kit._background import Background
from context_kit._commands import Brief, Briefed, Flow, Journal, Listen, News, ReadJournal
from context_kit._drive import ASYNC_IN_SYNC, Effects, arun, is_async, run
from context_kit._due import check_usage
from context_kit._log import Log
from context_kit._prepare import settled
from context_kit._records import Added, Compacted, Opened, Recalled, Record, UsageReported
from context_kit._remembering import Remembering
from context_kit._settings import Settings
from context_kit._steps import Entry
from context_kit._turn import LostTurn, Turn
from context_kit.engrams import Trail
from context_kit.errors import ContextKitError, InvalidMessageError, StoreError
from context_kit.harness.ticks import Ticking
from context_kit.memory import (
    Index,
    Memory,
    Tools,
    addresses_of,
    check_query,
    encode_record,
    recall,
    resumed,
    started,
    upkeep,
)
from context_kit.types import Recollection
from context_kit.typing import Archiving, Store
from context_kit.wire import MOST_TOKENS, Read, Reported

__all__ = ["Session"]


class Session:
    """One session's state and the only ways to change it."""

    def __init__(
        self,
        name: str,
        opened: Opened,
        settings: Settings,
        *,
        store: Store | None,
        trail: Trail,
        pre: Sequence[Callable[..., Any]],
        post: Sequence[Callable[..., Any]],
        resume: bool = False,
    ) -> None:
        self.name = name
        self.settings = replace(settings, shared=store is not None)
        self.trail = trail
        self.providers: dict[str, Callable[[], Any]] = {}
        self.lock = threading.RLock()
        self._turn = Turn()
        self.index = Index(settings.redact)
        self.tools = Tools()
        self._store = store
        self._held = ExitStack()
        self._closed = False
        self._process = os.getpid()
        self.trusted = True
        """Whether the provider's counts may tell a silent cut: not once one was suspected and not confirmed."""
        self.asked: object = None
        """What the last call sent beside the messages, and the report that its reply brought."""
        self.log = self._begin(opened, resume=resume)
        self._narrow()
        self.trail.elsewhere = self.log.others.changes
        self._remember(Memory(session=name, agent="", store=store, redact=settings.redact))
        self._background = Background(
            self.lock,
            run=lambda asking: run(asking, self.effects, self.lock),
            arun=lambda asking: arun(asking, self.effects, self.lock),
            alive=self.alive,
            redact=settings.redact,
            awaited=settings.llm is not None and is_async(settings.llm),
        )
        self.ticking = Ticking(
            name, self.log, trail, self.settings, lock=self.lock, append=self.append, flush=self._flush
        )
        self.effects = self._effects(pre, post)
        self._async = self.effects.asynchronous()

    def _remember(self, memory: Memory) -> None:
        """Write into a journal from now on, and read it."""
        self.memory = memory
        self.remembering = Remembering(
            memory, self.log, self.trail, self.settings, store=self._store, lock=self.lock, closed=lambda: self._closed
        )
        memory.before = self.remembering.catch_up

    def _effects(self, pre: Sequence[Callable[..., Any]], post: Sequence[Callable[..., Any]]) -> Effects:
        return Effects(
            append=self.append,
            save=self._save,
            journal=self._read,
            listen=self._listen,
            providers=lambda: list(self.providers.items()),
            background=self._background.do,
            abackground=self._background.ado,
            llm=self.settings.llm,
            pre=pre,
            post=post,
        )

    def _begin(self, opened: Opened, *, resume: bool) -> Log:
        if self._store is None:
            return Log(opened)
        self._held.enter_context(self._store.lock(self.name))
        try:
            return (resumed if resume else started)(self._store, self.name, opened)
        except BaseException:
            self._held.close()
            raise

    def _narrow(self) -> None:
        self.settings = replace(self.settings, budget=self.settings.budget.within(self.log.opened.tokens))

    # -- writing -------------------------------------------------------------------

    def alive(self) -> None:
        """Refuse to change a closed session.

        Raises:
            StoreError: it is closed.
        """
        if self._closed:
            msg = f"session {self.name!r} is closed: reading goes on, but open it again to change it"
            raise StoreError(msg)

    def append(self, *records: Record) -> None:
        """Write records, then move the log.

        Raises:
            StoreError: they could not be written, or the session is closed; the log is as it was.
        """
        with self.lock:
            if self._closed:
                self.alive()
            if self._store is not None:
                self._same_process()
                sync = any(isinstance(record, Compacted) for record in records)
                self._store.append(self.name, [encode_record(record) for record in records], sync=sync)
            for record in records:
                self.log.append(record)
                self._background.heard(record)

    def _same_process(self) -> None:
        if os.getpid() != self._process:
            held = f"session {self.name!r} is held by process {self._process}"
            msg = f"{held}, and this is a fork of it: use a session of its own"
            raise StoreError(msg)

    def add(self, reads: Sequence[Read]) -> None:
        """Add messages that were read; one that may not be added refuses them all."""
        with self.lock:
            if len(reads) == 1 and len(reads[0].messages) == 1 and reads[0].usage is None:
                message = reads[0].messages[0]
                self.log.accept(message)
                size = sized(self.log, self.settings, message)
                self.append(Added(entry=Entry(self.log.newest + 1, message, size)))
            else:
                self.append(*accepted(self.log, self.settings, reads))
            if self._store is not None and self.log.entries[-1].message.results:
                with suppress(StoreError):  # the message is kept: the journal is tried again at the next look
                    self.remembering.catch_up()

    def report(self, usage: Reported) -> None:
        """Note the usage that the caller tells for the newest message.

        Raises:
            InvalidMessageError: nothing was added yet, or a count is no whole number.
        """
        check_usage(usage)
        with self.lock:
            self.alive()
            if not self.log.entries:
                msg = "no message was added yet: add the reply first"
                raise InvalidMessageError(msg, field="input_tokens")
            if 0 < usage.input_tokens <= MOST_TOKENS:
                told = usage.output_tokens
                usage = replace(usage, output_tokens=told if told is None or told <= MOST_TOKENS else None)
                self.append(UsageReported(usage=usage, cost=self.log.entries[-1].cost))

    def learn(self, window: int) -> None:
        """Remember the provider's window where it was found smaller than believed."""
        with self.lock:
            if 0 < window < self.log.opened.tokens:
                self.append(replace(self.log.opened, found=window))
                self._narrow()

    def recall(self, query: str, *, k: int, max_tokens: int, noted: bool = True) -> list[Recollection]:
        """Text that left the window, or was remembered; what was fetched is `noted` where there is a place for it."""
        check_query(query, k=k, max_tokens=max_tokens)
        with self.lock:
            self.trail.follow(self.log.entries)
            found = recall(
                query,
                index=self.index,
                log=self.log,
                trail=self.trail,
                memory=self.memory,
                session=self.name,
                k=k,
                max_tokens=max_tokens,
                count=self.settings.count,
                redact=self.settings.redact,
                ticks=self.ticking.texts(),
            )
            if noted and not self._closed:
                with suppress(StoreError):
                    self.remembering.fetched(found)
            if noted and not self._closed and (mine := addresses_of(found, self.name)):
                with suppress(StoreError):
                    self.append(Recalled(addresses=mine))
            return found

    def _save(self, checkpoint: str) -> str:
        """The checkpoint, written where there is a place for it, and as it is read back."""
        self.alive()
        if isinstance(self._store, Archiving):
            return self._store.checkpoint(self.name, checkpoint)
        return checkpoint

    def _read(self, command: ReadJournal) -> Journal:
        return self.ticking.noted(self.remembering.journal(command))

    def _flush(self) -> None:
        self.remembering.catch_up(flush=True)

    def _listen(self, command: Listen | Brief) -> News | Briefed | None:
        return self.ticking.brief() if isinstance(command, Brief) else self.remembering.listen(command)

    def close(self, *, done: bool) -> None:
        """Release the session; what was acknowledged is on disk already. A finished one is archived."""
        with self.lock:
            try:
                self.remembering.catch_up(flush=True)
                if done and not self._closed and isinstance(self._store, Archiving):
                    self._store.archive(self.name)
            finally:  # what the disk refuses is tried again when the session is opened
                self._closed = True
                self._background.drop()
                self._held.close()
                upkeep(self._store)

    # -- turns ---------------------------------------------------------------------

    def calm(self) -> list[Any] | None:
        """The window where nothing has to be done before it is sent; None where a turn is needed."""
        if self._closed or self._async:
            return None
        if self.remembering.stirred():
            return None
        with self.lock:
            if self.ticking.stirred():
                return None
            self.log.others.begun = True
            calm = not self._background.ready and settled(self.log, self.settings)
            return self.log.view() if calm else None

    def drive(self, make: Callable[[Log, Trail, Settings], Flow]) -> Any:
        """Run a flow, blocking; one at a time.

        Raises:
            ContextKitError: a function that it needs is async, or it is called from within itself.
        """
        self.alive()
        if self._async or (self._async_provider()):
            msg = f"{self._async or 'a provider'} {ASYNC_IN_SYNC}"
            raise ContextKitError(msg)
        with self._turn.blocking():
            return run(make(self.log, self.trail, self.settings), self.effects, self.lock)

    async def adrive(self, make: Callable[[Log, Trail, Settings], Flow]) -> Any:
        """Run a flow, awaiting; one at a time. One whose loop stood still so long that another came, begins again."""
        while True:
            self.alive()
            async with self._turn.waiting() as held:
                with suppress(LostTurn):
                    return await arun(make(self.log, self.trail, self.settings), self.effects, self.lock, held)

    def _async_provider(self) -> bool:
        return any(is_async(fn) for fn in self.providers.values())
