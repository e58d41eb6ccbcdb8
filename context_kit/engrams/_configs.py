"""Key sections of the configuration files and schemas that other code hangs on, as whole lines.

Only files whose name says what they are: a project's own settings, a schema, an API description. Read by
indentation, never parsed, so that a region of a file works too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from context_kit._lazily import regex
from context_kit.engrams._places import Found, line_end, lines_end

__all__ = ["sections"]

_TOML = regex(r"(?:^|/)(?:pyproject|Cargo|netlify|wrangler)\.toml$")
_JSON = regex(r"(?:^|/)(?:package|tsconfig[\w.-]*|composer|deno|manifest)\.jsonc?$")
_SCHEMA = regex(r"(?:\.schema\.json|(?:^|/)schema\.json|(?:^|/)(?:openapi|swagger)[\w.-]*\.json)$")
_API = regex(r"(?:^|/)(?:openapi|swagger)[\w.-]*\.ya?ml$")
_COMPOSE = regex(r"(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$")

_TABLE = regex(r"^\[\[?([^\[\]\n]{1,200})\]\]?", re.MULTILINE)
_KEY = regex(r"^(?P<indent>\t|[ ]{2,4})\"(?P<name>[^\"\n]{1,200})\"[ \t]*:[ \t]*[\[{]", re.MULTILINE)
_OBJECT = regex(
    r"^(?P<indent>[ \t]*)\"(?P<name>properties|definitions|\$defs|parameters|/[^\"\n]{0,200})\"[ \t]*:[ \t]*\{",
    re.MULTILINE,
)
_PATH = regex(r"^(?P<indent>[ ]{2,4})(?P<name>/[^\s:]{0,200}|['\"]/[^'\"\n]{0,200}['\"])[ \t]*:", re.MULTILINE)
_ITEM = regex(r"^(?P<indent>[ ]{2,4})(?P<name>[A-Za-z_][\w.-]{0,100})[ \t]*:[ \t]*$", re.MULTILINE)
_MANY: Final = 400
"""Places looked at in one file."""


def sections(text: str, path: str) -> list[Found] | None:
    """The sections of a known configuration file; None where the path is no such file."""
    for name, read in _READERS:
        if name.search(path):
            return list(read(text))
    return None


def _tables(text: str) -> Iterator[Found]:
    """TOML tables, each up to the next one."""
    heads = list(_TABLE.finditer(text))[:_MANY]
    for at, head in enumerate(heads):
        stop = heads[at + 1].start() if at + 1 < len(heads) else len(text)
        body = text[head.start() : stop].rstrip()
        yield Found(head[1].strip(), "section", head.start(), head.start() + len(body), head.start(), public=True)


def _keys(text: str) -> Iterator[Found]:
    """The objects and lists right under the root of a JSON file."""
    unit = ""
    for head, end in _blocks(text, _KEY):
        unit = unit or head["indent"]
        if head["indent"] == unit:
            yield _found(head, "section", end)


def _schema(text: str) -> Iterator[Found]:
    """Property objects, definitions and paths of a JSON schema or API description."""
    for head, end in _blocks(text, _OBJECT):
        yield _found(head, "path" if head["name"].startswith("/") else "schema", end)


def _api(text: str) -> Iterator[Found]:
    """Path items and component schemas of an API description in YAML."""
    for head, end in _blocks(text, _PATH):
        yield _found(head, "path", end)
    components = text.find("\n  schemas:")
    for head, end in _blocks(text, re.compile(_ITEM.pattern.replace("{2,4}", "{4}"), re.MULTILINE), max(0, components)):
        if components >= 0:
            yield _found(head, "schema", end)


def _services(text: str) -> Iterator[Found]:
    """Services, volumes and networks of a compose file."""
    for head, end in _blocks(text, _ITEM):
        yield _found(head, "section", end)


def _blocks(text: str, head: re.Pattern[str], start: int = 0) -> Iterator[tuple[re.Match[str], int]]:
    """Each head with the end of its block: the lines below it that are indented deeper, and what closes it."""
    past = start
    for count, found in enumerate(head.finditer(text, start)):
        if count >= _MANY:
            return
        if found.start() < past:
            continue
        past = _block(text, found.start(), len(found["indent"]))
        yield found, past


def _block(text: str, start: int, indent: int) -> int:
    end = line_end(text, start)
    limit = lines_end(text, start)
    while end < limit:
        following = line_end(text, end + 1)
        words = text[end + 1 : following]
        columns = len(words) - len(words.lstrip())
        if words.strip() and columns <= indent:
            return following if words.lstrip()[:1] in ("}", "]") and columns == indent else end
        end = following
    return end


def _found(head: re.Match[str], kind: str, end: int) -> Found:
    return Found(head["name"].strip("'\""), kind, head.start(), end, head.start(), public=True)


_READERS: Final[tuple[tuple[re.Pattern[str], Callable[[str], Iterator[Found]]], ...]] = (
    (_TOML, _tables),
    (_JSON, _keys),
    (_SCHEMA, _schema),
    (_API, _api),
    (_COMPOSE, _services),
)
