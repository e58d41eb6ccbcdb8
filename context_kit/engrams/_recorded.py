"""What a person wrote, read back from the record of another session: a window that was moved begins with one.

Only the sections that quote a person are read, and each piece stands in the record word for word. The headings are
those of `bridge/_words.py`, which a test holds together with these.
"""

from __future__ import annotations

import re

from context_kit._lazily import regex
from context_kit.engrams._quote import RECORD

__all__ = ["recorded"]

GOAL = regex(r"^(?:## Original goal \(the user's words\)|## 原始目标（用户原文）|# Goal)\n", re.MULTILINE)
USER = regex(r"^\[(?:user|用户)(?: · [^\n\]]*)?\](?: |\n)", re.MULTILINE)
BELOW = regex(r"(?:It stands word for word in the messages below|原文在下面的消息中).*")
"""Where the goal stands in the tail, and so among the messages themselves."""
FENCE = regex(r"(`{3,})\n")


def recorded(text: str, /) -> str:
    """The goal and the person's other words that a record quotes, in that order; '' where it is no record."""
    if not text.startswith(RECORD):
        return ""
    goal = GOAL.search(text)
    found = [_quoted(text, goal.end())] if goal else []
    found += [_quoted(text, match.end()) for match in USER.finditer(text)]
    return "\n\n".join(piece for piece in found if piece and not BELOW.fullmatch(piece))


def _quoted(text: str, start: int) -> str:
    """The piece that stands at a place: inside its fence, or its one line."""
    fence = FENCE.match(text, start)
    if fence is None:
        return text[start:].partition("\n")[0].strip()
    end = text.find(f"\n{fence[1]}", fence.end() - 1)
    return text[fence.end() : end if end >= 0 else len(text)].strip()
