"""Replays of raw logs in small, and proof that their judge can tell a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import replay_hooks
from benchmarks._truth._logs import Log, document_of
from benchmarks.replay_hooks import LOGS, RAW
from tests.talks import warm

pytestmark = pytest.mark.skipif(not RAW.is_dir(), reason="the shared transcripts are not here")


@pytest.fixture(autouse=True)
def counted() -> None:
    """The judge's tokeniser is loaded, with the warnings of its own."""
    warm()


@pytest.mark.parametrize("name", sorted(LOGS))
def test_a_log_played_live_loses_nothing(name: str, tmp_path: Path) -> None:
    """As `python -m benchmarks.replay_hooks` plays it, without the calls after each tool."""
    row = replay_hooks.play(Log(RAW / name, LOGS[name]), tmp_path, 1, quick=True)
    assert row.faults == []
    assert row.compactions
    assert row.facts


@pytest.mark.parametrize("name", sorted(LOGS))
def test_the_judge_misses_what_is_not_said(name: str) -> None:
    """A text that says nothing has no fact of any kind."""
    log = Log(RAW / name, LOGS[name])
    found = list(replay_hooks.facts(document_of(log, len(log.rows)), "nothing", "nothing"))
    assert {kind for kind, _, _ in found} >= {"an edited file", "an open failure", "what was said last"}
    assert [fact for _, fact, there in found if there] == []
