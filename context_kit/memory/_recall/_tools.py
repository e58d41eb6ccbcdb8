"""The tools that a model has for its memory: what is declared to a provider, and what a call of one asks for.

Declarations are the same bytes each time, so that the prompt cache stays warm. A call's arguments are a model's:
whatever is wrong with them is told in words that it can act on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from context_kit.errors import BudgetError
from context_kit.memory._directory._directory import MemoryDirectory
from context_kit.typing import Shape

__all__ = [
    "KINDS",
    "RECALL",
    "REMEMBER",
    "Asking",
    "Note",
    "Tools",
    "Unusable",
    "asking",
    "declarations",
    "noted",
]

RECALL, REMEMBER = "recall", "remember"
KINDS = ("decide", "contract", "pitfall", "note")
"""What can be remembered: the action of the journal's record."""
LONGEST = 4_000
"""Characters of what is remembered."""
PREFIX = re.compile(r"[A-Za-z0-9_-]{0,32}")
LINES = re.compile(r"\s*(?:lines?\s*)?(\d{1,9})(?:\s*(?:-|–|—|:|\.\.|to|至|到)\s*(\d{1,9})?)?\s*", re.IGNORECASE)

ABOUT_RECALL = (
    "Bring back text that left this conversation, word for word, or what was remembered here or in other sessions of "
    "the project. Give words (a file, a command, an error, a name), a path, or an address as records of this "
    'conversation show them: recall("m12") there means this tool with the query "m12". Large texts come in parts: '
    "take another part by lines, or the lines that match a pattern."
)
ABOUT_REMEMBER = (
    "Write something down for later: a decision with its reason, a contract that other code relies on, a pitfall, or "
    "a note. It outlives this conversation."
)
QUERY = "Words, a path, or an address such as m12, m12-m15, c3 or f:src/app.py@12."
LINE_RANGE = 'Lines of one text, such as "120-180"; null for the beginning, or the part around the match.'
PATTERN = 'Only lines that hold this text, in any case; * stands for anything, | for "or". Null for all.'
TEXT = "What to remember, in a sentence or a few; for a decision its reason, too."
KIND = "decide: a decision; contract: what other code relies on; pitfall: what went wrong and why; note: anything else."
FILE = "The path of the file that it is about, or null."


@dataclass(slots=True)
class Tools:
    """What a session has declared to its model."""

    prefixes: set[str] = field(default_factory=lambda: {""})
    """What the names of its tools may begin with."""
    memory: MemoryDirectory | None = None
    """What stands behind Anthropic's own memory tool."""
    counted: bool = False
    """Whether their schemas are in the count of the window."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A call of recall."""

    query: str
    first: int = 0
    """First line that is wanted, from 1; 0 where no lines were asked for."""
    last: int = 0
    """Last line; 0 for as many as there is room for."""
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A call of remember."""

    text: str
    kind: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """Arguments that can't be used, and what to give instead."""

    why: str


def declarations(shape: Shape, prefix: str = "") -> list[dict[str, Any]]:
    """The two tools as a provider takes them; fresh dicts, equal each time.

    Raises:
        BudgetError: the prefix can't stand in a tool's name.
    """
    given: object = prefix
    if not isinstance(given, str) or not PREFIX.fullmatch(given):
        msg = f"prefix: {prefix!r:.60} can't begin a tool's name: use up to 32 letters, digits, '_' and '-'"
        raise BudgetError(msg)
    found = (
        (RECALL, ABOUT_RECALL, {"query": _text(QUERY), "lines": _maybe(LINE_RANGE), "pattern": _maybe(PATTERN)}),
        (REMEMBER, ABOUT_REMEMBER, {"text": _text(TEXT), "kind": _text(KIND, *KINDS), "file": _maybe(FILE)}),
    )
    return [_declared(shape, f"{prefix}{name}", about, properties) for name, about, properties in found]


def _text(about: str, *of: str) -> dict[str, Any]:
    return {"type": "string", **({"enum": list(of)} if of else {}), "description": about}


def _maybe(about: str) -> dict[str, Any]:
    return {"type": ["string", "null"], "description": about}


def _declared(shape: Shape, name: str, about: str, properties: dict[str, Any]) -> dict[str, Any]:
    """One tool; OpenAI's strict schemas want every property required and no other (wire-facts 4)."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    if shape == "anthropic":
        needed = [key for key, value in properties.items() if value["type"] == "string"]
        return {"name": name, "description": about, "input_schema": {**schema, "required": needed}}
    function = {"name": name, "description": about, "parameters": schema, "strict": True}
    return {"type": "function", **function} if shape == "responses" else {"type": "function", "function": function}


# -- arguments -------------------------------------------------------------------------


def asking(arguments: object) -> Asking | Unusable:
    """What a call of recall asks for."""
    given = _given(arguments)
    if isinstance(given, Unusable):
        return given
    query = given.get("query", given.get("address", given.get("path")))
    if not isinstance(query, str) or not query.strip():
        return Unusable(f"query: {query!r:.60} is no text: give words, a path or an address such as m12")
    pattern = given.get("pattern") or ""
    if not isinstance(pattern, str):
        return Unusable(f"pattern: {pattern!r:.60} is no text: give a part of the lines that you want, or null")
    lines = given.get("lines")
    lines = "" if lines is None else str(lines)
    found = LINES.fullmatch(lines)
    if lines.strip() and (found is None or not int(found[1]) or (found[2] and int(found[2]) < int(found[1]))):
        return Unusable(f'lines: {lines!r:.60} is no range of lines: give one such as "120-180", or null')
    if found is None:
        return Asking(query, pattern=pattern)
    alone = lines.strip()[-1:].isdigit()
    return Asking(query, int(found[1]), int(found[2] or (found[1] if alone else 0)), pattern)


def noted(arguments: object) -> Note | Unusable:
    """What a call of remember writes down."""
    given = _given(arguments)
    if isinstance(given, Unusable):
        return given
    text, kind, file = given.get("text"), given.get("kind") or "note", given.get("file") or ""
    if not isinstance(text, str) or not text.strip():
        return Unusable(f"text: {text!r:.60} is nothing to remember: give a sentence")
    if len(text) > LONGEST:
        return Unusable(f"text: is {len(text):,} characters long: keep it under {LONGEST:,}, the essence of it")
    if kind not in KINDS:
        return Unusable(f"kind: {kind!r:.60} is unknown: use one of {', '.join(KINDS)}")
    if not isinstance(file, str):
        return Unusable(f"file: {file!r:.60} is no path: give one, or null")
    return Note(text, str(kind), file)


def _given(arguments: object) -> Mapping[str, Any] | Unusable:
    """The arguments as a mapping, from JSON where they are text."""
    found = arguments
    if isinstance(arguments, str):
        try:
            found = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            return Unusable(f"arguments: {arguments[-60:]!r} ends no JSON object: call the tool again with all of them")
    if not isinstance(found, Mapping):
        return Unusable(f"arguments: a {type(found).__name__} is no JSON object: give the arguments by name")
    return found
