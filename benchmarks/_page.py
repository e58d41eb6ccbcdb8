"""Tables and bar charts for a page: Markdown and SVG, by hand; the same figures give the same bytes.

Whatever a chart shows it also says: its `<desc>` holds every figure in words, and each bar has its
figure beside it, so that nothing hangs on a colour. Both are readable on a light and a dark page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

__all__ = ["bars", "described", "image", "put", "shown", "table"]

EDGE: Final = 24
"""Pixels around everything."""
WIDTH: Final = 880
LABELS: Final = 190
"""Pixels for the names of the groups."""
FIGURES: Final = 76
"""Pixels for the figure behind a bar."""
BAR: Final = 16
GAP: Final = 10
"""Pixels between two groups."""
LETTER: Final = 7.4
"""Pixels of a letter, nearly."""
COLOURS: Final = (
    ("#0969da", "#4493f8"),
    ("#bf5700", "#f0883e"),
    ("#1a7f37", "#3fb950"),
    ("#8250df", "#ab7df8"),
    ("#bf3989", "#f778ba"),
    ("#59636e", "#9198a1"),
    ("#9a6700", "#d29922"),
    ("#0a7b83", "#39c5cf"),
)
"""A series' colour on a light and on a dark page; with more series they begin anew."""


# -- tables --------------------------------------------------------------------


def table(rows: Sequence[object], columns: Sequence[str] | Mapping[str, str]) -> str:
    """Rows as a Markdown table; a column with numbers stands on the right.

    Args:
        rows: mappings or dataclass objects; what a row doesn't have is shown as a dash.
        columns: keys, or keys with their headings.
    """
    names = dict(columns) if isinstance(columns, Mapping) else {key: key for key in columns}
    found = [_record(row) for row in rows]
    numeric = [all(_number(row.get(key)) for row in found) for key in names]
    lines = [
        [_cell(heading) for heading in names.values()],
        ["--:" if right else "---" for right in numeric],
        *([_cell(shown(row.get(key))) for key in names] for row in found),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shown(value: object) -> str:
    """A value as a table or a chart shows it: thousands set apart, fractions with three figures, nothing as a dash."""
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() or abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _record(row: object) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    assert is_dataclass(row), row
    return {field.name: getattr(row, field.name) for field in fields(row)}


def _number(value: object) -> bool:
    """Whether it is read as a figure: `12`, `20/20` and `35 %` are, too."""
    if isinstance(value, str):
        return value.strip(" 0123456789.,/%–×") == ""
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# -- charts --------------------------------------------------------------------


def bars(
    groups: Sequence[str],
    series: Mapping[str, Sequence[float]],
    title: str,
    *,
    note: str = "",
    unit: str = "",
    stacked: bool = False,
) -> str:
    """A chart of horizontal bars as the text of an SVG file.

    Args:
        groups: one row of bars each, from the top.
        series: a name to its values, one for each group, none below 0.
        title: what is shown.
        note: a line below the title: how it was measured.
        unit: behind every figure.
        stacked: the values of a group add up and stand in one bar.

    Raises:
        ValueError: a series hasn't one value for each group, or one is negative.
    """
    for name, values in series.items():
        if len(values) != len(groups) or min(values, default=0) < 0:
            msg = f"{name}: {list(values)!r} for {len(groups)} groups: one value for each is wanted, none below 0"
            raise ValueError(msg)
    tall = BAR if stacked else BAR * len(series)
    top = EDGE + (58 if note else 40) + _legend_height(series)
    height = top + len(groups) * (tall + GAP) + EDGE - GAP
    body = [
        f'<rect class="card" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10"/>',
        _text(EDGE, EDGE + 16, title, "title"),
        *([_text(EDGE, EDGE + 37, note, "quiet")] if note else []),
        *_legend(series, top - _legend_height(series)),
    ]
    most = _most(series, stacked=stacked)
    for at, group in enumerate(groups):
        y = top + at * (tall + GAP)
        body.append(_text(EDGE + LABELS - 10, y + tall / 2 + 5, group, "", "end"))
        values = [float(found[at]) for found in series.values()]
        body += (_stack if stacked else _beside)(values, y, most, unit)
    told = escape(described(groups, series, unit=unit))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-labelledby="title desc">\n<title id="title">{escape(title)}</title>\n<desc id="desc">{told}</desc>\n'
        f"<style>{_style(len(series))}</style>\n" + "\n".join(body) + "\n</svg>\n"
    )


