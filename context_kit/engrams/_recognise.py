"""Which fragments are kept word for word: by rules, never by a model's opinion.

The four kinds, most precious first (first article, 4.3 and 4.5): the user's own words, the
current file, the newest unresolved failure, contracts. What stands in the tail anyway is no
engram: nothing is in the window twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from context_kit.engrams._constraints import constraints
from context_kit.engrams._contracts import Contract, contract_key
from context_kit.engrams._failures import Failure, failures, unresolved
from context_kit.engrams._hits import PROMOTED, WORD, Hits
from context_kit.engrams._sentences import sentences as lines_of
from context_kit.engrams._taken_back import taken_back
from context_kit.engrams._trail import Said, Trail
from context_kit.tools import FileView
from context_kit.types import EngramKind

__all__ = [
    "CONTRACT_CHARACTERS",
    "Fragment",
    "current_file",
    "edited_contracts",
    "error_key",
    "recognise",
    "words_fragment",
]

NAME = 160
"""Characters of a command in an engram's label."""
CONTRACT_CHARACTERS = 24_000
"""Candidates of the lowest kind are not looked for beyond this many characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A candidate for the board."""

    key: str
    """What it is, the same at every compaction: the identity behind an engram's id."""
    kind: EngramKind
    text: str
    label: str
    """What it is; of a person's text the addresses of the texts that took a part of it back."""
    source: str
    """Address of the whole text."""
    position: int
    must: tuple[str, ...] = ()
    """Sentences that survive any clip: standing constraints."""
    hits: int = 0
    """How many later steps refer to it."""


def recognise(trail: Trail, *, cut: int, redact: Callable[[str], str]) -> tuple[Fragment, ...]:
    """The fragments worth keeping, most precious first.

    Args:
        trail: what was said and done.
        cut: position of the tail's first message; what stands from there on is no candidate.
        redact: takes the secrets out of a text.
    """
    hits = Hits(trail)
    return (
        *_words(trail, cut, redact),
        *_file(trail, cut, redact),
        *_error(trail, cut, redact),
        *_contracts(trail, cut, redact, hits),
        *_promoted(trail, cut, redact, hits),
    )


def _words(trail: Trail, cut: int, redact: Callable[[str], str]) -> Iterator[Fragment]:
    """What a person wrote after the goal, newest first; a text said twice counts once."""
    seen = {trail.words[0].text} if trail.words else set[str]()
    for said in reversed(trail.words[1:]):
        if said.position >= cut or said.text in seen:
            continue
        seen.add(said.text)
        yield words_fragment(trail, said, redact)


def words_fragment(trail: Trail, said: Said, redact: Callable[[str], str]) -> Fragment:
    """A person's text as a fragment; what a later text took back is named, and no constraint any more."""
    clean = trail.clean(said, redact)
    text = clean.text
    rules = trail.once(constraints, clean)
    stale = dict.fromkeys(
        (sentence, by)
        for sentence in _revisable(trail, clean)
        if (by := taken_back(sentence, said.position, trail.newer))
    )
    gone = {sentence for sentence, _ in stale}
    return Fragment(
        key=f"m{said.position}",
        kind="user",
        text=text,
        label=", ".join(dict.fromkeys(f"m{by}" for _, by in stale)),
        source=f"m{said.position}",
        position=said.position,
        must=tuple(sentence for sentence in rules if sentence not in gone),
    )


def _revisable(trail: Trail, said: Said) -> Sequence[str]:
    """The sentences of a text that a later one may have taken back: none where nothing was since."""
    later = bool(trail.newer) and trail.newer[-1] > said.position
    return trail.once(lines_of, said) if later else ()


def current_file(trail: Trail) -> FileView | None:
    """The file edited last; before any edit, the one read last."""
    views = [view for view in trail.files.views.values() if view.as_of]
    edited = [view for view in views if view.edited]
    if edited:
        return max(edited, key=lambda view: view.last_edit)
    read = [view for view in views if view.last_read]
    return max(read, key=lambda view: view.last_read) if read else None


