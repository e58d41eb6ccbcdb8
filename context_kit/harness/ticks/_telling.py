"""What the files of ticks say comes back into the window: at a tick's start, at each compaction, by recall.

Read anew each time. What stands in the window already isn't told again, and what is told between two compactions
has a bound: twelve ticks take no more of it than three.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from context_kit._commands import Briefed, Journal
from context_kit._log import Log
from context_kit._records import Ticked
from context_kit._settings import Settings
from context_kit._verify import window_text
from context_kit.bridge import NO_TICKS, TickNotes, fit_ticks
from context_kit.engrams import Trail, neutral
from context_kit.errors import StoreError
from context_kit.harness.ticks._changes import changes
from context_kit.harness.ticks._draft import read_draft
from context_kit.harness.ticks._findings import Finding, by_name
from context_kit.harness.ticks._harness import Harness
from context_kit.harness.ticks._judge import reported, undone
from context_kit.harness.ticks._page import Page
from context_kit.harness.ticks._past import Past, read_state, state_lines
from context_kit.harness.ticks._present import Present
from context_kit.harness.ticks._words import SECTIONS, TickWords, words_of
from context_kit.summary import first_line

__all__ = ["Telling"]

report = logging.getLogger("context_kit")
TITLE = "[tick record · made by the program from its files, not an instruction]"
NEWEST = 3
"""So many newest tick files are told (second article: the newest three)."""
START_SHARE = 0.5
"""Of the notes, what the starts of ticks tell between two compactions."""
STATE_SHARE = 0.3
"""Of the notes, what each start has for where the job stands ..."""
LEAST = 72
"""... and in tokens at least."""
WRITTEN, LONGEST = 3, 240
"""So many newest texts of a section that was written are told, and so many characters of each."""
OPEN = 6
"""So many open problems are told where no tick file that is shown tells them ..."""
MORE = "- … +{}"
"""... and how many more there are."""
ANSWERS = 4
"""So many newest answers stand in a bridge."""


@dataclass(slots=True)
class Telling:
    """What a session is told of its ticks."""

    session: str
    log: Log
    trail: Trail
    settings: Settings
    harness: Callable[[], Harness]
    judge: Callable[[], list[Finding] | None]
    """The problems that are open now; None where no tick is under way."""
    resumed: bool = False
    """The tick under way goes on after it was cut off."""
    lent: bool = False
    """The files are those of the session that this one is a fork of."""
    _past: Past | None = None
    _deeds: int = 0
    _statements: int = 0
    """How many were looked at for what an earlier tick fixed."""
    _answers: dict[str, str] = field(default_factory=dict[str, str])
    """To what was reported again, by what an earlier tick fixed."""
    _new: dict[str, str] = field(default_factory=dict[str, str])
    """Those that were not told yet."""

    @property
    def words(self) -> TickWords:
        """Of the conversation's language."""
        return words_of(self.trail.language)

    def begin(self, *, resumed: bool) -> None:
        """A tick begins: what earlier ones found and fixed is read."""
        self.resumed = resumed
        self._past = None
        self._deeds = self._statements = 0
        self._answers, self._new = {}, {}

    def past(self) -> Past:
        """What earlier ticks found, read once a tick."""
        if self._past is None:
            current = self.log.ticks.current
            at = self.harness()
            numbers = [number for number in at.numbers() if current is None or number != current.number]
            self._past = Past.of(page for number in numbers if (page := self._page(at, number)) is not None)
        return self._past

    def _page(self, at: Harness, number: int) -> Page | None:
        """A tick file; one that can't be read is reported and hides no other."""
        try:
            return at.page(number)
        except StoreError as error:
            report.warning("the files of ticks can't all be read: %s", error)
            return None

    # -- what an earlier tick fixed ----------------------------------------------------

    def stirred(self) -> bool:
        """Whether something is to be told before the next request."""
        ticks = self.log.ticks
        if ticks.current is None:
            return False
        self.trail.follow(self.log.entries)
        try:
            self._look(ticks.current)
        except StoreError as error:
            report.warning("the files of ticks can't be read: %s", error)
        return ticks.untold or bool(self._new)

    def _look(self, current: Ticked) -> None:
        """Look at what was said and printed since the last look for findings that an earlier tick fixed."""
        deeds, statements = self.trail.deeds[self._deeds :], self.trail.statements[self._statements :]
        self._deeds, self._statements = len(self.trail.deeds), len(self.trail.statements)
        since = current.position
        found = reported(
            (deed for deed in deeds if deed.until > since),
            (said for said in statements if said.position > since),
            self.settings.redact,
        )
        if found:
            self.answer(found)

    def answer(self, found: list[Finding]) -> tuple[Finding, ...]:
        """Those of the findings that an earlier tick fixed, as that one left them; the next request is told."""
        past = self.past()
        found = [finding for finding in found if past.fixes(finding.name)]
        if not found:
            return ()
        current = self.log.ticks.current
        moved = {change.path: change.churn for change in changes(self.trail, current.position)} if current else {}
        known = [(finding, fixed) for finding in found if (fixed := past.fixed(finding, moved)) is not None]
        again = self._undone(fixed for _, fixed in known)
        for finding, fixed in known:
            self._answer(finding, fixed, edited=past.edited_since(fixed, moved), undone=fixed in again)
        return tuple(dict.fromkeys(fixed for _, fixed in known if fixed not in again))

    def _undone(self, fixes: Iterable[Finding]) -> set[Finding]:
        """Of what earlier ticks fixed that whose place was changed since."""
        past, current = self.past(), self.log.ticks.current
        since = current.position if current is not None else self.log.newest
        told = {fixed: past.told(fixed, self.session) for fixed in fixes}
        return undone(self.trail, {fixed: (at or since, until or since) for fixed, (at, until) in told.items()})

    def _answer(self, finding: Finding, fixed: Finding, *, edited: bool, undone: bool) -> None:
        words = self.words
        verb = words["undone" if undone else "back" if finding.command else "already"]
        more = [words["since"]] if edited and not undone else []
        more += [] if finding.command or undone else [words["look"]]
        told = "; ".join(filter(None, [finding.told, *more, fixed.note]))
        line = neutral(f'- {verb[:1].upper()}{verb[1:]} {fixed.fixed_in} (recall("t{fixed.fixed_in}")): {told}')
        key = f"t{fixed.fixed_in} {fixed.told}"
        if self._answers.setdefault(key, line) == line and key not in self.log.ticks.answered:
            self._new.setdefault(key, line)

    # -- told --------------------------------------------------------------------------

    def brief(self) -> Briefed | None:
        """What the next request is told: the start of a tick, answers to what was reported again."""
        ticks = self.log.ticks
        current = ticks.current
        if current is None:
            return None
        text = ""
        if ticks.untold:
            text = self._start(ticks.spent)
        elif self._new:
            text = "\n".join([TITLE, *self._new.values()])
        answered, self._new = tuple(self._new), {}
        record = Ticked(number=current.number, state="told" if ticks.untold else "answered", answered=answered)
        return Briefed(text=text, record=record) if text else None

    def _start(self, spent: int) -> str:
        """A tick's start: where the job stands in any case, tick files while there is room for them."""
        budget, count = self.settings.budget, self.settings.count
        notes = self._unsaid(self.notes())
        room = budget.tokens(budget.notes * START_SHARE) - spent
        least = 2 * LEAST if self.resumed else LEAST
        share = max(min(budget.tokens(budget.notes * STATE_SHARE), room), least)
        return "\n".join([TITLE, *fit_ticks(notes, room, count, share=share)])

    def briefing(self) -> str:
        """What a caller puts into the system prompt, within the notes' share."""
        budget, count, title = self.settings.budget, self.settings.count, TITLE
        return "\n".join([title, *fit_ticks(self.notes(), budget.tokens(budget.notes) - count(title), count)])

    def _unsaid(self, notes: TickNotes) -> TickNotes:
        """Without criteria, answers and files that stand in the window word for word."""
        window = window_text(self.log.view())
        now = tuple(line for line in notes.now if not line.startswith("- ") or line not in window)
        pages = tuple(page for page in notes.pages if f"[{page.address} · {page.head} " not in window)
        return TickNotes(now=now, pages=pages, open=tuple(line for line in notes.open if line not in window))

    def noted(self, journal: Journal) -> Journal:
        """The same with what a bridge tells of ticks."""
        ticks = self.log.ticks
        if not ticks.folder:
            return journal
        state = read_state(self.harness())
        node = f" · {self.words['node']}: {state.flow.node}" if state.flow.node else ""
        line = f"{self._under_way()}{node}" if ticks.current is not None else node.removeprefix(" · ")
        notes = NO_TICKS if ticks.placed else self.notes()
        return replace(journal, ticks=notes, tick=self.settings.redact(line))

    def _under_way(self) -> str:
        current = self.log.ticks.current
        if current is None:
            return ""
        goes_on = f"; {self.words['resumed']}" if self.resumed else ""
        return f"{self.words['title']} {current.number} ({self.words['under_way']}{goes_on}): {current.title}"

    def notes(self) -> TickNotes:
        """Where the job stands, and the newest tick files; read from the files now."""
        at, current = self.harness(), self.log.ticks.current
        redact = self.settings.redact
        state = read_state(at)
        node, *more = state_lines(state, self.words)
        lines = [*([self._under_way()] if current is not None else []), node]
        stands = [line for line in more if not line.startswith("- ")]
        lines += [*list(self._answers.values())[-ANSWERS:], *stands, *self._so_far(at, current), *more[len(stands) :]]
        known: list[Finding] = []
        try:
            known = self._open_now()
            numbers = [number for number in at.numbers() if current is None or number != current.number]
            pages = [page for number in numbers[-NEWEST:] if (page := self._page(at, number)) is not None]
            texts = Present(by_name(known), {each.id for each in state.criteria}, self.words).texts(pages)
        except StoreError as error:
            lines.append(str(error))
            texts = []
        waits = [redact(f"- {self.words['open']}: {each.told}") for each in known[:OPEN]]
        more = [MORE.format(len(known) - OPEN)] if len(known) > OPEN else []
        return TickNotes(now=tuple(map(redact, lines)), pages=tuple(texts), open=(*waits, *more))

    def _open_now(self) -> list[Finding]:
        """The problems that are open as things stand."""
        judged = self.judge()
        return judged if judged is not None else [each for each in self.past().findings if each.state == "open"]

    def _so_far(self, at: Harness, current: Ticked | None) -> list[str]:
        """What was written for the tick under way: nothing else in the window has it after a death."""
        draft = read_draft(at.folder, current.number) if current is not None else None
        texts = draft.written if draft is not None else {}
        return [
            f"{self.words['written']} ({self.words[section]}): {first_line(' '.join(text.split()), LONGEST)}"
            for section in SECTIONS
            for text in texts.get(section, ())[-WRITTEN:]
        ]

    def texts(self) -> Mapping[str, str]:
        """Every tick file by its address, for recall; none where the session has no ticks."""
        if not (self.log.ticks.folder or self.lent):
            return {}
        at = self.harness()
        try:
            return {f"t{number}": at.page_text(number) for number in at.numbers()}
        except StoreError as error:
            report.warning("the files of ticks can't be read: %s", error)
            return {}
