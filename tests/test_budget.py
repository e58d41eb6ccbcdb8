"""Every number of the library: defaults, what is refused, and how one compaction shares the window out."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import Budget, BudgetError, ContextManager
from context_kit._budget import HEAVY_HEAD, HEAVY_TARGET, TASKS, share_out

law = settings(max_examples=200, deadline=None)
sizes = st.integers(1, 2_000_000)


def test_the_defaults_are_the_designs() -> None:
    """The numbers, letter by letter."""
    budget = Budget(128_000)
    assert (budget.window, budget.reserve) == (128_000, 8_192)
    assert (budget.soft, budget.hard, budget.target) == (0.70, 0.75, 0.40)
    assert (budget.pins, budget.summary, budget.notes, budget.tail) == (0.20, 0.06, 0.04, 0.10)


@pytest.mark.parametrize(("window", "reserve"), [(1, 0), (1_000, 200), (40_960, 8_192), (200_000, 8_192)])
def test_the_reserve_is_the_smaller_of_8192_and_a_fifth(window: int, reserve: int) -> None:
    """Room for the reply, in small windows a fifth of them."""
    assert Budget(window).reserve == reserve
    assert Budget(window).room == window - reserve


def test_a_reserve_of_zero_is_no_missing_one() -> None:
    """`reserve=0` means none, not the default."""
    assert Budget(10_000, reserve=0).room == 10_000


def test_a_budget_is_frozen_and_equal_by_value() -> None:
    """It can be shared between sessions."""
    loose: Any = Budget(1_000)
    with pytest.raises(dataclasses.FrozenInstanceError):
        loose.window = 2
    assert Budget(1_000) == Budget(1_000, soft=0.7)
    assert hash(Budget(1_000)) == hash(Budget(1_000))


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"window": 0}, "window"),
        ({"window": -5}, "window"),
        ({"window": True}, "window"),
        ({"window": 1_000.0}, "window"),
        ({"window": "big"}, "window"),
        ({"window": 1_000, "reserve": -1}, "reserve"),
        ({"window": 1_000, "reserve": 400}, "reserve"),
        ({"window": 1_000, "soft": 0.8}, "soft"),
        ({"window": 1_000, "hard": 1.0, "reserve": 0}, "hard"),
        ({"window": 1_000, "target": 0.70}, "target"),
        ({"window": 1_000, "target": 0.0}, "target"),
        ({"window": 1_000, "pins": 0.30}, "pins"),
        ({"window": 1_000, "notes": -0.01}, "notes"),
        ({"window": 1_000, "tail": "much"}, "tail"),
        ({"window": 1_000, "summary": float("nan")}, "summary"),
    ],
)
def test_what_has_no_room_is_refused_by_name(arguments: dict[str, Any], names: str) -> None:
    """At construction, with the setting's name and its value in the text."""
    with pytest.raises(BudgetError, match=names):
        Budget(**arguments)


def test_everything_after_the_window_is_by_name() -> None:
    """`Budget(1000, 200)` could mean anything."""
    make: Any = Budget
    with pytest.raises(TypeError):
        make(1_000, 200)


def test_an_unknown_task_lists_the_known_ones() -> None:
    """A typing error is told what there is."""
    task: Any = "coding"
    with pytest.raises(BudgetError, match="code, chat, shell"):
        Budget.for_task(task, 1_000)
    assert [Budget.for_task(each, 1_000).window for each in TASKS] == [1_000] * 3


@law
@given(
    sizes,
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
    st.floats(0.01, 0.9),
    st.lists(st.floats(0, 0.4), min_size=4, max_size=4),
)
def test_a_budget_that_is_made_holds_its_own_rules(
    window: int, soft: float, hard: float, target: float, parts: list[float]
) -> None:
    """Either a BudgetError, or every rule of a budget is true of it."""
    pins, summary, notes, tail = parts
    try:
        budget = Budget(window, soft=soft, hard=hard, target=target, pins=pins, summary=summary, notes=notes, tail=tail)
    except BudgetError:
        return
    assert 0 < budget.target < budget.soft <= budget.hard < 1
    assert budget.pins + budget.summary + budget.notes + budget.tail <= budget.target + 1e-6
    assert budget.hard * budget.window + budget.reserve <= budget.window + 1e-6


@law
@given(st.integers(100, 2_000_000), st.floats(0, 1), st.floats(0, 1))
def test_the_shares_are_ceilings_under_the_target(window: int, head_share: float, floor_share: float) -> None:
    """Head and the tail's floor come first; what the others have is never negative and never above its ceiling."""
    head, floor = int(head_share * window), int(floor_share * window)
    budget = Budget(window)
    shares = share_out(budget, window=window, head=head, floor=floor)
    assert 0 <= shares.notes <= budget.notes * window
    assert 0 <= shares.summary <= budget.summary * window
    assert 0 <= shares.pins <= budget.pins * window
    assert shares.tail >= floor
    rest = shares.notes + shares.summary + shares.pins
    if head + floor + rest <= shares.total:
        assert head + rest + shares.tail <= shares.total


