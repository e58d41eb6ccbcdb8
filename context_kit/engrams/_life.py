"""The life of an engram: active, superseded by a newer one, released when its reason ends.

Status changes at once, as soon as the log shows it; the text leaves the window at the next
compaction, and the address stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from context_kit.engrams._constraints import constraints
from context_kit.engrams._contracts import contract_key
from context_kit.engrams._failures import failures, unresolved
from context_kit.engrams._fragment import current_file
from context_kit.engrams._recognise import error_key
from context_kit.engrams._sentences import sentences
from context_kit.engrams._taken_back import taken_back
from context_kit.engrams._trail import Trail
from context_kit.types import Engram, EngramStatus

__all__ = ["aged"]


def aged(engrams: Sequence[Engram], keys: Mapping[str, str], trail: Trail) -> tuple[Engram, ...]:
    """The engrams with the status that the log gives them now.

    Args:
        engrams: those of the last compaction.
        keys: the fragment behind each engram's id.
        trail: what was said and done since the session began.
    """
    rules = _Rules(trail)
    return tuple(replace(engram, status=rules.status(engram, keys.get(engram.id, ""))) for engram in engrams)


class _Rules:
    """Why an engram may end, looked up once for all of a board."""

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self.current = current_file(trail)
        found = unresolved(failures(trail))
        self.open = {error_key(failure) for failure in found}
        self.lines = {" ".join(failure.told.split()) for failure in found}
        self.declared: dict[str, str] | None = None

    def status(self, engram: Engram, key: str) -> EngramStatus:
        if engram.kind == "file":
            return self._of_file(engram, key)
        if engram.kind == "error":
            return "active" if key in self.open else "released"
        if key.startswith("open "):
            return "active" if engram.text in self.lines else "released"
        if engram.kind == "contract":
            return self._of_contract(engram, key)
        if engram.kind == "user":
            position = int(engram.source[1:] or 0) if engram.source[:1] == "m" else 0
            over = [
                line
                for line in constraints(engram.text) or sentences(engram.text)
                if taken_back(line, position, self.trail.newer)
            ]
            return "superseded" if over else "active"
        if engram.kind == "promoted" and engram.source.startswith("f:"):
            view = self.trail.files.views.get(key.removeprefix("promoted "))
            return "active" if view is not None and engram.source.endswith(f"@{view.as_of}") else "superseded"
        return "active"

    def _of_file(self, engram: Engram, key: str) -> EngramStatus:
        if self.current is None or key != f"file {self.current.path}":
            return "released"
        return "active" if engram.source.endswith(f"@{self.current.as_of}") else "superseded"

    def _of_contract(self, engram: Engram, key: str) -> EngramStatus:
        if self.declared is None:
            self.declared = {
                f"contract {contract_key(contract, view.path)}": other.now
                if (other := self.trail.newer_elsewhere(contract, view))
                else contract.text
                for view in self.trail.files.views.values()
                if view.text
                for contract in self.trail.declared(view)
            }
        now = self.declared.get(key)
        return "active" if now is None or now == engram.text else "superseded"
