"""Declarations that the session itself wrote, as its newest edit of each left them.

What was only read can be read again as it was; what an edit made is what later steps were built on. It is known
from the edit, also where a later read showed another part of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from context_kit.engrams._contracts import Contract
    from context_kit.engrams._deeds import Deed
    from context_kit.tools import Act

__all__ = ["Authored", "Written", "plain_name"]

Written: TypeAlias = "tuple[Contract, int]"
"""A declaration and the position of the edit that wrote it last."""


@dataclass(slots=True)
class Authored:
    """The declarations that edits wrote so far, by file and name."""

    read_to: int = 0
    """How many deeds are read."""
    _known: dict[str, dict[str, Written]] = field(default_factory=dict[str, dict[str, Written]])

    def follow(self, deeds: Sequence[Deed]) -> None:
        """Read the deeds that are new."""
        for deed in deeds[self.read_to :]:
            self.read_to += 1
            act = deed.act
            if act.kind != "edit" or act.failed or deed.unsure:
                continue
            self._known.pop(act.gone, None)
            if act.content is not None:
                self._known[act.path] = dict(_declared(act, act.content, deed.until))
            for old, new in act.replacements:
                self._replace(act, old, new, deed.until)

    def of(self, path: str) -> dict[str, Written]:
        """A file's, by plain name; those written last stand last."""
        return self._known.get(path, {})

    def _replace(self, act: Act, old: str, new: str, position: int) -> None:
        known = self._known.setdefault(act.path, {})
        written = dict(_declared(act, new, position))
        for name, _ in _declared(act, old, position):
            if name not in written:
                known.pop(name, None)
        for name, found in written.items():
            known.pop(name, None)
            known[name] = found


def plain_name(contract: Contract) -> str:
    """Without its class and its number, which a piece of a file doesn't tell."""
    return contract.name.rpartition(".")[2].partition("#")[0]


def _declared(act: Act, text: str, position: int) -> Iterator[tuple[str, Written]]:
    from context_kit.engrams._contracts import contracts  # the parsers of many languages stand behind it

    return ((plain_name(found), (found, position)) for found in contracts(text, act.path))