def described(groups: Sequence[str], series: Mapping[str, Sequence[float]], *, unit: str = "") -> str:
    """Every figure of a chart in words."""
    told = (
        f"{group}: " + ", ".join(f"{name} {shown(values[at])}{_spaced(unit)}" for name, values in series.items())
        for at, group in enumerate(groups)
    )
    return "; ".join(told) + "."


def _most(series: Mapping[str, Sequence[float]], *, stacked: bool) -> float:
    columns = list(zip(*series.values(), strict=True))
    return max((sum(each) if stacked else max(each) for each in columns), default=0) or 1


def _beside(values: Sequence[float], y: float, most: float, unit: str) -> list[str]:
    found: list[str] = []
    for at, value in enumerate(values):
        top, width = y + at * BAR, _width(value, most)
        found.append(_rect(at, EDGE + LABELS, top, width))
        found.append(
            _text(EDGE + LABELS + width + 6, top + BAR - 4, f"{shown(_plain(value))}{_spaced(unit)}", "figure")
        )
    return found


def _stack(values: Sequence[float], y: float, most: float, unit: str) -> list[str]:
    found, x = list[str](), float(EDGE + LABELS)
    for at, value in enumerate(values):
        width = _width(value, most)
        if value:
            found.append(_rect(at, x, y, width))
        if len(label := shown(_plain(value))) * LETTER + 6 < width:
            found.append(_text(x + width / 2, y + BAR - 4, label, "in", "middle"))
        x += width
    found.append(_text(x + 6, y + BAR - 4, f"{shown(_plain(sum(values)))}{_spaced(unit)}", "figure"))
    return found


def _width(value: float, most: float) -> float:
    return (WIDTH - 2 * EDGE - LABELS - FIGURES) * value / most


def _rect(at: int, x: float, y: float, width: float) -> str:
    return (
        f'<rect class="s{at % len(COLOURS)}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{BAR - 2}"/>'
    )


def _legend_height(series: Mapping[str, Sequence[float]]) -> int:
    return 24 * len(_legend_lines(series)) if len(series) > 1 else 0


def _legend_lines(series: Mapping[str, Sequence[float]]) -> list[list[tuple[int, str]]]:
    """The names of the series, as many in a line as have room."""
    lines: list[list[tuple[int, str]]] = [[]]
    for at, name in enumerate(series):
        if sum(len(each) * LETTER + 40 for _, each in lines[-1]) + len(name) * LETTER + 40 > WIDTH - 2 * EDGE:
            lines.append([])
        lines[-1].append((at, name))
    return lines


def _legend(series: Mapping[str, Sequence[float]], top: float) -> list[str]:
    found: list[str] = []
    for row, line in enumerate(_legend_lines(series) if len(series) > 1 else []):
        x, y = float(EDGE), top + 24 * row
        for at, name in line:
            found.append(f'<rect class="s{at % len(COLOURS)}" x="{x:.1f}" y="{y:.1f}" width="12" height="12" rx="3"/>')
            found.append(_text(x + 18, y + 11, name))
            x += len(name) * LETTER + 40
    return found


def _style(series: int) -> str:
    light, dark = (
        " ".join(f".s{at} {{ fill: {pair[shade]} }}" for at, pair in enumerate(COLOURS[:series])) for shade in (0, 1)
    )
    return (
        '\ntext { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }\n'
        ".title { font-size: 17px; font-weight: 600 } .quiet, .figure { fill: #59636e }\n"
        ".in { fill: #ffffff; font-size: 11px; font-weight: 600 } .card { fill: #ffffff; stroke: #d1d9e0 }\n"
        f"{light}\n"
        "@media (prefers-color-scheme: dark) {\n"
        "text { fill: #f0f6fc } .quiet, .figure { fill: #9198a1 } .in { fill: #0d1117 }\n"
        ".card { fill: #0d1117; stroke: #3d444d }\n"
        f"{dark}\n}}\n"
    )


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value


def _spaced(unit: str) -> str:
    return f" {unit}" if unit else ""


# -- pages ---------------------------------------------------------------------


def image(path: str, alt: str) -> str:
    """A picture in Markdown."""
    return f"![{alt.replace('[', '(').replace(']', ')')}]({path})\n"


def put(page: Path, name: str, text: str) -> None:
    """Write a text to a page: between its marks `<!-- NAME -->` and `<!-- /NAME -->` where it has them, else alone."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    old = page.read_text("utf-8") if page.exists() else ""
    if begin in old and end in old:
        before, after = old.partition(begin)[0], old.rpartition(end)[2]
        text = f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
