"""A session at work: what `add` takes and refuses, what reading shows, how it ends and reopens."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from context_kit import (
    Budget,
    BudgetError,
    ContextKitError,
    ContextManager,
    InvalidMessageError,
    Pin,
    Store,
    StoreError,
    Tool,
    Usage,
)
from context_kit.testing import Call, assistant, system, tool_round, user
from context_kit.typing import Message, Shape
from context_kit.wire import PLACEHOLDER
from tests.talks import CODE, GOAL, SHAPES, looks, prints, reads, session, told, writes

Stores = Callable[[], Store]
"""Opens one and the same store, as often as wanted."""


def filled(window: int = 8_000, **arguments: Any) -> ContextManager:
    ctx = ContextManager(window, **arguments)
    ctx.add(session())
    return ctx


# -- add --------------------------------------------------------------------------------------


def test_add_copies_what_it_is_given() -> None:
    """The caller may go on changing its own dict; the log keeps what was added."""
    message: Message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    ctx = ContextManager(8_000)
    ctx.add(message)
    message["content"][0]["text"] = "changed"
    assert ctx.messages == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


def test_messages_come_back_with_every_key_and_in_order() -> None:
    """Unknown keys and their order are the caller's."""
    message = {"x_trace": {"b": 1, "a": None}, "role": "user", "content": "hi", "name": "ada"}
    ctx = ContextManager(8_000)
    ctx.add(message)
    assert prints(ctx.messages) == prints([message])


def test_messages_is_a_fresh_list_each_time() -> None:
    """Appending to it changes nothing of the session."""
    ctx = filled()
    ctx.messages.append({"role": "user", "content": "smuggled"})
    ctx.prepare().clear()
    assert "smuggled" not in told(ctx.messages)
    assert ctx.messages


@pytest.mark.parametrize(
    "message",
    [
        None,
        7,
        "hi",
        {},
        {"role": "user"},
        {"content": "hi"},
        {"role": "wizard", "content": "hi"},
        {"role": "user", "content": 7},
        {"role": "tool", "content": "x"},
        {"role": "tool", "tool_call_id": "c9", "content": "x"},
        {"role": "user", "content": "x", "when": object()},
        {"role": "user", "content": "x", "n": float("nan")},
        [{"role": "user", "content": "fine"}, {"role": "tool", "tool_call_id": "c9", "content": "x"}],
    ],
    ids=range(13),
)
def test_a_malformed_message_is_refused_and_the_log_is_unchanged(message: Any) -> None:
    """`InvalidMessageError` names the field; of a list nothing is added where one is wrong."""
    ctx = ContextManager(8_000)
    ctx.add(user(GOAL))
    with pytest.raises(InvalidMessageError) as caught:
        ctx.add(message)
    assert caught.value.field
    assert str(caught.value).startswith(caught.value.field)
    assert ctx.messages == [user(GOAL)]


def test_another_shape_is_refused() -> None:
    """A session speaks one provider's language."""
    ctx = ContextManager(8_000)
    ctx.add([user("hi"), *tool_round([Call("Bash", {"command": "ls"}, result="x")], shape="chat")])
    with pytest.raises(InvalidMessageError, match="anthropic"):
        ctx.add(tool_round([Call("Bash", {"command": "ls"}, result="x")], shape="anthropic"))


@pytest.mark.parametrize("shape", SHAPES)
def test_an_interrupted_call_gets_a_marked_placeholder(shape: Shape) -> None:
    """A new user turn while calls wait is accepted; the wire shows that there is no result."""
    ctx = ContextManager(8_000)
    ctx.add(
        [user("hi"), *tool_round([Call("Bash", {"command": "ls"}, result=None, id="c1")], shape=shape), user("stop")]
    )
    assert PLACEHOLDER in told(ctx.prepare())
    assert PLACEHOLDER in told(ctx.messages)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_late_result_takes_the_place_of_a_placeholder_that_was_not_handed_out(shape: Shape) -> None:
    """Nobody has seen the placeholder with a message after it, so nobody sees an edit."""
    said, result = tool_round([Call("Bash", {"command": "ls"}, result="a.py", id="c1")], shape=shape)
    ctx = ContextManager(8_000)
    ctx.add([user("hi"), said, user("stop"), result])
    assert PLACEHOLDER not in told(ctx.prepare())
    assert prints(ctx.messages) == prints([user("hi"), said, result, user("stop")])


