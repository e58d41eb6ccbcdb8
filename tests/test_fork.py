"""A subagent's context: head, bridge, task; shared memory; its answer is the parent's tool result."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import BudgetError, ContextKitError, ContextManager, InvalidMessageError, StoreError, Tool
from context_kit.testing import Call, ScriptedLLM, assistant, conversations, system, tool_round, user
from context_kit.types import TaskSummary
from context_kit.typing import Shape
from context_kit.wire import faults
from tests.talks import SHAPES, accepted, prints, speaks, told

TASK = "Find every caller of parse()."
GOAL = "Fix src/app.py. Do not touch tests/."


def parent(shape: Shape = "chat", rounds: int = 0, window: int = 12_000, **settings: Any) -> ContextManager:
    """A session that asks for a subagent; compacted where it had rounds enough."""
    ctx = ContextManager(window, **settings)
    if shape != "anthropic":
        ctx.add(system("You repair Python files."))
    ctx.add(user(GOAL))
    work(ctx, shape, rounds)
    ctx.add(tool_round([Call("agent", {"task": TASK}, result=None, id="ask")], shape=shape))
    return ctx


def work(ctx: ContextManager, shape: Shape, rounds: int, name: str = "f") -> None:
    for number in range(rounds):
        call = Call("Read", {"file_path": f"src/{name}{number}.py"}, result="value = 1\n" * 300, id=f"{name}{number}")
        ctx.add(tool_round([call], shape=shape))
        assert faults(ctx.prepare(), shape=shape) == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_after_a_compaction_it_begins_with_head_and_bridge(shape: Shape) -> None:
    """The same bytes as the parent's window begins with, so the prompt cache stays warm; then the task."""
    ctx = parent(shape, rounds=10)
    receipt = ctx.compactions[-1]
    window = ctx.fork(TASK).prepare()
    assert prints(window[:-1]) == prints(ctx.messages[: len(window) - 1])
    assert str(window[-2]["content"]).startswith(f"[context record {receipt.id} ")
    assert window[-1] == user(TASK)
    assert faults(window, shape=shape) == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_before_a_compaction_a_record_is_made(shape: Shape) -> None:
    """Goal, constraints and what was done are told although nothing was compacted yet; no model is asked."""
    llm = ScriptedLLM([])
    ctx = parent(shape, rounds=2, llm=llm)
    window = ctx.fork(TASK).prepare()
    bridge = window[-2]["content"]
    assert ctx.compactions == ()
    assert GOAL in bridge
    assert "src/f1.py" in bridge
    assert window[-1] == user(TASK)
    assert len(window) == (2 if shape == "anthropic" else 3)
    assert not llm.requests


def test_words_and_pins_of_the_tail_are_told() -> None:
    """What a person said or pinned since the last compaction is in no bridge yet: the fork's has it."""
    ctx = parent(rounds=10)
    ctx.add({"role": "tool", "tool_call_id": "ask", "content": "none"})
    ctx.add(user("And never rename run()."))
    pin = ctx.pin("Freeze on Friday.")
    child = ctx.fork(TASK)
    text = told(child.prepare())
    assert all(words in text for words in (GOAL, "And never rename run().", "Freeze on Friday."))
    assert [engram.id for engram in child.engrams if engram.kind == "note"] == [pin.id]
    assert text.count("Freeze on Friday.") == 1
    assert child.pin("Another.").id != pin.id


def test_a_pin_without_room_is_left_out() -> None:
    """A fork whose budget can't hold it goes without, and the parent keeps it."""
    ctx = parent(window=64_000)
    ctx.pin("word " * 2_000)
    assert ctx.fork(TASK, window=4_000).prepare()[-1] == user(TASK)
    assert len(ctx.engrams) == 1


def test_nothing_before_it_leaves_the_task_alone() -> None:
    """A session that heard nothing has no bridge."""
    assert ContextManager(8_000).fork(TASK).prepare() == [user(TASK)]
    ctx = ContextManager(8_000)
    ctx.add(system("Be terse."))
    assert ctx.fork(TASK).prepare() == [system("Be terse."), user(TASK)]


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_its_work_leaves_the_parent_alone(shape: Shape, stored: bool, tmp_path: Path) -> None:
    """The parent's window keeps its bytes; the child compacts by itself and still knows goal and task."""
    where: dict[str, Any] = {"store": tmp_path, "session": "main"} if stored else {}
    ctx = parent(shape, rounds=10, **where)
    before = prints(ctx.messages)
    child = ctx.fork(TASK)
    work(child, shape, 12, name="g")
    assert len(child.compactions) > 1
    assert prints(ctx.messages) == before
    text = told(child.messages)
    assert GOAL in text
    assert TASK in text


