"""Tokens of images, documents and audio by the vendors' formulas: never by the base64 text, never zero.

Upper bounds where a vendor leaves room; the difference is learned from reported usage. The numbers are
data with a source, read 2026-11-30:
[A] platform.claude.com/docs/en/build-with-claude/vision and .../pdf-support,
[O] developers.openai.com/api/docs/guides/images-vision,
[G] ai.google.dev/gemini-api/docs (media resolution, audio), cloud.google.com Gemini 3 model pages,
[H] huggingface.co JOHNISKING/pdf-token-cost (one public measurement).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, NamedTuple

from context_kit.tokens._encodings import bare
from context_kit.tokens._sizes import pages_of, pixels_of, seconds_of

__all__ = ["MEDIA", "media_cost"]

MEDIA = frozenset(
    (
        "image", "image_url", "input_image", "computer_screenshot", "image_generation_call",
        "document", "file", "input_file", "container_upload",
        "input_audio", "audio", "audio_url", "video", "video_url", "input_video",
    )
)  # fmt: skip
"""Types of blocks that hold media, in any of the three shapes."""

UNKNOWN_SIZE = (2048, 2048)
"""An image whose size can't be read (by url, by id, other formats) counts as one of so many pixels."""
PAGE = 2_500
"""Tokens of a PDF page, text and picture together [A][H] ..."""
GEMINI_PAGE = 560
"""... and with Gemini [G]."""
PAGES = 10
"""A document by url or id counts as one of so many pages."""
PAGE_BYTES = 50_000
"""An inlined document whose pages can't be counted (compressed) has a page for each so many bytes."""
MOST_PAGES = 600
"""No vendor takes more pages in one request [A]."""
AUDIO_SECOND = 10
"""Tokens of a second of audio; common lore, no vendor but Google publishes one ..."""
GEMINI_SECOND = 32
"""... [G]."""
AUDIO = 3_000
"""Audio of unknown length: five minutes at 10 tokens a second."""
VIDEO = 20_000
"""Video of any kind: about three minutes at one frame of 70 tokens and 32 tokens of sound a second [G]."""


class Grid(NamedTuple):
    """Claude: one token for each 28 x 28 pixels, after fitting into an edge and a cap [A]."""

    edge: int
    cap: int


class Patches(NamedTuple):
    """OpenAI: 32 x 32 pixel patches times a factor, fitted into a number of patches by detail [O]."""

    factor: float
    high: int
    original: int


class Tiles(NamedTuple):
    """OpenAI: a base and so much for each 512 pixel tile, after fitting to 2048 and 768 pixels [O]."""

    base: int
    tile: int


STANDARD = Grid(1568, 1568)
SHARP = Grid(2576, 4784)
DEAREST = SHARP
"""For unknown models: the most that any of these formulas gives for a usual picture."""

IMAGES: dict[str, Grid | Patches | Tiles | int] = {
    "claude": STANDARD,
    "claude-opus-4-7": SHARP,
    "claude-opus-4-8": SHARP,
    "claude-opus-5": SHARP,
    "claude-sonnet-5": SHARP,
    "claude-haiku-5": SHARP,
    "claude-fable": SHARP,
    "claude-mythos": SHARP,
    "gpt-4-turbo": Tiles(85, 170),
    "gpt-4o": Tiles(85, 170),
    "gpt-4.1": Tiles(85, 170),
    "gpt-4.5": Tiles(85, 170),
    "gpt-4o-mini": Tiles(2833, 5667),
    "gpt-4.1-mini": Patches(1.62, 1536, 1536),
    "gpt-4.1-nano": Patches(2.46, 1536, 1536),
    "o1": Tiles(75, 150),
    "o3": Tiles(75, 150),
    "o4-mini": Patches(1.72, 1536, 1536),
    "gpt-5": Tiles(70, 140),
    "gpt-5-mini": Patches(1.62, 1536, 1536),
    "gpt-5-nano": Patches(2.46, 1536, 1536),
    "gpt-5.4": Patches(1.2, 2500, 10_000),
    "gpt-5.5": Patches(1.2, 2500, 10_000),
    "gpt-5.6": Patches(1.2, 2500, 10_000),
    "gpt-6": Patches(1.2, 2500, 10_000),
    "gemini": 1120,
}
"""Formula of a model's images; the longest prefix decides. Gemini takes a flat number each [G]."""

