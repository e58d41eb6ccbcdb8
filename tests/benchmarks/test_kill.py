"""A small kill -9: the whole one is `python -m benchmarks.kill`, 500 rounds on files and on PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kill import main

if TYPE_CHECKING:
    from benchmarks._postgres import Server


def test_ten_kills_lose_nothing_on_files() -> None:
    """Every acknowledged message and record there once, as it was; windows legal; no stray files."""
    assert main(["--rounds", "10", "--seed", "6"]) == 0


def test_kills_lose_nothing_on_postgresql(server: Server) -> None:
    """The same by the same judge."""
    assert main(["--store", "postgres", "--server", server.url, "--rounds", "4", "--seed", "6"]) == 0
