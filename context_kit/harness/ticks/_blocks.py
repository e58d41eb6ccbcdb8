"""The function around a line, by its header and its indentation: the same for languages with and without braces."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["block_of"]

FARTHEST = 2_000
"""Lines above a place in which the header is looked for, and below it its end."""
NAMED = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|async|pub(?:\([a-z]+\))?|inline|virtual|override|"
    r"final|abstract|unsafe|extern|const|local)\s+){0,6}(?:def|fn|func|function|sub|proc|fun|defp|defun)\b"
)
BRACED = re.compile(r"[^\n;]*(?:\)[^\n;=]*|=>\s*)\{\s*$")
CONTROL = re.compile(
    r"\s*[})]*\s*(?:if|else|for|foreach|while|switch|catch|try|do|with|match|return|elif|except|using)\b"
)
LONGEST = 400
"""Characters of a line that are looked at."""
ABOVE = ("@", "#", "//", "/*", "*", "--")
"""How lines begin that stand above a header and belong to it."""
CLOSING = (")", "]", "}", "end")


def block_of(lines: Sequence[str], at: int) -> tuple[int, int]:
    """First and last index of the innermost function in which a line is; the line alone where it is in none."""
    if not 0 <= at < len(lines) or not lines[at].strip():
        return at, at
    head = _below(lines, at)
    first = at
    if head < 0:
        head = first = _above(lines, at)
    return (at, at) if head < 0 else (first, _end(lines, head))


def _header(line: str) -> bool:
    head = line[:LONGEST]
    return NAMED.match(head) is not None or (CONTROL.match(head) is None and BRACED.match(line[-LONGEST:]) is not None)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _below(lines: Sequence[str], at: int) -> int:
    """The header that a line is, or that decorators and comments belong to."""
    while at < len(lines) and lines[at].lstrip().startswith(ABOVE):
        at += 1
    return at if at < len(lines) and _header(lines[at]) else -1


def _above(lines: Sequence[str], at: int) -> int:
    indent = _indent(lines[at])
    for up in range(at - 1, max(-1, at - FARTHEST), -1):
        if indent == 0:
            break
        line = lines[up]
        if line.strip() and _indent(line) < indent:
            if _header(line):
                return up
            indent = _indent(line) if not line.lstrip().startswith(CLOSING) else indent
    return -1


def _end(lines: Sequence[str], head: int) -> int:
    indent, last = _indent(lines[head]), head
    for down in range(head + 1, min(len(lines), head + FARTHEST)):
        line = lines[down]
        if not line.strip():
            continue
        if _indent(line) <= indent and not (_indent(line) == indent and line.lstrip().startswith(CLOSING)):
            break
        last = down
    return last
