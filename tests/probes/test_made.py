"""Probes are made from what left the window: each with the only answer that the log has."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from benchmarks.probes import Judge
from context_kit import ContextManager
from context_kit.probes import NOT_KNOWN, Probe, made
from context_kit.testing import conversations, user
from context_kit.typing import Message, Shape
from tests.probes.sessions import KEY, coding, compacted, texts

SHAPES: tuple[Shape, ...] = ("chat", "responses", "anthropic")
HAN = re.compile(r"[\u4e00-\u9fff]")


def test_nothing_is_asked_before_anything_left() -> None:
    """A window that holds all needs no check."""
    ctx = ContextManager(100_000)
    ctx.add(user("Repair the importer."))
    assert ctx.probes == ()
    assert ctx.standing == {}


def test_the_articles_own_check_comes_first() -> None:
    """A line of the current file's content, then the place of one of its functions."""
    first, second = compacted(coding()).probes[:2]
    assert (first.kind, second.kind) == ("artifact", "artifact")
    assert "src/bank/importer.py" in first.question
    assert any(line.strip() == first.answer for line in texts(coding()).splitlines())
    assert second.answer == "src/bank/importer.py"
    assert re.search(r"`(StatementReader(\.openQuarter)?|reconcileBranches)`", second.question)


@pytest.mark.parametrize("shape", SHAPES)
def test_each_answer_stands_at_its_address_and_in_no_question(shape: Shape) -> None:
    """A person with the log can grade each of them, whatever the provider's shape."""
    messages = coding(shape=shape)
    probes = compacted(messages).probes
    assert len(probes) >= 20
    for probe in probes:
        if not probe.distractor:
            assert probe.answer in texts(messages[int(probe.address[1:]) - 1])
        assert probe.answer not in probe.question
        assert 3 <= len(probe.answer) <= 120


def test_each_kind_is_asked_and_no_question_twice() -> None:
    """What was met, made, announced, decided and forbidden."""
    probes = compacted(coding()).probes
    assert {probe.kind for probe in probes} == {"recall", "artifact", "continuation", "decision", "constraint"}
    assert {probe.difficulty for probe in probes} == {"easy", "medium", "hard"}
    assert len({probe.question for probe in probes}) == len(probes)


def test_the_newest_value_wins() -> None:
    """What an edit replaced is no answer any more."""
    probes = compacted(coding()).probes
    asked = [probe for probe in probes if "RETRY_SECONDS" in probe.question and not probe.distractor]
    assert [probe.answer for probe in asked] == ["81.25"]


def test_what_an_answer_is_doesnt_depend_on_when_it_is_asked() -> None:
    """The same log asks the same, and the probes of an older compaction are those that it had."""
    ctx = ContextManager(6_000)
    first, asked = None, ctx.probes
    for message in coding(rounds=40):
        if message["role"] == "assistant":
            ctx.prepare()
            if first is None and ctx.compactions:
                first, asked = ctx.compactions[0], ctx.probes
        ctx.add(message)
    session = ctx._session
    again = made(session.log, session.trail, first, redact=session.settings.redact)
    assert again == asked
    assert ctx.probes == ctx.probes


def test_a_secret_is_never_asked_for() -> None:
    """Neither question nor answer holds one, and what it hides is no answer."""
    asked = "\n".join(f"{probe.question}\n{probe.answer}\n{probe.also}" for probe in compacted(coding()).probes)
    assert KEY not in asked
    assert "[redacted" not in asked


def test_questions_are_in_the_persons_language() -> None:
    """A Chinese session is asked in Chinese, an English one in English."""
    assert all(HAN.search(probe.question) for probe in compacted(coding("zh")).probes)
    assert not any(HAN.search(probe.question) for probe in compacted(coding("en")).probes)


