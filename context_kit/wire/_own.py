"""A private copy of a given message: equal to it, JSON through and through, sharing nothing that can change.

Provider dicts hold dicts, lists, strings, numbers, booleans and null. SDK objects inside (`content=response.content`)
are turned into their dicts; anything else is refused by its path.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from math import isfinite
from typing import Any

from context_kit.errors import InvalidMessageError
from context_kit.wire._dump import dump
from context_kit.wire._request import piece

__all__ = ["DEPTH", "MOST", "compact", "own", "plain"]

DEPTH = 200
"""Levels of nesting that are accepted; a provider's own parser stops earlier."""
BITS = 4_000
"""Size of the largest whole number; Python's own `json` refuses to write much longer ones."""

MOST = 1_000_000
"""Values of one message, written out: no window holds so many, and lists that share lists have no other end."""
LONGEST = 120
"""Characters of a path that are shown from its front, and as many from its end."""

PLAIN = frozenset({str, bool, type(None)})


class Refused(Exception):  # noqa: N818 - it never leaves this file
    """What is wrong with a value; `path` is collected from the inside out."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.path: list[str] = []


class _Left:
    """How many values a message may still have."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values = MOST


def own(given: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """A copy of a message that nobody else holds.

    Raises:
        InvalidMessageError: something in it is no JSON; the field is its path.
    """
    try:
        return _dict(given if type(given) is dict else plain(given), DEPTH, _Left())
    except Refused as refused:
        path = where + "".join(reversed(refused.path))
        raise InvalidMessageError(str(refused), field=_shown(path.lstrip(".")) or "message") from None
    except RecursionError:
        raise InvalidMessageError(str(_too_deep()), field=where or "message") from None


def plain(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """A mapping of any kind as a dict that only holds; what it holds is as it was.

    Raises:
        InvalidMessageError: it can't be read, or never ends.
    """
    try:
        return _held(given, MOST)
    except Refused as refused:
        raise InvalidMessageError(str(refused)) from None
    except Exception as error:
        raise InvalidMessageError(str(_unreadable(error))) from error


def _held(given: Mapping[Any, Any], most: int) -> dict[Any, Any]:
    if type(given) is dict:
        return given
    found = dict(islice(given.items(), most + 1))
    if len(found) > most:
        raise _too_many()
    return found


def _shown(path: str) -> str:
    return path if len(path) <= 2 * LONGEST else f"{path[:LONGEST]}…{path[-LONGEST:]}"


def _dict(given: Mapping[Any, Any], room: int, left: _Left) -> dict[str, Any]:
    if not room:
        raise _too_deep()
    copy: dict[str, Any] = {}
    key: object = ""
    try:
        for key, value in given.items():
            if type(key) is not str:
                raise _bad_key(key)
            copy[key] = value if type(value) in PLAIN else _value(value, room - 1, left)
    except Refused as refused:
        refused.path.append(f".{key}" if type(key) is str else "")
        raise
    left.values -= len(copy) + 1
    if left.values < 0:
        raise _too_many()
    return copy


def _list(given: list[Any], room: int, left: _Left) -> list[Any]:
    if not room:
        raise _too_deep()
    copy: list[Any] = []
    try:
        for value in given:
            own_value = value if type(value) in PLAIN else _value(value, room - 1, left)
            copy.append(own_value)  # no comprehension: the index of what is refused is its length
    except Refused as refused:
        refused.path.append(f"[{len(copy)}]")
        raise
    left.values -= len(copy) + 1
    if left.values < 0:
        raise _too_many()
    return copy


def _value(value: Any, room: int, left: _Left) -> Any:
    kind = type(value)
    if kind is dict:
        return _dict(value, room, left)
    if kind is list:
        return _list(value, room, left)
    if kind is int or kind is float:
        return _number(value)
    try:
        return _foreign(value, room, left)
    except (Refused, RecursionError):
        raise
    except Exception as error:  # noqa: BLE001 - a foreign object may raise whatever it likes when it is looked at
        raise _unreadable(error) from None


def _foreign(value: Any, room: int, left: _Left) -> Any:
    """The plain form of what is no plain value: it may do anything when it is looked at."""
    if isinstance(value, (list, tuple)):
        found = list(islice(value, left.values + 1))
        return _list(found, room, left)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return _dict(_held(value, left.values), room, left)
    return _object(value, room, left)


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


def _object(value: Any, room: int, left: _Left) -> dict[str, Any]:
    try:
        found = dump(value)
    except InvalidMessageError as error:
        raise Refused(str(error)) from None
    if found is None:
        text = f"a {type(value).__name__} is no JSON: give a string, number, list, dict or an SDK object"
        raise Refused(text)
    return piece(_dict(found, room, left))


def _bad_key(key: object) -> Refused:
    return Refused(f"holds a key of type {type(key).__name__}: JSON keys are strings")


def _too_deep() -> Refused:
    return Refused(f"is nested deeper than {DEPTH} levels: flatten it")


def _too_many() -> Refused:
    return Refused(f"holds more than {MOST} values: no window has room for it, add a shorter message")


def _unreadable(error: Exception) -> Refused:
    return Refused(f"reading it failed with {type(error).__name__}: give plain strings, numbers, lists and dicts")


def compact(value: object) -> str:
    """A JSON value in its shortest form, with non-ASCII text as it is."""
    return _encode(value)


# `check_circular` is off: what `own` made is a tree.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
