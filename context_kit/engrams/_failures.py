"""Failures of a session, told apart by attempt and error; one is solved when its attempt passes.

An edit of a file after a failed command is a mark ("edited since, not verified"), not a
solution: only the command's own success is (DESIGN §5), or that of a check that looks at no less. A look at a file
that wasn't there is over when the file is. What a person refused was never tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from context_kit._lazily import regex
from context_kit.engrams._steps import failed_names, mixed, narrower, passed_names, steps_of
from context_kit.engrams._trail import Deed, Trail
from context_kit.tools import (
    Act,
    checking_command,
    closing_line,
    covers,
    elsewhere,
    error_line,
    idle_check,
    looked_for,
    same_file,
    tried,
    verifies,
)

__all__ = ["REFUSED", "Failure", "attempt_key", "attempt_name", "failures", "unresolved"]


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
    """The command line of a run."""
    steps: tuple[str, ...] = field(default=(), repr=False)
    """Of a line that was to check and then to do more, each step that was not done since; else empty."""
    named: frozenset[str] = field(default=frozenset(), repr=False)
    """The packages and files that a check's own closing lines call failed, as far as none of them passed since."""

    @property
    def left(self) -> str:
        """The command line without its steps that were done since."""
        return " && ".join(self.steps) or self.command

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
    found: dict[tuple[str, str], Failure] = {}
    for deed in trail.deeds:
        act = deed.act
        if act.command and act.kind not in ("run", "edit"):
            continue  # what a command did inside: its run stands for it
        if act.failed:
            if not (act.refused or _unanswered(act)) and (not act.command or act.kind == "run"):
                _pass_over(found.values(), deed)
                _note(found, deed)
            continue
        if act.ended and found:
            _solve(found.values(), deed)
    return sorted(found.values(), key=lambda failure: failure.position)


def _unanswered(act: Act) -> bool:
    return act.error.lstrip("[").startswith(REFUSED)


def _pass_over(found: Iterable[Failure], deed: Deed) -> None:
    """Note on earlier failures what a run says to have passed, though another part of it failed."""
    passed = passed_names(deed.act)
    for failure in found:
        if passed and failure.named and not failure.solved and not narrower(deed.act.command, failure.command):
            failure.named -= passed
            failure.solved = 0 if failure.named else deed.position


def _step(failure: Failure, act: Act) -> bool:
    """Whether the last step that was left of a failed line is done now."""
    if not failure.steps or act.kind != "run":
        return False
    did = set(steps_of(act.command))
    idle = idle_check(act.command, act.output)
    failure.steps = tuple(
        step
        for step in failure.steps
        if not (not idle and covers(act.command, step) if verifies(step) else step in did)
    )
    return not failure.steps


def _solve(found: Iterable[Failure], deed: Deed) -> None:
    """Note on earlier failures that an act has passed."""
    act = deed.act
    inside = bool(act.command) and act.kind == "edit"
    key = "" if inside else attempt_key(act)
    checks = act.kind == "run" and verifies(act.command)
    if checks and idle_check(act.command, act.output):
        return
    _pass_over(found, deed)
    for failure in found:
        if failure.solved or deed.position <= failure.position:
            continue
        again = failure.key == key and not elsewhere(act.command, failure.command)
        covered = checks and covers(act.command, failure.command)
        if again or covered or _answers(act, failure) or _step(failure, act):
            failure.solved = deed.position
        elif act.kind == "edit" and failure.key.startswith("run ") and not inside and _concerns(act.path, failure):
            failure.edited = deed.position


def _answers(act: Act, failure: Failure) -> bool:
    """Whether an act shows or makes what a failed look didn't find."""
    if not failure.looked or act.kind not in ("edit", "read") or not act.path or act.gone == act.path:
        return False
    return all(same_file(act.path, path) for path in failure.looked)


def _note(found: dict[tuple[str, str], Failure], deed: Deed) -> None:
    act = deed.act
    line = error_line(act.error)
    closing = closing_line(act.error)
    key = (attempt_key(act), line)
    before = found.pop(key, None)
    steps = steps_of(act.command) if act.kind == "run" else ()
    found[key] = Failure(
        key=key[0],
        attempt=attempt_name(act),
        error=act.error,
        line=line,
        closing="" if closing in line else closing,
        position=deed.position,
        until=deed.until,
        check=act.kind == "run" and verifies(act.command),
        looked=_looked(act),
        command=act.command if act.kind == "run" else "",
        steps=steps if mixed(steps) else (),
        named=failed_names(act),
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
