"""`context-kit replay --sweep`: a setting is chosen where it is clearly better, and only there."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from context_kit import Budget
from context_kit.cli import main
from context_kit.cli._bill import Request
from context_kit.cli._evidence import evidence, wanted
from context_kit.cli._jobs import Failed, Result
from context_kit.cli._prices import UNITS
from context_kit.cli._replay_sweep import pasted
from context_kit.cli._score import Kept, Score
from context_kit.cli._snapshots import Snapshot
from context_kit.cli._sources import Source
from context_kit.cli._sweep import BANDS, SHAPES, Sweep, budgets, sweep
from context_kit.harness.transcripts import TranscriptError
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.typing import Message

DEFAULT = Budget(32_000)
GOOD = Budget(32_000, soft=0.78, hard=0.80)


def session(number: int) -> Source:
    return Source(name=f"s{number}", snapshot=Snapshot(f"s{number}", str(number), 1), tokens=1, messages=1, requests=())


def scored(cost: float, *, present: int = 90, lost: int = 0, compactions: int = 2) -> Score:
    """A session of this cost, in thousands of new tokens."""
    return Score(
        requests=(Request(0, int(1_000 * cost), 10),),
        peak=1_000,
        compactions=compactions,
        classes={"files": Kept(100, present, 100 - present - lost)},
        lost=tuple(f"fact {number}" for number in range(lost)),
    )


def searched(score: Callable[[Source, Budget], Result], sessions: int = 10, seed: int = 0) -> Sweep:
    """A sweep over made-up scores."""

    def run(wanted: Sequence[tuple[Source, Budget]]) -> list[Result]:
        return [score(source, budget) for source, budget in wanted]

    return sweep([session(number) for number in range(sessions)], DEFAULT, UNITS, run, seed=seed)


def held_back(found: Sweep, source: Source) -> bool:
    return source.name in found.held_back


@pytest.mark.parametrize("seed", range(5))
def test_a_clearly_better_setting_is_chosen(seed: int) -> None:
    """Cheaper in every session, and as much kept: it is found among all that are tried, and confirmed."""
    found = searched(lambda _, budget: scored(80 if budget == GOOD else 100), seed=seed)
    assert found.chosen == GOOD
    checked = found.finalists[0].checked_by
    assert checked is not None
    assert (checked.no_worse, checked.sessions, checked.cost.better) == (True, 5, 5)


@pytest.mark.parametrize(
    ("better", "why"),
    [
        (scored(80, lost=1), "loses a fact"),
        (scored(80, present=89), "keeps less in the window"),
        (scored(101), "is dearer"),
        (scored(100), "is the same"),
        (Failed("the window is too small"), "can't replay"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_better_is_not_chosen(better: Result, why: str) -> None:
    """The objective in its order: lost, kept, cost."""
    found = searched(lambda _, budget: scored(100) if budget == DEFAULT else better)
    assert found.chosen == DEFAULT, why
    assert "default stays" in found.reason


@pytest.mark.parametrize(
    "worse",
    [scored(120), scored(80, present=80), scored(80, lost=2)],
    ids=["dearer", "keeps less", "loses"],
)
@pytest.mark.parametrize("seed", range(3))
def test_the_held_back_half_has_a_veto(worse: Score, seed: int) -> None:
    """A setting that is better where it was chosen and worse where it was not is given up."""
    halves = searched(lambda _source, _budget: scored(100), seed=seed)
    found = searched(
        lambda source, budget: scored(100) if budget == DEFAULT else worse if held_back(halves, source) else scored(80),
        seed=seed,
    )
    assert found.held_back == halves.held_back
    assert found.chosen == DEFAULT
    assert "held back" in found.reason


@pytest.mark.parametrize("seed", range(10))
def test_noise_is_not_chosen_against_the_held_back_half(seed: int) -> None:
    """Where settings differ by chance alone, what is chosen is never worse on the half that chose nothing."""
    rng = random.Random(seed)
    noise: dict[tuple[str, Budget], Score] = {}

    def score(source: Source, budget: Budget) -> Score:
        key = (source.name, budget)
        return noise.setdefault(key, scored(rng.uniform(80, 120), present=rng.randrange(80, 100)))

    found = searched(score, seed=seed)
    costs = [score(session(int(name[1:])), found.chosen).tokens for name in found.held_back]
    base = [score(session(int(name[1:])), DEFAULT).tokens for name in found.held_back]
    assert found.chosen == DEFAULT or evidence([a / b for a, b in zip(costs, base, strict=True)], seed=0).ratio <= 1


def test_the_halves_share_no_session_and_both_compact() -> None:
    """Sessions that fill the window are dealt to both halves alike; every session is in one."""
    found = searched(lambda source, _: scored(100, compactions=int(source.digest) < 4), sessions=9)
    assert sorted([*found.train, *found.held_back]) == [f"s{number}" for number in range(9)]
    full = {"s0", "s1", "s2", "s3"}
    assert len(full & set(found.train)) == len(full & set(found.held_back)) == 2


def test_a_seed_makes_the_split() -> None:
    """The same one the same, another one another."""
    splits = [searched(lambda _source, _budget: scored(100), seed=seed).train for seed in (1, 1, 2)]
    assert splits[0] == splits[1] != splits[2]


def test_halving_asks_for_little() -> None:
    """Poor settings are replayed in a few sessions only."""
    asked: list[tuple[str, Budget]] = []

    def score(source: Source, budget: Budget) -> Score:
        asked.append((source.name, budget))
        return scored(100 + budgets(DEFAULT).index(budget))

    searched(score, sessions=40)
    assert len(set(asked)) == len(asked) < 40 * len(budgets(DEFAULT)) / 3


@pytest.mark.parametrize(
    ("sessions", "compactions", "words"),
    [(3, 2, "at least 4 sessions, .* got 3"), (6, 0, "fill the window of 32000 tokens, and 0 of 6 do")],
)
def test_too_few_sessions_are_told(sessions: int, compactions: int, words: str) -> None:
    """A split needs sessions, and sessions that compact."""
    with pytest.raises(TranscriptError, match=words):
        searched(lambda _source, _budget: scored(100, compactions=compactions), sessions=sessions)


@pytest.mark.parametrize("window", [1_000, 8_000, 32_000, 200_000, 1_000_000])
def test_every_setting_is_a_legal_budget(window: int) -> None:
    """All bands with all shapes, the default first, none twice; engrams have at most the fifth that they may have."""
    found = budgets(Budget(window))
    assert found[0] == Budget(window)
    assert len(set(found)) == len(found) == len(BANDS) * len(SHAPES)
    assert all(each.pins <= 0.20 for each in found)


@pytest.mark.parametrize("budget", budgets(DEFAULT))
def test_a_pasted_line_is_the_budget(budget: Budget) -> None:
    """The line that is printed makes the very budget."""
    assert eval(pasted(budget), {"Budget": Budget}) == budget


@pytest.mark.parametrize(
    ("ratios", "clear"),
    [
        ([0.9] * 5, True),
        ([0.9, 0.91, 0.95, 0.99, 0.97], True),
        ([0.5, 1.1, 1.1, 1.1, 1.1], False),
        ([0.9, 0.9, 0.9], False),
        ([1.0] * 10, False),
        ([1.2] * 10, False),
        ([], False),
    ],
)
def test_evidence_is_clear_where_sessions_agree(ratios: list[float], clear: bool) -> None:
    """One large saving is none, three sessions are too few, ties say nothing."""
    found = evidence(ratios, seed=0)
    assert found.clear is clear
    assert found.low <= found.ratio * (1 + 1e-9)
    assert found.ratio <= found.high * (1 + 1e-9)
    assert found == evidence(ratios, seed=0)


@pytest.mark.parametrize(
    ("ratios", "number"),
    [
        ([0.9] * 5, 5),
        ([0.9] * 3, 4),
        ([0.9, 0.9, 0.9, 1.05], 9),
        ([0.9, 0.95, 1.1, 1.1], None),
        ([0.99, 0.99, 0.6, 1.02, 1.02, 1.02], None),
        ([1.1] * 5, None),
        ([], None),
    ],
)
def test_so_many_sessions_would_make_it_clear(ratios: list[float], number: int | None) -> None:
    """Enough for both tests, were they like these; none where as many got dearer, or the mean is no saving."""
    found = evidence(ratios, seed=0)
    assert wanted(found, sessions=len(ratios)) == number
    if number is not None:
        many = (ratios * number)[: number + len(ratios)]
        assert evidence(many, seed=0).clear


@pytest.mark.parametrize(("dearer", "words"), [(1, "would make it clear"), (3, "would hardly make it clear")])
def test_the_reason_says_how_many_sessions_would_tell(dearer: int, words: str) -> None:
    """Where it is not clear: so many of this kind, or that more would not help."""
    train = searched(lambda _source, _budget: scored(100)).train

    def score(source: Source, budget: Budget) -> Score:
        at = train.index(source.name) if source.name in train else 0
        return scored(100 if budget == DEFAULT else 101 if at < dearer else 60)

    found = searched(score)
    assert (found.train, found.chosen) == (train, DEFAULT)
    assert "not clear enough" in found.reason
    assert words in found.reason


def test_a_session_that_the_default_cannot_replay_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is in neither half."""
    for number in range(4):
        (tmp_path / f"{number}.json").write_text(json.dumps(talk(f"s{number}", rounds=14)))
    (tmp_path / "heavy.json").write_text(json.dumps({"system": "rule " * 3_000, "messages": talk("h", rounds=2)}))
    assert main(["replay", str(tmp_path), "--window", "2000", "--sweep", "--jobs", "1", "--json", "-"]) == 0
    shown, told = capsys.readouterr()
    found = json.loads(shown)
    assert "heavy.json: left out: the window of 2000 tokens" in told
    assert "4 sessions in a window of 2,000" in told
    assert [Path(name).name for name in sorted([*found["train"], *found["held_back"]])] == [
        f"{n}.json" for n in range(4)
    ]


