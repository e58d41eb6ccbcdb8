"""One line of a text."""

from __future__ import annotations

__all__ = ["LINE", "first_line"]

LINE = 240
"""Characters of a sentence or result in one line."""


def first_line(text: str, limit: int = LINE) -> str:
    """The first non-empty line of a text, clipped at `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"
