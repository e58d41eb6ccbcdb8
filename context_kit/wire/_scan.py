"""One message, read: whose it is, which shape it has, and its parts in order.

`scan` looks and doesn't copy; `read` (in `_read.py`) gives it a private copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from context_kit.errors import InvalidMessageError
from context_kit.typing import Shape
from context_kit.wire._blocks import extra, filled, read_blocks, read_output, refuse
from context_kit.wire._items import read_item
from context_kit.wire._kinds import BLOCKS, EVENTS, ITEMS, ROLES
from context_kit.wire._message import Message, Part, Role
from context_kit.wire._own import compact, own

__all__ = ["function_id", "scan", "shape_of"]

CHAT_KEYS = frozenset({"tool_calls", "function_call", "reasoning_content", "audio", "name", "tool_call_id"})
KNOWN = CHAT_KEYS | {"role", "content", "type", "id", "status", "phase", "refusal", "reasoning", "is_error"}
"""Keys of a message that are read; the text of any other one is counted as it stands."""
THOUGHTS = ("reasoning_content", "reasoning")
"""Plain reasoning beside the content: DeepSeek's key, and the one of several gateways."""
ITEM_MEDIA = frozenset({"input_image", "input_file"})
"""Media that a system message of the Responses API may hold; the other two take text only."""
SHORT: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
"""Roles whose plain text all three shapes accept."""


def function_id(name: str) -> str:
    """Pairing id of a legacy function call, which has only its name."""
    return f"function:{name}"


def scan(raw: dict[str, Any]) -> Message:
    """One message or item, read as it stands.

    Raises:
        InvalidMessageError: no provider would accept it; the field is named.
    """
    role, content = raw.get("role"), raw.get("content")
    if len(raw) == 2 and type(content) is str and type(role) is str and role in SHORT:
        return Message(raw, None, SHORT[role], (Part("text", content),))
    kind = raw.get("type")
    if isinstance(kind, str) and kind != "message" and (role is None or kind in ITEMS):
        return _item(raw, kind)
    if role is None:
        refuse("role", "is missing: give a message with a `role`, or an item with a `type`")
    found = ROLES.get(role) if isinstance(role, str) else None
    if found is None:
        refuse("role", f"{role!r:.60} is unknown: use one of {', '.join(ROLES)}")
    if role == "tool":
        return _tool(raw)
    if role == "function":
        return _function(raw)
    return _spoken(raw, found)


def _item(raw: dict[str, Any], kind: str) -> Message:
    if kind in ROLES:
        refuse("type", f"{kind!r:.60} is no item type: give the message itself, with its `role`")
    if kind in EVENTS or kind.startswith("response."):
        refuse("type", f"{kind!r:.60} is an event of a stream: collect the stream and add the final reply")
    if kind in BLOCKS and kind not in ITEMS:
        refuse("role", f"is missing: a block of type {kind!r:.60} belongs into the content of a message")
    return read_item(raw, kind)


def _tool(raw: dict[str, Any]) -> Message:
    key = filled(raw.get("tool_call_id"), "tool_call_id", "call id")
    return _answer(raw, key)


def _function(raw: dict[str, Any]) -> Message:
    return _answer(raw, function_id(filled(raw.get("name"), "name", "function name")))


def _answer(raw: dict[str, Any], key: str) -> Message:
    content = raw.get("content")
    if type(content) is str:
        text, media = content, None
    else:
        if content is None and raw["role"] != "function":
            refuse("content", "is missing: give the tool's output as a string, '' where there is none")
        text, found = read_output(content, "content")
        media = found or None
    parts = (Part("result", text, key, "", raw.get("is_error") is True, -1, media),)
    return Message(raw, "chat", "tool", parts if len(raw) < 4 else (*parts, *_rest(raw)))


def _rest(raw: Mapping[str, Any]) -> tuple[Part, ...]:
    if KNOWN.issuperset(raw):
        return ()
    rest = {key: value for key, value in raw.items() if key not in KNOWN and value}
    return (extra(rest, "message"),) if rest else ()


def _spoken(raw: dict[str, Any], role: Role) -> Message:
    parts: list[Part] = []
    content = raw.get("content")
    shape: Shape | None = "responses" if raw.get("type") == "message" else None
    if role == "assistant":
        _thoughts(raw, parts)
    if type(content) is str:
        parts.append(Part("text", content))
    elif type(content) is list:
        shape = read_blocks(content, parts) or shape
    elif content is not None:
        refuse("content", f"a {type(content).__name__} is no content: give a string or a list of blocks")
    if role == "assistant":
        _calls(raw, parts)
    if content is None:
        shape = _without_content(raw, role)
    if len(raw) > 2:
        parts += _rest(raw)
        if _is_chat(raw):
            shape = "chat"
    return Message(raw, shape, _placed(parts, role, raw), tuple(parts))


