"""The ledger says the provider's number plus what came since, and learns what it was never shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context_kit.tokens import Ledger
from context_kit.wire import Reported


def report(ledger: Ledger, tokens: int, output: int | None = None, *, cost: int = 10, model: str | None = None) -> None:
    """Add a reply of some cost that answers a request of so many tokens."""
    ledger.added(cost)
    ledger.reported(Reported(input_tokens=tokens, output_tokens=output, model=model), cost=cost)


def session(ledger: Ledger, *, scale: float, overhead: int, steps: int = 40, each: int = 300) -> int:
    """A session whose provider counts by `scale` and sends `overhead` more; the sum of our costs."""
    held = 0
    for _ in range(steps):
        ledger.added(each)
        held += each
        report(ledger, int(overhead + scale * held), int(scale * 50), cost=50)
        held += 50
    return held


@given(st.lists(st.integers(0, 10_000)))
def test_without_a_report_it_is_the_sum(costs: list[int]) -> None:
    """The estimate alone is exactly the sum of the costs."""
    ledger = Ledger(1_000_000)
    for cost in costs:
        ledger.added(cost)
    assert ledger.tokens == sum(costs)
    assert (ledger.source, ledger.scale, ledger.overhead) == ("estimate", 1.0, 0)
    assert ledger.raw(1_000) == 1_000


def test_a_report_anchors_the_size() -> None:
    """After a report it is the request, the reply and the estimate of what came since."""
    ledger = Ledger(128_000)
    ledger.added(30_000)
    report(ledger, 38_000, 500, cost=5)
    assert (ledger.tokens, ledger.source) == (38_500, "provider")
    ledger.added(700)
    assert ledger.tokens == 39_200
    assert 0 < ledger.margin < 1_000


def test_usage_that_can_not_be_is_ignored() -> None:
    """Zero and more than the window are no sizes."""
    ledger = Ledger(8_000)
    ledger.added(7_000)
    for tokens in (0, -5, 8_001):
        report(ledger, tokens, 0)
    assert (ledger.tokens, ledger.source) == (7_030, "estimate")


def test_a_stub_of_an_output_is_not_believed() -> None:
    """An output far below what the reply itself shows counts as the reply's own estimate."""
    ledger = Ledger(100_000)
    report(ledger, 10_000, 3, cost=400)
    assert ledger.tokens == 10_400
    report(ledger, 10_400, None, cost=100)
    assert ledger.tokens == 10_500


def test_scale_and_overhead_are_learned() -> None:
    """From the increments it learns the provider's tokeniser, from the rest what it was never shown."""
    ledger = Ledger(200_000)
    held = session(ledger, scale=1.3, overhead=15_000)
    assert 1.15 < ledger.scale <= 1.3
    assert 14_000 < ledger.overhead < 17_000
    ledger.added(1_000)
    assert abs(ledger.tokens - (15_000 + 1.3 * (held + 1_000))) < ledger.margin
    ledger.compacted(5_000)
    assert ledger.source == "estimate"
    assert abs(ledger.tokens - (15_000 + 1.3 * 5_000)) < ledger.margin
    assert abs(ledger.raw(ledger.tokens) - 5_000) <= 2


def test_few_reports_teach_no_scale() -> None:
    """One gap between report and estimate is taken for parts never shown, not for another tokeniser."""
    ledger = Ledger(10_000)
    ledger.added(6_500)
    report(ledger, 8_990, 10)
    assert ledger.scale == 1.0
    assert ledger.overhead == 2_490
    ledger.compacted(1_500)
    assert ledger.tokens == 3_990


def test_a_huge_gap_leaves_room_to_work() -> None:
    """However large a report is beside the estimate, most of the window stays usable after a compaction."""
    ledger = Ledger(10_000)
    report(ledger, 9_900, 10)
    ledger.compacted(1_000)
    assert ledger.overhead == 2_500
    assert ledger.raw(7_000) >= 4_000


def test_an_edit_outside_the_log_is_no_lesson() -> None:
    """One increment that nothing explains hardly moves the scale."""
    ledger = Ledger(500_000)
    session(ledger, scale=1.0, overhead=1_000)
    before = ledger.scale
    ledger.added(300)
    report(ledger, 120_000, 50, cost=50)
    assert abs(ledger.scale - before) < 0.1


def test_hidden_reasoning_that_is_dropped_is_noticed() -> None:
    """Where replies come back smaller than their reported output, their own size is used from then on."""
    ledger, held = Ledger(500_000), 0
    for _ in range(10):
        ledger.added(100)
        held += 100
        report(ledger, held, 2_000, cost=80)
        held += 80
    assert abs(ledger.tokens - held) <= 20


def test_another_model_is_learned_anew() -> None:
    """A scale belongs to one model's tokeniser."""
    ledger = Ledger(500_000)
    held = 0
    for step in range(20):
        ledger.added(1_000)
        held += 1_000
        report(ledger, int(1.4 * held), cost=0, model="a" if step < 19 else "b")
    assert ledger.scale == 1.0
    assert ledger.source == "provider"


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.integers(0, 5_000), st.just(0)),
            st.tuples(st.just("report"), st.integers(-10, 120_000), st.integers(0, 5_000)),
            st.tuples(st.just("compact"), st.integers(0, 50_000), st.just(0)),
        ),
        max_size=40,
    )
)
def test_it_stays_within_its_bounds(acts: list[tuple[str, int, int]]) -> None:
    """Whatever is reported: bounded scale and overhead, sizes that are never negative, an inverse that inverts."""
    ledger = Ledger(100_000)
    for act, size, output in acts:
        if act == "add":
            ledger.added(size)
        elif act == "report":
            report(ledger, size, output, cost=40)
        else:
            ledger.compacted(size)
        assert 0.5 <= ledger.scale <= 2.0
        assert 0 <= ledger.overhead <= 25_000
        assert ledger.tokens >= 0
        assert ledger.margin >= 0
        assert ledger.overhead + ledger.scale * ledger.raw(90_000) <= 90_000
