"""Tokens of a message: every string in it is counted, once, by what it is on the wire.

Texts and arguments by the tokeniser, media by formula, sealed data by what it stands for, and a few tokens
of framing for each message, call and result. So no provider's own text count of a message is above ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from context_kit.tokens._encodings import bare
from context_kit.tokens._media import AUDIO, MEDIA, media_cost
from context_kit.typing import Count, Shape
from context_kit.wire import Message

__all__ = ["cost", "system_cost", "tools_cost"]


class Framing(NamedTuple):
    """Tokens that a provider puts around the parts of a message."""

    message: int
    """Role and separators."""
    call: int
    """A tool call, its id and name's frame included."""
    result: int
    """A tool result and its id."""
    key: int
    """An argument's name and punctuation, where arguments are no JSON text."""


CHAT = Framing(3, 10, 6, 3)
"""OpenAI: 3 a message (cookbook, "How to count tokens with tiktoken"); calls as measured below."""
FRAMINGS: dict[Shape, Framing] = {"chat": CHAT, "responses": CHAT, "anthropic": Framing(4, 18, 12, 10)}
"""By shape. Anthropic: fitted to the usage that Claude 4.x models reported for six sessions of Claude Code and pi."""
DEEPSEEK = Framing(3, 22, 18, 3)
"""Fitted to the usage that deepseek-chat reported for two sessions of mini-swe-agent."""
TOOL = 8
"""Frame of one tool's definition."""

FREE = frozenset(
    ("type", "role", "id", "call_id", "tool_call_id", "tool_use_id", "status", "cache_control", "signature")
)
"""Keys whose values a model isn't shown as text (ids) or that the framing stands for."""
SEALED = frozenset(("encrypted_content", "encrypted_index", "thought_signature", "thoughtSignature", "fingerprint"))
"""Keys of base64 data that stands for hidden text."""
SEALED_TYPES = frozenset(("redacted_thinking", "reasoning.encrypted"))
"""Blocks whose `data` is sealed."""
CALLS = frozenset(("function", "custom", "tool_use", "server_tool_use", "mcp_tool_use", "function_call"))
RESULTS = frozenset(("tool_result", "function_call_output", "custom_tool_call_output"))
PLAIN = CALLS | RESULTS | frozenset(("text", "input_text", "output_text", "refusal", "reasoning_text", "summary_text"))
"""Blocks whose keys are no text of their own; of all others the keys count too, as in their JSON."""

SEAL = 176
"""Bytes that a signature has beside the thinking it seals: 3/4 of its base64 length less this is the text's
length in bytes (measured: 340 blocks of Claude 4.5 whose thinking is shown whole)."""


def cost(message: Message, /, *, count: Count, model: str | None = None) -> int:
    """Tokens of a message as part of a request, framing included; at least 1.

    Visible thinking counts as text, or as what its signature stands for where that is more (thinking that is
    shown as a summary, or not at all). Sealed reasoning counts a token for each four bytes inside it.
    """
    meter = _Meter(count, model, message.shape)
    raw = message.raw
    kind = _type_of(raw)
    if kind in MEDIA:
        return meter.framing.message + meter.media(raw)
    total = meter.framing.message + meter.frame(kind)
    if raw.get("role") == "tool":
        total += meter.framing.result
    for key, value in raw.items():
        if value.__class__ is str:
            if key not in FREE:
                total += sealed(value) if key in SEALED else count(value)
        elif value and key not in FREE:
            total += meter.audio(value) if key == "audio" else meter.walk(value, key)
    return total


