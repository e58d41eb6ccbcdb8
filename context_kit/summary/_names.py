"""Names in a sentence: paths, identifiers, numbers, errors; what code can look up, and nothing else.

Plain words of any language, small counts, addresses of the log and common product names are no
names here: what a translation or another wording brings along is never one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["EXTENSIONS", "Name", "names", "plain"]

_TOKEN = re.compile(
    r"https?://[^\s)\]>\"'`,，。；]+|(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|[0-9A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f./\\:@#$+~*%-]+"
)
_ADDRESS = re.compile(r"(?:[mcepr]\d{1,9})(?:[-:]m?\d{1,9})?")
_FILE_ADDRESS = re.compile(r"f:(.+?)@\d+")
_NUMBER = re.compile(r"[#v$~+<>=-]*(\d[\d,._:/-]*)(?:%|[A-Za-zµ]{1,3})?")
_TICKET = re.compile(r"[A-Z]{2,10}-\d+")
_WORD = re.compile(
    r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+(?:-[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+)*"
)
_PLACE = re.compile(r"((?:::[\w\[\]-]+)+|(?::\d+)+(?:-\d+)?)$")
_BETWEEN = re.compile(r"[\w)\]},，、’'\"`]\s*$")
"""What stands before a word in the middle of a sentence."""
_HUMPED = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z]\d|\d[A-Za-z]")
_TICKED = re.compile(r"`([^`\n]{1,200})`")

EXTENSIONS = frozenset(
    "py pyi pyx ipynb js mjs cjs jsx ts tsx mts vue svelte go rs java kt kts scala c h cc cpp cxx hpp hh cs swift m mm "
    "rb php pl pm lua r jl sh bash zsh fish ps1 bat cmd sql graphql proto css scss sass less html htm xml svg xhtml "
    "json jsonl json5 yaml yml toml ini cfg conf env lock txt md mdx rst tex csv tsv log diff patch png jpg jpeg gif "
    "webp pdf zip gz tar tgz whl jar war so dll exe bin dat db sqlite pem key crt tf hcl gradle cmake mk ex exs erl hs "
    "ml clj dart zig nim sol po mo pony xlsx docx pptx osp mp4 mp3 wav out err bak tmp".split()
)
"""File endings that make a word with a full stop in it a file's name."""
_SMALL = 10
"""Whole numbers up to here are counts, not facts to look up."""
_COMMON = frozenset(
    "javascript typescript github gitlab openai macos ios linux unix windows python java rust chinese english monday "
    "tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december stackoverflow wifi todo readme ok eof utf ascii unicode markdown posix".split()
)
"""Names that everybody knows; they say nothing about the session."""
_STANDARDS = frozenset(
    "utf-8 utf-16 utf-32 sha-1 sha-256 sha-512 md5 base64 iso-8601 iso-8859-1 http/1.1 http/2 ipv4 ipv6 x86_64 arm64 "
    "oauth2 es6 h264 mp3 rfc-3339 gpt-4 i18n l10n a11y".split()
)
"""Standards and formats by their own names, which hold a number."""
_IDLE_DOTS = frozenset("e.g i.e a.k.a etc. vs. node.js vue.js next.js react.js p.s w.r.t u.s".split())


@dataclass(frozen=True, slots=True)
class Name:
    """Something that a text names."""

    kind: Literal["path", "number", "word", "proper"]
    """`word`: an identifier, an error, an id; `proper`: a capitalised word inside a sentence."""
    text: str
    clipped: bool = False
    """Only its beginning or its end stands there."""


def names(text: str) -> Iterator[Name]:
    """Every name in a text, in order; the same one as often as it stands there."""
    ticked = {word for span in _TICKED.findall(text) for word in _TOKEN.findall(span)} if "`" in text else set[str]()
    text = text.replace("\\n", "\n").replace("\\t", "\t") if "\\" in text else text
    titled, last = _titled(text), ""
    for found in _TOKEN.finditer(text):
        before, after = text[max(found.start() - 3, 0) : found.start()], text[found.end() : found.end() + 3]
        inside = _BETWEEN.search(before) is not None and not titled and last[:1].islower()
        last = found[0]
        if after.startswith("×"):
            continue  # a count
        called = after.startswith("(") and not after.startswith(("(s", "(es"))
        clipped = after.startswith(("…", "...")) or before.endswith("…") or "*" in found[0] or found[0].endswith("...")
        for name in _classified(found[0], called=called or found[0] in ticked, inside=inside):
            yield Name(name.kind, name.text, clipped) if clipped else name


