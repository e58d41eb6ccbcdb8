"""Contracts: the declarations on which other code hangs, in the file's own whole lines.

Signatures, type bodies, tables, schemas, key sections of configuration. Bounded in number and length, one pass
over the text; works on a region of a file as well. What can't be read for sure is left out or cut at a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from context_kit._lazily import regex
from context_kit.engrams._braces import braced
from context_kit.engrams._configs import sections
from context_kit.engrams._grammars import GRAMMARS, PLAIN_SUFFIXES, SUFFIXES, sniff
from context_kit.engrams._places import Found
from context_kit.engrams._python import python

__all__ = ["Contract", "contract_key", "contracts"]

_MOST: Final = 200
"""Contracts of one text."""
_LONGEST: Final = 40
"""Lines of one contract."""
_TESTS: Final = regex(
    r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|/)(?:test_|conftest)[^/]*$|[._-](?:test|spec)\.[a-z]+$|_test\.[a-z]+$"
)
"""Paths of test files: nothing hangs on what they declare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One declaration."""

    name: str
    """Qualified by its class where it has one; `name#2` for a second declaration of the same name."""
    text: str
    """Whole lines of the source, decorators included, the body too where that is the contract; at most 40."""
    line: int
    """Line of the declaration in the given text, from 1."""
    kind: str
    """`function`, `method`, `class`, `interface`, `struct`, `table`, `section`, ..."""
    public: bool = True
    """False for private helpers and for what stands in test files."""


def contracts(text: str, path: str = "", /) -> tuple[Contract, ...]:
    """The declarations of a file, or of a region of one, in their order: at most 200, public ones first to stay.

    The language comes from the path's suffix, else from the look of the text.
    """
    found = list(_found(text, path.replace("\\", "/")))
    if len(found) > _MOST:
        kept = sorted(range(len(found)), key=lambda at: (not found[at].public, at))[:_MOST]
        found = [found[at] for at in sorted(kept)]
    return tuple(_contracts(text, found, tests=_TESTS.search(path) is not None))


def contract_key(contract: Contract, path: str) -> str:
    """What a contract is known by: the same name in the same file, whatever its text."""
    return f"{path}:{contract.name}"


def _found(text: str, path: str) -> Iterable[Found]:
    if (parts := sections(text, path)) is not None:
        return parts
    name = path.rsplit("/", 1)[-1]
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    language = SUFFIXES.get(suffix) or ("" if suffix in PLAIN_SUFFIXES else sniff(text))
    if not language:
        return ()
    grammar = GRAMMARS[language]
    return python(text, grammar) if grammar.end == "colon" else braced(text, grammar)


def _contracts(text: str, found: list[Found], *, tests: bool) -> Iterator[Contract]:
    """The found places as contracts; overloads get a number, so that each has its own key."""
    seen: dict[str, int] = {}
    line, counted = 1, 0
    for place in found:
        line, counted = line + text.count("\n", counted, place.head), place.head
        count = seen[place.name] = seen.get(place.name, 0) + 1
        yield Contract(
            name=place.name if count == 1 else f"{place.name}#{count}",
            text=_lines(text[place.start : place.end]),
            line=line,
            kind=place.kind,
            public=place.public and not tests,
        )


def _lines(text: str) -> str:
    """The first 40 lines, without the line end after the last."""
    at = -1
    for _ in range(_LONGEST):
        at = text.find("\n", at + 1)
        if at < 0:
            return text.rstrip("\r\n")
    return text[:at].rstrip("\r\n")
