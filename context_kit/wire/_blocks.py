"""Content blocks, read: one part each, in order; what is not known is opaque and counts by its JSON.

Only what can never be legal is refused: no block at all, a block without a type, a text that is no string,
a call or result without its id.
"""

from __future__ import annotations

from typing import Any, NoReturn

from context_kit.errors import InvalidMessageError
from context_kit.typing import Shape
from context_kit.wire._kinds import BLOCKS, Kind
from context_kit.wire._message import Part
from context_kit.wire._own import compact

__all__ = ["document_text", "extra", "filled", "read_blocks", "read_output", "refuse"]

OPAQUE = Kind("opaque")
SERVER_RESULT = Kind("result", "anthropic", server=True)

UNSPOKEN = frozenset(
    {"type", "text", "refusal", "cache_control", "prompt_cache_breakpoint", "id", "status", "logprobs"}
)
"""Keys of a text block that carry no text of their own to the model."""
DOCUMENT_KEYS = {"text": "data", "content": "content"}
"""Where a document of plain text has it, by the type of its source."""


def refuse(field: str, text: str) -> NoReturn:
    """Refuse a message by the path of its fault."""
    raise InvalidMessageError(text, field=field)


def filled(value: object, field: str, what: str) -> str:
    """A string that must not be empty.

    Raises:
        InvalidMessageError: it is missing, empty or no string.
    """
    if isinstance(value, str) and value:
        return value
    refuse(field, f"{value!r:.60} is no {what}: give a non-empty string")


def read_blocks(content: list[Any], out: list[Part], field: str = "content") -> Shape | None:
    """Append the parts of a list of blocks; return the shape that its types betray.

    Raises:
        InvalidMessageError: a block is none, or lacks what its type demands.
    """
    shape: Shape | None = None
    for at, block in enumerate(content):
        kind = _kind(block, at, field)
        if kind.shape is not None:
            shape = shape or kind.shape
        out.append(_read(block, at, kind, field))
        if len(block) > 2 and kind.part == "text":
            rest = {key: value for key, value in block.items() if key not in UNSPOKEN and value}
            if rest:
                out.append(extra(rest, block["type"], at))
    return shape


def extra(rest: dict[str, Any], name: str, at: int = -1) -> Part:
    """What else a block or message says, as an opaque part, so that it is counted."""
    return Part("opaque", compact(rest), name=name, at=at)


def _kind(block: object, at: int, field: str) -> Kind:
    if not isinstance(block, dict):
        refuse(f"{field}[{at}]", f"a {type(block).__name__} is no content block: give a dict with a `type`")
    name = block.get("type")
    if not isinstance(name, str):
        refuse(f"{field}[{at}].type", f"{name!r:.60} is no block type: give a string such as 'text'")
    kind = BLOCKS.get(name)
    if kind is not None:
        return kind
    # Server tools of tomorrow keep the naming of today's.
    return SERVER_RESULT if name.endswith("_tool_result") and isinstance(block.get("tool_use_id"), str) else OPAQUE


def _read(block: dict[str, Any], at: int, kind: Kind, field: str) -> Part:
    if kind.key:
        return _worded(block, at, kind, field)
    if kind.part == "media":
        return _media(block, at)
    if kind.part == "call":
        return _call(block, at, kind, f"{field}[{at}]")
    if kind.part == "result":
        return _result(block, at, kind, f"{field}[{at}]")
    return Part("opaque", compact(block), name=block["type"], at=at, block=block)


def _worded(block: dict[str, Any], at: int, kind: Kind, field: str) -> Part:
    text = block.get(kind.key)
    if not isinstance(text, str):
        refuse(f"{field}[{at}].{kind.key}", f"{text!r:.60} is no text: give a string")
    return Part(kind.part, text, "", block["type"] if kind.part == "reasoning" else "", False, at)


def _media(block: dict[str, Any], at: int) -> Part:
    text = document_text(block)
    if text is not None:
        return Part("opaque", text, name="document", at=at, block=block)
    return Part("media", name=block["type"], at=at, block=block)


def document_text(block: dict[str, Any]) -> str | None:
    """The text of a document that is plain text: it counts as the text it is, not as pages."""
    source = block.get("source")
    if block["type"] != "document" or not isinstance(source, dict):
        return None
    text = source.get(DOCUMENT_KEYS.get(str(source.get("type")), ""))
    return text if isinstance(text, str) else None


def _call(block: dict[str, Any], at: int, kind: Kind, field: str) -> Part:
    found = block.get("input")
    if not isinstance(found, dict) and not kind.server:
        refuse(f"{field}.input", f"{found!r:.60} is no tool input: give a dict, {{}} where there is none")
    return Part(
        "call",
        compact(found),
        filled(block.get("id"), f"{field}.id", "call id"),
        filled(block.get("name"), f"{field}.name", "tool name"),
        at=at,
        server=kind.server,
    )


def _result(block: dict[str, Any], at: int, kind: Kind, field: str) -> Part:
    key = filled(block.get("tool_use_id"), f"{field}.tool_use_id", "call id")
    content = block.get("content")
    if kind.server:
        return Part("result", compact(content), key, block["type"], at=at, server=True)
    text, media = read_output(content, f"{field}.content")
    return Part("result", text, key, "", block.get("is_error") is True, at, media or None)


def read_output(content: object, field: str) -> tuple[str, list[dict[str, Any]]]:
    """The texts of a result's content, joined by newlines, and its media blocks.

    Raises:
        InvalidMessageError: the content is neither text nor blocks.
    """
    if isinstance(content, str):
        return content, []
    if content is None:
        return "", []
    if not isinstance(content, list):
        refuse(field, f"a {type(content).__name__} is no result: give a string or a list of blocks")
    parts: list[Part] = []
    read_blocks(content, parts, field)
    return "\n".join(part.text for part in parts if part.kind != "media"), [
        part.block for part in parts if part.kind == "media"
    ]
