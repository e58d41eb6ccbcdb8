"""The static check: in the window, recoverable, or lost; no model is asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from context_kit.probes import NOT_KNOWN, Probe, Standing
from context_kit.testing import user
from context_kit.types import Recollection, Source
from tests.probes.sessions import coding, compacted

LINE = "balance = self.ledger.opening_balance(quarter)"


def probe(answer: str, question: str = "Which line comes after `def openQuarter(self, quarter):`?") -> Probe:
    return Probe(kind="artifact", question=question, answer=answer, address="m7", difficulty="medium")


def nothing(query: str) -> Sequence[Recollection]:
    return ()


def archive(query: str) -> Sequence[Recollection]:
    source = Source(session="s", position=7, age=9)
    text = f"def openQuarter(self, quarter):\n    {LINE}"
    found = Recollection(text=text, address="m7", kind="tool", tokens=9, score=1.0, source=source)
    return [found] if "openQuarter" in query else ()


@pytest.mark.parametrize("text", [LINE, f"  {LINE}\n", LINE.replace("(", "( ")])
def test_an_answer_that_is_sent_stands_in_the_window(text: str) -> None:
    """White space aside, and whatever is around it."""
    assert Standing([user(f"as read:\n{text}")], nothing).of(probe(LINE)) == "window"


def test_an_answer_inside_a_calls_arguments_stands_in_the_window() -> None:
    """Its JSON form is the same text."""
    call = {"function": {"name": "edit", "arguments": '{"new": "say(\\"ready now\\", end=1)"}'}}
    window = [{"role": "assistant", "tool_calls": [call]}]
    assert Standing(window, nothing).of(probe('say("ready now", end=1)')) == "window"


def test_a_short_answer_stands_only_near_what_is_asked() -> None:
    """A number may be anywhere by chance."""
    asked = probe("417", "In the output of `pytest`, which row?")
    assert Standing([user("417 lines")], nothing).of(asked) == "lost"
    assert Standing([user("pytest says: row 417")], nothing).of(asked) == "window"
    assert Standing([user("pytest says: row 4170")], nothing).of(asked) == "lost"


def test_what_an_address_or_a_recall_brings_back_is_recoverable() -> None:
    """The address stands in the window, or the question's own words find it."""
    assert Standing([user("read importer.py (m7)")], nothing).of(probe(LINE)) == "recoverable"
    assert Standing([user("a record of m1–m71")], nothing).of(probe(LINE)) == "lost"
    assert Standing([user("a record")], archive).of(probe(LINE)) == "recoverable"
    assert Standing([user("a record")], archive).of(probe("another line of it")) == "lost"


def test_a_distractors_answer_stands_nowhere() -> None:
    """And shouldn't."""
    lure = Probe(kind="recall", question="Where is `x_y`?", answer=NOT_KNOWN, address="", difficulty="easy")
    assert Standing([user("not known")], nothing).of(lure) == "none"


def test_looking_is_no_fetching() -> None:
    """The check leaves the log as it is, so that nothing is taken for often used."""
    ctx = compacted(coding())
    before = len(ctx._session.log.records)
    standing = ctx.standing
    assert list(standing) == list(ctx.probes)
    assert set(standing.values()) <= {"window", "recoverable", "lost", "none"}
    assert len(ctx._session.log.records) == before
