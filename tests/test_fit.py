"""The board: the cap, the order of loss, and what survives a clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import Engram
from context_kit.engrams import Board, Fragment, fit, shorten
from context_kit.tokens import counter
from context_kit.types import EngramKind

law = settings(max_examples=150, deadline=None)
COUNT = counter()


def mark(address: str) -> str:
    return f'… [left out, whole text: recall("{address}")] …'


def listed(text: str, position: int, label: str = "more open errors") -> Fragment:
    """A line for which the summary had no room."""
    return Fragment(key=text, kind="error", text=text, label=label, source=f"m{position}", position=position, line=True)


def piece(kind: EngramKind, text: str, *, position: int = 1, must: Sequence[str] = (), label: str = "") -> Fragment:
    source = f"f:src/a.py@{position}" if kind in ("file", "contract") else f"m{position}"
    return Fragment(
        key=f"{kind} {position} {text[:20]}",
        kind=kind,
        text=text,
        label=label or kind,
        source=source,
        position=position,
        must=tuple(must),
    )


def words(count: int, seed: int = 3) -> str:
    return "\n".join(
        " ".join(f"w{(line * 8 + n) * seed % 997}" for n in range(8)) for line in range(max(count // 8, 1))
    )


GOAL = piece("user", "Fix the parser. " + words(40))
NEWEST = piece("user", "Now the tests, too. " + words(40, 5), position=30)
OLDER = piece("user", "A word about the style. " + words(60, 7), position=20)
BOUND = piece("user", f"Do not touch tests/. {words(60, 11)}", position=10, must=["Do not touch tests/."])
FILE = piece("file", words(200, 13), position=25)
ERROR = piece("error", f"{words(60, 17)}\nValueError: bad token", position=26, must=["ValueError: bad token"])
CONTRACTS = [piece("contract", f"def name_{n}(a: int, b: str) -> dict[str, int]:", position=27) for n in range(12)]
ALL = [NEWEST, OLDER, BOUND, FILE, ERROR, *CONTRACTS]


def board(
    budget: int, fragments: Sequence[Fragment] = ALL, *, goal: Fragment | None = GOAL, pins: Sequence[Engram] = ()
) -> Board:
    return fit(fragments, goal=goal, pins=pins, budget=budget, count=COUNT, mark=mark)


def kept(found: Board) -> list[Fragment]:
    return [fragment for fragment, _ in found.fragments]


def test_with_room_for_all_nothing_is_lost() -> None:
    """Whole texts, in the order of their rank."""
    found = board(5_000)
    assert [fragment.text for fragment in kept(found)] == [fragment.text for fragment in ALL]
    assert (found.goal, found.clipped, found.evicted) == (GOAL.text, (), ())


@pytest.mark.parametrize("budget", [*range(0, 2_400, 60)])
def test_the_cap_always_holds(budget: int) -> None:
    """Goal, engrams and their frames together never have more than the budget."""
    found = board(budget)
    assert found.tokens <= budget or not found.fragments
    assert sum(tokens for _, tokens in found.fragments) + COUNT(found.goal) <= max(budget, COUNT(found.goal))


def test_the_kinds_leave_from_the_bottom() -> None:
    """Contracts first, then the error, then the file; user words stay."""
    seen = [[fragment.kind for fragment in kept(board(budget))] for budget in (2_400, 1_500, 1_100, 700, 500)]
    assert "contract" in seen[0]
    assert all("user" in kinds for kinds in seen)
    assert "contract" not in seen[3]
    assert all(kinds == sorted(kinds, key=["user", "file", "error", "contract"].index) for kinds in seen)


def test_of_the_users_texts_the_oldest_without_a_constraint_goes_first() -> None:
    """The goal, standing constraints and the newest text go last."""
    gone = [board(budget).evicted for budget in range(0, 800, 10)]
    assert any(OLDER.source in each and BOUND.source not in each for each in gone)
    assert all(OLDER.source in each for each in gone if BOUND.source in each)
    assert all(BOUND.source in each for each in gone if NEWEST.source in each)
    assert all(NEWEST.source in each for each in gone if GOAL.source in each)


def test_the_goal_and_the_newest_words_are_the_last() -> None:
    """With almost no room, these two stand, shortened."""
    found = board(200)
    assert [fragment.position for fragment in kept(found)] == [NEWEST.position]
    assert found.goal


def test_what_found_no_room_keeps_its_address() -> None:
    """Every fragment is on the board or its address among the evicted."""
    for budget in range(0, 2_000, 130):
        found = board(budget)
        there = {fragment.source for fragment in kept(found)} | set(found.evicted)
        assert {fragment.source for fragment in ALL} <= there


def test_a_giant_is_clipped_before_a_smaller_one_goes() -> None:
    """No single engram holds more than half of the budget while others wait."""
    giant = piece("user", words(3_000), position=31)
    found = board(1_000, [giant, OLDER, FILE, ERROR])
    large = next(tokens for fragment, tokens in found.fragments if fragment.position == 31)
    assert large <= 510
    assert giant.source in found.clipped
    assert OLDER.text in [fragment.text for fragment in kept(found)]


def test_a_giant_alone_has_all_the_room() -> None:
    """Half is for the others; where there are none it may have everything."""
    found = board(1_000, [piece("file", words(3_000), position=25)], goal=None)
    ((_, tokens),) = found.fragments
    assert 800 < tokens <= 1_000


def test_a_clipped_text_keeps_head_tail_and_address() -> None:
    """Both ends word for word, the mark between them."""
    text = shorten(piece("file", words(2_000), position=9), 200, COUNT, mark)
    head, told, tail = text.partition(mark("f:src/a.py@9"))
    assert told
    assert words(2_000).startswith(head.strip())
    assert words(2_000).endswith(tail.strip())
    assert COUNT(text) <= 200


def test_a_clipped_user_text_keeps_every_constraint() -> None:
    """Sentences that must survive stand in the middle where the ends don't hold them."""
    must = ["Do not touch tests/.", "不要改动公开接口。", "Never push to main."]
    text = f"{words(400)}\n{must[0]}\n{words(400, 5)}\n{must[1]}\n{words(400, 7)}\n{must[2]}\n{words(400, 11)}"
    short = shorten(piece("user", text, must=must), 250, COUNT, mark)
    assert all(sentence in short for sentence in must)
    assert COUNT(short) <= 250


