"""The example scripts run offline as they stand, and stay small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
LINES = 60
"""An example has fewer."""


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_an_example_runs(script: Path, tmp_path: Path) -> None:
    """It ends well with warnings as errors, shows a compaction, and is short enough to be read."""
    run = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "c1 soft: " in done.stdout
    assert len(script.read_text("utf-8").splitlines()) < LINES


def test_there_is_one_for_each_sdk() -> None:
    """A reader finds the loop of the SDK at hand."""
    assert [script.stem for script in SCRIPTS] == ["anthropic_loop", "openai_loop"]
