"""The sections of a tick file: what the log shows, what was written, and which of them nobody decided on.

A log shows what was done, and what its checks found. Whether there are problems where no check ran it can't show,
nor what comes next where no task, problem, criterion or flow says so: that is undecided until somebody writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from context_kit.engrams import Deed
from context_kit.errors import TickError
from context_kit.harness.ticks._changes import Change, done_lines
from context_kit.harness.ticks._criteria import Criterion
from context_kit.harness.ticks._findings import Finding, first_of
from context_kit.harness.ticks._flow_state import Flow
from context_kit.harness.ticks._judge import Case, Judged
from context_kit.harness.ticks._located import ITEM, SPOT, WELL, WRONG
from context_kit.harness.ticks._page import Page, finding_line
from context_kit.harness.ticks._words import NONE, SECTIONS, Section, TickWords
from context_kit.tools import Todo

__all__ = ["Material", "made", "named", "narrative", "refusal", "undecided"]

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
    fixed: Callable[[Finding], Finding | None]
    """The finding as an earlier tick fixed it."""


def named(text: str, number: int) -> list[Finding]:
    """The problems that a written text names, line by line: with a place, or plainly said to be one."""
    return [finding for finding, _ in _read(text, number) if finding is not None]


def _read(text: str, number: int, *, every: bool = False) -> list[tuple[Finding | None, str]]:
    """Each line of a written text, and the problem that it names; with `every` any line is taken for one."""
    found: list[tuple[Finding | None, str]] = []
    for line in () if _none(text) else text.splitlines():
        item = ITEM.match(line)
        bare = line[item.end() if item else 0 :].strip(MARKS)
        spot = SPOT.search(bare[:1_000])
        rest = " ".join((bare.replace(spot[0], " ", 1) if spot else bare).split()).lstrip(" :：-–—·")
        place = spot[1].removeprefix("./") if spot else ""
        told = spot is not None or every or (item is not None and WRONG.search(rest) and not WELL.search(rest))
        finding = Finding(file=place, line=int(spot[3]) if spot else 0, text=rest, found_in=number)
        if bare:
            found.append((finding if told else None, line))
    return found


def made(material: Material) -> dict[Section, tuple[str, ...]]:
    """The lines of every section that is decided."""
    of, words = material, material.words
    cases = _written_cases(material)
    open_cases = [case for case in cases if not case.fixed]
    lines: dict[Section, list[str]] = {
        "done": [*done_lines(of.deeds, of.changes, words), *_prose(of, "done")],
        "found": [
            *(finding_line(case.finding, _found_notes(case, words)) for case in cases if case.new),
            *(finding_line(new, [f"{words['again']} {known.fixed_in}"]) for new, known in _again(of)),
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
        return not (judged.checked or judged.again or any(case.new for case in judged.cases))
    if name == "next":
        told = of.plan or of.flow.nodes.get(of.flow.node) is not None or any(_waits(each) for each in of.criteria)
        return not (told or any(not case.fixed for case in judged.cases) or "open" in of.written)
    return False


def _again(of: Material) -> list[tuple[Finding, Finding]]:
    """What was reported once more, and as an earlier tick fixed it; each once."""
    found = list(of.judged.again)
    for finding in (each for text in of.written.get("found", ()) for each in named(text, of.number)):
        known = of.fixed(finding)
        if known is not None and all(known is not before for _, before in found):
            found.append((finding, known))
    return found


def _none(text: str) -> bool:
    return text.strip(MARKS + ".。\n").lower() in NONE


def _prose(of: Material, name: Section) -> list[str]:
    """What was written beside problems, line by line; a heading in it stays text."""
    read = [each for text in of.written.get(name, ()) for each in _read(text, of.number)]
    plain = [line for finding, line in read if finding is None or name in ("done", "next")]
    return [f" {line}" if line.startswith("#") else line for line in plain]


def _written_cases(of: Material) -> list[Case]:
    """The cases of the log, and what was written of problems taken into them."""
    cases = [replace(case) for case in of.judged.cases]
    for name in ("found", "open"):
        for finding in (each for text in of.written.get(name, ()) for each in named(text, of.number)):
            known = of.fixed(finding)
            if first_of((case.finding for case in cases), finding) is not None or (known and name == "found"):
                continue
            cases.append(Case(finding, back=known.fixed_in if known else 0))
    for finding in _written_fixed(of):
        known = first_of((case.finding for case in cases if not case.fixed), finding)
        for case in cases:
            if case.finding is known:
                case.fixed = of.words["said"]
    return cases


def _written_fixed(of: Material) -> list[Finding]:
    read = [each for text in of.written.get("fixed", ()) for each in _read(text, of.number, every=True)]
    return [finding for finding, _ in read if finding is not None]


def _unmatched(of: Material, cases: Sequence[Case]) -> list[str]:
    """What was written as fixed and is no problem that is known here."""
    known = [case.finding for case in cases]
    return [finding_line(each, []) for each in _written_fixed(of) if first_of(known, each) is None]


def _found_notes(case: Case, words: TickWords) -> list[str]:
    notes = [f"{words['by']} `{case.finding.command}`"] if case.finding.command else []
    return [*notes, *([f"{words['back']} {case.back}"] if case.back else [])]


def _waits(criterion: Criterion) -> bool:
    return criterion.state in ("open", "failed")


def _next(of: Material, open_cases: Sequence[Case]) -> list[str]:
    """Tasks of the plan that wait, open problems, criteria that are not met, where the flow leads."""
    todos = [todo.text for todo in of.plan if todo.status != "completed" and todo.text.strip()]
    lines = [f"- {' '.join(text.split())}" for text in todos[:MOST]]
    lines += [f"- {of.words['fix']} {case.finding.told}" for case in open_cases[:MOST]]
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