@pytest.mark.parametrize("shape", SHAPES)
def test_a_late_result_after_that_is_a_marked_user_message(shape: Shape) -> None:
    """Earlier bytes don't change: it is appended, and says whose result it is."""
    said, result = tool_round([Call("Bash", {"command": "ls"}, result="a.py", id="c1")], shape=shape)
    ctx = ContextManager(8_000)
    ctx.add([user("hi"), said, user("stop")])
    before = prints(ctx.prepare())
    ctx.add(result)
    assert prints(ctx.prepare())[: len(before)] == before
    assert ctx.messages[-1]["role"] == "user"
    assert "late result of tool call c1" in told(ctx.messages[-1:])
    assert "a.py" in told(ctx.messages[-1:])


# -- usage --------------------------------------------------------------------------------------


def test_usage_without_reports_is_an_estimate() -> None:
    """The sum of what each message costs, with its error bound."""
    ctx = ContextManager(10_000)
    assert ctx.usage == Usage(tokens=0, window=10_000, share=0.0, level="ok", source="estimate", margin=0)
    ctx.add(user("hello " * 1_000))
    assert 1_000 < ctx.usage.tokens < 1_020
    assert ctx.usage.margin > 0


def test_system_and_tools_are_counted_and_never_returned() -> None:
    """What the caller sends beside the messages takes its room."""
    tools = [{"type": "function", "function": {"name": "f", "description": "word " * 300, "parameters": {}}}]
    ctx = ContextManager(10_000, system="rule " * 200, tools=tools)
    assert 500 < ctx.usage.tokens < 600
    assert ctx.messages == []


def test_a_report_anchors_the_figure() -> None:
    """The provider's own number plus the estimate of what came since."""
    ctx = ContextManager(10_000)
    ctx.add([user("hi"), *assistant("Hello.")])
    ctx.record_usage(input_tokens=4_000, output_tokens=50)
    assert ctx.usage.source == "provider"
    assert ctx.usage.tokens == 4_050
    ctx.add(user("word " * 100))
    assert 4_150 <= ctx.usage.tokens <= 4_160


@pytest.mark.parametrize("tokens", [0, 10_001, 10**9])
def test_an_impossible_report_is_ignored(tokens: int) -> None:
    """Zero, or more than the window holds."""
    ctx = ContextManager(10_000)
    ctx.add([user("hi"), *assistant("Hello.")])
    before = ctx.usage
    ctx.record_usage(input_tokens=tokens)
    assert ctx.usage == before


@pytest.mark.parametrize(
    "arguments",
    [{"input_tokens": 1.5}, {"input_tokens": "9"}, {"input_tokens": True}, {"input_tokens": 9, "output_tokens": "1"}],
)
def test_a_report_of_another_type_is_refused(arguments: dict[str, Any]) -> None:
    """By the field's name."""
    ctx = ContextManager(10_000)
    ctx.add([user("hi"), *assistant("Hello.")])
    with pytest.raises(InvalidMessageError, match="tokens"):
        ctx.record_usage(**arguments)


def test_a_report_before_any_message_is_refused() -> None:
    """It would answer nothing."""
    with pytest.raises(InvalidMessageError, match="add the reply first"):
        ContextManager(10_000).record_usage(input_tokens=9)


def test_reported_usage_triggers_a_compaction() -> None:
    """The provider counts what the library was never shown."""
    ctx = filled(40_000)
    ctx.add(assistant("Done for now."))
    ctx.record_usage(input_tokens=31_000, output_tokens=100)
    assert ctx.usage.level == "hard"
    ctx.prepare()
    assert ctx.compactions[0].trigger == "hard"
    assert ctx.compactions[0].outcome == "applied"
    assert ctx.usage.source == "estimate"


# -- reading --------------------------------------------------------------------------------------


def test_before_a_compaction_there_is_no_summary_and_no_board() -> None:
    """Nothing is made up."""
    ctx = filled(100_000)
    assert (ctx.summary, ctx.compactions, ctx.engrams) == (None, (), ())


def test_a_manual_compaction_does_what_it_can() -> None:
    """Whatever the level: the tail at its floor, the rest in the bridge."""
    ctx = filled(60_000)
    assert ctx.usage.level == "ok"
    receipt = ctx.compact(focus="the parser")
    assert (receipt.trigger, receipt.outcome) == ("manual", "applied")
    assert ctx.usage.tokens < receipt.tokens_before


