"""One line of a text."""

from __future__ import annotations

from context_kit._lazily import regex

__all__ = ["LINE", "changed_line", "first_line"]

SIGNS = regex(r"\W+")
LINE = 240
"""Characters of a sentence or result in one line."""


def first_line(text: str, limit: int = LINE) -> str:
    """The first non-empty line of a text, clipped at `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def changed_line(old: str, new: str) -> str:
    """The first line of `new` that says something else than each line of `old`, else one with other signs; or ''."""
    before = old.splitlines()
    lines = {stripped: None for line in new.splitlines() if (stripped := line.strip()) and line not in before}
    known = {SIGNS.sub("", line) for line in before} | {""}
    return next((line for line in lines if SIGNS.sub("", line) not in known), next(iter(lines), ""))
