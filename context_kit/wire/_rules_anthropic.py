"""Rules of an Anthropic request (wire-facts 1). Each is one small check over the whole list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from context_kit.wire._message import Message
from context_kit.wire._rules import Finding, Rule, foreign, pairs

__all__ = ["ANTHROPIC"]

MARKS = 4
"""`cache_control` markers a request may have (wire-facts 1.6)."""

THINKING = frozenset({"thinking", "redacted_thinking"})


def _blocks(message: Message) -> list[dict[str, Any]]:
    content = message.raw.get("content")
    # The content of an item is nobody's blocks.
    return content if isinstance(content, list) and message.shape != "responses" else []


def _together(messages: Sequence[Message]) -> Iterator[Finding]:
    """All results of a turn stand in the one user message right after it (1.2.1)."""
    for at, message in enumerate(messages):
        before = messages[at - 1] if at else None
        if before is not None and before.calls and message.results:
            missing = {part.id for part in before.calls} - {part.id for part in message.results}
            if missing:
                yield at, f"answers only a part of the calls; {sorted(missing)} are missing here"


def _results_first(messages: Sequence[Message]) -> Iterator[Finding]:
    """Within a message the results come first, text only after them (1.2.1)."""
    for at, message in enumerate(messages):
        if message.role != "tool":
            continue
        kinds = [block["type"] == "tool_result" for block in _blocks(message)]
        if kinds != sorted(kinds, reverse=True):
            yield at, "has other blocks before a tool_result: results come first"


def _first(messages: Sequence[Message]) -> Iterator[Finding]:
    """The list begins with a user message, or with a compaction block, never with a system message (1.1.5, 1.5.3)."""
    if messages and messages[0].role != "user":
        blocks = _blocks(messages[0])
        if not (blocks and blocks[0]["type"] == "compaction" and messages[0].role == "assistant"):
            yield 0, f"is a message of role {messages[0].raw.get('role')!r}: the first one is the user's"


def _content(messages: Sequence[Message]) -> Iterator[Finding]:
    """No empty content but in a last assistant message, no text of nothing but white space (1.1.4)."""
    for at, message in enumerate(messages):
        content = message.raw.get("content")
        blank = not content or (isinstance(content, str) and not content.strip())
        if blank and not (at == len(messages) - 1 and message.role == "assistant"):
            yield at, "has no content"
        for number, block in enumerate(_blocks(message)):
            if block["type"] == "text" and not block["text"].strip():
                yield at, f"has an empty text block, content[{number}]"


def _system(messages: Sequence[Message]) -> Iterator[Finding]:
    """A system message follows the user's turn or a server call; an assistant message or nothing follows it (1.1.5)."""
    for at, message in enumerate(messages):
        if message.role != "system" or at == 0:
            continue
        before = messages[at - 1]
        server_call = bool(before.parts) and before.parts[-1].kind == "call" and before.parts[-1].server
        if before.role not in ("user", "tool") and not server_call:
            yield at, f"is a system message after one of role {before.raw.get('role')!r}: it follows a user message"
        if at + 1 < len(messages) and messages[at + 1].role != "assistant":
            yield at, "is a system message before one that is not the assistant's"


def _thinking(messages: Sequence[Message]) -> Iterator[Finding]:
    """Thinking stands in assistant messages, is followed by something, and bears no cache mark (1.3, 1.6)."""
    for at, message in enumerate(messages):
        blocks = _blocks(message)
        for block in blocks:
            if block["type"] in THINKING and message.role != "assistant":
                yield at, "has thinking outside an assistant message"
            if block["type"] in THINKING and block.get("cache_control"):
                yield at, "has a cache mark on a thinking block"
        if message.role == "assistant" and blocks and blocks[-1]["type"] in THINKING:
            yield at, "ends with a thinking block"


def _server(messages: Sequence[Message]) -> Iterator[Finding]:
    """A server tool's result stands behind its call in the same turn, and a person speaks only after it (1.2.6).

    A call that waits for the caller's own tools (programmatic calls) may stay open: its result comes later.
    """
    known: set[str] = set()
    due: set[str] = set()
    for at, message in enumerate(messages):
        if message.role == "user":
            if due:
                yield at, f"stands before the results of the server tool calls {sorted(due)}"
            known, due = set(), set()
        for part in message.parts:
            if part.server and part.kind == "call":
                known.add(part.id)
                due.add(part.id)
            elif part.server and part.kind == "result":
                if part.id not in known:
                    yield at, f"has a server tool result {part.id!r} without its call in this turn"
                due.discard(part.id)
        if message.calls:
            due = set()


def _compaction(messages: Sequence[Message]) -> Iterator[Finding]:
    """A signed compaction block is the first block of the conversation, and the only one with content (1.5.3)."""
    found = [
        (at, number, block)
        for at, message in enumerate(messages)
        for number, block in enumerate(_blocks(message))
        if block["type"] == "compaction"
    ]
    for at, number, block in found:
        if messages[at].role == "system":
            yield at, "has a compaction block in a system message"
        elif block.get("signature") and (at, number) != (0, 0):
            yield at, "has a signed compaction block that is not the first block of the conversation"
    if sum(1 for _, _, block in found if block.get("signature") and block.get("content")) > 1:
        yield found[-1][0], "has a second compaction block with content"


def _marks(messages: Sequence[Message]) -> Iterator[Finding]:
    """At most four `cache_control` marks (1.6)."""
    count = 0
    for at, message in enumerate(messages):
        for block in _blocks(message):
            inner = block.get("content") if block["type"] == "tool_result" else None
            for marked in (block, *(inner if isinstance(inner, list) else ())):
                count += bool(marked.get("cache_control"))
        if count > MARKS:
            yield at, f"has cache mark number {count}: a request may have {MARKS}"
            return


def _prefill(messages: Sequence[Message]) -> Iterator[Finding]:
    """A last assistant message is a prefill; its text does not end in white space (1.1.3)."""
    if not messages or messages[-1].role != "assistant" or not messages[-1].parts:
        return
    last = messages[-1].parts[-1]
    if last.kind == "text" and last.text != last.text.rstrip():
        yield len(messages) - 1, "is a last assistant message whose text ends in white space"


ANTHROPIC: tuple[Rule, ...] = (
    foreign("anthropic"),
    Rule("pairs", pairs),
    Rule("together", _together),
    Rule("results_first", _results_first),
    Rule("first", _first),
    Rule("content", _content),
    Rule("system", _system),
    Rule("thinking", _thinking),
    Rule("server_tools", _server),
    Rule("compaction", _compaction),
    Rule("cache_marks", _marks),
    Rule("prefill", _prefill),
)
