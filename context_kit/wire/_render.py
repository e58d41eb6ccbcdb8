"""A step on the wire: its own dicts, and where a provider would refuse them, the smallest repair.

Repairs: a placeholder for each call without a result; the results of an Anthropic turn in one message, results
first; pictures of chat results in a user message behind them; empty texts and reasoning that leads nowhere left out.
A step that needs none comes back as the same objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from context_kit.typing import Shape
from context_kit.wire._added import PICTURES
from context_kit.wire._message import Message, Part
from context_kit.wire._placeholder import placeholder

__all__ = ["merge_results", "render", "spoken"]

BESIDE = ("tool_calls", "function_call", "audio")
"""Keys of a chat message that may stand in the place of content."""

Raw = dict[str, Any]
Waiting = dict[str, tuple[Message, Part]]


def render(step: Sequence[Message], /, *, shape: Shape | None) -> list[Raw]:
    """The messages of one step as they are sent, in order; the raw dicts are read-only.

    `shape` is the session's; None where no message decides, and then nothing but plain text is in the step.
    """
    if shape == "anthropic":
        return _anthropic(step)
    if shape == "responses":
        return _responses(step)
    return _chat(step)


def _take(waiting: Waiting, results: Iterable[Part]) -> None:
    for part in results:
        waiting.pop(part.id, None)


def _chat(step: Sequence[Message]) -> list[Raw]:
    out: list[Raw] = []
    shown: list[Raw] = []
    waiting: Waiting = {}
    for message in step:
        raw = message.raw
        if message.role == "tool":
            results = message.results
            if results[0].block:
                named = waiting.get(results[0].id)
                raw, pictures = _apart(raw, named[1].name if named else "tool")
                shown += pictures
            _take(waiting, results)
        else:
            out += [placeholder(*call) for call in waiting.values()]
            waiting = {part.id: (message, part) for part in message.calls}
        out.append(spoken(raw))
    out += [placeholder(*call) for call in waiting.values()]
    return [*out, {"role": "user", "content": shown}] if shown else out


def spoken(raw: Raw, /) -> Raw:
    """A chat message with content, be it empty, where nothing may stand in its place (wire-facts 2.2)."""
    if raw.get("content") is not None or raw.get("role") != "assistant" or any(raw.get(key) for key in BESIDE):
        return raw
    return {**raw, "content": ""}


def _apart(raw: Raw, name: str) -> tuple[Raw, list[Raw]]:
    """A chat result without its pictures, and these: a tool message takes text only (wire-facts 2.4)."""
    content = raw.get("content")
    blocks: list[Raw] = content if isinstance(content, list) else []
    pictures = [block for block in blocks if block.get("type") != "text"]
    if not pictures:
        return raw, []
    texts = [block for block in blocks if block.get("type") == "text"]
    label = PICTURES.format(name=name, id=raw.get("tool_call_id", name))
    return {**raw, "content": texts or ""}, [{"type": "text", "text": label}, *pictures]


def _responses(step: Sequence[Message]) -> list[Raw]:
    out: list[Raw] = []
    thoughts: list[Raw] = []
    waiting: Waiting = {}
    for message in step:
        if message.raw.get("type") == "reasoning":
            thoughts.append(message.raw)
            continue
        if message.role == "assistant":
            out += thoughts
        # Reasoning without its following item is refused (wire-facts 3.2.1): a reply cut short leaves some.
        thoughts = []
        _take(waiting, message.results)
        waiting.update({part.id: (message, part) for part in message.calls})
        out.append(message.raw)
    return out + [placeholder(*call) for call in waiting.values()]


def _anthropic(step: Sequence[Message]) -> list[Raw]:
    out: list[Raw] = []
    results: list[Raw] = []
    waiting: Waiting = {}
    systems: list[Raw] = []
    for message in step:
        if message.role == "tool":
            _take(waiting, message.results)
            results.append(message.raw)
            continue
        if message.role == "system":  # behind the results, wherever it came
            systems += _filled(message)
            continue
        out += _turn(results, waiting)
        results, waiting = [], {part.id: (message, part) for part in message.calls}
        out += _filled(message)
    return [*out, *_turn(results, waiting), *systems]


def _filled(message: Message) -> list[Raw]:
    kept = _spoken(message)
    return [] if kept is None else [kept]


def _turn(results: Sequence[Raw], waiting: Waiting) -> list[Raw]:
    """The results of one turn: one user message, results first (wire-facts 1.2.1)."""
    missing = [placeholder(*call) for call in waiting.values()]
    if not results:
        return [{"role": "user", "content": missing}] if missing else []
    if len(results) == 1 and not missing and _in_order(results[0]["content"]):
        return [results[0]]
    return [merge_results(results, missing)]


def _in_order(content: Sequence[Raw]) -> bool:
    rest = False
    for block in content:
        if block.get("type") != "tool_result":
            rest = True
            if _is_blank(block):
                return False
        elif rest:
            return False
    return True


def merge_results(messages: Sequence[Raw], missing: Sequence[Raw] = ()) -> Raw:
    """User messages of one Anthropic turn as one: results, placeholders, then everything else."""
    blocks: list[Raw] = []
    for raw in messages:
        content = raw["content"]
        blocks += [{"type": "text", "text": content}] if isinstance(content, str) else content
    results = [block for block in blocks if block.get("type") == "tool_result"]
    rest = [block for block in blocks if block.get("type") != "tool_result" and not _is_blank(block)]
    return {**messages[0], "content": [*results, *missing, *rest]}


def _spoken(message: Message) -> Raw | None:
    """An Anthropic message without what the API refuses: empty texts, thinking that nothing follows.

    Blank text blocks are a 400 (wire-facts 1.1.4); a message of nothing else is left out.
    """
    raw = message.raw
    content = raw.get("content")
    if isinstance(content, str):
        return raw if content.strip() else None
    if not isinstance(content, list):
        return raw
    kept = [block for block in content if not _is_blank(block)]
    if message.role == "assistant":
        while kept and kept[-1].get("type") in ("thinking", "redacted_thinking"):
            kept.pop()
    if not kept:
        return None
    return raw if len(kept) == len(content) else {**raw, "content": kept}


def _is_blank(block: Raw) -> bool:
    return block.get("type") == "text" and not block["text"].strip()
