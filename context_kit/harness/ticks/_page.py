"""A tick file: written by code, read back from what stands in it, by hand or not.

# Tick 3: the parser's error handling

- state: closed
- session: night, m12-m48
- node: build

## What was done
- src/parser.py: +12 −3 lines (m30)
- `pytest -q` passed: 31 passed in 0.4s (m34)
## Problems found
- src/parser.py:47 the error of close() is swallowed (m14)
## Fixed
- src/parser.py:47 the error of close() is swallowed (m14) — edited there (m30), `pytest -q` passed (m34)
## Open
none
## Next
none
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from context_kit.harness.ticks._findings import Finding
from context_kit.harness.ticks._prose import amiss
from context_kit.harness.ticks._spots import spot_of
from context_kit.harness.ticks._words import HEADINGS, NONE, SECTIONS, UNDECIDED, WORDS, Section, words_of

__all__ = ["Page", "churn_of", "finding_line", "findings_of", "parse_page"]

VERSION = 1
BETWEEN = " — "
"""Stands between a finding and what became of it."""
TITLE = re.compile(r"#\s+(?:Tick|轮次)\s+(\d{1,6})\s*[:：]?\s*(.*)", re.IGNORECASE)
META = re.compile(r"[-*]\s+([^:：]{1,20})[:：]\s*(.*)")
HEADING = re.compile(r"##\s+(.*)")
BULLET = re.compile(r"\s{0,8}[-*•]\s+(.*)")
ADDRESS = re.compile(r"\((m\d{1,9})\)")
CHANGED = re.compile(r"(?:[-*]\s+)(\S.{0,400}?): \+(\d{1,9})(?: [−-](\d{1,9}))? [^\n]{1,40}\(m\d{1,9}\)\s*$")
COMMAND = re.compile(rf"(?:{'|'.join(words['by'] for words in WORDS.values())}) `([^`]{{1,8192}})`")
TEST = re.compile(rf"(?:{'|'.join(words['test'] for words in WORDS.values())}) `([^`]{{1,400}})`")
FOUND_IN = re.compile(rf"(?:{'|'.join(words['in'] for words in WORDS.values())}) (\d{{1,6}})")
STATES = {words[state]: state for words in WORDS.values() for state in ("closed", "interrupted")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One tick file."""

    number: int
    title: str = ""
    state: str = "closed"
    """`closed` or `interrupted`."""
    reason: str = ""
    """What interrupted it."""
    session: str = ""
    first: int = 0
    last: int = 0
    """Positions of the session's log that it tells of; 0 where unknown."""
    node: str = ""
    time: str = ""
    """When it ended, ISO 8601 UTC."""
    language: str = "en"
    sections: Mapping[Section, tuple[str, ...]] = field(default_factory=dict[Section, tuple[str, ...]])
    """The lines of each section; one that is missing is undecided, an empty one holds none."""

    def text(self) -> str:
        """The file."""
        words = words_of(self.language)
        state = words[self.state] + (f" ({self.reason})" if self.reason else "")
        about = {
            "version": str(VERSION),
            words["state"]: state,
            words["session"]: f"{self.session}{f', {self._span()}' if self.last else ''}",
            words["node"]: self.node,
            words["time"]: self.time,
        }
        head = [f"# {words['title']} {self.number}: {self.title}", ""]
        head += [f"- {name}: {' '.join(value.split())}" for name, value in about.items() if value]
        body: list[str] = []
        for name in SECTIONS:
            lines = self.sections.get(name)
            empty = words["undecided"] if lines is None else words["none"]
            body += ["", f"## {words[name]}", *(lines or (empty,))]
        return "\n".join([*head, *body, ""])

    def _span(self) -> str:
        return f"m{self.first}-m{self.last}" if self.first < self.last else f"m{self.last}"


