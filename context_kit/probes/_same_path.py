"""Whether a text names a file: in whole, by its end, or under a folder that the session knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from context_kit._lazily import regex
from context_kit.probes._heard import HAN, run_of
from context_kit.probes._types import Has
from context_kit.summary import Name
from context_kit.tools import parts, rooted

__all__ = ["PLACE", "end_of_path", "ends_alike", "same_path"]

PLACE = regex(r"(?::L?\d+(?:[:-]\d+)?|#L\d+(?:-L?\d+)?|\(\d+\)|@\d+)\Z")
"""A place in a file behind its path."""
TOLD_PLACE = regex(r"[`\"']?(?:(?::|#L|\(|@)|,?\s*(?:\(?(?:at |on |in )?lines?|第)\s*)(\d+)", re.IGNORECASE)
"""The same behind a path in a sentence."""
OTHER = "\\s`\"'<>|*?(),;"
"""What ends a path in a text."""
RUN = regex(rf"[^{OTHER}{HAN}]+")
HAN_RUN = regex(rf"[^{OTHER}]+")
LABEL = regex(r"\A(?:[A-Za-z_]\w+:(?!//|\d)|[\w-]+=)")
COMMON = frozenset(
    "__init__.py __main__.py conftest.py setup.py main.py utils.py types.py index.js index.ts index.tsx index.html "
    "main.js main.ts main.go mod.rs lib.rs main.rs package.json readme.md makefile dockerfile cargo.toml "
    "pyproject.toml".split()
)
"""Names that many files of one project have: they tell no file by themselves."""


def same_path(expected: str, said: str, has: Has) -> bool:
    """Whether a text names this file; a place in it that both have has to be the same."""
    wanted, place = _bare(expected), _place(expected)
    if re.search(f"[{OTHER}]", wanted):
        return run_of(expected, said, apart="/\\.~$@-") is not None
    return any(_one_file(wanted, path, has) and (not place or at in ((), place)) for path, at in _paths(said, wanted))


def ends_alike(one: str, other: str) -> bool:
    """Whether one of two paths ends as the other one."""
    return _ends(parts(_bare(one)), parts(_bare(other)))


def end_of_path(whole: str, end: str, said: str) -> bool:
    """Whether a text names a file by an end of its path that will do, and says nothing else of its folders."""
    ours, least = parts(_bare(whole)), parts(_bare(end))
    found = (parts(path) for path, _ in _paths(said, whole))
    return any(_ends(ours, path) and _ends(path, least) for path in found)


def _ends(path: Sequence[str], end: Sequence[str]) -> bool:
    size = min(len(path), len(end))
    return size > 0 and tuple(path[-size:]) == tuple(end[-size:])


def _place(path: str) -> tuple[str, ...]:
    """The numbers of the place in a file that stands behind its path."""
    found = PLACE.search(path.strip().strip("`\"'"))
    return tuple(re.findall(r"\d+", found[0])) if found else ()


def _paths(text: str, wanted: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What may be a path in a text, without the place behind it, and that place."""
    text = text.replace("\\\\", "\\")
    for found in (HAN_RUN if re.search(f"[{HAN}]", wanted) else RUN).finditer(text):
        run = found[0].rstrip(":.!?[]{}=，。").lstrip(":!?[]{}=，。")
        if not re.search(r"[/\\.]", run):
            continue
        place = _place(run)
        if not place and (told := TOLD_PLACE.match(text, found.end())) is not None:
            place = (told[1],)
        for path in dict.fromkeys((run, LABEL.sub("", run))):
            yield _bare(path), place


def _bare(text: str) -> str:
    """A path without quotes, without the place behind it, without what a diff puts before it."""
    path = text.strip().strip("`\"'").replace("\\", "/")
    while (shorter := PLACE.sub("", path)) != path:
        path = shorter
    return re.sub(r"\A(?:file://|[ab]/)", "", path)


def _one_file(wanted: str, said: str, has: Has) -> bool:
    ours, theirs = parts(wanted.casefold()), parts(said.casefold())
    if not ours or not theirs or ours == theirs:
        return bool(ours) and ours == theirs
    if len(theirs) > len(ours):
        return not rooted(wanted) and theirs[-len(ours) :] == ours and has(Name("path", said))
    if rooted(said) or ours[-len(theirs) :] != theirs:
        return False
    name = "/".join(theirs)
    return "/" in name or (name not in COMMON and ("." in name or rooted(wanted)))
