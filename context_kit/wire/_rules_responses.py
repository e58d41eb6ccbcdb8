"""Rules of a Responses request (wire-facts 3). Each is one small check over the whole list of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from context_kit.wire._message import Message
from context_kit.wire._rules import Finding, Rule, foreign

__all__ = ["RESPONSES", "Tie", "tied_to"]


class Tie(NamedTuple):
    """An item that another one must stand before."""

    type: str
    """Type of the other one."""
    field: str
    """Key that names it here."""
    key: str
    """Key of its name there."""
    id: object = None
    """The name."""


TIED = {
    "mcp_approval_response": Tie("mcp_approval_request", "approval_request_id", "id"),
    "program_output": Tie("program", "call_id", "call_id"),
}
"""Items that need another one before them, by type."""


def tied_to(raw: Mapping[str, Any]) -> Tie | None:
    """What an item needs before it; None where it needs nothing."""
    kind = raw.get("type")
    tie = TIED.get(kind) if isinstance(kind, str) and "role" not in raw else None
    return tie._replace(id=raw.get(tie.field)) if tie is not None else None


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
    seen: set[tuple[str, str]] = set()
    for at, message in enumerate(messages):
        raw = message.raw
        need = tied_to(raw)
        if need is not None and (need.type, repr(need.id)) not in seen:
            yield at, f"is an item {raw['type']!r} without its {need.type!r} before it"
        seen |= {(tie.type, repr(raw.get(tie.key))) for tie in TIED.values() if raw.get("type") == tie.type}


RESPONSES: tuple[Rule, ...] = (
    foreign("responses"),
    Rule("pairs", _pairs),
    Rule("reasoning", _reasoning),
    Rule("content", _content),
    Rule("compaction", _compaction),
    Rule("tied", _tied),
)
