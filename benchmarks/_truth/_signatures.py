"""Declarations that a session's edits wrote and that still stand at its end, read without the library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from benchmarks._truth._calls import Call
from benchmarks._truth._failures import squeezed
from benchmarks._truth._files import command_of, edited

__all__ = ["Declared", "declared", "used_signatures"]

_FORMS = tuple(
    re.compile(form)
    for form in (
        r"(?:async )?def (?P<name>[A-Za-z]\w*)\(.*",
        r"class (?P<name>[A-Za-z]\w*)\b.*",
        r"func (?:\([^()]*\) )?(?P<name>[A-Za-z]\w*)\(.*",
        r"type (?P<name>[A-Z]\w*) (?:struct|interface)\b.*",
        r"export (?:default )?(?:async )?(?:function|class|interface|type|const|enum) (?P<name>[A-Za-z]\w*)\b.*",
        r"pub (?:async )?(?:fn|struct|enum|trait) (?P<name>[A-Za-z]\w*)\b.*",
    )
)
_TEST = re.compile(r"(?:^|[/_.-])tests?(?:[/_.-]|$)|_test\.|\.spec\.|conftest|reproduce", re.IGNORECASE)
_PROSE = re.compile(r"\.(?:md|mdx|rst|txt|html|json|ya?ml|toml)$", re.IGNORECASE)
"""Files that quote code at most."""
_NEW = ("new_string", "new_str", "content", "file_text", "new_text", "text", "replace", "newText")
_OLD = ("old_string", "old_str", "old_text", "search", "oldText")
LONGEST = 160
"""Characters of a declaration that count."""
MOST = 12
"""Declarations that a resuming agent is to know: the ones that the session referred to last."""


class Declared:
    """One declaration: where it was written, and its line."""

    __slots__ = ("at", "line", "name", "path", "used")

    def __init__(self, path: str, name: str, line: str, at: int) -> None:
        self.path, self.name, self.line, self.at = path, name, line, at
        self.used = -1


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        flush = squeezed(line.lstrip("+"))
        for form in _FORMS:
            if (match := form.fullmatch(flush)) and not match["name"].lower().startswith("test"):
                yield match["name"], flush.removesuffix(" do").rstrip("{:; ")[:LONGEST]
                break


def _texts(call: Call) -> tuple[str, str]:
    """What an edit took away and what it wrote."""
    given = call.arguments
    edits = [given, *(each for each in given.get("edits") or [] if isinstance(each, dict))]
    patch = str(given.get("input", "")) if call.name == "apply_patch" else ""
    removed = [line[1:] for line in patch.splitlines() if line.startswith("-")]
    added = [line[1:] for line in patch.splitlines() if line.startswith("+")]
    if command := command_of(call):
        added += command.splitlines()
    old = [str(each[key]) for each in edits for key in _OLD if each.get(key)]
    new = [str(each[key]) for each in edits for key in _NEW if each.get(key)]
    return "\n".join(old + removed), "\n".join(new + added)


def declared(calls: list[Call]) -> list[Declared]:
    """Public declarations of source files that are no tests, as the last edit of each left them."""
    found: dict[tuple[str, str], Declared] = {}
    for call in calls:
        paths = edited(call)
        if not paths or _TEST.search(paths[0]) or _PROSE.search(paths[0]):
            continue
        path = paths[0]
        old, new = _texts(call)
        written = dict(_lines(new))
        for name in dict(_lines(old)).keys() - written.keys():
            found.pop((path, name), None)
        for name, line in written.items():
            found.pop((path, name), None)
            found[path, name] = Declared(path, name, line, call.index)
    return list(found.values())


def used_signatures(calls: list[Call]) -> list[Declared]:
    """Those that a later call names again, the ones named last first; later work hangs on them."""
    found = declared(calls)
    for call in calls:
        given: Any = json.dumps(call.arguments, ensure_ascii=False)
        words = set(re.findall(r"\w+", given))
        for each in found:
            if call.index > each.at and each.name in words:
                each.used = call.index
    used = sorted((each for each in found if each.used >= 0), key=lambda each: -each.used)
    return used[:MOST]
