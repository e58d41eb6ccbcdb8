"""What every test gets: the repository's root on the path, and nightly runs only where they are asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

if str(ROOT) not in sys.path:  # for `pytest` as a command, which puts only the tests' own folder there
    sys.path.insert(0, str(ROOT))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the nightly tests out, unless `-m` or `CONTEXT_KIT_NIGHTLY=1` asks for them."""
    if config.getoption("-m") or os.environ.get("CONTEXT_KIT_NIGHTLY") == "1":
        return
    nightly = [item for item in items if item.get_closest_marker("nightly")]
    if nightly:
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if item not in nightly]
