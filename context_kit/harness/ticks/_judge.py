"""What became of each problem while a tick was under way, read off the log in its order.

A check that failed finds; the same check fixes when it passes. What somebody named is fixed when its place was
edited and a check passed after that; an edit alone is a mark. What an earlier tick fixed is known again: said once
more it is no news, printed by a check it is back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from context_kit.engrams import Deed, Said, Trail
from context_kit.harness.ticks._changes import check_of
from context_kit.harness.ticks._findings import Finding, first_of
from context_kit.harness.ticks._located import Place, printed, written
from context_kit.harness.ticks._words import TickWords
from context_kit.tools import Act, Files, error_line

__all__ = ["Case", "Judged", "judged", "reported"]

CLOSE = 12
"""Lines between a place and an edit that is near it."""


@dataclass(slots=True)
class Case:
    """One problem and what the log shows of it."""

    finding: Finding
    new: bool = True
    """Found in this tick."""
    edited: int = 0
    """Position of the newest edit at its place."""
    missing: int = 0
    """Position of a failed run of its check that no longer printed it."""
    fixed: str = ""
    """How it was fixed; empty while it is open."""
    back: int = 0
    """Number of the tick that had fixed it before."""

    def notes(self, words: TickWords, number: int) -> list[str]:
        """What is told beside it."""
        finding = self.finding
        found = [f"{words['by']} `{finding.command}`"] if finding.command else []
        found += [f"{words['in']} {finding.found_in}"] if finding.found_in != number else []
        found += [f"{words['back']} {self.back}"] if self.back else []
        if self.fixed:
            return [*found, self.fixed]
        found += [f"{words['near']} (m{self.edited}), {words['unverified']}"] if self.edited else []
        return found + ([f"{words['missing']} (m{self.missing})"] if self.missing else [])


@dataclass(slots=True)
class Judged:
    """The problems of a tick."""

    cases: list[Case] = field(default_factory=list[Case])
    again: list[tuple[Finding, Finding]] = field(default_factory=list[tuple[Finding, Finding]])
    """Reported once more, and as an earlier tick fixed it."""
    checked: list[Deed] = field(default_factory=list[Deed])
    """Runs of checks, oldest first."""

    _named: dict[str, list[Case]] = field(default_factory=dict[str, list[Case]])
    """The cases by the file's own name."""

    def add(self, case: Case) -> Case:
        """One case more."""
        self.cases.append(case)
        self._named.setdefault(case.finding.name, []).append(case)
        return case

    def case(self, wanted: Finding, churn: Callable[[Finding], int]) -> Case | None:
        """The case of a finding that is known in this tick."""
        named = self._named.get(wanted.name, [])
        found = first_of((case.finding for case in named), wanted, churn)
        return next((case for case in named if case.finding is found), None)


def judged(
    trail: Trail,
    since: int,
    *,
    number: int,
    earlier: Sequence[Finding],
    churn: Callable[[Finding], int],
    redact: Callable[[str], str],
    words: TickWords,
) -> Judged:
    """Walk through the log after a position.

    Args:
        trail: the session's.
        since: position before the tick's first message.
        number: the tick's.
        earlier: what the tick files say, open and fixed.
        churn: lines added to a finding's file and taken from it since it was told.
        redact: takes the secrets out.
        words: of the conversation's language.
    """
    walk = _Walk(number, earlier, churn, redact, words)
    events: list[tuple[int, int, Deed | Said]] = [
        *((deed.until, 0, deed) for deed in trail.deeds),
        *((said.position, 1, said) for said in trail.statements if said.position > since),
    ]
    for _, _, event in sorted(events, key=lambda event: event[:2]):
        if isinstance(event, Said):
            walk.say(written(trail.clean(event, redact).text), f"m{event.position}")
        else:
            walk.do(event, told=event.position > since)
    return walk.judged


def reported(deeds: Iterable[Deed], statements: Iterable[Said], redact: Callable[[str], str]) -> list[Finding]:
    """What is named as a problem: by the model, by one that it asked, by a check that failed."""
    found = [(place, said.position, "") for said in statements for place in written(redact(said.text))]
    for deed in deeds:
        check = check_of(deed) if deed.act.failed else ""
        places = printed(redact(deed.act.output)) if check else _answered(deed, redact)
        found += [(place, deed.until, check) for place in places]
    return [
        Finding(file=place.file, line=place.line, text=place.text, address=f"m{at}", command=check)
        for place, at, check in found
    ]


def _answered(deed: Deed, redact: Callable[[str], str]) -> list[Place]:
    """Problems in what a tool of unknown meaning answered: another agent's review, say."""
    act = deed.act
    return written(redact(act.output)) if act.kind == "other" and not act.failed else []