def test_about_one_in_eight_asks_for_what_never_was() -> None:
    """Its name stands nowhere, and the right answer is that it isn't known."""
    messages = coding(rounds=40)
    probes = compacted(messages).probes
    lures = [probe for probe in probes if probe.distractor]
    assert len(probes) / 10 <= len(lures) <= len(probes) / 6
    for probe in lures:
        assert (probe.answer, probe.address) == (NOT_KNOWN, "")
        names = [one or other for one, other in re.findall(r"`([^`]+)`|“([^”]+)”", probe.question)]
        names = names or re.findall(r"[\w/.-]+\.\w+", probe.question)
        assert names
        assert not any(name.lower() in texts(messages).lower() for name in names)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_distractor_is_not_told_by_its_form(language: str) -> None:
    """Each has the words of a real question of the same session, and of its kind; no runner comes in from outside."""
    ctx = compacted(coding(language, rounds=40))
    probes = ctx.probes

    def form(probe: Probe) -> tuple[str, str]:
        bare = re.sub(r"`[^`]+`|“[^”]+”|[\w/.-]+\.\w+", "#", probe.question)
        return probe.kind, bare

    real = {form(probe) for probe in probes if not probe.distractor}
    lures = [probe for probe in probes if probe.distractor]
    assert lures
    assert {form(probe) for probe in lures} <= real
    assert len({probe.question for probe in lures}) == len(lures)


def test_what_the_model_sees_beside_the_log_is_no_distractor() -> None:
    """A name of the system prompt is known, though no message has it."""
    ctx = compacted(coding())
    session = ctx._session
    lures = [probe for probe in ctx.probes if probe.distractor]
    names = [name for probe in lures for name in re.findall(r"`([^`]+)`", probe.question)]
    beside = made(session.log, session.trail, redact=session.settings.redact, beside=[" ".join(names)])
    assert not any(name in probe.question for probe in beside if probe.distractor for name in names)


def test_no_more_are_made_than_asked_for() -> None:
    """And the first ones are the same."""
    ctx = compacted(coding())
    session = ctx._session
    few = made(session.log, session.trail, redact=session.settings.redact, most=5)
    assert few == ctx.probes[:5]


@settings(max_examples=30, deadline=None)
@given(messages=conversations("chat", min_steps=6, max_steps=20, giant=4_000))
def test_whatever_was_said_each_answer_is_the_logs_own(messages: list[Message]) -> None:
    """Wild conversations break nothing: what is asked is in the message at its address."""
    ctx = ContextManager(100_000)
    ctx.add(messages)
    if ctx.compact().outcome == "applied":
        for probe in ctx.probes:
            assert probe.distractor or probe.answer in texts(_decoded(messages[int(probe.address[1:]) - 1]))


def _decoded(message: Message) -> list[object]:
    """A message with its calls' arguments read."""
    calls = message.get("tool_calls") or []
    return [message, *map(_arguments, calls)]


def _arguments(call: dict[str, object]) -> object:
    function = call.get("function")
    return json.loads(str(function["arguments"])) if isinstance(function, dict) else call


def test_the_judge_of_the_benchmark_finds_what_is_wrong() -> None:
    """A wrong address, an answer in its question, a known distractor: each is told."""
    messages = coding()
    judge = Judge({"id": "made", "messages": messages})
    probes = compacted(messages).probes
    good = next(probe for probe in probes if not probe.distractor)
    assert judge.of(good, len(messages)) == []
    assert judge.of(good, 0)[0].endswith("did not leave")
    lure = next(probe for probe in probes if probe.distractor)
    assert judge.of(lure, len(messages)) == []
    assert "answer in question" in judge.of(replace(good, question=f"Is it {good.answer}?"), len(messages))
    assert judge.of(replace(lure, question="Where is `reconcileBranches`?"), len(messages))


def test_no_distractor_takes_a_name_of_the_system_prompt() -> None:
    """What the model sees beside the log may hold the name: saying it would be right."""
    names = {probe.question for probe in compacted(coding()).probes if probe.distractor}
    taken = ContextManager(6_000, system=" ".join(names))
    for message in coding():
        taken.add(message)
    taken.compact()
    assert names
    assert not names & {probe.question for probe in taken.probes if probe.distractor}
