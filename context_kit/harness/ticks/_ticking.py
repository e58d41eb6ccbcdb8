"""A session's ticks: what the log shows goes to their files, when they end, by code.

A tick's beginning and end stand in the log, what was written for it in its draft: a killed process loses neither.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Literal, get_args

from context_kit._commands import Briefed, Journal
from context_kit._log import Log
from context_kit._records import Ticked
from context_kit._settings import Settings
from context_kit.engrams import Trail
from context_kit.errors import BudgetError, ContextKitError, StoreError, TickError, told
from context_kit.harness.ticks._changes import changes
from context_kit.harness.ticks._draft import Draft, drafts, read_draft, remove_draft, write_draft
from context_kit.harness.ticks._findings import Finding
from context_kit.harness.ticks._harness import FOLDER, Harness, now
from context_kit.harness.ticks._judge import judged
from context_kit.harness.ticks._page import Page
from context_kit.harness.ticks._past import read_state
from context_kit.harness.ticks._sections import Material, made, named, narrative, refusal, undecided
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
        self._live = 0
        """Number of the tick whose block is entered; 0 where none is."""
        self._telling = Telling(log, trail, settings, self._harness)

    def _harness(self) -> Harness:
        """The files of this session's ticks."""
        if self._given is None:
            self._given = Harness(self._log.ticks.folder or FOLDER)
        return self._given

    # -- what is told ------------------------------------------------------------------

    def stirred(self) -> bool:
        """Whether something of ticks is to be told before the next request."""
        with self._lock:
            return self._telling.stirred()

    def brief(self) -> Briefed | None:
        """What the next request is told of ticks."""
        with self._lock:
            return self._telling.brief() if self._telling.stirred() else None

    def noted(self, journal: Journal) -> Journal:
        """The same with what a bridge tells of ticks."""
        with self._lock:
            self._telling.stirred()
            return self._telling.noted(journal)

    def inherit(self, parent: Ticking) -> None:
        """A fork finds its parent's tick files."""
        if parent._telling.texts():
            self._given = parent._harness()  # one of its own kind
            self._telling.lent = True

    def texts(self) -> Mapping[str, str]:
        """Every tick file by its address."""
        return self._telling.texts()

    # -- a tick begins ---------------------------------------------------------------

    def begin(self, title: object, harness: Harness | str | os.PathLike[str] | None) -> Tick:
        """The tick of this title: begun, or gone on with where it was cut off.

        Raises:
            BudgetError: there is no title.
            ContextKitError: another tick is under way.
            StoreError: its files can't be written.
        """
        words = " ".join(title.split())[:LONGEST] if isinstance(title, str) else ""
        if not words:
            msg = f"title: {title!r} says nothing: name the round's aim in a line"
            raise BudgetError(msg)
        with self._lock:
            if self._live:
                msg = f"tick {self._live} is under way: leave its block before another one begins"
                raise ContextKitError(msg)
            self._trail.follow(self._log.entries)
            clean = self._settings.redact(words)
            number = self._left_over(clean)
            at = self._harness() if harness is None else harness if isinstance(harness, Harness) else Harness(harness)
            number, resumed = self._claimed(at, clean, number)
            position = self._log.ticks.current.position if self._log.ticks.current else self._log.newest
            self._append(Ticked(number=number, title=clean, state="begun", folder=at.name, position=position))
            self._given, at.tick, self._live = at, number, number
            self._telling.begin(resumed=resumed)
            return Tick(self, at, number, clean, resumed=resumed)

    def _left_over(self, title: str) -> int:
        """The tick that the log leaves open, where it is the one that is wanted; else it is brought to its end."""
        current = self._log.ticks.current
        if current is None:
            return 0
        at = Harness(current.folder or FOLDER)
        page = at.page(current.number)
        if page is not None:  # it ended on disk, and the process with it
            remove_draft(at.folder, current.number)
            self._append(Ticked(number=current.number, state="closed"))
        elif current.title == title:
            return current.number
        else:
            self._end(at, current, "interrupted", f"left for {title}")
        return 0

    def _claimed(self, at: Harness, title: str, number: int) -> tuple[int, bool]:
        """The tick's number, held by this process: its own again, that of a dead process of its title, or a new one."""
        with at.folder.locked():
            if number:
                left = read_draft(at.folder, number)
            else:
                found = [draft for draft in drafts(at.folder) if draft.title == title and draft.deserted()]
                left = found[-1] if found else None
                number = left.number if left else 0
            resumed = number > 0
            draft = Draft.begun(number or at.free(), title, self._name)
            write_draft(at.folder, replace(draft, written=left.written) if left else draft)
        return draft.number, resumed

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
                    write_draft(at.folder, replace(draft, written={**draft.written, section: (*before, clean)}))
            if section not in ("found", "open"):
                return ()
            self._trail.follow(self._log.entries)
            return self._telling.answer(named(clean, number))

    def briefing(self, number: int) -> str:
        """What the caller puts into the system prompt."""
        with self._lock:
            current = self._current(number)
            text = self._telling.briefing()
            if not self._log.ticks.placed:
                self._append(Ticked(number=current.number, state="placed"))
            return text

    def undecided(self, number: int) -> tuple[Section, ...]:
        """The sections that nobody decided on."""
        with self._lock:
            return undecided(self._material(self._harness(), self._current(number)))

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
            material = self._material(at, current)
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
        material = material or self._material(at, current)
        self._flush()
        page = self._page(current, state, reason, material)
        with at.folder.locked():
            at.folder.write(f"tick-{current.number}-summary.md", page.text())
            remove_draft(at.folder, current.number)
            self._narrate(at, current, narrative(page, material))
        at.tick = 0
        self._append(Ticked(number=current.number, state=state))

    def _narrate(self, at: Harness, current: Ticked, text: str) -> None:
        """An entry for a tick of which nobody told; a narrative that can't be written holds up no tick."""
        at.tick = current.number
        try:
            if not any(entry.head.endswith(f"tick {current.number}") for entry in at.entries[-1:]):
                at.append_note(text)
        except StoreError as error:
            report.warning("tick %d has ended and its entry can't be written: %s", current.number, error)

    def _page(self, current: Ticked, state: str, reason: str, material: Material) -> Page:
        clean = self._settings.redact(" ".join(reason.split())[:LONGEST])
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

    def _material(self, at: Harness, current: Ticked) -> Material:
        """What the log and the files show of a tick."""
        trail, since = self._trail, current.position
        trail.follow(self._log.entries)
        past = self._telling.past()
        changed = changes(trail, since)
        moved = {change.path: change.churn for change in changed}
        draft = read_draft(at.folder, current.number)
        state = read_state(at)
        return Material(
            number=current.number,
            deeds=[deed for deed in trail.deeds if deed.position > since],
            changes=changed,
            judged=judged(
                trail,
                since,
                number=current.number,
                earlier=past.findings,
                churn=lambda finding: past.churn(finding, moved),
                redact=self._settings.redact,
                words=self._telling.words,
            ),
            written=draft.written if draft is not None else {},
            plan=trail.plan,
            flow=state.flow,
            criteria=state.criteria,
            words=self._telling.words,
            redact=self._settings.redact,
            fixed=lambda finding: past.fixed(finding, moved),
        )
