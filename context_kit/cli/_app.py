"""The commands: read the arguments, do the work, show it.

The invariant guarded here: standard output holds only what was asked for; notes and progress go to standard error.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from context_kit.cli._care import memory, session
from context_kit.cli._hook_app import hooks
from context_kit.cli._output import check_target, print_json, write_json, write_lines
from context_kit.cli._replay_app import replay as replay_command
from context_kit.cli._tables import console, measure_tables, receipt_table
from context_kit.cli._text import count, one_line
from context_kit.harness.transcripts import Transcript, TranscriptError, load

__all__ = ["USAGE", "run"]

# typer carries its own copy of click since 0.2x, so the root of usage errors is found, not imported.
USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(memory, name="memory")
app.add_typer(session, name="session")

app.add_typer(hooks, name="hook")
app.command("replay")(replay_command)

File = Annotated[str, typer.Argument(metavar="FILE", help="A transcript; `-` reads standard input.")]
Model = Annotated[str | None, typer.Option(help="The model that the tokens are counted for.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def run(argv: Sequence[str] | None) -> int:
    """Run one command; returns its exit code, raises what went wrong."""
    code: object = app(args=None if argv is None else list(argv), prog_name="context-kit", standalone_mode=False)
    return code if isinstance(code, int) else 0


@app.callback(invoke_without_command=True)
def root(
    ctx: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Keep an agent able to work: look at transcripts, compact them, look after its memory."""
    if show_version:
        typer.echo(f"context-kit {_installed()}")
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def _installed() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("context-kit")
    except PackageNotFoundError:  # run from a checkout
        return "(not installed)"


@app.command()
def demo(
    window: Annotated[int, typer.Option(help="The window that the session is replayed in, in tokens.")] = 10_000,
    bridge: Annotated[bool, typer.Option("--bridge", help="Print the text of the last bridge.")] = False,
) -> None:
    """Replay a long session and show every compaction.

    The session is bundled, the summariser extractive: no model is asked, nothing leaves this machine.
    """
    from context_kit.cli._play import play

    play(window, bridge=bridge)


@app.command()
def inspect(
    file: File,
    window: Annotated[int | None, typer.Option(help="Show how full a window of so many tokens would be.")] = None,
    model: Model = None,
    as_json: AsJson = False,
) -> None:
    """Show where the tokens of a transcript are.

    By role, by kind, by tool; the largest messages, the edited files, the failures.
    """
    from context_kit.cli._measure import measure

    if window is not None:
        _check_window(window)
    transcript = _loaded(file)
    with _about(file):
        found = measure(transcript, model=model)
    if as_json:
        print_json({**_facts(file, transcript), "window": window, "tokens": found.tokens, "measure": found})
        return
    out = console()
    out.print(_headline(file, transcript))
    out.print(f"{count(found.messages, 'message')}, {count(found.steps, 'step')}, {count(found.tokens, 'token')}")
    for table in measure_tables(found, window=window):
        out.print(table)


@app.command()
def compact(
    file: File,
    window: Annotated[int | None, typer.Option(help="The window, in tokens; without it, the model's own.")] = None,
    out: Annotated[
        str | None, typer.Option("--output", "-o", help="Write the final window here; `-` prints it.")
    ] = None,
    focus: Annotated[str | None, typer.Option(help="What the summary should keep in view.")] = None,
    model: Model = None,
    as_json: AsJson = False,
) -> None:
    """Compact a transcript and show the receipt.

    It is replayed message by message, compacting where an agent would have, and compacted once more at its end.
    """
    from context_kit.cli._replay import manager, replay

    _check_compact(file, window, model, out, as_json=as_json)
    transcript = _loaded(file)
    ctx = manager(transcript, window, model=model)
    with _about(file):
        replay(ctx, transcript)
    receipt = ctx.compact(focus=focus)
    done = sum(one.outcome == "applied" for one in ctx.compactions)
    if out is not None:
        write_json(ctx.messages, out)
    before, after = ctx.compactions[0].tokens_before, ctx.usage.tokens
    if as_json:
        whole = {"compactions": done, "tokens_before": before, "tokens_after": after}
        print_json({**_facts(file, transcript), **whole, "usage": ctx.usage, "receipt": receipt})
        return
    shown = console(errors=out == "-")
    shown.print(_headline(file, transcript))
    told = f"{count(before, 'token')} before the first, {after:,} after the last" if done else count(after, "token")
    shown.print(f"{count(len(transcript.messages), 'message')}, {count(done, 'compaction')}: {told}.")
    shown.print("Here the transcript ends, so the last one is made by this command (manual). Its receipt:")
    shown.print(receipt_table(receipt, window=ctx.usage.window, room=shown.width), crop=False)


