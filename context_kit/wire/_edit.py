"""Copies of a message with other words in it; the shell (ids, names, order, media) stays.

No copy ever holds an empty text: providers refuse it, so a text clipped to nothing leaves a stub.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from context_kit.wire._blocks import DOCUMENT_KEYS, document_text
from context_kit.wire._kinds import BLOCKS, answer_of
from context_kit.wire._message import Message, Part
from context_kit.wire._render import merge_results

__all__ = ["CLIPPED", "merge_users", "user_message", "with_texts", "without_media"]

Raw = dict[str, Any]

CLIPPED = "[clipped]"
"""Stands where a text was clipped to nothing."""


RESPONSES_INPUT = frozenset({"input_text", "input_image", "input_file"})


def user_message(text: str, /) -> Raw:
    """A user message that all three shapes accept."""
    return {"role": "user", "content": text}


def with_texts(message: Message, texts: Mapping[int, str], /, *, drop_media: bool = False) -> Raw:
    """A copy of a message with other words in the parts of the given numbers.

    Args:
        message: the message; it is not changed.
        texts: new text by the part's index in `message.parts`. The texts of a result become one block; the text
            of a call whose input is a dict is the JSON of the new one.
        drop_media: also leave out the media of the results that change.

    Raises:
        ValueError: the part has no text that may change (signed reasoning, media, unknown blocks), or a call's
            new text is no JSON object where one is needed.
    """
    raw = dict(message.raw)
    for number, text in texts.items():
        part = message.parts[number]
        _put(raw, part, text if text.strip() else CLIPPED, drop_media)
    return raw


def _put(raw: Raw, part: Part, text: str, drop_media: bool) -> None:
    if part.kind == "text":
        _put_text(raw, part, text)
    elif part.kind == "call" and not part.server:
        _put_call(raw, part, text)
    elif part.kind == "result" and not part.server:
        _put_result(raw, part, text, drop_media)
    elif part.kind == "reasoning" and part.name in ("reasoning_content", "reasoning") and "role" in raw:
        raw[part.name] = text
    elif part.kind == "opaque" and part.name == "document":
        raw["content"] = _replaced(raw["content"], part.at, _document(raw["content"][part.at], text))
    else:
        msg = f"part {part.kind} {part.name!r} has no text that may change: leave it or drop its message"
        raise ValueError(msg)


def _replaced(blocks: Sequence[Raw], at: int, block: Raw) -> list[Raw]:
    return [*blocks[:at], block, *blocks[at + 1 :]]


def _put_text(raw: Raw, part: Part, text: str) -> None:
    if part.at < 0:
        raw["refusal" if part.name == "refusal" else "content"] = text
        return
    block = raw["content"][part.at]
    made = {**block, BLOCKS[block["type"]].key: text}
    # Annotations count characters of the old text, citations quote sources for it.
    made.pop("citations", None)
    if made.get("annotations"):
        made["annotations"] = []
    raw["content"] = _replaced(raw["content"], part.at, made)


def _document(block: Raw, text: str) -> Raw:
    source = block["source"]
    return {**block, "source": {**source, DOCUMENT_KEYS[source["type"]]: text}}


def _put_call(raw: Raw, part: Part, text: str) -> None:
    if "role" not in raw:
        _put_item_call(raw, text)
    elif part.at < 0:
        raw["function_call"] = {**raw["function_call"], "arguments": text}
    elif raw.get("tool_calls") is None:
        block = {**raw["content"][part.at], "input": _object(text)}
        raw["content"] = _replaced(raw["content"], part.at, block)
    else:
        call = raw["tool_calls"][part.at]
        kind, key = ("custom", "input") if isinstance(call.get("custom"), dict) else ("function", "arguments")
        raw["tool_calls"] = _replaced(raw["tool_calls"], part.at, {**call, kind: {**call[kind], key: text}})


def _put_item_call(raw: Raw, text: str) -> None:
    answer = answer_of(raw["type"], raw.get("execution"))
    if answer is None:
        msg = f"item {raw['type']!r} is run by the provider: leave it or drop its step"
        raise ValueError(msg)
    raw[answer.body] = text if isinstance(raw.get(answer.body), str) else _object(text)


def _object(text: str) -> Raw:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    msg = f"{text!r:.60} is no JSON object: a tool input is a dict"
    raise ValueError(msg)


def _put_result(raw: Raw, part: Part, text: str, drop_media: bool) -> None:
    if part.at >= 0:
        block = raw["content"][part.at]
        made = {**block, "content": _collapsed(block.get("content"), text, "text", drop_media)}
        raw["content"] = _replaced(raw["content"], part.at, made)
    elif "role" in raw:
        raw["content"] = _collapsed(raw.get("content"), text, "text", drop_media)
    elif raw["type"] == "shell_call_output":
        raw["output"] = [{**raw["output"][0], "stdout": text, "stderr": ""}] if raw["output"] else []
    elif raw["type"] in ("computer_call_output", "tool_search_output"):
        msg = f"item {raw['type']!r} has no text that may change: leave it or drop its step"
        raise ValueError(msg)
    else:
        raw["output"] = _collapsed(raw.get("output"), text, "input_text", drop_media)


def _collapsed(content: Any, text: str, kind: str, drop_media: bool) -> str | list[Raw]:
    """A result's content with one text, at the place of its first, and its media."""
    if not isinstance(content, list):
        return text
    out: list[Raw] = []
    placed = False
    for block in content:
        if _is_media(block):
            if not drop_media:
                out.append(block)
        elif not placed:
            placed = True
            out.append(
                {**block, "text": text} if block["type"] in ("text", "input_text") else {"type": kind, "text": text}
            )
    return out if placed else [{"type": kind, "text": text}, *out]


