"""Failures of a session, told apart by attempt and error; one is solved when its attempt passes.

An edit of a file after a failed command is a mark ("edited since, not verified"), not a
solution: only the command's own success is, or that of a check that looks at no less. A look at a file
that wasn't there is over when the file is. What a person refused was never tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from context_kit._lazily import regex
from context_kit.engrams._deeds import Deed
from context_kit.engrams._steps import Parts, apart, line_of, narrower, parts_of, passed_names, passes
from context_kit.engrams._trail import Trail
from context_kit.tools import (
    Act,
    checking_command,
    checks_of,
    closing_line,
    covers,
    error_line,
    idle_check,
    looked_for,
    same_file,
    tried,
    verifies,
)

__all__ = ["REFUSED", "Failure", "attempt_key", "attempt_name", "failures", "halted", "unresolved"]


REFUSED = ("The user doesn't want to proceed", "no result", "Request interrupted", "Tool execution was rejected")
"""How a result begins that a person refused or nobody gave: no failure of the attempt."""


CIRCUMSTANCE = regex(
    r"[Pp]ermission denied|EACCES|EPERM|[Oo]peration not permitted|command not found|[Cc]onnection refused|"
    r"[Cc]ould not resolve host"
)
"""What goes wrong around a command, whatever the project's files say."""


NEWLINE = "⏎"


@dataclass(slots=True)
class Failure:
    """One distinct failure: an attempt and the error it met."""

    key: str
    """What was tried, in a form in which two tries of the same thing compare equal."""
    attempt: str
    """What was tried, to be read."""
    error: str
    """The error's own text, of the newest time."""
    line: str
    """Its last line that says what went wrong, word for word."""
    closing: str
    """The line with which its output ends in an error, where that is another one; else empty."""
    position: int
    """Position of the newest call that met it."""
    until: int
    """Position of that call's result."""
    check: bool
    """A test, a type checker, a linter or a build: what the work must pass; no look at something that isn't there."""
    count: int = 1
    """How often it was met."""
    solved: int = 0
    """Position of the success that solved it; 0 while it is open."""
    edited: int = 0
    """Position of the newest edit since; 0 where there is none."""
    looked: tuple[str, ...] = ()
    """The files that it only wanted to see; empty where it was to do something."""
    command: str = field(default="", repr=False)
    """The command line of a run, with the folder that its call names."""
    parts: Parts = field(default=Parts(), repr=False)
    """What of it a later run may make good."""
    act: Act = field(default=Act(kind="other"), repr=False)
    """The newest act that met it."""

    @property
    def told(self) -> str:
        """Both of its lines, to be read in one."""
        return f"{self.line} … {self.closing}" if self.closing else self.line


def attempt_key(act: Act) -> str:
    """What was tried, in a form in which two tries compare equal."""
    if act.kind == "edit":
        return f"edit {act.path}"
    if act.command:
        return f"run {tried(act.command)}"
    return " ".join(filter(None, (act.tool, act.path, act.about)))


def attempt_name(act: Act) -> str:
    """What was tried, to be read; whole, because it is cut only after its secrets are out."""
    if act.kind == "edit":
        return f"{act.tool} {act.path.rsplit('/', 1)[-1]}".strip()
    if act.command:
        shown = checking_command(act.command) if verifies(act.command) else _in_one_line(act.command)
        return f"`{shown}`"
    return " ".join(filter(None, (act.tool, act.path, " ".join(act.about.split()))))


def _in_one_line(command: str) -> str:
    """A command line as one line: where it had several a sign stands, so that nobody runs another one for it."""
    lines = (" ".join(line.split()) for line in command.replace("\\\n", " ").splitlines())
    return f" {NEWLINE} ".join(filter(None, lines))


def failures(trail: Trail) -> list[Failure]:
    """Every distinct failure, in the order in which it was last met; found once for each state of the trail."""
    return list(trail.memo("failures", lambda: _all(trail)))


def _all(trail: Trail) -> list[Failure]:
    found: dict[tuple[str, str, str], Failure] = {}
    for deed in trail.deeds:
        act = deed.act
        if act.command and act.kind not in ("run", "edit"):
            continue  # what a command did inside: its run stands for it
        if act.failed:
            if not (act.refused or _unanswered(act)) and (not act.command or act.kind == "run"):
                parts = trail.parts.get((deed.position, line_of(act))) or parts_of(act)
                _pass_over(found.values(), deed, by_part=trail.by_part)
                _solve_with(found.values(), deed, parts.done, parts.steps or (line_of(act),))
                _note(found, deed, parts)
            continue
        if act.ended and found:
            _solve(found.values(), deed, by_part=trail.by_part)
    return sorted(found.values(), key=lambda failure: failure.position)


def _unanswered(act: Act) -> bool:
    return act.error.lstrip("[").startswith(REFUSED)


