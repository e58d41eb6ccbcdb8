"""Transcripts of Gemini CLI: a JSON array of `{"role": "user" | "model", "parts": [...]}`, turned into chat messages.

The invariant guarded here: each function response becomes the tool message of exactly one call before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from context_kit.harness.transcripts._transcript import Transcript, TranscriptError
from context_kit.typing import Message

__all__ = ["is_gemini", "read_gemini"]


def is_gemini(rows: Sequence[Any]) -> bool:
    """Whether rows are contents of the Gemini API."""
    return any(isinstance(row, dict) and "parts" in row and "content" not in row for row in rows)


def read_gemini(rows: Sequence[Any]) -> Transcript:
    """The conversation as OpenAI chat messages.

    Thoughts are left out: they are summaries for people and never go back to the model. A signed call keeps its
    signature where Google's OpenAI-compatible endpoint has it, in `extra_content`.

    Raises:
        TranscriptError: a row has no parts; the text says which.
    """
    talk = _Talk()
    for index, row in enumerate(rows):
        parts = row.get("parts") if isinstance(row, dict) else None
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            msg = f"message {index + 1}: parts: must be a list of objects, as in the Gemini API"
            raise TranscriptError(msg)
        if row.get("role") == "model":
            talk.say(index, parts)
        else:
            talk.hear(parts)
    return Transcript(messages=talk.messages, shape="chat", source="gemini-cli", notes=talk.notes())


class _Talk:
    """The chat messages so far, and the calls that wait for their response."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.waiting: list[tuple[str, str]] = []
        """Id and name of each open call."""
        self.orphans = 0

    def say(self, index: int, parts: Sequence[Mapping[str, Any]]) -> None:
        text = "\n".join(str(part["text"]) for part in parts if part.get("text") and not part.get("thought"))
        calls = [self.call(f"call_{index}_{at}", part) for at, part in enumerate(parts) if "functionCall" in part]
        if calls:
            self.messages.append({"role": "assistant", "content": text or None, "tool_calls": calls})
        elif text:
            self.messages.append({"role": "assistant", "content": text})

    def call(self, default: str, part: Mapping[str, Any]) -> dict[str, Any]:
        asked = part["functionCall"] if isinstance(part["functionCall"], dict) else {}
        name, call_id = str(asked.get("name") or "unknown"), str(asked.get("id") or default)
        self.waiting.append((call_id, name))
        arguments = json.dumps(asked.get("args") or {}, ensure_ascii=False)
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        signature = part.get("thoughtSignature")
        return {**call, "extra_content": {"google": {"thought_signature": signature}}} if signature else call

    def hear(self, parts: Sequence[Mapping[str, Any]]) -> None:
        """A user row: responses first, then what the user wrote or showed."""
        for part in parts:
            if "functionResponse" in part:
                self.answer(part["functionResponse"])
        blocks = [block for part in parts if (block := _block(part))]
        if blocks and all(block["type"] == "text" for block in blocks):
            self.messages.append({"role": "user", "content": "\n".join(block["text"] for block in blocks)})
        elif blocks:
            self.messages.append({"role": "user", "content": blocks})

    def answer(self, response: Any) -> None:
        response = response if isinstance(response, dict) else {}
        wanted, name = response.get("id"), response.get("name")
        fits = [call for call in self.waiting if (call[0] == wanted if wanted else call[1] == name)]
        if not fits:
            self.orphans += 1
            return
        self.waiting.remove(fits[0])
        self.messages.append({"role": "tool", "tool_call_id": fits[0][0], "content": _words(response.get("response"))})

    def notes(self) -> tuple[str, ...]:
        return (f"tool results without a call, left out: {self.orphans}",) if self.orphans else ()


def _words(response: Any) -> str:
    if isinstance(response, dict) and len(response) == 1:
        key, only = next(iter(response.items()))
        if isinstance(only, str) and key != "error":  # the word keeps a failure recognisable
            return only
    return response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)


def _block(part: Mapping[str, Any]) -> dict[str, Any] | None:
    data = part.get("inlineData") or part.get("inline_data")
    if isinstance(data, dict):
        kind = data.get("mimeType") or data.get("mime_type") or "image/png"
        return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data.get('data', '')}"}}
    return {"type": "text", "text": part["text"]} if isinstance(part.get("text"), str) and part["text"] else None
