"""SDK objects as plain dicts, recognised by what they can do; no SDK is imported.

`model_dump` (pydantic, both SDKs), `to_dict`, dataclasses and plain attribute objects are understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from context_kit.errors import InvalidMessageError

__all__ = ["dump"]

TELLTALE = ("role", "type", "choices", "output", "message", "arguments", "input")
"""A plain object is a message or a piece of one only if it has one of these attributes."""


def dump(value: object) -> dict[str, Any] | None:
    """The dict form of an SDK object, or None where it has none.

    Raises:
        InvalidMessageError: the object's own dump failed.
    """
    if isinstance(value, type):
        return None
    try:
        found = _dumped(value)
    except Exception as error:
        msg = f"reading a {type(value).__name__} failed with {type(error).__name__}: give the message as a dict"
        raise InvalidMessageError(msg) from error
    return found if isinstance(found, dict) else None


def _dumped(value: object) -> Any:
    method = getattr(value, "model_dump", None)
    if callable(method):
        # The SDKs' models know what the server sent; other models have defaults that count (`type: ... = "text"`).
        sent_only = callable(getattr(value, "to_dict", None))
        return _called(method, {"mode": "json", "by_alias": True, "exclude_unset": sent_only, "warnings": False})
    method = getattr(value, "to_dict", None)
    return _called(method, {}) if callable(method) else _attributes(value)


def _called(method: Callable[..., Any], keywords: Mapping[str, Any]) -> Any:
    """The dump with the wanted keywords, else the bare one: not every `model_dump` is pydantic's.

    JSON proper has no place for half a surrogate pair, Python's own values have.
    """
    for tried in (keywords, {**keywords, "mode": "python"} if keywords else {}):
        try:
            return method(**tried)
        except (TypeError, ValueError):
            continue
    return method()


def _attributes(value: object) -> dict[str, Any] | None:
    import dataclasses  # a hook reads no objects

    found: dict[str, Any]
    if dataclasses.is_dataclass(value):
        found = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        found = {
            key: item
            for key, item in getattr(value, "__dict__", {}).items()
            if isinstance(key, str) and not key.startswith("_") and not callable(item)
        }
    return found if any(key in found for key in TELLTALE) else None
