"""Media cost what the vendors' formulas say, never their base64 text, never nothing."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit.tokens import media_cost
from context_kit.tokens._media import AUDIO, MEDIA, PAGE, PAGES, VIDEO

Block = dict[str, Any]


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x02\0\0\0" * 20


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(40)


def jpeg(width: int, height: int, preview: int = 200) -> bytes:
    segments = b""
    while preview > 0:
        size = min(preview, 60_000)
        segments += b"\xff\xe1" + struct.pack(">H", size + 2) + bytes(size)
        preview -= size
    return b"\xff\xd8" + segments + b"\xff\xc0\0\x11\x08" + struct.pack(">HH", height, width) + bytes(40)


def webp(kind: bytes, width: int, height: int) -> bytes:
    if kind == b"VP8X":
        body = bytes(8) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    elif kind == b"VP8L":
        body = bytes(4) + b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little")
    else:
        body = bytes(10) + struct.pack("<HH", width, height)
    return b"RIFF\0\0\0\0WEBP" + kind + body + bytes(40)


def image(data: bytes) -> Block:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": b64(data)}}


def pdf(pages: int, *, linear: bool = False) -> str:
    head = b"%PDF-1.7\n" + (b"1 0 obj <</Linearized 1/L 9/N %d>>" % pages if linear else b"")
    tree = b"" if linear else b"<</Type/Pages/Count %d>>" % pages + b"<</Type /Page /Parent 1 0 R>>\n" * pages
    return b64(head + tree + b"\n%%EOF")


@pytest.mark.parametrize(
    "data",
    [
        png(1024, 1024),
        gif(1024, 1024),
        jpeg(1024, 1024),
        jpeg(1024, 1024, preview=150_000),
        webp(b"VP8X", 1024, 1024),
        webp(b"VP8L", 1024, 1024),
        webp(b"VP8 ", 1024, 1024),
    ],
)
def test_size_is_read_from_the_header(data: bytes) -> None:
    """Every usual format tells its pixels, a JPEG also behind a large preview."""
    assert media_cost(image(data), model="claude-opus-4-8") == 37 * 37


@pytest.mark.parametrize(
    ("model", "size", "detail", "tokens"),
    [
        ("claude-sonnet-4-5", (1024, 1024), None, 1369),
        ("claude-sonnet-4-5", (1920, 1080), None, 1568),
        ("claude-opus-5-5", (1920, 1080), None, 2691),
        ("claude-opus-5-5", (8000, 8000), None, 4784),
        ("gpt-4o", (1024, 1024), "high", 85 + 4 * 170),
        ("gpt-4o", (4096, 8192), "low", 85),
        ("gpt-5.1", (1024, 1024), "auto", 70 + 4 * 140),
        ("gpt-5.4", (1024, 1024), "high", 1229),
        ("gpt-5.4", (4096, 512), "high", 2458),
        ("gpt-5.4", (8000, 8000), "high", 3000),
        ("gpt-5.4", (8000, 8000), "original", 12_000),
        ("gpt-4.1-mini", (1024, 1024), "auto", 1659),
        ("gemini-3-pro", (1024, 1024), None, 1120),
        (None, (1024, 1024), None, 1369),
    ],
)
def test_images_by_the_vendors_formulas(
    model: str | None, size: tuple[int, int], detail: str | None, tokens: int
) -> None:
    """The examples of the vendors' guides come out."""
    url = f"data:image/png;base64,{b64(png(*size))}"
    assert media_cost({"type": "image_url", "image_url": {"url": url, "detail": detail}}, model=model) == tokens
    assert media_cost({"type": "input_image", "image_url": url, "detail": detail}, model=model) == tokens


@pytest.mark.parametrize("linear", [False, True])
def test_pages_are_counted(linear: bool) -> None:
    """A PDF whose pages can be seen costs by the page, in every shape of block."""
    data = pdf(7, linear=linear)
    url = f"data:application/pdf;base64,{data}"
    for block in (
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": url}},
        {"type": "input_file", "filename": "a.pdf", "file_data": url},
        {"type": "image_url", "image_url": {"url": url}},
    ):
        assert media_cost(block, model="claude-opus-4-5") == 7 * PAGE
    assert media_cost({"type": "input_file", "file_data": url}, model="gemini-3-pro") == 7 * 560


def test_audio_by_the_second() -> None:
    """A WAV costs by its duration, other audio a flat sum."""
    header = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0" + struct.pack("<II", 16_000, 32_000) + bytes(12)
    data = b64(header + bytes(32_000 * 60))
    assert media_cost({"type": "input_audio", "input_audio": {"format": "wav", "data": data}}) in range(600, 603)
    assert media_cost({"type": "input_audio", "input_audio": {"format": "mp3", "data": "AAAA"}}) == AUDIO
    assert media_cost({"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}}) == VIDEO


def test_unknown_sizes_cost_a_flat_sum() -> None:
    """By url, by id or damaged: the documented flat cost."""
    document: Block = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf"}}
    assert media_cost({"type": "document", "source": {"type": "file", "file_id": "f"}}) == PAGES * PAGE
    damaged = {**document, "source": {**document["source"], "data": "JVBE" * 90_000}}
    assert media_cost(damaged) == 6 * PAGE, "270,000 bytes inlined: a page for each 50,000"
    large = media_cost(image(png(2048, 2048)), model="claude-opus-5")
    for source in ({"type": "url", "url": "https://e.org/a.png"}, {"type": "base64", "data": "iVBORw0KGgo="}):
        assert media_cost({"type": "image", "source": source}, model="claude-opus-5") == large
    assert media_cost({"type": "input_file", "file_url": "https://e.org/photo.jpeg"}, model="gpt-4o") == 85 + 4 * 170


def test_the_length_of_the_data_is_no_cost() -> None:
    """The same picture with more bytes costs the same; inlined text costs by its length."""
    small, large = image(png(500, 500)), image(png(500, 500) + bytes(3_000_000))
    assert media_cost(small) == media_cost(large)
    text = "data:text/csv;base64," + b64(b"a,b,c\n" * 1000)
    assert media_cost({"type": "input_file", "file_data": text}) in range(1_400, 1_600)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "source", "data", "url", "image_url", "file", "media_type", "detail", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(sorted(MEDIA)), JSON)
@settings(max_examples=200, deadline=None)
def test_any_block_costs_something(kind: str, rest: object) -> None:
    """No block, however broken, raises or is free, and none without data is dear."""
    block = {**rest, "type": kind} if isinstance(rest, dict) else rest
    assert 0 < media_cost(block) <= PAGES * PAGE


@given(st.binary(max_size=200), st.sampled_from([b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"RIFF", b"GIF89a", b"%PDF-"]))
def test_any_bytes_cost_something(data: bytes, start: bytes) -> None:
    """Damaged data is never an error."""
    assert media_cost(image(start + data)) > 0
    assert media_cost({"type": "document", "source": {"type": "base64", "data": b64(start + data)}}) > 0