@app.command()
def probe(
    file: File,
    window: Annotated[int | None, typer.Option(help="The window, in tokens; without it, the model's own.")] = None,
    model: Model = None,
    most: Annotated[int, typer.Option(help="At most so many probes of each compaction.", min=1)] = 48,
    as_json: Annotated[str | None, typer.Option("--json", help="Write all probes here as JSON; `-` prints it.")] = None,
    as_lines: Annotated[
        str | None, typer.Option("--jsonl", help="Write them as JSON Lines, for an evaluation tool; `-` prints them.")
    ] = None,
) -> None:
    """Make recall checks from what left the window.

    A transcript is replayed; at each compaction questions are made by rule, with their answers and where these stand:
    in the window, recoverable, or lost. No model is asked.
    """
    from context_kit.cli._probe import probe_records, probe_rows, probe_table, probed, stood

    _check_probe(file, window, model, as_json, as_lines)
    transcript = _loaded(file)
    with _about(file):
        found = probed(transcript, window, model=model, most=most)
    if as_json is not None:
        write_json(probe_rows(found), as_json)
    if as_lines is not None:
        write_lines(probe_records(found, file), as_lines)
    out = console(errors="-" in (as_json, as_lines))
    out.print(_headline(file, transcript))
    for each in found if "-" not in (as_json, as_lines) else ():
        out.print(probe_table(each))
    made = count(sum(len(each.probes) for each in found), "probe")
    why = stood(found) if found else "nothing left this window; a smaller one compacts"
    out.print(f"{count(len(found), 'compaction')}, {made}: {why}.")


def _check_probe(file: str, window: int | None, model: str | None, *outs: str | None) -> None:
    """Refuse what can't work before any work is done."""
    if window is None and model is None:
        msg = "Missing option '--window': give the window in tokens, or --model for the model's own"
        raise TranscriptError(msg)
    if outs.count("-") > 1:
        msg = "--json - and --jsonl - both print to standard output: give one of them a file name"
        raise TranscriptError(msg)
    files = [Path(out).expanduser().resolve() for out in outs if out and out != "-"]
    if len(set(files)) < len(files):
        msg = "--json and --jsonl write to the same file: give one of them another name"
        raise TranscriptError(msg)
    for out in outs:
        if out is not None:
            check_target(out, file)


def _check_compact(file: str, window: int | None, model: str | None, out: str | None, *, as_json: bool) -> None:
    """Refuse what can't work before any work is done."""
    if window is None and model is None:
        msg = "Missing option '--window': give the window in tokens, or --model for the model's own"
        raise TranscriptError(msg)
    if out == "-" and as_json:
        msg = "--json and `-o -` both print to standard output: give -o a file name"
        raise TranscriptError(msg)
    if out is not None:
        check_target(out, file)


@contextmanager
def _about(file: str) -> Generator[None]:
    """Put the file's name before what is wrong with one of its messages."""
    try:
        yield
    except TranscriptError as error:
        msg = f"{file}: {error}"
        raise TranscriptError(msg) from None


def _facts(file: str, transcript: Transcript) -> dict[str, str]:
    return {"file": file, "source": transcript.source, "shape": transcript.shape, "session": transcript.session}


def _loaded(file: str) -> Transcript:
    transcript = load(file)
    for note in transcript.notes:
        typer.echo(f"context-kit: {file}: {note}", err=True)
    return transcript


def _check_window(window: int) -> None:
    from context_kit._budget import Budget

    Budget(window)


def _headline(file: str, transcript: Transcript) -> str:
    session = f", session {one_line(transcript.session, most=40)}" if transcript.session else ""
    return f"{one_line(file, most=200)}: {transcript.source}, {transcript.shape}{session}"
