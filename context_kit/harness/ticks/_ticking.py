"""A session's ticks: what the log shows goes to their files, when they end, by code.

A tick's beginning and end stand in the log, what was written for it in its draft: a killed process loses neither.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from typing import Any, Literal, get_args

from context_kit._commands import Briefed, Journal
from context_kit._log import Log
from context_kit._records import Ticked
from context_kit._settings import Settings
from context_kit.engrams import Trail
from context_kit.errors import BudgetError, ContextKitError, StoreError, TickError, told
from context_kit.harness.ticks._claim import claimed
from context_kit.harness.ticks._draft import Draft, read_draft, remove_draft, write_draft
from context_kit.harness.ticks._findings import Finding
from context_kit.harness.ticks._harness import FOLDER, Harness, now
from context_kit.harness.ticks._page import Page
from context_kit.harness.ticks._sections import Material, made, named, narrative, refusal, undecided
from context_kit.harness.ticks._seen import Seen
from context_kit.harness.ticks._telling import Telling
from context_kit.harness.ticks._tick import Tick
from context_kit.harness.ticks._words import Section

__all__ = ["Ticking"]

report = logging.getLogger("context_kit")
LONGEST = 200
"""Characters of a title, and of what interrupted a tick."""


class Ticking:
    """A session's ticks, one at a time."""

    def __init__(
        self,
        name: str,
        log: Log,
        trail: Trail,
        settings: Settings,
        *,
        lock: AbstractContextManager[Any],
        append: Callable[..., None],
        flush: Callable[[], None],
    ) -> None:
        self._name, self._log, self._trail, self._settings = name, log, trail, settings
        self._lock, self._append, self._flush = lock, append, flush
        self._given: Harness | None = None
        self._number = 0
        """Of the newest tick."""
        self._live = 0
        """Number of the tick whose block is entered; 0 where none is."""
        self._telling = Telling(name, log, trail, settings, self._harness, lambda: self._seen.open(self._harness()))
        self._seen = Seen(name, log, trail, settings, self._telling)

    def _harness(self) -> Harness:
        """The files of this session's ticks."""
        if self._given is None:
            self._given = self._of_folder(self._log.ticks.folder or FOLDER)
        return self._given

    def _of_folder(self, folder: str | os.PathLike[str]) -> Harness:
        return Harness(folder, redact=self._settings.redact)

    # -- what is told ------------------------------------------------------------------

    def stirred(self) -> bool:
        """Whether something of ticks is to be told before the next request."""
        with self._lock:
            self._seen.keep(self._harness())
            return self._telling.stirred()

    def brief(self) -> Briefed | None:
        """What the next request is told of ticks."""
        with self._lock:
            self._seen.keep(self._harness())
            return self._telling.brief() if self._telling.stirred() else None

    def noted(self, journal: Journal) -> Journal:
        """The same with what a bridge tells of ticks."""
        with self._lock:
            self._telling.stirred()
            return self._telling.noted(journal)

    def inherit(self, parent: Ticking) -> None:
        """A fork finds its parent's tick files."""
        if parent._log.ticks.folder or parent._telling.texts():
            self._given = copy(parent._harness())  # one of its own kind, with a tick of its own
            self._given.tick = 0
            self._telling.lent = True

    def texts(self) -> Mapping[str, str]:
        """Every tick file by its address."""
        return self._telling.texts()

    # -- a tick begins ---------------------------------------------------------------

    def begin(
        self, title: object, harness: Harness | str | os.PathLike[str] | None, briefing: object = "window"
    ) -> Tick:
        """The tick of this title: begun, or gone on with where it was cut off.

        Raises:
            BudgetError: there is no title, or nobody knows such a place for the briefing.
            ContextKitError: another tick is under way.
            StoreError: its files can't be written.
        """
        words = " ".join(title.split()) if isinstance(title, str) else ""
        if not words:
            msg = f"title: {title!r} says nothing: name the round's aim in a line"
            raise BudgetError(msg)
        if briefing not in ("window", "system"):
            msg = f"briefing: {briefing!r} is unknown, use 'window', or 'system' where you put tick.briefing yourself"
            raise BudgetError(msg)
        with self._lock:
            if self._live:
                msg = f"tick {self._live} is under way: leave its block before another one begins"
                raise ContextKitError(msg)
            self._trail.follow(self._log.entries)
            clean = self._settings.redact(words)[:LONGEST]
            at = (
                self._harness()
                if harness is None
                else harness
                if isinstance(harness, Harness)
                else self._of_folder(harness)
            )
            self._begin(clean, at, placed=briefing == "system")
            self._given, at.tick, self._live = at, self._number, self._number
            return Tick(self, at, self._number, clean, resumed=self._telling.resumed)

    def _begin(self, title: str, at: Harness, *, placed: bool) -> None:
        own = self._left_over(title, at)
        draft, resumed = claimed(at, title, self._name, own)
        position = self._log.ticks.current.position if self._log.ticks.current else self._log.newest
        try:
            self._append(Ticked(number=draft.number, title=title, state="begun", folder=at.name, position=position))
            if placed:
                self._append(Ticked(number=draft.number, state="placed"))
        except BaseException:
            if not resumed:
                remove_draft(at.folder, draft.number)
            raise
        self._number = draft.number
        self._seen.begin(draft)
        self._telling.begin(resumed=resumed)

    def _left_over(self, title: str, at: Harness) -> int:
        """The tick that the log leaves open, where it is the one that is wanted; else it is brought to its end."""
        current = self._log.ticks.current
        if current is None:
            return 0
        old = self._of_folder(current.folder or FOLDER)
        draft = read_draft(old.folder, current.number)
        if old.page(current.number) is not None:  # it ended on disk, and the process with it
            remove_draft(old.folder, current.number)
            self._append(Ticked(number=current.number, state="closed"))
        elif draft is not None and draft.session != self._name and not draft.deserted():  # another one goes on with it
            self._append(Ticked(number=current.number, state="interrupted"))
        elif current.title == title and old.folder.path == at.folder.path:
            return current.number
        else:
            self._end(old, current, "interrupted", f"left for {title}")
        return 0

    # -- while it is under way -------------------------------------------------------

    def write(self, number: int, section: Section, text: object) -> tuple[Finding, ...]:
        """Keep what was written for a section; what of it an earlier tick fixed."""
        if section not in get_args(Section):
            msg = f"section: {section!r} is unknown, use one of {', '.join(get_args(Section))}"
            raise BudgetError(msg)
        if not isinstance(text, str) or not text.strip():
            msg = f"text: {text!r} says nothing: write what there is, or 'none'"
            raise BudgetError(msg)
        with self._lock:
            current, at = self._current(number), self._harness()
            clean = self._settings.redact(text.strip())
            with at.folder.locked():
                draft = read_draft(at.folder, number) or Draft.begun(number, current.title, self._name)
                before = draft.written.get(section, ())
                if clean not in before:  # a step that is done again after a crash says it again
                    places = (*draft.places.get(section, ()), self._log.newest)
                    written = {**draft.written, section: (*before, clean)}
                    write_draft(at.folder, replace(draft, written=written, places={**draft.places, section: places}))
            self._trail.follow(self._log.entries)
            self._seen.keep(self._harness())
            return self._telling.answer(named(clean, number)) if section in ("found", "open") else ()

    def briefing(self, number: int) -> str:
        """What the caller puts into the system prompt."""
        with self._lock:
            self._current(number)
            self._telling.stirred()
            return self._telling.briefing()

    def undecided(self, number: int) -> tuple[Section, ...]:
        """The sections that nobody decided on."""
        with self._lock:
            return undecided(self._seen.material(self._harness(), self._current(number)))

    def _current(self, number: int) -> Ticked:
        current = self._log.ticks.current
        if current is None or current.number != number:
            msg = f"tick {number} has ended: begin another one with ctx.tick(title)"
            raise TickError(msg, number=number)
        return current

    # -- it ends ---------------------------------------------------------------------

    def close(self, number: int) -> None:
        """Write its file."""
        with self._lock:
            self._live = 0  # one that is refused waits for its words, or for its title to be begun again
            current, at = self._current(number), self._harness()
            material = self._seen.material(at, current)
            if silent := undecided(material):
                raise refusal(number, silent)
            self._end(at, current, "closed", "", material)

    def interrupt(self, number: int, reason: str) -> None:
        """Write its file as far as it came; what can't be written is reported, the caller's error goes on."""
        with self._lock:
            self._live = 0
            try:
                self._end(self._harness(), self._current(number), "interrupted", reason)
            except (ContextKitError, OSError) as error:
                report.warning("tick %d was interrupted and its file can't be written: %s", number, told(error))

    def leave(self) -> None:
        """The task has ended: a tick that is open is brought to its end."""
        with self._lock:
            if self._log.ticks.current is not None:
                self.interrupt(self._log.ticks.current.number, "the task was ended")

    def _end(
        self,
        at: Harness,
        current: Ticked,
        state: Literal["closed", "interrupted"],
        reason: str,
        material: Material | None = None,
    ) -> None:
        material = material or self._seen.material(at, current)
        self._flush()
        page = self._page(current, state, reason, material)
        with at.folder.locked():
            at.folder.write(f"tick-{current.number}-summary.md", page.text())
            self._narrate(at, current, narrative(page, material))
        at.tick = 0
        self._append(Ticked(number=current.number, state=state))
        remove_draft(at.folder, current.number)  # last of all: what refuses before leaves the words where they are

    def _narrate(self, at: Harness, current: Ticked, text: str) -> None:
        """An entry for a tick of which nobody told; a narrative that can't be written holds up no tick."""
        at.tick = current.number
        try:
            if not any(entry.head.endswith(f"tick {current.number}") for entry in at.entries[-1:]):
                at.append_note(text)
        except StoreError as error:
            report.warning("tick %d has ended and its entry can't be written: %s", current.number, error)

    def _page(self, current: Ticked, state: str, reason: str, material: Material) -> Page:
        clean = self._settings.redact(" ".join(reason.split()))[:LONGEST]
        return Page(
            number=current.number,
            title=current.title,
            state=state,
            reason=clean,
            session=self._name,
            first=min(current.position + 1, self._log.newest),
            last=self._log.newest,
            node=material.flow.node,
            time=now(),
            language=self._trail.language,
            sections=made(material),
        )
