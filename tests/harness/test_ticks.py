"""Ticks: what code writes at a round's end, what the next round is told, what is known again."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from context_kit import BudgetError, ContextKitError, ContextManager, Finding, Harness, StoreError, TickError
from context_kit.harness.ticks._page import Page, parse_page
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.typing import Message, Shape
from tests.talks import GOAL, PASSED, SHAPES, accepted, feed, looks, prints, reads, runs, told, writes

WINDOW = 16_000
RECORD = "[tick record"
PARSER = "def parse(text):\n    return int(text)\n"
MENDED = "def parse(text):\n    try:\n        return int(text)\n    except ValueError:\n        return None\n"
BROKEN = "src/parser.py:2: ValueError\nFAILED tests/test_parser.py::test_parse - ValueError\n1 failed in 0.02s"
REVIEW = "Findings:\n- src/parser.py:2 the error handling of parse is incomplete"
AGAIN = "Findings:\n1. `src/parser.py:4`: incomplete error handling in parse"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test in a directory of its own: `.harness` stands there."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begun(window: int = WINDOW, **settings: Any) -> ContextManager:
    ctx = ContextManager(window, **settings)
    ctx.add(user(GOAL))
    return ctx


def page(number: int) -> str:
    return Path(f".harness/tick-{number}-summary.md").read_text("utf-8")


def section(number: int, name: str) -> str:
    return page(number).partition(f"\n## {name}\n")[2].split("\n\n## ")[0].strip()


def mended(ctx: ContextManager, title: str = "the parser", *, edit: str = "w1") -> None:
    """A round in which a problem is named, mended and checked."""
    with ctx.tick(title) as tick:
        tick.write("next", "none")
        feed(
            ctx,
            [*reads("chat", "src/parser.py", PARSER, id=f"r{edit}"), *runs("chat", BROKEN, id=f"f{edit}", failed=True)],
        )
        feed(ctx, writes("chat", "src/parser.py", MENDED, id=edit, text=REVIEW))
        feed(ctx, [*runs("chat", PASSED, id=f"p{edit}"), *looks("chat", 1)])


def checked(ctx: ContextManager, title: str, number: int) -> None:
    """A round in which a check passes and nothing else happens."""
    with ctx.tick(title) as tick:
        tick.write("next", "none")
        feed(ctx, runs("chat", PASSED, id=f"check_{number}"))


def records(ctx: ContextManager) -> list[str]:
    return [message["content"] for message in ctx.messages if str(message.get("content")).startswith(RECORD)]


# -- the file ------------------------------------------------------------------------------


def test_the_file_says_what_the_log_shows() -> None:
    """Changes with line counts, checks with their newest result, problems with their places and what became of them."""
    ctx = begun()
    mended(ctx)
    assert section(1, "What was done").splitlines() == [
        "- src/parser.py: +4 −1 lines (m8)",
        f"- `pytest -q` passed: {PASSED.splitlines()[-1].strip('= ')} (m10, 2×)",
        "- 1 other command: `ls -la part1` (m12)",
    ]
    assert section(1, "Problems found").splitlines() == [
        "- src/parser.py:2 ValueError (m6) — by `pytest -q`, test `tests/test_parser.py::test_parse`",
        "- src/parser.py:2 the error handling of parse is incomplete (m7)",
    ]
    assert section(1, "Fixed").splitlines() == [
        "- src/parser.py:2 ValueError (m6) — by `pytest -q`, test `tests/test_parser.py::test_parse`, `pytest -q` passed (m10)",
        "- src/parser.py:2 the error handling of parse is incomplete (m7) — edited there (m8), `pytest -q` passed (m10)",
    ]
    assert (section(1, "Open"), "- state: closed" in page(1)) == ("none", True)


def test_an_edit_alone_mends_nothing() -> None:
    """A problem whose place was edited stays open until a check passes; what a check printed, until that one passes."""
    ctx = begun()
    with ctx.tick("the parser") as tick:
        feed(ctx, runs("chat", BROKEN, id="f1", failed=True))
        feed(ctx, writes("chat", "src/parser.py", MENDED, id="w1", text=REVIEW))
        tick.write("next", "run the tests")
    assert section(1, "Fixed") == "none"
    assert "edited there (m5), no check passed since" in section(1, "Open")
    assert "src/parser.py:2 ValueError (m3) — by `pytest -q`" in section(1, "Open")


def test_a_passed_check_of_all_mends_what_one_of_a_part_found() -> None:
    """`pytest -q` looks at what `pytest tests/test_parser.py` found; a run of that file at what was found in it."""
    part, other = "pytest tests/test_parser.py", "pytest tests/test_lexer.py"
    for number, (first, second, fixed) in enumerate(
        [(part, "pytest -q", True), ("pytest -q", part, True), ("pytest -q", other, False), (part, other, False)], 1
    ):
        ctx = begun()
        with ctx.tick(f"round {number}") as tick:
            feed(ctx, runs("chat", BROKEN, id="f1", failed=True, command=first))
            feed(ctx, runs("chat", PASSED, id="p1", command=second))
            tick.write("next", "none")
        assert ("ValueError" in section(number, "Fixed")) is fixed


def test_open_problems_go_on_until_they_are_fixed() -> None:
    """What one tick leaves open the next one carries, with the tick that found it; the one that mends it says so."""
    ctx = begun()
    with ctx.tick("review") as tick:
        feed(ctx, [*runs("chat", PASSED, id="p0"), *assistant(REVIEW)])
        ctx.add(user("Go on."))
    assert tick.path.is_file()
    checked(ctx, "another thing", 1)
    assert section(2, "Open") == "- src/parser.py:2 the error handling of parse is incomplete (m5) — found in tick 1"
    with ctx.tick("mend it") as tick:
        tick.write("next", "none")
        feed(ctx, [*writes("chat", "src/parser.py", MENDED, id="w1"), *runs("chat", PASSED, id="p1")])
    assert section(3, "Open") == "none"
    assert "found in tick 1, edited there" in section(3, "Fixed")
    checked(ctx, "and on", 2)
    assert section(4, "Open") == "none"


def test_prose_is_added() -> None:
    """The caller's words stand beside what the log shows; lines with a place become problems."""
    ctx = begun()
    with ctx.tick("review") as tick:
        feed(ctx, runs("chat", PASSED, id="p0"))
        tick.write("done", "Chose the small parser, because the large one needs a dependency.")
        tick.write("found", "- src/a.py:7 the lock is never released\n- src/b.py:9 the retry has no end")
        tick.write("fixed", "src/b.py:9 the retry has no end")
        tick.write("next", "## look at the lock")
    assert "Chose the small parser" in section(1, "What was done")
    assert section(1, "Open") == "- src/a.py:7 the lock is never released"
    assert section(1, "Fixed") == "- src/b.py:9 the retry has no end — as was written"
    assert "## look at the lock" in section(1, "Next")
    read = parse_page(page(1), 1)
    assert [len(read.sections[name]) for name in ("found", "fixed", "open")] == [2, 1, 1]


