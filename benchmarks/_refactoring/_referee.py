"""The referee: counts what went wrong, by what was really done and said before.

It sees the whole session and the disk; the agent sees neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchmarks._refactoring import _wording as words
from benchmarks._refactoring._moves import Move
from benchmarks._refactoring._project import Module, Style, fitting
from benchmarks._refactoring._story import told
from benchmarks._refactoring._workshop import Workshop

__all__ = ["Referee"]


@dataclass(slots=True)
class Referee:
    """Of one run."""

    shop: Workshop
    faults: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Kind and what it was, in order."""
    recorded: set[str] = field(default_factory=set[str])
    """Approaches that failed or were rejected, signatures that were changed."""
    ticket: str = ""
    """The one that counts now."""
    _read: dict[str, str] = field(default_factory=dict[str, str])
    """Each file's text when it was last read."""
    _ran: dict[str, str] = field(default_factory=dict[str, str])
    """What each command looked at when it last ran."""
    _baseline: str = ""

    def count(self, kind: str) -> int:
        """How many faults of a kind."""
        return sum(each == kind for each, _ in self.faults)

    def before(self, move: Move) -> None:
        """Judge a step that is about to be taken."""
        if move.kind == "read":
            self._reading(move.path)
        elif move.kind == "write":
            self._writing(move)
        elif move.kind == "edit":
            self._fault("drift", f"edit {move.path}")
        elif move.kind == "run":
            self._running(move.command)
        elif move.answer:
            self._answering(move)

    def after(self, move: Move, output: str) -> None:
        """Note what a step brought to light."""
        self.recorded |= {name for name, look in words.FAILED.items() if look.search(output)}
        if move.kind == "read" and words.CACHE_NOTE in output:
            self.recorded.add("cache")
        if " discover " in move.command and not self._baseline and (found := re.search(r"Ran (\d+) tests", output)):
            self._baseline = found[1]

    def changed(self, name: str) -> None:
        """The user changed a signature."""
        self.recorded.add({"guard": "scope", "clock": "zone"}[name])

    def _fault(self, kind: str, what: str) -> None:
        self.faults.append((kind, what))

    def _reading(self, path: str) -> None:
        text = self.shop.files.get(path, "")
        if self._read.get(path) == text:
            self._fault("repeated", f"read {path}")
        self._read[path] = text

    def _running(self, command: str) -> None:
        if command.startswith("git commit"):
            self._committing(command)
            return
        looked = "\n".join(self.shop.files) if "ls-files" in command else self.shop.digest(".py")
        looked = f"{self.shop.commits}" if "git log" in command else looked
        if self._ran.get(command) == looked:
            self._fault("repeated", command)
        self._ran[command] = looked

    def _committing(self, command: str) -> None:
        found = re.search(r"\((\S+)\)", command)
        used = found[1] if found else ""
        if used == self.ticket:
            return
        stale = used in self.shop.project.tickets
        self._fault("contradicted" if stale else "invented", f"commit under {used}, not {self.ticket}")

    def _writing(self, move: Move) -> None:
        module = self.shop.project.at(move.path)
        if module is None or move.style is None:
            self._fault("drift", f"write {move.path}")
            return
        if not module.listed:
            self._fault("drift", f"write {move.path}")
        if self.shop.files[move.path] == self.shop.text(move):
            self._fault("repeated", f"write {move.path} again")
        style = fitting(module, move.style)
        if style.alias and not self.shop.styles[move.path].alias:
            self._fault("drift", f"alias in {move.path}")
        for name in _approaches(module, style) & self.recorded:
            self._fault("contradicted", f"{name} in {move.path}")

    def _answering(self, move: Move) -> None:
        if move.answer == "error":
            right = words.FAILED["open"].search(move.say) is not None
        else:
            value = self._baseline if move.answer == "baseline" else told(self.shop.project, move.answer)
            right = value in move.say
        if not right:
            self._fault("invented", f"answer on {move.answer}: {move.say}")


def _approaches(module: Module, style: Style) -> set[str]:
    """What a version does that may have been given up."""
    found = {
        "open": module.reads and not style.thread,
        "gather": style.gather,
        "plain": style.coloured,
        "cache": style.cache,
        "scope": module.guards and not style.scope,
        "zone": module.stamps and not style.zone,
    }
    return {name for name, does in found.items() if does}