@pytest.mark.parametrize("stored", [False, True])
def test_memory_is_shared(stored: bool, tmp_path: Path) -> None:
    """What the subagent did stands in the parent's memory at once, under its own session and agent."""
    where: dict[str, Any] = {"store": tmp_path, "session": "main"} if stored else {}
    ctx = parent(**where)
    child = ctx.fork(TASK)
    child.add(tool_round([Call("Bash", {"command": "pytest"}, result="1 failed\nError: boom\nExit code: 1", id="t")]))
    ctx.memory.append(action="decide", reason="split the module")
    noted = {(record.session, record.agent, record.action) for record in ctx.memory.records()}
    assert noted == {(child.session, "fork1", "fail"), (ctx.session, "", "decide")}
    assert child.memory.records() == ctx.memory.records()
    assert [record.action for record in ctx.memory.records(child.session)] == ["fail"]
    assert child.memory.search("split") == ctx.memory.search("split") != ()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_answer_is_the_calls_result(shape: Shape) -> None:
    """One line brings it home, whole, in the parent's shape."""
    ctx = parent(shape, rounds=10)
    child = ctx.fork(TASK)
    child.add(assistant("Two callers: a.py and b.py.", shape=shape))
    ctx.add(child.answer("ask"))
    assert faults(ctx.prepare(), shape=shape) == ()
    assert "Two callers: a.py and b.py." in str(ctx.messages[-1])
    assert "is_error" not in str(ctx.messages[-1])
    with pytest.raises(InvalidMessageError, match="no call 'ask' waits"):
        child.answer("ask")


def test_a_custom_call_is_answered_in_kind() -> None:
    """The result item is the one that the call's kind takes."""
    ctx = ContextManager(12_000)
    ctx.add(user(GOAL))
    ctx.add(tool_round([Call("agent", TASK, result=None, id="ask")], shape="responses"))
    child = ctx.fork(TASK)
    child.add(user("Answer now."))
    child.add(assistant("Here.", shape="responses"))
    assert child.answer("ask") == {"type": "custom_tool_call_output", "call_id": "ask", "output": "Here."}


def test_an_answer_needs_a_fork_and_a_reply() -> None:
    """A session that is no fork, or has said nothing, says what to do."""
    ctx = parent()
    with pytest.raises(ContextKitError, match="no fork"):
        ctx.answer("ask")
    child = ctx.fork(TASK)
    with pytest.raises(ContextKitError, match="has not answered yet"):
        child.answer("ask")
    child.add(assistant("Done."))
    with pytest.raises(InvalidMessageError, match="those that do: 'ask'"):
        child.answer("other")


@pytest.mark.parametrize("shape", SHAPES)
def test_two_at_once(shape: Shape) -> None:
    """Parallel subagents are made and work in threads, while the parent goes on; each answers its own call."""
    ctx = ContextManager(12_000)
    ctx.add(user(GOAL))
    calls = [Call("agent", {"task": TASK}, result=None, id=f"ask{number}") for number in range(4)]
    ctx.add(tool_round(calls, shape=shape))

    def run(number: int) -> tuple[str, Any]:
        child = ctx.fork(f"{TASK} Part {number}.")
        work(child, shape, 6, name=f"p{number}_")
        child.add(assistant(f"Part {number} is done.", shape=shape))
        return child.session, child.answer(f"ask{number}")

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(run, range(4)))
    assert len({name for name, _ in found}) == 4
    for _, answer in found:
        ctx.add(answer)
    assert faults(ctx.prepare(), shape=shape) == ()
    assert all(f"Part {number} is done." in told(ctx.messages) for number in range(4))


def test_a_fork_of_a_fork(tmp_path: Path) -> None:
    """A subagent may have one of its own: goal and tasks go down, answers and memory come up."""
    ctx = parent(rounds=10, store=tmp_path, session="main")
    child = ctx.fork(TASK)
    work(child, "chat", 10, name="g")
    child.add(tool_round([Call("agent", {}, result=None, id="inner")]))
    grandchild = child.fork("Look into a.py.")
    assert (grandchild.session, grandchild.memory.agent) == ("main.fork1.fork1", "fork1.fork1")
    text = told(grandchild.prepare())
    assert all(words in text for words in (GOAL, TASK, "Look into a.py."))
    assert grandchild.recall("m4")[0].text == ctx.recall("m4")[0].text
    grandchild.add(assistant("Nothing there."))
    child.add(grandchild.answer("inner"))
    assert faults(child.prepare(), shape="chat") == ()


def test_a_window_smaller_than_the_bridge() -> None:
    """The fork's bridge is made for its own window, and it works there."""
    ctx = parent(rounds=60, window=64_000)
    ctx.compact()
    child = ctx.fork(TASK, window=2_500)
    window = child.prepare()
    assert child.usage.window == 2_500
    assert child.usage.tokens <= 2_000
    assert GOAL in told(window)
    assert window[-1] == user(TASK)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=20, deadline=None)