def test_prose_without_a_problem_is_none() -> None:
    """A reviewer's plain words stand in the section; only what names a problem is one."""
    ctx = begun()
    with ctx.tick("review") as tick:
        tick.write("found", "I looked at the parser and the writer.\n- the retry never ends\n- src/a.py:3: leaks")
        tick.write("next", "none")
    assert section(1, "Open").splitlines() == ["- the retry never ends", "- src/a.py:3 leaks"]
    assert "I looked at the parser and the writer." in section(1, "Problems found")


def test_chinese_sessions_get_chinese_files() -> None:
    """The words are the conversation's; the file is read back all the same."""
    ctx = ContextManager(WINDOW)
    ctx.add(user("请修好解析器，不要改测试。"))
    with ctx.tick("解析器") as tick:
        feed(ctx, [*runs("chat", PASSED, id="p0"), *assistant("发现的问题：\n- src/parser.py:2 错误处理不完整")])
        tick.write("next", "修复解析器")
    assert "## 待修复\n- src/parser.py:2 错误处理不完整 (m5)" in page(1)
    (read,) = Harness().pages
    assert (read.title, read.state, len(read.sections["open"])) == ("解析器", "closed", 1)


# -- undecided, interrupted ----------------------------------------------------------------


def test_what_nobody_decided_refuses_the_close() -> None:
    """By name, with what to do; what was written is kept, and the same tick can be closed after."""
    ctx = begun()
    tick = ctx.tick("look")
    with pytest.raises(TickError, match=r"tick 1 can't be closed, 'found' and 'next' undecided") as refused, tick:
        feed(ctx, reads("chat", "src/parser.py", PARSER, id="r1"))
        tick.write("done", "read the parser")
        assert tick.undecided == ("found", "next")
    assert (refused.value.undecided, refused.value.number, tick.path.exists()) == (("found", "next"), 1, False)
    tick.write("found", "none")
    tick.write("next", "none")
    tick.close()
    assert (section(1, "Problems found"), section(1, "Next")) == ("none", "none")
    assert "read the parser" in section(1, "What was done")
    with pytest.raises(TickError, match="tick 1 has ended"):
        tick.write("next", "more")


