"""What became of each problem while a tick was under way, read off the log in its order.

A check that failed finds; one that looks at no less fixes when it passes. What somebody named is fixed when its place
was edited and a check passed after that; an edit alone is a mark. What an earlier tick fixed is known again: said once
more it is no news, unless its place was changed since; printed by a check it is back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from context_kit.engrams import Deed, Said, Trail
from context_kit.harness.ticks._case import Case, Judged, how_fixed
from context_kit.harness.ticks._checks import check_of, covered, idle, proves
from context_kit.harness.ticks._findings import Finding, first_of
from context_kit.harness.ticks._located import Place, printed
from context_kit.harness.ticks._places import Places, Spot
from context_kit.harness.ticks._prose import written
from context_kit.harness.ticks._words import TickWords
from context_kit.tools import Check, checks_last, checks_of, error_line, left_out, stops_early

__all__ = ["Earlier", "Walk", "Written", "reported", "undone"]


@dataclass(frozen=True, slots=True)
class Written:
    """Problems that were written for the tick's file."""

    key: tuple[str, int]
    """Its section, and which of its texts it is."""
    position: int
    findings: tuple[Finding, ...]

    @property
    def firm(self) -> bool:
        """Whether they are open, whatever an earlier tick fixed."""
        return self.key[0] == "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What is known before the tick."""

    findings: Sequence[Finding]
    told: Callable[[Finding], tuple[int, int]]
    """Positions in this log at which a finding was told and fixed; 0 where another log has them."""
    churn: Callable[[Finding], int]
    """Lines that were added to a finding's file and taken from it since it was told."""
    seen: Sequence[Finding] = ()
    """What a process that died saw in this tick."""


def in_order(deeds: Sequence[Deed]) -> list[Deed]:
    """As they happened: of a line that edits and then checks the edits come first."""
    found = list(deeds)
    at = 0
    while at < len(found):
        end = at + 1
        while end < len(found) and (found[end].until, found[end].act.command) == (
            found[at].until,
            found[at].act.command,
        ):
            end += 1
        if end - at > 1 and found[at].act.kind == "run" and checks_last(found[at].act.command):
            found[at:end] = [*found[at + 1 : end], found[at]]
        at = end
    return found


def reported(deeds: Iterable[Deed], statements: Iterable[Said], redact: Callable[[str], str]) -> list[Finding]:
    """What is named as a problem: by the model, by one that it asked, by a check that failed."""
    found = [(place, said.position, "") for said in statements for place in written(redact(said.text))]
    for deed in deeds:
        check = check_of(deed) if deed.act.failed else ""
        places = printed(redact(deed.act.output)) if check else _answered(deed, redact)
        found += [(place, deed.until, check) for place in places]
    return [
        Finding(
            file=place.file, line=place.line, last=place.last, text=place.text, address=f"m{at}", command=check,
            test=place.test,
        )
        for place, at, check in found
    ]  # fmt: skip


def undone(trail: Trail, fixes: Mapping[Finding, tuple[int, int]]) -> set[Finding]:
    """Of fixed findings those whose place was changed after that.

    Args:
        trail: the session's.
        fixes: each with the positions at which it was told and fixed.
    """
    if not fixes:
        return set()
    places = Places()
    spots = [places.watch(Spot.of(each, at, settled=fixed)) for each, (at, fixed) in fixes.items()]
    for deed in in_order(trail.deeds):
        places.follow(deed)
    return {spot.finding for spot in spots if spot.undone}


def _answered(deed: Deed, redact: Callable[[str], str]) -> list[Place]:
    """Problems in what a tool of unknown meaning answered: another agent's review, say."""
    act = deed.act
    return written(redact(act.output)) if act.kind == "other" and not act.failed else []