@given(data=st.data(), window=st.sampled_from([None, 2_000, 4_000]), compact=st.booleans())
def test_any_session_has_forks(shape: Shape, data: st.DataObject, window: int | None, compact: bool) -> None:
    """Whatever was said before, each list of the fork is legal and fits, and the parent's bytes stay."""
    ctx = ContextManager(6_000)
    for message in [user(GOAL), *tool_round([Call("look", result="x")], shape=shape)]:
        ctx.add(message)
    for message in data.draw(conversations(shape, interrupted=True, giant=1_000, max_steps=6)):
        if message.get("role") not in ("system", "developer"):
            ctx.add(message)
    if compact:
        ctx.compact()
    before = prints(ctx.messages)
    child = ctx.fork(TASK, window=window)
    assert told(child.prepare()[-1:]).endswith(TASK)
    for message in data.draw(conversations(shape, giant=1_000, max_steps=6)):
        if speaks(message):
            messages = child.prepare()
            assert faults(messages, shape=shape) == ()
            accepted(messages, shape)
            assert child.usage.tokens <= (window or 6_000) * 0.8
        if message.get("role") not in ("system", "developer"):
            child.add(message)
    assert prints(ctx.messages) == before


@pytest.mark.parametrize("window", [0, -1, 1.5, "8000"])
def test_a_window_must_be_a_size(window: Any) -> None:
    """A window that is none is refused by name, and no session is begun."""
    with pytest.raises(BudgetError, match="window"):
        parent().fork(TASK, window=window)


def test_what_it_is_given_is_checked() -> None:
    """A task is a text, a summariser can be called, a closed session has no subagents."""
    ctx = parent()
    for task in ("", "  ", None):
        with pytest.raises(InvalidMessageError, match="is no task"):
            ctx.fork(task)  # type: ignore[arg-type]
    with pytest.raises(BudgetError, match="can't be called"):
        ctx.fork(TASK, llm=3)  # type: ignore[arg-type]
    ctx.close()
    with pytest.raises(StoreError, match="closed"):
        ctx.fork(TASK)


def test_settings_are_the_parents() -> None:
    """Redaction, counting, tools' meanings, model and roles hold in the fork; the summariser may be its own."""
    ctx = ContextManager(
        8_000,
        model="gpt-4o",
        strict_roles=True,
        redact=lambda text: text.replace("hunter2", "***"),
        count=lambda text: len(text) // 2,
        semantics={"put": Tool("edit", path="target", content="body")},
    )
    ctx.add(user("Fix it. The password is hunter2."))
    ctx.add(assistant("Which one?"))
    with ScriptedLLM([TaskSummary(todo=["go on"])]) as llm:
        child = ctx.fork(TASK, llm=llm)
        window = child.prepare()
        assert len(window) == 1
        assert "hunter2" not in told(window)
        child.add(tool_round([Call("put", {"target": "src/new.py", "body": "x = 1\n" * 900}, result="ok", id="p")]))
        child.add(tool_round([Call("look", {}, result="y = 2\n" * 900, id="q")]))
        assert child.compact().summariser == "llm"
    assert "src/new.py" in told(child.messages)


def test_addresses_in_the_bridge_are_the_parents() -> None:
    """Recall follows the bridge to the parent's texts; the fork's own places begin behind them."""
    ctx = parent(rounds=10)
    child = ctx.fork(TASK)
    work(child, "chat", 12, name="g")
    for receipt in ctx.compactions:
        for address in (*receipt.summarised, receipt.id):
            assert [each.text for each in child.recall(address)] == [each.text for each in ctx.recall(address)] != []
    base = 2 + 2 * 10 + 1
    own = [address for receipt in child.compactions[1:] for address in receipt.summarised]
    assert min(int(address[1:]) for address in own) == base + 1
    assert child.recall(f"m{base + 1}")[0].text == TASK
    assert "src/g0.py" in child.recall(f"m{base + 2}")[0].text
    assert len({receipt.id for receipt in child.compactions}) == len(child.compactions)


def test_words_are_looked_for_in_both() -> None:
    """What only the parent's log has is found from the fork."""
    ctx = ContextManager(12_000)
    ctx.add(user(GOAL))
    ctx.add(assistant("The zebra parser drops a sign."))
    work(ctx, "chat", 10)
    found = ctx.fork(TASK).recall("zebra")
    assert [(each.address, each.source.session) for each in found] == [("m2", ctx.session)]


def test_it_reopens_exactly(tmp_path: Path) -> None:
    """A fork is a session of the store: closed and opened again it sends the same bytes."""
    ctx = parent(rounds=10, store=tmp_path, session="main")
    with ctx.fork(TASK) as child:
        work(child, "chat", 12, name="g")
        before = prints(child.messages)
        assert child.session == "main.fork1"
    with ContextManager.open(tmp_path, "main.fork1") as again:
        assert prints(again.messages) == before
    assert ctx.fork(TASK).session == "main.fork2"
    ctx.close()
    with ContextManager.open(tmp_path, "main") as reopened, reopened.fork(TASK) as third:
        assert third.session == "main.fork3"


def test_its_first_receipt_says_where_it_comes_from() -> None:
    """The bridge that a fork begins with has a receipt, so its place in the numbers is plain."""
    ctx = parent(rounds=2)
    (receipt,) = ctx.fork(TASK).compactions
    assert receipt.reason == f"fork of {ctx.session}"
    assert receipt.outcome == "applied"