def test_a_check_that_passed_decides_that_there_are_no_problems() -> None:
    """`none` stands where the log shows it: a check ran, and a flow that ended leads nowhere."""
    ctx = begun()
    harness = Harness()
    harness.declare({"all": []})
    with ctx.tick("check", harness=harness) as tick:
        before = tick.undecided
        feed(ctx, runs("chat", PASSED, id="p0"))
        assert (before, tick.undecided) == (("found",), ())
    assert [section(1, name) for name in ("Problems found", "Fixed", "Open", "Next")] == ["none"] * 4


def test_a_refused_tick_goes_on_under_its_title() -> None:
    """Begun again it is the same tick; another title brings it to an end, marked as interrupted."""
    ctx = begun()
    begun_again = [ctx.tick("look")]
    with pytest.raises(TickError), begun_again[0] as tick:
        tick.write("done", "read on")
    begun_again.append(ctx.tick("look"))
    with pytest.raises(TickError), begun_again[1] as tick:
        tick.write("done", "read on")
    assert [(each.number, each.resumed) for each in begun_again] == [(1, False), (1, True)]
    with ctx.tick("another") as tick:
        feed(ctx, runs("chat", PASSED, id="p0"))
        tick.write("next", "none")
    assert tick.number == 2
    assert "- state: interrupted (left for another)" in page(1)
    assert ("read on" in page(1), section(1, "Problems found")) == (True, "undecided")


@pytest.mark.parametrize(
    "error",
    [ValueError("the key is sk-proj-abcdefghijklmnopqrstuvwxyz123456"), KeyboardInterrupt(), asyncio.CancelledError()],
)
def test_an_exception_writes_an_interrupted_tick(error: BaseException) -> None:
    """It goes on to the caller; the file says what interrupted, without secrets, and keeps what was there."""
    ctx = begun()
    with pytest.raises(type(error)), ctx.tick("the parser") as tick:
        feed(ctx, runs("chat", BROKEN, id="f1", failed=True))
        tick.write("done", "half of it")
        raise error
    text = page(1)
    assert f"- state: interrupted ({type(error).__name__}" in text
    assert ("sk-proj" in text, "half of it" in text, "ValueError (m3)" in text) == (False, True, True)
    assert [path.name for path in Path(".harness").glob("*.draft.json")] == []


def test_async_with_does_the_same() -> None:
    """A tick of an event loop: closed, refused, interrupted."""

    async def work(ctx: ContextManager) -> None:
        async with ctx.tick("first") as tick:
            ctx.add(runs("chat", PASSED, id="p0"))
            await ctx.aprepare()
            tick.write("next", "second")
        with pytest.raises(TickError):
            async with ctx.tick("second"):
                pass
        with pytest.raises(ZeroDivisionError):
            async with ctx.tick("second"):
                _ = 1 / 0

    asyncio.run(work(begun()))
    assert ("state: closed" in page(1), "state: interrupted (ZeroDivisionError" in page(2)) == (True, True)


def test_one_tick_at_a_time() -> None:
    """A tick inside a tick is refused; so is one of a closed session, without a title, or with an unknown section."""
    ctx = begun()
    with ctx.tick("outer") as tick:
        with pytest.raises(ContextKitError, match="tick 1 is under way"):
            ctx.tick("inner")
        with pytest.raises(BudgetError, match="done, found, fixed, open, next"):
            tick.write("todo", "x")  # type: ignore[arg-type]
        with pytest.raises(BudgetError, match="or 'none'"):
            tick.write("found", " ")
        tick.write("found", "none")
        tick.write("next", "none")
    with pytest.raises(BudgetError, match="title"):
        ctx.tick(" \n")
    ctx.close()
    with pytest.raises(StoreError):
        ctx.tick("more")


