"""A small cut: the whole one is `python -m benchmarks.cut`, sixteen processes over four networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.cut import main

if TYPE_CHECKING:
    from benchmarks._postgres import Server


def test_a_way_that_is_cut_and_healed_costs_nothing(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """None lost, none doubled, each in its writer's order, every change heard once; nothing went through the cut."""
    assert server.url
    assert main(["--processes", "4", "--appends", "60", "--ways", "2", "--seconds", "2", "--proxies"]) == 0
    assert "0 appends returned behind it meanwhile" in capsys.readouterr().out
