"""A private copy of a given message: equal to it, JSON through and through, sharing nothing that can change.

Provider dicts hold dicts, lists, strings, numbers, booleans and null. SDK objects inside (`content=response.content`)
are turned into their dicts; anything else is refused by its path.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from context_kit.errors import InvalidMessageError
from context_kit.wire._dump import dump
from context_kit.wire._request import piece

__all__ = ["DEPTH", "compact", "own"]

DEPTH = 200
"""Levels of nesting that are accepted; a provider's own parser stops earlier."""
BITS = 4_000
"""Size of the largest whole number; Python's own `json` refuses to write much longer ones."""

PLAIN = frozenset({str, bool, type(None)})


class Refused(Exception):  # noqa: N818 - it never leaves this file
    """What is wrong with a value; `path` is collected from the inside out."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.path: list[str] = []


def own(given: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """A copy of a message that nobody else holds.

    Raises:
        InvalidMessageError: something in it is no JSON; the field is its path.
    """
    try:
        return _dict(given, DEPTH)
    except Refused as refused:
        path = where + "".join(reversed(refused.path))
        raise InvalidMessageError(str(refused), field=path.lstrip(".") or "message") from None
    except RecursionError:
        raise InvalidMessageError(str(_too_deep()), field=where or "message") from None


def _dict(given: Mapping[str, Any], room: int) -> dict[str, Any]:
    if not room:
        raise _too_deep()
    copy: dict[str, Any] = {}
    key: object = ""
    try:
        for key, value in given.items():
            if type(key) is not str:
                raise _bad_key(key)
            copy[key] = value if type(value) in PLAIN else _value(value, room - 1)
    except Refused as refused:
        refused.path.append(f".{key}" if type(key) is str else "")
        raise
    return copy


def _list(given: list[Any] | tuple[Any, ...], room: int) -> list[Any]:
    if not room:
        raise _too_deep()
    copy: list[Any] = []
    try:
        for value in given:
            copy.append(value if type(value) in PLAIN else _value(value, room - 1))  # noqa: PERF401 - keeps the index
    except Refused as refused:
        refused.path.append(f"[{len(copy)}]")
        raise
    return copy


def _value(value: Any, room: int) -> Any:
    if isinstance(value, dict):
        return _dict(value, room)
    if isinstance(value, (list, tuple)):
        return _list(value, room)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return _dict(value, room)
    return _object(value, room)


def _number(value: float) -> int | float:
    if isinstance(value, int):
        if value.bit_length() > BITS:
            text = "is too large a number for JSON: give it as a string"
            raise Refused(text)
        return int(value)
    if not isfinite(value):
        text = f"{value!r} is no JSON number: use null or a string"
        raise Refused(text)
    return float(value)


def _object(value: Any, room: int) -> dict[str, Any]:
    try:
        found = dump(value)
    except InvalidMessageError as error:
        raise Refused(str(error)) from None
    if found is None:
        text = f"a {type(value).__name__} is no JSON: give a string, number, list, dict or an SDK object"
        raise Refused(text)
    return piece(_dict(found, room))


def _bad_key(key: object) -> Refused:
    return Refused(f"holds a key of type {type(key).__name__}: JSON keys are strings")


def _too_deep() -> Refused:
    return Refused(f"is nested deeper than {DEPTH} levels: flatten it")


def compact(value: object) -> str:
    """A JSON value in its shortest form, with non-ASCII text as it is."""
    return _encode(value)


# `check_circular` is off: what `own` made is a tree.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