def test_a_folder_that_cannot_be_written_is_told() -> None:
    """At the start, where nothing is lost yet."""
    Path("taken").write_text("a file", "utf-8")
    ctx = begun()
    with pytest.raises(StoreError, match="taken"):
        ctx.tick("x", harness="taken")
    checked_after = ctx.tick("x")
    assert checked_after.number == 1


# -- what the next tick is told --------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_the_start_is_told_once_at_a_legal_place(shape: Shape) -> None:
    """A short message after the results or the user's words, never between a call and its result; bytes before it stay."""
    harness = Harness()
    harness.declare({"build": ["review"], "review": []})
    harness.require("All tests pass")
    harness.note("The plan stands.")
    ctx = ContextManager(WINDOW)
    ctx.add(user(GOAL, shape=shape))
    sent: list[list[Message]] = []
    for number in range(3):
        with ctx.tick(f"round {number}") as tick:
            sent += feed(ctx, runs(shape, PASSED, id=f"p{number}"))
            sent.append(ctx.prepare())
            sent += feed(ctx, looks(shape, number, lines=3))
            sent.append(ctx.prepare())
            assert tick.number == number + 1
    for messages in sent:
        accepted(messages, shape)
    for one, two in pairwise(sent):
        assert prints(two)[: len(one)] == prints(one)
    window = told(ctx.messages)
    assert [window.count(f"round {number}\n") for number in range(3)] == [1, 1, 1]
    for line in ("node: build; from here: review", "Open criteria: A1", "- A1 All tests pass", "The plan stands."):
        assert line in window


def test_the_newest_three_are_told_and_older_ones_recalled() -> None:
    """A new session begins with the newest three files, whatever there are; every other one is under its address."""
    ctx = begun()
    for number in range(1, 6):
        checked(ctx, f"part {number}", number)
    later = ContextManager(WINDOW)
    later.add(user("Go on with the parts."))
    with later.tick("part 6") as tick:
        later.prepare()
        assert re.findall(r"\[(t\d) ·", told(later.messages)) == ["t5", "t4", "t3"]
        for query in ("t1", "tick 1", "Tick 1", 'recall("t1")', "tick-1-summary.md", "轮次 1"):
            assert [each.text for each in later.recall(query)] == [page(1)]
        assert later.recall("part 2")[0].address == "t2"
        assert later.recall("t99") == []
        tick.write("found", "none")
        tick.write("next", "none")


def test_twelve_ticks_cost_no_more_than_three() -> None:
    """The briefing, and what the window holds of ticks, have a bound that does not grow with their number."""
    sizes: list[int] = []
    ctx = begun(128_000)
    for number in range(1, 13):
        with ctx.tick(f"part {number}") as tick:
            sizes.append(len(tick.briefing))
            feed(ctx, runs("chat", PASSED, id=f"p{number}"))
            tick.write("next", "the next part, which has a long description " * 8)
    assert max(sizes[4:]) <= 1.1 * sizes[3]
    assert sizes[3] > 1.5 * sizes[0]


@pytest.mark.parametrize("briefing", ["window", "system"])
def test_the_caller_says_where_the_briefing_stands(briefing: Any) -> None:
    """In the system prompt neither a message nor the bridge says it again; the checkpoint still names the tick."""
    ctx = begun(8_000)
    mended(ctx)
    with ctx.tick("second", briefing=briefing) as tick:
        system = tick.briefing
        feed(ctx, [message for number in range(9) for message in looks("chat", number)])
        feed(ctx, runs("chat", PASSED, id="last"))
        before = records(ctx)
        assert ctx.compact().outcome == "applied"
        bridge = next(each["content"] for each in ctx.messages if str(each["content"]).startswith("[context record"))
        tick.write("next", "none")
    for part in (RECORD, "[t1 · the parser", "the error handling of parse"):
        assert part in system
    assert ("## Ticks" in bridge, "Tick 2 (under way): second" in bridge) == (briefing == "window", True)
    assert any("second" in text for text in before) is (briefing == "window")


