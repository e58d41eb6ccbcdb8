"""One turn by hand: the generator decides everything and does nothing, so each command can be answered in turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from context_kit import (
    Compaction,
    ContextKitError,
    ContextManager,
    Decision,
    Pin,
    PreCompact,
    Replace,
    Step,
    StoreError,
    SummaryError,
    SummaryReply,
    SummaryRequest,
    TaskSummary,
    Veto,
    WindowExceededError,
)
from context_kit._commands import Append, Command, Flow, Journal, Look, ReadJournal, Save
from context_kit._flow import turn
from context_kit._prepare import prepare
from context_kit._records import Compacted, Pinned, Record, Skipped
from context_kit.summary import Outcome
from context_kit.testing import ScriptedLLM, user
from context_kit.types import PostCompact, Trigger
from tests.talks import GOAL, looks, prints, session, told

GOOD = TaskSummary(completed_steps=[Step(text="Read src/calc.py.", files=["src/calc.py"])], todo=["Run the tests."])

Answers = Mapping[type[Any], Callable[[Any], list[Outcome]]]


def filled(window: int = 5_000, **settings: Any) -> ContextManager:
    """A session with a goal, an edit, a failure and much output, as it stands before its first compaction.

    The summariser's window is large enough for one request, unless said otherwise.
    """
    wide: dict[str, Any] = {"llm_window": 60_000, **settings}
    ctx = ContextManager(window, **wide)
    ctx.add(session())
    return ctx


def begun(ctx: ContextManager, trigger: Trigger = "manual", focus: str | None = None) -> Flow:
    at = ctx._session
    return turn(at.log, at.trail, at.settings, trigger=trigger, focus=focus)


def usual(ctx: ContextManager) -> dict[type[Any], Callable[[Any], list[Outcome]]]:
    """How the drivers answer where nothing goes wrong."""

    def append(command: Append) -> list[Outcome]:
        ctx._session.log.append(command.record)
        return [Outcome()]

    return {
        PreCompact: lambda _: [],
        Look: lambda _: [],
        ReadJournal: lambda _: [Outcome(Journal())],
        SummaryRequest: lambda _: [Outcome(GOOD.model_dump_json())],
        Save: lambda command: [Outcome(command.checkpoint)],
        Append: append,
        PostCompact: lambda _: [],
    }


def drive(ctx: ContextManager, flow: Flow, answers: Answers | None = None) -> tuple[list[Command], Any]:
    """Every command of a flow, each answered, and what the flow returned."""
    known = {**usual(ctx), **(answers or {})}
    commands: list[Command] = []
    try:
        command = next(flow)
        while True:
            commands.append(command)
            command = flow.send(known[type(command)](command))
    except StopIteration as stop:
        return commands, stop.value


def names(commands: list[Command]) -> list[str]:
    """The kinds of the commands; of an append, the kind of its record."""
    return [
        type(command.record).__name__ if isinstance(command, Append) else type(command).__name__ for command in commands
    ]


def fails(error: Exception) -> Callable[[Any], list[Outcome]]:
    return lambda _: [Outcome(None, error)]


# -- the order ---------------------------------------------------------------------------


def test_a_turn_with_a_model_from_top_to_bottom() -> None:
    """Hooks, live state, journal, model; then durable, then the commit, then the news."""
    ctx = filled(llm=ScriptedLLM())
    commands, receipt = drive(ctx, begun(ctx))
    order = ["PreCompact", "Look", "ReadJournal", "SummaryRequest", "Save", "Compacted", "PostCompact"]
    assert names(commands) == order
    assert receipt.outcome == "applied"
    assert (receipt.summariser, receipt.rung) == ("llm", "llm")
    assert ctx.compactions == (receipt,)


def test_a_turn_without_a_model_asks_none() -> None:
    """The extractive summariser is code: the turn yields no request."""
    ctx = filled()
    commands, receipt = drive(ctx, begun(ctx))
    assert names(commands) == ["PreCompact", "Look", "ReadJournal", "Save", "Compacted", "PostCompact"]
    assert (receipt.summariser, receipt.rung) == ("extractive", "extractive")


def test_the_log_moves_at_the_append_and_nowhere_else() -> None:
    """Up to the commit the window is what it was; the generator itself changes nothing."""
    ctx = filled(llm=ScriptedLLM())
    before = prints(ctx.messages)
    flow = begun(ctx)
    command = next(flow)
    while not isinstance(command, Append):
        assert prints(ctx.messages) == before
        command = flow.send(usual(ctx)[type(command)](command))
    assert prints(ctx.messages) == before
    ctx._session.log.append(command.record)
    assert prints(ctx.messages) != before


def test_the_plan_that_hooks_see_is_the_one_that_is_applied() -> None:
    """`PreCompact.plan` names what leaves and what stays, and the receipt says the same."""
    ctx = filled()
    commands, receipt = drive(ctx, begun(ctx))
    event = commands[0]
    assert isinstance(event, PreCompact)
    assert event.plan.old == receipt.summarised
    assert event.plan.tail == receipt.kept
    assert event.plan.head == ("m1",)
    assert event.usage == filled().usage
    assert event.trigger == "manual"


def test_a_short_session_has_nothing_to_compact() -> None:
    """Where nothing would leave, no hook, no model and no store is bothered; the receipt says why."""
    ctx = ContextManager(8_000, llm=ScriptedLLM())
    ctx.add(user(GOAL))
    commands, receipt = drive(ctx, begun(ctx))
    assert names(commands) == ["Skipped", "PostCompact"]
    assert receipt.outcome == "not_reduced"
    assert receipt.summariser == "none"
    assert receipt.reason


def test_no_model_is_called_where_it_is_clear_that_nothing_shrinks() -> None:
    """A compaction that could only make the window larger ends before the request."""
    ctx = ContextManager(8_000, llm=ScriptedLLM())
    ctx.add(
        [
            user(GOAL),
            {"role": "assistant", "content": "Yes."},
            user("Go on."),
            {"role": "assistant", "content": "I will."},
        ]
    )
    commands, receipt = drive(ctx, begun(ctx))
    assert "SummaryRequest" not in names(commands)
    assert receipt.outcome == "not_reduced"
    assert receipt.tokens_after == receipt.tokens_before


# -- what can go wrong ---------------------------------------------------------------------


def test_a_failing_save_leaves_the_log_as_it_was() -> None:
    """Durable before the log moves: where nothing can be written, nothing is compacted, and the caller is told."""
    ctx = filled()
    before = prints(ctx.messages)
    with pytest.raises(StoreError, match="disk full"):
        drive(ctx, begun(ctx), {Save: fails(StoreError("disk full: make room"))})
    assert prints(ctx.messages) == before
    assert ctx.compactions == ()
    assert drive(ctx, begun(ctx))[1].outcome == "applied"


def test_a_checkpoint_that_reads_back_otherwise_stops_the_turn() -> None:
    """What was written is read back before the log moves; a store that lies is refused."""
    ctx = filled()
    before = prints(ctx.messages)
    with pytest.raises(StoreError, match="checkpoint"):
        drive(ctx, begun(ctx), {Save: lambda _: [Outcome("something else")]})
    assert prints(ctx.messages) == before


def test_a_failing_append_is_raised() -> None:
    """The commit itself may fail: the error comes out, and the log, which moves only there, is as it was."""
    ctx = filled()
    before = prints(ctx.messages)
    with pytest.raises(StoreError, match="gone"):
        drive(ctx, begun(ctx), {Append: fails(StoreError("gone: look"))})
    assert prints(ctx.messages) == before


def test_a_journal_that_cant_be_read_is_raised() -> None:
    """The journal is read by force: no compaction goes on without it."""
    ctx = filled()
    with pytest.raises(StoreError, match="unreadable"):
        drive(ctx, begun(ctx), {ReadJournal: fails(StoreError("unreadable: look"))})
    assert ctx.compactions == ()


def test_a_closed_flow_leaves_the_log_as_it_was() -> None:
    """A turn that is dropped while a model is awaited (a cancelled task) has changed nothing."""
    ctx = filled(llm=ScriptedLLM())
    before = prints(ctx.messages)
    flow = begun(ctx)
    command = next(flow)
    while not isinstance(command, SummaryRequest):
        command = flow.send(usual(ctx)[type(command)](command))
    flow.close()
    assert prints(ctx.messages) == before
    assert ctx.compactions == ()


def test_a_message_that_comes_while_the_model_is_asked_survives() -> None:
    """The log only grows, and a compaction says up to where it was planned."""
    ctx = filled(llm=ScriptedLLM())

    def interrupted(_: SummaryRequest) -> list[Outcome]:
        ctx.add({"role": "assistant", "content": "Meanwhile I thought of something."})
        ctx.add(user("And do not forget the changelog."))
        return [Outcome(GOOD.model_dump_json())]

    _, receipt = drive(ctx, begun(ctx), {SummaryRequest: interrupted})
    assert receipt.outcome == "applied"
    assert [message["content"] for message in ctx.messages[-2:]] == [
        "Meanwhile I thought of something.",
        "And do not forget the changelog.",
    ]


# -- hooks ---------------------------------------------------------------------------------


def wishes(*values: Any) -> Answers:
    return {PreCompact: lambda _: [Outcome(value) for value in values]}


def test_a_veto_ends_the_turn_at_soft() -> None:
    """A hook may say no: nothing is compacted, its reason stands on the receipt."""
    ctx = filled()
    before = prints(ctx.messages)
    commands, receipt = drive(ctx, begun(ctx, "soft"), wishes(None, Veto("tests are running")))
    assert names(commands) == ["PreCompact", "Skipped", "PostCompact"]
    assert (receipt.outcome, receipt.reason) == ("vetoed", "tests are running")
    assert prints(ctx.messages) == before


def test_a_veto_is_not_heard_at_hard() -> None:
    """At hard the window would overflow: the compaction goes on."""
    ctx = filled()
    assert drive(ctx, begun(ctx, "hard"), wishes(Veto("no")))[1].outcome == "applied"


def test_a_hook_can_pin() -> None:
    """What a hook pins stands word for word in the window that this very compaction leaves."""
    ctx = filled()
    commands, receipt = drive(ctx, begun(ctx), wishes(Pin("The port is 4711.", label="port"), Pin("Never use eval.")))
    assert names(commands)[:3] == ["PreCompact", "Pinned", "Pinned"]
    assert [pinned_text(command) for command in commands[1:3]] == ["The port is 4711.", "Never use eval."]
    assert [engram.text for engram in receipt.engrams[:2]] == ["The port is 4711.", "Never use eval."]
    assert "The port is 4711." in told(ctx.messages)


def pinned_text(command: Command) -> str:
    assert isinstance(command, Append)
    assert isinstance(command.record, Pinned)
    return command.record.engram.text


def test_a_hook_can_replace_the_summary() -> None:
    """`Replace` is used and no model is asked; the goal stays the user's own words."""
    ctx = filled(llm=ScriptedLLM())
    mine = TaskSummary(original_goal="mine", todo=["Call the customer."])
    commands, receipt = drive(ctx, begun(ctx), wishes(Replace(mine)))
    assert "SummaryRequest" not in names(commands)
    assert receipt.summary.todo == ["Call the customer."]
    assert receipt.summary.original_goal == GOAL