def test_a_giant_makes_way_for_lines() -> None:
    """The goal gives up its middle, down to half of the board, before a line goes; the file keeps a part."""
    giant = piece("user", words(1_500))
    errors = [listed(f"ValueError: case {number} of the parser is wrong", number) for number in range(40, 54)]
    found = board(1_000, [FILE, *errors], goal=giant)
    assert [line.text for line in errors if line not in kept(found)] == []
    assert "file" in {fragment.kind for fragment in kept(found)}
    assert 350 <= COUNT(found.goal) <= 600
    assert found.tokens <= 1_000


def test_lines_take_two_fifths_at_most() -> None:
    """They are a list beside the engrams, not the board; what has no room is named as evicted."""
    errors = [listed(f"ValueError: case {number} of the parser is wrong", number) for number in range(40, 140)]
    found = board(1_000, [FILE, *errors], goal=None)
    lines = [tokens for fragment, tokens in found.fragments if fragment.line]
    assert 300 < sum(lines) <= 400
    assert kept(found)[0].kind == "file"
    assert errors[-1].source in found.evicted


def test_a_declaration_that_a_person_named_comes_before_lines() -> None:
    """It is short, and calls hang on it."""
    named = replace(piece("contract", "def check(key: str, *, scope: str) -> str:", position=27), wanted=True)
    errors = [listed(f"ValueError: case {number} of the parser is wrong", number) for number in range(40, 140)]
    assert named in kept(board(400, [FILE, *errors, *CONTRACTS, named], goal=None))


