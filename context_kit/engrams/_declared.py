"""Declarations of the files in work: which of them are worth a place on the board, the most wanted first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from context_kit._lazily import regex
from context_kit.engrams._authored import plain_name
from context_kit.engrams._contracts import Contract, contract_key
from context_kit.engrams._fragment import Fragment, address_of, current_file, standing
from context_kit.engrams._hits import WORD, Hits
from context_kit.engrams._members import belongs, labelled, naming
from context_kit.engrams._trail import Trail
from context_kit.tools import FileView

__all__ = ["declarations", "edited_contracts"]

CONTRACT_CHARACTERS = 24_000
"""Candidates of the lowest kind are not looked for beyond this many characters."""
BUILT_ON = 12
"""So many declarations that this session wrote, the ones that steps named last, have room beside a large file."""
SHORT = 8
"""Lines of a declaration that has."""
FILES = 200
"""So many files, the ones seen last, are looked at."""
NAMED = regex(r"`(\w{4,})`|\b(\w{4,})\(|\b([a-z]\w*_\w+|[A-Z]?[a-z]+[A-Z]\w*)\b")
"""Words that are plainly names in code: in backticks, before a bracket, with an underscore or a capital inside."""


def declarations(trail: Trail, cut: int, redact: Callable[[str], str], hits: Hits) -> Iterator[Fragment]:
    """Declarations of the files in work, those first that this session wrote and later steps name.

    Then what the current file or later steps name; among equals: what this session wrote, edited files before read
    ones, the newest first, public names first, tests last.
    """
    current = current_file(trail)
    used = frozenset(WORD.findall(current.text or "")) if current else frozenset[str]()
    asked = frozenset(word for said in trail.words for word in trail.once(_names, said))
    shown = standing(trail, cut)
    found: list[_Declared] = []
    for view in _newest(trail, asked):
        if view.path not in shown:
            known = _of_file(trail, view, asked, used, hits)
            found += known if view is not current else (each for each in known if each.built_on)
    found.sort(key=_worth, reverse=True)
    spent = 0
    named: set[str] = set()
    latest = [each for each in found if each.built_on][:BUILT_ON]
    for each in found:
        contract, view = each.contract, each.view
        spent += len(contract.text)
        if spent > CONTRACT_CHARACTERS:
            return
        name = belongs(contract, () if each.apart else trail.declared(view))
        first = each.asked and contract.name not in named and "\n" not in contract.text
        named.add(contract.name)
        fragment = Fragment(
            key=f"contract {contract_key(contract, view.path)}",
            kind="contract",
            text=redact(contract.text),
            label=redact(labelled(view.path, 0 if each.apart else contract.line, name)),
            source=address_of(view, redact),
            position=view.as_of,
            hits=each.hits + each.used,
            wanted=first,
            naming=redact(naming(name, contract.text, view.path)),
            built_on=contract.text.count("\n") < SHORT and any(each is one for one in latest),
        )
        if view is current and not fragment.built_on:
            continue  # most of it stands in the file's own engram
        other = trail.newer_elsewhere(contract, view)
        if other is None:
            yield fragment
        elif other.now:
            label = redact(labelled(view.path, 0, name)) if fragment.naming else redact(view.path)
            yield replace(fragment, text=redact(other.now), label=label, source=other.record, wanted=True)


def _of_file(
    trail: Trail, view: FileView, asked: frozenset[str], used: frozenset[str], hits: Hits
) -> Iterator[_Declared]:
    """The declarations known of a file: those in what was seen last, and those that edits wrote elsewhere in it."""
    written, shown = trail.authored(view.path), set[str]()
    for contract in trail.declared(view):
        name = plain_name(contract)
        shown.add(name)
        if not contract.name.lower().startswith("test"):  # nothing else hangs on a test's name
            since = written[name][1] if name in written else 0
            yield _judged(contract, view, since, asked, used, hits)
    for name, (contract, since) in {} if view.whole else written.items():
        if name not in shown and not name.lower().startswith("test"):
            yield _judged(contract, view, since, asked, used, hits)._replace(apart=True)


def _judged(
    contract: Contract, view: FileView, since: int, asked: frozenset[str], used: frozenset[str], hits: Hits
) -> _Declared:
    return _Declared(
        asked=contract.name in asked,
        built_on=hits.last(plain_name(contract), since) if since else 0,
        used=contract.name in used,
        own=since > 0,
        hits=hits.of(contract.name, view.as_of),
        contract=contract,
        view=view,
    )


def _newest(trail: Trail, asked: frozenset[str]) -> list[FileView]:
    """The files seen last, and those that declare what a person named."""
    known = (view for view in trail.files.views.values() if view.text or trail.authored(view.path))
    views = sorted(known, key=lambda view: -view.as_of)
    older = [view for view in views[FILES:] if any(contract.name in asked for contract in trail.declared(view))]
    return [*views[:FILES], *older]


class _Declared(NamedTuple):
    """A declaration and who speaks of it."""

    asked: bool
    """A person named it."""
    built_on: int
    """The newest step that named it after this session wrote it; 0 where none did."""
    used: bool
    """It stands in the current file."""
    own: bool
    """This session wrote it."""
    hits: int
    contract: Contract
    view: FileView
    apart: bool = False
    """It was seen in an edit alone, not in what is known of the file: neither its line nor its class is known."""


def _names(text: str) -> frozenset[str]:
    """The words of a person's text that are plainly names in code."""
    return frozenset(name for found in NAMED.findall(text) for name in found if name)


def _worth(found: _Declared) -> tuple[bool, bool, int, bool, bool, bool, bool, bool, int]:
    contract, view = found.contract, found.view
    test = "test" in view.path.lower()
    return (
        found.asked,
        not test,
        found.built_on,
        found.used,
        found.own,
        bool(found.hits),
        contract.public,
        view.edited,
        view.as_of,
    )


def edited_contracts(trail: Trail) -> list[tuple[Contract, int]]:
    """The public declarations of the files that were edited, with the position that shows them."""
    return [
        (contract, view.as_of)
        for view in trail.files.views.values()
        if view.edited and view.text
        for contract in trail.declared(view)
        if contract.public and not contract.name.lower().startswith("test")
        if trail.newer_elsewhere(contract, view) is None
    ]