def test_a_hook_that_raises_is_noted_and_the_turn_goes_on() -> None:
    """Its error is on the receipt, the other hooks' wishes count."""
    ctx = filled()
    _, receipt = drive(
        ctx, begun(ctx), {PreCompact: lambda _: [Outcome(None, ValueError("broken hook")), Outcome(Pin("Keep me."))]}
    )
    assert receipt.outcome == "applied"
    assert any("ValueError" in failure and "broken hook" in failure for failure in receipt.failures)
    assert receipt.engrams[0].text == "Keep me."


def test_a_pin_without_room_is_noted_and_the_turn_goes_on() -> None:
    """A hook can't stop a compaction by pinning too much: its wish fails like a hook that raises."""
    ctx = filled()
    _, receipt = drive(ctx, begun(ctx, "hard"), wishes(Pin("word " * 5_000)))
    assert receipt.outcome == "applied"
    assert any("pin" in failure for failure in receipt.failures)


def test_a_provider_that_raises_is_unavailable() -> None:
    """Live state is never an older text: `name: unavailable (ErrorType)`."""
    ctx = filled()
    answers = {Look: lambda _: [Outcome(("jobs", "2 running")), Outcome("todo", KeyError("x"))]}
    drive(ctx, begun(ctx), answers)
    text = told(ctx.messages)
    assert "jobs: 2 running" in text
    assert "todo: unavailable (KeyError)" in text


