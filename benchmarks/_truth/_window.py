"""A window as a reader sees it: its text, where its tail begins, what its bridge keeps, what recall brings back."""

from __future__ import annotations

import json
import re
from typing import Any, Protocol

from benchmarks._judge import bare, count_tokens
from benchmarks._truth._failures import squeezed

__all__ = [
    "Archive",
    "Recalling",
    "bridge_of",
    "engram_tokens",
    "left_of",
    "recovered",
    "sections_of",
    "strings",
    "text_of",
]

TITLE = "[context record "
_UNREAD = set("type role id call_id tool_call_id tool_use_id signature cache_control media_type data".split())
_HEADINGS = {
    "goal": ("## Original goal", "## 原始目标", "# Goal"),
    "kept": ("## Kept word for word", "## 原文保留", "# Verbatim"),
    "steps": ("## Completed steps", "## 已完成步骤", "# Done"),
    "files": ("## Current files", "## 当前编辑文件", "# Files"),
    "decisions": ("## Key decisions", "## 关键决策", "# Decided"),
    "failed": ("## Failed attempts", "## 失败尝试", "# Failed"),
    "todo": ("## Todo", "## 待办事项", "# Todo"),
    "journal": ("## Journal", "## 上次记录以来", "# Journal"),
}


class Recalling(Protocol):
    """What brings text back."""

    def recall(self, query: str, /, *, k: int = 5, max_tokens: int = 2_000) -> list[Any]: ...


def strings(node: object) -> list[str]:
    """Every text in a message or a list of them, arguments unpacked; ids and types left out."""
    if isinstance(node, str):
        return [node]
    if isinstance(node, dict):
        found: list[str] = []
        for key, value in node.items():
            if key == "arguments" and isinstance(value, str):
                try:
                    found += strings(json.loads(value))
                except ValueError:
                    found.append(value)
            elif key not in _UNREAD:
                found += strings(value)
        return found
    return [text for each in node for text in strings(each)] if isinstance(node, list) else []


def text_of(window: list[dict[str, Any]]) -> str:
    """Every word of a window, whitespace squeezed."""
    return squeezed("\n".join(strings(window)))


def bridge_of(window: list[dict[str, Any]]) -> str:
    """The bridge's text, nothing where there is none."""
    for message in window[:6]:
        for text in strings(message.get("content")):
            if message.get("role") == "user" and text.startswith(TITLE):
                return text
    return ""


def left_of(window: list[dict[str, Any]], originals: list[dict[str, Any]]) -> int:
    """How many of the originals stand no longer in the window's tail: walked back from the end."""
    for back, message in enumerate(reversed(window), 1):
        original = originals[-back] if back <= len(originals) else None
        if original is None:
            return 0
        same = message == original or bare(message) == bare(original)
        clipped = message.get("role") == original.get("role") and not any(t.startswith(TITLE) for t in strings(message))
        if not same and not (clipped and "recall(" in json.dumps(message)):
            return len(originals) - back + 1
    return len(originals) - len(window)


def sections_of(bridge: str) -> dict[str, str]:
    """The bridge by heading; a heading counts where it stands last, for quoted text may hold one too."""
    places = sorted(
        (max(bridge.rfind("\n" + heading) for heading in headings), name) for name, headings in _HEADINGS.items()
    )
    places = [(at, name) for at, name in places if at >= 0]
    ends = [at for at, _ in places[1:]] + [len(bridge)]
    return {name: bridge[at:end].split("\n", 2)[-1] for (at, name), end in zip(places, ends, strict=True)}


def engram_tokens(bridge: str, engrams: tuple[Any, ...]) -> int:
    """Tokens of the goal's copy and of the engrams' texts."""
    goal = sections_of(bridge).get("goal", "")
    return count_tokens(goal) + sum(count_tokens(engram.text) for engram in engrams)


_ADDRESS = re.compile(r"recall\(\\?\"([^\"\\]+)\\?\"\)")
_CACHE_LIMIT = 64


class Archive:
    """Addresses read whole, remembered: a compaction's archive never changes."""

    def __init__(self, ctx: Recalling) -> None:
        self._ctx = ctx
        self._read: dict[str, str] = {}

    def read(self, address: str) -> str:
        """The whole text under an address, whitespace squeezed."""
        if address not in self._read:
            if len(self._read) >= _CACHE_LIMIT:
                self._read.clear()
            self._read[address] = squeezed("\n".join(found.text for found in self._ctx.recall(address)))
        return self._read[address]


def recovered(ctx: Recalling, archive: Archive, fact: str, at: int, text: str) -> str:
    """How a fact comes back: `words`, its own `address`, a `record` that names it, or not at all."""
    if any(fact in squeezed(found.text) for found in ctx.recall(fact)):
        return "words"
    own = f"m{at + 1}"
    if re.search(rf"(?<!\w){own}(?!\w)", text) and fact in archive.read(own):
        return "address"
    for address in dict.fromkeys(_ADDRESS.findall(text)):
        if fact in archive.read(address):
            return "record"
    return ""
