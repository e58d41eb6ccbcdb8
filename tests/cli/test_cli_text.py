"""A cell of a table is one line of known width."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit.cli._text import count, one_line, share, spans


@given(st.text())
def test_a_cell_is_one_clean_line(text: str) -> None:
    """No control, format, surrogate or private characters, no line breaks, no double spaces."""
    shown = one_line(text)
    assert not [letter for letter in shown if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn")]
    assert shown == " ".join(shown.split())


def test_a_long_text_is_cut_and_marked() -> None:
    """A text that is cut ends in an ellipsis and has the length asked for; a megabyte costs nothing."""
    assert one_line("x" * 1_000_000, most=10) == "xxxxxxxxx…"
    assert one_line("a\tb\n\n c", most=10) == "a b c"


def test_escape_codes_and_joiners_are_gone() -> None:
    """A terminal's escape codes lose their escape, an emoji its joiners."""
    assert one_line("\x1b[31mred\x1b[0m 👩\u200d💻\ufe0f \u202etxt") == "[31mred [0m 👩💻 txt"


def test_runs_of_addresses_are_folded() -> None:
    """Neighbours become a span; other addresses stand as they are."""
    assert spans(("m3", "m4", "m5", "m9", "f:a.py@7", "m10", "m11")) == "m3–m5, m9, f:a.py@7, m10–m11"
    assert spans(()) == ""


@pytest.mark.parametrize(("part", "told"), [(0, "0 %"), (1, "<1 %"), (720, "72 %"), (1000, "100 %")])
def test_shares_are_percent(part: int, told: str) -> None:
    """A small share that is there is not told as nothing."""
    assert share(part, 1000) == told


def test_counts_have_their_noun() -> None:
    """One is singular, and thousands are set apart."""
    assert (count(1, "step"), count(1204, "step"), count(7)) == ("1 step", "1,204 steps", "7")
