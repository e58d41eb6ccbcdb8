"""The sections of a tick file: what the log shows, what was written, and which of them nobody decided on.

A log shows what was done, and what its checks found. Whether there are problems where no check ran it can't show,
nor what comes next where no task, problem, criterion or flow says so: that is undecided until somebody writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from context_kit.engrams import Deed
from context_kit.errors import TickError
from context_kit.harness.ticks._case import Case, Judged
from context_kit.harness.ticks._changes import Change, done_lines
from context_kit.harness.ticks._criteria import Criterion
from context_kit.harness.ticks._findings import Finding, apart, first_of, one_file
from context_kit.harness.ticks._flow_state import Flow
from context_kit.harness.ticks._page import Page, finding_line
from context_kit.harness.ticks._prose import ITEM, amiss, said_of
from context_kit.harness.ticks._spots import spot_of
from context_kit.harness.ticks._words import NONE, SECTIONS, Section, TickWords
from context_kit.tools import Todo

__all__ = ["Material", "made", "named", "narrative", "refusal", "settled", "undecided"]

MOST = 6
"""Lines of each kind of what comes next."""
MARKS = " -*•+\t"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What the sections of one tick are made of."""

    number: int
    deeds: Sequence[Deed]
    changes: Sequence[Change]
    judged: Judged
    written: Mapping[Section, Sequence[str]]
    """What the caller or the model wrote, by section."""
    plan: Sequence[Todo]
    flow: Flow
    criteria: Sequence[Criterion]
    words: TickWords
    redact: Callable[[str], str]
    lost: Mapping[Section, Sequence[str]] = field(default_factory=dict[Section, Sequence[str]])
    """What a process that died without a log saw in this tick, line by line."""


def named(text: str, number: int) -> list[Finding]:
    """The problems that a written text names, line by line: with a place, or plainly said to be one."""
    return [finding for finding, _ in _read(text, number) if finding is not None]


def _read(text: str, number: int, *, every: bool = False) -> list[tuple[Finding | None, str]]:
    """Each line of a written text, and the problem that it names; with `every` any line is taken for one."""
    found: list[tuple[Finding | None, str]] = []
    for line in () if _none(text) else text.splitlines():
        item = ITEM.match(line)
        bare = line[item.end() if item else 0 :].strip(MARKS)
        spot = spot_of(bare)
        rest = said_of(bare, spot)
        told = spot is not None or every or (item is not None and amiss(rest))
        finding = Finding(
            file=spot.file if spot else "",
            line=spot.line if spot else 0,
            last=spot.last if spot else 0,
            text=rest,
            found_in=number,
        )
        if bare:
            found.append((finding if told else None, line))
    return found


def made(material: Material) -> dict[Section, tuple[str, ...]]:
    """The lines of every section that is decided."""
    of, words = material, material.words
    cases = settled(material)
    open_cases = [case for case in cases if not case.fixed]
    lines: dict[Section, list[str]] = {
        "done": [*of.lost.get("done", ()), *done_lines(of.deeds, of.changes, words), *_prose(of, "done")],
        "found": [
            *(finding_line(case.finding, case.origin(words)) for case in cases if case.new),
            *(finding_line(new, [f"{words['again']} {known.fixed_in}"]) for new, known in of.judged.again),
            *_prose(of, "found"),
        ],
        "fixed": [
            *(finding_line(case.finding, case.notes(words, of.number)) for case in cases if case.fixed),
            *_unmatched(of, cases),
        ],
        "open": [
            *(finding_line(case.finding, case.notes(words, of.number)) for case in open_cases),
            *_prose(of, "open"),
        ],
        "next": [*_next(of, open_cases), *_prose(of, "next")],
    }
    silent = set(undecided(material))
    return {
        name: tuple(of.redact(line) for line in found) for name, found in lines.items() if found or name not in silent
    }


def undecided(material: Material) -> tuple[Section, ...]:
    """The sections that nobody decided on, in the order of the file."""
    return tuple(name for name in SECTIONS if name not in material.written and _silent(name, material))


