"""Quoting: a text stands in the bridge letter by letter, and can't pass for the bridge itself."""

from __future__ import annotations

from context_kit._lazily import regex

__all__ = ["fence_of", "neutral", "one_line", "quote"]

BREAK = regex(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What begins a new line for somebody who reads it, whatever the system (Unicode, UAX 14; `str.splitlines`)."""
RECORD = "[context record"
"""How a bridge begins."""
TITLES = (
    RECORD,
    "[records of other sessions",
    "[contracts changed by other sessions",
    "[tick record",
    "[put back by the program",
    "[pinned by the program",
)
"""How the messages begin that the program writes from records."""


def neutral(text: str) -> str:
    """A text in which the titles of the program's own messages can't be forged."""
    for title in TITLES:
        if title in text:
            text = text.replace(title, f"[\u200b{title[1:]}")
    return text


def quote(text: str, *, always: bool = False) -> str:
    """A text as data: one plain line as it is, anything else inside a fence that it can't close."""
    text = neutral(text)
    if not always and one_line(text) and not text.startswith(("#", "`", "[")):
        return text
    fence = fence_of(text)
    return f"{fence}\n{text}\n{fence}"


def one_line(text: str) -> bool:
    """True where a text has no line break of any kind."""
    return BREAK.search(text) is None


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
