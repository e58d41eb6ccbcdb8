"""Rollout logs of Codex: JSON Lines whose `response_item` rows hold Responses items.

The invariant guarded here: items come back as they were logged, nulls aside, each output after its call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from context_kit.harness.transcripts._transcript import Transcript
from context_kit.typing import Message

__all__ = ["is_codex", "read_codex"]

LOCAL = frozenset({"ghost_snapshot"})
"""Items that Codex keeps for itself and never sends."""


def is_codex(rows: Iterable[Any]) -> bool:
    """Whether rows are those of a Codex rollout."""
    return any(_payload(row, kind) is not None for row in rows for kind in ("response_item", "session_meta"))


def _payload(row: Any, kind: str) -> dict[str, Any] | None:
    payload = row.get("payload") if isinstance(row, dict) and row.get("type") == kind else None
    return payload if isinstance(payload, dict) else None


def read_codex(rows: Iterable[Any]) -> Transcript:
    """The conversation of a Codex rollout, as Responses items.

    The base instructions become the system prompt. Outputs whose call isn't in the log are left out.
    """
    meta: dict[str, Any] = {}
    items: list[Message] = []
    calls: set[Any] = set()
    orphans = 0
    for row in rows:
        meta = meta or _payload(row, "session_meta") or {}
        item = _payload(row, "response_item")
        if item is None or item.get("type") in LOCAL:
            continue
        kind, call = str(item.get("type")), str(item.get("call_id"))
        if kind.endswith("_output") and call not in calls:
            orphans += 1
            continue
        if kind.endswith("_call"):
            calls.add(call)
        items.append({key: value for key, value in item.items() if value is not None})
    return Transcript(
        messages=items,
        shape="responses",
        source="codex",
        system=_instructions(meta),
        session=str(meta.get("id") or ""),
        notes=(f"tool results without a call, left out: {orphans}",) if orphans else (),
    )


def _instructions(meta: dict[str, Any]) -> str | None:
    base = meta.get("base_instructions")
    text = base.get("text") if isinstance(base, dict) else base
    return text if isinstance(text, str) and text else None
