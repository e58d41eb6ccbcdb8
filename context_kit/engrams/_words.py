"""The words that a person wrote in a user-role text, and nothing that an agent put around them.

Every piece that is returned stands in the text, word for word. What can't be told from a person's words is
kept: a lost instruction costs more than a kept wrapper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from context_kit._lazily import regex
from context_kit.engrams._sentences import fence_of
from context_kit.engrams._wrappers import (
    BUILTIN_COMMANDS,
    CUTS,
    ENVELOPES,
    HEADS,
    TAGS,
    TRANSPARENT,
    openings,
)

__all__ = ["human", "is_wrapper_only", "language"]

_TAG = regex(r"[ \t]*<([A-Za-z][\w-]{0,60})(?:[ \t][^<>\n]{0,1000})?>")
_SHELL = regex(r"\(Open file: [^\n]{0,1000}\)\n\(Current directory: [^\n]{0,1000}\)\nbash-\$\s*\Z")
"""The prompt that SWE-agent's shell writes under each observation, and under the task itself."""
_SHELL_TASK = regex(r"^(?:We're currently |ISSUE:|INSTRUCTIONS:)", re.MULTILINE)
"""What tells the task from an observation where both end with that prompt (SWE-agent's own templates)."""
_SAMPLE = 20_000
"""Characters of each text that are looked at to tell its language."""
_HAN_SHARE = 0.2
"""A Chinese request full of English names is still Chinese: one Han character weighs a word."""


def human(text: str, /) -> str:
    """What a person wrote in a user-role text; '' where that is nothing.

    Wrappers, reminders, summaries, skill bodies, attachments and shell output of the known agents are taken
    off; the arguments of a slash command are kept. Call it per text part where a message has several.
    """
    start = text.lstrip()
    if any(start.startswith(head) for _, head in HEADS):
        return ""
    if start.startswith("/") and start[1:].strip() in BUILTIN_COMMANDS:
        return ""
    ends = text.rstrip().endswith("bash-$")
    if ends and (shell := _SHELL.search(text, max(0, len(text) - 3000))) is not None:
        if _SHELL_TASK.search(text[:600]) is None and not start.startswith("Here is a demonstration"):
            return ""
        text = text[: shell.start()]
    return _unwrap(text, 0)


def is_wrapper_only(text: str, /) -> bool:
    """Whether a text says something, but no person said it."""
    return bool(text.strip()) and not human(text)


def language(texts: Iterable[str]) -> Literal["en", "zh"]:
    """`zh` where at least a fifth of the letters in a person's texts are Han characters and few are kana, else `en`."""
    han = kana = letters = 0
    for text in texts:
        for char in text[:_SAMPLE]:
            if char.isalpha():
                letters += 1
                han += "\u4e00" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf"
                kana += "\u3041" <= char <= "\u30ff"
    return "zh" if han > kana and han >= _HAN_SHARE * letters else "en"


def _unwrap(text: str, depth: int) -> str:
    """The pieces of a text that are a person's, joined by newlines."""
    pieces: dict[str, None] = {}
    told: list[str] = []
    whole = True
    for piece, kind in _pieces(text, depth):
        whole = whole and kind == "kept"
        if kind == "envelope":
            told.append(piece)
        elif (words := piece.strip("\n").rstrip()).strip():
            pieces[words] = None
    if told:
        return "\n".join(told).strip()
    return text.strip() if whole else "\n".join(pieces).strip()


def _pieces(text: str, depth: int) -> Iterator[tuple[str, Literal["kept", "cut", "envelope"]]]:
    """Runs of words, with what was taken out between them. `cut` pieces are what a wrapper leaves."""
    absent: set[str] = set()
    candidate, opener = openings(text)
    kept = position = 0
    command = ""
    fresh = True
    while position < len(text):
        if not fresh:
            if (next_one := candidate.search(text, position)) is None:
                break
            position = next_one.start()
        fresh = False
        after = _after_fence(text, position, absent)
        if after is None:
            tag = _TAG.match(text, position)
            name = tag[1].lower() if tag else ""
            found = _wrapper(text, tag, name, absent) if tag else _cut(text, position, opener, absent)
        else:
            tag, name, found = None, "", None
        if found is None:
            newline = text.find("\n", position) if after is None else after
            position = len(text) if newline < 0 else newline + 1
            continue
        inner, end = found
        yield text[kept:position], "kept"
        if name == "command-name":
            command, inner = inner.strip().lstrip("/"), ""
        elif name == "command-args":
            inner = "" if command in BUILTIN_COMMANDS else inner
        if name in ENVELOPES or name in TRANSPARENT:
            inner = _unwrap(inner, depth + 1) if depth < 3 else inner
        yield inner, "envelope" if name in ENVELOPES and inner.strip() else "cut"
        kept = position = end
        fresh = True
    yield text[kept:], "kept"


def _wrapper(text: str, tag: re.Match[str], name: str, absent: set[str]) -> tuple[str, int] | None:
    """The words inside the wrapper that starts here, and where it ends; None where none does."""
    dropped = name in TAGS
    if not (dropped or name == "command-args" or name in TRANSPARENT or name in ENVELOPES):
        return None
    closing = "</permissions instructions>" if name == "permissions" else f"</{tag[1]}>"
    end = _find(text, closing, tag.end(), absent)
    if end < 0:
        return None
    inner = text[tag.end() : end]
    return ("" if dropped and name != "command-name" else inner), end + len(closing)


def _cut(text: str, position: int, opener: re.Pattern[str] | None, absent: set[str]) -> tuple[str, int] | None:
    """The same for a text of the agent's own that starts with known words."""
    found = opener.match(text, position) if opener is not None else None
    if found is None or found.lastgroup is None:
        return None
    cut = CUTS[int(found.lastgroup[1:])]
    if cut.kept is not None:
        at = _find(text, cut.kept, found.end(), absent)
        return ("" if at < 0 else text[at + len(cut.kept) :]), len(text)
    if cut.closing is None:
        return "", len(text)
    inside = 1 if found[0][-1] in "])#\n" else 0
    if cut.closing in absent or (end := regex(cut.closing).search(text, found.end() - inside)) is None:
        absent.add(cut.closing)
        return "", len(text)
    return "", end.end()


def _after_fence(text: str, position: int, absent: set[str]) -> int | None:
    """Where the last line of the code fence that opens here ends; None where none opens or it never closes."""
    if text[position : position + 1] not in ("`", "~", " ", "\t"):
        return None
    newline = text.find("\n", position)
    mark = fence_of(text[position : newline if newline >= 0 else len(text)][:200])
    if not mark or newline < 0:
        return None
    close = _find(text, "\n" + mark, newline, absent)
    if close < 0:
        return None
    end = text.find("\n", close + 1)
    return len(text) if end < 0 else end


def _find(text: str, words: str, start: int, absent: set[str]) -> int:
    """`text.find`, which doesn't look twice for what is not there: linear on thousands of open tags."""
    if words in absent:
        return -1
    at = text.find(words, start)
    if at < 0:
        absent.add(words)
    return at