def test_the_journal_is_in_the_bridge_and_counted() -> None:
    """The records since the last compaction are read back by force; the receipt counts them."""
    ctx = filled()
    lines = ("decide: keep divide() total", "run `pytest -q`: 1 failed")
    _, receipt = drive(ctx, begun(ctx), {ReadJournal: lambda _: [Outcome(Journal(lines=lines, read_to=7, written=2))]})
    assert (receipt.read, receipt.written) == (2, 2)
    assert all(line in told(ctx.messages) for line in lines)
    ctx.add([message for number in range(50, 60) for message in looks("chat", number)])
    commands, _ = drive(ctx, begun(ctx))
    assert [command.since for command in commands if isinstance(command, ReadJournal)] == [7]


# -- the summariser's ladder -----------------------------------------------------------------


def spoken(*replies: Any) -> tuple[Answers, list[SummaryRequest]]:
    """A model that gives these replies in turn, errors among them; the requests it saw."""
    seen: list[SummaryRequest] = []
    left = list(replies)

    def speak(request: SummaryRequest) -> list[Outcome]:
        seen.append(request)
        reply = left.pop(0)
        return [Outcome(None, reply) if isinstance(reply, Exception) else Outcome(reply)]

    return {SummaryRequest: speak}, seen


def laddered(*replies: Any) -> tuple[Compaction, list[SummaryRequest]]:
    ctx = filled(llm=ScriptedLLM())
    answers, seen = spoken(*replies)
    return drive(ctx, begun(ctx), answers)[1], seen