def _is_media(block: Raw) -> bool:
    kind = BLOCKS.get(block["type"])
    return kind is not None and kind.part == "media" and document_text(block) is None


def merge_users(first: Raw, second: Raw, /) -> Raw:
    """Two user messages as one, for servers that insist on alternation; nothing of either is lost."""
    one, two = first.get("content"), second.get("content")
    if isinstance(one, str) and isinstance(two, str):
        return {**second, **first, "content": "\n\n".join(text for text in (one, two) if text)}
    kind = _text_type([*(one if isinstance(one, list) else []), *(two if isinstance(two, list) else [])])
    blocks = [*_blocks(one, kind), *_blocks(two, kind)]
    return merge_results([{**second, **first, "content": blocks}])


def _text_type(blocks: Sequence[Raw]) -> str:
    return "input_text" if any(block.get("type") in RESPONSES_INPUT for block in blocks) else "text"


def _blocks(content: Any, kind: str) -> list[Raw]:
    if isinstance(content, str):
        return [{"type": kind, "text": content}] if content.strip() else []
    return content if isinstance(content, list) else []


def without_media(raw: Raw, number: int, text: str, /) -> Raw:
    """A copy of a message whose first so many media blocks are left out; a text stands for each run of them.

    Media of the message itself and of its tool results, in order; screenshots stay: nothing else answers their call.
    """
    left = number
    body = "output" if isinstance(raw.get("output"), list) else "content"
    kind = "input_text" if body == "output" or _text_type(raw.get(body) or []) == "input_text" else "text"
    stub = {"type": kind, "text": text}

    def swapped(blocks: Sequence[Raw]) -> list[Raw]:
        nonlocal left
        out: list[Raw] = []
        for block in blocks:
            inner = block.get("content") if block.get("type") == "tool_result" else None
            if left and _is_media(block):
                left -= 1
                out += [] if out[-1:] == [stub] else [stub]
            else:
                out.append({**block, "content": swapped(inner)} if isinstance(inner, list) else block)
        return out

    return {**raw, body: swapped(raw[body])}
