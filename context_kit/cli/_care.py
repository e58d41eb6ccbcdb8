"""The commands that look after a store: its memory, and its sessions.

The invariant guarded here: what a command changes, it changes through the library, with its locks.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Annotated, Any

import typer

from context_kit.cli._output import print_json
from context_kit.cli._store import known_session, open_store, session_names
from context_kit.cli._text import count
from context_kit.harness.transcripts import TranscriptError

__all__ = ["memory", "session"]

memory = typer.Typer(help="Read a store's journal, search it, tidy it, forget.")
session = typer.Typer(help="List a store's sessions, archive one.")

Store = Annotated[str, typer.Argument(metavar="STORE", help="The store's directory, or postgresql://...")]
Schema = Annotated[str | None, typer.Option(metavar="NAME", help="On a server: the schema, context_kit by default.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PAGE = 500
"""Records that a page shows at most, unless asked for more."""


@memory.command()
def show(
    store: Store,
    of: Annotated[str | None, typer.Option("--session", help="Only this session's records.")] = None,
    file: Annotated[str | None, typer.Option(help="Only records about this file.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from then on: 2026-11-30, or 3d, 12h ago.")] = None,
    last: Annotated[int, typer.Option(min=1, help="At most so many of the newest.")] = PAGE,
    schema: Schema = None,
    as_json: AsJson = False,
) -> None:
    """Print the journal as a page, oldest first."""
    from context_kit.cli._page import kept, page, plain, since_when
    from context_kit.cli._tables import console

    moment = since_when(since, datetime.now(timezone.utc)) if since else None
    opened = open_store(store, schema)
    lines = list(kept(opened.read(""), session=of, file=file, since=moment))
    if as_json:
        print_json([plain(line) for line in lines[-last:]])
        return
    page(lines[-last:], title=store, of=len(lines), console=console())


@memory.command()
def search(
    store: Store,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="Words, a path, an identifier.")],
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    schema: Schema = None,
    as_json: AsJson = False,
) -> int:
    """Print the records that fit the words, best first.

    Exit code 1 where there is none.
    """
    from context_kit.cli._page import kept, page, plain
    from context_kit.cli._tables import console

    query = " ".join(words)
    if not query.strip():
        msg = "WORDS: are empty: give words, a path or an identifier"
        raise TranscriptError(msg)
    found = open_store(store, schema).search(query, limit=limit)
    lines = list(kept(found, session=None, file=None, since=None))
    if as_json:
        print_json([plain(line) for line in lines])
    elif lines:
        page(lines, title=f"“{query}”", of=len(lines), console=console())
    else:
        typer.echo(f"context-kit: no record fits {query!r}", err=True)
    return 0 if lines else 1


@memory.command()
def tidy(
    store: Store,
    days: Annotated[float, typer.Option(help="Edits, runs and failures younger than this stay as they are.")] = 30,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing, only tell.")] = False,
    schema: Schema = None,
    as_json: AsJson = False,
) -> None:
    """Fold old steps into a line per file and day.

    What was superseded or told again goes, too; the originals are in the archive.
    """
    from context_kit.memory import tidy as tidied

    told = tidied(open_store(store, schema), days=days, dry_run=dry_run)
    if as_json:
        print_json({"dry_run": dry_run, "gone": told.gone, **_fields(told)})
        return
    would = "would be folded" if dry_run else "folded"
    parts = [f"{count(told.folded, 'step')} {would} into {count(told.into, 'line')}"] if told.folded else []
    parts += [f"{told.superseded:,} superseded"] if told.superseded else []
    parts += [f"{told.repeated:,} repeated"] if told.repeated else []
    typer.echo(f"{count(told.records, 'record')}: {', '.join(parts) or 'nothing to tidy'}")


@memory.command()
def forget(
    store: Store,
    address: Annotated[
        str, typer.Argument(metavar="[ADDRESS]", help="m12, f:PATH@12, c3, e4, p1, a record's id.")
    ] = "",
    of: Annotated[str | None, typer.Option("--session", help="Whose address it is.")] = None,
    matching: Annotated[str | None, typer.Option(help="Instead of an address: this text, wherever it stands.")] = None,
    harness: Annotated[
        list[str] | None, typer.Option(metavar="DIR", help="A folder of ticks or hooks besides `.harness`; repeatable.")
    ] = None,
    schema: Schema = None,
    as_json: AsJson = False,
) -> int:
    """Remove a piece everywhere, for good.

    A tombstone says when. From logs, archive, journal, index, receipts, bridges and checkpoints, and from what
    ticks and hooks wrote; what quotes it loses the quote.
    """
    from context_kit.memory import forget as forgotten

    if not address and matching is None:
        msg = "ADDRESS: is missing: give one such as m12, f:PATH@12, c3, e4 or a record's id, or --matching TEXT"
        raise TranscriptError(msg)
    opened = open_store(store, schema)
    if of is not None:
        known_session(opened, of, store)
    told = forgotten(opened, address, session=of, matching=matching, harness=harness or ())
    if as_json:
        print_json(_fields(told))
    elif told.lines or told.files:
        files = f", {count(told.files, 'file')} of ticks and hooks" if told.files else ""
        typer.echo(f"forgotten: {count(told.lines, 'line')} changed{files}")
        for name, lost in told.lost.items():
            typer.echo(f"  session {name}: {', '.join(lost)}")
    else:
        typer.echo("context-kit: nothing in the store has that text", err=True)
    return 0 if told.lines or told.files else 1


@session.command("list")
def listed(store: Store, schema: Schema = None, as_json: AsJson = False) -> None:
    """List the sessions: live ones, then finished ones.

    A second finished one of a name is NAME~2.
    """
    from context_kit.cli._sessions import sessions, sessions_table
    from context_kit.cli._tables import console

    found = sessions(open_store(store, schema))
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(sessions_table(found, store, room=out.width), crop=False)


@session.command()
def archive(
    store: Store,
    name: Annotated[str, typer.Argument(metavar="SESSION", help="Its name.")],
    schema: Schema = None,
) -> None:
    """End a session's task.

    It leaves the live ones; its records stay in the journal.
    """
    from context_kit._manager import ContextManager

    opened = open_store(store, schema)
    live, finished = session_names(opened)
    if name in finished and name not in live:
        msg = f"{store}: session {name!r} is archived already"
        raise TranscriptError(msg)
    known_session(opened, name, store)
    ContextManager.open(opened, name).close(done=True)
    typer.echo(f"archived: {name}")


def _fields(told: Any) -> dict[str, Any]:
    return {name: getattr(told, name) for name in told.__dataclass_fields__}