def _is_chat(raw: Mapping[str, Any]) -> bool:
    return any(raw[key] is not None for key in CHAT_KEYS.intersection(raw))


def _thoughts(raw: Mapping[str, Any], parts: list[Part]) -> None:
    for name in THOUGHTS:
        text = raw.get(name)
        if isinstance(text, str):
            parts.append(Part("reasoning", text, name=name))


def _without_content(raw: Mapping[str, Any], role: Role) -> Shape | None:
    if role != "assistant":
        refuse("content", "is missing: give a string or a list of blocks")
    if not any(raw.get(key) for key in ("tool_calls", "function_call", "refusal", "audio", *THOUGHTS)):
        refuse("content", "is missing: an assistant message has content or tool calls")
    return "chat"


def _calls(raw: Mapping[str, Any], parts: list[Part]) -> None:
    if type(refusal := raw.get("refusal")) is str:
        parts.append(Part("text", refusal, name="refusal"))
    if (audio := raw.get("audio")) is not None:
        parts.append(Part("media", name="audio", block=audio))
    if (calls := raw.get("tool_calls")) is not None:
        if type(calls) is not list:
            refuse("tool_calls", f"a {type(calls).__name__} is no list of calls: give a list of dicts")
        for at, call in enumerate(calls):
            parts.append(_call(call, at))
    if (legacy := raw.get("function_call")) is not None:
        if not isinstance(legacy, dict):
            refuse("function_call", "is no call: give a dict with name and arguments")
        name = filled(legacy.get("name"), "function_call.name", "function name")
        parts.append(Part("call", _text(legacy, "arguments", "function_call"), function_id(name), name))


def _call(call: object, at: int) -> Part:
    if not isinstance(call, dict):
        refuse(f"tool_calls[{at}]", f"a {type(call).__name__} is no call: give a dict with id, type and function")
    key = call.get("id")
    if type(key) is not str or not key:
        refuse(f"tool_calls[{at}].id", f"{key!r:.60} is no call id: give a non-empty string")
    for kind, body in (("function", "arguments"), ("custom", "input")):
        asked = call.get(kind)
        if type(asked) is dict and call.get("type", kind) in (kind, None):
            name, text = asked.get("name"), asked.get(body)
            if type(name) is str and name and type(text) is str:
                return Part("call", text, key, name, False, at)
            field = f"tool_calls[{at}].{kind}"
            name = filled(name, f"{field}.name", "tool name")
            return Part("call", _text(asked, body, field), key, name, False, at)
    named = call.get("type")
    if named in ("function", "custom", None):
        refuse(f"tool_calls[{at}].{named or 'function'}", "is missing: give a dict with the tool's name")
    # A call type of tomorrow: its JSON is what is counted.
    return Part("call", compact(call), key, filled(named, f"tool_calls[{at}].type", "call type"), False, at)


def _text(asked: Mapping[str, Any], key: str, field: str) -> str:
    text = asked.get(key)
    if type(text) is not str:
        refuse(f"{field}.{key}", f"a {type(text).__name__} is no text: give a string, '{{}}' where there are none")
    return text


def _placed(parts: list[Part], role: Role, raw: Mapping[str, Any]) -> Role:
    """Whose message it is; refuses calls and results in a role that can't have them."""
    calls: set[str] = set()
    for part in parts:
        if role == "system" and part.kind == "media" and part.name not in ITEM_MEDIA:
            refuse(f"content[{part.at}].type", f"{part.name!r:.60} can't stand in a system message: it takes text only")
        if part.kind == "call":
            if role != "assistant":
                refuse(f"content[{part.at}].type", f"a {role} message can't call tools: give the role 'assistant'")
            if part.id in calls:
                refuse(_id_field(part, raw), f"{part.id!r:.60} stands twice in one message: number calls apart")
            calls.add(part.id)
        elif part.kind == "result" and not part.server:
            if role not in ("user", "tool"):
                refuse(f"content[{part.at}].type", f"a tool_result can't stand in a {role} message: give 'user'")
            role = "tool"
    return role


def _id_field(part: Part, raw: Mapping[str, Any]) -> str:
    if part.at < 0:
        return "function_call"
    return f"{'tool_calls' if raw.get('tool_calls') else 'content'}[{part.at}].id"


def shape_of(messages: Iterable[Mapping[str, Any]]) -> Shape | None:
    """The shape of a list of raw messages: the first one that can have only one shape decides.

    Malformed messages are passed over; None where all of them fit every shape.
    """
    for raw in messages:
        try:
            shape = scan(own(raw)).shape
        except InvalidMessageError:
            continue
        if shape is not None:
            return shape
    return None
