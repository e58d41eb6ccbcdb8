"""Sentences of a text, word for word: every one is a substring of the text it came from.

English and Chinese. List items, headings and table rows stand for themselves, fenced code is left out.
One pass over the lines, bounded look-behind at each full stop: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from context_kit._lazily import regex

__all__ = ["fence_of", "has_han", "sentences"]

_MARK = regex(
    r"[ \t]*(?:(?:>[ \t]?)+|[ \t]*)"
    r"(?:#{1,6}[ \t]+|[-*+•·–—][ \t]+|\(?[0-9]{1,3}[.)][ \t]+|"
    r"[0-9]{1,3}[、．]|[（(][0-9一二三四五六七八九十]{1,3}[）)]|[①-⑳])?"
    r"(?:\[[ xX]\][ \t]+)?"
)
"""What stands before the words of a line: quote marks, heading marks, bullets, numbers, check boxes."""

_TAG = regex(r"</?[A-Za-z][\w.:-]{0,60}(?: [^<>\n]{0,200})?/?>$")
"""A line that is nothing but an XML tag says nothing by itself."""

_STOP = regex(r"[.!?。！？…]+[\"'”’」』）)\]】*_`]*")
_CODE = regex(r"`[^`\n]+`")

_WORD = regex(r"[\w.]{1,12}\Z")
_ABBREVIATED = (
    "e.g i.e eg ie vs cf approx resp incl excl mr mrs ms dr prof st no nr fig eq sec ch vol pp al a.k.a w.r.t u.s"
)
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
"""Words whose full stop ends no sentence, whatever follows."""
_SOFT_ABBREVIATIONS = frozenset(["etc", "inc", "ltd", "co", "corp", "dept", "est", "min", "max"])
"""Words whose full stop ends a sentence only before a capital."""

_WRAPPED = 40
"""Characters; a shorter line was not wrapped by an editor, so the next one is a new sentence."""


def has_han(text: str, /) -> bool:
    """Whether a text has a Han character in it."""
    return not text.isascii() and any("\u4e00" <= char <= "\u9fff" for char in set(text))


def fence_of(line: str) -> str:
    """The marker that a line opens or closes a code fence with (``` or ~~~, as long as it is), else ''."""
    bare_line = line.lstrip(" \t>")
    mark = bare_line[:1]
    if mark not in ("`", "~") or not bare_line.startswith(mark * 3):
        return ""
    run = len(bare_line) - len(bare_line.lstrip(mark))
    return "" if mark == "`" and "`" in bare_line[run:] else mark * run


def sentences(text: str, /) -> list[str]:
    """Split a text into its sentences, each a substring of it, in order.

    File names, versions, URLs, abbreviations and inline code don't end a sentence.
    """
    found: list[str] = []
    for start, end in _blocks(text):
        found.extend(_split(text[start:end]))
    return found


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Runs of text that no line structure breaks: a paragraph line, a wrapped paragraph, a list item."""
    fence = ""
    start = end = -1
    position = 0
    for line in text.split("\n"):
        at, position = position, position + len(line) + 1
        mark = fence_of(line)
        if fence:
            fence = "" if mark.startswith(fence) and line.strip(" \t>\r" + mark[0]) == "" else fence
            continue
        first = at + _indent(line)
        words = text[first : at + len(line)].rstrip()
        if mark or not words or _TAG.match(words):
            if start >= 0:
                yield start, end
            start, fence = -1, mark
            continue
        last = first + len(words)
        if start >= 0 and first - at == len(line) - len(line.lstrip()) and _continues(text, start, end, words):
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


def _indent(line: str) -> int:
    found = _MARK.match(line)
    return found.end() if found else 0


def _continues(text: str, start: int, end: int, words: str) -> bool:
    """Whether a line goes on with the sentence of the line before it, as an editor's wrapping does."""
    line = text.rfind("\n", start, end) + 1
    length = end - max(start, line)
    if length < _WRAPPED or text[end - 1] in ".!?:;。！？：；…|>{}" or words[0] in "|{}<":
        return False
    return words[0].islower() or (60 <= length <= 120 and text[end - 1] in ",，、-(")


def _split(block: str) -> Iterator[str]:
    """The sentences of one block."""
    spans = [found.span() for found in _CODE.finditer(block)] if "`" in block else []
    start = index = 0
    for stop in _STOP.finditer(block):
        while index < len(spans) and spans[index][1] <= stop.start():
            index += 1
        if index < len(spans) and spans[index][0] < stop.start():
            continue
        if not _ends(block, start, stop):
            continue
        if sentence := block[start : stop.end()].strip():
            yield sentence
        start = stop.end()
    if rest := block[start:].strip():
        yield rest


def _ends(block: str, start: int, stop: re.Match[str]) -> bool:
    """Whether a stop ends the sentence that began at `start`."""
    mark, after = stop[0][0], stop.end()
    if mark in "。！？":
        return True
    following = block[after : after + 1]
    if following and not following.isspace():
        before = block[stop.start() - 1 : stop.start()]
        return mark != "…" and _han(before) and _han(following)
    if mark != "." or stop[0].startswith(".."):
        return True
    found = _WORD.search(block[max(start, stop.start() - 12) : stop.start()])
    return found is None or not _abbreviated(found[0], block, start, stop)


def _abbreviated(word: str, block: str, start: int, stop: re.Match[str]) -> bool:
    """Whether the full stop after `word` belongs to the word: an abbreviation, an initial, a list number."""
    word = word.lower()
    if word in _ABBREVIATIONS:
        return True
    if word.isdigit() and len(word) <= 2:
        return block[start : stop.start() - len(word)].rstrip()[-1:] in ("", ":", ",", ";", "：", "，")
    after = block[stop.end() : stop.end() + 2].strip()
    return word in _SOFT_ABBREVIATIONS and after[:1].islower()


def _han(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"
