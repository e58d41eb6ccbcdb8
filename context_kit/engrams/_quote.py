"""Quoting: a text stands in the bridge letter by letter, and can't pass for the bridge itself."""

from __future__ import annotations

__all__ = ["fence_of", "neutral", "quote"]

TITLE = "[context record"


def neutral(text: str) -> str:
    """A text in which the bridge's own title can't be forged."""
    return text.replace(TITLE, "[\u200bcontext record") if TITLE in text else text


def quote(text: str, *, always: bool = False) -> str:
    """A text as data: one plain line as it is, anything else inside a fence that it can't close."""
    text = neutral(text)
    if not always and "\n" not in text and not text.startswith(("#", "`", "[")):
        return text
    fence = fence_of(text)
    return f"{fence}\n{text}\n{fence}"


def fence_of(text: str) -> str:
    """Backticks that a text can't close."""
    return "`" * max(3, _longest_run(text) + 1)


def _longest_run(text: str) -> int:
    """Length of the longest run of backticks."""
    longest = 0
    at = text.find("`")
    while at >= 0:
        end = at
        while end < len(text) and text[end] == "`":
            end += 1
        longest = max(longest, end - at)
        at = text.find("`", end)
    return longest
