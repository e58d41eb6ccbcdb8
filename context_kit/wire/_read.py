"""One argument of `add`, read: a message, an item, or a whole reply with its usage.

A dict is copied and handed back exactly as it came; a reply becomes the request form of its messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from context_kit.errors import ContextKitError, InvalidMessageError
from context_kit.wire._blocks import refuse
from context_kit.wire._dump import dump
from context_kit.wire._kinds import ITEMS
from context_kit.wire._message import Message, Read
from context_kit.wire._own import own, plain
from context_kit.wire._request import anthropic_message, chat_message, item
from context_kit.wire._scan import scan
from context_kit.wire._usage import reported

__all__ = ["read"]

SERVER_HELD = ("previous_response_id", "conversation")
UNFINISHED = frozenset({"failed", "cancelled", "queued", "in_progress"})
COLLECTORS = ("get_final_message", "get_final_response", "get_final_completion")
REPLY_KEYS = frozenset({"choices", "output", "stop_reason", "usage"})
"""At least one of these marks a whole reply."""


def read(value: object, /) -> Read:
    """Read one message, item or reply, of any of the three shapes, as a dict or as the SDK's object.

    Raises:
        InvalidMessageError: it is none of these, or no provider would accept it; `field` says where.
    """
    if type(value) is dict and REPLY_KEYS.isdisjoint(value):
        return Read((scan(own(value)),))
    try:
        return _whole(value)
    except ContextKitError:
        raise
    except Exception as error:  # the caller's own objects may raise whatever they like when they are looked at
        text = f"reading it failed with {type(error).__name__}: give plain strings, numbers, lists and dicts"
        raise InvalidMessageError(text) from error


def _whole(value: object) -> Read:
    if isinstance(value, Mapping):
        data = plain(value)
        return _reply(data) or Read((scan(own(data)),))
    data = _dumped(value)
    return _reply(data) or Read((scan(_single(own(data))),))


def _dumped(value: object) -> dict[str, Any]:
    if value is None or isinstance(value, (str, bytes, int, float)):
        name = type(value).__name__
        refuse("message", f'a {name} is no message: give a dict such as {{"role": "user", "content": "..."}}')
    if isinstance(value, (list, tuple)):
        refuse("message", "is a list: give its messages one at a time")
    from inspect import isawaitable  # a hook reads no objects

    if isawaitable(value):
        refuse("message", "is not awaited yet: add `await ...`")
    data = dump(value)
    return data if data is not None else _refuse_object(value)


def _refuse_object(value: object) -> NoReturn:
    name = type(value).__name__
    streams = any(hasattr(type(value), way) for way in ("__next__", "__anext__", "__iter__", "__aiter__"))
    if streams or any(hasattr(value, way) for way in COLLECTORS):
        refuse("message", f"a {name} is a stream: collect it and add the final reply ({'(), '.join(COLLECTORS)}())")
    refuse("message", f"a {name} is no message: give a dict, or an object with `model_dump()` or `to_dict()`")


def _reply(data: Mapping[str, Any]) -> Read | None:
    """A whole reply of one of the three APIs, or None where it is a single message."""
    kind = data.get("object")
    if isinstance(kind, str) and kind.endswith((".chunk", ".delta")):
        refuse("object", f"{kind!r:.60} is a piece of a stream: collect the stream and add the final reply")
    if not _is_item(data):
        if "choices" in data:
            return _chat(data)
        if kind in ("response", "response.compaction") or type(data.get("output")) is list:
            return _responses(data)
    if data.get("type") == "message" and data.get("role") == "assistant" and ("usage" in data or "stop_reason" in data):
        message = scan(anthropic_message(own({"role": "assistant", "content": data.get("content")})))
        return Read((replace(message, shape="anthropic"),), reported(data, "anthropic"))
    return None


def _fields(value: object) -> Mapping[str, Any] | None:
    """A piece of a reply as a mapping: as it came, or dumped where the reply is a plain attribute object."""
    return plain(value) if isinstance(value, Mapping) else dump(value)


def _is_item(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("type"), str) or "role" in data


def _chat(data: Mapping[str, Any]) -> Read:
    choices = data["choices"]
    if not isinstance(choices, list) or not choices:
        refuse("choices", "holds no message: add the reply itself, or the collected stream")
    if len(choices) > 1:
        refuse("choices", f"holds {len(choices)} messages: add the one that you go on with, choices[i].message")
    choice = _fields(choices[0]) or {}
    message = _fields(choice.get("message"))
    if message is None:
        refuse("choices[0].message", "is missing: collect the stream and add the final reply")
    read = scan(chat_message(own(message, "choices[0].message")))
    return Read((replace(read, shape="chat"),), reported(data, "chat"))


def _responses(data: Mapping[str, Any]) -> Read:
    for name in SERVER_HELD:
        if data.get(name):
            text = "the server holds this history, so a cut here has no effect: send the items as `input` instead"
            refuse(name, text)
    status = data.get("status")
    if isinstance(status, str) and status in UNFINISHED:
        refuse("status", f"{status!r} is no finished response: add it when it is completed")
    output = data.get("output")
    if not isinstance(output, list):
        refuse("output", f"a {type(output).__name__} is no list of items: give the response as it came")
    messages = [_output_item(entry, at) for at, entry in enumerate(output)]
    if messages:
        messages[0] = replace(messages[0], starts=True)
    # A compaction's usage is that of the compaction, not the size of a window.
    usage = reported(data, "responses") if data.get("object") != "response.compaction" else None
    return Read(tuple(messages), usage)


def _output_item(entry: object, at: int) -> Message:
    data = _fields(entry)
    if data is None:
        refuse(f"output[{at}]", f"a {type(entry).__name__} is no item: give the response as it came")
    return replace(scan(item(own(data, f"output[{at}]"))), shape="responses")


def _single(data: dict[str, Any]) -> dict[str, Any]:
    """The request form of a single SDK message or item."""
    kind = data.get("type")
    if isinstance(kind, str) and (kind in ITEMS or "role" not in data):
        return item(data)
    if data.get("role") == "assistant":
        return chat_message(data)
    return data