class _Walk:
    """Where the walk through the log is."""

    def __init__(
        self,
        number: int,
        earlier: Sequence[Finding],
        churn: Callable[[Finding], int],
        redact: Callable[[str], str],
        words: TickWords,
    ) -> None:
        self.number, self.churn, self.redact, self.words = number, churn, redact, words
        self.fixed: dict[str, list[Finding]] = {}
        self.judged = Judged()
        for finding in earlier:
            if finding.state == "open":
                self.judged.add(Case(finding, new=False))
            else:
                self.fixed.setdefault(finding.name, []).append(finding)
        self.files = Files()

    def do(self, deed: Deed, *, told: bool) -> None:
        """One act; what came before the tick only tells how files stood."""
        act = deed.act
        if told and act.kind == "edit" and not act.failed and act.path:
            self._edit(deed)
        elif told and check_of(deed):
            self._check(deed)
        elif told:
            self.say(_answered(deed, self.redact), f"m{deed.until}")
        self.files.fold(deed.done, deed.until, act)

    def say(self, places: Iterable[Place], address: str) -> None:
        """Problems that somebody named."""
        for place in places:
            finding = Finding(file=place.file, line=place.line, text=place.text, address=address, found_in=self.number)
            if self.judged.case(finding, self.churn) is not None:
                continue
            known = first_of(self.fixed.get(finding.name, ()), finding, self.churn)
            if known is None:
                self.judged.add(Case(finding))
            elif all(known is not before for _, before in self.judged.again):
                self.judged.again.append((finding, known))

    def _edit(self, deed: Deed) -> None:
        for case in self.judged.cases:
            finding = case.finding
            if not case.fixed and finding.file and _near(deed.done, finding, self.files):
                case.edited = deed.until

    def _check(self, deed: Deed) -> None:
        self.judged.checked.append(deed)
        check = check_of(deed)
        if deed.act.failed:
            self._failed(deed, check)
            return
        how = f"`{check}` {self.words['passed']} (m{deed.until})"
        for case in self.judged.cases:
            if case.fixed:
                continue
            if case.finding.command and _covers(check, case.finding.command):
                case.fixed = how
            elif not case.finding.command and case.edited:
                case.fixed = f"{self.words['near']} (m{case.edited}), {how}"

    def _failed(self, deed: Deed, check: str) -> None:
        said = self.redact(deed.act.output or deed.act.error)
        places = printed(said) or [Place("", 0, self.redact(error_line(deed.act.error)) or deed.told)]
        seen: list[Case] = []
        for place in places:
            finding = Finding(
                file=place.file,
                line=place.line,
                text=place.text,
                address=f"m{deed.until}",
                command=check,
                found_in=self.number,
            )
            seen.append(self._met(finding))
        for case in self.judged.cases:
            if case.finding.command == check and not case.fixed:
                case.missing = 0 if any(case is met for met in seen) else deed.until

    def _met(self, finding: Finding) -> Case:
        """The case of a finding that a check printed; open again where it was fixed."""
        case = self.judged.case(finding, self.churn)
        if case is not None:
            case.back = self.number if case.fixed and case.new else case.back
            case.fixed = ""
            case.finding = replace(case.finding, command=case.finding.command or finding.command)
            return case
        known = first_of(self.fixed.get(finding.name, ()), finding, self.churn)
        return self.judged.add(Case(finding, back=known.fixed_in if known is not None else 0))


def _near(act: Act, finding: Finding, files: Files) -> bool:
    """Whether an edit touches the place; where it lies isn't known, its file is what counts."""
    known = Finding(file=act.path, text=finding.text)
    if first_of((replace(finding, line=0),), known) is None:
        return False
    spans = _spans(act, files)
    return not spans or not finding.line or any(a - CLOSE <= finding.line <= b + CLOSE for a, b in spans)


def _spans(act: Act, files: Files) -> list[tuple[int, int]]:
    """First and last line of each place that an edit changed, as far as that is known."""
    if act.first > 0:
        return [(act.first, max(act.last, act.first))]
    view = files.find(act.path)
    text = view.text if view is not None and view.whole else None
    if text is None or not act.replacements:
        return []
    spans: list[tuple[int, int]] = []
    for old, new in act.replacements:
        at = text.find(old) if old else -1
        if at < 0:
            return []
        first = text.count("\n", 0, at) + 1
        spans.append((first, first + max(old.count("\n"), new.count("\n"))))
    return spans


def _covers(passed: str, failed: str) -> bool:
    """Whether a check that passed looked at what another one found: it is the same one, or names no more than that."""
    if passed == failed:
        return True
    ours, theirs = (_targets(command) for command in (passed, failed))
    return ours[:1] == theirs[:1] and set(ours) <= set(theirs)


def _targets(command: str) -> list[str]:
    return [word for word in command.split() if not word.startswith("-")]