def test_prepare_returns_what_messages_shows() -> None:
    """The window as it stands."""
    ctx = filled(12_000)
    assert prints(ctx.prepare()) == prints(ctx.messages)


# -- pins, live state ------------------------------------------------------------------------------


def test_a_pin_is_shown_once_and_stands_in_the_bridge_from_then_on() -> None:
    """Between compactions as a short user message at the next legal place; earlier bytes never change."""
    ctx = ContextManager(8_000)
    ctx.add([user(GOAL), *looks("chat", 1)])
    before = prints(ctx.prepare())
    pin = ctx.pin("The port is 4711.", kind="note", label="port")
    assert (pin.kind, pin.label, pin.status) == ("note", "port", "active")
    assert ctx.engrams == (pin,)
    first = prints(ctx.prepare())
    assert first[: len(before)] == before
    assert len(first) == len(before) + 1
    assert "The port is 4711." in first[-1]
    assert prints(ctx.prepare()) == first
    ctx.add([message for number in range(2, 14) for message in looks("chat", number)])
    ctx.compact()
    assert told(ctx.messages).count("The port is 4711.") == 1
    assert "[pinned by the program" not in told(ctx.messages)


def test_a_pin_waits_while_a_call_is_open() -> None:
    """A user message between a call and its result would be illegal."""
    said, result = tool_round([Call("Bash", {"command": "ls"}, result="x", id="c1")])
    ctx = ContextManager(8_000)
    ctx.add([user("hi"), said])
    ctx.pin("The port is 4711.")
    assert "4711" not in told(ctx.prepare())
    ctx.add(result)
    assert "4711" in told(ctx.prepare())


@pytest.mark.parametrize("text", ["", "  \n", "word " * 3_000])
def test_a_pin_without_words_or_room_is_refused(text: str) -> None:
    """`BudgetError`, and nothing is pinned."""
    ctx = ContextManager(8_000)
    with pytest.raises(BudgetError):
        ctx.pin(text)
    assert ctx.engrams == ()


def test_pins_share_their_ceiling() -> None:
    """The one too many is refused with the sizes, the others stand."""
    ctx = ContextManager(8_000)
    with pytest.raises(BudgetError, match="already pinned"):
        for number in range(100):
            ctx.pin(f"Fact {number}: " + "word " * 100)
    assert 5 < len(ctx.engrams) < 16


def test_an_unknown_kind_of_pin_is_refused() -> None:
    """The known ones are listed."""
    kind: Any = "treasure"
    with pytest.raises(BudgetError, match="note"):
        ContextManager(8_000).pin("x", kind=kind)


def test_releasing_what_is_no_pin_is_refused() -> None:
    """By the id, with those that are there."""
    ctx = ContextManager(8_000)
    pin = ctx.pin("x")
    with pytest.raises(BudgetError, match=pin.id):
        ctx.release("p77")
    ctx.release(pin.id)
    assert ctx.engrams == ()


def test_what_is_provided_must_be_a_function() -> None:
    """A text would be stale at the first compaction."""
    fn: Any = "my todo list"
    with pytest.raises(BudgetError, match="function"):
        ContextManager(8_000).provide("todo", fn)


def test_a_provider_is_asked_at_each_compaction_only() -> None:
    """Never by `prepare` of a window that is calm."""
    asked: list[int] = []

    def jobs() -> str:
        asked.append(1)
        return f"{len(asked)} running"

    ctx = filled(12_000)
    ctx.provide("jobs", jobs)
    ctx.prepare()
    before = len(asked)
    ctx.compact()
    assert len(asked) == before + 1
    assert f"jobs: {len(asked)} running" in told(ctx.messages)


def test_the_callers_own_tools_can_be_explained() -> None:
    """`semantics` says what an unknown tool means: its files and failures are then known like any other's."""
    semantics = {
        "save": Tool("edit", path="target", content="body"),
        "check": Tool("run", command="what", failed=r"^NOT OK"),
    }
    ctx = ContextManager(8_000, semantics=semantics)
    ctx.add(user(GOAL))
    ctx.add(tool_round([Call("save", {"target": "src/calc.py", "body": CODE}, result="saved", id="c1")]))
    ctx.add(tool_round([Call("check", {"what": "unit"}, result="NOT OK\nAssertionError: 1 != 2", id="c2")]))
    ctx.add([message for number in range(12) for message in looks("chat", number)])
    receipt = ctx.compact()
    kept = {engram.kind: engram.text for engram in receipt.engrams}
    assert kept["file"] == CODE
    assert kept["error"] == "NOT OK\nAssertionError: 1 != 2"