def sealed(data: object) -> int:
    """Tokens of the text inside sealed base64 data: three bytes for four characters, less the seal, four a token."""
    return max(1, (len(data) * 3 // 4 - SEAL) // 4) if isinstance(data, str) and data else 0


def _type_of(block: dict[str, Any]) -> str:
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


class _Meter:
    """One message's counting: the caller's counter, the framing and the model of its media."""

    __slots__ = ("count", "framing", "model")

    def __init__(self, count: Count, model: str | None, shape: Shape | None) -> None:
        self.count = count
        self.model = model
        self.framing = FRAMINGS[shape or "chat"]
        if model is not None and self.framing is CHAT and bare(model).startswith("deepseek"):
            self.framing = DEEPSEEK

    def frame(self, kind: str) -> int:
        """Framing of a block of some type."""
        if kind in CALLS:
            return self.framing.call
        return self.framing.result if kind in RESULTS else 0

    def walk(self, value: Any, key: str = "") -> int:
        """Tokens of everything in a value: blocks, lists of blocks, strings, numbers."""
        kind = value.__class__
        if kind is str:
            return sealed(value) if key in SEALED else self.count(value)
        if kind is list or kind is tuple:
            return sum([self.walk(item) for item in value])
        if kind is dict:
            return self.block(value) if key != "input" else self.arguments(value)
        return 0 if value is None or kind is bool else 2

    def block(self, block: dict[str, Any]) -> int:
        """Tokens of one content block, call or nested object."""
        kind = _type_of(block)
        if kind == "text" and len(block) == 2:
            return self.walk(block.get("text"))
        if kind in MEDIA:
            return self.media(block)
        if kind == "thinking":
            shown = self.walk(block.get("thinking"))
            return max(shown, sealed(block.get("signature"))) + self.rest(block, ("thinking",))
        hidden = ("data",) if kind in SEALED_TYPES else ()
        total = self.rest(block, hidden) + (self.frame(kind) if kind in PLAIN else 2 * len(block))
        return total + (sealed(block.get("data")) if hidden else 0)

    def rest(self, block: dict[str, Any], done: Sequence[str]) -> int:
        """Tokens of a block's other keys."""
        total = 0
        for key, value in block.items():
            if value.__class__ is str:
                if key not in FREE and key not in done:
                    total += sealed(value) if key in SEALED else self.count(value)
            elif value and key not in FREE and key not in done:
                total += self.walk(value, key)
        return total

    def arguments(self, value: Any) -> int:
        """Tokens of a call's arguments where they are an object and no JSON text."""
        kind = value.__class__
        if kind is str:
            return self.count(value)
        if kind is dict:
            return sum([self.framing.key + self.arguments(item) for item in value.values()])
        if kind is list:
            return sum([1 + self.arguments(item) for item in value])
        return 1

    def media(self, block: dict[str, Any]) -> int:
        """Tokens of a media block; a document that is plain text or blocks counts as those."""
        source = block.get("source")
        if isinstance(source, dict) and source.get("type") in ("text", "content"):
            total = self.walk(source.get("data") or source.get("content") or "")
        else:
            total = media_cost(block, model=self.model)
        for key in ("title", "context"):
            if isinstance(text := block.get(key), str):
                total += self.count(text)
        return total

    def audio(self, value: Any) -> int:
        """Tokens of an assistant's own audio: its transcript, and a flat cost for the sound."""
        transcript = value.get("transcript") if isinstance(value, dict) else None
        return AUDIO + (self.count(transcript) if isinstance(transcript, str) else 0)


def system_cost(system: object, /, *, count: Count) -> int:
    """Tokens of a system prompt beside the messages: a string, a list of text blocks, or None (0)."""
    if not system:
        return 0
    return CHAT.message + _Meter(count, None, None).walk(_plain(system))


def tools_cost(tools: Sequence[object] | None, /, *, count: Count) -> int:
    """Tokens of tool definitions of any shape, dicts or SDK objects, as compact JSON; None is 0."""
    total = 0
    for tool in tools or ():
        plain = _plain(tool)
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), default=str)
        total += TOOL + max(count(text), _strings(plain, count))
    return total


def _strings(value: Any, count: Count) -> int:
    if isinstance(value, str):
        return count(value)
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return sum(_strings(item, count) for item in inner)


def _plain(value: Any) -> Any:
    """Dicts and lists of what may be SDK objects (pydantic models)."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    for name in ("model_dump", "to_dict"):
        if callable(dump := getattr(value, name, None)):
            return _plain(dump())
    return value
