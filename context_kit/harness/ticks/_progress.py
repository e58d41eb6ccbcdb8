"""`progress.md`: the narrative of the work, appended; what stands there is never changed.

# Progress

## 2026-05-01T10:00:00Z · build · tick 3
The parser closes its files now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["FILE", "Entry", "entry_text", "parse_progress"]

FILE = "progress.md"
TITLE = "# Progress\n"
HEADING = re.compile(r"##[ \t]+(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the narrative."""

    head: str = ""
    """When, at which node, in which tick; as it stands."""
    text: str = ""


def entry_text(text: str, *, at: str, node: str, tick: int, empty: bool) -> str:
    """An entry as it is appended; lines that would begin another one are indented."""
    head = " · ".join(filter(None, (at, " ".join(node.split()), f"tick {tick}" if tick else "")))
    body = "\n".join(f" {line}" if line.startswith("#") else line for line in text.strip().splitlines())
    return f"{TITLE if empty else ''}\n## {head}\n{body}\n"


def parse_progress(text: str) -> list[Entry]:
    """Every entry, oldest first; a text without headings is one."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        heading = HEADING.match(line)
        if heading is not None:
            found.append((heading[1].strip(), []))
        elif not line.startswith("# "):
            found[-1][1].append(line)
    entries = [Entry(head=head, text="\n".join(lines).strip()) for head, lines in found]
    return [entry for entry in entries if entry.head or entry.text]