def _pass_over(found: Iterable[Failure], deed: Deed, *, by_part: bool) -> None:
    """Note on earlier failures what a run passed of what they name, though another part of it failed."""
    act, line = deed.act, line_of(deed.act)
    passed = passed_names(act)
    for failure in found:
        named = failure.parts.named
        if not named or failure.solved or deed.position <= failure.position:
            continue
        now = named & passed if passed and not narrower(act.command, failure.command) else frozenset[str]()
        now |= _looked_at(line, failure) if by_part and not act.failed else frozenset()
        if now:
            _settle(failure, failure.parts._replace(named=named - now, passed=(*failure.parts.passed, *sorted(now))))
            failure.solved = 0 if failure.parts.named else deed.position


def _looked_at(line: str, failure: Failure) -> frozenset[str]:
    """What a failure names and a run that passed looked at."""
    checks = checks_of(line)
    wanted = checks_of(failure.command)
    reach = [own for own in checks if any(own.reaches(each) and own.program == each.program for each in wanted)]
    return frozenset(name for name in failure.parts.named if any(own.holds(name) for own in reach))


def _settle(failure: Failure, parts: Parts) -> None:
    """Note what is left of a failure; a check all of whose findings passed is done."""
    if failure.parts.named and not parts.named:
        steps = tuple(step for step in parts.steps if not verifies(step))
        parts = parts._replace(steps=steps, done=(*parts.done, *(each for each in parts.steps if each not in steps)))
    failure.parts = parts


def _solve_with(found: Iterable[Failure], deed: Deed, ran: tuple[str, ...], failed: tuple[str, ...] = ()) -> None:
    """Note on earlier failures which lines passed, as far as they tested anything, and which were run and failed."""
    ran = tuple(line for line in ran if not (verifies(line) and idle_check(line, deed.act.output)))
    for failure in found if ran or failed else ():
        parts = failure.parts
        if deed.position <= failure.position or (failure.solved and not parts.unrun):
            continue
        steps = tuple(each for each in parts.steps if not passes(each, ran))
        behind = tuple(each for each in parts.unrun if not passes(each, (*ran, *failed)))
        if (steps, behind) != (parts.steps, parts.unrun):
            now = tuple(each for each in parts.steps if each not in steps)
            failure.parts = parts._replace(done=(*parts.done, *now), steps=steps, unrun=behind)
        covered = any(verifies(line) and covers(line, failure.command) for line in ran)
        if not failure.solved and (covered or (parts.steps and not steps)):
            failure.solved = deed.position


def _solve(found: Iterable[Failure], deed: Deed, *, by_part: bool) -> None:
    """Note on earlier failures that an act has passed."""
    act = deed.act
    inside = bool(act.command) and act.kind == "edit"
    key = "" if inside else attempt_key(act)
    line = line_of(act)
    if act.kind == "run" and verifies(act.command) and idle_check(act.command, act.output):
        return
    _pass_over(found, deed, by_part=by_part)
    for failure in found:
        if deed.position <= failure.position:
            continue
        if failure.key == key and not apart(line, failure.command):
            failure.parts = failure.parts._replace(unrun=())
            failure.solved = failure.solved or deed.position
        elif failure.solved:
            continue
        elif _answers(act, failure):
            failure.solved = deed.position
        elif act.kind == "edit" and failure.key.startswith("run ") and not inside and _concerns(act.path, failure):
            failure.edited = deed.position
    _solve_with(found, deed, (line,) if act.kind == "run" else ())


def _answers(act: Act, failure: Failure) -> bool:
    """Whether an act shows or makes what a failed look didn't find."""
    if not failure.looked or act.kind not in ("edit", "read") or not act.path or act.gone == act.path:
        return False
    return all(same_file(act.path, path) for path in failure.looked)


def _note(found: dict[tuple[str, str, str], Failure], deed: Deed, parts: Parts) -> None:
    act = deed.act
    line = error_line(act.error)
    closing = closing_line(act.error)
    command = line_of(act) if act.kind == "run" else ""
    key = attempt_key(act)
    alike = (each for each in found if each[:2] == (key, line) and not apart(each[2], command))
    before = found.pop(next(alike, ("", "", "")), None)
    found[key, line, command] = Failure(
        key=key,
        attempt=attempt_name(act),
        error=act.error,
        line=line,
        closing="" if closing in line else closing,
        position=deed.position,
        until=deed.until,
        check=act.kind == "run" and verifies(act.command),
        looked=_looked(act),
        command=command,
        parts=parts,
        act=act,
        solved=deed.position if parts.unrun and not parts.steps else 0,
        count=(before.count if before else 0) + 1,
    )


def _concerns(path: str, failure: Failure) -> bool:
    """Whether the edit of a file may have to do with a failure: what was denied or not found is no matter of files."""
    if failure.check or not CIRCUMSTANCE.search(failure.line):
        return True
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return name in failure.command or name in failure.error


def _looked(act: Act) -> tuple[str, ...]:
    """The files that an act only wanted to see; empty for any other act."""
    if act.kind == "run":
        return looked_for(act.command)
    return (act.path,) if act.kind in ("read", "search") and act.path else ()


def unresolved(found: Sequence[Failure]) -> list[Failure]:
    """The failures that nothing solved yet, oldest first."""
    return [failure for failure in found if not failure.solved]


def halted(found: Sequence[Failure]) -> list[Failure]:
    """The solved ones whose line was to do more, which was never done; oldest first."""
    return [failure for failure in found if failure.solved and failure.parts.unrun]
