"""Tables stay inside 80 columns and show text as text."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from context_kit.cli._measure import Measure, measure
from context_kit.cli._sessions import SessionFacts, sessions_table
from context_kit.cli._tables import measure_tables, receipt_table
from context_kit.harness.transcripts import Transcript, TranscriptError
from context_kit.testing import Call, assistant, system, tool_round, user
from context_kit.types import Compaction, Engram, Fidelity, TaskSummary
from context_kit.typing import Message

HOSTILE = "[bold]源码[/] :smile: \x1b[31m👩\u200d💻🇨🇳 \u202e" + "长" * 300 + "x" * 300 + "\n\nnext"

RECEIPT = Compaction(
    id="c3",
    trigger="soft",
    rung="extractive",
    tokens_before=7_204,
    tokens_after=3_310,
    kept=("m70", "m71", "m72"),
    summarised=tuple(f"m{number}" for number in range(10, 70)),
    clipped=("m52",),
    pinned=("m1", "f:src/源.py@60"),
    evicted=("m33",),
    summary=TaskSummary(original_goal="fix it"),
    engrams=(
        Engram(id="e1", kind="user", text="修复", label=HOSTILE, tokens=12, source="m1"),
        Engram(
            id="e2", kind="file", text="x = 1", label="src/源.py", tokens=400, source="f:src/源.py@60", clipped=True
        ),
    ),
    summariser="extractive",
    failures=(HOSTILE,),
    coverage=1.0,
    written=0,
    read=0,
    fidelity=Fidelity(),
    seconds=0.042,
    usage=None,
    outcome="applied",
)


def shown(*tables: object, width: int = 80) -> str:
    """What a file would get: no terminal, no colours."""
    out = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    for table in tables:
        out.print(table)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def fits(text: str, width: int = 80) -> bool:
    return all(cell_len(line) <= width for line in text.split("\n"))


@pytest.mark.parametrize("width", [80, 60, 200])
def test_a_receipt_fits_and_holds_everything(width: int) -> None:
    """Before, after, kept, pinned, clipped, summarised, evicted, recallable, seconds: all of it, inside the width."""
    text = shown(receipt_table(RECEIPT, window=10_000, recalled=("m33", HOSTILE)), width=width)
    assert fits(text, width)
    assert "\x1b" not in text
    words = re.sub(r"\s+", " ", text)
    for told in ("c3 · soft · extractive", "7,204", "72 %", "3,310", "33 %", "m70–m72", "m10–m69", "m52", "0.04"):
        assert told in words
    for name in ("kept", "summarised", "clipped", "pinned", "evicted", "recallable", "seconds", "note", "recall"):
        assert re.search(rf"^ +{name} ", text, re.MULTILINE), name
    assert "m33 → [bold]源码[/] :smile:" in words
    assert "src/源.py (clipped)" in words


def test_many_engrams_of_a_kind_are_summed() -> None:
    """Of each kind the first five are listed, the others in one row."""
    notes = tuple(replace(RECEIPT.engrams[0], id=f"e{number}", kind="note", label=f"n{number}") for number in range(12))
    text = shown(receipt_table(replace(RECEIPT, engrams=notes), window=10_000))
    assert re.search(r"note +84 tokens +7 more", text)
    assert re.findall(r" (n\d+) ", text) == ["n0", "n1", "n2", "n3", "n4"]


@pytest.mark.parametrize(
    ("label", "row"),
    [
        ("more open errors", r"list +24 tokens +more open errors: 2 lines"),
        ("m26", r"offer +12 tokens +“"),
        ("src/app.py", r"often used +12 tokens +src/app.py"),
    ],
)
def test_what_stands_beside_the_four_kinds_is_named_for_what_it_is(label: str, row: str) -> None:
    """A list of errors is a list, an offer an offer; only what was referred to again and again is often used."""
    two = tuple(
        replace(RECEIPT.engrams[0], id=f"e{at}", kind="promoted", label=label, clipped=False) for at in range(2)
    )
    assert re.search(row, shown(receipt_table(replace(RECEIPT, engrams=two), window=10_000)))


@pytest.mark.parametrize("many", [1, 30])
@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_an_address_is_never_cut_or_wrapped(width: int, many: int) -> None:
    """A long one makes its line longer; of very many the rest is counted."""
    paths = tuple(f"f:packages/command-line/src/components/{'Deep' * 8}/Wizard{at}.tsx@{at}" for at in range(many))
    receipt = replace(RECEIPT, evicted=paths, engrams=(), failures=())
    out = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    out.print(receipt_table(receipt, window=10_000, room=width), crop=False)
    assert isinstance(out.file, io.StringIO)
    told = re.findall(r"f:\S+@\d+", out.file.getvalue())
    assert told
    assert told == list(paths[: len(told)])
    assert len(told) == many or f"and {many - len(told)} more" in " ".join(out.file.getvalue().split())
    assert "…" not in out.file.getvalue()


def test_a_session_name_is_whole() -> None:
    """It is what the next command is given."""
    found = SessionFacts(name="n" * 100, state="live", window=8_000, model="m", messages=3, compactions=0)
    out = Console(file=io.StringIO(), width=80)
    out.print(sessions_table([found], "store"), crop=False)
    assert isinstance(out.file, io.StringIO)
    assert "n" * 100 in out.file.getvalue()


def test_a_receipt_of_nothing_says_why() -> None:
    """Where nothing was applied the outcome and its reason stand in the table."""
    nothing = replace(RECEIPT, outcome="not_reduced", summariser="none", reason="it would not shrink", engrams=())
    text = shown(receipt_table(nothing, window=10_000))
    assert "not_reduced" in text
    assert "it would not shrink" in text


def transcript(*messages: Message, **beside: Any) -> Transcript:
    return Transcript(messages=messages, shape="chat", source="messages", **beside)


def sample() -> Measure:
    calls = [
        Call("Edit", {"file_path": "src/源.py", "old_string": "a", "new_string": "b"}, result="updated", id="c1"),
        Call("Bash", {"command": "pytest -q"}, result=f"Exit code 1\nE   ValueError: {HOSTILE}", id="c2", picture=True),
    ]
    return measure(
        transcript(
            system("Be brief."),
            user(HOSTILE, picture=True),
            *tool_round(calls, text="Both at once.", reasoning="Let me think."),
            *assistant("Done."),
            system="You are an agent.",
            tools=[{"type": "function", "function": {"name": "Edit"}}],
        )
    )


def test_every_token_is_counted_once_by_role_and_once_by_kind() -> None:
    """Roles and kinds add up to the same whole, system prompt and tools included."""
    found = sample()
    assert sum(found.roles.values()) == sum(found.kinds.values()) == found.tokens
    assert set(found.kinds) == {"system", "tools", "text", "reasoning", "calls", "results", "media"}
    assert set(found.roles) == {"system", "tools", "user", "assistant", "tool"}


def test_steps_files_and_failures_are_told() -> None:
    """A measure knows the steps, the edited files, the tools and what failed."""
    found = sample()
    assert (found.messages, found.steps) == (7, 5)
    assert dict(found.edited) == {"src/源.py": 1}
    assert (found.tools["Bash"].calls, found.tools["Edit"].calls) == (1, 1)
    assert [failure.attempt for failure in found.failures] == ["`pytest -q`"]


def test_a_measure_fits_80_columns() -> None:
    """Hostile text in labels, paths and messages leaves every line inside the width."""
    text = shown(*measure_tables(sample(), window=10_000))
    assert fits(text)
    assert "\x1b" not in text
    assert "src/源.py" in text


def test_a_wrong_message_is_named_by_its_number() -> None:
    """A result without a call is told with its number, its address and the field."""
    with pytest.raises(TranscriptError, match=r"^message 2 \(m2\): tool_call_id: "):
        measure(transcript(user("go"), {"role": "tool", "tool_call_id": "c9", "content": "?"}))