def test_reading_the_briefing_changes_nothing() -> None:
    """A caller who only logs it doesn't take the state of the job from the model."""
    sent: list[list[str]] = []
    for read in (False, True):
        ctx = begun()
        with ctx.tick(f"read {read}") as tick:
            briefed = len(tick.briefing) if read else 1
            feed(ctx, runs("chat", PASSED, id="p"))
            ctx.prepare()
            sent.append(records(ctx))
            tick.write("next", "none")
        assert briefed > 0
    assert [len(each) for each in sent] == [1, 1]
    with pytest.raises(BudgetError, match="'window', or 'system'"):
        begun().tick("x", briefing="nowhere")  # type: ignore[arg-type]


def test_the_bridge_says_what_the_files_say() -> None:
    """Read from disk at the compaction: what a person mended there is what the new context says, after the fields."""
    ctx = begun(8_000, store="state", session="night")
    mended(ctx)
    harness = Harness()
    harness.declare({"build": ["done"], "done": []})
    with ctx.tick("second") as tick:
        feed(ctx, [message for number in range(9) for message in looks("chat", number)])
        path = Path(".harness/tick-1-summary.md")
        path.write_text(
            path.read_text("utf-8").replace("## Next\n", "## Next\n- by hand: ask before you deploy\n"), "utf-8"
        )
        harness.move("done")
        assert ctx.compact().outcome == "applied"
        bridge = next(each["content"] for each in ctx.messages if str(each["content"]).startswith("[context record"))
        tick.write("found", "none")
    ticks = bridge.partition("\n## Ticks")[2].split("\n\n")[0]
    assert "by hand: ask before you deploy" in ticks
    assert "node: done" in ticks
    assert bridge.index("## Completed steps") < bridge.index("## Ticks")
    checkpoint = Path("state/night/checkpoint.md").read_text("utf-8")
    assert checkpoint.startswith("Tick 2 (under way): second · node: done\n")
    assert bridge.split("\n\n")[1].startswith(f"## In hand\n{checkpoint.splitlines()[0]}")


def test_without_ticks_nothing_is_read_or_written() -> None:
    """A session that has none looks into no folder, whatever stands there."""
    Harness().note("Somebody else's work.")
    ctx = begun(8_000)
    feed(ctx, [message for number in range(9) for message in looks("chat", number)])
    assert ctx.compact().outcome == "applied"
    assert ("Somebody" in told(ctx.messages), ctx.recall("t1")) == (False, [])
    assert {each.kind for each in ctx.recall("tick 1")} <= {"tool", "assistant"}


@pytest.mark.parametrize("name", ["flow-state.json", "acceptance-criteria.md", "progress.md"])
def test_a_state_file_that_cannot_be_read_stops_no_turn(name: str) -> None:
    """What is wrong is told in its place; the other files are told as ever."""
    harness = Harness()
    harness.require("All tests pass")
    harness.note("The plan stands.")
    path = Path(".harness") / name
    path.unlink(missing_ok=True)
    path.mkdir()
    ctx = begun()
    with ctx.tick("go") as tick:
        window = told(ctx.prepare())
        assert (f"{name}" in window, "go" in window) == (True, True)
        assert "A1" in window or name == "acceptance-criteria.md"
        tick.write("found", "none")
        tick.write("next", "none")


# -- known again -----------------------------------------------------------------------------


def reviewed(ctx: ContextManager, text: str) -> str:
    """A reviewer reports; what the next request was told."""
    feed(ctx, [*tool_round([Call("review", {"what": "src"}, result=text, id="rev")], text="I ask for a review.")])
    ctx.prepare()
    return "\n".join(records(ctx))


def test_what_an_earlier_tick_fixed_is_no_news() -> None:
    """Five ticks later, in other words and at another line: the request is told which tick fixed it, it isn't open."""
    ctx = begun()
    mended(ctx)
    for number in range(2, 7):
        checked(ctx, f"part {number}", number)
    with ctx.tick("review") as tick:
        feed(ctx, runs("chat", PASSED, id="p0"))
        answer = reviewed(ctx, AGAIN + "\n2. `src/parser.py:3`: parse should say which base it reads")
        tick.write("next", "none")
    assert '- Fixed in tick 1 (recall("t1")): src/parser.py:4 incomplete error handling in parse; look at' in answer
    assert "incomplete error handling in parse (m" in section(7, "Problems found")
    assert "reported again; fixed in tick 1" in section(7, "Problems found")
    assert section(7, "Open").startswith("- src/parser.py:3 parse should say which base it reads")
    assert "error handling" not in section(7, "Open")


