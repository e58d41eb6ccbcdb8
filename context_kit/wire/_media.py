"""Media without a shape: what an image or a file is, and the block that carries it in each shape.

A block is made only where the target takes that kind of source; what it can't take is told in words, never as
base64 text. By the request types of openai 3.57 and anthropic 2.14: Anthropic's images are JPEG, PNG, GIF and WebP,
its documents PDF and plain text; chat has no file by URL and no image by id. Ids of uploaded files hold for the
vendor that gave them.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from context_kit.typing import Shape

__all__ = ["Media", "carried", "media_of", "not_carried"]

Raw = dict[str, Any]
Vendor = Literal["openai", "anthropic"]

CLAUDE_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
PDF = "application/pdf"
ENDINGS = {PDF: "pdf", "text/plain": "txt", "text/markdown": "md", "text/csv": "csv", "application/json": "json"}
TYPES = {ending: kind for kind, ending in ENDINGS.items()}


class Media(NamedTuple):
    """An image, a file, or what only one provider knows."""

    kind: str
    """`image`, `file`, or the type of a block that no other shape has."""
    data: str = ""
    """Base64."""
    type: str = ""
    """Media type of the data."""
    url: str = ""
    id: str = ""
    """Of an uploaded file."""
    vendor: Vendor = "openai"
    """Whose id it is."""
    name: str = ""
    """File name or title."""
    detail: str = ""
    """How closely OpenAI's models look at an image."""


