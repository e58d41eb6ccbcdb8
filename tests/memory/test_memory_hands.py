"""A journal that a person edits: with sed, with jq, by cutting lines out; and records that are out of proportion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from context_kit import ContextManager
from context_kit.memory import FileStore
from context_kit.testing import user
from tests.talks import CODE, reads, told, writes

WIDER = CODE.replace("total(values: list[float])", "total(values: list[float], start: float = 0)")


def replaced(folder: Path, change: Callable[[bytes], bytes]) -> None:
    """The journal edited as `sed -i` and editors do it: another file takes its place."""
    journal = folder / "memory.jsonl"
    fresh = folder / "memory.jsonl.tmp"
    fresh.write_bytes(change(journal.read_bytes()))
    fresh.replace(journal)


def begun(folder: Path, name: str) -> ContextManager:
    return ContextManager(16_000, store=folder, session=name)


def filled(folder: Path) -> None:
    with begun(folder, "before") as ctx:
        for number in range(50):
            ctx.memory.append(action="run", cmd=f"make {number}", reason="words " * 10)


def test_a_word_replaced_by_one_as_long_is_found(tmp_path: Path) -> None:
    """Also where nothing but the word changed, in the middle: the index is of the file that was."""
    ctx = begun(tmp_path, "s")
    for number in range(5):
        ctx.memory.append(action="decide", reason=f"use alphabet{number} for storage")
    assert len(ctx.memory.search("alphabet2")) == 1
    replaced(tmp_path, lambda data: data.replace(b"alphabet2", b"omegabet2"))
    assert [record.reason for record in ctx.memory.search("omegabet2")] == ["use omegabet2 for storage"]
    assert [record for record in ctx.memory.search("alphabet2") if "alphabet2" in record.reason] == []


def test_a_contract_is_told_when_lines_were_cut_out(tmp_path: Path) -> None:
    """The journal is shorter than what was looked at: it is looked at anew, and each change is told once."""
    filled(tmp_path)
    ctx = begun(tmp_path, "holder")
    ctx.add([user("go on"), *reads("chat", "src/calc.py", CODE, id="r1")])
    ctx.prepare()
    replaced(tmp_path, lambda data: b"".join(data.splitlines(keepends=True)[45:]))
    with begun(tmp_path, "other") as other:
        other.add(
            [
                user("go on"),
                *reads("chat", "src/calc.py", CODE, id="r1"),
                *writes("chat", "src/calc.py", WIDER, id="w1"),
            ]
        )
    assert told(ctx.prepare()).count("start: float = 0") == 1
    ctx.add(user("and on"))
    assert told(ctx.prepare()).count("start: float = 0") == 1


def test_its_own_records_are_never_told_as_anothers(tmp_path: Path) -> None:
    """Nor written twice, where older lines were cut out while the session was closed."""
    filled(tmp_path)
    with begun(tmp_path, "s") as ctx:
        ctx.add([user("Work on src/calc.py"), *reads("chat", "src/calc.py", CODE, id="r1")])
        ctx.add(writes("chat", "src/calc.py", WIDER, id="w1", text="We use frobnicate_widget, because it is exact."))
    replaced(tmp_path, lambda data: b"".join(data.splitlines(keepends=True)[48:]))
    with ContextManager.open(tmp_path, "s") as ctx:
        before = ctx.memory.records()
        ctx.compact()
        assert "records of other sessions" not in told(ctx.prepare())
        assert ctx.memory.records() == before
    lines = list(FileStore(tmp_path).records())
    assert len({line["id"] for line in lines}) == len(lines)


@pytest.mark.parametrize("length", [7_990, 8_010, 300_000])
def test_a_record_out_of_proportion_is_told_in_bounds(length: int, tmp_path: Path) -> None:
    """Another session's giant is cut, never inside of a secret."""
    with begun(tmp_path, "first") as first:
        text = "frobnicate_widget " + "-" * (length - 40) + " AKIA" + "ABCDEFGHIJKLMNOP" + "-" * length
        (tmp_path / "memory.jsonl").write_text(f'{{"id":"r1","session":"x","action":"decide","reason":"{text}"}}\n')
        first.close()
    ctx = ContextManager(1_000_000, store=tmp_path, session="s")
    ctx.add(user("What do we know of frobnicate_widget?"))
    shown = told(ctx.prepare())
    assert "frobnicate_widget ---" in shown
    assert "AKIA" not in shown
    assert len(shown) < 9_000
