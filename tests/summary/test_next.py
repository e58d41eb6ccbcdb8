"""What is next after a compaction: what the person asks, never what was denied or is asked no more."""

from __future__ import annotations

from typing import Any

import pytest

from context_kit import ContextManager
from context_kit.bridge import bridge_words
from context_kit.bridge._checkpoint import shared
from context_kit.summary import short_name
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.tokens import counter

BUILD = "npm run build && git add . && git commit -m 'Make the choice of a team last one session only'"
BROKEN = "src/config.ts:897:35 - error TS2339: Property 'team' does not exist on type 'Settings'.\nFound 1 error."
DENIED = '{"error": "[Operation Cancelled] Reason: User denied execution."}'


def record(talk: list[dict[str, Any]], window: int = 8_000) -> str:
    """The bridge of one compaction at the end of a talk."""
    ctx = ContextManager(window)
    ctx.add(talk)
    assert ctx.compact().outcome == "applied"
    return next(str(m["content"]) for m in ctx.messages if str(m.get("content")).startswith("[context record"))


def section(text: str, heading: str) -> list[str]:
    """The lines below a heading."""
    return text.partition(f"{heading}\n")[2].partition("\n\n")[0].splitlines()


def work(rounds: int = 6) -> list[dict[str, Any]]:
    """A goal and some rounds of work."""
    talk = [user("Fix the parser, then write the docs.")]
    for number in range(rounds):
        rows = "\n".join(f"row {number}-{row}" for row in range(120))
        call = Call("bash", {"command": f"make part-{number}"}, result=rows, id=f"c{number}")
        talk += tool_round([call], text=f"Part {number}.")
    return talk


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("So far so good; what else?", "Good. Now write the docs."),
        ("Shall I use lxml or etree?", "etree"),
        ("Please let me know how you'd like to proceed!", "Go on with the docs."),
        ("要用 lxml 还是 etree？", "用 etree"),
    ],
)
def test_a_question_that_was_answered_is_not_waited_for(asked: str, answer: str) -> None:
    """The newest message is the person's: what it asks is next, and the old question is no task."""
    text = record([*work(), *assistant(asked), user(answer)])
    first = section(text, "## In hand")[0]
    assert first.startswith("Next, the user's newest words")
    assert first.endswith(answer)
    assert "Waiting for the user's answer" not in text


def test_a_question_that_nobody_answered_is_waited_for() -> None:
    """Nothing was said or done since."""
    text = record([*work(), *assistant("Shall I use lxml or etree?")])
    assert "Next: Waiting for the user's answer: Shall I use lxml or etree?" in text


def test_once_work_goes_on_the_words_are_no_longer_the_next_step() -> None:
    """The agent has taken them up; they are still named first."""
    talk = [*work(), *assistant("Shall I use lxml or etree?"), user("etree"), *work(1)[1:]]
    assert section(record(talk), "## In hand")[0] == "The user's newest words (m15): etree"


def failed(command: str = BUILD, **known: Any) -> list[dict[str, Any]]:
    """A line that failed."""
    return tool_round([Call("bash", {"command": command}, result=f"{BROKEN}\nExit code 1", id="f1", **known)])


@pytest.mark.parametrize(
    "after",
    [
        tool_round([Call("bash", {"command": BUILD}, result=DENIED, id="f2")]),
        [*assistant("I fixed it."), user("Please stop grouping build & commit.")],
        [*assistant("I fixed it."), user("Don't run npm run build again.")],
        [*assistant("I fixed it."), user("Please don't commit yet.")],
        [*assistant("改好了。"), user("不要再把构建和提交放在一起了。")],
        [*assistant("改好了。"), user("别提交。")],
    ],
)
def test_what_was_denied_or_forbidden_is_no_next_step(after: list[dict[str, Any]]) -> None:
    """It stands among what failed, and nothing tells the agent to do it once more."""
    text = record([*work(3), *failed(), *after, *work(3)[1:]])
    told = [line for line in text.splitlines() if "npm run build" in line]
    assert not any(line.startswith(("- Open:", "- 未解决：", "Next:", "下一步：")) for line in told)
    assert any(line.startswith("- `npm run build") and "error TS2339" in line for line in told)


@pytest.mark.parametrize(
    "after", [[], [*assistant("I fixed it."), user("Please don't touch tests/.")], [*assistant("Ok."), user("Go on.")]]
)
def test_a_failed_check_that_nobody_denied_is_open(after: list[dict[str, Any]]) -> None:
    """What else is forbidden doesn't concern it."""
    ctx = ContextManager(8_000)
    ctx.add([*work(3), *failed("npm run build"), *after, *work(3)[1:]])
    summary = ctx.compact().summary
    assert summary is not None
    assert any("Open: `npm run build`" in task for task in summary.todo)


def test_a_check_that_a_policy_denied_is_no_task() -> None:
    """The agent's own settings don't let it through."""
    denied = Call("bash", {"command": "pytest -q"}, result="Error: execution denied by policy", id="p1", failed=True)
    text = record([*work(3), *tool_round([denied]), *work(3)[1:]])
    assert not any("pytest" in line for line in section(text, "## Todo"))


# -- long words and names ------------------------------------------------------------------------

LONG = "Good. One change of mind: " + "the rule about no new dependencies is off, you may use lxml for the XML. " * 6


def test_long_words_are_cut_at_a_word_and_point_to_the_whole() -> None:
    """At 200 characters or more where there is room; what is left stands below."""
    first = section(record([*work(), *assistant("What else?"), user(LONG)], 20_000), "## In hand")[0]
    assert len(first) >= 200
    assert first.endswith("… (more below)")
    said = first.partition("): ")[2].removesuffix("… (more below)")
    assert LONG.startswith(f"{said} ")


@pytest.mark.parametrize("room", [200, 90, 70, 55])
def test_words_give_way_to_the_lines_behind_them(room: int) -> None:
    """What is in hand and what is next have a place before the rest of words that stand whole elsewhere."""
    words, count = bridge_words("en"), counter()
    lines = [f"{words.task} (m9): {LONG[:220]}", "Editing src/app.py (as of m8)", "Next: Write the docs."]
    kept = shared(lines, words, room, count)
    assert kept[0].startswith(f"{words.task} (m9): ")
    assert kept[1:] == lines[1:]
    assert sum(count(line) + 3 for line in kept) <= room


@pytest.mark.parametrize("limit", [24, 30, 40, 60])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("python -m pytest -q -p no:cacheprovider tests/test_totals.py", "python -m pytest -q -p no:cacheprovider"),
        ("python -m pytest -q tests/deep/test_a.py", "python -m pytest -q tests/deep/test_b.py"),
        (
            "cd /a/very/long/way/to/the/project && go test ./storage",
            "cd /a/very/long/way/to/the/project && go test ./web",
        ),
        ("cargo test --quiet --package storage", "cargo test --quiet --package protocol"),
    ],
)
def test_a_short_name_keeps_what_tells_two_checks_apart(one: str, other: str, limit: int) -> None:
    """Common options go first, then the middle; never what differs."""
    first, second = (short_name(f"`{command}`", limit) for command in (one, other))
    assert first != second
    assert all(len(name) <= limit and name.startswith("`") and name.endswith("`") for name in (first, second))


def test_a_name_that_has_room_is_whole() -> None:
    """Nothing is dropped without need."""
    assert short_name("`python -m pytest -q`", 40) == "`python -m pytest -q`"
    assert short_name("edit app.py", 40) == "edit app.py"
