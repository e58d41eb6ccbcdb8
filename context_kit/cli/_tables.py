"""What the commands show: receipts and measures as tables, readable at 80 columns and without colours.

The invariant guarded here: text from a transcript is shown as text, never read as markup, and never breaks a line.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from context_kit.cli._text import LONG, count, one_line, share, spans
from context_kit.summary import LISTS
from context_kit.types import Compaction, Engram

if TYPE_CHECKING:
    from context_kit.cli._measure import Measure

__all__ = ["console", "made_row", "made_table", "made_uncut", "measure_tables", "receipt_table"]

COLOURS = {"ok": "green", "soft": "yellow", "hard": "red"}
FILES = 10
"""So many edited files and failures are listed ..."""
WHOLE = 10_000
"""Characters of a cell that holds addresses: none of them is cut."""
LIST, OFFER = "list", "offer"
"""Titles of lines for which the summary had no room, and of what the newest words of a person take up."""
ADDRESS = re.compile(r"m\d+")
ALIKE = 5
"""... and so many engrams of one kind; the others are summed."""


def console(*, errors: bool = False) -> Console:
    """A console on standard output (or standard error) that takes every text literally."""
    stream = sys.stderr if errors else sys.stdout
    return Console(file=stream, highlight=False, markup=False, emoji=False)


def made_table(title: str, *columns: str, numbers: Iterable[int] = ()) -> Table:
    """An empty table; the columns of these numbers stand to the right."""
    right = set(numbers)
    table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, expand=False)
    for at, name in enumerate(columns):
        last = at == len(columns) - 1
        table.add_column(
            Text(name),
            justify="right" if at in right else "left",
            no_wrap=not last,
            overflow="fold" if last else "ellipsis",
        )
    return table


def made_whole(table: Table, texts: Iterable[str], *, room: int, column: int = -1) -> None:
    """Widen a table as far as one column needs to show these texts whole: a long line is better than a cut address.

    Args:
        table: with all its rows.
        texts: addresses or names.
        room: columns of the terminal.
        column: where they stand.
    """
    longest = max(map(cell_len, texts), default=0)
    others = [each for each in table.columns if each is not table.columns[column]]
    beside = sum(max((cell_len(str(cell)) for cell in (each.header, *each.cells)), default=0) for each in others)
    wanted = longest + beside + 3 * len(table.columns) + 1
    if wanted > room:
        table.width = wanted


def made_uncut(table: Table, *, room: int) -> None:
    """Widen a table with all its rows as far as its cells need: a long line is better than a cut figure."""
    endless = Console(width=WHOLE)
    wanted = Measurement.get(endless, endless.options, table).maximum
    for column in table.columns:
        column.no_wrap = True
    if wanted > room:
        table.width = wanted


def made_row(table: Table, *cells: str, style: str = "", most: int = LONG) -> None:
    """One row more, each cell on one line, cut after `most` characters."""
    table.add_row(*(Text(one_line(cell, most=most), overflow="fold") for cell in cells), style=style or None)


def receipt_table(
    receipt: Compaction, *, window: int, recalled: tuple[str, str] | None = None, room: int = 80
) -> Table:
    """One compaction: before and after, and what became of everything.

    Args:
        receipt: of the compaction.
        window: tokens.
        recalled: an address and a line of the text that a recall of it brought back.
        room: columns of the terminal; the table is wider only where an address is.
    """
    how = f"{receipt.trigger} · {receipt.rung}" if receipt.outcome == "applied" else receipt.outcome
    table = made_table(f"Compaction {receipt.id} · {how}", "", "amount", "what", numbers=(1,))
    made_row(
        table, "before", count(receipt.tokens_before), f"tokens, {share(receipt.tokens_before, window)} of the window"
    )
    after = f"tokens, {share(receipt.tokens_after, window)} of the window"
    made_row(table, "after", count(receipt.tokens_after), after, style="green" if receipt.outcome == "applied" else "")
    if receipt.reason:
        made_row(table, "reason", "", receipt.reason)
    for name, addresses in (("kept", receipt.kept), ("summarised", receipt.summarised), ("clipped", receipt.clipped)):
        made_row(table, name, count(len(addresses)), spans(addresses), most=WHOLE)
    _pinned(table, receipt)
    made_row(table, "evicted", count(len(receipt.evicted)), spans(receipt.evicted), most=WHOLE)
    _recallable(table, receipt, recalled)
    for failure in receipt.failures:
        made_row(table, "note", "", failure)
    made_row(table, "summariser", share(receipt.coverage, 1), f"of the old part seen by {receipt.summariser}")
    made_row(table, "seconds", f"{receipt.seconds:.2f}", "")
    shown = (*receipt.kept, *receipt.summarised, *receipt.clipped, *receipt.evicted)
    made_whole(table, [f"{one_line(each, most=WHOLE)}," for each in shown], room=room)
    return table


def _pinned(table: Table, receipt: Compaction) -> None:
    tokens = sum(engram.tokens for engram in receipt.engrams)
    made_row(table, "pinned", count(len(receipt.engrams)), f"{count(tokens, 'token')} word for word")
    groups: dict[str, list[Engram]] = {}
    for engram in receipt.engrams:
        groups.setdefault(_title(engram), []).append(engram)
    for title, alike in groups.items():
        named = _lists(alike) if title == LIST else [(_name(each), each.tokens) for each in alike]
        for name, size in named[:ALIKE]:
            made_row(table, f"  {title}", count(size, "token"), name, style="cyan")
        if rest := named[ALIKE:]:
            more = count(sum(size for _, size in rest), "token")
            made_row(table, f"  {title}", more, f"{len(rest)} more", style="cyan")


def _title(engram: Engram) -> str:
    """What kind of engram it is, in a word for a reader."""
    if engram.kind != "promoted":
        return engram.kind
    return LIST if engram.label in LISTS else OFFER if ADDRESS.fullmatch(engram.label) else "often used"


def _name(engram: Engram) -> str:
    own = engram.label not in ("", engram.kind) and _title(engram) != OFFER
    name = engram.label if own else f"“{one_line(engram.text, most=60)}”"
    return f"{one_line(name, most=90)}{' (clipped)' if engram.clipped else ''}"


def _lists(engrams: Sequence[Engram]) -> list[tuple[str, int]]:
    """Each list with how many lines it has, and their tokens."""
    lines, sizes = Counter[str](), Counter[str]()
    for engram in engrams:
        lines[engram.label] += 1
        sizes[engram.label] += engram.tokens
    return [(f"{label}: {count(lines[label], 'line')}", size) for label, size in sizes.items()]


def _recallable(table: Table, receipt: Compaction, recalled: tuple[str, str] | None) -> None:
    """Everything that left has an address; one of them is shown to work."""
    addresses = {*receipt.summarised, *receipt.clipped, *receipt.evicted}
    made_row(table, "recallable", count(len(addresses)), f"addresses; all of it: {receipt.id}" if addresses else "")
    if recalled is not None:
        address, line = recalled
        made_row(table, "  recall", "", f"{address} → {one_line(line, most=120)}", style="magenta", most=WHOLE)


def measure_tables(found: Measure, *, window: int | None = None) -> list[Table]:
    """Where the tokens are: by role, kind and tool, the largest messages, the files and failures."""
    whole = found.tokens
    return [
        *([_window(whole, window)] if window else []),
        _counted("By role", "role", found.roles, whole),
        _counted("By kind", "kind", found.kinds, whole),
        *_tools(found),
        _largest(found),
        *_work(found),
    ]


def _window(tokens: int, window: int) -> Table:
    table = made_table("Window", "window", "tokens", "share", numbers=(0, 1, 2))
    level = "ok" if tokens < 0.7 * window else "soft" if tokens < 0.75 * window else "hard"
    made_row(table, count(window), count(tokens), share(tokens, window), style=COLOURS[level])
    return table


def _counted(title: str, name: str, counted: Counter[str], whole: int) -> Table:
    table = made_table(title, name, "tokens", "share", numbers=(1, 2))
    for key, tokens in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        made_row(table, key, count(tokens), share(tokens, whole))
    return table


def _tools(found: Measure) -> Sequence[Table]:
    if not found.tools:
        return ()
    table = made_table("By tool", "tool", "calls", "asked", "answered", "share", numbers=(1, 2, 3, 4))
    for name, use in sorted(found.tools.items(), key=lambda item: (-item[1].tokens, item[0])):
        cells = (count(use.calls), count(use.asked), count(use.answered), share(use.tokens, found.tokens))
        made_row(table, one_line(name, most=32), *cells)
    return (table,)


def _largest(found: Measure) -> Table:
    table = made_table("Largest messages", "message", "role", "kind", "tokens", "begins", numbers=(3,))
    for large in found.largest:
        made_row(table, large.address, large.role, large.kind, count(large.tokens), one_line(large.text, most=60))
    return table


def _work(found: Measure) -> list[Table]:
    tables: list[Table] = []
    if found.edited:
        table = made_table(f"Edited files ({len(found.edited)})", "edits", "file", numbers=(0,))
        for path, edits in sorted(found.edited.items(), key=lambda item: (-item[1], item[0]))[:FILES]:
            made_row(table, count(edits), path)
        tables.append(table)
    if found.failures:
        table = made_table(f"Failures ({len(found.failures)})", "times", "state", "what", numbers=(0,))
        for failure in found.failures[-FILES:]:
            state = "solved" if failure.solved else "open"
            what = f"{one_line(failure.attempt, most=80)}: {one_line(failure.line, most=120)}"
            made_row(table, count(failure.count), state, what, style="" if failure.solved else "red")
        tables.append(table)
    return tables
