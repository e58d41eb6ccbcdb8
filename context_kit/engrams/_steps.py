"""The parts of a failed run that a later one may make good: the steps of its line, the files that it names.

The invariant guarded here: a step counts as done, or as never run, only where the line and its output show it.
"""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from typing import NamedTuple

from context_kit._lazily import regex
from context_kit.tools import Act, attempted, checks_of, covers, elsewhere, lasting, tried, verifies
from context_kit.tools._checks import one_folder, within
from context_kit.tools._commands import manner, program
from context_kit.tools._failure import WELL
from context_kit.tools._shellwords import names, simples
from context_kit.tools._signs import GENERIC, RUNNER

__all__ = ["Parts", "apart", "failed_names", "line_of", "narrower", "parts_of", "passed_names", "passes", "steps_of"]

ASIDE = names("cd pushd popd export set source . echo printf sleep true tail head cat grep tee")
"""What a line does for its other steps, or for the reader, as whatever only views."""
FAILED = regex(
    r"^\s{0,2}(?:FAIL|FAILED|ERROR)[ \t]+((?:[\w@.-]+/[\w@./-]+|[\w@-]+\.\w[\w.-]*)(?:::[^\s-]\S*)?)", re.MULTILINE
)
CASE = regex(r"^(?:FAIL|ERROR): \w+ \(([\w.]+)\)", re.MULTILINE)
PASSED = regex(r"^(?:ok|PASS)[ \t]+([\w@.-]+/[\w@./-]+|[\w@-]+\.\w[\w.-]*)(?![^\n]{0,80}no tests? )", re.MULTILINE)
"""How pytest, jest, `go test` and unittest call a test, a file or a package failed, and passed."""
PLACED = regex(
    r"^\s{0,8}(?:--> )?((?:[\w@.~-]+/)*[\w@-][\w@.-]*\.[A-Za-z]\w{0,7})(?::\d+[:\s]|\(\d+,\d+\): )", re.MULTILINE
)
"""Where a type checker or a linter finds something."""
COUNTED = regex(r"(?<![\w.])(\d{1,6}) (?:failed|errors?)\b|\b(?:failures|errors)=(\d{1,6})")
"""How many failed, as runs sum up."""
SUMMED = 4_096
"""Characters at an output's end in which a run sums up."""
READ = 65_536
"""Characters at an output's end in which names are looked for."""
NARROWS = regex(r"(?<!\S)(?:-k|-t|-run|--run|-skip|--skip|-short|--grep|--testNamePattern|--filter|--lf)(?![\w-])")
GIT = regex(
    r"^(?:fatal: |error: (?:failed to push|pathspec|src refspec|Your local changes)|no changes added|"
    r"nothing (?:added )?to commit|Pre-commit |husky|.{0,80}pre-(?:commit|push) hook|[ \t]*! \[(?:remote )?rejected\]|"
    r"Author identity unknown|CONFLICT )",
    re.MULTILINE,
)
"""How git says that it refused."""


class Parts(NamedTuple):
    """What of a failed run a later one may make good."""

    done: tuple[str, ...] = ()
    """Steps of its line that were done, when it failed or since."""
    steps: tuple[str, ...] = ()
    """Steps of which one failed, as far as they weren't done since; empty for a line of one step."""
    unrun: tuple[str, ...] = ()
    """Steps behind them that were never run, not since either."""
    named: frozenset[str] = frozenset()
    """Tests, files and packages that its output calls failed, as far as none of them passed since."""
    passed: tuple[str, ...] = ()
    """Those of them that passed since."""


# -- where a line runs ---------------------------------------------------------


def line_of(act: Act) -> str:
    """The command line of an act with the folder that its call names."""
    return f"cd {shlex.quote(act.place)} && {act.command}" if act.place and act.command else act.command


@lru_cache(maxsize=512)
def _folder(command: str) -> str:
    folder = ""
    for word in simples(attempted(command).place) if "cd " in command else ():
        folder = within(folder, word.words[-1])
    return folder


def apart(one: str, other: str) -> bool:
    """Whether two command lines run in two folders, as both say."""
    if elsewhere(one, other):
        return True
    here, there = _folder(one), _folder(other)
    return bool(here and there) and not one_folder(here, there)


# -- the steps of a line -------------------------------------------------------