def talk(name: str, rounds: int) -> list[Message]:
    messages = [user(f"Fix module {name}, do not touch tests/")]
    for number in range(rounds):
        text = "\n".join(f"def {name}_{number}_{line}(): return {line * number}" for line in range(12))
        calls = [Call("Read", {"file_path": f"src/{name}_{number % 4}.py"}, result=text, id=f"c{number}")]
        messages += tool_round(calls, text=f"Reading file {number}.")
    return [*messages, *assistant("All read.")]


def test_a_sweep_ends_with_a_budget_to_paste(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Real replays: a table, the reason, the line; the same figures each time; what is kept is not replayed again."""
    for number in range(4):
        (tmp_path / f"{number}.json").write_text(json.dumps(talk(f"s{number}", rounds=14 + 2 * number)))
    out, kept = tmp_path / "out" / "sweep.json", tmp_path / "kept"
    out.parent.mkdir()
    arguments = ["replay", *(str(tmp_path / f"{number}.json") for number in range(4)), "--window", "2000"]
    found: list[dict[str, Any]] = []
    for _ in range(2):
        assert main([*arguments, "--sweep", "--jobs", "1", "--json", str(out), "--resume", str(kept)]) == 0
        found.append(json.loads(out.read_text("utf-8")))
        shown = capsys.readouterr().out
        budget = eval(shown.splitlines()[-1], {"Budget": Budget})
        assert isinstance(budget, Budget)
        assert "Against the default" in shown
        assert (found[-1]["line"], found[-1]["is_default"]) == (shown.splitlines()[-1], budget == Budget(2_000))
    assert found[0] == found[1]
    assert len(found[0]["train"]) == len(found[0]["held_back"]) == 2
