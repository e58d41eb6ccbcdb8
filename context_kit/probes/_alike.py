"""Whether an answer says what the log says: exactly, or in a form that changes no fact.

Each sort of answer has its own idea of the same: a path with or without its folder, a number with or without its
separators, a name in quotes, an error without its prefix. What differs in a name, a number or a "not" is another fact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from context_kit._lazily import regex
from context_kit.probes._quantities import COUNT, same_quantity
from context_kit.probes._same_name import same_name
from context_kit.probes._same_path import PLACE, end_of_path, ends_alike, same_path
from context_kit.probes._same_text import same_text
from context_kit.probes._types import Has
from context_kit.summary import Name, names

__all__ = ["Sort", "said_as", "says", "sort_of"]

Sort: TypeAlias = Literal["path", "number", "name", "text"]

ONE_NAME = regex(r"[\w$@.:#<>-]+(?:\(\))?")
SAME: Mapping[Sort, Callable[[str, str, Has], bool]] = {
    "path": same_path,
    "number": lambda expected, said, _: same_quantity(expected, said),
    "name": lambda expected, said, _: same_name(expected, said),
    "text": lambda expected, said, _: same_text(expected, said),
}


def sort_of(text: str) -> Sort:
    """What sort of answer the log's own is."""
    bare = text.strip().strip("`\"'")
    if COUNT.fullmatch(bare):
        return "number"
    if not ONE_NAME.fullmatch(bare) and (any(map(str.isspace, bare)) or not re.search(r"[/\\.]", bare)):
        return "text"
    found = list(names(f"`{PLACE.sub('', bare)}`"))
    return "path" if len(found) == 1 and found[0].kind == "path" else "name" if ONE_NAME.fullmatch(bare) else "text"


def said_as(name: Name) -> Sort:
    """The sort that a name in an answer belongs to."""
    return name.kind if name.kind in ("path", "number") else "name"


def says(expected: str, said: str, *, has: Has, of: str = "") -> bool:
    """Whether a cleaned answer, or a part of one, says this.

    Args:
        expected: a right answer.
        said: the answer.
        has: whether the session's log has a name: another folder before a path is right only where it stands there.
        of: the whole of which `expected` is a part that will do, such as the end of a path: what else the answer
            says of it has to be true as well.
    """
    if of and sort_of(of) == "path" and ends_alike(of, expected):
        return end_of_path(of, expected, said)
    return SAME[sort_of(expected)](expected.strip(), said, has)
