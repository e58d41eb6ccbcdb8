"""Text for a cell of a table: one line, whatever it was.

The invariant guarded here: what comes out has no control characters and nothing of invisible or unsure width,
so a table's columns stay where they are, in Chinese and with emoji too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["LONG", "count", "one_line", "share", "spans"]

LONG = 400
"""Characters of a text that a cell looks at; more never fits."""


def one_line(text: str, *, most: int = LONG) -> str:
    """A text on one line, cut after `most` characters: white space folded, control and joining characters gone."""
    cut = text[: 4 * most]
    kept = (" " if letter.isspace() or unicodedata.category(letter) == "Cc" else letter for letter in cut)
    shown = " ".join("".join(letter for letter in kept if not _unsure(letter)).split())
    return f"{shown[: most - 1]}…" if len(shown) > most or len(text) > len(cut) else shown


def _unsure(letter: str) -> bool:
    """Zero-width joiners, direction marks, variation selectors, lone surrogates, private use."""
    return unicodedata.category(letter) in ("Cf", "Cs", "Co", "Cn", "Me") or "\ufe00" <= letter <= "\ufe0f"


def count(number: int, noun: str = "") -> str:
    """`1,204 messages`, `1 message`."""
    plural = "" if number == 1 or not noun else "s"
    return f"{number:,} {noun}{plural}".strip()


def share(part: float, whole: float) -> str:
    """A part in percent: `72 %`; `<1 %` where it is small but there."""
    if whole <= 0:
        return ""
    percent = 100 * part / whole
    return "<1 %" if 0 < percent < 1 else f"{percent:.0f} %"


def spans(addresses: Iterable[str], *, most: int = LONG) -> str:
    """Addresses, each whole, with runs of messages folded: `m3–m9, m12, f:a.py@7`; after `most` characters counted."""
    runs: list[tuple[str, int, int]] = []
    for address in addresses:
        number = int(address[1:]) if address[:1] == "m" and address[1:].isdecimal() else -1
        if runs and number >= 0 and runs[-1][2] == number - 1:
            runs[-1] = (runs[-1][0], runs[-1][1], number)
        else:
            runs.append((address, number, number))
    shown, length, left = list[str](), 0, 0
    for name, first, last in runs:
        text = name if first == last else f"{name}–m{last}"
        length += len(text) + 2
        if shown and length > most:
            left += last - first + 1
        else:
            shown.append(text)
    return ", ".join(shown) + (f" and {left:,} more" if left else "")
