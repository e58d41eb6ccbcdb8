"""`acceptance-criteria.md`: a task list; each criterion with its state and the evidence for it.

# Acceptance criteria

- [ ] A1 · All tests pass
- [x] A2 · No new dependencies
  evidence: `git diff pyproject.toml` is empty

`[ ]` is open, `[x]` met, `[!]` failed, `[-]` dropped. A change touches the lines of its criterion; one without a name
gets it written beside its words, so that it keeps it whatever is put before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from context_kit.errors import BudgetError

__all__ = ["FILE", "Criterion", "Verdict", "judge_criterion", "parse_criteria", "require_criterion"]

FILE = "acceptance-criteria.md"
TITLE = "# Acceptance criteria\n"
Verdict: TypeAlias = Literal["open", "met", "failed", "dropped"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
MARKS: Final[dict[str, Verdict]] = {" ": "open", "": "open", "x": "met", "√": "met", "!": "failed", "-": "dropped"}
BOXES: Final[dict[Verdict, str]] = {"open": " ", "met": "x", "failed": "!", "dropped": "-"}
ITEM = re.compile(
    r"\s{0,8}(?:[-*+]|\d{1,3}[.)])\s+\[([ xX√!-]?)\]\s*"
    r"(?:([A-Za-z]{1,3}\d{1,4})(?:\s*·\s*|\s?[:.)-]\s+)|([A-Z]\d{1,4})\s+)?(.*)",
    re.DOTALL,
)
BOX = re.compile(r"\s{0,8}(?:[-*+]|\d{1,3}[.)])\s+\[[ xX√!-]?\]")
EVIDENCE = re.compile(r"\s{1,12}(?:[-*]\s+)?(?:evidence|证据)\s*[:：]\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """What the work must hold to be accepted."""

    id: str
    text: str
    state: Verdict = "open"
    evidence: str = ""


@dataclass(slots=True)
class _Read:
    """A criterion and the lines that it has in the file."""

    found: Criterion
    first: int
    last: int
    bare: bool = False
    """Its name doesn't stand there."""


def parse_criteria(text: str) -> list[Criterion]:
    """Every criterion, in the order of the file; one without a name gets the next free one."""
    return [each.found for each in _read(_split(text))]


def _split(text: str) -> list[str]:
    """Lines as they stand between line feeds: other breaks are a person's own."""
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _names(found: re.Match[str]) -> str:
    return (found[2] or found[3] or "").upper()


def _read(lines: list[str]) -> list[_Read]:
    read: list[_Read] = []
    items = [(at, found) for at, line in enumerate(lines) if (found := ITEM.match(line))]
    taken = {name for _, found in items if (name := _names(found))}
    for at, found in items:
        name = _names(found)
        bare = not name or any(each.found.id == name for each in read)
        if bare:
            name = _free(taken)
            taken.add(name)
        criterion = Criterion(id=name, text=found[4].strip(), state=MARKS.get(found[1].lower(), "open"))
        read.append(_Read(criterion, at, at, bare))
        if at + 1 < len(lines) and (evidence := EVIDENCE.match(lines[at + 1])):
            read[-1].found = _with(criterion, criterion.state, evidence[1].strip())
            read[-1].last = at + 1
    return read


def _named(lines: list[str]) -> list[str]:
    """The lines with the names of all criteria in them."""
    named = list(lines)
    for each in _read(lines):
        if each.bare:
            box = BOX.match(named[each.first])
            named[each.first] = f"{box[0].rstrip()} {each.found.id} · {each.found.text}" if box else named[each.first]
    return named


def _free(taken: set[str]) -> str:
    number = 1
    while f"A{number}" in taken:
        number += 1
    return f"A{number}"


def _with(criterion: Criterion, state: Verdict, evidence: str) -> Criterion:
    return Criterion(id=criterion.id, text=criterion.text, state=state, evidence=evidence)


def _lines(criterion: Criterion) -> list[str]:
    line = f"- [{BOXES[criterion.state]}] {criterion.id} · {criterion.text}"
    return [line, f"  evidence: {criterion.evidence}"] if criterion.evidence else [line]


def require_criterion(text: str, wanted: str) -> tuple[str, Criterion]:
    """The file with one more criterion; one with the same words stays the one."""
    found = parse_criteria(text)
    words = " ".join(wanted.split())
    known = next((each for each in found if each.text == words), None)
    if known is not None:
        return text, known
    criterion = Criterion(id=_free({each.id for each in found}), text=words)
    end = "\r\n" if "\r\n" in text else "\n"
    body = "\n".join(_named(_split(text))).rstrip("\n") + "\n" if text.strip() else TITLE
    gap = "" if found and body.rstrip("\n").split("\n")[-1].strip() else "\n"
    whole = body + gap + "\n".join(_lines(criterion)) + "\n"
    return whole.replace("\n", end), criterion


def judge_criterion(text: str, name: str, state: Verdict, evidence: str) -> tuple[str, Criterion]:
    """The file with another state of one criterion.

    Raises:
        BudgetError: there is no such criterion or state, or nothing shows that it is met.
    """
    if str(state) not in VERDICTS:
        msg = f"state: {state!r} is unknown, use one of {', '.join(VERDICTS)}"
        raise BudgetError(msg)
    words = " ".join(evidence.split())
    if state == "met" and not words:
        msg = f"evidence: nothing is told that shows {name!r} met: name the command and its result, or who looked"
        raise BudgetError(msg)
    lines = _named(_split(text))
    read = _read(lines)
    known = next((each for each in read if each.found.id == str(name).upper()), None)
    if known is None:
        msg = f"id: {name!r} is no criterion, there are {', '.join(each.found.id for each in read) or 'none'}"
        raise BudgetError(msg)
    criterion = _with(known.found, state, words or known.found.evidence)
    lines[known.first : known.last + 1] = _lines(criterion)
    end = "\r\n" if "\r\n" in text else "\n"
    return end.join(lines) + end, criterion
