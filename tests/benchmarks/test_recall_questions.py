"""The questions and the addresses that recall is judged by say what they claim to."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from benchmarks._judge import count_tokens
from benchmarks._truth._questions import KINDS, Gone, questions, words_of
from benchmarks.addresses import Row, run
from context_kit.testing import Call, assistant, tool_round, user
from tests.talks import SHAPES, filler, session

with warnings.catch_warnings():  # the tokeniser that counts here reads its data in a deprecated way
    warnings.simplefilter("ignore", DeprecationWarning)
    count_tokens("warm")


def document() -> dict[str, Any]:
    """A short session with files, commands, errors, names and prose."""
    messages: list[Any] = [user("Repair the importer of the monthly ledger statements.")]
    for number in range(8):
        path = f"src/ledger/import_{'abcdefgh'[number]}_statement.py"
        body = f"def parse_row_{number}(row):\n    return ledgerEntry{number}From(row)\n"
        told = f"Exit code 1\nLedgerError: column currency_{number} is missing in statement {filler(number, 4)}"
        messages += tool_round([Call("read_file", {"path": path}, result=body, id=f"r{number}")])
        command = f"pytest --maxfail=3 tests/ledger/test_import_{number}.py -k currency"
        messages += tool_round([Call("bash", {"command": command}, result=told, id=f"b{number}")])
        messages += assistant(f"The {filler(number + 50, 6)} of statement {number} is read before the header.")
    return {"id": "made", "messages": messages, "format": "openai-chat"}


def test_the_same_seed_asks_the_same_and_another_one_asks_others() -> None:
    """So that what was tuned on some questions can be judged by others."""
    made = document()
    left = len(made["messages"])
    one, same, other = (questions(made, left, language="en", seed=seed, most=40) for seed in (1, 1, 2))
    assert one == same
    assert {each.words for each in one} != {each.words for each in other}
    assert {each.kind for each in one} <= set(KINDS)


def test_what_answers_a_question_holds_its_matter_and_left_the_window() -> None:
    """No question is about what still stands, and each has few answers."""
    made = document()
    left = len(made["messages"]) - 6
    gone = Gone(made, left, "en")
    for each in questions(made, left, language="en", seed=3, most=40):
        assert each.right
        assert max(each.right) < left
        held = {word for at in each.right for word in gone.words[at]}
        assert any(word in held for word in words_of(each.words))


def test_nothing_is_asked_before_something_left() -> None:
    """There is nothing to recall."""
    assert questions(document(), 0, language="en", seed=1) == []


@pytest.mark.parametrize("redact", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_address_comes_back_after_compactions_and_a_reopen(shape: Any, redact: bool, tmp_path: Path) -> None:
    """Messages, files, compactions, pins, records: byte for byte."""
    row = Row("made", shape, redact=redact)
    key = assistant(f"The key is sk-ant-api03-{'a1B2' * 12}.")
    run([*session(shape), *key], row, 8, tmp_path)
    assert row.faults == []
    assert row.compactions >= 8
    assert min(row.checked[kind] for kind in ("messages", "compactions", "pins", "records")) > 0
