"""Failures of a session, told apart by attempt and error; one is solved when its attempt passes.

An edit of a file after a failed command is a mark ("edited since, not verified"), not a
solution: only the command's own success is (DESIGN §5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context_kit.engrams._trail import Deed, Trail
from context_kit.tools import Act, checking_command, closing_line, error_line, normal_command, verifies

__all__ = ["REFUSED", "Failure", "attempt_key", "attempt_name", "failures", "unresolved"]


REFUSED = ("The user doesn't want to proceed", "no result", "Request interrupted", "Tool execution was rejected")
"""How a result begins that a person refused or nobody gave: no failure of the attempt."""


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

    @property
    def told(self) -> str:
        """Both of its lines, to be read in one."""
        return f"{self.line} … {self.closing}" if self.closing else self.line


def attempt_key(act: Act) -> str:
    """What was tried, in a form in which two tries compare equal."""
    if act.kind == "edit":
        return f"edit {act.path}"
    if act.command:
        return f"run {normal_command(act.command)}"
    return " ".join(filter(None, (act.tool, act.path, act.about)))


def attempt_name(act: Act) -> str:
    """What was tried, to be read; whole, because it is cut only after its secrets are out."""
    if act.kind == "edit":
        return f"{act.tool} {act.path.rsplit('/', 1)[-1]}".strip()
    if act.command:
        shown = checking_command(act.command) if verifies(act.command) else " ".join(act.command.split())
        return f"`{shown}`"
    return " ".join(filter(None, (act.tool, act.path, " ".join(act.about.split()))))


def failures(trail: Trail) -> list[Failure]:
    """Every distinct failure, in the order in which it was last met; found once for each state of the trail."""
    return list(trail.memo("failures", lambda: _all(trail)))


def _all(trail: Trail) -> list[Failure]:
    found: dict[tuple[str, str], Failure] = {}
    for deed in trail.deeds:
        act = deed.act
        if act.command and act.kind != "run":
            continue  # what a command did inside: its run stands for it
        if act.failed:
            if not act.error.lstrip("[").startswith(REFUSED):
                _note(found, deed)
            continue
        if not act.ended:
            continue
        for failure in found.values():
            if failure.solved or deed.position <= failure.position:
                continue
            if failure.key == attempt_key(act):
                failure.solved = deed.position
            elif act.kind == "edit" and failure.key.startswith("run "):
                failure.edited = deed.position
    return sorted(found.values(), key=lambda failure: failure.position)


def _note(found: dict[tuple[str, str], Failure], deed: Deed) -> None:
    act = deed.act
    line = error_line(act.error)
    closing = closing_line(act.error)
    key = (attempt_key(act), line)
    before = found.pop(key, None)
    found[key] = Failure(
        key=key[0],
        attempt=attempt_name(act),
        error=act.error,
        line=line,
        closing="" if closing in line else closing,
        position=deed.position,
        until=deed.until,
        check=act.kind == "run" and verifies(act.command),
        count=(before.count if before else 0) + 1,
    )


def unresolved(found: Sequence[Failure]) -> list[Failure]:
    """The failures that nothing solved yet, oldest first."""
    return [failure for failure in found if not failure.solved]
