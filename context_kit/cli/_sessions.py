"""A store's sessions, as facts and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from context_kit.cli._tables import made_row, made_table, made_whole
from context_kit.cli._text import count
from context_kit.memory import FileStore, PostgresStore

__all__ = ["SessionFacts", "sessions", "sessions_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What can be told of a session at a glance."""

    name: str
    state: str
    """`live` or `finished`."""
    window: int | None
    """Tokens; None where the log does not tell."""
    model: str | None
    messages: int
    compactions: int


def sessions(store: FileStore | PostgresStore) -> list[SessionFacts]:
    """Live sessions, then finished ones; a second finished one of a name is `name~2`."""
    live = (_facts(name, "live", store.read(name)) for name in store.sessions())
    return [*live, *(_facts(name, "finished", lines) for name, lines in store.ended())]


def _facts(name: str, state: str, lines: Iterable[Mapping[str, Any]]) -> SessionFacts:
    messages, compactions, opened = 0, 0, dict[str, Any]()
    for line in lines:
        messages += line.get("k") == "add" and not line.get("i")
        compactions += line.get("k") == "compact"
        opened = dict(line) if line.get("k") == "open" else opened
    return SessionFacts(
        name=name,
        state=state,
        window=opened.get("window"),
        model=opened.get("model"),
        messages=messages,
        compactions=compactions,
    )


def sessions_table(found: Sequence[SessionFacts], where: str, *, room: int = 80) -> Table:
    """One row a session; wider than `room` columns where a name is."""
    title = f"{where}: {count(len(found), 'session')}"
    table = made_table(title, "session", "state", "messages", "compactions", "window", "model", numbers=(2, 3, 4))
    for each in found:
        window = "" if each.window is None else count(each.window)
        numbers = (count(each.messages), count(each.compactions), window)
        made_row(
            table, each.name, each.state, *numbers, each.model or "", style="dim" if each.state == "finished" else ""
        )
    made_whole(table, [each.name for each in found], room=room, column=0)
    return table