def test_strict_roles_alternate() -> None:
    """For servers that insist: bridge and user message become one, the system message is one and first."""
    ctx = ContextManager(6_000, strict_roles=True)
    for number in range(30):
        ctx.add([user(f"Question {number}? " + "word " * 100), *assistant(f"Answer {number}. " + "word " * 100)])
        roles = [message["role"] for message in ctx.prepare()]
        assert all(one != two for one, two in itertools.pairwise(roles))
        assert roles[0] == "user"
    assert ctx.compactions


# -- the end -----------------------------------------------------------------------------------------


CHANGES: list[Callable[[ContextManager], object]] = [
    lambda ctx: ctx.add(user("more")),
    lambda ctx: ctx.prepare(),
    lambda ctx: ctx.compact(),
    lambda ctx: ctx.pin("x"),
    lambda ctx: ctx.record_usage(input_tokens=9),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_closed_session_is_read_only(change: Callable[[ContextManager], object], stores: Stores) -> None:
    """After `close()` reading goes on; adding, preparing and compacting raise `StoreError`."""
    ctx = filled(12_000, store=stores(), session="s")
    ctx.compact()
    window = prints(ctx.messages)
    ctx.close()
    with pytest.raises(StoreError, match="closed"):
        change(ctx)
    assert prints(ctx.messages) == window
    assert ctx.usage.tokens > 0
    assert ctx.recall("c1")[0].text
    assert len(ctx.compactions) == 1
    ctx.close()


def test_with_closes(stores: Stores) -> None:
    """The lock is free after the block, whatever happened in it."""
    with pytest.raises(ZeroDivisionError), ContextManager(8_000, store=stores(), session="s"):
        raise ZeroDivisionError
    with ContextManager.open(stores(), "s") as ctx:
        assert ctx.session == "s"


def test_a_session_reopens_with_its_window_and_budget(stores: Stores) -> None:
    """From the log, unless given anew."""
    with ContextManager(budget=Budget(9_000, soft=0.6, hard=0.65), store=stores(), session="s") as ctx:
        ctx.add(user(GOAL))
    with ContextManager.open(stores(), "s") as ctx:
        assert ctx.usage.window == 9_000
        assert ctx.messages == [user(GOAL)]
    with ContextManager.open(stores(), "s", window=4_000) as ctx:
        assert ctx.usage.window == 4_000
    with ContextManager.open(stores(), "s") as ctx:
        assert ctx.usage.window == 4_000


def test_opening_what_is_not_there_needs_a_window(stores: Stores) -> None:
    """`StoreError`, or a new session where the window is told."""
    with pytest.raises(StoreError, match="window or model"):
        ContextManager.open(stores(), "s")
    with ContextManager.open(stores(), "s", window=4_000) as ctx:
        assert ctx.messages == []


def test_the_constructor_refuses_an_existing_session(stores: Stores) -> None:
    """So that nobody writes over it by mistake."""
    ContextManager(8_000, store=stores(), session="s").close()
    with pytest.raises(StoreError, match="open"):
        ContextManager(8_000, store=stores(), session="s")
    ContextManager.open(stores(), "s").close()


def test_sessions_have_names_of_their_own() -> None:
    """Random ones, unless one is given."""
    names = {ContextManager(8_000).session for _ in range(20)}
    assert len(names) == 20
    assert ContextManager(8_000, session="mine").session == "mine"


@pytest.mark.parametrize("name", ["", "..", "a/b", "../up", ".hidden", "a\0b", "x" * 200, "archive"])
def test_a_name_is_a_plain_file_name(name: str, tmp_path: Path) -> None:
    """Nothing outside of the store is ever written."""
    with pytest.raises((StoreError, BudgetError)):
        ContextManager(8_000, store=tmp_path / "store", session=name).add(user("hi"))
    assert sorted(path.name for path in tmp_path.rglob("log.jsonl")) == []


def test_a_finished_session_is_archived(tmp_path: Path) -> None:
    """`close(done=True)` ends the task: it isn't live any more, its journal stays searchable."""
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.add([user(GOAL), *writes("chat", "src/calc.py", CODE, id="w1")])
        ctx.memory.append(action="decide", reason="use decimals")
        ctx.close(done=True)
    assert sorted(path.parent.name for path in tmp_path.glob("archive/*/log.jsonl")) == ["s"]
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        assert ctx.messages == []
        assert [record.reason for record in ctx.memory.search("decimals")] == ["use decimals"]


def test_an_interrupted_session_reopens_with_the_placeholder(stores: Stores) -> None:
    """It died between a call and its result: the window is legal all the same, and the result may still come."""
    said, result = tool_round([Call("Bash", {"command": "ls"}, result="a.py", id="c1")])
    with ContextManager(8_000, store=stores(), session="s") as ctx:
        ctx.add([user("hi"), said])
    with ContextManager.open(stores(), "s") as ctx:
        assert PLACEHOLDER in told(ctx.prepare())
        ctx.add(result)
        assert prints(ctx.prepare()) == prints([user("hi"), said, result])


def test_head_messages_stay_and_come_once() -> None:
    """System and developer messages are never compacted."""
    ctx = ContextManager(6_000)
    head = [system("You are careful."), system("Answer in English.", role="developer")]
    ctx.add(head)
    ctx.add([user(GOAL), *reads("chat", "src/calc.py", CODE, id="r1")])
    for number in range(40):
        ctx.add(looks("chat", number))
        assert prints(ctx.prepare()[:2]) == prints(head)
    assert len(ctx.compactions) > 2
    assert told(ctx.messages).count("You are careful.") == 1


def test_errors_survive_a_process_boundary() -> None:
    """They can be pickled: a worker's error reaches its parent with its evidence."""
    import pickle

    ctx = ContextManager(1_000, system="rules " * 900)
    ctx.add(user("hi"))
    with pytest.raises(ContextKitError) as caught:
        ctx.prepare()
    found = pickle.loads(pickle.dumps(caught.value))
    assert str(found) == str(caught.value)
    assert found.window == 1_000
    with pytest.raises(InvalidMessageError) as refused:
        ctx.add({"role": "user"})
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_a_result_with_a_wrong_id_is_told_which_calls_wait() -> None:
    """A slip of the pen needs the right id, not the advice to drop a result."""
    ctx = ContextManager(8_000)
    call = {"id": "call_abc", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    ctx.add([{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [call]}])
    with pytest.raises(InvalidMessageError, match="the calls that wait for one are 'call_abc'"):
        ctx.add({"role": "tool", "tool_call_id": "call_abd", "content": "a.py"})
    ctx.add({"role": "tool", "tool_call_id": "call_abc", "content": "a.py"})
    with pytest.raises(InvalidMessageError, match="drop this one"):
        ctx.add({"role": "tool", "tool_call_id": "call_abc", "content": "a.py"})


def test_several_messages_at_once_after_a_call_left_unanswered() -> None:
    """A call that was interrupted and compacted away is no obstacle to a list, nor to its own late result."""
    ctx = ContextManager(3_000)
    call = {"id": "call_lost", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    ctx.add([{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [call]}])
    for number in range(6):
        ctx.add({"role": "user", "content": f"question {number}"})
        ctx.add({"role": "assistant", "content": "word " * 500})
        ctx.prepare()
    assert ctx.compactions
    ctx.add([{"role": "user", "content": "on"}, {"role": "assistant", "content": "yes"}])
    ctx.add([{"role": "user", "content": "on"}, {"role": "tool", "tool_call_id": "call_lost", "content": "late.py"}])
    assert "late.py" in str(ctx.prepare())


def test_cache_marks_inside_tool_results_count_too() -> None:
    """Four marks a request, wherever they stand; the newest stay."""
    ctx = ContextManager(20_000)
    ctx.add({"role": "user", "content": "go"})
    for number in range(5):
        marked = {"type": "text", "text": f"result {number}", "cache_control": {"type": "ephemeral"}}
        ctx.add({"role": "assistant", "content": [{"type": "tool_use", "id": f"t{number}", "name": "ls", "input": {}}]})
        ctx.add(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": [marked]}]}
        )
    sent = [message for message in ctx.prepare() if "cache_control" in str(message)]
    assert ["result 1" in str(sent[0]), len(sent)] == [True, 4]


def test_usage_without_a_number_is_refused() -> None:
    """The error names the field."""
    ctx = ContextManager(8_000)
    ctx.add({"role": "user", "content": "go"})
    with pytest.raises(InvalidMessageError, match="input_tokens"):
        ctx.record_usage(input_tokens=None)  # type: ignore[arg-type]


def test_a_session_opened_again_cuts_where_it_would_have_cut(stores: Stores) -> None:
    """The message that tells the shape belongs to the same step, live and read from disk."""
    call = {"type": "tool_use", "id": "t1", "name": "ls", "input": {}}
    ctx = ContextManager(8_000, store=stores(), session="s")
    ctx.add({"role": "user", "content": "go"})
    ctx.add({"role": "assistant", "content": [{"type": "text", "text": "first"}]})
    ctx.add({"role": "assistant", "content": [call]})
    live = [step.first for step in ctx._session.log.steps.all]  # pyright: ignore[reportPrivateUsage]
    ctx.close()
    with ContextManager.open(stores(), "s") as again:
        steps = again._session.log.steps.all  # pyright: ignore[reportPrivateUsage]
        assert [step.first for step in steps] == live == [1, 2]


@pytest.mark.parametrize("window", [2_000, 8_000, 32_000])
def test_pins_leave_room_for_the_persons_own_words(window: int) -> None:
    """However many are pinned: goal, standing constraints and the newest text stay in the window."""
    ctx = ContextManager(window)
    ctx.add(user("Fix the parser for leap years. Never touch legacy.py."))
    with pytest.raises(BudgetError, match="beside the user's own words"):
        for number in range(10_000):
            ctx.pin(f"pinned note number {number} which says something of use")
    ctx.add(assistant("Understood."))
    ctx.add(user("Now do part seven. Do not use eval."))
    for number in range(14):
        ctx.add(looks("chat", number, lines=window // 400))
    ctx.compact()
    told = str(ctx.messages)
    assert [
        text for text in ("leap years", "Never touch legacy.py", "part seven", "Do not use eval") if text not in told
    ] == []


def test_the_same_words_are_pinned_once() -> None:
    """By the caller or by a hook that wishes it at each compaction."""
    ctx = ContextManager(8_000, pre_compact=lambda _: Pin("Never call prod."))
    ctx.add(user("Go."))
    for number in range(12):
        ctx.add(looks("chat", number))
        ctx.compact()
    assert str(ctx.messages).count("Never call prod.") == 1
    assert ctx.pin("Never call prod.") == ctx.engrams[0]


def test_a_heavy_head_does_not_miss_the_target() -> None:
    """The tail gives way to its newest step before the window stays over head + 20 %."""
    ctx = ContextManager(20_000, system="You are careful. " * 1_800)
    head = ctx.usage.share
    assert 0.25 < head < 0.45
    ctx.add(user("Look at all parts. Never skip one."))
    for number in range(60):
        ctx.add(looks("chat", number, lines=12))
        ctx.prepare()
    applied = [receipt for receipt in ctx.compactions if receipt.outcome == "applied"]
    assert applied
    assert all(receipt.tokens_after <= (head + 0.21) * 20_000 for receipt in applied)


def test_the_change_shown_beside_a_file_is_that_of_its_newest_edit() -> None:
    """One whose lines aren't known shows none: an old value never stands as the newest."""
    ctx = ContextManager(8_000)
    ctx.add(user("Set the timeout."))
    first = {"path": "src/app.py", "old_string": "TIMEOUT = 10", "new_string": "TIMEOUT = 30"}
    ctx.add(tool_round([Call("edit", first, result="updated", id="a")]))
    ctx.add(tool_round([Call("write_file", {"path": "src/app.py", "content": "TIMEOUT = 60\n"}, result="ok", id="b")]))
    other = {"path": "z.py", "old_string": "a", "new_string": "b"}
    ctx.add(tool_round([Call("edit", other, result="updated", id="c")]))
    for number in range(8):
        ctx.add(looks("chat", number))
    ctx.compact()
    assert "TIMEOUT = 60" in str(ctx.messages)
    assert "TIMEOUT = 30" not in str(ctx.messages)


def test_a_journal_line_without_an_id_is_recalled(tmp_path: Path) -> None:
    """Written by hand, or by an older version."""
    (tmp_path / "memory.jsonl").write_text('{"action": "edit", "file": "old.py", "reason": "the zebra"}\n', "utf-8")
    ctx = ContextManager(8_000, store=tmp_path)
    ctx.add(user("Go."))
    assert "old.py" in ctx.recall("zebra")[0].text
