"""The terms of a text: what an index keeps of it and what a query asks for, made by one function for both.

    parse_header, parseHeader    parseheader parse header
    src/app/foo_bar.py           src/app/foo_bar.py app/foo_bar.py foo_bar.py foobar foo bar src app py
    3.10.2                       3.10.2 3.10
    数据库迁移                    数据 据库 库迁 迁移 移

A term holds letters, digits and `_ . / - + #` only, in small letters: no syntax of any search engine. Scripts
that put no spaces between words give pairs of characters, and the last character by itself, so that a
single one is found as the beginning of a term.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Asked", "asked", "begins", "path_terms", "spaced", "terms"]

LONGEST = 65_536
"""Characters of a text that give terms; what follows in a longer one is found by what stands before it."""
LONGEST_TERM = 128
"""Characters of one term."""
MOST = 64
"""Words of a query, and terms of one word: those after them are not asked for."""
OFTEN = 64
"""Characters of a chunk that may come again."""
DEEPEST = 8
"""Folders of a path that are kept with its name."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_CHUNK = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}][^\s{_UNSPACED}\"'`<>()\[\]{{}}|;,=*?!&^%$@:~]*")
"""A run of a script without spaces, or what stands between spaces and brackets elsewhere."""
_RUN = re.compile(f"[{_UNSPACED}]+")
_SLASH = re.compile(r"[/\\]+")
_PIECE = re.compile(r"\w+")
_ATOM = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+[a-z]*|[^\W\dA-Za-z_]+")
"""Words inside an identifier."""
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)")
_NAMED = re.compile(r"\w(?:[.#]|\+\+)")
"""A name that has more than letters: a file's, a module's, a language's."""
_DROPPED = re.compile(r"[^\w./\-+#]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query asks for."""

    words: tuple[tuple[str, ...], ...]
    """Of each word the terms that a text about it holds; a text that holds all of all words answers the query."""
    better: tuple[str, ...]
    """Terms that make such a text a better answer: whole identifiers, longer paths."""
    parts: tuple[str, ...]
    """Terms by which a text has something to do with it: the words in a file's name."""

    @property
    def needed(self) -> tuple[str, ...]:
        """The terms of all words, once each."""
        return tuple(dict.fromkeys(term for word in self.words for term in word))


def terms(text: str) -> list[str]:
    """Every term of a text, in order, repetitions included."""
    return spaced(text).split()


def spaced(text: str) -> str:
    """Every term of a text as `terms` gives it, with spaces between them."""
    return " ".join([_read(chunk).said for chunk in _chunks(text)])


def asked(query: str) -> Asked:
    """What a query asks for, each word once."""
    read = [_read(chunk) for chunk in dict.fromkeys(_chunks(query))][:MOST]
    words = dict.fromkeys(tuple(dict.fromkeys(chunk.needed))[:MOST] for chunk in read if chunk.needed)
    known = {term for word in words for term in word}
    better = dict.fromkeys(term for chunk in read for term in chunk.wholes if term not in known)
    known |= better.keys()
    parts = dict.fromkeys(term for chunk in read for term in chunk.all if term not in known and not begins(term))
    return Asked(tuple(words), tuple(better), tuple(parts))


def begins(term: str) -> bool:
    """Whether a term is a single character of a script without spaces: the beginning of the terms that have it."""
    return len(term) == 1 and _RUN.match(term) is not None


def path_terms(path: str) -> list[str]:
    """The path and its ends in small letters, the longest first; the last one is the file's own name."""
    return _ends([part for part in _SLASH.split(_plain(path).lower()) if part not in ("", ".", "..")], "/")


def _ends(parts: list[str], between: str) -> list[str]:
    ends = (between.join(parts[at:]) for at in range(max(0, len(parts) - DEEPEST), len(parts)))
    return [_DROPPED.sub("_", end)[-LONGEST_TERM:] for end in ends]


def _chunks(text: str) -> list[str]:
    return _CHUNK.findall(_plain(text[:LONGEST]))


def _plain(text: str) -> str:
    """One form for each character: full width and half width are the same, accents don't matter."""
    if text.isascii():
        return text
    whole = unicodedata.normalize("NFKC", text)
    return "".join(unicodedata.normalize("NFD", char)[0] if "\u00c0" <= char <= "\u024f" else char for char in whole)


@dataclass(frozen=True, slots=True)
class _Read:
    """The terms of one chunk: what a text about it holds, what is the whole of something, and all of them."""

    needed: tuple[str, ...]
    wholes: tuple[str, ...]
    all: tuple[str, ...]
    said: str


def _read(chunk: str) -> _Read:
    """The terms of one chunk; of a short one they are remembered, as most come again."""
    return _known(chunk) if len(chunk) <= OFTEN else _parts(chunk)


@lru_cache(maxsize=32_768)
def _known(chunk: str) -> _Read:
    return _parts(chunk)


def _parts(chunk: str) -> _Read:
    needed, wholes, every = _split(chunk)
    return _Read(needed, wholes, every, " ".join(every))


def _split(chunk: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What is needed, what is whole, and all."""
    if _RUN.match(chunk):
        pairs = tuple(chunk[at : at + 2] for at in range(len(chunk) - 1))
        return pairs or (chunk,), (), (*pairs, chunk[-1])
    bare = chunk.rstrip("./\\-")
    if found := _VERSION.fullmatch(bare):
        numbers = found[1].split(".")
        made = tuple(".".join(numbers[:count])[:LONGEST_TERM] for count in range(len(numbers), 1, -1))
        return made[:1], (), made
    parts = [part for part in _SLASH.split(bare.lower()) if part not in ("", ".", "..")]
    ends = _ends(parts, "/") if len(parts) > 1 else []
    names = [name for part in parts[-1:] if _NAMED.search(part) for name in _names(part)]
    joined, atoms = _identifiers(bare)
    wholes = tuple(dict.fromkeys((*ends, *names, *joined)))
    needed = tuple(ends[-1:] or names[:1] or dict.fromkeys(atoms))
    return needed, wholes, tuple(dict.fromkeys((*wholes, *atoms)))


def _names(name: str) -> list[str]:
    """A name with dots, and its ends of two parts and more."""
    return _ends(name.split("."), ".")[:-1] or [_DROPPED.sub("_", name)[-LONGEST_TERM:]]


def _identifiers(text: str) -> tuple[list[str], list[str]]:
    """Identifiers without their joints, and the words that they are made of."""
    wholes: list[str] = []
    atoms: list[str] = []
    for piece in _PIECE.findall(text):
        found = _ATOM.findall(piece)
        atoms += [_stem(atom.lower()[:LONGEST_TERM]) for atom in found] or [piece.lower()[:LONGEST_TERM]]
        if len(found) > 1:
            wholes.append("".join(found).lower()[:LONGEST_TERM])
    return wholes, atoms


def _stem(word: str) -> str:
    """An English word without its commonest endings, so that `errors` meets `error`; others as they are."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-2] if word.endswith(("sses", "shes", "ches", "xes")) else word[:-1]
    return word