def media_of(block: Mapping[str, Any], /) -> Media:
    """What a media block holds; fields of a wrong kind count as missing."""
    kind = str(block.get("type", "audio"))
    return READERS.get(kind, _other)(block)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _fields(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _source(url: str) -> tuple[str, str, str]:
    """Data and media type of a data URL, else the URL."""
    head, comma, data = url.partition(",")
    if not (comma and head.startswith("data:") and head.endswith(";base64")):
        return "", "", url
    return data, head[5:-7].split(";")[0], ""


def _chat_image(block: Mapping[str, Any]) -> Media:
    found = block.get("image_url")
    fields = _fields(found)
    return Media("image", *_source(_text(found) or _text(fields.get("url"))), detail=_text(fields.get("detail")))


def _item_image(block: Mapping[str, Any]) -> Media:
    source = _source(_text(block.get("image_url")))
    return Media("image", *source, id=_text(block.get("file_id")), detail=_text(block.get("detail")))


def _made_image(block: Mapping[str, Any]) -> Media:
    kind = f"image/{_text(block.get('output_format')) or 'png'}"
    return Media("image", data=_text(block.get("result")), type=kind)


def _claude_source(block: Mapping[str, Any], kind: str) -> Media:
    source = _fields(block.get("source"))
    return Media(
        kind,
        data=_text(source.get("data")),
        type=_text(source.get("media_type")),
        url=_text(source.get("url")),
        id=_text(source.get("file_id")),
        vendor="anthropic",
        name=_text(block.get("title")),
    )


def _claude_image(block: Mapping[str, Any]) -> Media:
    return _claude_source(block, "image")


def _claude_document(block: Mapping[str, Any]) -> Media:
    return _claude_source(block, "file")


def _chat_file(block: Mapping[str, Any]) -> Media:
    return _item_file(_fields(block.get("file")))


def _item_file(block: Mapping[str, Any]) -> Media:
    name = _text(block.get("filename"))
    data, kind, bare = _source(_text(block.get("file_data")))
    if bare:  # base64 without a head: the name tells the type
        data, kind = bare, TYPES.get(name.rpartition(".")[2].lower(), "")
    url = _text(block.get("file_url"))
    return Media("file", data, kind, url, id=_text(block.get("file_id")), name=name)


def _other(block: Mapping[str, Any]) -> Media:
    kind = _text(block.get("type")) or "audio"
    found = block.get(kind)
    inner = _fields(found)
    url = _text(found) or _text(inner.get("url")) or _text(block.get("url"))
    url = "" if url.startswith("data:") else url
    return Media(kind, url=url, id=_text(inner.get("id")) or _text(block.get("id")), type=_text(inner.get("format")))


READERS: dict[str, Callable[[Mapping[str, Any]], Media]] = {
    "image_url": _chat_image,
    "input_image": _item_image,
    "computer_screenshot": _item_image,
    "image_generation_call": _made_image,
    "image": _claude_image,
    "document": _claude_document,
    "file": _chat_file,
    "input_file": _item_file,
}


def carried(media: Media, shape: Shape, /) -> Raw | None:
    """The block that holds it in a shape; None where that shape has none for it."""
    writer = WRITERS.get((shape, media.kind))
    return writer(media) if writer is not None else None


def not_carried(media: Media, /) -> str:
    """What stands for it where it can't be carried over: all that can be said in words."""
    known = {"name": media.name, "media type": media.type, "url": media.url, "id": media.id}
    told = ", ".join(f"{name} {value}" for name, value in known.items() if value)
    return f"[{media.kind} not carried over{': ' if told else ''}{told}]"


def _data_url(media: Media) -> str:
    return f"data:{media.type or 'application/octet-stream'};base64,{media.data}" if media.data else media.url


def _named(media: Media) -> str:
    return media.name or f"document.{ENDINGS.get(media.type, 'bin')}"


def _own_id(media: Media, vendor: Vendor) -> str:
    return media.id if media.vendor == vendor else ""


def _detail(media: Media) -> Raw:
    return {"detail": media.detail} if media.detail and media.detail != "auto" else {}


def _to_chat_image(media: Media) -> Raw | None:
    url = _data_url(media)
    return {"type": "image_url", "image_url": {"url": url, **_detail(media)}} if url else None


def _to_chat_file(media: Media) -> Raw | None:
    if media.data:
        return {"type": "file", "file": {"filename": _named(media), "file_data": _data_url(media)}}
    own = _own_id(media, "openai")
    return {"type": "file", "file": {"file_id": own}} if own else None


def _to_item_image(media: Media) -> Raw | None:
    url, own = _data_url(media), _own_id(media, "openai")
    source = {"image_url": url} if url else {"file_id": own} if own else None
    return {"type": "input_image", "detail": "auto", **_detail(media), **source} if source else None


def _to_item_file(media: Media) -> Raw | None:
    own = _own_id(media, "openai")
    if media.data:
        return {"type": "input_file", "filename": _named(media), "file_data": _data_url(media)}
    if media.url:
        return {"type": "input_file", "file_url": media.url}
    return {"type": "input_file", "file_id": own} if own else None


def _to_claude_image(media: Media) -> Raw | None:
    if media.data and media.type in CLAUDE_IMAGES:
        return {"type": "image", "source": {"type": "base64", "media_type": media.type, "data": media.data}}
    if media.url.startswith(("http://", "https://")):
        return {"type": "image", "source": {"type": "url", "url": media.url}}
    return None


def _to_claude_document(media: Media) -> Raw | None:
    title = {"title": media.name} if media.name else {}
    source: Raw | None = None
    if media.data and media.type == PDF:
        source = {"type": "base64", "media_type": PDF, "data": media.data}
    elif media.data and media.type.startswith("text/"):
        words = _plain(media.data)
        source = {"type": "text", "media_type": "text/plain", "data": words} if words else None
    elif media.url.startswith(("http://", "https://")):
        source = {"type": "url", "url": media.url}
    return {"type": "document", "source": source, **title} if source else None


def _plain(data: str) -> str:
    """The text of base64 data; empty where it is none."""
    try:
        return base64.b64decode(data, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


WRITERS: dict[tuple[Shape, str], Callable[[Media], Raw | None]] = {
    ("chat", "image"): _to_chat_image,
    ("chat", "file"): _to_chat_file,
    ("responses", "image"): _to_item_image,
    ("responses", "file"): _to_item_file,
    ("anthropic", "image"): _to_claude_image,
    ("anthropic", "file"): _to_claude_document,
}
