"""Whether a check that passed looked at a file: it ran over all, or it named the file, its folder or its test."""

from __future__ import annotations

from context_kit._lazily import regex
from context_kit.tools._checks import Check, checks_of
from context_kit.tools._idle import idle_check
from context_kit.tools._paths import parts, rooted

__all__ = ["looked_at"]

TESTS = frozenset("test tests spec specs __tests__".split())
"""Folders that hold all of a project's tests."""
AFFIX = regex(r"^(?:test|spec)|(?:tests?|spec)$")
MODULES = ("init", "index", "mod", "main", "lib")
"""Names of files that are called by their folder."""


def looked_at(command: str, path: str, /, *, told: str = "") -> bool:
    """Whether a command line that passed checks a file.

    Args:
        command: the command line.
        path: the file, as it was edited.
        told: how the command ended, in one line: where that says that nothing ran, nothing was checked.

    """
    return any(_looks(check, path) for check in checks_of(command)) and not (told and idle_check(command, told))


def _looks(check: Check, path: str) -> bool:
    if check.nothing or not _inside(path, check.folder):
        return False
    if not check.targets:
        return not check.narrows
    return any(_names(target.partition("::")[0], path, whole=not check.narrows) for target in check.targets)


def _inside(path: str, folder: str) -> bool:
    """Whether a file is in the folder in which a check runs, as far as their names tell."""
    if not folder or (rooted(folder) and not rooted(path)):
        return True
    if rooted(folder) == rooted(path):
        return parts(path)[: len(parts(folder))] == parts(folder)
    return _holds(parts(path), parts(folder))


def _holds(path: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    """Whether a path goes through a folder, wherever it begins."""
    return any(path[at : at + len(folder)] == folder for at in range(len(path) - len(folder)))


def _names(target: str, path: str, *, whole: bool) -> bool:
    """Whether what a check was given is the file, a folder around it, its test, or the folder of all tests."""
    asked, file = parts(target), parts(path)
    if not asked or not file:
        return False
    if file[-len(asked) :] == asked or asked[-len(file) :] == file or _holds(file, asked):
        return True
    if asked[-1] in TESTS:
        return whole
    return "." in asked[-1] and _stem(asked) == _stem(file)


def _stem(path: tuple[str, ...]) -> str:
    """What a file is about: its name without ending, marks and what makes it a test."""
    name = path[-1].partition(".")[0].strip("_").lower()
    if name in MODULES and len(path) > 1:
        name = path[-2].lower()
    bare = "".join(filter(str.isalnum, name))
    return AFFIX.sub("", bare) or bare
