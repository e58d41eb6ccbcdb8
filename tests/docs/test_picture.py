"""The picture in README is of the library as it is, and it is sound XML."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benchmarks.picture import PICTURE, WINDOW, Seen, draw, main, run


@pytest.fixture(scope="module")
def seen() -> Seen:
    return run(WINDOW)


def test_the_parts_add_up(seen: Seen) -> None:
    """Head and tail are the same before and after, and the window got smaller."""
    before, after = (sum(part.tokens for part in parts) for parts in (seen.before, seen.after))
    assert 0.70 * WINDOW <= before < 0.75 * WINDOW
    assert after <= 0.40 * WINDOW
    assert seen.before[0].tokens == seen.after[0].tokens
    assert seen.before[-1].tokens == seen.after[-1].tokens


def test_the_picture_is_current(seen: Seen) -> None:
    """The committed file is what the command draws now; renew it with `python -m benchmarks.picture`."""
    assert PICTURE.read_text("utf-8") == draw(seen, WINDOW)


def test_the_picture_is_sound(seen: Seen) -> None:
    """It parses, it has a text for those who can't see it, and nothing is loaded from elsewhere."""
    text = draw(seen, WINDOW)
    root = ET.fromstring(text)
    assert root.attrib["aria-label"]
    assert text.count("http") == 1  # the namespace


def test_a_window_without_a_compaction_says_so() -> None:
    """A window in which nothing is compacted is refused, not drawn empty."""
    with pytest.raises(LookupError, match="try another"):
        run(200_000)


def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`-o` says where; the sums are printed."""
    assert main(["-o", str(tmp_path / "w.svg")]) == 0
    assert (tmp_path / "w.svg").read_text("utf-8").startswith("<svg ")
    assert " after: " in capsys.readouterr().out
