"""The turn on real agent sessions: at 25 % and 12 % of each, judged by what knows nothing of the library.

Every list is legal for the SDK's own types, fits by another tokeniser, keeps the tail equal to the
originals, is the same in two runs, and between compactions grows at its end only. The larger
documents run nightly (`-m nightly` or `CONTEXT_KIT_NIGHTLY=1`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.transcripts import TRANSCRIPTS, Row, run, windows
from context_kit import ContextManager
from context_kit.testing import user
from context_kit.wire import faults
from tests.talks import feed, prints, warm

LARGE = 400_000
"""Bytes on disk from which on a document is for the night."""


def cases() -> list[Any]:
    paths = sorted(TRANSCRIPTS.glob("*.json"), key=lambda path: path.stat().st_size)
    return [
        pytest.param(
            path, share, id=f"{path.stem}-{('25%', '12%')[share]}", marks=[pytest.mark.nightly] if large(path) else []
        )
        for path in paths
        for share in (0, 1)
    ]


def large(path: Path) -> bool:
    return path.stat().st_size >= LARGE


def test_the_transcripts_are_there() -> None:
    """Without them this file says so instead of passing in silence."""
    if not TRANSCRIPTS.is_dir():
        pytest.skip("the shared transcripts are not beside this repository")
    assert len(cases()) >= 40


@pytest.mark.parametrize(("path", "share"), cases())
def test_a_real_session_is_never_stuck_and_never_wrong_on_the_wire(path: Path, share: int) -> None:
    """Fed message by message, `prepare()` before each assistant message, twice: no fault, no exception, same bytes."""
    warm()
    document = json.loads(path.read_text("utf-8"))
    sizes = windows(document)
    if share >= len(sizes):
        pytest.skip("both windows come out equal: run once")
    row = Row(document["id"], sizes[share])
    first = run(document, sizes[share], row)
    assert row.faults == []
    assert row.lists > 0
    assert row.peak <= 1
    assert run(document, sizes[share], None) == first


@pytest.mark.parametrize(
    "path", [case.values[0] for case in cases() if not large(case.values[0])][::2], ids=lambda path: path.stem
)
def test_a_real_task_goes_on_in_a_second_session(path: Path, tmp_path: Path) -> None:
    """The first half in one, closed, the second in another: told once what the first left, legal, growing at its end."""
    warm()
    document = json.loads(path.read_text("utf-8"))
    messages, window = document["messages"], windows(document)[0]
    beside = {"system": document.get("system"), "tools": document.get("tools")}
    half = next(at for at in range(len(messages) // 2, len(messages)) if messages[at]["role"] == "assistant")
    with ContextManager(window, store=tmp_path, session="first", **beside) as ctx:
        feed(ctx, messages[:half])
    learned = {record.action for record in ctx.memory.records()} & {"decide", "contract", "pitfall", "constraint"}
    ctx = ContextManager(window, store=tmp_path, session="second", **beside)
    sent: list[list[str]] = []
    for at, message in enumerate([user("Go on with it."), *messages[half:]]):
        if message["role"] == "assistant" and at:
            made = len(ctx.compactions)
            out = ctx.prepare()
            assert faults(out, shape="anthropic" if document["format"] == "anthropic-messages" else "chat") == ()
            if sent and len(ctx.compactions) == made:
                assert prints(out)[: len(sent[-1])] == sent[-1]
            sent.append(prints(out))
        ctx.add(message)
    assert sum("[records of other sessions" in text[:60] for text in sent[0]) == (len(learned) > 0)
    last = prints(ctx.prepare())
    ctx.close()
    with ContextManager.open(tmp_path, "second") as again:
        assert prints(again.prepare()) == last
