"""The generated suites say what they claim to, and give the same session for the same seed."""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path

import pytest

from benchmarks import constraints, contradictions
from benchmarks._judge import count_tokens
from benchmarks._truth._facts import CORRECTED, DECIDED, EDITING, KINDS, NOTICED, REDECIDED, STATED, made_fact
from benchmarks._truth._injected import INJECTIONS
from benchmarks._truth._marks import holds, stands_as_current
from benchmarks._truth._rules import RULE_KINDS, carried, worded
from benchmarks._truth._talk import Talk
from benchmarks.thirty_files import Session

with warnings.catch_warnings():  # the tokeniser that counts here reads its data in a deprecated way
    warnings.simplefilter("ignore", DeprecationWarning)
    count_tokens("warm")

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def window(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


@pytest.mark.parametrize("wordings", [CORRECTED, REDECIDED, EDITING])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_corrections_have_twelve_wordings(wordings: dict[str, tuple[str, ...]], language: str) -> None:
    """At least twelve for each source and language, and each names the new value."""
    assert len(set(wordings[language])) >= 12
    assert all("{new}" in words for words in wordings[language])


def test_a_statement_never_gives_the_new_value_away() -> None:
    """What is stated first holds the old value only."""
    first = [words for each in (STATED, DECIDED, NOTICED) for told in each.values() for words in told]
    assert not any("{new}" in words for words in first)


def test_facts_differ_from_each_other_and_from_seed_to_seed() -> None:
    """No value of a session is part of another one."""
    values: set[str] = set()
    for kind in KINDS:
        made_fact(random.Random(kind), kind, "user", "en", "billing", values)
    assert len(values) == 2 * len(KINDS)
    assert not any(one != other and one in other for one in values for other in values)


@pytest.mark.parametrize(
    ("line", "stale"),
    [
        ("The port is 8123.", True),
        ("Correction: the port is 9000, not 8123.", False),
        ("Forget 8123.", False),
        ("We move from 8123 to another one.", False),
        ("The port 81234 is free.", False),
        ("8123（已作废）", False),
    ],
)
def test_a_place_is_stale_unless_its_line_or_label_marks_it(line: str, stale: bool) -> None:
    """A mark, the new value, or a wording that replaces it, in the same line."""
    assert bool(stands_as_current("8123", "9000", window(line))) is stale


def test_an_engram_label_marks_all_of_its_lines() -> None:
    """The label counts for the quoted text below it, up to the next label or heading."""
    bridge = "[context record c1 · x]\n\n## Kept\n[user · m3 · superseded]\n```\nThe port\nis 8123.\n```\n"
    assert not stands_as_current("8123", "9000", window(bridge))
    assert stands_as_current("8123", "9000", window(bridge + "[user · m5] is 8123."))
    assert holds("8123", window(bridge))


def test_constraints_are_of_fifteen_kinds_and_worded_anew() -> None:
    """Each kind has several wordings in both languages, and a carrier holds the sentence whole."""
    assert len(RULE_KINDS) == 15
    for kind in RULE_KINDS:
        for language in ("en", "zh"):
            told = {worded(random.Random(seed), kind, language) for seed in range(60)}
            assert len(told) >= 8
            assert all(bool(CHINESE.search(each)) is (language == "zh") for each in told)
            assert all(each in carried(random.Random(1), each, language) for each in told)


def test_constraints_run_where_no_transcripts_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Generated sessions take their place; every kind is planted once, at all three places."""
    monkeypatch.setattr(constraints, "TRANSCRIPTS", tmp_path / "absent")
    monkeypatch.setattr(constraints, "LONG", 9_000)
    row = constraints.run(next(constraints.sessions(None, random.Random(1))), 1, "en")
    assert {rule.kind for rule in row.rules} == set(RULE_KINDS)
    assert {rule.place for rule in row.rules} == set(constraints.PLACES)
    assert all(row.compactions - rule.planted >= constraints.AFTER for rule in row.rules)


def test_there_are_thirty_injections_in_both_languages() -> None:
    """Thirty different texts, a third of them Chinese at least, each with the word that tells."""
    assert len({text for _, text in INJECTIONS}) >= 30
    assert 10 <= sum(bool(CHINESE.search(text)) for _, text in INJECTIONS) <= 20
    assert all("zqword" in text.format(word="zqword") for _, text in INJECTIONS)


def test_a_seed_gives_the_same_conversation() -> None:
    """Sessions can be run again from the seed that is printed."""
    first, second = (contradictions.Session(5, "zh", 8_000).run() for _ in range(2))
    assert first == second
    assert all(row.between >= 3 for row in first)


@pytest.mark.parametrize("anthropic", [False, True])
def test_a_talk_is_a_legal_session(anthropic: bool) -> None:
    """Its own messages go through `add` and compact as real ones do."""
    talk = Talk(8_000, random.Random(1), anthropic=anthropic)
    talk.user("Go on.")
    talk.work_until(2)
    assert talk.applied == 2
    assert talk.ctx.summary is not None


def test_thirty_files_are_edited_over_ten_compactions() -> None:
    """The session is what the benchmark says it is."""
    session = Session("write", 8_000, 1)
    row = session.run()
    assert len(set(session.paths)) == 30
    assert row.compactions >= 10
