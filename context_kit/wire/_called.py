"""One tool call of a model's, whatever it came in: its id, its name, its arguments, and the result that answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from context_kit.errors import InvalidMessageError
from context_kit.typing import Shape
from context_kit.wire._dump import dump
from context_kit.wire._own import own

__all__ = ["Called", "called"]


@dataclass(frozen=True, slots=True)
class Called:
    """A call that the caller answers."""

    id: str
    name: str
    arguments: object
    """As they came: JSON text, or a dict."""
    shape: Shape

    def answer(self, text: str, shape: Shape | None = None, *, failed: bool = False) -> dict[str, Any]:
        """The message or item that answers it, in its own shape or another one."""
        shape = shape or self.shape
        if shape == "anthropic":
            block = {"type": "tool_result", "tool_use_id": self.id, "content": text}
            return {"role": "user", "content": [{**block, "is_error": True} if failed else block]}
        if shape == "responses":
            return {"type": "function_call_output", "call_id": self.id, "output": text}
        return {"role": "tool", "tool_call_id": self.id, "content": text}


def called(value: object) -> Called:
    """One call: a dict or SDK object of any of the three shapes, or a message or reply that holds just one.

    Raises:
        InvalidMessageError: it is no call, has no id or name, or holds several calls.
    """
    data = value if isinstance(value, Mapping) else dump(value) if not _plain(value) else None
    if data is None:
        _refuse("call", f"a {type(value).__name__} is no tool call: give the call as it came in the reply")
    found = _one(own(data))
    if found is None:
        found = _inside(own(data))
    return found


def _plain(value: object) -> bool:
    return value is None or isinstance(value, (str, bytes, int, float, list, tuple))


def _one(data: Mapping[str, Any]) -> Called | None:
    kind = data.get("type")
    function = data.get("function")
    if kind == "tool_use":
        return Called(_named(data, "id"), _named(data, "name"), data.get("input"), "anthropic")
    if kind in ("function_call", "custom_tool_call"):
        arguments = data.get("arguments", data.get("input"))
        return Called(_named(data, "call_id"), _named(data, "name"), arguments, "responses")
    if isinstance(function, Mapping):
        return Called(_named(data, "id"), _named(function, "name"), function.get("arguments"), "chat")
    return None


def _named(data: Mapping[str, Any], key: str) -> str:
    found = data.get(key)
    if not isinstance(found, str) or not found:
        _refuse(key, f"{found!r:.60} is no text: give the call as it came in the reply")
    return found


def _inside(data: Mapping[str, Any]) -> Called:
    """The one call of a message or reply."""
    choices = (choice for choice in data.get("choices") or () if isinstance(choice, Mapping))
    places: list[object] = [data, *(choice.get("message") for choice in choices)]
    found: list[Called] = []
    for place in places:
        if isinstance(place, Mapping):
            blocks = [place.get(key) for key in ("tool_calls", "content", "output")]
            items = [item for block in blocks if isinstance(block, list) for item in block]
            found += [call for item in items if isinstance(item, Mapping) and (call := _one(item)) is not None]
    if len(found) != 1:
        count = f"{len(found)} calls: give them one at a time" if found else "no tool call: give one of the reply's"
        _refuse("call", f"holds {count}")
    return found[0]


def _refuse(field: str, text: str) -> NoReturn:
    raise InvalidMessageError(text, field=field)