@lru_cache(maxsize=512)
def steps_of(command: str) -> tuple[str, ...]:
    """What a line does one after the other, each with the folder that it runs in.

    None where two lines with other texts would look alike: a script that stands in the line itself.
    """
    steps: list[str] = []
    place = ""
    for simple in simples(command):
        words = program(simple)
        if words[:1] == ["cd"] and len(words) == 2:
            place = f"{shlex.join(words)} && "
        if not words or words[0] in ASIDE or words[:2] == ["git", "add"]:
            continue
        if simple.document is not None and words[0] != "git":
            return ()
        line = shlex.join(words)
        if manner(line).views:
            continue
        steps.append(f"{place}{line}" if verifies(line) else f"{place * (words[0] != 'git')}{tried(line)}")
    return tuple(dict.fromkeys(steps))


@lru_cache(maxsize=512)
def _stops(command: str) -> bool:
    """Whether a line ends at the first step that fails; what it does for them before and behind aside."""
    found = [(simple.link, (program(simple) or [""])[0] in ASIDE) for simple in simples(command)]
    steps = [at for at, (_, aside) in enumerate(found) if not aside]
    return bool(steps) and all(link == "&&" for link, _ in found[steps[0] + 1 : steps[-1] + 1])


def parts_of(act: Act) -> Parts:
    """The parts of a failed run."""
    named = failed_names(act)
    line = line_of(act)
    steps = steps_of(line)
    checks = [at for at, step in enumerate(steps) if verifies(step)]
    if len(steps) < 2 or not (checks or _stops(line)):
        return Parts(named=named)
    first, last = _failing(steps, checks, act) if _stops(line) else (0, len(steps))
    return Parts(steps[:first], steps[first:last], steps[last:], named)


def _failing(steps: tuple[str, ...], checks: list[int], act: Act) -> tuple[int, int]:
    """Between which steps the one stands that failed, as far as what was printed tells."""
    begin = 0
    for shown in lasting(act):
        begin = max([begin, *(at + 1 for at, step in enumerate(steps) if step.startswith(shown.what))])
    if begin == len(steps):
        return 0, begin
    git = next((at for at, step in enumerate(steps) if at >= begin and step.startswith("git ")), -1)
    if git >= 0 and GIT.search(act.error):
        return git, git + 1
    checks = [at for at in checks if at >= begin]
    if not checks:
        return begin, len(steps)
    lines = act.error.splitlines()
    ran = any(RUNNER.match(line) for line in lines)
    if not ran and len(steps) > checks[-1] + 1 and any(WELL.match(line) for line in lines):
        return checks[-1] + 1, len(steps)
    told = ran or any(GENERIC.match(line) for line in lines)
    quiet = all(step.startswith("git ") for step in steps[checks[-1] + 1 :])
    return (checks[0] if ran else begin), (checks[-1] + 1 if told or quiet else len(steps))


def passes(step: str, ran: tuple[str, ...]) -> bool:
    """Whether one of the lines that passed did a step, or looked at no less."""
    if verifies(step):
        return any(covers(line, step) for line in ran)
    bare = tried(step)
    return any(tried(did) == bare and not apart(did, step) for line in ran for did in steps_of(line))


# -- the names that a run calls failed -----------------------------------------


def failed_names(act: Act) -> frozenset[str]:
    """The tests, packages and files that a failed check calls failed; none where it doesn't name them all."""
    if act.kind != "run" or not verifies(act.command):
        return frozenset()
    said = (act.output or act.error)[-READ:]
    found = FAILED.findall(said)
    cases = [name.replace(".", "/") for name in CASE.findall(said)]
    if found and not cases and not any("::" in name for name in found):
        return frozenset(found)
    checks = checks_of(act.command)
    if not found and not cases and checks and not any(check.tests for check in checks):
        found = PLACED.findall(said)
    return frozenset([*found, *cases]) if len(found) + len(cases) >= _counted(said) else frozenset()


def _counted(said: str) -> int:
    """How many a run says to have failed where it sums up; 0 where it doesn't."""
    lines = (COUNTED.findall(line) for line in reversed(said[-SUMMED:].splitlines()))
    return sum(int(one or other) for one, other in next(filter(None, lines), []))


def passed_names(act: Act) -> frozenset[str]:
    """Those that a run says to have passed."""
    return frozenset(PASSED.findall(act.output)) - frozenset(FAILED.findall(act.output))


def narrower(command: str, than: str) -> bool:
    """Whether a run leaves tests out that another one didn't."""
    return not set(NARROWS.findall(command)) <= set(NARROWS.findall(than))
