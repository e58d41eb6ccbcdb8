"""One shape for everybody: a transcript as plain OpenAI chat messages, whatever agent wrote it.

Thinking is left out, for most peers can't hold it, and an image becomes a word, for none counts one.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["chat"]

Message = dict[str, Any]


def chat(document: dict[str, Any]) -> list[Message]:
    """The messages of a document, its system prompt first."""
    system = document.get("system")
    head: list[Message] = [{"role": "system", "content": _text(system)}] if system else []
    return head + [each for message in document["messages"] for each in _plain(message)]


def _plain(message: Message) -> list[Message]:
    role, content = message["role"], message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if role == "tool":
        return [{"role": "tool", "tool_call_id": message["tool_call_id"], "content": _text(content)}]
    if role == "assistant":
        return [_said(message, blocks)]
    results: list[Message] = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _text(block.get("content"))}
        for block in blocks
        if block.get("type") == "tool_result"
    ]
    text = _text([block for block in blocks if block.get("type") != "tool_result"] if blocks else content)
    return results + ([{"role": role, "content": text}] if text or not results else [])


def _said(message: Message, blocks: list[Message]) -> Message:
    calls = [_call(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in _calls(message)]
    calls += [
        _call(block["id"], block["name"], json.dumps(block["input"], ensure_ascii=False))
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    text = _text(message.get("content"))
    said: Message = {"role": "assistant", "content": text or (None if calls else "")}
    return {**said, "tool_calls": calls} if calls else said


def _calls(message: Message) -> list[Message]:
    return list(message.get("tool_calls") or [])


def _call(key: str, name: str, arguments: str) -> Message:
    return {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for block in content if isinstance(content, list) else []:
        if block.get("type") in ("image", "image_url"):
            texts.append("[image]")
        elif block.get("text"):
            texts.append(str(block["text"]))
    return "\n".join(texts)