def parse_page(text: str, number: int) -> Page:
    """A tick file as it stands; what can't be read in it is left out."""
    title, about, sections = "", dict[str, str](), dict[Section, list[str]]()
    now: Section | None = None
    for line in text.splitlines():
        if found := TITLE.match(line):
            title = title or found[2].strip()
        elif found := HEADING.match(line):
            now = HEADINGS.get(found[1].strip().rstrip(":：").lower())
            if now is not None:
                sections.setdefault(now, [])
        elif now is not None and line.strip():
            sections[now].append(line.rstrip())
        elif now is None and (found := META.match(line)):
            about[found[1].strip().lower()] = found[2].strip()
    return _page(number, title, about, sections)


def _page(number: int, title: str, about: Mapping[str, str], sections: Mapping[Section, list[str]]) -> Page:
    told = {name: about.get(WORDS["en"][name], about.get(WORDS["zh"][name], "")) for name in ("state", "session")}
    told |= {name: about.get(WORDS["en"][name], about.get(WORDS["zh"][name], "")) for name in ("node", "time")}
    session, _, span = told["session"].partition(", ")
    reach = re.fullmatch(r"m(\d{1,9})(?:-m(\d{1,9}))?", span)
    state, _, reason = told["state"].partition(" (")
    decided: dict[Section, tuple[str, ...]] = {}
    for name, lines in sections.items():
        if not _is(lines, UNDECIDED):
            decided[name] = () if _is(lines, NONE) else tuple(lines)
    return Page(
        number=number,
        title=title,
        state=STATES.get(state, "closed"),
        reason=reason.removesuffix(")"),
        session=session,
        first=int(reach[1]) if reach else 0,
        last=int(reach[2] or reach[1]) if reach else 0,
        node=told["node"],
        time=told["time"],
        language="zh" if WORDS["zh"]["state"] in about else "en",
        sections=decided,
    )


def _is(lines: Iterable[str], said: frozenset[str]) -> bool:
    bare = [line.strip().lstrip("-*• ").rstrip(".。").lower() for line in lines]
    return len(bare) == 1 and bare[0] in said


# -- findings ----------------------------------------------------------------------


def finding_line(finding: Finding, notes: Iterable[str]) -> str:
    """A finding as a line of a tick file."""
    address = f" ({finding.address})" if finding.address and f"({finding.address})" not in finding.text else ""
    told = finding.told.replace(BETWEEN, " - ")
    return f"- {told}{address}{BETWEEN if any(notes) else ''}{', '.join(filter(None, notes))}"


def findings_of(page: Page, section: Section) -> list[Finding]:
    """The findings that a section names; of prose the lines that have a place."""
    return list(_findings(page.sections.get(section) or (), page.number, section))


def _findings(lines: Iterable[str], number: int, section: Section) -> Iterator[Finding]:
    for line in lines:
        item = BULLET.match(line)
        told, _, note = (item[1] if item else line).partition(BETWEEN)
        spot = spot_of(told)
        if spot is None and not (item and (COMMAND.search(note) or amiss(told))):
            continue
        address = ADDRESS.search(told)
        command = COMMAND.search(note)
        test = TEST.search(note)
        since = FOUND_IN.search(note)
        amid = spot is not None and any(map(str.isalpha, told[: spot.start]))
        bare = ADDRESS.sub("", f"{told[: spot.start]} {told[spot.end :]}" if spot and not amid else told).strip()
        file = spot.file if spot else test[1].partition("::")[0] if test else ""
        bare = bare if spot else bare.removeprefix(file)
        yield Finding(
            file=file,
            line=spot.line if spot else 0,
            last=spot.last if spot else 0,
            text=" ".join(bare.split()).lstrip(" :：-–·"),
            address=address[1] if address else "",
            command=command[1] if command else "",
            test=test[1] if test else "",
            state="fixed" if section == "fixed" else "open",
            found_in=int(since[1]) if since else number,
            fixed_in=number if section == "fixed" else 0,
            note=note,
        )


def churn_of(page: Page) -> dict[str, int]:
    """Lines that a tick added to files or took from them, by path."""
    churn: dict[str, int] = {}
    for line in page.sections.get("done") or ():
        if found := CHANGED.match(line):
            churn[found[1]] = churn.get(found[1], 0) + int(found[2]) + int(found[3] or 0)
    return churn
