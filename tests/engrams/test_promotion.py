"""What later steps refer to three times after it left the window is promoted, below the four kinds."""

from __future__ import annotations

from typing import Any

import pytest

from context_kit import ContextManager
from context_kit.testing import Call, assistant, tool_round, user

TABLE = "code  meaning\n" + "\n".join(f"E{number:03}  reason number {number} of the gateway" for number in range(40))


def session(store: Any = None) -> ContextManager:
    """One with a table that a command printed, compacted away."""
    ctx = ContextManager(16_000, store=store, session="s")
    for message in (
        user("Map the gateway's codes."),
        *tool_round([Call("bash", {"command": "gateway --codes"}, result=TABLE, id="t1")], text="The codes first."),
    ):
        ctx.add(message)
    work(ctx, 2)
    ctx.compact()
    return ctx


def work(ctx: ContextManager, steps: int, said: str = "On with part {n}.") -> None:
    """Steps of other work."""
    for number in range(steps):
        output = f"part {number} listed\n" * 200
        for message in tool_round(
            [Call("bash", {"command": f"ls -R part{number}"}, result=output, id=f"w{number}")],
            text=said.format(n=number),
        ):
            ctx.add(message)


def promoted(ctx: ContextManager) -> list[Any]:
    """What is promoted now."""
    return [engram for engram in ctx.engrams if engram.kind == "promoted"]


def test_what_is_fetched_three_times_is_promoted() -> None:
    """By words or by address; its hits show it, and the text stands in the bridge."""
    ctx = session()
    assert "E031  reason" not in str(ctx.messages)
    for query in ("E031 reason", "m3", "E007"):
        assert any("E007" in found.text for found in ctx.recall(query))
    work(ctx, 2)
    ctx.compact()
    (engram,) = promoted(ctx)
    assert (engram.source, engram.hits, engram.status) == ("m3", 3, "active")
    assert "E031  reason number 31" in str(ctx.messages)


def test_twice_is_not_enough() -> None:
    """Rule of three."""
    ctx = session()
    for query in ("E031 reason", "m3"):
        ctx.recall(query)
    work(ctx, 2)
    ctx.compact()
    assert promoted(ctx) == []


def test_fetches_are_remembered_on_disk(tmp_path: Any) -> None:
    """A session that is opened again counts on; one that is closed may still be read."""
    ctx = session(tmp_path)
    ctx.recall("m3")
    ctx.recall("m3")
    ctx.close()
    assert ctx.recall("m3")
    again = ContextManager.open(tmp_path, "s")
    again.recall("m3")
    work(again, 2)
    again.compact()
    assert [(engram.source, engram.hits) for engram in promoted(again)] == [("m3", 3)]


def test_a_solved_error_that_is_still_quoted_is_promoted() -> None:
    """Its own text, with the command that met it."""
    line = "ConnectionError: the broker refused the session token"
    failed, passed = f"{line}\n1 failed in 0.2s", "4 passed in 0.2s"
    ctx = ContextManager(16_000)
    for message in (
        user("Make the broker tests pass."),
        *tool_round([Call("bash", {"command": "pytest -q"}, result=failed, id="t1")], text="First the tests."),
        *tool_round([Call("bash", {"command": "pytest -q"}, result=passed, id="t2")], text="Again."),
    ):
        ctx.add(message)
    work(ctx, 2)
    ctx.compact()
    assert promoted(ctx) == []
    work(ctx, 3, said=f"Part {{n}} may meet `{line}` as well.")
    ctx.add(assistant("On.")[0])
    work(ctx, 2)
    ctx.compact()
    (engram,) = promoted(ctx)
    assert (engram.source, engram.hits) == ("m3", 3)
    assert line in engram.text


@pytest.mark.parametrize(
    ("later", "now"),
    [
        (
            Call(
                "edit_file", {"path": "a.toml", "old_string": "port = 8080", "new_string": "port = 9090"}, result="ok"
            ),
            True,
        ),
        (Call("write_file", {"path": "a.toml", "content": "port = 9090\n"}, result="ok"), True),
        (Call("read_file", {"path": "a.toml"}, result="port = 9090\n"), True),
        (Call("bash", {"command": "sed -i 's/8080/9090/' a.toml"}, result=""), False),
        (Call("bash", {"command": "rm a.toml"}, result=""), False),
    ],
    ids=["edit", "write", "read", "unknown edit", "removal"],
)
def test_an_older_state_of_a_file_is_not_promoted(later: Call, now: bool) -> None:
    """What was fetched again and again is the file: as it is now where that is known, never as it was."""
    ctx = ContextManager(16_000)
    ctx.add(user("Set it up."))
    shown = "port = 8080\nhost = 'x'\n" + "k = 1\n" * 10
    ctx.add(tool_round([Call("read_file", {"path": "a.toml"}, result=shown, id="r1")]))
    work(ctx, 3)
    ctx.compact()
    for _ in range(4):
        ctx.recall("m3")
    ctx.add(tool_round([Call(later.name, later.arguments, result=later.result, id="e1")]))
    ctx.add(tool_round([Call("write_file", {"path": "b.py", "content": "x = 1\n"}, result="ok", id="e2")]))
    work(ctx, 3)
    ctx.compact()
    kept = promoted(ctx)
    assert not any("8080" in engram.text for engram in kept)
    assert any("port = 9090" in engram.text and engram.label == "a.toml" for engram in kept) == now


def test_a_promoted_file_tells_why_it_may_be_another_now() -> None:
    """A command that may have changed it ran since."""
    ctx = ContextManager(16_000)
    ctx.add(user("Set it up."))
    ctx.add(tool_round([Call("read_file", {"path": "a.toml"}, result="port = 8080\n", id="r1")]))
    ctx.add(tool_round([Call("write_file", {"path": "b.py", "content": "x = 1\n"}, result="ok", id="e2")]))
    ctx.add(
        tool_round([Call("bash", {"command": "git pull"}, result="Updating 1..2", id="g1")], text="Now a.toml again.")
    )
    work(ctx, 4, said="Then a.toml, part {n}.")
    ctx.compact()
    (engram,) = [engram for engram in promoted(ctx) if "8080" in engram.text]
    assert engram.label == "a.toml · `git pull` ran after this was seen"