def plain(text: str) -> str:
    """A text without what stands in backticks and without names: its prose."""
    return _TOKEN.sub(lambda token: token[0] if _WORD.fullmatch(token[0].strip(".:-")) else " ", _TICKED.sub(" ", text))


def _titled(text: str) -> bool:
    """Whether most of its words begin with a capital, as in a heading."""
    words = _WORD.findall(text)
    return 2 * sum(1 for word in words if word[0].isupper()) > len(words)


def _classified(token: str, *, called: bool, inside: bool) -> Iterator[Name]:
    token = token.rstrip(".:-=+/~*@#").lstrip(":=+*@#")
    if found := _FILE_ADDRESS.fullmatch(token):
        token = found[1]
    if not token or _ADDRESS.fullmatch(token) or token.lower() in _STANDARDS:
        return
    if "://" in token:
        yield Name("path", token)
    elif _NUMBER.fullmatch(token) and not _TICKET.fullmatch(token):
        yield from _numbers(token)
    elif _WORD.fullmatch(token):
        yield from _word(token, called=called, inside=inside)
    elif found := _PLACE.search(token):
        yield from _classified(token[: found.start()], called=called, inside=inside)
        for part in filter(None, re.split(r"[:\[\]]+", found[1])):
            yield from _classified(part, called=True, inside=False)
    elif _is_path(token):
        yield Name("path", token)
    else:
        yield from _identifier(token, called=called, inside=inside)


def _numbers(token: str) -> Iterator[Name]:
    """A number, a version, a date; a range or a ratio of whole numbers gives both."""
    digits = _NUMBER.fullmatch(token)
    value = (digits[1] if digits else token).rstrip(",._:/-")
    parts = re.split(r"[/–-]", value)
    for part in parts if len(parts) == 2 or "/" in value else [value]:
        bare = part.replace(",", "").replace("_", "")
        if bare and not (bare.isdigit() and int(bare) <= _SMALL):
            yield Name("number", bare)


def _word(token: str, *, called: bool, inside: bool) -> Iterator[Name]:
    if token.lower() in _COMMON:
        return
    if "-" in token:
        for part in token.split("-"):
            yield from _word(part, called=False, inside=False)
    elif called or _HUMPED.search(token):
        yield Name("word", token)
    elif inside and token[0].isupper() and token[1:].islower() and len(token) > 2:
        yield Name("proper", token)


def _is_path(token: str) -> bool:
    """Whether a word is a path: by its slashes, or by a file's ending."""
    bare = token.replace("\\", "/").lstrip("./~")
    if not bare or "$" in token:
        return False
    parts = bare.split("/")
    _, dot, ending = parts[-1].rpartition(".")
    if dot and ending.lower() in EXTENSIONS and token.lower() not in _IDLE_DOTS:
        return True
    if "/" not in token.replace("\\", "/"):
        return False
    if token.startswith(("/", "./", "../", "~/")):
        return True
    if parts[-1].isdigit() or all(part[:1].isupper() for part in parts):
        return False  # a function with its number of arguments; a list of names
    return len(parts) > 2 or any(not part.isalpha() for part in parts)


def _identifier(token: str, *, called: bool, inside: bool) -> Iterator[Name]:
    """The parts of a dotted, dashed or slashed word that are identifiers."""
    if token.lower() in _IDLE_DOTS:
        return
    if _TICKET.fullmatch(token):
        yield Name("word", token)
        return
    for part in filter(None, re.split(r"[./\\:@#$+~*%-]+", token)):
        if part.isdigit():
            yield from _numbers(part)
        elif "_" in part.strip("_") or "." in token or not part.isalpha():
            if len(part) > 1 and part.lower() not in _COMMON:
                yield Name("word", part)
        else:
            yield from _word(part, called=called, inside=inside)
