"""An answer as it is compared: without reasoning, markdown and marks that change no fact, and its words in order.

Both sides of every comparison go through here, so a quote, a full-width colon or a line end never tells two apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from context_kit._lazily import regex

__all__ = ["HAN", "cleaned", "runs_in", "tokens"]

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
MOST_DIGITS = 200
"""Digits of one number that are looked at: a model in a loop writes thousands."""
DIGITS = regex(rf"\d{{{MOST_DIGITS},}}")
LONGEST = 8_000
"""Characters of an answer that are looked at; its question asks for one line."""
THINKING = ("think", "thinking", "thought", "analysis", "scratchpad", "reasoning")
"""Tags that models put their reasoning in, before the answer."""
MARKER = regex(
    r"(?:\A|\n|[.。!！?？]\s)\W{0,4}(?:final\s+)?(?:answer|response)(?:\s+is)?\W{0,3}[:：]|(?:最终)?(?:答案|回答)(?:是)?\W{0,3}[:：]",
    re.IGNORECASE,
)
"""Where a model that thinks aloud comes to its answer."""
FENCE = regex(r"^\s*(?:```|~~~)[\w+-]*\s*$", re.MULTILINE)
LINE_MARK = regex(r"^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+•]\s+)", re.MULTILINE)
BOLD = regex(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1(?![\w*])")
TAG = regex(r"</?(?:answer|final|result|response|output)>", re.IGNORECASE)
ESCAPED = regex(r"\\([_*#`])")
"""A mark that markdown must not read."""
QUOTE_IN_NUMBER = regex(r"(?<=\d)'(?=\d{3}(?!\d))")
MARKS = str.maketrans(
    {
        **dict.fromkeys("“”„«»「」『』《》〈〉＂", '"'),
        **dict.fromkeys("‘’‚‛＇", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "。": ". ",
        "、": ", ",
        "…": "...",
        "\u200b": "",
        "\ufeff": "",
    }
)
"""Marks that are written in several ways."""
THOUSANDS = regex(r"(?<=\d)[,_\u00a0\u202f'](?=\d{3}(?!\d))")
CONTRACTED = regex(r"(?<=\w)n't\b|(?<=[Cc]an)'t\b|(?<=[Cc]an)not\b")
TOKEN = regex(rf"[=!<>]=|[-=]>|&&|\|\||[^\W{HAN}]+|[{HAN}]|[^\w\s]")
SILENT = frozenset("\"'`*,;:.!?()[]{}\\…")
"""Marks that change no fact; backslashes are read as slashes where a path is meant."""


def cleaned(answer: str) -> str:
    """What a model said, with one way of writing each mark; names stay in their backticks."""
    text = _said(answer[-4 * LONGEST :])
    text = unicodedata.normalize("NFKC", text.translate(MARKS)).translate(MARKS)
    text = BOLD.sub(r"\2", LINE_MARK.sub("", FENCE.sub("", TAG.sub("", text))))
    text = QUOTE_IN_NUMBER.sub("", ESCAPED.sub(r"\1", text))
    found = list(MARKER.finditer(text))
    if found and text[found[-1].end() :].strip(" \n`*_\"'"):
        text = text[found[-1].end() :]
    return DIGITS.sub(lambda found: found[0][:MOST_DIGITS], text.strip()[:LONGEST])


def _said(text: str) -> str:
    """What stands outside of thinking tags: behind the last closing one, before one that is never closed."""
    low = text.lower()
    for tag in THINKING:
        end = low.rfind(f"</{tag}>")
        if end >= 0:
            first, after = low.find(f"<{tag}>"), end + len(tag) + 3
            before = text[:first] if 0 <= first < end else ""
            text = text[after:] if text[after:].strip() else before
            low = text.lower()
        if (left := low.find(f"<{tag}>")) >= 0:
            text, low = text[:left], low[:left]
    return text


def tokens(text: str, *, case: bool = False) -> tuple[str, ...]:
    """The words of a cleaned text and the marks that mean something, in order; Han characters one by one."""
    text = CONTRACTED.sub(" not", THOUSANDS.sub("", text.replace("\\n", " ").replace("\\", "/")))
    found = (token for token in TOKEN.findall(text if case else text.casefold()) if token not in SILENT)
    return tuple(token.strip("_") or token for token in found)


def runs_in(wanted: Sequence[str], said: Sequence[str]) -> int:
    """Where a run of words stands in others, word by word; -1 where it doesn't, or is empty."""
    size = len(wanted)
    if not size:
        return -1
    first = wanted[0]
    for at in range(len(said) - size + 1):
        if said[at] == first and tuple(said[at : at + size]) == tuple(wanted):
            return at
    return -1
