"""Does an old value stand in a window as if it still held? Each place is judged by its line and its engram's label."""

from __future__ import annotations

import json
import re
from typing import Any

from benchmarks._truth._window import TITLE

__all__ = ["holds", "stands_as_current"]

_MARKS = re.compile(
    r"supersed|taken back|take back|replac|obsolete|outdated|no longer|withdrawn|overridden|revoked|invalid now"
    r"|\bforget|\bscrap|\bdrop|作废|取代|替换|不再|过时|已改|已更新|被更新|撤回|撤销|失效|别管|行不通|改为|换成",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\[[^\]\n]{2,200}\]")


def _whole(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-]){re.escape(value)}(?![\w/-]|\.\w)")


def _lines(window: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Each line of the window with the label of the engram it stands in; a call is one line."""
    found: list[tuple[str, str]] = []
    for message in window:
        label = ""
        content = message.get("content")
        texts = [content] if isinstance(content, str) else [each.get("text", "") for each in content or []]
        for text in texts:
            bridge = text.startswith(TITLE)
            for line in text.splitlines():
                if bridge and (line.startswith(("## ", "# ")) or _LABEL.match(line)):
                    match = _LABEL.match(line)
                    label = match[0] if match else ""
                found.append((label, line))
        calls = [json.loads(call["function"]["arguments"]) for call in message.get("tool_calls") or []]
        found += [("", " ".join(map(str, arguments.values()))) for arguments in calls]
    return found


def holds(value: str, window: list[dict[str, Any]]) -> bool:
    """Does the value stand in the window?"""
    return any(_whole(value).search(line) for _, line in _lines(window))


def stands_as_current(old: str, new: str, window: list[dict[str, Any]]) -> str:
    """The first line that shows the old value without any mark, or nothing.

    Marked is: a word for it in the line or in its engram's label, the new value in the same line,
    or a wording that itself replaces it ("from OLD", "not OLD", "instead of OLD").
    """
    taken_back = re.compile(
        rf"(?:\bfrom|\bnot|\bthan|instead of|doesn't work with|不是|不用|不要|而不是|从)\s*`?{re.escape(old)}",
        re.IGNORECASE,
    )
    for label, line in _lines(window):
        if not _whole(old).search(line) or _whole(new).search(line):
            continue
        if not (_MARKS.search(line) or _MARKS.search(label) or taken_back.search(line)):
            return line.strip()
    return ""
