"""What the summary has no room for stands on the board as lines, once, with its address."""

from __future__ import annotations

import re

from context_kit import ContextManager, Decision, FailedAttempt, Step, TaskSummary
from context_kit.summary import FILE_LISTS, LISTS, fold, lines, spill, without
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.tokens import counter

COUNT = counter()


def known(size: int) -> TaskSummary:
    """What code knows of a session: so many files, commands, errors and decisions."""
    numbers = range(1, size + 1)
    return TaskSummary(
        original_goal="Move it to asyncio.",
        completed_steps=[
            *(
                Step(text=f"Read, not edited since: docs/part{n}/guide.md (m{n})", files=[f"docs/part{n}/guide.md"])
                for n in numbers
            ),
            *(Step(text=f"`pytest tests/test_{n}.py` → {n} passed in 0.1s (m{100 + n})") for n in numbers),
            *(
                Step(text=f"Edited src/part{n}/core.py (m{200 + n}): x = {n}", files=[f"src/part{n}/core.py"])
                for n in numbers
            ),
        ],
        key_decisions=[Decision(decision=f"Use way {n} for part {n}. (m{300 + n})", reason="it fits") for n in numbers],
        failed_attempts=[
            *(
                FailedAttempt(attempt=f"`run {n}` (m{400 + n}; solved at m{401 + n})", error=f"OSError: gone {n}")
                for n in numbers
            ),
            *(FailedAttempt(attempt=f"`run {n}` (2×, m{500 + n})", error=f"ValueError: bad part {n}") for n in numbers),
        ],
    )


def told(summary: TaskSummary) -> str:
    names = ("completed_steps", "key_decisions", "failed_attempts")
    return "\n".join(lines(entry) for name in names for entry in getattr(summary, name))


def test_what_fits_spills_nothing() -> None:
    """A roomy summary needs no board."""
    assert spill(known(3), 10_000, cut=1_000, language="en", count=COUNT) == ()


def test_summary_and_lines_together_hold_everything() -> None:
    """Every file, command, error and decision stands in one of the two."""
    whole = known(20)
    found = spill(whole, 480, cut=1_000, language="en", count=COUNT)
    text = told(fold(whole, 480, COUNT)) + "\n".join(fragment.text for fragment in found)
    wanted = [f"{kind} {n}" for n in range(1, 21) for kind in ("bad part", "gone", "for part")]
    wanted += [
        f"{kind.format(n)}" for n in range(1, 21) for kind in ("part{}/core.py", "part{}/guide.md", "tests/test_{}.py")
    ]
    assert [each for each in wanted if each not in text] == []


def test_each_line_has_its_address_and_stands_once() -> None:
    """The source is the message that told it; the lists take turns, the newest first, what is solved last."""
    found = spill(known(20), 480, cut=1_000, language="en", count=COUNT)
    assert all(re.fullmatch(r"m[1-9]\d*", fragment.source) and fragment.line for fragment in found)
    assert len({fragment.text for fragment in found}) == len(found)
    errors = [fragment.position for fragment in found if fragment.label == "more open errors"]
    assert errors == sorted(errors, reverse=True)
    solved = [at for at, fragment in enumerate(found) if fragment.label == "errors solved since"]
    assert solved == list(range(len(found) - len(solved), len(found)))


def test_what_stands_in_the_tail_is_no_line() -> None:
    """Nothing stands in the window twice."""
    found = spill(known(20), 480, cut=300, language="en", count=COUNT)
    assert {fragment.label for fragment in found} & {"more open errors", "more decisions"} == set()


def test_the_summary_leaves_out_what_the_board_shows() -> None:
    """An entry goes by its matter: the error's text, the command, the decision, the file."""
    board = ["ValueError: bad part 1", "pytest tests/test_2.py", "Use way 3 for part 3.", "docs/part1/guide.md"]
    left = told(without(known(3), board))
    assert [text for text in board if text in left] == []
    assert len(left.splitlines()) == len(told(known(3)).splitlines()) - 4


def test_lists_are_known_to_the_bridge() -> None:
    """Every label is one of the lists, files among them."""
    labels = {fragment.label for fragment in spill(known(60), 300, cut=1_000, language="en", count=COUNT)}
    assert labels <= LISTS
    assert labels & FILE_LISTS


def test_a_small_window_names_every_failure_of_a_long_session() -> None:
    """The bridge of a real session shows each open error and each test command, word for word."""
    ctx = ContextManager(8_000)
    ctx.add(user("Make all parts pass. " + "Keep the style of the code as it is. " * 60))
    for number in range(24):
        command = f"pytest tests/test_part{number}.py -q"
        output = f"E   ValueError: part {number} is broken\n1 failed in 0.1s\n" + "trace line of the run\n" * 60
        for message in tool_round(
            [Call("bash", {"command": command}, result=output, id=f"c{number}")], text=f"Now part {number}."
        ):
            ctx.add(message)
        ctx.prepare()
    ctx.add(assistant("That is all.")[0])
    window = str(ctx.prepare())
    assert ctx.compactions
    missing = [n for n in range(24) if f"part {n} is broken" not in window or f"test_part{n}.py -q" not in window]
    assert missing == []
