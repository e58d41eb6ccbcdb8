"""The live check: the agent's own model is asked from the compacted window; nothing is changed by asking."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from context_kit import (
    BudgetError,
    ContextKitError,
    ContextManager,
    ProbeReport,
    ProbeRequest,
    SummaryReply,
)
from context_kit.testing import Call, ScriptedLLM, assistant, tool_round, user
from context_kit.typing import Shape
from context_kit.wire import faults
from tests.probes.checks import compacted, forgetful, knows, knows_nothing, model_of, pretends, probes_of, reads
from tests.talks import SHAPES, accepted, prints, session, told


def check(ctx: ContextManager, llm: Any, *, awaited: bool = False, **given: Any) -> ProbeReport:
    return asyncio.run(ctx.aprobe(llm, **given)) if awaited else ctx.probe(llm, **given)


def counts(report: ProbeReport) -> tuple[int, int, int, int]:
    return len(report.right), len(report.unknown), len(report.wrong), len(report.fabricated)


@pytest.mark.parametrize("awaited", [False, True])
def test_each_answer_is_in_exactly_one_of_the_four(awaited: bool) -> None:
    """Who knows is right everywhere; who says so of nothing is right of what never was; who pretends is caught."""
    ctx = forgetful()
    probes = probes_of(ctx)
    distractors = sum(probe.distractor for probe in probes)
    assert distractors >= 1
    for say, expected in (
        (knows, (len(probes), 0, 0, 0)),
        (knows_nothing, (distractors, len(probes) - distractors, 0, 0)),
        (pretends, (0, 0, 0, len(probes))),
    ):
        report = check(ctx, model_of(ctx, say), awaited=awaited)
        assert counts(report) == expected
        assert report.probes == probes
        assert [*report.answers] == [*probes]
        assert set(report.failed) == {*report.unknown, *report.wrong, *report.fabricated}
        assert report.failures == ()
        assert report.repaired == ()


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_model_sees_the_window_and_one_question(shape: Shape, language: str, strict: bool) -> None:
    """As the agent's own model would get it: legal, the question last, nothing of another question."""
    tools = [{"name": "Bash"}]
    ctx = compacted(shape, language, system="Be careful.", tools=tools, strict_roles=strict)
    model = model_of(ctx, knows_nothing)
    ctx.probe(model, k=5)
    assert len(model.requests) == 5
    window = prints(ctx.messages)
    for request in model.requests:
        messages = [dict(message) for message in request.messages]
        assert faults(messages, shape=shape) == ()
        accepted(messages, shape)
        assert request.question in told(messages[-1:])
        assert messages[-1]["role"] == "user"
        assert sum(other in told(messages[-1:]) for other in model.probes) == 1
        assert prints(messages)[: len(window) - 1] == window[:-1]
        assert (request.system, request.tools) == ("Be careful.", tools)
        assert ("不知道" if language == "zh" else "not known") in told(messages[-1:])


@pytest.mark.parametrize("shape", SHAPES)
def test_an_open_call_has_its_placeholder(shape: Shape) -> None:
    """A check in the middle of a step: the question stands behind a result that says that there is none yet."""
    ctx = compacted(shape)
    ctx.add(tool_round([Call("Bash", {"command": "make"}, result="late", id="open_1")], shape=shape)[0])
    model = model_of(ctx, knows_nothing)
    before = prints(ctx.messages)
    ctx.probe(model, k=2)
    for request in model.requests:
        assert faults([dict(message) for message in request.messages], shape=shape) == ()
        accepted([dict(message) for message in request.messages], shape)
    assert prints(ctx.messages) == before


@pytest.mark.parametrize("store", [False, True])
def test_asking_adds_nothing(store: bool, tmp_path: Path) -> None:
    """No message, no record, no token; on disk neither."""
    ctx = compacted(store=tmp_path if store else None)
    before = (prints(ctx.messages), ctx.usage, ctx.compactions, len(ctx._session.log.records))
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    ctx.probe(model_of(ctx, pretends))
    assert (prints(ctx.messages), ctx.usage, ctx.compactions, len(ctx._session.log.records)) == before
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")} == files
    assert prints(ctx.prepare()) == before[0]


@pytest.mark.parametrize(("say", "share"), [(knows, 1.0), (pretends, 0.0)])
def test_a_report_is_told_in_one_short_line(say: Any, share: float) -> None:
    """Counts, no questions; what share was right is a number of it."""
    ctx = compacted()
    report = ctx.probe(model_of(ctx, say, 6), k=6)
    right = [probe for probe in report.probes if not probe.distractor]
    assert (len(report.right) / len(report.probes) == report.share) or not report.probes
    assert all((probe in report.right) is bool(share) for probe in right)
    assert f"right={len(report.right)}" in repr(report) == str(report)
    assert len(str(report)) < 120
    assert ProbeReport().share == 1.0


