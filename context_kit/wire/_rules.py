"""Rules that hold in more than one shape: pairing, roles, shape, alternation. Each is one small check.

A rule looks at the whole list of read messages and yields the index and the text of each fault. All are linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from context_kit.typing import Shape
from context_kit.wire._message import Message

__all__ = ["CHAT", "STRICT", "Finding", "Rule", "foreign", "pairs"]

Finding = tuple[int, str]
Check = Callable[[Sequence[Message]], Iterator[Finding]]


class Rule(NamedTuple):
    """A named check of a whole list."""

    name: str
    check: Check


def pairs(messages: Sequence[Message]) -> Iterator[Finding]:
    """Every call has one result right after it, every result has its call; ids may return in later turns."""
    waiting: dict[str, None] = {}
    for at, message in enumerate(messages):
        results = message.results
        if waiting and not results:
            yield at, f"the calls {list(waiting)} are not answered before this message"
            waiting = {}
        for part in results:
            if part.id in waiting:
                del waiting[part.id]
            else:
                yield at, f"the result {part.id!r} has no call that waits for it right before"
        if message.role != "tool":
            waiting = dict.fromkeys(part.id for part in message.calls)
    if waiting:
        yield len(messages) - 1, f"the calls {list(waiting)} are never answered"


def foreign(shape: Shape) -> Rule:
    """No call, result, reasoning or item of another provider's shape."""

    def check(messages: Sequence[Message]) -> Iterator[Finding]:
        for at, message in enumerate(messages):
            if message.shape in (None, shape):
                continue
            bound = any(part.kind in ("call", "result", "reasoning") for part in message.parts)
            if bound or "role" not in message.raw:
                yield at, f"is a message of shape {message.shape!r} in a list of shape {shape!r}"

    return Rule("shape", check)


def _chat_content(messages: Sequence[Message]) -> Iterator[Finding]:
    """Content may be null or empty only beside calls or audio (wire-facts 2.2)."""
    for at, message in enumerate(messages):
        content = message.raw.get("content")
        if content is None and message.raw.get("role") == "function":
            continue
        beside = any(message.raw.get(key) for key in ("tool_calls", "function_call", "audio"))
        if not beside and (content is None or content == []):
            yield at, "has no content"


def _tool_content(messages: Sequence[Message]) -> Iterator[Finding]:
    """A tool message holds text only; pictures go into a user message after all results (wire-facts 2.4)."""
    for at, message in enumerate(messages):
        content = message.raw.get("content")
        if message.role == "tool" and message.shape != "responses" and isinstance(content, list):
            for block in content:
                if block["type"] != "text":
                    yield at, f"holds a block of type {block['type']!r}: tool messages take text only"


def _one_system(messages: Sequence[Message]) -> Iterator[Finding]:
    """At most one system message, and it is the first (chat templates, wire-facts 2.1)."""
    for at, message in enumerate(messages):
        if message.role == "system" and at > 0:
            yield at, "is a system message that is not the first message"


def _alternation(messages: Sequence[Message]) -> Iterator[Finding]:
    """User and assistant take turns, the user begins; calls and their results stand outside the count."""
    due = "user"
    for at, role in _turns(messages):
        if role != due:
            yield at, f"is a message of role {role!r} where {due!r} is due"
        due = "assistant" if role == "user" else "user"


def _turns(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    """Whose turn it is, message by message; the items of one reply are one turn, a provider's compaction is none."""
    for role, run in groupby(enumerate(messages), key=lambda each: each[1].role):
        found = list(run)
        if role not in ("user", "assistant") or any(m.calls and "role" not in m.raw for _, m in found):
            continue
        spoken = [(at, "role" in m.raw) for at, m in found if not m.calls and not _is_compaction(m)]
        for index, (at, whole) in enumerate(spoken):
            if index == 0 or (whole and spoken[index - 1] == (at - 1, True)):
                yield at, role


def _is_compaction(message: Message) -> bool:
    return bool(message.parts) and all(part.name == "compaction" for part in message.parts)


CHAT: tuple[Rule, ...] = (
    foreign("chat"),
    Rule("pairs", pairs),
    Rule("content", _chat_content),
    Rule("tool_content", _tool_content),
)

STRICT: tuple[Rule, ...] = (
    Rule("one_system", _one_system),
    Rule("alternation", _alternation),
)
