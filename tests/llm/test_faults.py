"""Whatever a provider does to a summary, no log is lost, no illegal list goes out, and the window fits."""

from __future__ import annotations

import os

import pytest

from tests.llm.trials import APIS, KINDS, trial

RUNS = int(os.environ.get("CONTEXT_KIT_FAULT_RUNS", "1"))
"""Runs of each kind; `python -m benchmarks.faults` makes a hundred and prints a table."""


@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("name", KINDS)
def test_a_provider_that_breaks_breaks_nothing_else(name: str, awaited: bool) -> None:
    """Each reply and each fault, on each API, streamed and not, warm and cold: every promise of the window holds."""
    shift = list(KINDS).index(name)
    for number in range(shift, shift + RUNS):
        for at, api in enumerate(APIS):
            found = trial(api, name, number + at, stream=bool((number + at) % 2), awaited=awaited)
            assert (api, found) == (api, [])
