"""Pitfalls: a command that failed and passed after a change. What was tried, the error, what cured it, and where.

A change is an edit, a command that changes something, or other circumstances of the command itself: its environment,
its folder, a longer wait.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from context_kit.engrams import REFUSED, Deed
from context_kit.memory._journal._book import LONGEST, Book, last_sentence, typed
from context_kit.tools import Act, Attempt, attempted, error_line, normal_command, verifies
from context_kit.typing import Redact

__all__ = ["Pitfalls"]

_CURES: Final = re.compile(
    r"\b(?:install|add|upgrade|update|downgrade|migrate|init|mkdir|chmod|chown|export|generate|compile|build|start|"
    r"restart|rm|mv|cp|ln|touch|unset|set|checkout|stash|sync|lock)\b"
)
"""A command that changes something; a look cures nothing."""

CHANGED: Final = 120
"""Characters of a changed line that are told."""


_WEAK: Final = ("cd ", "timeout ", "gtimeout ")
"""Circumstances that count only where nothing else was changed: agents put them or leave them out at will."""
_LONG: Final = 260
"""Characters of one change, so that the places in the log have room behind it."""


@dataclass(slots=True)
class _Open:
    """A command that failed and has not passed since."""

    command: str
    tried: Attempt
    error: str
    position: int
    """Of the result that said so last."""
    count: int = 1
    cure: Deed | None = None
    """The newest change since."""


@dataclass(slots=True)
class Pitfalls:
    """Attempts that are open, and what was changed since."""

    book: Book
    _open: dict[str, list[_Open]] = field(default_factory=dict[str, list[_Open]])

    def ran(self, deed: Deed, redact: Redact) -> None:
        """A failure is noted; a success of what failed before, with a change between or in itself, is a pitfall."""
        act = deed.act
        tried = attempted(act.command)
        if act.failed:
            if act.refused or act.error.lstrip("[").startswith(REFUSED):
                return
            count = sum(each.count for each in self._take(tried)) + 1
            found = _Open(act.command, tried, error_line(act.error), deed.until, count)
            self._open.setdefault(tried.core, []).append(found)
        elif act.ended:
            failed = self._take(tried)
            if failed:
                self._passed(failed[-1], tried, deed, redact)
            elif not verifies(act.command) and _CURES.search(act.command):
                self.cured(deed)

    def cured(self, deed: Deed) -> None:
        """Note a change: it may be what cures the open ones."""
        for attempt in (each for found in self._open.values() for each in found):
            attempt.cure = deed

    def _take(self, tried: Attempt) -> list[_Open]:
        """The open attempts of the same command, no longer open; in two folders it is two commands."""
        found = self._open.pop(tried.core, [])
        same = [each for each in found if not (each.tried.place and tried.place) or each.tried.place == tried.place]
        if rest := [each for each in found if each not in same]:
            self._open[tried.core] = rest
        return same

    def _passed(self, attempt: _Open, tried: Attempt, passed: Deed, redact: Redact) -> None:
        """What was tried, the error, what was changed before it passed, and where the log has it."""
        cure = attempt.cure
        changed = [f"{_change(cure.act, redact)[:_LONG]} (m{cure.position})"] if cure is not None else []
        changed += _differences(attempt.tried, tried, weak=cure is None)
        if not changed:
            return
        told = ", ".join(changed)
        times = f", {attempt.count}×" if attempt.count > 1 else ""
        self.book.note(
            passed.position,
            "pitfall",
            normal_command(attempt.command),
            action="pitfall",
            file=cure.act.path if cure is not None and cure.act.kind == "edit" else "",
            cmd=typed(attempt.command),
            error=attempt.error[:LONGEST],
            reason=last_sentence((cure or passed).why),
            result=f"{told[: LONGEST - 40]}; m{attempt.position}{times} → m{passed.until}",
        )


def _change(act: Act, redact: Redact) -> str:
    if act.kind == "run":
        return f"`{' '.join(act.command.split())[: _LONG - 2]}`"
    return f"{act.path}{_changed(act, redact)}"


def _differences(failed: Attempt, passed: Attempt, *, weak: bool) -> list[str]:
    """What the command that passed has beside the one that failed, and what it has no more."""
    before, now = ((*filter(None, (each.place,)), *each.settings) for each in (failed, passed))
    told = [("with", each) for each in now if each not in before]
    told += [("without", each) for each in before if each not in now]
    return [f"{word} `{each}`" for word, each in told if weak or not each.startswith(_WEAK)]


def _changed(act: Act, redact: Redact) -> str:
    """The first line that an edit put in the place of another, and that one."""
    for old, new in act.replacements:
        before, after = ([line.strip() for line in redact(text).splitlines()] for text in (old, new))
        was = next((line for line in before if line and line not in after), "")
        now = next((line for line in after if line and line not in before), "")
        if was or now:
            return (
                f": `{was[:CHANGED]}` → `{now[:CHANGED]}`" if was and now else f": {'+' if now else '-'} `{now or was}`"
            )
    return ""
