"""A clipped text has its head and tail word for word, and never too many tokens."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from context_kit.tokens import clip, counter
from context_kit.tokens._graphemes import boundary_after, boundary_before

count = counter()
MARK = '… 1,234 tokens left out · recall("m12") …'
LINES = "".join(f"line {n}: some words and a number {n * 7919}\n" for n in range(2_000))
CLUSTERS = [
    "a",
    "é",
    "e\u0301\u0323",
    "👩‍👩‍👧‍👦",
    "👍🏽",
    "🇩🇪",
    "❤️",
    "1️⃣",
    "각",
    "\u1112\u1161\u11ab",
    "क्ष",
    "\r\n",
    "会",
    "🏴\U000e0067\U000e007f",
]


def parts(out: str) -> tuple[str, str]:
    """What stands before and after the mark."""
    head, _, tail = out.partition(MARK)
    return head.removesuffix("\n"), tail.removeprefix("\n")


def test_what_fits_is_unchanged() -> None:
    """A text within the limit comes back as it is, a long one too."""
    assert clip("short", 10, count=count, mark=MARK) == "short"
    assert clip(LINES, count(LINES), count=count, mark=MARK) == LINES
    assert clip("", 0, count=count, mark=MARK) == ""


@pytest.mark.parametrize("limit", [60, 200, 1_000, 10_000])
def test_lines_stay_whole(limit: int) -> None:
    """Head and tail are whole lines, most of the room is used, and the head has the larger share."""
    out = clip(LINES, limit, count=count, mark=MARK)
    head, tail = parts(out)
    lines = LINES.split("\n")
    assert 0.6 * limit <= count(out) <= limit
    assert head.split("\n") == lines[: head.count("\n") + 1]
    assert tail.split("\n") == lines[-tail.count("\n") - 1 :]
    assert len(head) > len(tail)


def test_a_line_larger_than_the_room_is_split() -> None:
    """One endless line keeps its beginning and its end."""
    text = "start " + "x" * 50_000 + " middle " + "y" * 50_000 + " end"
    out = clip(text, 200, count=count, mark=MARK)
    assert out.startswith("start xxx")
    assert out.endswith("yyy end")
    assert 150 <= count(out) <= 200


def test_too_little_room_leaves_the_mark_or_nothing() -> None:
    """Where mark and text don't both fit, the mark stands alone; where that doesn't fit, nothing."""
    assert clip(LINES, count(MARK), count=count, mark=MARK) == MARK
    assert clip(LINES, count(MARK) - 1, count=count, mark=MARK) == ""
    assert clip(LINES, 0, count=count, mark=MARK) == ""


def test_the_whole_text_is_never_tokenised() -> None:
    """To shorten a huge text only pieces of about the limit's size are counted, a few times."""
    seen: list[int] = []

    def watched(text: str) -> int:
        seen.append(len(text))
        return count(text)

    out = clip(LINES * 100, 500, count=watched, mark=MARK)
    assert count(out) <= 500
    assert sum(seen) < 60_000


@given(
    st.lists(st.sampled_from([*CLUSTERS, "word ", "\n", "x" * 300, "  ", "\ud800"]), max_size=120),
    st.integers(0, 120),
    st.sampled_from([0.0, 0.3, 0.6, 1.0]),
)
@example(["👩‍👩‍👧‍👦"] * 100, 60, 0.6)
@example(["👩‍👩‍👧‍👦"] * 2_000, 100, 0.6)
@settings(max_examples=150, deadline=None)
def test_the_limit_holds_and_no_character_is_split(pieces: list[str], limit: int, ratio: float) -> None:
    """Whatever the text: at most the limit, both ends the text's own, cut only between whole characters."""
    text = "".join(pieces)
    out = clip(text, limit, count=count, mark=MARK, ratio=ratio)
    assert count(out) <= max(limit, 0)
    if out in (text, MARK, ""):
        return
    head, _, tail = out.partition(MARK)
    head = head[:-1]
    tail = tail[1:]
    assert text.startswith(head)
    assert text.endswith(tail)
    assert boundary_before(text, len(head)) == len(head) or text[len(head)] == "\n"
    assert boundary_after(text, len(text) - len(tail)) == len(text) - len(tail)


@given(st.lists(st.sampled_from(CLUSTERS), max_size=8))
def test_boundaries_are_between_clusters(pieces: list[str]) -> None:
    """A cut is moved to an edge of the cluster it fell into."""
    text = "".join(pieces)
    edges = {0}
    for piece in pieces:
        edges.add(max(edges) + len(piece))
    for at in range(len(text) + 1):
        before, after = boundary_before(text, at), boundary_after(text, at)
        assert before <= at <= after
        assert {before, after} <= edges


def test_any_counter_is_kept_to() -> None:
    """The limit is in the caller's own tokens."""

    def words(text: str) -> int:
        return len(text.split())

    out = clip("one two three four five six seven eight nine ten\n" * 50, 30, count=words, mark="[cut]")
    assert words(out) <= 30
    assert "[cut]" in out
