"""What a viewer showed of a file: the file's own text, without line numbers and notices.

A text counts as numbered only where its numbers run on without a gap: the last less the first
is the number of lines. So a listing that merely starts with digits stays as it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from context_kit._lazily import regex

__all__ = ["Shown", "shown"]


class Shown(NamedTuple):
    """A file's text as a viewer showed it."""

    text: str
    """The lines, without numbers and notices."""
    first: int
    """Number of the first line; 0 where the viewer doesn't tell."""
    last: int
    """Number of the last line; 0 where the viewer doesn't tell."""
    cut: bool
    """A notice says that there is more, or the file starts before these lines."""


STYLES = tuple(
    (regex(rf"[ \t]*(\d+){mark}"), regex(rf"(?m)^[ \t]*\d+{mark}"))
    for mark in ("→", "\t", r"\|[ ]", r" \| ?", r"\| ?", r":")
)
"""Claude Code; `cat -n` and editors made of it; opencode; Cline and MyCodeAgent; others; SWE-agent."""
CODEX_STYLE = (regex(r"L(\d+): "), regex(r"(?m)^L\d+: ?"))

HEADERS = regex(
    r"\s*(?:Here's the result of running `cat -n` on [^\n]*:\n"  # OpenHands, Anthropic's text editor
    r"|\[File: [^\n]*\((?P<total>\d+) lines total\)\]\n(?:\((?P<above>\d+) more lines above\)\n)?"  # SWE-agent
    r"|IMPORTANT: The file content has been truncated\.\nStatus: Showing lines (?P<from>\d+)-(?P<to>\d+) of (?P<of>\d+)"
    r"[\s\S]{0,400}?--- FILE CONTENT \(truncated\) ---\n"  # Gemini CLI
    r"|(?:<path>[^\n]*</path>\n)?(?:<type>[^\n]*</type>\n)?<(?:file|content)>\n"  # opencode
    r"|<file><path>[^\n]*</path>\n?<content[^\n>]*>\n"  # Roo
    r"|\[Showing lines [^\n]*\]\n"
    r")"
)
SIGNS = (
    "Here's the result",
    "[File: ",
    "IMPORTANT: The file",
    "<path>",
    "<type>",
    "<file",
    "<content",
    "[Showing lines",
)
"""How each of them begins: a cheap look first."""
FOOTERS = regex(
    r"\n*(?:\[\d+ more lines in (?:the )?file[^\n]*\]"  # pi
    r"|\[Showing lines [^\n]*\]|\[Truncated: [^\n]*\]|\[\d+ lines? truncated[^\n]*\]|\[truncated[^\n]*\]"
    r"|\(\d+ more lines below\)"  # SWE-agent
    r"|\(File has more lines\.[^\n]*\)|\(Showing lines [^\n]*\)|\(Output (?:capped|truncated)[^\n]*\)"  # opencode
    r"|\.\.\. ?\[?\(?(?:\d+ more lines|truncated)[^\n]*"
    r"|<NOTE>[^\n]*(?:has been shown|truncated)[^\n]*</NOTE>"  # OpenHands
    r"|<response clipped>[\s\S]*"  # Anthropic's text editor
    r"|\[Content truncated[^\n]*\]"
    r")\s*$"
)
END = regex(r"\n*\(End of file[^\n]*\)\s*(?:</(?:file|content)>)?\s*$|\n</(?:file|content)>(?:</file>)?\s*$")
REMINDER = "\n<system-reminder>"
SNIP = "\n... [TRUNCATED] ...\n"


def shown(text: str) -> Shown:
    """The file's text in what a viewer printed, with the lines it covers where that is told."""
    body, cut = _without_reminder(text), False
    first = last = 0
    if body.startswith("[File: ") and "\r\n" in body[:300]:
        body = body.replace("\r\n", "\n")  # SWE-agent's terminal wrote the line ends, not the file
    header = HEADERS.match(body[:2_000]) if body.lstrip().startswith(SIGNS) else None
    if header:
        body = body[header.end() :]
        if header.group("from"):
            first, last = int(header.group("from")), int(header.group("to"))
            cut = first > 1 or last < int(header.group("of"))
        cut = cut or bool(header.group("above"))
    body, less = _without_footers(body)
    cut = cut or less or SNIP in body
    numbered = _unnumbered(body)
    if numbered is not None:
        return Shown(numbered.text, numbered.first, numbered.last, cut or numbered.first > 1)
    return Shown(body, first, last, cut)


def _without_reminder(text: str) -> str:
    """Claude Code appends reminders to what it read; they are not the file's."""
    tail = text[-6_000:]
    at = tail.find(REMINDER)
    if at < 0 or not tail.rstrip().endswith("</system-reminder>"):
        return text
    return text[: len(text) - len(tail) + at].rstrip("\n")


def _without_footers(body: str) -> tuple[str, bool]:
    cut = False
    for _ in range(3):
        start = max(0, len(body) - 700)
        tail = body[start:]
        found = END.search(tail)
        more = _first_footer(tail)
        if found and (more is None or found.start() <= more.start()):
            body = body[: start + found.start()]
        elif more:
            body, cut = body[: start + more.start()], True
        else:
            break
    return body, cut


def _first_footer(tail: str) -> re.Match[str] | None:
    if not any(
        sign in tail for sign in ("more lines", "runcated", "Showing lines", "clipped>", "has been shown", "capped")
    ):
        return None
    at = [0]
    at.extend(match.start() for match in re.finditer(r"\n+", tail))
    for start in at[-8:]:
        found = FOOTERS.match(tail, start)
        if found:
            return found
    return None


def _unnumbered(body: str) -> Shown | None:
    start = 0
    while body.startswith("\n", start):
        start += 1
    for opening, every in (*STYLES, CODEX_STYLE):
        found = opening.match(body, start)
        if not found or len(found.group(1)) > 9:
            continue
        inner = body[start:].rstrip("\n") if start else body.rstrip("\n")
        newest = opening.match(inner, inner.rfind("\n") + 1)
        if not newest or len(newest.group(1)) > 9:
            return None
        first, last = int(found.group(1)), int(newest.group(1))
        if last - first != inner.count("\n"):
            continue
        text, count = every.subn("", inner)
        if count == last - first + 1:
            return Shown(text, first, last, first > 1)
    return None
