"""Rules of a Responses request (wire-facts 3). Each is one small check over the whole list of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from context_kit.wire._message import Message
from context_kit.wire._rules import Finding, Rule, foreign

__all__ = ["RESPONSES"]

TIED = {"mcp_approval_response": ("mcp_approval_request", "approval_request_id", "id")}
TIED_BY_CALL = {"program_output": ("program", "call_id", "call_id")}
"""Items that need another one before them: its type, the key here, the key there."""


def _pairs(messages: Sequence[Message]) -> Iterator[Finding]:
    """Every call has one output, every output its call, and no person speaks in between (3.1.3)."""
    waiting: dict[str, int] = {}
    for at, message in enumerate(messages):
        if message.role == "user" and waiting:
            yield at, f"the calls {list(waiting)} are not answered before this message"
            waiting = {}
        for part in message.results:
            if waiting.pop(part.id, None) is None:
                yield at, f"the output {part.id!r} has no call that waits for it"
        for part in message.calls:
            if part.id in waiting:
                yield at, f"the call {part.id!r} waits twice"
            waiting[part.id] = at
    for key, at in waiting.items():
        yield at, f"the call {key!r} is never answered"


def _reasoning(messages: Sequence[Message]) -> Iterator[Finding]:
    """A reasoning item is followed by an item of the same reply (3.2.1)."""
    for at, message in enumerate(messages):
        if message.raw.get("type") != "reasoning":
            continue
        after = messages[at + 1] if at + 1 < len(messages) else None
        if after is None or after.role != "assistant":
            yield at, "is a reasoning item without the item that followed it"


def _content(messages: Sequence[Message]) -> Iterator[Finding]:
    """A message has content."""
    for at, message in enumerate(messages):
        if "role" in message.raw and "content" in message.raw and message.raw["content"] in (None, []):
            yield at, "has no content"


def _compaction(messages: Sequence[Message]) -> Iterator[Finding]:
    """A compaction item has its sealed content; a trigger is the last item (3.1.1, 3.3)."""
    for at, message in enumerate(messages):
        kind = message.raw.get("type")
        if kind == "compaction" and not isinstance(message.raw.get("encrypted_content"), str):
            yield at, "is a compaction item without its encrypted_content"
        if kind == "compaction_trigger" and at != len(messages) - 1:
            yield at, "is a compaction trigger that is not the last item"


def _tied(messages: Sequence[Message]) -> Iterator[Finding]:
    """An approval stands behind its request, a program's output behind its program (3.1.6)."""
    seen: set[tuple[object, object]] = set()
    for at, message in enumerate(messages):
        raw = message.raw
        kind = raw.get("type")
        need = (TIED | TIED_BY_CALL).get(str(kind))
        if need is not None and (need[0], raw.get(need[1])) not in seen:
            yield at, f"is an item {kind!r} without its {need[0]!r} before it"
        for other, _, key in (*TIED.values(), *TIED_BY_CALL.values()):
            if kind == other:
                seen.add((kind, raw.get(key)))


RESPONSES: tuple[Rule, ...] = (
    foreign("responses"),
    Rule("pairs", _pairs),
    Rule("reasoning", _reasoning),
    Rule("content", _content),
    Rule("compaction", _compaction),
    Rule("tied", _tied),
)