class Walk:
    """A walk through the log, as far as it goes; what came before the tick only tells how files stood.

    Args:
        number: the tick's.
        since: position before the tick's first message.
        earlier: what the tick files say.
        redact: takes the secrets out.
        words: of the conversation's language.
    """

    def __init__(
        self, number: int, since: int, earlier: Earlier, redact: Callable[[str], str], words: TickWords
    ) -> None:
        self.since = since
        self._read = [0, 0]
        """How many deeds and statements were gone through."""
        self._wrote: set[tuple[str, int]] = set()
        self.number, self.churn, self.redact, self.words = number, earlier.churn, redact, words
        self.fixed: dict[str, list[tuple[Finding, Spot]]] = {}
        self.judged = Judged()
        self.places = Places()
        for finding in earlier.findings:
            at, fixed = earlier.told(finding)
            slack = 0 if at else earlier.churn(finding)
            if finding.state == "open":
                self._watch(Case.left(finding), at or since, slack)
            else:
                spot = Spot.of(finding, at or since, settled=fixed or since)
                self.fixed.setdefault(finding.name, []).append((finding, self.places.watch(spot)))
        for finding in earlier.seen:
            self._seen(finding, since)

    def _seen(self, finding: Finding, since: int) -> None:
        """What a process that died saw: known before with its marks, or new in this tick."""
        left = Case.left(finding)
        case = self.judged.case(finding, self.churn)
        if case is None:
            case = self._watch(left, since)
            case.new = True
        elif case.spot is not None:
            case.spot.edited, case.spot.near = left.edited, left.near
        if finding.state == "fixed" and case.spot is not None:
            case.fixed, case.spot.settled = how_fixed(finding.note), max(since, 1)

    def follow(self, trail: Trail, wrote: Iterable[Written]) -> Judged:
        """Go on to the log's end: what is new since the last time."""
        deeds, statements = trail.deeds[self._read[0] :], trail.statements[self._read[1] :]
        self._read = [len(trail.deeds), len(trail.statements)]
        new = [each for each in wrote if each.key not in self._wrote]
        self._wrote.update(each.key for each in new)
        events: list[tuple[int, int, Deed | Said | Written]] = [
            *((deed.until, 0, deed) for deed in in_order(deeds)),
            *((said.position, 1, said) for said in statements if said.position > self.since),
            *((max(each.position, self.since), 2, each) for each in new),
        ]
        for _, _, event in sorted(events, key=lambda event: event[:2]):
            if isinstance(event, Said):
                found = written(trail.clean(event, self.redact).text)
                self.say(self.found(found, f"m{event.position}"), event.position)
            elif isinstance(event, Written):
                self.say(event.findings, event.position, firm=event.firm)
            else:
                self.do(event, told=event.until > self.since)
        return self.judged

    def _watch(self, case: Case, since: int, slack: int = 0) -> Case:
        finding = case.finding
        case.spot = self.places.watch(Spot.of(finding, since, slack=slack, edited=case.edited, near=case.near))
        case.waits = checks_of(finding.command) if finding.command else ()
        return self.judged.add(case)

    def found(self, places: Iterable[Place], address: str, command: str = "") -> list[Finding]:
        """The problems of this tick at some places."""
        return [
            Finding(
                file=place.file, line=place.line, last=place.last, text=place.text, address=address, command=command,
                test=place.test, found_in=self.number,
            )
            for place in places
        ]  # fmt: skip

    def do(self, deed: Deed, *, told: bool) -> None:
        """One act."""
        self.places.follow(deed)
        if told and check_of(deed):
            if not self.places.aside:  # what passes or fails without the edits says nothing of them
                self._check(deed)
        elif told:
            self.say(self.found(_answered(deed, self.redact), f"m{deed.until}"), deed.until)

    def say(self, findings: Iterable[Finding], at: int, *, firm: bool = False) -> None:
        """Problems that somebody named."""
        for finding in findings:
            case = self.judged.case(finding, self.churn)
            if case is not None:
                self.judged.told = True
                if case.fixed and case.spot is not None and case.spot.undone:
                    self._reopen(case, at)
                continue
            known, spot = self._known(finding)
            if known is None:
                self._watch(Case(finding), at)
            elif firm or (spot is not None and spot.undone):
                self._watch(Case(finding, back=known.fixed_in, undone=spot is not None and spot.undone > 0), at)
            elif all(known is not before for _, before in self.judged.again):
                self.judged.again.append((finding, known))

    def _known(self, finding: Finding) -> tuple[Finding | None, Spot | None]:
        """The finding as an earlier tick fixed it, and its place."""
        fixed = self.fixed.get(finding.name, ())
        known = first_of((each for each, _ in fixed), finding, self.churn)
        return known, next((spot for each, spot in fixed if each is known), None)

    def _reopen(self, case: Case, at: int) -> None:
        case.back, case.undone, case.fixed = self.number, True, ""
        if case.spot is not None:
            case.spot.settled = case.spot.edited = case.spot.near = case.spot.undone = 0
            case.spot.since = at

    def _check(self, deed: Deed) -> None:
        if deed.act.failed:
            self._failed(deed, check_of(deed))
        elif not idle(deed):
            self._passed(deed)

    def _passed(self, deed: Deed) -> None:
        self.judged.checked.append(deed)
        check, left = check_of(deed), left_out(deed.act.output)
        how = f"`{check}` {self.words['passed']} (m{deed.until})"
        for case in self.judged.cases:
            if case.fixed:
                continue
            spot = case.spot
            if case.finding.command:
                if proves(check, case.finding) and (case.skipped is None or left <= case.skipped):
                    case.waits = _waiting(case, checks_of(check))
                case.fixed = "" if case.waits else how
            elif spot is not None and spot.edited:
                case.fixed = f"{self.words['near']} (m{spot.edited}), {how}"
            if case.fixed and spot is not None:
                spot.settled = deed.until

    def _failed(self, deed: Deed, check: str) -> None:
        self.judged.checked.append(deed)
        said = self.redact(deed.act.output or deed.act.error)
        places = printed(said) or [Place("", 0, self.redact(error_line(deed.act.error)) or deed.told)]
        seen = {id(self._met(finding, deed)) for finding in self.found(places, f"m{deed.until}", check)}
        now = checks_of(check)
        if stops_early(check):
            return
        for case in self.judged.cases:
            if case.finding.command and not case.fixed and id(case) not in seen:
                waits = checks_of(case.finding.command)
                case.missing = deed.until if covered(waits, now, case.finding) else case.missing

    def _met(self, finding: Finding, deed: Deed) -> Case:
        """The case of a finding that a check printed; open again where it was fixed."""
        case = self.judged.case(finding, self.churn)
        if case is None:
            known, _ = self._known(finding)
            case = self._watch(Case(finding, back=known.fixed_in if known is not None else 0), deed.until)
        elif case.fixed:
            case.back = self.number if case.new else case.back
            case.fixed = ""
        command = case.finding.command or finding.command
        case.finding = replace(case.finding, command=command, test=case.finding.test or finding.test)
        case.waits, case.missing, case.skipped = checks_of(command), 0, left_out(deed.act.output)
        return case


def _waiting(case: Case, passed: tuple[Check, ...]) -> tuple[Check, ...]:
    """The checks of a finding that have not passed since it was seen."""
    return tuple(each for each in case.waits if not covered((each,), passed, case.finding))