def refusal(number: int, silent: Sequence[Section]) -> TickError:
    """Why a tick can't be closed, and what to do."""
    names = " and ".join(repr(name) for name in silent)
    write = "; ".join(f'tick.write("{name}", ...)' for name in silent)
    text = (
        f"tick {number} can't be closed, {names} undecided: the log shows neither what there is nor that there is "
        f"nothing. Say it with {write} (or 'none' in its place), then tick.close(). What was written is kept"
    )
    return TickError(text, number=number, undecided=tuple(silent))


def _silent(name: Section, of: Material) -> bool:
    """Whether the log can't tell what a section holds."""
    judged = of.judged
    if name == "found":
        return not (judged.checked or judged.again or judged.told or of.lost or any(case.new for case in judged.cases))
    if name == "next":
        told = of.plan or of.flow.nodes.get(of.flow.node) is not None or any(_waits(each) for each in of.criteria)
        return not (told or any(not case.fixed for case in judged.cases) or "open" in of.written or _finished(of))
    return False


def _finished(of: Material) -> bool:
    """Whether all that was to be done is: something was, and nothing of it is open."""
    return bool(of.criteria or of.judged.cases) and not _silent("found", of)


def _none(text: str) -> bool:
    return text.strip(MARKS + ".。\n").lower() in NONE


def _prose(of: Material, name: Section) -> list[str]:
    """What was written beside problems, line by line; a heading in it stays text."""
    read = [each for text in of.written.get(name, ()) for each in _read(text, of.number)]
    plain = [line for finding, line in read if finding is None or name in ("done", "next")]
    return [f" {line}" if line.startswith("#") else line for line in plain]


def settled(of: Material) -> list[Case]:
    """The cases of the log, with those closed that were written to be fixed."""
    cases = [replace(case) for case in of.judged.cases]
    for finding in _written_fixed(of):
        known = _meant(cases, finding)
        for case in cases:
            if case is known:
                case.fixed = of.words["said"]
    return cases


def _meant(cases: Sequence[Case], finding: Finding) -> Case | None:
    """The open case that a line of `fixed` means: the same problem, else the only one at the very place."""
    waiting = [case for case in cases if not case.fixed]
    same = first_of((case.finding for case in waiting), finding)
    there = [
        case
        for case in waiting
        if finding.line and case.finding.line and not apart(case.finding, finding)
        if one_file(case.finding.file, finding.file or "?")
    ]
    return next(
        (case for case in waiting if case.finding is same), there[0] if same is None and len(there) == 1 else None
    )


def _written_fixed(of: Material) -> list[Finding]:
    read = [each for text in of.written.get("fixed", ()) for each in _read(text, of.number, every=True)]
    return [finding for finding, _ in read if finding is not None]


def _unmatched(of: Material, cases: Sequence[Case]) -> list[str]:
    """What was written as fixed and is no problem that is known here."""
    known = [case.finding for case in cases]
    return [
        finding_line(each, [])
        for each in _written_fixed(of)
        if first_of(known, each) is None
        and not any(own.name == each.name and own.line and each.line and not apart(own, each) for own in known)
    ]


def _waits(criterion: Criterion) -> bool:
    return criterion.state in ("open", "failed")


def _next(of: Material, open_cases: Sequence[Case]) -> list[str]:
    """Tasks of the plan that wait, open problems, criteria that are not met, where the flow leads."""
    todos = [todo.text for todo in of.plan if todo.status != "completed" and todo.text.strip()]
    lines = [f"- {' '.join(text.split())}" for text in todos[:MOST]]
    shown = [case for case in open_cases if not case.missing]
    lines += [f"- {of.words['fix']} {case.finding.told}" for case in shown[:MOST]]
    lines += [f"- {each.id} {each.text}" for each in of.criteria if _waits(each)][:MOST]
    if of.flow.next:
        lines.append(f"- {of.words['node_next']}: {', '.join(of.flow.next)}")
    return lines


def narrative(page: Page, material: Material) -> str:
    """What a tick did, in a line, where nobody told it."""
    words = material.words
    counts = [f"{words[name]}: {len(page.sections.get(name) or ())}" for name in ("found", "fixed", "open")]
    files = ", ".join(change.path for change in material.changes[-6:])
    reason = f" ({page.reason})" if page.reason else ""
    return f"{page.title}: {words[page.state]}{reason}. {'; '.join(filter(None, [files, *counts]))}"