def test_every_text_shrinks_to_its_constraints_before_one_goes() -> None:
    """Thirty long texts with a rule each: all rules stand, and the goal gives its middle for them."""
    texts = [
        piece(
            "user",
            f"{words(90, number)}\nNever touch part {number}.",
            position=200 - number,
            must=[f"Never touch part {number}."],
        )
        for number in range(30)
    ]
    found = board(2_000, [NEWEST, *texts], goal=piece("user", words(2_500)))
    told = "\n".join(fragment.text for fragment in kept(found))
    assert [n for n in range(30) if f"Never touch part {n}." not in told] == []
    assert found.tokens <= 2_000


def test_pins_come_first_and_are_never_touched() -> None:
    """What they take is gone for the rest; they are not fragments and are never evicted."""
    pin = Engram(id="p1", kind="note", text="The port is 4711.", label="", tokens=400, source="")
    with_pin, without = board(1_000, pins=[pin]), board(600)
    assert kept(with_pin) == kept(without)
    assert with_pin.tokens == without.tokens + 400


@law
@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "file", "error", "contract"]), st.integers(1, 600), st.booleans()),
        max_size=12,
    ),
    st.integers(0, 3_000),
)
def test_every_board_keeps_the_rules(drawn: list[tuple[EngramKind, int, bool]], budget: int) -> None:
    """Whatever is offered: under the cap, ranks in order, nothing invented, the same twice."""
    ranks = ["user", "file", "error", "contract"]
    fragments = [
        piece(kind, words(size, 3 + number), position=number + 1, must=["w3"] if must else ())
        for number, (kind, size, must) in enumerate(sorted(drawn, key=lambda each: ranks.index(each[0])))
    ]
    found = board(budget, fragments, goal=None)
    assert found.tokens <= budget
    assert [fragment.kind for fragment in kept(found)] == sorted((f.kind for f in kept(found)), key=ranks.index)
    by_key = {fragment.key: fragment for fragment in fragments}
    for fragment, tokens in found.fragments:
        original = by_key[fragment.key]
        assert fragment.text == original.text or fragment.source in found.clipped
        assert tokens >= COUNT(fragment.text)
    assert found == board(budget, fragments, goal=None)


@pytest.mark.parametrize("budget", [0, 10, 60, 200])
@pytest.mark.parametrize("goal", [GOAL, None])
def test_the_newest_words_leave_a_pointer_in_any_case(budget: int, goal: Fragment | None) -> None:
    """Its address and its first words stand on the smallest board, however much must survive in it."""
    strict = replace(NEWEST, must=tuple(NEWEST.text.split("\n")))
    found = fit([strict, OLDER, FILE], goal=goal, pins=(), budget=budget, count=COUNT, mark=mark, newest="m30")
    (kept,) = [fragment for fragment, _ in found.fragments if fragment.source == "m30"]
    assert "Now the tests" in kept.text
    assert "m30" not in found.evicted
    assert found.tokens <= max(budget, 60)


@pytest.mark.parametrize("budget", [60, 88, 90, 92])
def test_the_first_words_of_emoji_are_more_than_one_sign(budget: int) -> None:
    """A sign of several characters costs many tokens: the words behind it stand all the same."""
    ship = replace(NEWEST, text="👩\u200d💻 ship it 🚀🇨🇳 " * 300, must=())
    found = fit([ship, OLDER], goal=GOAL, pins=(), budget=budget, count=COUNT, mark=mark, newest="m30")
    (kept,) = [fragment for fragment, _ in found.fragments if fragment.source == "m30"]
    assert kept.text.startswith("👩\u200d💻 sh")


def test_a_goal_that_is_the_newest_word_leaves_a_pointer() -> None:
    """There is only one text: its first words, and where the rest is."""
    found = fit([], goal=GOAL, pins=(), budget=0, count=COUNT, mark=mark, newest=GOAL.source)
    assert found.goal.startswith("Fix the parser.")
    assert GOAL.source in found.goal