def test_write_answers_with_the_tick_that_fixed_it() -> None:
    """A caller's own reviewer is answered at once."""
    ctx = begun()
    mended(ctx)
    with ctx.tick("review") as tick:
        (known,) = tick.write("found", AGAIN.partition("\n")[2])
        assert tick.write("found", "src/parser.py:3 parse should say which base it reads") == ()
        assert tick.write("done", AGAIN) == ()
        window = told(ctx.prepare())
        tick.write("next", "none")
    assert (known.fixed_in, known.state, known.file, known.line) == (1, "fixed", "src/parser.py", 2)
    assert isinstance(known, Finding)
    assert "Fixed in tick 1" in window
    assert "error handling" not in section(2, "Open")


def test_a_check_that_fails_again_is_back() -> None:
    """What a tool prints is a fact: the problem is open, with the tick that had fixed it."""
    ctx = begun()
    mended(ctx)
    with ctx.tick("second"):
        feed(ctx, runs("chat", BROKEN, id="f2", failed=True))
        window = told(ctx.prepare())
    assert "back again; it was fixed in tick 1" in section(2, "Open")
    assert "Back again; it was fixed in tick 1" in window
    with ctx.tick("third") as tick:
        feed(ctx, runs("chat", PASSED, id="p3"))
        tick.write("next", "none")
    assert (section(3, "Open"), "ValueError" in section(3, "Fixed")) == ("none", True)


def test_an_answer_is_given_once_and_outlives_a_compaction() -> None:
    """The same report twice is answered once between compactions, and stands in the bridge after one."""
    ctx = begun(8_000)
    mended(ctx)
    with ctx.tick("review") as tick:
        for number in range(2):
            feed(ctx, tool_round([Call("review", {}, result=AGAIN, id=f"rev{number}")], text="A review."))
            ctx.prepare()
        assert told(ctx.messages).count("Fixed in tick 1 ") == 1
        feed(ctx, [message for number in range(12) for message in looks("chat", number)])
        assert any(receipt.outcome == "applied" for receipt in (*ctx.compactions, ctx.compact()))
        bridge = next(each["content"] for each in ctx.messages if str(each["content"]).startswith("[context record"))
        assert "Fixed in tick 1 " in bridge
        tick.write("next", "none")


# -- on disk -----------------------------------------------------------------------------------


def test_a_session_goes_on_in_its_tick() -> None:
    """Opened again in the middle of one: the same window, number and words; nothing is told twice."""
    ctx = begun(store="state", session="night")
    mended(ctx)
    tick = ctx.tick("second")
    tick.write("done", "the first half")
    feed(ctx, tool_round([Call("review", {}, result=AGAIN, id="rev")], text="A review."))
    window = prints(ctx.prepare())
    ctx.close()
    with ContextManager.open("state", "night") as again:
        assert prints(again.messages) == window
        assert prints(again.prepare()) == window
        with again.tick("second") as same:
            assert (same.number, same.resumed) == (2, True)
            feed(again, runs("chat", PASSED, id="p2"))
            text = told(again.prepare())
            same.write("next", "none")
    assert (text.count("goes on: it was cut off"), text.count("Fixed in tick 1 ")) == (1, 1)
    assert ("the first half" in section(2, "What was done"), "reported again" in page(2)) == (True, True)


def test_the_end_of_the_task_ends_its_tick() -> None:
    """`close(done=True)` archives the session: what the open tick did stands in its file."""
    ctx = begun(store="state", session="night")
    ctx.tick("first").write("done", "half of it")
    ctx.close(done=True)
    assert ("interrupted (the task was ended)" in page(1), "half of it" in page(1)) == (True, True)


