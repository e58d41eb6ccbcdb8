"""A list of messages in another provider's shape: legal there, calls paired, words as they were.

What the target has no place for is told in words and marked (`_told.py`, `_media.py`). Reasoning, cache marks and
item ids are bound to their provider and stay behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from context_kit.errors import BudgetError
from context_kit.typing import Shape
from context_kit.wire._added import BEGUN, PICTURES, SYSTEM
from context_kit.wire._ids import call_id, tool_name
from context_kit.wire._media import Media, carried, not_carried
from context_kit.wire._placeholder import PLACEHOLDER
from context_kit.wire._systems import prefilled
from context_kit.wire._turns import FAILED, Given, Turn, Words, turns

__all__ = ["FORMATS", "convert", "shape_named"]

Raw = dict[str, Any]

FORMATS: dict[str, Shape] = {
    "openai": "chat",
    "openai-responses": "responses",
    "anthropic": "anthropic",
    "chat": "chat",
    "responses": "responses",
}
"""What a caller may name a shape: a vendor's format, or the library's own word for it."""
TOLD_FORMATS = tuple(FORMATS)[:3]
"""Those that are documented."""


def shape_named(name: str, /) -> Shape:
    """The shape of a format's name.

    Raises:
        BudgetError: it is unknown; the text lists the known ones.
    """
    given: object = name
    found = FORMATS.get(given) if isinstance(given, str) else None
    if found is None:
        msg = f"format: {name!r} is unknown, use one of {', '.join(TOLD_FORMATS)}"
        raise BudgetError(msg)
    return found


def convert(messages: Sequence[Raw], /, source: Shape | None, target: Shape) -> list[Raw]:
    """The messages in the shape of `target`, in order; the same dicts where it is theirs already.

    Args:
        messages: raw dicts that are legal in the shape `source`; they are not changed.
        source: their shape; None where all three would accept them.
        target: the wanted one.

    Raises:
        InvalidMessageError: one of them can't be read.
    """
    if source == target:
        return list(messages)
    return WRITERS[target](turns(messages, source=source))


def _text(words: Words) -> str:
    return words if isinstance(words, str) else not_carried(words)


def _blocks(said: Sequence[Words], shape: Shape) -> list[Raw]:
    """Content blocks; Anthropic refuses blank texts (research/wire-facts 1.1.4)."""
    kind = "input_text" if shape == "responses" else "text"
    made = [(carried(word, shape) if isinstance(word, Media) else None, word) for word in said]
    found = [block if block is not None else {"type": kind, "text": _text(word)} for block, word in made]
    return [block for block in found if shape != "anthropic" or block["type"] != "text" or block["text"].strip()]


def _content(said: Sequence[Words], shape: Shape) -> str | list[Raw]:
    """Content as the one string it is, or as blocks."""
    if len(said) == 1 and isinstance(said[0], str):
        return said[0]
    return _blocks(said, shape) or ""


def _marked(given: Given) -> Sequence[Words]:
    """A result where the shape has no mark for a failed one."""
    if not given.failed or given.said == (PLACEHOLDER,):
        return given.said
    first = given.said[0] if given.said else None
    if isinstance(first, str):
        return (f"{FAILED}\n{first}", *given.said[1:])
    return (FAILED, *given.said)


# -- OpenAI chat ---------------------------------------------------------------------


def _chat(found: Sequence[Turn]) -> list[Raw]:
    return [raw for turn in found for raw in CHAT[turn.role](turn)]


def _chat_system(turn: Turn) -> Iterator[Raw]:
    """A system message of text only (research/wire-facts 2.1); its media follow in a user message."""
    texts = [word for word in turn.said if isinstance(word, str)]
    media = [word for word in turn.said if not isinstance(word, str)]
    if texts:
        yield {"role": turn.author, "content": _content(texts, "chat")}
    if media:
        yield {"role": "user", "content": _content(media, "chat")}


def _chat_user(turn: Turn) -> Iterator[Raw]:
    yield {"role": "user", "content": _content(turn.said, "chat")}


def _chat_reply(turn: Turn) -> Iterator[Raw]:
    said: Raw = {"role": "assistant", "content": _content(turn.said, "chat") if turn.said else None}
    if turn.calls:
        said["tool_calls"] = [
            {
                "id": call_id(call.id, "chat"),
                "type": "custom" if call.free else "function",
                "custom" if call.free else "function": {
                    "name": tool_name(call.name, "chat"),
                    "input" if call.free else "arguments": call.text,
                },
            }
            for call in turn.calls
        ]
    if turn.said or turn.calls:
        yield said
    names = {call.id: call.name for call in turn.calls}
    pictures: list[Words] = []
    for given in turn.given:
        key = call_id(given.id, "chat")
        texts: list[Words] = []
        for word in _marked(given):
            if isinstance(word, str) or carried(word, "chat") is None:
                texts.append(_text(word))
            else:
                # A tool message takes text only (2.4).
                pictures += [PICTURES.format(name=names[given.id], id=key), word]
        yield {"role": "tool", "tool_call_id": key, "content": _content(texts, "chat")}
    if pictures or turn.shown:
        yield {"role": "user", "content": _content([*pictures, *turn.shown], "chat")}


CHAT: dict[str, Callable[[Turn], Iterator[Raw]]] = {
    "system": _chat_system,
    "user": _chat_user,
    "assistant": _chat_reply,
}


# -- OpenAI Responses ------------------------------------------------------------------


def _responses(found: Sequence[Turn]) -> list[Raw]:
    return [raw for turn in found for raw in ITEMS[turn.role](turn)]


def _item_speech(turn: Turn) -> Iterator[Raw]:
    yield {"role": turn.author or "user", "content": _content(turn.said, "responses")}


def _item_reply(turn: Turn) -> Iterator[Raw]:
    for text in map(_text, turn.said):
        if text or not turn.calls:  # a reply of calls alone says nothing
            yield {"role": "assistant", "content": text}
    kinds: dict[str, str] = {}
    for call in turn.calls:
        kind, key = ("custom_tool_call", "input") if call.free else ("function_call", "arguments")
        kinds[call.id] = f"{kind}_output"
        name = tool_name(call.name, "responses")
        yield {"type": kind, "call_id": call_id(call.id, "responses"), "name": name, key: call.text}
    for given in turn.given:
        output = _content(_marked(given), "responses")
        yield {"type": kinds[given.id], "call_id": call_id(given.id, "responses"), "output": output}
    if turn.shown:
        yield {"role": "user", "content": _content(turn.shown, "responses")}


ITEMS: dict[str, Callable[[Turn], Iterator[Raw]]] = {
    "system": _item_speech,
    "user": _item_speech,
    "assistant": _item_reply,
}


# -- Anthropic -------------------------------------------------------------------------


def _anthropic(found: Sequence[Turn]) -> list[Raw]:
    out: list[Raw] = []
    for turn in found:
        out += CLAUDE[turn.role](turn)
    out = _systems(out)
    if out and out[0]["role"] != "user":
        out.insert(0, {"role": "user", "content": BEGUN})
    return prefilled(out)


def _claude_speech(turn: Turn) -> Iterator[Raw]:
    content = _content(turn.said, "anthropic")
    if content and (isinstance(content, list) or content.strip()):
        yield {"role": turn.role, "content": content}


def _claude_reply(turn: Turn) -> Iterator[Raw]:
    blocks = _blocks([_text(word) for word in turn.said], "anthropic")
    blocks += [
        {
            "type": "tool_use",
            "id": call_id(call.id, "anthropic"),
            "name": tool_name(call.name, "anthropic"),
            "input": dict(call.arguments),
        }
        for call in turn.calls
    ]
    if blocks:
        alone = len(blocks) == 1 and not turn.calls
        yield {"role": "assistant", "content": blocks[0]["text"] if alone else blocks}
    if turn.given:
        yield {"role": "user", "content": [_claude_result(given) for given in turn.given]}
    if turn.shown:
        yield {"role": "user", "content": _content(turn.shown, "anthropic")}


def _claude_result(given: Given) -> Raw:
    failed = {"is_error": True} if given.failed else {}
    content = _content(given.said, "anthropic")
    return {"type": "tool_result", "tool_use_id": call_id(given.id, "anthropic"), "content": content, **failed}


CLAUDE: dict[str, Callable[[Turn], Iterator[Raw]]] = {
    "system": _claude_speech,
    "user": _claude_speech,
    "assistant": _claude_reply,
}


def _systems(messages: Sequence[Raw]) -> list[Raw]:
    """System messages where the API takes them; elsewhere, at the head above all, as a marked user text.

    They stand behind a user's turn, and the assistant or nothing follows (research/wire-facts 1.1.5).
    """
    out: list[Raw] = []
    for at, raw in enumerate(messages):
        if raw["role"] != "system":
            out.append(raw)
            continue
        before = out[-1]["role"] if out else ""
        after = next((other["role"] for other in messages[at + 1 :] if other["role"] != "system"), "assistant")
        if before == "system":
            out[-1] = {"role": "system", "content": [*_listed(out[-1]["content"]), *_listed(raw["content"])]}
        elif before == "user" and after == "assistant":
            out.append(raw)
        else:
            out.append({"role": "user", "content": [{"type": "text", "text": SYSTEM}, *_listed(raw["content"])]})
    return out


def _listed(content: str | list[Raw]) -> list[Raw]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


WRITERS: dict[Shape, Callable[[Sequence[Turn]], list[Raw]]] = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
}
