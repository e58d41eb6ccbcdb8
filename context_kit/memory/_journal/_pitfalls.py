"""Pitfalls: a command that failed and passed after a change. What was tried, the error, what cured it, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from context_kit.engrams import REFUSED, Deed, attempt_key
from context_kit.memory._journal._book import LONGEST, Book, last_sentence
from context_kit.tools import Act, error_line, normal_command, verifies
from context_kit.typing import Redact

__all__ = ["Pitfalls"]

_CURES: Final = re.compile(
    r"\b(?:install|add|upgrade|update|downgrade|migrate|init|mkdir|chmod|chown|export|generate|compile|build|start|"
    r"restart|rm|mv|cp|ln|touch|unset|set|checkout|stash|sync|lock)\b"
)
"""A command that changes something; a look cures nothing."""

CHANGED: Final = 120
"""Characters of a changed line that are told."""


@dataclass(slots=True)
class _Attempt:
    """A command that failed and has not passed since."""

    name: str
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
    _open: dict[str, _Attempt] = field(default_factory=dict[str, _Attempt])

    def ran(self, deed: Deed, redact: Redact) -> None:
        """A failure is noted; a success of what failed before, with a change between, is a pitfall known."""
        act = deed.act
        key = attempt_key(act)
        if act.failed:
            if act.error.lstrip("[").startswith(REFUSED):
                return
            before = self._open.get(key)
            name = normal_command(act.command)
            self._open[key] = _Attempt(name, error_line(act.error), deed.until, (before.count if before else 0) + 1)
        elif act.ended:
            attempt = self._open.pop(key, None)
            if attempt is not None and attempt.cure is not None:
                self._pitfall(attempt, attempt.cure, deed, redact)
            elif not verifies(act.command) and _CURES.search(act.command):
                self.cured(deed)

    def cured(self, deed: Deed) -> None:
        """Note a change: it may be what cures the open ones."""
        for attempt in self._open.values():
            attempt.cure = deed

    def _pitfall(self, attempt: _Attempt, cure: Deed, passed: Deed, redact: Redact) -> None:
        """What was tried, the error, what was changed before it passed, and where the log has it."""
        act = cure.act
        by = f"`{normal_command(act.command)}`" if act.kind == "run" else f"{act.path}{_changed(act, redact)}"
        times = f", {attempt.count}×" if attempt.count > 1 else ""
        self.book.note(
            passed.position,
            "pitfall",
            attempt.name,
            action="pitfall",
            file=act.path if act.kind == "edit" else "",
            cmd=attempt.name[:LONGEST],
            error=attempt.error[:LONGEST],
            reason=last_sentence(cure.why),
            result=f"{by} (m{cure.position}); m{attempt.position}{times} → m{passed.until}"[:LONGEST],
        )


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
