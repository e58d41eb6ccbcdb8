"""What the benchmarks show on a page: true figures, in words as well, on a light and a dark one."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks._page import bars, described, image, put, shown, table

SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Row:
    name: str
    faults: int
    share: float | None = None


def test_a_table_shows_rows_of_any_kind() -> None:
    """Mappings and dataclass objects, thousands set apart, what is missing as a dash, a bar in a text escaped."""
    rows = [Row("a|b", 12_345, 0.25), {"name": "b", "faults": 7}]
    assert table(rows, {"name": "who", "faults": "faults", "share": "share"}).splitlines() == [
        "| who | faults | share |",
        "| --- | --: | --: |",
        "| a\\|b | 12,345 | 0.25 |",
        "| b | 7 | – |",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (True, "yes"), (False, "no"), (0, "0"), (1_000, "1,000"), (0.12345, "0.123"), (12.0, "12")],
)
def test_a_value_is_shown_in_one_way(value: object, text: str) -> None:
    """Wherever it stands."""
    assert shown(value) == text


@pytest.mark.parametrize("stacked", [False, True])
def test_a_chart_s_bars_are_as_long_as_its_figures(stacked: bool) -> None:
    """The lengths stand to each other as the values do, and every figure is said in words."""
    drawn = bars(["one", "two"], {"red": [1, 3], "blue": [2, 0]}, "Faults <of> all", stacked=stacked)
    root = ET.fromstring(drawn)
    found = [each for each in root.iter(f"{SVG}rect") if each.get("height") == "14"]
    widths = {
        name: [float(each.get("width") or 0) for each in found if each.get("class") == name] for name in ("s0", "s1")
    }
    assert widths["s0"][1] == pytest.approx(3 * widths["s0"][0], rel=0.01)
    assert widths["s1"][0] == pytest.approx(2 * widths["s0"][0], rel=0.01)
    told = {each.tag.removeprefix(SVG): each.text for each in root if each.tag in (f"{SVG}title", f"{SVG}desc")}
    assert told == {"title": "Faults <of> all", "desc": "one: red 1, blue 2; two: red 3, blue 0."}


def test_a_chart_has_colours_for_a_dark_page() -> None:
    """Every class that has a colour on a light page has one on a dark page, too."""
    light, _, dark = bars(["a"], {"x": [1], "y": [2]}, "t").partition("@media (prefers-color-scheme: dark)")
    for name in (".s0", ".s1", ".card", "text", ".quiet", ".in"):
        assert re.search(rf"{re.escape(name)}\b[^{{}}]*{{", light)
        assert re.search(rf"{re.escape(name)}\b[^{{}}]*{{", dark)


@pytest.mark.parametrize("values", [[1.0], [1.0, -1.0]])
def test_a_series_has_a_value_for_each_group(values: list[float]) -> None:
    """Too few, or one below zero, is refused by the series' name."""
    with pytest.raises(ValueError, match="red"):
        bars(["one", "two"], {"red": values}, "t")


def test_a_chart_of_nothing_is_a_chart() -> None:
    """All zero, or no group at all."""
    for groups, values in ((["a"], [0.0]), ([], [])):
        assert ET.fromstring(bars(groups, {"x": values}, "t")).tag == f"{SVG}svg"
    assert described([], {}) == "."


def test_a_page_keeps_what_others_wrote(tmp_path: Path) -> None:
    """Between its marks a section is replaced, the rest stays; without marks the page is the text."""
    page = tmp_path / "docs" / "page.md"
    put(page, "speed", "alone")
    assert page.read_text("utf-8") == "alone\n"
    page.write_text("# Page\n\n<!-- speed -->\nold\n<!-- /speed -->\n\nrest\n", "utf-8")
    for _ in range(2):
        put(page, "speed", f"new\n\n{image('a.svg', 'a [chart]')}")
        assert page.read_text("utf-8") == (
            "# Page\n\n<!-- speed -->\n\nnew\n\n![a (chart)](a.svg)\n\n<!-- /speed -->\n\nrest\n"
        )
