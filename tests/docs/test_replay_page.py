"""The table on the page of `context-kit replay` is of the library as it is."""

from __future__ import annotations

from pathlib import Path

from benchmarks.replay_table import PAGE, main


def test_the_table_is_current(tmp_path: Path) -> None:
    """The page has what its command prints now; renew it with `python -m benchmarks.replay_table`."""
    copy = tmp_path / "replay.md"
    copy.write_text(PAGE.read_text("utf-8"), "utf-8")
    assert main(["-o", str(copy)]) == 0
    assert PAGE.read_text("utf-8") == copy.read_text("utf-8")
    assert "tokens per task" in copy.read_text("utf-8")