@pytest.mark.parametrize(
    ("head", "total"), [(0, 0.40), (0.10, 0.40), (0.20, 0.40), (0.25, 0.45), (0.40, 0.60), (0.60, 0.65)]
)
def test_a_heavy_head_moves_the_target(head: float, total: float) -> None:
    """Above 20 % the target is head + 20 %, at most 65 %."""
    shares = share_out(Budget(100_000), window=100_000, head=int(head * 100_000), floor=1_000)
    assert shares.total == pytest.approx(total * 100_000, abs=2)
    assert (HEAVY_HEAD, HEAVY_TARGET) == (0.20, 0.65)


def test_notes_shrink_first_then_summary_then_pins() -> None:
    """As the tail's floor grows, each gives only when the one before it is at its least; goal and newest words last."""
    found = [share_out(Budget(100_000), window=100_000, head=0, floor=floor) for floor in range(10_000, 40_000, 250)]
    assert (found[0].notes, found[0].summary, found[0].pins) == (4_000, 6_000, 20_000)
    notes, summary = found[-1].notes, found[-1].summary
    assert notes < 200
    assert summary < 6_000
    assert found[-1].pins < 20_000
    assert all(shares.notes == notes for shares in found if shares.summary < 6_000)
    assert all(shares.summary == summary for shares in found if shares.pins < 20_000)


@pytest.mark.parametrize(
    ("window", "newest", "reached"),
    [(100_000, 0.29, True), (100_000, 0.33, False), (10_000, 0.29, False), (10_000, 0.22, True)],
)
def test_a_large_board_gives_way_where_that_reaches_the_target(window: int, newest: float, reached: bool) -> None:
    """Beside a large newest step pins shrink below half only for the target, and never to next to nothing."""
    shares = share_out(Budget(window), window=window, head=0, floor=int(newest * window))
    together = shares.notes + shares.summary + shares.pins + int(newest * window)
    assert (together <= shares.total) is reached
    assert shares.pins >= (2_000 if together <= shares.total and window > 20_000 else 0.1 * window)


# -- the constructor of a session ------------------------------------------------------------


def test_two_arguments_are_enough() -> None:
    """`window` and `llm`; the window alone will do."""
    assert ContextManager(128_000).usage.window == 128_000
    assert ContextManager(128_000, llm=lambda _: "").usage.window == 128_000


def test_the_window_comes_from_the_model() -> None:
    """A known model tells its window."""
    assert ContextManager(model="gpt-4o").usage.window == 128_000


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, "window"),
        ({"model": "a-model-that-nobody-knows"}, "window"),
        ({"window": 1_000, "budget": Budget(2_000)}, "contradicts"),
        ({"budget": 0.7}, "Budget"),
        ({"window": 1_000, "policy": "fancy"}, "template, template.memory, template.engrams, default"),
        ({"window": 1_000, "fidelity": "loose"}, "report, strict"),
        ({"window": 1_000, "llm": "gpt-4o"}, "llm"),
        ({"window": 1_000, "llm_window": 0}, "llm_window"),
        ({"window": 1_000, "redact": "yes"}, "redact"),
        ({"window": 1_000, "pre_compact": 7}, "pre_compact"),
        ({"window": 1_000, "post_compact": [print, None]}, "post_compact"),
        ({"window": 1_000, "semantics": {"save": "edit"}}, "save"),
    ],
)
def test_an_unknown_setting_is_refused(arguments: dict[str, Any], names: str) -> None:
    """A `BudgetError` at construction that names the setting and lists the known values."""
    make: Any = ContextManager
    with pytest.raises(BudgetError, match=names):
        make(**arguments)


def test_a_count_that_is_no_count_is_refused_at_the_first_text() -> None:
    """A caller's counter must give whole tokens."""
    count: Any = lambda text: len(text) / 4  # noqa: E731 - a wrong type on purpose
    ctx = ContextManager(1_000, count=count)
    with pytest.raises(BudgetError, match="whole tokens"):
        ctx.add({"role": "user", "content": "hello"})
    assert ctx.messages == []


@pytest.mark.parametrize("window", [1, 2, 10, 50, 100])
def test_tiny_windows_are_legal(window: int) -> None:
    """What can't fit says so when it comes, not at construction."""
    ctx = ContextManager(window)
    assert ctx.usage.tokens == 0
    assert ctx.prepare() == []


@pytest.mark.parametrize(
    ("shares", "advice"),
    [
        ({"soft": 0.8, "hard": 0.7}, "lower soft or raise hard"),
        ({"soft": 0.3}, "lower target or raise soft"),
        ({"target": 0.0}, "raise target above 0"),
        ({"hard": 1.0}, "lower hard below 1"),
    ],
)
def test_the_advice_is_about_the_pair_that_is_in_disorder(shares: dict[str, Any], advice: str) -> None:
    """Following it mends the budget."""
    with pytest.raises(BudgetError, match=advice):
        Budget(100_000, **shares)
