"""Lists for servers whose chat template insists on alternation: one system message, then user and assistant in turn.

The user begins; calls and their results stand outside the count (templates of Mistral and others, wire-facts 2.1).
Neighbours of one role become one message; where a turn is missing, a marked stub stands for it. No word is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context_kit.typing import Shape
from context_kit.wire._added import BEGUN, SYSTEM
from context_kit.wire._edit import merge_users, user_message
from context_kit.wire._kinds import ITEMS

__all__ = ["NO_REPLY", "STUB_COST", "strict"]

Raw = dict[str, Any]

NO_REPLY = "[no reply]"
"""Stands for the assistant's turn where a person speaks right after results."""
STUB_COST = 24
"""Tokens that a stub, or a system message told in the user's role, may add to a list; an upper bound."""


def strict(messages: Sequence[Raw], /, *, shape: Shape | None) -> list[Raw]:
    """The list as strict servers want it; messages that need no change are the same objects.

    System messages become one, the first; Anthropic's, none of which can be the first, are told in the user message
    before them. A provider's compaction stays in front.
    """
    systems = [raw for raw in messages if raw.get("role") in ("system", "developer")]
    if shape == "anthropic":
        return _alternating([_told(raw) if raw.get("role") == "system" else raw for raw in messages])
    body = _alternating([raw for raw in messages if raw.get("role") not in ("system", "developer")])
    return [*([_one(systems)] if systems else []), *body]


def _told(raw: Raw) -> Raw:
    return {"role": "user", "content": [{"type": "text", "text": SYSTEM}, *_blocks(raw.get("content"), "text")]}


def _one(systems: Sequence[Raw]) -> Raw:
    made = systems[0]
    for raw in systems[1:]:
        made = {**merge_users({**made, "role": "user"}, {**raw, "role": "user"}), "role": made["role"]}
    return made


def _alternating(messages: Sequence[Raw]) -> list[Raw]:
    out: list[Raw] = []
    due = "user"
    spoke_for = due
    """Whose turn it was before the reply under way."""
    for raw in messages:
        before = out[-1] if out else {}
        if raw.get("role") == "user" and not _has_results(raw):
            if before.get("role") == "user":
                out[-1] = merge_users(before, raw)
                continue
            if due == "assistant":
                out.append({"role": "assistant", "content": NO_REPLY})
            out.append(raw)
            due = "assistant"
        elif _is_reply(raw):
            if not out and not _only_compaction(raw):
                out.append(user_message(BEGUN))
                due = "assistant"
            spoke_for = spoke_for if _is_reply(before) else due
            if before.get("role") == "assistant" == raw.get("role") and not _only_compaction(before):
                out[-1] = _merge_replies(before, raw)
            else:
                out.append(raw)
            due = spoke_for if _calls(raw) or _only_compaction(raw) else "user"
        else:
            out.append(raw)
    return out


def _is_reply(raw: Raw) -> bool:
    """A message of the assistant's, or an item that its reply is made of."""
    if "role" in raw:
        return bool(raw["role"] == "assistant")
    return bool(raw) and ITEMS.get(str(raw.get("type")), "assistant") == "assistant"


def _calls(raw: Raw) -> bool:
    if raw.get("tool_calls") or raw.get("function_call"):
        return True
    if "role" not in raw:
        return str(raw.get("type")).endswith("_call") and "call_id" in raw
    return any(block.get("type") == "tool_use" for block in _blocks(raw.get("content"), "text"))


def _has_results(raw: Raw) -> bool:
    return any(block.get("type") == "tool_result" for block in _blocks(raw.get("content"), "text"))


def _only_compaction(raw: Raw) -> bool:
    if "role" not in raw:
        return raw.get("type") == "compaction"
    content = raw.get("content")
    return isinstance(content, list) and bool(content) and all(block.get("type") == "compaction" for block in content)


def _merge_replies(first: Raw, second: Raw) -> Raw:
    """Two messages of the assistant's as one: their words in order, then the calls."""
    made = {**first, **second}
    for key in ("reasoning_content", "reasoning", "refusal"):
        texts = [text for raw in (first, second) if isinstance(text := raw.get(key), str) and text]
        if texts:
            made[key] = "\n\n".join(texts)
    one, two = first.get("content"), second.get("content")
    if isinstance(one, list) or isinstance(two, list):
        kind = "output_text" if any(_typed(content, "output_text") for content in (one, two)) else "text"
        made["content"] = [*_blocks(one, kind), *_blocks(two, kind)]
    else:
        made["content"] = "\n\n".join(text for text in (one, two) if text) or second.get("content")
    return made


def _typed(content: object, kind: str) -> bool:
    return isinstance(content, list) and any(block.get("type") == kind for block in content)


def _blocks(content: object, kind: str) -> list[Raw]:
    if isinstance(content, str):
        block: Raw = {"type": kind, "text": content, **({"annotations": []} if kind == "output_text" else {})}
        return [block] if content.strip() else []
    return content if isinstance(content, list) else []
