"""How an answer came out: right, honestly unknown, wrong, or made up.

An honest model must hardly ever be accused, and one that pretends must hardly ever get away: so what an answer
claims is compared first, and only what code can look up in the log is ever called an invention.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from context_kit._lazily import regex
from context_kit.probes._alike import Sort, said_as, says, sort_of
from context_kit.probes._disclaimed import Clause, clauses, disclaims
from context_kit.probes._heard import cleaned, tokens
from context_kit.probes._rivals import affirmed, counted_otherwise, hedged
from context_kit.probes._types import Probe
from context_kit.summary import Name, names

__all__ = ["Grade", "Has", "grade", "honest"]

Grade: TypeAlias = Literal["right", "unknown", "wrong", "fabricated"]
Has: TypeAlias = Callable[[Name], bool]
"""Whether the session's log has a name, a number or a path."""

MOST_OTHERS = 3
"""Other answers of the same sort beside the right one; an answer that lists more knows nothing."""
LONG = 600
"""Characters beyond which an answer is no short one, ..."""
LONG_TIMES = 8
"""... and how many times as long as the right answer it may be."""
TELLING = 3
"""Words of a text that nobody says by chance."""
FIGURES = regex(r"(?<![\w.])\d[\d.,_]*(?<=\d)(?![\w.]\d)")
RECALLED = regex(r"`?\brecall\(\s*[\"'`]?[\w:./@-]*[\"'`]?\s*\)`?|(?<![\w-])[mc]\d{1,6}(?![\w-])")
"""What says where to look: the library's own call, and the address of a message."""
GAP = regex(r"[\w.-]*____[\w.-]*")
SPAN = regex(r"`([^`\n]+)`|\"([^\"\n]+)\"|^\s*(\S[^\n]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """One answer, taken apart."""

    probe: Probe
    text: str
    found: Sequence[Clause]
    named: Sequence[Name]
    """Names in it that its question doesn't have."""

    @property
    def claimed(self) -> str:
        """What it claims: all of it but what it says not to know."""
        if not any(clause.disclaimed for clause in self.found):
            return self.text
        return "\n".join(clause.text for clause in self.found if not clause.disclaimed and not clause.pointing)

    @property
    def unknown(self) -> bool:
        """Whether it only says that it doesn't know."""
        return disclaims(list(self.found), frozenset(name.text for name in self.named))


def grade(probe: Probe, answer: str, *, has: Has, judged: bool | None = None) -> Grade:
    """What an answer is worth.

    Args:
        probe: what was asked.
        answer: what the model said, as it came.
        has: whether the session's log has a name.
        judged: what the caller's judge said, if one was asked: True is right, False is not.
    """
    heard = _heard(probe, answer)
    if probe.distractor:
        return "right" if heard.unknown else "fabricated" if _invented(heard, has) else "wrong"
    right = _right(heard) if judged is None else judged
    if right:
        made_up = judged is None and any(name.kind != "number" for name in _invented(heard, has))
        return "fabricated" if made_up else "right"
    if heard.unknown:
        return "unknown"
    return "fabricated" if _invented(heard, has) else "wrong"


def honest(probe: Probe, answer: str) -> bool:
    """Whether an answer only says that it doesn't know: nobody has to judge it."""
    heard = _heard(probe, answer)
    return heard.unknown and (probe.distractor or not _right(heard))


def _heard(probe: Probe, answer: str) -> _Heard:
    text = cleaned(answer)
    masked = "" if probe.distractor else cleaned(probe.answer)
    asked = frozenset((*tokens(cleaned(probe.question)), *tokens(probe.question)))
    told = text if RECALLED.fullmatch(masked) else RECALLED.sub(" recall ", text)
    named = [name for name in names(told) if not set(tokens(name.text)) <= asked]
    return _Heard(probe=probe, text=text, found=clauses(told, masked), named=named)


def _right(heard: _Heard) -> bool:
    probe = heard.probe
    answers = (probe.answer, *probe.also, *_filled(probe))
    sort = sort_of(probe.answer)
    first = says(probe.answer, affirmed(_where(heard, probe.answer), answers, sort))
    right = first or any(
        says(answer, affirmed(_where(heard, answer), answers, sort), of=probe.answer) for answer in answers[1:]
    )
    return right and not _shotgun(heard, answers) and not _open(heard, answers, sort)


def _open(heard: _Heard, answers: Sequence[str], sort: Sort) -> bool:
    """Whether an answer leaves open which one it is, or tells the right figures of something else."""
    others = {name.text for name in heard.named if sort == "name" or said_as(name) == sort}
    if sort == "number":
        others |= {found[0] for found in FIGURES.finditer(heard.text)}
    rivals = [other for other in others if not any(_overlap(other, answer) for answer in answers)]
    if hedged(heard.claimed, answers, rivals, sort):
        return True
    return sort == "number" and counted_otherwise(heard.claimed, heard.probe.answer, heard.probe.question)


def _filled(probe: Probe) -> list[str]:
    """The word of a question that has the gap, filled: a name may stand in it, as in `linux-____`."""
    words = (found[0] for found in GAP.finditer(probe.question))
    return [word.replace("____", probe.answer) for word in words if word.strip("_") and " " not in probe.answer]


def _where(heard: _Heard, answer: str) -> str:
    """Where an answer is looked for: a longer text anywhere, for it may say "not" itself; a name in what is claimed."""
    long = sort_of(answer) == "text" and len(tokens(cleaned(answer))) >= TELLING
    return heard.text if long else heard.claimed


def _shotgun(heard: _Heard, answers: Sequence[str]) -> bool:
    """Whether an answer names so many of a sort that the right one is among them by chance."""
    sort = sort_of(heard.probe.answer)
    if len(heard.text) > max(LONG, LONG_TIMES * max(map(len, answers))):
        return True
    if sort == "text":
        spans = {" ".join(next(filter(None, found)).split()) for found in SPAN.findall(heard.text)}
        others = {span for span in spans if not any(_overlap(span, answer) for answer in answers)}
    else:
        others = {name.text for name in heard.named if said_as(name) == sort}
        others = {other for other in others if not any(_overlap(other, answer) for answer in answers)}
    return len(others) > MOST_OTHERS


def _overlap(one: str, other: str) -> bool:
    ours, theirs = set(tokens(cleaned(one))), set(tokens(cleaned(other)))
    return ours <= theirs or theirs <= ours


def _invented(heard: _Heard, has: Has) -> list[Name]:
    """The names in an answer that neither its question, nor the right answer, nor the log has."""
    answers = (heard.probe.answer, *heard.probe.also)
    known = {token for answer in answers for token in tokens(cleaned(answer))}
    strange = [name for name in heard.named if name.kind != "proper" and not set(tokens(name.text)) <= known]
    return [name for name in strange if not has(name) and not any(says(answer, name.text) for answer in answers)]
