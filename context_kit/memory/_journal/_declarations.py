"""The declarations of edited files as they now stand: whole lines, each recorded when it is new, changed or gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from context_kit.engrams import Contract, Deed, Trail, contracts
from context_kit.memory._journal._book import OWN, Book, last_sentence
from context_kit.tools import Act, FileView
from context_kit.types import Record

__all__ = ["Declarations"]

LONGEST: Final = 2_000
"""Characters of a declaration, whole lines."""
MOST: Final = 60
"""Declarations of one file that are recorded when it is first edited, the most; later only what an edit changed."""


@dataclass(slots=True)
class Declarations:
    """What of the files' declarations stands in the journal."""

    book: Book
    _stands: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """Declarations by file and name, as they were recorded last."""
    _times: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    """How often each was recorded with this text: a declaration may become again what it was."""
    _seen: dict[str, str] = field(default_factory=dict[str, str])
    """Whole contents that were read of files not yet edited."""

    def recall(self, own: Sequence[Record]) -> None:
        """Take in what the session recorded before it was opened again."""
        for record in own:
            if record.action == "contract" and record.id.startswith(OWN):
                self._stands.setdefault(record.file, {})[record.name] = record.result
                self._times[record.file, record.name, record.result] += 1

    def read(self, act: Act) -> None:
        """Keep what a file was before it is edited."""
        if act.whole and act.content is not None:
            self._seen[act.path] = act.content

    def edited(self, trail: Trail, view: FileView, deed: Deed, path: str) -> None:
        """The declarations of an edited file that are new or changed, and those that are gone."""
        if not view.gone and not view.text:
            return
        file, seen = trail.redact(view.path), self._seen.pop(path, "")
        before = self._stands.get(file)
        base = _texts(contracts(trail.redact(seen), view.path)) if before is None else before
        older = {} if base else _replaced(deed.act, view.path)
        now = {} if view.gone else _texts(_own(trail, view))
        changed = {name: text for name, text in now.items() if base.get(name) != text}
        for name, text in islice(({**changed, **now} if before is None else changed).items(), MOST):
            was = base.get(name) or older.get(name.rpartition(".")[2], "")
            self._contract(deed, file, name, text, was if was != text else "")
        all_known = view.gone or view.whole
        for name, text in base.items() if all_known else ():
            if text and name not in now:
                self._contract(deed, file, name, "", text)
        self._stands[file] = now if all_known else {**base, **now}

    def _contract(self, deed: Deed, file: str, name: str, text: str, was: str) -> None:
        times = self._times[file, name, text]
        self._times[file, name, text] += 1
        self.book.note(
            "contract",
            file,
            name,
            text,
            times,
            action="contract",
            file=file,
            name=name,
            result=_whole_lines(text),
            was=_whole_lines(was),
            reason=last_sentence(deed.why) if was else "",
        )


def _texts(found: Sequence[Contract]) -> dict[str, str]:
    """By name, what others may hang on: tests and private helpers are none."""
    return {each.name: _whole_lines(each.text) for each in found if each.public and not _is_test(each.name)}


def _is_test(name: str) -> bool:
    return name.lower().startswith("test")


def _replaced(act: Act, path: str) -> dict[str, str]:
    """By its last name, each declaration in the text that an edit took out."""
    found = (each for old, _ in act.replacements for each in contracts(old, path))
    return {each.name.rpartition(".")[2]: _whole_lines(each.text) for each in found}


def _whole_lines(text: str) -> str:
    """The lines that have room."""
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rpartition("\n")[0] or text[:LONGEST]


def _own(trail: Trail, view: FileView) -> list[Contract]:
    """What this session knows best: another one may have changed a declaration since it looked."""
    return [contract for contract in trail.declared(view) if trail.newer_elsewhere(contract, view) is None]