def test_a_bad_reply_is_asked_again_once_with_the_reason() -> None:
    """The second request says why the first reply was refused; its text is stored nowhere."""
    receipt, seen = laddered("Sure! Here is what happened: nothing.", GOOD.model_dump_json())
    assert (receipt.summariser, receipt.rung, len(seen)) == ("llm", "llm", 2)
    assert len(receipt.failures) == 1
    assert "six fields" in seen[1].instructions
    assert seen[1].transcript == seen[0].transcript
    assert "Here is what happened" not in repr(receipt)


def test_two_bad_replies_step_down_to_the_extractive_summary() -> None:
    """No third try: code fills the six fields, and both failures are on the receipt."""
    receipt, seen = laddered("no", "{}")
    assert (receipt.summariser, receipt.rung, len(seen)) == ("extractive", "extractive", 2)
    assert receipt.outcome == "applied"
    assert len(receipt.failures) == 2
    assert receipt.summary is not None
    assert any("src/calc.py" in step.files for step in receipt.summary.completed_steps)


def test_a_truncated_reply_is_a_failed_one() -> None:
    """A reply cut at its token limit is refused, even where it happens to be whole JSON."""
    receipt, seen = laddered(SummaryReply(GOOD.model_dump_json(), stop="max_tokens"), GOOD.model_dump_json())
    assert (receipt.summariser, len(seen)) == ("llm", 2)
    assert "cut off" in receipt.failures[0]


def test_an_overflow_halves_the_input_until_it_works() -> None:
    """`llm_clipped` is for input that was too long: each try has about half of the one before."""
    overflow = RuntimeError("This model's maximum context length is 4096 tokens")
    receipt, seen = laddered(overflow, overflow, GOOD.model_dump_json())
    sizes = [len(request.transcript) for request in seen]
    assert (receipt.summariser, receipt.rung) == ("llm", "llm_clipped")
    assert sizes[1] < 0.7 * sizes[0]
    assert sizes[2] < 0.7 * sizes[1]
    assert receipt.coverage < 1
    assert len(receipt.failures) == 2


def test_an_overflow_for_ever_ends_in_the_extractive_summary() -> None:
    """The halving has a floor; below it code does the work."""
    overflow = RuntimeError("prompt is too long")
    receipt, seen = laddered(*[overflow] * 20)
    assert receipt.summariser == "extractive"
    assert len(seen) < 10
    assert receipt.outcome == "applied"


def test_any_other_error_steps_down_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """A summariser that is unreachable or broken never stops the session."""
    receipt, seen = laddered(ConnectionError("no route to host"))
    assert (receipt.summariser, len(seen)) == ("extractive", 1)
    assert "ConnectionError: no route to host" in receipt.failures[0]
    assert "ConnectionError: no route to host" in caplog.text  # for who reads no receipts


def test_a_rate_limit_is_no_overflow() -> None:
    """A 429 that speaks of tokens is not mistaken for an input that was too long."""

    class RateLimitError(Exception):
        status_code = 429

    receipt, seen = laddered(RateLimitError("too long: tokens per minute, context window 200000"))
    assert len(seen) == 1
    assert receipt.rung == "extractive"


