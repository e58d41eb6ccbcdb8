"""What the first bytes of a media file tell: pixels of an image, pages of a PDF, seconds of a WAV.

Header bytes only; of a PDF a bounded stretch at both ends. Damaged or unknown data is None, never an error.
"""

from __future__ import annotations

import binascii
import re
import struct

__all__ = ["head_of", "pages_of", "pixels_of", "seconds_of"]

HEAD = 4_096
"""Bytes that are enough for every header but a JPEG's behind a large preview ..."""
JPEG_HEAD = 262_144
"""... for which more are looked at."""
PDF_BYTES = 4_194_304
"""Bytes of a PDF that are searched for its pages, at each end."""

_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_LINEARIZED = re.compile(rb"/Linearized\b[^>]{0,512}?/N\s{0,8}(\d{1,6})")
_COUNT = re.compile(rb"/Count\s{1,8}(\d{1,6})")
_NO_SIZE = frozenset((0xC4, 0xC8, 0xCC))
"""JPEG markers between SOF0 and SOF15 that are no frame header."""


def head_of(data: str, size: int = HEAD) -> bytes:
    """The first `size` bytes of base64 text, fewer where there are no more or it is damaged."""
    return _decoded(data[: size // 3 * 4])


def pixels_of(data: str) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, WebP or JPEG in base64, or None."""
    head = head_of(data)
    found = _pixels(head)
    if found is None and head[:2] == b"\xff\xd8":
        found = _jpeg(head_of(data, JPEG_HEAD))
    return found if found and found[0] > 0 and found[1] > 0 else None


def _pixels(head: bytes) -> tuple[int, int] | None:
    if head[:8] == b"\x89PNG\r\n\x1a\n" and len(head) >= 24:
        width, height = struct.unpack_from(">II", head, 16)
    elif head[:4] == b"GIF8" and len(head) >= 10:
        width, height = struct.unpack_from("<HH", head, 6)
    elif head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp(head)
    else:
        return None
    return width, height


def _webp(head: bytes) -> tuple[int, int] | None:
    if head[12:16] == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if head[12:16] == b"VP8 ":
        width, height = struct.unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            height, width = struct.unpack_from(">HH", head, at + 5)
            return width, height
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None


def pages_of(data: str) -> int | None:
    """Pages of a PDF in base64, or None where they stand in compressed objects."""
    if head_of(data, 24)[:5] != b"%PDF-":
        return None
    span = PDF_BYTES // 3 * 4
    body = _decoded(data[:span])
    if len(data) > span:
        body += _decoded(data[max(span, (len(data) - span) // 4 * 4) :])
    if found := _LINEARIZED.search(body, 0, HEAD):
        return int(found[1])
    counts = [int(found[1]) for found in _COUNT.finditer(body)]
    # A bookmark tree has counts too, so the page objects decide where there are any.
    return sum(1 for _ in _PAGE.finditer(body)) or max(counts, default=0) or None


def seconds_of(data: str) -> float | None:
    """Duration of a WAV in base64 by its header and length, or None."""
    head = head_of(data)
    if head[:4] != b"RIFF" or head[8:12] != b"WAVE" or head[12:16] != b"fmt " or len(head) < 32:
        return None
    rate = int.from_bytes(head[28:32], "little")
    return len(data) * 3 / 4 / rate if rate else None


def _decoded(data: str) -> bytes:
    try:
        return binascii.a2b_base64(data[: len(data) // 4 * 4])
    except ValueError:  # no base64, or damaged
        return b""