def _file(trail: Trail, cut: int, redact: Callable[[str], str]) -> Iterator[Fragment]:
    view = current_file(trail)
    if view is None or stands_whole(trail, view, cut):
        return
    known = view.text if view.text is not None else ""
    apart = [] if view.whole else [region for region in view.regions if region.strip("\n") not in known]
    text = "\n…\n".join([*apart, *([known] if known else [])])
    if not text.strip():
        return
    note = f" · {view.note}" if view.note else ""
    yield Fragment(
        key=f"file {view.path}",
        kind="file",
        text=redact(text),
        label=redact(f"{view.path}{note}"),
        source=_address(view, redact),
        position=view.as_of,
    )


def _address(view: FileView, redact: Callable[[str], str]) -> str:
    return f"f:{redact(view.path)}@{view.as_of}"


def _name(attempt: str) -> str:
    return attempt if len(attempt) <= NAME else f"{attempt[:NAME]}…"


def stands_whole(trail: Trail, view: FileView, cut: int) -> bool:
    """Whether the file's newest whole content can be read off the tail."""
    return any(
        deed.act.path == view.path and deed.act.content is not None and deed.act.whole and not deed.act.failed
        for deed in reversed(trail.deeds)
        if deed.until >= cut
    )


def error_key(failure: Failure) -> str:
    """What a failure is, the same at every compaction."""
    return f"error {failure.key} {failure.line}"


def _error(trail: Trail, cut: int, redact: Callable[[str], str]) -> Iterator[Fragment]:
    open_ones = unresolved(failures(trail))
    if not open_ones or open_ones[-1].until >= cut:
        return
    newest = open_ones[-1]
    mark = " · edited since, not verified" if newest.edited else ""
    yield Fragment(
        key=error_key(newest),
        kind="error",
        text=redact(newest.error),
        label=f"{_name(redact(newest.attempt))}{mark}",
        source=f"m{newest.until}",
        position=newest.until,
        must=(redact(newest.line),) if newest.line else (),
    )


def _contracts(trail: Trail, cut: int, redact: Callable[[str], str], hits: Hits) -> Iterator[Fragment]:
    """Declarations of the files in work, those first that the current file or later steps name.

    Among equals: edited files before read ones, the newest first, public names first, tests last.
    """
    current = current_file(trail)
    used = frozenset(WORD.findall(current.text or "")) if current else frozenset[str]()
    found: list[tuple[int, Contract, FileView]] = []
    for view in trail.files.views.values():
        if view.text and view is not current and not stands_whole(trail, view, cut):
            found += [
                (hits.of(contract.name, view.as_of) + (contract.name in used), contract, view)
                for contract in trail.declared(view)
                if not contract.name.lower().startswith("test")  # nothing else hangs on a test's name
            ]
    found.sort(key=_worth, reverse=True)
    spent = 0
    for referred, contract, view in found:
        spent += len(contract.text)
        if spent > CONTRACT_CHARACTERS:
            return
        yield Fragment(
            key=f"contract {contract_key(contract, view.path)}",
            kind="contract",
            text=redact(contract.text),
            label=redact(f"{view.path}:{contract.line}"),
            source=_address(view, redact),
            position=view.as_of,
            hits=referred,
        )


def _worth(found: tuple[int, Contract, FileView]) -> tuple[bool, bool, bool, bool, int]:
    referred, contract, view = found
    return "test" not in view.path.lower(), bool(referred), contract.public, view.edited, view.as_of


def edited_contracts(trail: Trail) -> list[tuple[Contract, int]]:
    """The public declarations of the files that were edited, with the position that shows them."""
    return [
        (contract, view.as_of)
        for view in trail.files.views.values()
        if view.edited and view.text
        for contract in trail.declared(view)
        if contract.public and not contract.name.lower().startswith("test")
    ]


def _promoted(trail: Trail, cut: int, redact: Callable[[str], str], hits: Hits) -> Iterator[Fragment]:
    """Files that left the window and that later steps keep naming, the most named first."""
    current = current_file(trail)
    found = [
        (hits.of(view.path, view.as_of), view)
        for view in trail.files.views.values()
        if view.text and view is not current and view.as_of < cut and not stands_whole(trail, view, cut)
    ]
    for used, view in sorted(found, key=lambda pair: (-pair[0], -pair[1].as_of)):
        if used < PROMOTED:
            return
        yield Fragment(
            key=f"promoted {view.path}",
            kind="promoted",
            text=redact(view.text or ""),
            label=redact(view.path),
            source=_address(view, redact),
            position=view.as_of,
            hits=used,
        )