@pytest.mark.parametrize("reply", [None, 7, b"bytes", ["list"]])
def test_a_reply_of_another_type_is_refused(reply: Any) -> None:
    """A summariser that returns no text gets one retry that says so."""
    receipt, seen = laddered(reply, GOOD.model_dump_json())
    assert (receipt.summariser, len(seen)) == ("llm", 2)
    assert "SummaryReply" in receipt.failures[0]


def test_usage_of_all_tries_is_summed() -> None:
    """What the summary cost stands on the receipt, the refused reply included."""
    receipt, _ = laddered(
        SummaryReply("no", usage={"input_tokens": 900, "output_tokens": 3}),
        SummaryReply(GOOD.model_dump_json(), usage={"input_tokens": 950, "output_tokens": 60}),
    )
    assert receipt.usage == {"input_tokens": 1_850, "output_tokens": 63}


def test_the_receipt_of_a_step_down_keeps_the_earlier_record() -> None:
    """What a model said at the first compaction is still there when it fails at the second."""
    ctx = filled(llm=ScriptedLLM())
    said = TaskSummary(key_decisions=[Decision(decision="Use decimals.", reason="Money.")], todo=["Go on."])
    drive(ctx, begun(ctx), spoken(said.model_dump_json())[0])
    ctx.add([message for number in range(50, 62) for message in looks("chat", number)])
    _, receipt = drive(ctx, begun(ctx), spoken("no", "no")[0])
    assert receipt.outcome == "applied"
    assert "Use decimals." in [decision.decision for decision in receipt.summary.key_decisions]


# -- strict fidelity, prepare --------------------------------------------------------------


def test_prepare_below_soft_yields_nothing() -> None:
    """Most calls find nothing to do: the window comes back at once."""
    ctx = ContextManager(100_000)
    ctx.add(user(GOAL))
    at = ctx._session
    flow = prepare(at.log, at.trail, at.settings)
    with pytest.raises(StopIteration) as stopped:
        next(flow)
    assert stopped.value.value == [user(GOAL)]


def test_prepare_that_cant_fit_names_what_cant_shrink() -> None:
    """The error carries the sizes: window, system prompt, tools, largest message."""
    ctx = ContextManager(1_000, system="rules " * 900, tools=[{"type": "function", "function": {"name": "f"}}])
    ctx.add(user(GOAL))
    with pytest.raises(WindowExceededError) as caught:
        ctx.prepare()
    error = caught.value
    assert error.window == 1_000
    assert error.system > 890
    assert error.tools > 0
    assert 0 < error.largest < 100
    assert str(error.system) in str(error)


def test_strict_fidelity_refuses_a_loss() -> None:
    """`fidelity="strict"`: where something would be lost there is an error instead of a commit."""
    ctx = filled(fidelity="strict")
    try:
        receipt = ctx.compact()
    except SummaryError:
        receipt = ctx.compactions[-1]
        assert receipt.outcome == "failed"
    else:
        assert receipt.fidelity.lost == ()


# -- the drivers -----------------------------------------------------------------------------


def test_an_async_summariser_in_a_blocking_call_is_refused_with_advice() -> None:
    """It raises at once, says what to await, and the log is as it was."""
    ctx = filled(llm=ScriptedLLM([GOOD]).a)
    before = prints(ctx.messages)
    with pytest.raises(ContextKitError, match=r"await aprepare\(\)"):
        ctx.prepare()
    with pytest.raises(ContextKitError, match=r"await acompact\(\)"):
        ctx.compact()
    assert prints(ctx.messages) == before
    assert asyncio.run(ctx.acompact()).outcome == "applied"


def test_a_summariser_that_returns_something_to_await_is_refused_too() -> None:
    """A plain function can return a coroutine: the blocking driver closes it and says what to do."""

    async def later() -> str:
        return GOOD.model_dump_json()

    ctx = filled(llm=lambda _: later())
    with pytest.raises(ContextKitError, match="await"):
        ctx.compact()
    assert ctx.compactions == ()
    assert asyncio.run(ctx.acompact()).summariser == "llm"


def test_both_drivers_give_the_same_window() -> None:
    """One generator, two drivers."""
    blocking, awaited = filled(llm=ScriptedLLM([GOOD])), filled(llm=ScriptedLLM([GOOD]).a)
    blocking.compact()
    asyncio.run(awaited.acompact())
    assert prints(blocking.messages) == prints(awaited.messages)


