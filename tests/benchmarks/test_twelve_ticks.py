"""The run of twelve ticks, with the quick runner; and proof that its judge can tell a fault."""

from __future__ import annotations

import json

import pytest

from benchmarks import ticks
from benchmarks._ticks._agent import AGAIN
from tests.talks import warm

SEED, WINDOW = 11, 8_000


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ticks.Run:
    """One run: a real repository, a real kill."""
    warm()
    return ticks.play(tmp_path_factory.mktemp("ticks") / "project", WINDOW, SEED, "unittest")


def test_twelve_ticks_hold(run: ticks.Run) -> None:
    """Gone on where it was killed, known again, flat, counted as git counts."""
    assert ticks.faults(run) == []


def test_all_summaries_repeated_grow(run: ticks.Run) -> None:
    """The failed way takes more with each tick, the newest three don't."""
    sizes = ticks.briefings(run)
    pages = [len(run.page(number)) for number in range(1, 13)]
    assert sum(pages[:11]) > 3 * sum(pages[:3])
    assert max(sizes[3:]) <= ticks.GROWTH * sizes[3]


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("tick-8-summary.md", "reported again; fixed in tick 3", "new", "reported again, and the file says"),
        ("tick-8-summary.md", "## Open\n", f"## Open\n- src/parser.py:9 {AGAIN}\n", "is open in tick 8"),
        ("tick-6-summary.md", "- state: closed", "- state: interrupted", "not closed: [6]"),
        ("tick-4-summary.md", "+1 −1 lines", "+9 −1 lines", "git says +1 −1 in src/totals.py"),
    ],
)
def test_the_judge_sees_a_false_file(run: ticks.Run, name: str, old: str, new: str, said: str) -> None:
    """What is wrong in a tick file is told."""
    path = run.folder / ".harness" / name
    text = path.read_text("utf-8")
    path.write_text(text.replace(old, new), "utf-8")
    try:
        assert any(said in fault for fault in ticks.faults(run))
    finally:
        path.write_text(text, "utf-8")


def test_the_judge_sees_growth_and_a_wrong_node(run: ticks.Run) -> None:
    """More and more of the window, another node after the kill, a bridge without the checkpoint."""
    told = json.loads(json.dumps(run.told))
    for line in told:
        if "closed" in line:
            line["cost"] += 100 * line["closed"]
        if "begun" in line:
            line["node"] = "plan"
        if "bridge" in line:
            line["checkpoint"] = "something else\n" + line["checkpoint"]
    found = " ".join(ticks.faults(ticks.Run(run.folder, run.window, told, run.exits)))
    assert ["grows" in found, "gone on at" in found, "the bridge begins with" in found] == [True] * 3
    assert ticks.faults(ticks.Run(run.folder, run.window, told, [1]))[0].startswith("the agent ended with")
