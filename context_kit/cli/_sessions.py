"""A store's sessions, as facts and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from context_kit.cli._store import session_names
from context_kit.cli._tables import made_row, made_table
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
    """Tokens; None where the log is not read."""
    model: str | None
    messages: int | None
    compactions: int | None


def sessions(store: FileStore | PostgresStore) -> list[SessionFacts]:
    """Live sessions, then finished ones; of those only the name is looked at."""
    live, finished = session_names(store)
    named = [
        SessionFacts(name=n, state="finished", window=None, model=None, messages=None, compactions=None)
        for n in finished
    ]
    return [*(_facts(name, store.read(name)) for name in live), *named]


def _facts(name: str, lines: Iterable[Mapping[str, Any]]) -> SessionFacts:
    messages, compactions, opened = 0, 0, dict[str, Any]()
    for line in lines:
        messages += line.get("k") == "add" and not line.get("i")
        compactions += line.get("k") == "compact"
        opened = dict(line) if line.get("k") == "open" else opened
    return SessionFacts(
        name=name,
        state="live",
        window=opened.get("window"),
        model=opened.get("model"),
        messages=messages,
        compactions=compactions,
    )


def sessions_table(found: Sequence[SessionFacts], where: str) -> Table:
    """One row a session."""
    title = f"{where}: {count(len(found), 'session')}"
    table = made_table(title, "session", "state", "messages", "compactions", "window", "model", numbers=(2, 3, 4))
    for each in found:
        numbers = ["" if value is None else count(value) for value in (each.messages, each.compactions, each.window)]
        made_row(
            table, each.name, each.state, *numbers, each.model or "", style="dim" if each.state == "finished" else ""
        )
    return table
