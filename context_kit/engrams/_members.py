"""Declarations beneath each other, so that no member reads as one of a class that it isn't in.

A member is told by its indentation: it hangs on the line above that is less indented. Where that isn't its class,
its class is named in a comment.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from context_kit.engrams._contracts import Contract

__all__ = ["UNKNOWN", "belongs", "labelled", "naming", "placed", "where"]

UNKNOWN = "?"
"""The class of a member where only the member was seen."""
_OWNERS = frozenset(
    "class struct trait interface object enum module defmodule protocol extension actor record union namespace".split()
)
"""Kinds that have members."""
_HASHED = frozenset("py pyi pyx rb ex exs sh bash zsh yaml yml toml cfg ini r jl pl".split())
_DASHED = frozenset("sql lua hs elm".split())
_LINED = re.compile(r":(\d{1,9}) (\S.*)$")
_NAMED = re.compile(r" (\S+)$")


def belongs(contract: Contract, declared: Sequence[Contract]) -> str:
    """The qualified name of a declaration: with its class, or with `?` for it, where its text is a member's.

    Args:
        contract: the declaration.
        declared: all that are known of its text, in their order; languages whose names don't say the class are
            read by indentation.
    """
    depth = _depth(contract.text)
    if not depth or contract.kind == "section":
        return contract.name
    outer, _, plain = contract.name.rpartition(".")
    for at in range(bisect_left(declared, contract.line, key=_line) - 1, -1, -1):
        other = declared[at]
        if other.kind in _OWNERS and _depth(other.text) < depth:
            inner = not outer or other.name.startswith(f"{outer}.")
            return f"{other.name}.{plain}" if inner else contract.name
    return contract.name if outer else f"{UNKNOWN}.{plain}"


def _line(contract: Contract) -> int:
    return contract.line


def labelled(path: str, line: int, name: str) -> str:
    """What a declaration on the board is called: its file, its line there (0 where unknown), its qualified name."""
    return f"{path}:{line} {name}" if line else f"{path} {name}"


def where(label: str) -> tuple[int, str]:
    """The line and the qualified name in such a label; what is no such label has neither."""
    if found := _LINED.search(label):
        return int(found[1]), found[2]
    found = _NAMED.search(label)
    return 0, found[1] if found else ""


def naming(name: str, text: str, path: str) -> str:
    """The comment that names the class of a declaration; empty where its text is no member's."""
    owner = name.rpartition(".")[0] if _depth(text) else ""
    if not owner:
        return ""
    suffix = path.rpartition(".")[2].lower()
    mark = "#" if suffix in _HASHED else "--" if suffix in _DASHED else "//"
    return f"{mark} in a class:" if owner == UNKNOWN else f"{mark} in {owner}:"


def placed(found: Sequence[tuple[str, str]], path: str) -> list[str]:
    """The texts of declarations, by qualified name, in this order; a class that isn't the one above is named first."""
    told: list[str] = []
    above = ""
    for name, text in found:
        comment = naming(name, text, path)
        owner = name.rpartition(".")[0] if comment else ""
        if comment and owner != above:
            told.append(comment)
        told.append(text)
        above = name if _has_members(text) else owner
    return told


_HEAD = re.compile(rf"^[ \t]*(?:[\w()@]+[ \t]+){{0,6}}?(?:{'|'.join(sorted(_OWNERS))}|type)\b", re.MULTILINE)


def _has_members(text: str) -> bool:
    """Whether a declaration is one beneath which members may stand."""
    return _HEAD.search(text) is not None


def _depth(text: str) -> int:
    """Columns by which its first line is indented."""
    return len(text) - len(text.lstrip(" \t"))
