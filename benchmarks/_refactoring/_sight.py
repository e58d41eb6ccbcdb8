"""What a window shows: its text, and nothing else.

All knowledge is a search for words. The only structure that counts is the provider's own: who
speaks, which call, which result.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

__all__ = ["Call", "Sight"]

CHANGED = re.compile(
    r"\b(?:edit(?:ed|s)?|write_file|edit_file|wrote|written|converted|committed|changed|updated|modified)\b"
    r"|编辑|修改|改写|转换好|已转换|提交",
    re.IGNORECASE,
)
"""Words beside a path that say that something was done to it."""
SEEN = re.compile(r"\bread(?!y)|读取|读过|已读|阅读", re.IGNORECASE)
"""Words beside a path that say that it was read."""
PATH = re.compile(r"[A-Za-z_][\w-]*(?:/[\w.-]+)+|\b[A-Za-z_][\w-]*\.(?:txt|md)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of the window with its result."""

    name: str
    path: str
    command: str
    content: str
    """What it wrote."""
    said: str
    """What the agent said along with it."""
    result: str


class Sight:
    """A window, looked at."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        self.messages = messages

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Every line of every message, white space evened out."""
        return tuple(" ".join(line.split()) for message in self.messages for line in _told(message).splitlines())

    @cached_property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The agent's calls, oldest first; a waiting one has no result."""
        results = {
            str(message.get("tool_call_id")): str(message.get("content") or "")
            for message in self.messages
            if message.get("role") == "tool"
        }
        found: list[Call] = []
        for message in self.messages:
            for call in message.get("tool_calls") or ():
                arguments = _arguments(call)
                found.append(
                    Call(
                        name=str(call["function"]["name"]),
                        path=str(arguments.get("path", "")),
                        command=str(arguments.get("command", "")),
                        content=str(arguments.get("content", "")),
                        said=str(message.get("content") or ""),
                        result=results.get(str(call.get("id")), ""),
                    )
                )
        return tuple(found)

    @property
    def asked(self) -> str:
        """The newest message, where a person wrote it; else empty."""
        last = self.messages[-1] if self.messages else {}
        return _told(last) if last.get("role") == "user" else ""

    def shows(self, words: str) -> bool:
        """Whether a sentence stands there, word for word."""
        return " ".join(words.split()) in self.text

    def shows_any(self, wordings: Sequence[str]) -> bool:
        """Whether one of several wordings does."""
        return any(self.shows(words) for words in wordings)

    def find(self, look: re.Pattern[str]) -> re.Match[str] | None:
        """The last place of a pattern."""
        return next(iter(deque(look.finditer(self.text), maxlen=1)), None)

    @cached_property
    def changed(self) -> frozenset[str]:
        """Paths that stand in one line with words of a change."""
        return frozenset(path for line in self.lines if CHANGED.search(line) for path in PATH.findall(line))

    @cached_property
    def read(self) -> frozenset[str]:
        """Paths that stand in one line with words of reading."""
        return frozenset(path for line in self.lines if SEEN.search(line) for path in PATH.findall(line))

    def source(self, path: str) -> str:
        """The newest text of a file that a call of the window shows; else empty."""
        for call in reversed(self.calls):
            if call.path == path and call.name == "write_file":
                return call.content
            if call.path == path and call.name == "read_file":
                return call.result
        return ""


def _told(message: Mapping[str, Any]) -> str:
    """A message as text: what it says, then each call with its arguments."""
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    calls = [
        " ".join([str(call["function"]["name"]), *(str(value) for value in _arguments(call).values())])
        for call in message.get("tool_calls") or ()
    ]
    return "\n".join([str(content), *calls])


def _arguments(call: Mapping[str, Any]) -> dict[str, Any]:
    found = json.loads(call["function"]["arguments"])
    return found if isinstance(found, dict) else {}
