"""JSON as people and agents keep it in settings files: with comments, trailing commas, any layout; read with places.

The invariant guarded here: an edit inserts or removes one piece of text and changes no other byte; what can't be read
for sure is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

__all__ = ["Item", "Node", "SettingsError", "appended", "parse", "removed", "twice"]

BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
TEXT = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
WORD = re.compile(r"-?[A-Za-z0-9_.+-]+")
DEEPEST = 200


class SettingsError(ValueError):
    """A settings file that can't be edited safely; the text says where and why, in one line."""


@dataclass(slots=True)
class Node:
    """A value and where it stands."""

    start: int
    end: int
    value: Any = None
    """A plain value; of an object or a list see `items`."""
    kind: str = "plain"
    """`object`, `list` or `plain`."""
    items: list[Item] = field(default_factory=list["Item"])
    comma: int = -1
    """Where a trailing comma stands; -1 where there is none."""

    def get(self, key: str) -> Node | None:
        """The value of a key of an object."""
        return next((item.node for item in self.items if item.key == key), None)

    def plain(self) -> Any:
        """The value without places; of a key that stands twice, the last."""
        if self.kind == "object":
            return {item.key: item.node.plain() for item in self.items}
        return [item.node.plain() for item in self.items] if self.kind == "list" else self.value


@dataclass(slots=True)
class Item:
    """A member of an object, or an element of a list."""

    start: int
    node: Node
    key: str = ""


def parse(text: str) -> Node:
    """The value in a text.

    Raises:
        SettingsError: it is no JSON, comments and trailing commas aside.
    """
    reader = _Reader(text)
    node = reader.value(reader.blank(0), 0)
    end = reader.blank(node.end)
    if end != len(text):
        reader.refuse(end, "something stands behind the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def refuse(self, at: int, why: str) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        msg = f"line {line}: {why}"
        raise SettingsError(msg)

    def blank(self, at: int) -> int:
        """Where the next sign stands, behind white space and comments."""
        found = BLANK.match(self.text, at)
        return found.end() if found else at

    def value(self, at: int, deep: int) -> Node:
        if deep > DEEPEST:
            self.refuse(at, "is nested too deeply")
        sign = self.text[at : at + 1]
        if sign in ("{", "["):
            return self.many(at, deep, closing="}" if sign == "{" else "]")
        found = (TEXT if sign == '"' else WORD).match(self.text, at)
        if found is None:
            self.refuse(at, f"a value is expected, not {sign!r}" if sign else "ends too early")
        try:
            return Node(at, found.end(), json.loads(found[0], strict=True))
        except ValueError:
            self.refuse(at, f"{found[0][:40]!r} is no JSON value")

    def many(self, at: int, deep: int, *, closing: str) -> Node:
        node = Node(at, at, kind="object" if closing == "}" else "list")
        place = self.blank(at + 1)
        while self.text[place : place + 1] != closing:
            if node.items and node.comma < 0:
                self.refuse(place, f"a comma or {closing!r} is expected")
            node.comma = -1
            item = self.item(place, deep, named=closing == "}")
            node.items.append(item)
            place = self.blank(item.node.end)
            if self.text[place : place + 1] == ",":
                node.comma = place
                place = self.blank(place + 1)
        node.end = place + 1
        return node

    def item(self, at: int, deep: int, *, named: bool) -> Item:
        if not named:
            return Item(at, self.value(at, deep + 1))
        key = TEXT.match(self.text, at)
        if key is None:
            self.refuse(at, "a key in double quotes is expected")
        colon = self.blank(key.end())
        if self.text[colon : colon + 1] != ":":
            self.refuse(colon, "a colon is expected")
        try:
            name = json.loads(key[0])
        except ValueError:
            self.refuse(at, f"{key[0][:40]!r} is no key")
        return Item(at, self.value(self.blank(colon + 1), deep + 1), name)


# -- edits ------------------------------------------------------------------------


def appended(text: str, node: Node, piece: str, *, indent: str, unit: str, newline: str) -> str:
    """The text with one more item at the end of an object or list.

    Args:
        text: the whole text.
        node: the object or list.
        piece: the item, its own lines parted by line feeds and indented by `unit` from nothing on.
        indent: what stands before the line on which `node` closes.
        unit: one step of indentation.
        newline: how lines end.
    """
    inner = f"{newline}{indent}{unit}"
    body = inner + piece.replace("\n", inner)
    at = _last(text, node)
    after = "" if "\n" in text[at : node.end] else f"{newline}{indent}"
    trailing = "," if node.comma >= 0 else ""
    text = text[:at] + body + trailing + after + text[at:]
    if node.items and node.comma < 0:
        end = node.items[-1].node.end
        text = f"{text[:end]},{text[end:]}"
    return text


def _last(text: str, node: Node) -> int:
    """Where the last comment before the closing sign ends; where the last item or comma does, without one."""
    at = node.comma + 1 if node.comma >= 0 else node.items[-1].node.end if node.items else node.start + 1
    inside = text[at : node.end - 1]
    comment = None
    for comment in re.finditer(r"//[^\n\r]*|/\*.*?\*/", inside, re.DOTALL):  # noqa: B007
        pass
    return at + (comment.end() if comment else 0)


def removed(text: str, node: Node, item: Item) -> str:
    """The text without one item of an object or list, and without one comma beside it; comments stay."""
    number = next(at for at, each in enumerate(node.items) if each is item)
    comma = -1
    if number < len(node.items) - 1 or node.comma >= 0:
        comma = text.index(",", _behind(text, item.node.end))
    elif number:
        comma = text.index(",", _behind(text, node.items[number - 1].node.end))
    if comma > item.start:
        text = text[:comma] + text[comma + 1 :]
    text = _cut(text, item.start, item.node.end)
    return text[:comma] + text[comma + 1 :] if 0 <= comma < item.start else text


def _behind(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _cut(text: str, start: int, end: int) -> str:
    """A text without a piece, and without the line that is empty by that."""
    head, rest = text[:start].rstrip(" \t"), text[end:].lstrip(" \t")
    if not head.endswith("\n") or not rest.startswith(("\n", "\r\n")):
        return text[:start] + text[end:]
    return (head[:-2] if head.endswith("\r\n") else head[:-1]) + rest


def twice(node: Node) -> Iterator[str]:
    """Keys of an object that stand more than once."""
    seen: set[str] = set()
    for item in node.items:
        if item.key in seen:
            yield item.key
        seen.add(item.key)
