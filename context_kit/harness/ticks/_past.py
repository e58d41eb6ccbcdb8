"""What the files say: of earlier ticks their findings and what became of them, of the job where it stands.

Read from the files, by hand or not: the newest word on a finding counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from context_kit.errors import StoreError
from context_kit.harness.ticks._criteria import Criterion
from context_kit.harness.ticks._findings import Finding, first_of
from context_kit.harness.ticks._flow_state import Flow
from context_kit.harness.ticks._harness import Harness
from context_kit.harness.ticks._page import Page, churn_of, findings_of
from context_kit.harness.ticks._words import Section, TickWords
from context_kit.summary import first_line
from context_kit.tools import same_file

__all__ = ["Past", "State", "read_state", "state_lines"]

SETTLED: tuple[Section, ...] = ("open", "fixed")
"""The sections that say what became of a finding."""
FARTHEST = 400
"""Lines by which a problem is followed; what moved farther is known by exact places only."""
FIXED_AT = re.compile(r"\(m(\d{1,9})\)")
ENTRY = 400
"""Characters of the last narrative entry that are told."""
CRITERIA = 12
"""Criteria that are told with their words; the others by name."""


@dataclass(slots=True)
class Past:
    """What earlier ticks left."""

    findings: tuple[Finding, ...] = ()
    """Each with its newest state."""
    churns: Mapping[int, Mapping[str, int]] = field(default_factory=dict[int, Mapping[str, int]])
    """Lines that each tick added to files or took from them."""
    logs: Mapping[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    """Of each tick its session, and the newest position of its log then."""
    _fixed: dict[str, list[Finding]] | None = None
    """By the file's own name."""

    @classmethod
    def of(cls, pages: Iterable[Page]) -> Past:
        """Folded from tick files, oldest first."""
        churns: dict[int, Mapping[str, int]] = {}
        logs: dict[int, tuple[str, int]] = {}
        found: dict[str, list[Finding]] = {}
        past = cls((), churns)
        for page in pages:
            logs[page.number] = page.session, page.last
            churns[page.number] = churn_of(page)
            for section in SETTLED:
                for finding in findings_of(page, section):
                    alike = found.setdefault(finding.name, [])
                    known = first_of(alike, finding, past.churn)
                    alike[:] = [each for each in alike if each is not known]
                    alike.append(replace(finding, found_in=known.found_in) if known else finding)
        return cls(tuple(each for alike in found.values() for each in alike), churns, logs)

    def told(self, finding: Finding, session: str) -> tuple[int, int]:
        """Positions in a session's log at which a finding was told and fixed; 0 where another session's has them."""
        told, fixed = self.logs.get(finding.found_in, ("", 0)), self.logs.get(finding.fixed_in, ("", 0))
        at = told[1] if told[0] == session else 0
        at = min(at, int(finding.address[1:])) if at and finding.address else at
        check = FIXED_AT.findall(finding.note)
        until = fixed[1] if fixed[0] == session else 0
        return at, min(until, int(check[-1])) if until and check else until

    def fixes(self, name: str) -> list[Finding]:
        """What was fixed in files of a name."""
        if self._fixed is None:
            self._fixed = {}
            for finding in self.findings:
                if finding.state == "fixed":
                    self._fixed.setdefault(finding.name, []).append(finding)
        return self._fixed.get(name, [])

    def churn(self, finding: Finding, moved: Mapping[str, int] | None = None) -> int:
        """Lines by which a finding may have moved: what was changed in its file since its tick.

        Args:
            finding: one of the tick files'.
            moved: lines that the tick under way added to files or took from them.
        """
        since = finding.fixed_in or finding.found_in
        spans = [each for number, each in self.churns.items() if number >= since]
        lines = sum(
            lines for each in (*spans, moved or {}) for path, lines in each.items() if same_file(path, finding.file)
        )
        return min(lines, FARTHEST)

    def fixed(self, finding: Finding, moved: Mapping[str, int] | None = None) -> Finding | None:
        """The finding as an earlier tick fixed it; None where none did."""
        return first_of(self.fixes(finding.name), finding, lambda each: self.churn(each, moved))

    def edited_since(self, finding: Finding, moved: Mapping[str, int]) -> bool:
        """Whether its file was changed after the tick that fixed it."""
        later = [each for number, each in self.churns.items() if number > finding.fixed_in]
        return any(same_file(path, finding.file) for each in (*later, moved) for path in each)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Where the job stands."""

    flow: Flow = field(default_factory=Flow)
    criteria: tuple[Criterion, ...] = ()
    head: str = ""
    """Of the last narrative entry of the node, else of all: when, at which node."""
    entry: str = ""
    broken: tuple[str, ...] = ()
    """What can't be read, and why."""


def read_state(at: Harness) -> State:
    """What the files say now; one that can't be read is told by name and hides no other."""
    broken: list[str] = []
    flow, head, entry = Flow(), "", ""
    criteria: tuple[Criterion, ...] = ()
    try:
        flow = at.flow
    except StoreError as error:
        broken.append(str(error))
    try:
        criteria = at.criteria
    except StoreError as error:
        broken.append(str(error))
    try:
        if entries := at.entries:
            own = [each for each in entries if flow.node and flow.node in each.head.split(" · ")]
            head, entry = (own or entries)[-1].head, (own or entries)[-1].text
    except StoreError as error:
        broken.append(str(error))
    return State(flow=flow, criteria=criteria, head=head, entry=entry, broken=tuple(broken))


def state_lines(state: State, words: TickWords) -> Iterator[str]:
    """The node, the last entry, the open criteria; what can't be read."""
    flow = state.flow
    leads = f"; {words['node_next'].lower()}: {', '.join(flow.next)}" if flow.next else ""
    lost = f" ({words['no_node']})" if flow.node and flow.node not in flow.nodes else ""
    yield f"{words['node']}: {flow.node or words['none']}{lost}{leads}"
    yield from state.broken
    waiting = [each for each in state.criteria if each.state in ("open", "failed")]
    names = ", ".join(each.id for each in waiting)
    yield f"{words['criteria']}: {names or (words['no_criteria'] if state.criteria else words['none'])}"
    entry = first_line(" ".join(state.entry.split()), ENTRY)
    yield f"{words['entry']}: {' · '.join(filter(None, (entry, state.head))) or words['none']}"
    for each in waiting[:CRITERIA]:
        failed = f" ({words['failed']})" if each.state == "failed" else ""
        yield f"- {each.id} {each.text}{failed}"
