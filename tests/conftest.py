"""What every test gets: the root on the path; nightly runs and a real model only where they are asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

APART = ("model", "nightly")
"""Marks of tests that are run only where they are asked for."""

ROOT = Path(__file__).resolve().parents[1]

if str(ROOT) not in sys.path:  # for `pytest` as a command, which puts only the tests' own folder there
    sys.path.insert(0, str(ROOT))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these tests out, unless `-m` asks for them, or `CONTEXT_KIT_NIGHTLY=1` for the nightly ones."""
    if config.getoption("-m"):
        return
    wanted = {"nightly"} if os.environ.get("CONTEXT_KIT_NIGHTLY") == "1" else set[str]()
    left = [item for item in items if any(item.get_closest_marker(name) for name in {*APART} - wanted)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