def test_before_the_first_compaction_nothing_is_asked() -> None:
    """Nothing has left the window: an empty report and no call."""
    ctx = ContextManager(8_000)
    ctx.add(session(looked=2))
    assert ctx.probe(ScriptedLLM()) == ProbeReport()


def test_a_scripted_model_answers_probes_too() -> None:
    """`context_kit.testing.ScriptedLLM`: replies in order, requests remembered."""
    ctx = compacted()
    with ScriptedLLM(["not known", SummaryReply("no idea"), lambda request: request.question]) as llm:
        report = ctx.probe(llm, k=3)
    assert len(report.probes) == 3
    assert [request.question for request in llm.questions] == [probe.question for probe in report.probes]
    assert llm.requests == []
    async_llm = ScriptedLLM.asynchronous(["not known"] * 2)
    assert len(asyncio.run(ctx.aprobe(async_llm, k=2)).probes) == 2


@pytest.mark.parametrize("k", [1, 3, 7])
def test_at_most_k_are_asked(k: int) -> None:
    ctx = forgetful()
    model = model_of(ctx, knows)
    assert len(ctx.probe(model, k=k).probes) == len(model.requests) == k


# -- what can go wrong -----------------------------------------------------------------------


def test_an_async_model_is_refused_where_the_call_blocks() -> None:
    """Before anything is asked, with the call that takes it."""
    ctx = compacted()
    model = model_of(ctx, knows)
    with pytest.raises(ContextKitError, match=r"llm is async.*aprobe\(\)"):
        ctx.probe(model.acall)
    with pytest.raises(ContextKitError, match=r"aprobe\(\)"):
        ctx.probe(lambda request: model.acall(request))

    async def judge(*_: object) -> bool:
        return True

    with pytest.raises(ContextKitError, match="judge is async"):
        ctx.probe(model, judge=judge)
    assert model.requests == []


@pytest.mark.parametrize("bad", [None, 3, "", "   ", "<think>so…", {"text": "x"}, SummaryReply(""), ValueError("down")])
def test_a_model_that_gives_no_answer_is_reported_and_left_alone(bad: Any) -> None:
    """After three in a row no other question is asked; none of them is in the four."""
    ctx = forgetful()
    model = model_of(ctx, lambda *_: bad)
    report = ctx.probe(model)
    assert len(model.requests) == 3
    assert report.probes == ()
    assert len(report.failures) == 4
    assert "not asked" in report.failures[-1]


def test_what_was_answered_before_a_failure_is_kept() -> None:
    """One failure between answers stops nothing."""
    ctx = forgetful()
    replies: list[Any] = ["not known", TimeoutError("slow"), "not known", "not known", *[OSError("gone")] * 3]
    model = model_of(ctx, lambda *_: replies.pop(0))
    report = ctx.probe(model)
    assert len(report.probes) == 3
    assert "TimeoutError: slow" in report.failures[0]
    assert len(report.failures) == 5


@pytest.mark.parametrize("given", [{"k": 0}, {"k": True}, {"k": 2.5}, {"judge": 3}, {"judge": False}])
def test_a_setting_that_means_nothing_is_refused(given: Any) -> None:
    with pytest.raises(BudgetError):
        compacted().probe(knows, **given)  # type: ignore[arg-type]


def test_what_can_not_be_called_is_refused() -> None:
    with pytest.raises(BudgetError, match="llm"):
        compacted().probe("gpt")  # type: ignore[arg-type]


def test_a_question_has_to_fit() -> None:
    """A window that is over-full has no room for one: the report says so, and nothing is sent."""
    ctx = compacted()
    model = model_of(ctx, knows)
    ctx.add(user("word " * 7_000))
    report = ctx.probe(model)
    assert model.requests == []
    assert "no room for a question" in report.failures[0]


def test_the_question_and_the_answer_fit_into_the_window() -> None:
    """With the reserve that is kept for the reply."""
    ctx = compacted()
    while ctx.usage.level == "ok":
        ctx.add(assistant("I go on. " * 40))
        ctx.add(user("Go on. " * 40))
    model = model_of(ctx, knows)
    ctx.probe(model)
    for request in model.requests:
        assert ctx.usage.tokens + ctx._session.settings.count(told([dict(request.messages[-1])])) < ctx.usage.window
        assert request.max_tokens <= 200