_BY_LENGTH = sorted(IMAGES.items(), key=lambda entry: -len(entry[0]))


def media_cost(block: object, *, model: str | None = None) -> int:
    """Tokens of one media block of any shape: an image, a document, audio or video.

    Size, pages and seconds are read from the first bytes of inlined data; where there are none, or it is a url
    or an id, a flat cost stands for it. Inlined plain text counts a token for each four bytes.
    """
    kind, data, detail = _described(block)
    name = bare(model)
    if kind == "image":
        return image_cost(pixels_of(data) or UNKNOWN_SIZE, detail, name)
    if kind == "audio":
        seconds = seconds_of(data)
        rate = GEMINI_SECOND if name.startswith("gemini") else AUDIO_SECOND
        return AUDIO if seconds is None else max(1, ceil(seconds * rate))
    if kind == "video":
        return VIDEO
    if kind == "text":
        return 1 + len(data) * 3 // 16
    page = GEMINI_PAGE if name.startswith("gemini") else PAGE
    return page * min(pages_of(data) or _guessed(data), MOST_PAGES)


def _guessed(data: str) -> int:
    """Pages of a document that can't be counted: by its size where it is inlined, else a flat number."""
    return ceil(len(data) * 3 / 4 / PAGE_BYTES) if data else PAGES


def image_cost(size: tuple[int, int], detail: str, name: str) -> int:
    """Tokens of an image of width and height in pixels, by the formula of a model's bare name."""
    formula = next((rule for prefix, rule in _BY_LENGTH if name.startswith(prefix)), DEAREST)
    if isinstance(formula, int):
        return formula
    if isinstance(formula, Grid):
        return _on_grid(size, formula)
    if isinstance(formula, Tiles):
        return formula.base if detail == "low" else _in_tiles(size, formula)
    return _in_patches(size, detail, formula, name)


def _on_grid(size: tuple[int, int], grid: Grid) -> int:
    width, height = _fitted(size, grid.edge / max(size))
    return min(ceil(width / 28) * ceil(height / 28), grid.cap)


def _in_tiles(size: tuple[int, int], tiles: Tiles) -> int:
    width, height = _fitted(size, 2048 / max(size))
    width, height = _fitted((width, height), 768 / min(width, height))
    return tiles.base + tiles.tile * ceil(width / 512) * ceil(height / 512)


def _in_patches(size: tuple[int, int], detail: str, patches: Patches, name: str) -> int:
    room = patches.high
    if detail == "low":
        room = 256
    elif detail == "original" or (detail != "high" and name.startswith("gpt-6")):
        room = patches.original
    return ceil(min(ceil(size[0] / 32) * ceil(size[1] / 32), room) * patches.factor)


def _fitted(size: tuple[float, float], scale: float) -> tuple[float, float]:
    scale = min(1.0, scale)
    return max(1.0, size[0] * scale), max(1.0, size[1] * scale)


def _described(block: object) -> tuple[str, str, str]:
    """Kind (image, document, audio, video, text), base64 data or nothing, and detail of a block."""
    if not isinstance(block, Mapping):
        return "document", "", ""
    kind = str(block.get("type") or "")
    holder = block.get("source") or block.get(kind) or block.get("image_url") or block
    if isinstance(holder, str):
        holder = {"url": holder}
    if not isinstance(holder, Mapping):
        holder = {}
    data = _first(holder, "data", "file_data", "url", "image_url", "file_url", "result")
    mime = _first(holder, "media_type", "mime_type", "format", "filename")
    if data.startswith("data:"):
        mime, _, data = data.partition(",")
    elif "://" in data[:12]:
        mime, data = mime or data[-8:], ""
    return _kind_of(kind, mime[:80].lower()), data, str(holder.get("detail") or block.get("detail") or "")


def _first(holder: Mapping[str, Any], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := holder.get(key), str) and value), "")


_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


def _kind_of(kind: str, mime: str) -> str:
    """What a block holds: its data's own type where that is told, else the block's."""
    for media in ("image", "audio", "video"):
        if f"{media}/" in mime:
            return media
    if "pdf" in mime:
        return "document"
    if "text/" in mime or "json" in mime:
        return "text"
    if mime.endswith(_PICTURES) or "image" in kind or "screenshot" in kind:
        return "image"
    return next((media for media in ("audio", "video") if media in kind), "document")
