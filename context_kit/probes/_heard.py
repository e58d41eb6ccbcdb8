"""An answer as it is compared: without reasoning, markdown and marks that change no fact, and its words in order.

Both sides of every comparison go through here, so a quote, a full-width colon or a line end never tells two apart.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from context_kit._lazily import regex

__all__ = ["HAN", "Run", "cased_alike", "cleaned", "run_of", "runs_in", "tokens"]

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
BOLD = regex(
    r"\*\*(?=\S)(.{1,300}?)(?<=\S)\*\*(?![\w*])|(?<!\w)__((?:(?!__)\S)+\s(?:(?!__)[^\n]){0,300})(?<=\S)__(?!\w)"
)
"""Bold words; `__one__` is a name of code."""
TAG = regex(r"</?(?:answer|final|result|response|output)>", re.IGNORECASE)
WRAPPED = regex(
    r"\A\s*(?:<(b|strong|em|i|code|p|span|pre|kbd|path|file|value)>(.*)</\1>|_(\S+\s[^_]*)_)\s*\Z",
    re.DOTALL | re.IGNORECASE,
)
"""A mark around the whole answer."""
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
ANSWER_KEYS = ("answer", "final_answer", "result", "response", "value", "答案", "回答")
NO_VALUE = "not known"
"""What a JSON answer of `null` says."""
SILENT = frozenset("\"'`*,;:.!?()[]{}\\…")
"""Marks that change no fact; backslashes are read as slashes where a path is meant."""


def cleaned(answer: str) -> str:
    """What a model said, with one way of writing each mark; names stay in their backticks."""
    text = _unwrapped(_said(answer[-4 * LONGEST :]))
    text = unicodedata.normalize("NFKC", text.translate(MARKS)).translate(MARKS)
    text = WRAPPED.sub(r"\2\3", text)
    text = BOLD.sub(r"\1\2", LINE_MARK.sub("", FENCE.sub("", TAG.sub("", text))))
    text = QUOTE_IN_NUMBER.sub("", ESCAPED.sub(r"\1", text))
    found = list(MARKER.finditer(text))
    if found and text[found[-1].end() :].strip(" \n`*_\"'"):
        text = text[found[-1].end() :]
    return DIGITS.sub(lambda found: found[0][:MOST_DIGITS], text.strip()[:LONGEST])


def _unwrapped(text: str) -> str:
    """The answer of a small JSON object, which some models are told to give; `null` is none."""
    bare = FENCE.sub("", text).strip()
    if not (bare.startswith("{") and bare.endswith("}") and len(bare) <= LONGEST):
        return text
    try:
        given = json.loads(bare, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return text
    value = next((given[key] for key in ANSWER_KEYS if key in given), text)
    return NO_VALUE if value is None else value if isinstance(value, str) else text


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


@dataclass(frozen=True, slots=True)
class Run:
    """Words that stand in a text one after the other."""

    text: str
    """The text, as its words were taken from it."""
    start: int
    end: int
    before: str
    """The word before it; empty at the beginning."""


def tokens(text: str, *, case: bool = False) -> tuple[str, ...]:
    """The words of a cleaned text and the marks that mean something, in order; Han characters one by one."""
    plain = _plain(text)
    return tuple(_token(found[0]) for found in TOKEN.finditer(plain if case else plain.casefold()) if _tells(found))


def _plain(text: str) -> str:
    return CONTRACTED.sub(" not", THOUSANDS.sub("", text.replace("\\n", " ").replace("\\", "/")))


def _tells(found: re.Match[str]) -> bool:
    return found[0] not in SILENT


def _token(word: str) -> str:
    return word.strip("_") or word


def run_of(wanted: str, said: str, *, apart: str = "") -> Run | None:
    """Where a text stands in another one, word by word.

    Args:
        wanted: the text, as it is.
        said: a cleaned one.
        apart: marks that may not stand right before it or behind it.
    """
    ours, plain = tokens(cleaned(wanted)), _plain(said)
    found = [each for each in TOKEN.finditer(plain) if _tells(each)]
    words = [_token(each[0]).casefold() for each in found]
    for at in _places(ours, words):
        start, end = found[at].start(), found[at + len(ours) - 1].end()
        if apart and (plain[max(start - 1, 0) : start] or " ") in apart:
            continue
        if apart and re.match(rf"[{re.escape(apart)}]\w|[/\\~$@-]", plain[end : end + 2]):
            continue
        return Run(plain, start, end, words[at - 1] if at else "")
    return None


def cased_alike(wanted: str, said: str) -> bool:
    """Whether words that a text has in two cases stand in the other one in the same ones: 'Bearer' and 'bearer'."""
    ours, theirs = tokens(wanted, case=True), tokens(said, case=True)
    forms = Counter(word.casefold() for word in set(ours))
    mine, others = ([word for word in words if forms[word.casefold()] > 1] for words in (ours, theirs))
    return not mine or runs_in(mine, others) >= 0 or mine[: len(others)] == others


def runs_in(wanted: Sequence[str], said: Sequence[str]) -> int:
    """Where a run of words stands in others, word by word; -1 where it doesn't, or is empty."""
    return next(_places(wanted, said), -1)


def _places(wanted: Sequence[str], said: Sequence[str]) -> Iterator[int]:
    size = len(wanted)
    for at in range(len(said) - size + 1 if size else 0):
        if said[at] == wanted[0] and list(said[at : at + size]) == list(wanted):
            yield at
