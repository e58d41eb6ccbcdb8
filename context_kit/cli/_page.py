"""The journal as a page: by day, each record with what was done, why, and how it ended.

The invariant guarded here: a record's text is shown as text, without secrets, and never breaks the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from rich.console import Console, Group
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from context_kit._redact import redactor
from context_kit.cli._text import count, one_line
from context_kit.harness.transcripts import TranscriptError

__all__ = ["kept", "page", "plain", "since_when"]

MARKS = {
    "edit": ("✎", "cyan"),
    "run": ("▸", "green"),
    "fail": ("✗", "red"),
    "decide": ("◆", "yellow"),
    "contract": ("§", "magenta"),
    "pitfall": ("!", "red"),
    "constraint": ("■", "yellow"),
    "refer": "a session fetched this record of another one",
    "steps": ("≡", "dim"),
    "forgotten": ("–", "dim"),
}
OTHER = ("·", "blue")
UNSEEN = ("tidied",)
"""Actions of lines that the library keeps for itself."""
EXPLAINED = {
    "revise": "words of the user's that take something back; they decide which older records still hold",
    "steps": "older edits and runs of a file, folded into a line by `tidy`",
    "forgotten": "something was removed by `forget` then",
}
"""Actions whose name doesn't say what they are."""
UNDATED = "Undated"
MOST = 600
"""Characters of one text of a record."""
AGO = re.compile(r"(\d{1,5})\s*([mhdw])")
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
SHOWN = ("id", "ts", "session", "agent", "action", "file", "name", "cmd", "reason", "result", "error", "was", "counts")

Line = Mapping[str, Any]


def since_when(text: str, now: datetime) -> datetime:
    """The moment that `--since` means: a date, a time, or so long ago (`3d`, `12h`).

    Raises:
        TranscriptError: it means none.
    """
    if found := AGO.fullmatch(text.strip()):
        return now - timedelta(**{UNITS[found[2]]: int(found[1])})
    moment = _moment(text.strip())
    if moment is None:
        msg = f"--since: {text!r} is no time: give a date (2026-11-30), a time, or so long ago (3d, 12h)"
        raise TranscriptError(msg)
    return moment


def kept(lines: Iterable[Line], *, session: str | None, file: str | None, since: datetime | None) -> Iterator[Line]:
    """The records that were asked for; one whose time nobody can read is always among them."""
    for line in lines:
        moment = _moment(str(line.get("ts", ""))) if since else None
        named = file is None or _is_file(str(line.get("file") or ""), file)
        mine = session is None or line.get("session") == session
        late = since is None or moment is None or moment >= since
        if mine and named and late and line.get("action") not in UNSEEN:
            yield line


def _is_file(path: str, asked: str) -> bool:
    """Whether a record's path is the one that was asked for: the same, its end, or the end of an absolute one."""
    whole = asked.startswith("/") and asked.endswith(f"/{path}")
    return bool(path) and (path == asked or path.endswith(f"/{asked.lstrip('/')}") or whole)


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)


def plain(line: Line) -> dict[str, Any]:
    """A record as `--json` gives it: without secrets, its known fields first."""
    return {key: _clean(line[key]) if isinstance(line[key], str) else line[key] for key in SHOWN if line.get(key)}


_redact = redactor(True)


def _clean(text: str) -> str:
    return _redact(text)


def page(lines: Sequence[Line], *, title: str, of: int, console: Console) -> None:
    """Print records by day, oldest first.

    Args:
        lines: the records.
        title: what they are the records of.
        of: how many there are, those that are not shown included.
        console: where they are printed.
    """
    console.print(Text(_headline(lines, title, of), style="bold"))
    for day, records in _days(lines):
        console.print()
        console.print(Rule(Text(day, style="bold"), align="left", characters="─"))
        console.print(_day(records))
    actions = {str(line.get("action")) for line in lines}
    for action in [each for each in EXPLAINED if each in actions]:
        console.print()
        console.print(Text(f"{action}: {EXPLAINED[action]}", style="dim"))


def _headline(lines: Sequence[Line], title: str, of: int) -> str:
    shown = count(of, "record") if len(lines) == of else f"the newest {len(lines):,} of {count(of, 'record')}"
    sessions = len({line.get("session") for line in lines if line.get("session")})
    return f"{one_line(title, most=200)}: {shown}" + (f", {count(sessions, 'session')}" if sessions else "")


def _days(lines: Iterable[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Records by the day of their time, as they come."""
    day, records = "", list[Line]()
    for line in lines:
        moment = _moment(str(line.get("ts", "")))
        name = f"{moment.astimezone(timezone.utc):%A, %Y-%m-%d}" if moment else UNDATED
        if records and name != day:
            yield day, records
            records = []
        day = name
        records.append(line)
    if records:
        yield day, records


def _day(lines: Sequence[Line]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    session = None
    for line in lines:
        name = _who(line)
        mark, colour = MARKS.get(str(line.get("action")), OTHER)
        action = Text(f"{mark} {one_line(str(line.get('action') or ''), most=12)}", style=colour)
        table.add_row(Text(_time(line)), action, _record(line, "" if name == session else name))
        session = name
    return table


def _who(line: Line) -> str:
    return ".".join(str(line[key]) for key in ("session", "agent") if line.get(key))


def _time(line: Line) -> str:
    told = str(line.get("ts", ""))
    moment = _moment(told)
    return f"{moment.astimezone(timezone.utc):%H:%M}" if moment else one_line(told, most=16)


def _record(line: Line, session: str) -> Group:
    """What it is about, why, and how it ended."""
    about = Text(" ".join(_about(line)), style="bold", overflow="fold")
    tags = [one_line(each, most=60) for each in (str(line.get("id") or ""), session) if each]
    about.append(("  " if about.plain else "") + " · ".join(tags), style="dim not bold")
    rows = [about]
    for key, before, style in (("reason", "", ""), ("result", "→ ", "green"), ("error", "✗ ", "red")):
        if line.get(key):
            rows.append(Text(before + one_line(_clean(str(line[key])), most=MOST), style=style, overflow="fold"))
    return Group(*rows)


def _about(line: Line) -> Iterator[str]:
    for key, form in (("file", "{}"), ("name", "{}"), ("cmd", "`{}`")):
        if line.get(key):
            yield form.format(one_line(_clean(str(line[key])), most=200))
