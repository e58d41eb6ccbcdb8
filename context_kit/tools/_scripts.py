"""Files that a script writes which stands in the command itself: behind `-c` or `-e`, or in a here-document.

Only paths that stand in it as texts, or under a name that holds one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from context_kit._lazily import regex

__all__ = ["script_writes"]

_TEXT = r"""[rfb]?(?P<quote>["'])(?P<path>[^"'\n]{1,300})(?P=quote)"""
_NAME = r"(?P<name>[A-Za-z_$][\w$]{0,60})"
_MODE = r"""(?:mode\s*=\s*)?["'][wax]"""
LONGEST = 60_000
"""Characters of a script that are looked at."""


class _Language(NamedTuple):
    """How a language names a file that it writes."""

    option: str
    """Behind which the script stands."""
    texts: tuple[re.Pattern[str], ...]
    """A write whose path stands there."""
    names: tuple[re.Pattern[str], ...]
    """A write under a name ..."""
    given: re.Pattern[str]
    """... and where a name gets a path."""


PYTHON = _Language(
    "-c",
    (
        regex(rf"\bopen\(\s*{_TEXT}\s*,\s*{_MODE}"),
        regex(rf"\bPath\(\s*{_TEXT}\s*\)\s*\.(?:write_(?:text|bytes)\(|open\(\s*{_MODE})"),
    ),
    (
        regex(rf"\bopen\(\s*{_NAME}\s*,\s*{_MODE}"),
        regex(rf"\b{_NAME}\.(?:write_(?:text|bytes)\(|open\(\s*{_MODE})"),
    ),
    regex(rf"(?m)(?:^|;)[ \t]*{_NAME}\s*=\s*(?:(?:pathlib\.)?Path\(\s*)?{_TEXT}\s*\)?\s*(?:$|[;#])"),
)
NODE = _Language(
    "-e",
    (regex(rf"\b(?:write|append)File(?:Sync)?\(\s*{_TEXT}"),),
    (regex(rf"\b(?:write|append)File(?:Sync)?\(\s*{_NAME}\s*,"),),
    regex(rf"(?m)(?:^|;)[ \t]*(?:const|let|var)\s+{_NAME}\s*=\s*{_TEXT}\s*(?:$|[;/])"),
)
LANGUAGES = (("python", PYTHON), ("node", NODE))


def script_writes(program: str, words: list[str], document: str | None) -> Iterator[str]:
    """The paths that a script in a command writes, in their order, each once.

    Args:
        program: what runs it, `python3`.
        words: the command's words, the program's first.
        document: what it reads on standard input, where that stands in the command.
    """
    language = next((each for name, each in LANGUAGES if program.startswith(name)), None)
    if language is None:
        return
    script = _behind(words, language.option) or document
    if script:
        yield from dict.fromkeys(_writes(language, script[:LONGEST]))


def _behind(words: list[str], option: str) -> str:
    """The word behind an option of the program's own; empty where it runs a file instead."""
    for word, following in pairwise(words[1:]):
        if word == option:
            return following
        if not word.startswith("-") and following != option:
            break
    return ""


def _writes(language: _Language, script: str) -> Iterator[str]:
    yield from (found["path"] for look in language.texts for found in look.finditer(script))
    held = {found["name"]: found["path"] for found in language.given.finditer(script)}
    if held:
        named = (found["name"] for look in language.names for found in look.finditer(script))
        yield from (held[name] for name in named if name in held)
