"""The parts of a failed run that a later one may make good: the steps of its line, the packages that it names."""

from __future__ import annotations

import re
import shlex
from functools import lru_cache

from context_kit._lazily import regex
from context_kit.tools import Act, tried, verifies
from context_kit.tools._commands import program
from context_kit.tools._shellwords import names, simples

__all__ = ["failed_names", "mixed", "narrower", "passed_names", "steps_of"]

ASIDE = names("cd pushd popd export set source . echo printf sleep true tail head cat grep tee")
"""What a line does for its other steps, or for the reader."""
FAILED = regex(r"^(?:FAIL|FAILED)[ \t]+([\w@.-]+/[\w@./-]+|[\w@-]+\.\w[\w.-]*)", re.MULTILINE)
PASSED = regex(r"^(?:ok|PASS)[ \t]+([\w@.-]+/[\w@./-]+|[\w@-]+\.\w[\w.-]*)(?![^\n]{0,80}no tests? )", re.MULTILINE)
"""How `go test` and jest call a package or a file failed, and passed."""
NARROWS = regex(r"(?<!\S)(?:-k|-t|-run|--run|-skip|--skip|-short|--grep|--testNamePattern|--filter|--lf)(?![\w-])")


@lru_cache(maxsize=512)
def steps_of(command: str) -> tuple[str, ...]:
    """What a line does one after the other: its checks, each with the folder that it runs in, and the rest."""
    steps: list[str] = []
    place = ""
    for simple in simples(command):
        words = program(simple)
        if words[:1] == ["cd"] and len(words) == 2:
            place = f"{shlex.join(words)} && "
        if not words or words[0] in ASIDE or words[:2] == ["git", "add"]:
            continue
        line = shlex.join(words)
        steps.append(f"{place}{line}" if verifies(line) else tried(line))
    return tuple(dict.fromkeys(steps))


def mixed(steps: tuple[str, ...]) -> bool:
    """Whether steps are to check and to do more."""
    return 0 < sum(map(verifies, steps)) < len(steps)


def failed_names(act: Act) -> frozenset[str]:
    """The packages and files that a failed check calls failed."""
    return frozenset(FAILED.findall(act.error)) if act.kind == "run" and verifies(act.command) else frozenset()


def passed_names(act: Act) -> frozenset[str]:
    """Those that a run says to have passed."""
    return frozenset(PASSED.findall(act.output)) - frozenset(FAILED.findall(act.output))


def narrower(command: str, than: str) -> bool:
    """Whether a run leaves tests out that another one didn't."""
    return not set(NARROWS.findall(command)) <= set(NARROWS.findall(than))