def test_a_compaction_within_a_compaction_is_refused() -> None:
    """A hook or summariser that calls `prepare()` of its own session gets an error, not a deadlock."""
    caught: list[str] = []

    def hook(_: PreCompact) -> None:
        with pytest.raises(ContextKitError) as error:
            ctx.prepare()
        caught.append(str(error.value))

    ctx = filled(pre_compact=hook)
    assert ctx.compact().outcome == "applied"
    assert len(caught) == 1


def test_an_async_compaction_within_a_compaction_is_refused() -> None:
    """The same under an event loop: no task waits for itself."""

    async def hook(_: PreCompact) -> None:
        with pytest.raises(ContextKitError):
            await asyncio.wait_for(ctx.acompact(), 1)

    ctx = filled(pre_compact=hook)
    receipt = asyncio.run(asyncio.wait_for(ctx.acompact(), 20))
    assert receipt.failures == ()


def test_a_cancelled_compaction_changes_nothing_and_the_next_one_works() -> None:
    """Cancelling a task that awaits the model leaves the session free and as it was."""
    calls: list[int] = []

    async def play() -> None:
        started = asyncio.Event()

        async def slow_once(_: SummaryRequest) -> str:
            calls.append(1)
            if len(calls) == 1:
                started.set()
                await asyncio.sleep(60)
            return GOOD.model_dump_json()

        ctx = filled(llm=slow_once)
        before = prints(ctx.messages)
        task = asyncio.create_task(ctx.acompact())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert prints(ctx.messages) == before
        assert ctx.compactions == ()
        receipt = await asyncio.wait_for(ctx.acompact(), 20)
        assert (receipt.outcome, receipt.summariser) == ("applied", "llm")

    asyncio.run(play())


def test_the_request_is_complete_by_itself() -> None:
    """Instructions hold no text of the session, the transcript is fenced, schema and limits are there."""
    ctx = filled(llm=ScriptedLLM())
    commands, _ = drive(ctx, begun(ctx, focus="the parser"))
    (request,) = [command for command in commands if isinstance(command, SummaryRequest)]
    assert "src/calc.py" not in request.instructions
    assert "the parser" in request.instructions
    assert request.focus == "the parser"
    assert request.transcript.startswith("<transcript>")
    assert request.transcript.endswith("</transcript>")
    assert GOAL in request.transcript
    assert set(request.schema["properties"]) == set(TaskSummary.model_fields)
    assert request.previous is None
    assert request.language == "en"
    assert request.max_tokens > 0
    assert prints(list(request.messages)) == prints(ctx_prefix(filled()))


def ctx_prefix(ctx: ContextManager) -> list[dict[str, Any]]:
    """The messages that leave at a manual compaction, with what stands before them."""
    event: list[PreCompact] = []
    twin = ContextManager(5_000, pre_compact=event.append)
    twin.add(session())
    twin.compact()
    return ctx.messages[: len(event[0].plan.head) + len(event[0].plan.old)]


def test_records_are_written_before_the_log_moves() -> None:
    """With a store, what is refused by the disk is not in the window either."""
    ctx = filled()
    records: list[Record] = []

    def refuse(command: Append) -> list[Outcome]:
        records.append(command.record)
        return [Outcome(None, StoreError("read-only: look"))]

    with pytest.raises(StoreError):
        drive(ctx, begun(ctx), {Append: refuse})
    assert isinstance(records[0], Compacted)
    with pytest.raises(StoreError):
        drive(ctx, begun(ctx, "soft"), {**wishes(Veto()), Append: refuse})
    assert isinstance(records[1], Skipped)


def test_a_second_request_hands_the_record_on() -> None:
    """Where the old part is larger than the summariser's window it is asked in several requests, in order."""
    ctx = ContextManager(20_000, llm=ScriptedLLM(), llm_window=3_000)
    ctx.add(session(looked=60))
    replies = [TaskSummary(todo=[f"part {number}"]).model_dump_json() for number in range(40)]
    answers, seen = spoken(*replies)
    receipt = drive(ctx, begun(ctx), answers)[1]
    assert receipt.outcome == "applied"
    assert len(seen) > 1
    assert seen[0].previous is None
    assert [request.previous.todo for request in seen[1:] if request.previous] == [
        [f"part {number}"] for number in range(len(seen) - 1)
    ]
    assert all("<record_so_far>" in request.transcript for request in seen[1:])
    assert receipt.coverage == 1.0
    assert json.loads(replies[len(seen) - 1])["todo"] == receipt.summary.todo
