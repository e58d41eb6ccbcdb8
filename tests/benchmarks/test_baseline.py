"""The stored baseline is compared figure by figure: quality may not fall at all, growth within its tolerance."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from benchmarks import baseline, speed
from benchmarks._judge import count_tokens
from benchmarks.baseline import Figure

with warnings.catch_warnings():  # the tokeniser that counts here reads its data in a deprecated way
    warnings.simplefilter("ignore", DeprecationWarning)
    count_tokens("warm")


@pytest.mark.parametrize(
    ("old", "value", "fell"),
    [
        (Figure("kept", 0.9, "more"), 0.8999, True),
        (Figure("kept", 0.9, "more"), 0.9, False),
        (Figure("kept", 0.9, "more"), 1.0, False),
        (Figure("lost", 0, "less"), 1, True),
        (Figure("growth", 1.0, "less", 0.3), 1.3, False),
        (Figure("growth", 1.0, "less", 0.3), 1.31, True),
        (Figure("growth", 1.0, "less", 0.3), 0.1, False),
    ],
)
def test_a_figure_falls_in_its_own_direction(old: Figure, value: float, fell: bool) -> None:
    """By more than its tolerance; a better one never."""
    assert old.fell(value) is fell


def test_what_fell_is_named_with_what_was_expected() -> None:
    """So is a figure that nobody stored."""
    found = [Figure("kept", 0.8, "more"), Figure("fine", 1.0, "more"), Figure("new", 1.0, "more")]
    lines = baseline.compare(found, {each.name: each for each in (Figure("kept", 0.9, "more"), found[1])})
    assert lines == [
        "kept: 0.8, at least 0.9 was expected",
        "new: 1, and the baseline has none: run with --write",
    ]


def test_what_was_not_measured_stays_stored(tmp_path: Path) -> None:
    """A machine without the shared sessions doesn't lose their figures."""
    path = tmp_path / "baseline.json"
    old = {"a": Figure("a", 1.0, "more"), "b": Figure("b", 2.0, "less", 0.5)}
    baseline.write([Figure("a", 3.0, "more")], old, path)
    assert baseline.stored(path) == {"a": Figure("a", 3.0, "more"), "b": old["b"]}


def test_the_bundled_session_keeps_what_it_kept() -> None:
    """What the compactions of the bundled session keep, cost and lose is no worse than the stored figures."""
    found = [*baseline.kept(baseline.BUNDLED), *baseline.costs(baseline.BUNDLED)]
    assert len(found) > 20
    assert baseline.compare(found, baseline.stored(baseline.BASELINE)) == []


def test_a_fall_is_exit_code_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--write renews, and the next run agrees; a figure that fell fails it."""
    values = [0.5]
    monkeypatch.setattr(baseline, "BASELINE", tmp_path / "baseline.json")
    monkeypatch.setattr(baseline, "parts", lambda: {"kept": lambda: iter([Figure("kept", values[0], "more")])})
    assert baseline.main(["--write"]) == 0
    assert baseline.main([]) == 0
    values[0] = 0.4
    assert baseline.main([]) == 1
    assert "FELL kept: 0.4, at least 0.5 was expected" in capsys.readouterr().out


def test_the_stored_figures_are_ratios_and_counts() -> None:
    """No seconds, no bytes: the same on every machine. Quality has no tolerance."""
    for name, figure in baseline.stored(baseline.BASELINE).items():
        assert 0 <= figure.value < 50
        assert figure.better in ("more", "less")
        assert figure.tolerance == 0 or not name.startswith(("kept", "lost", "refactoring"))


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A check of nothing is no check."""
    with pytest.raises(SystemExit) as error:
        baseline.main(["--only", "no such part"])
    assert error.value.code == 2
    assert "refactoring" in capsys.readouterr().err


def test_the_speed_page_has_the_peers_times(tmp_path: Path) -> None:
    """Those that `benchmarks.peers` wrote; who wasn't run has no row."""
    there = {"missing": "", "seconds": 3.84, "compactions": 345}
    found = {"summary": {"peers": {"a library": there, "another": {"missing": "no environment"}}}}
    file = tmp_path / "peers.json"
    file.write_text(json.dumps(found), "utf-8")
    text = speed.page(CHECKS, None, speed.paces(file))
    assert "| a library | 3.8 | 345 |" in text
    assert "another" not in text


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"summary": {"peers": {"a": {}}}}'])
def test_no_peers_times_are_refused_before_any_run(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that isn't there or holds something else costs 2."""
    file = tmp_path / "peers.json"
    if text:
        file.write_text(text)
    with pytest.raises(SystemExit) as error:
        speed.main(["--peers", str(file)])
    assert error.value.code == 2
    assert "holds no figures of benchmarks.peers" in capsys.readouterr().err


CHECKS = [speed.Check(f"part {number} / floor", 1.0 + number / 10, 3.0) for number in range(7)]


def test_the_speed_page_shows_every_ratio(tmp_path: Path) -> None:
    """Each with its bound, in the table and in the chart."""
    text, picture = speed.page(CHECKS, tmp_path / "speed.svg"), speed.chart(CHECKS)
    for each in CHECKS:
        assert f"| {each.name} | {each.ratio:.3g} | 3 |" in text
        assert f"{each.ratio:.3g}" in picture
    assert "speed.svg" in text
    assert "python -m benchmarks.speed" in text
