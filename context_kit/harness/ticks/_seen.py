"""What the log and the files show of the tick under way; of a session without a store it is kept in the draft."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from context_kit._log import Log
from context_kit._records import Ticked
from context_kit._settings import Settings
from context_kit.engrams import Trail
from context_kit.errors import ContextKitError, told
from context_kit.harness.ticks._case import Judged
from context_kit.harness.ticks._changes import Changing
from context_kit.harness.ticks._draft import Draft, read_draft, write_draft
from context_kit.harness.ticks._findings import Finding
from context_kit.harness.ticks._harness import Harness
from context_kit.harness.ticks._judge import Earlier, Walk, Written, reported
from context_kit.harness.ticks._page import Page, findings_of
from context_kit.harness.ticks._past import read_state
from context_kit.harness.ticks._sections import Material, made, named, settled
from context_kit.harness.ticks._telling import Telling
from context_kit.harness.ticks._words import Section

__all__ = ["Seen"]

report = logging.getLogger("context_kit")


@dataclass(slots=True)
class Seen:
    """What is seen of the tick under way."""

    session: str
    log: Log
    trail: Trail
    settings: Settings
    telling: Telling
    _lost: Mapping[Section, tuple[str, ...]] = field(default_factory=dict[Section, tuple[str, ...]])
    """What a process that died saw in it, whose log isn't this one."""
    _walk: Walk | None = None
    _changing: Changing | None = None
    """Both are of the tick under way, and go on from where they were."""
    _moved: dict[str, int] = field(default_factory=dict[str, int])
    """Lines that it added to files and took from them."""
    _kept: tuple[int, int] = (0, 0)
    """How many deeds and statements the draft tells of."""

    def begin(self, draft: Draft) -> None:
        """A tick begins, or goes on."""
        self._lost = draft.seen if draft.seen_by != self.session else {}
        self._kept = (0, 0)
        self._walk, self._changing, self._moved = None, None, {}

    def open(self, at: Harness) -> list[Finding] | None:
        """The problems that are open now; None where no tick is under way."""
        current = self.log.ticks.current
        if current is None:
            return None
        return [case.finding for case in settled(self.material(at, current)) if not case.fixed]

    def keep(self, at: Harness) -> None:
        """Keep in the draft what the log shows, where nothing else outlives the process."""
        current = self.log.ticks.current
        if current is None or self.settings.shared:
            return
        self.trail.follow(self.log.entries)
        kept, self._kept = self._kept, (len(self.trail.deeds), len(self.trail.statements))
        if not self._stirred(*kept):
            return
        try:
            material = replace(self.material(at, current), written={}, plan=(), criteria=())
            seen: dict[Section, tuple[str, ...]] = {**made(material)}
            seen.pop("next", None)
            with at.folder.locked():
                draft = read_draft(at.folder, current.number) or Draft.begun(
                    current.number, current.title, self.session
                )
                if draft.seen != seen:
                    write_draft(at.folder, replace(draft, seen=seen, seen_by=self.session))
        except (ContextKitError, OSError) as error:
            report.warning("what tick %d saw can't be kept: %s", current.number, told(error))

    def _stirred(self, deeds: int, statements: int) -> bool:
        """Whether something is new since then that the draft tells of."""
        new = self.trail.deeds[deeds:]
        if any(deed.act.kind in ("edit", "run") for deed in new):
            return True
        return bool(reported(new, self.trail.statements[statements:], self.settings.redact))

    def material(self, at: Harness, current: Ticked) -> Material:
        """What the log and the files show of a tick."""
        trail, since = self.trail, current.position
        trail.follow(self.log.entries)
        self._changing = self._changing or Changing(since)
        changed = self._changing.follow(trail)
        self._moved = {change.path: change.churn for change in changed}
        draft = read_draft(at.folder, current.number)
        state = read_state(at)
        return Material(
            number=current.number,
            deeds=[deed for deed in trail.deeds if deed.until > since],
            changes=changed,
            judged=self._judged(draft, current),
            written=draft.written if draft is not None else {},
            plan=trail.plan,
            flow=state.flow,
            criteria=state.criteria,
            words=self.telling.words,
            redact=self.settings.redact,
            lost=self._lost,
        )

    def _judged(self, draft: Draft | None, current: Ticked) -> Judged:
        """What became of the problems up to now."""
        if self._walk is None:
            past = self.telling.past()
            lost = Page(number=current.number, sections=self._lost)
            earlier = Earlier(
                findings=past.findings,
                told=lambda finding: past.told(finding, self.session),
                churn=lambda finding: past.churn(finding, self._moved),
                seen=[*findings_of(lost, "open"), *findings_of(lost, "fixed")],
            )
            self._walk = Walk(current.number, current.position, earlier, self.settings.redact, self.telling.words)
        return self._walk.follow(self.trail, _wrote(draft, current) if draft is not None else ())


def _wrote(draft: Draft, current: Ticked) -> list[Written]:
    """The problems in what was written, each where the log was then."""
    found: list[Written] = []
    for section in ("found", "open"):
        texts, places = draft.written.get(section, ()), draft.places.get(section, ())
        for at, text in enumerate(texts):
            position = places[at] if len(places) == len(texts) else current.position
            found.append(Written((section, at), position, tuple(named(text, current.number))))
    return found