def test_a_closed_session_can_be_asked(tmp_path: Path) -> None:
    """Reading goes on; nothing is put back, and the report says why."""
    ctx = compacted(store=tmp_path, session="s")
    model = model_of(ctx, knows_nothing)
    ctx.close()
    report = ctx.probe(model, repair=True)
    assert report.unknown
    assert report.repaired == ()
    assert "closed" in report.failures[-1]


def test_no_secret_is_asked_for_or_told() -> None:
    """Questions and answers are redacted, as everything that is made from the log."""
    secret = "sk-proj-" + "Ab1" * 16
    ctx = compacted()
    model = model_of(ctx, lambda *_: f"The key is {secret}")
    report = ctx.probe(model, judge=lambda _, answer: secret in answer)
    assert secret not in repr(report)
    assert report.right == ()


def test_no_lock_is_held_while_the_model_is_asked() -> None:
    """Another thread may add in the meantime, and a compaction be made; the check goes on with its own window."""
    ctx = forgetful()
    added: list[str] = []

    def meanwhile() -> None:
        ctx.add(assistant("Meanwhile."))
        ctx.compact()
        added.append("x")

    def say(*_: object) -> str:
        if not added:
            work = threading.Thread(target=meanwhile)
            work.start()
            work.join(timeout=20)
            assert added
        return "not known"

    model = model_of(ctx, say)
    report = ctx.probe(model, k=4)
    assert len(report.probes) == 4
    assert all("Meanwhile." not in told([dict(m) for m in request.messages]) for request in model.requests)


def test_answers_are_graded_beside_the_event_loop() -> None:
    """Neither a long answer nor a slow redaction stops other tasks, or whoever needs the session."""
    loop, seen = threading.get_ident(), list[bool]()

    def redact(text: str) -> str:
        if "an answer that" in text:
            free = ctx._session.lock.acquire(timeout=5)
            seen.append(free and threading.get_ident() != loop)
            ctx._session.lock.release()
        return text

    ctx = compacted(redact=redact)

    async def model(_: ProbeRequest) -> str:
        return "an answer that is long " * 400_000

    report = asyncio.run(ctx.aprobe(model, k=2))
    assert seen == [True, True]
    assert all(len(answer) < 40_000 for answer in report.answers.values())


def test_a_sync_model_runs_beside_the_event_loop() -> None:
    """Under `aprobe` it blocks a worker thread, not the loop."""
    ctx = compacted()
    threads: set[int] = set()

    def say(*_: object) -> str:
        threads.add(threading.get_ident())
        return "not known"

    model = model_of(ctx, say)

    async def go() -> ProbeReport:
        return await ctx.aprobe(model, k=2)

    assert len(asyncio.run(go()).probes) == 2
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("awaited", [False, True])
def test_the_callers_judge_is_asked_for_claims_only(awaited: bool) -> None:
    """Not of what is honestly unknown, nor of what never was; what it raises is told, and the rules decide."""
    ctx = forgetful()
    asked: list[tuple[Any, str]] = []

    def judge(probe: Any, answer: str) -> bool | None:
        asked.append((probe, answer))
        return True if len(asked) == 1 else None

    report = check(ctx, model_of(ctx, lambda *_: "the usual one"), awaited=awaited, judge=judge)
    assert len(asked) == len([probe for probe in report.probes if not probe.distractor])
    assert report.right == (asked[0][0],)
    asked.clear()
    check(ctx, model_of(ctx, knows_nothing), awaited=awaited, judge=judge)
    assert asked == []

    def broken(*_: object) -> bool:
        msg = "no judge today"
        raise RuntimeError(msg)

    report = check(ctx, model_of(ctx, knows), awaited=awaited, judge=broken)
    assert len(report.right) == len(report.probes)
    assert all("no judge today" in failure for failure in report.failures)
    assert report.failures


def test_an_async_judge_is_awaited() -> None:
    ctx = forgetful()

    async def judge(probe: Any, _: str) -> bool:
        await asyncio.sleep(0)
        return bool(probe.address)

    report = asyncio.run(ctx.aprobe(model_of(ctx, lambda *_: "the usual one").acall, judge=judge))
    assert report.wrong == tuple(probe for probe in report.probes if probe.distractor)


def test_a_fork_can_be_checked_as_well() -> None:
    """It asks about what its own window lost; before that, about nothing."""
    child = compacted().fork("Look at divide().")
    assert child.probe(ScriptedLLM()).failures == ()


def test_what_the_window_holds_is_answered_from_it() -> None:
    """A model that only reads is right where the answer stands in the window, and honest elsewhere."""
    ctx = forgetful()
    report = ctx.probe(model_of(ctx, reads))
    assert report.wrong == report.fabricated == ()
    assert report.unknown
    assert report.right