def test_a_tick_that_ended_on_disk_has_ended() -> None:
    """The process died between the file and the log's record: the next tick is the next one."""
    ctx = begun(store="state", session="night")
    tick = ctx.tick("first")
    feed(ctx, runs("chat", PASSED, id="p1"))
    tick.write("next", "none")
    saved = Path("state/night/log.jsonl").read_bytes()
    draft = Path(".harness/tick-1.draft.json").read_text("utf-8")
    tick.close()
    ctx.close()
    Path("state/night/log.jsonl").write_bytes(saved)
    Path(".harness/tick-1.draft.json").write_text(draft, "utf-8")
    with ContextManager.open("state", "night") as again:
        assert again.tick("first").number == 2
    assert not Path(".harness/tick-1.draft.json").exists()


def test_a_fork_finds_its_parents_ticks() -> None:
    """The addresses in the bridge that it was handed lead somewhere."""
    ctx = begun()
    mended(ctx)
    child = ctx.fork("Look at the writer.")
    assert [each.text for each in child.recall("t1")] == [page(1)]


def test_a_ticks_end_writes_the_waiting_edit(elsewhere: Path) -> None:
    """The journal has the edit at once, not verified, and doesn't wait for the next one."""
    assert elsewhere.is_dir()
    ctx = begun()
    with ctx.tick("first") as tick:
        feed(ctx, writes("chat", "src/parser.py", MENDED, id="w1"))
        assert [record.file for record in ctx.memory.records() if record.action == "edit"] == []
        tick.write("found", "none")
        tick.write("next", "none")
    assert [(record.file, record.result) for record in ctx.memory.records() if record.action == "edit"] == [
        ("src/parser.py", "not verified")
    ]


def test_the_nodes_own_last_entry_is_told() -> None:
    """What was said the last time at this node; where nothing was, the newest entry."""
    harness = Harness()
    harness.declare({"fix": ["review"], "review": ["fix"]})
    harness.note("The parser is mended.")
    harness.move("review")
    ctx = begun()
    with ctx.tick("one") as tick:
        assert "Last entry: The parser is mended." in tick.briefing
        harness.note("Reviewed: two problems.")
        harness.move("fix")
        assert "Last entry: The parser is mended." in tick.briefing
        harness.move("review")
        assert "Last entry: Reviewed: two problems." in tick.briefing
        tick.write("found", "none")


def test_two_sessions_share_a_folder() -> None:
    """Each tick has a number of its own; what one fixed the other knows."""
    one, two = begun(), begun()
    first, second = one.tick("one's"), two.tick("two's")
    assert (first.number, second.number) == (1, 2)
    first.write("found", "none")
    first.write("next", "none")
    first.close()
    second.write("found", "none")
    second.write("next", "none")
    second.close()
    mended(one)
    with two.tick("review") as tick:
        (known,) = tick.write("found", "src/parser.py:2 the error handling of parse is incomplete")
        tick.write("next", "none")
    assert known.fixed_in == 3


def test_secrets_stay_out_of_the_files() -> None:
    """Title, prose, commands and messages are redacted before they are written."""
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz123456"
    ctx = begun()
    with ctx.tick(f"the key {key}") as tick:
        feed(
            ctx,
            runs(
                "chat",
                f"src/a.py:3: ValueError: {key}\n1 failed in 0.1s",
                id="f1",
                failed=True,
                command=f"API_KEY={key} pytest -q",
            ),
        )
        tick.write("next", f"use {key}")
    texts = [path.read_text("utf-8") for path in Path(".harness").iterdir()]
    assert [key in text for text in texts] == [False] * len(texts)
    assert "src/a.py:3" in page(1)


def test_a_page_is_read_as_it_was_written() -> None:
    """Write and read agree, in both languages; what a hand did to it is read as well."""
    for language in ("en", "zh"):
        made = Page(
            number=4, title="the parser", state="interrupted", reason="ValueError: x", session="night", first=3, last=9,
            node="build", time="2026-05-01T10:00:00Z", language=language,
            sections={"done": ("- a.py: +1 −2 lines (m4)",), "found": (), "next": ("- go on", "more")},
        )  # fmt: skip
        assert parse_page(made.text(), 4) == made
    loose = parse_page("# tick 4 the parser\n\n##  open: \n* src/a.py:3 a leak\n## Nonsense\nx\n## FIXED\nNone.\n", 4)
    assert (loose.sections, loose.state) == ({"open": ("* src/a.py:3 a leak",), "fixed": ()}, "closed")
