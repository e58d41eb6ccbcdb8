"""What the user says, and when: the goal, then turns as the work goes on. Drawn by seed.

A turn is due when so many of the named modules are committed; the strategies all hear the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final, Literal

from benchmarks._refactoring import _wording as words
from benchmarks._refactoring._project import Project

__all__ = ["Turn", "goal", "told", "turns"]

Kind = Literal["rule", "fact", "changed", "question", "ticket", "noise"]

ORDER: Final[tuple[tuple[int, Kind, str], ...]] = (
    (2, "rule", "legacy"),
    (4, "fact", "reviewer"),
    (5, "rule", "changelog"),
    (7, "noise", "log"),
    (9, "fact", "limit"),
    (11, "question", "baseline"),
    (13, "changed", "guard"),
    (14, "rule", "rename"),
    (15, "question", "error"),
    (17, "changed", "clock"),
    (18, "ticket", ""),
    (20, "question", "reviewer"),
    (21, "question", "limit"),
)
"""After how many committed modules which turn comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One user turn."""

    after: int
    """Committed modules."""
    kind: Kind
    name: str
    text: str


def goal(project: Project) -> str:
    """The first user turn."""
    rng = random.Random(f"goal {project.seed}")
    language = project.language
    rules = [_rule(rng, name, language) for name in ("tests", "dependency", "scope")]
    listed = "\n".join(f"- {module.path}" for module in project.listed)
    return "\n".join(
        [
            words.OPENING[language].format(package=project.package),
            words.GUIDE_FIRST[language],
            "",
            words.LISTED[language],
            listed,
            "",
            *rules,
            words.TICKET[language].format(value=project.tickets[0]),
        ]
    )


def turns(project: Project) -> tuple[Turn, ...]:
    """The later ones, in order; every third or so in the other language."""
    rng = random.Random(f"story {project.seed}")
    other = {"en": "zh", "zh": "en"}[project.language]
    found = []
    for after, kind, name in ORDER:
        language = other if rng.random() < 0.4 else project.language
        found.append(Turn(after=after, kind=kind, name=name, text=_text(rng, project, kind, name, language)))
    return tuple(found)


def told(project: Project, name: str) -> str:
    """The value of a detail that was told, or of the ticket that counts at the end."""
    return {"reviewer": project.reviewer, "limit": str(project.limit), "ticket": project.tickets[1]}[name]


def _text(rng: random.Random, project: Project, kind: Kind, name: str, language: str) -> str:
    if kind == "rule":
        return _rule(rng, name, language)
    if kind == "fact":
        return words.FACTS[name][language].format(value=told(project, name))
    if kind == "question":
        return words.QUESTIONS[name][language]
    if kind == "ticket":
        return words.TICKET_NEW[language].format(value=project.tickets[1])
    if kind == "changed":
        function = {"guard": "check_guard", "clock": "stamp_clock"}[name]
        path = f"{project.package}/core/{name}.py"
        return words.ANNOUNCED[language].format(path=path, function=function)
    return _log(rng, project)


def _rule(rng: random.Random, name: str, language: str) -> str:
    """A wording in the language asked for."""
    return rng.choice([text for text in words.RULES[name] if text.isascii() == (language == "en")])


def _log(rng: random.Random, project: Project) -> str:
    """Something pasted that matters to nothing."""
    lines = ["FYI, from staging this morning, nothing to do for you:", ""]
    for at in range(12):
        module = rng.choice(project.modules)
        lines.append(f"07:{at:02}:11 INFO worker-{rng.randrange(8)} {module.dotted} took {rng.randrange(900)} ms")
    logged = lines[2:]
    more = range(round(12 * (project.scale - 1)))
    lines += [logged[at % 12].replace("07:", f"{8 + at // 12:02}:") for at in more]
    return "\n".join(lines)
