"""`context-kit replay`: transcripts under policies, side by side, and the search for a better budget.

The invariant guarded here: whatever is wrong with the arguments is told before any work is done.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from context_kit.harness.transcripts import TranscriptError
from context_kit.typing import Policy

if TYPE_CHECKING:
    from context_kit._budget import Budget
    from context_kit.cli._jobs import Pool
    from context_kit.cli._sources import Source

__all__ = ["replay"]

POLICIES: tuple[Policy, ...] = get_args(Policy)
MOST_JOBS = 64


def replay(
    files: Annotated[list[str], typer.Argument(metavar="FILES", help="Transcripts, or folders of them.")],
    window: Annotated[int | None, typer.Option(help="The window, in tokens; without it, the model's own.")] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(POLICIES)}; more than once for several; all by default."),
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Find the best band, tail and shares for them.")] = False,
    seed: Annotated[int, typer.Option(help="Of the sweep's split.")] = 0,
    model: Annotated[str | None, typer.Option(help="For tokens and prices; unit ratios without it.")] = None,
    out: Annotated[
        str | None, typer.Option("--json", metavar="OUT", help="Write all figures here; `-` prints.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="DIR", help="Keep each result here, and go on from what is there.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=MOST_JOBS, help="Processes.")] = min(2, os.cpu_count() or 1),
) -> None:
    """Replay transcripts under several policies, side by side.

    Tokens, peak, compactions, prompt-cache cost, latency, what would be read again, what is lost. No model is asked.
    """
    from context_kit.cli._prices import price_of

    policies = _policies(policy, sweep=sweep)
    budget = _budget(window, model)
    kept = _check(files, out, resume)
    price = price_of(model)
    if model is not None and not price.name:
        typer.echo(
            f"context-kit: the prices of {model!r} are not known: costs are in units",
            err=True,
        )
    with tempfile.TemporaryDirectory() as scratch, _pool(jobs, kept) as pool:
        found = _sources(files, model, Path(scratch), kept, out)
        if sweep:
            from context_kit.cli._replay_sweep import swept

            swept(found, budget, price, pool, policy=policies[0], model=model, seed=seed, out=out)
        else:
            from context_kit.cli._replay_tables import compared

            compared(found, budget, price, pool, policies=policies, model=model, out=out)


def _policies(given: Sequence[str] | None, *, sweep: bool) -> list[Policy]:
    """The policies to replay, each once, in their own order.

    Raises:
        TranscriptError: one is unknown, or a sweep was given several.
    """
    if unknown := [name for name in given or () if name not in POLICIES]:
        msg = f"--policy: {unknown[0]!r} is unknown, use one of {', '.join(POLICIES)}"
        raise TranscriptError(msg)
    found: list[Policy] = [name for name in POLICIES if name in (given or ())]
    if sweep and len(found) > 1:
        msg = "--sweep searches the budget of one policy: give one --policy, or none for the default"
        raise TranscriptError(msg)
    if not found:
        found.extend(["default"] if sweep else POLICIES)
    return found


def _budget(window: int | None, model: str | None) -> Budget:
    """The default budget of the window, or of the model's.

    Raises:
        BudgetError: it is out of range, or neither is known.
    """
    from context_kit._construct import budget_of

    if window is None and model is None:
        msg = "Missing option '--window': give the window in tokens, or --model for the model's own"
        raise TranscriptError(msg)
    return budget_of(window, model, None)


def _check(files: Sequence[str], out: str | None, resume: str | None) -> Path | None:
    """The directory for results, made; what can't be written is refused."""
    from context_kit.cli._output import check_target
    from context_kit.cli._snapshots import reason_of

    for file in files:
        if out is not None:
            check_target(out, file)
    if files.count("-") > 1:
        msg = "-: standard input can be read once"
        raise TranscriptError(msg)
    if resume is None:
        return None
    try:
        folder = Path(resume).expanduser().resolve()
        given = {Path(file).expanduser().resolve() for file in files if file != "-"}
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError, ValueError) as error:
        msg = f"--resume: {resume}: can't be written: {reason_of(error)}"
        raise TranscriptError(msg) from None
    if folder in given:
        msg = f"--resume: {resume}: is the folder of the transcripts: give another one for the results"
        raise TranscriptError(msg)
    return folder


def _sources(
    files: Sequence[str], model: str | None, scratch: Path, kept: Path | None, out: str | None
) -> list[Source]:
    from context_kit.cli._sources import sources

    found = sources(files, model=model, scratch=scratch, kept=kept)
    _check_spared(out, found.seen)
    for note in found.notes:
        typer.echo(f"context-kit: {note}", err=True)
    return found.found


def _check_spared(out: str | None, seen: Sequence[Path]) -> None:
    """Refuse to write over a file that was looked at, unless it holds figures of this command.

    Raises:
        TranscriptError: it would be written over.
    """
    from context_kit.cli._replay_tables import is_figures

    target = Path(out).expanduser() if out is not None and out != "-" else None
    if target is None or not target.is_file():
        return
    if any(target.samefile(path) for path in seen) and not is_figures(target):
        msg = f"{out}: is a file that is read; give another name"
        raise TranscriptError(msg)


@contextmanager
def _pool(jobs: int, kept: Path | None) -> Generator[Pool]:
    """Processes and a progress bar on standard error; both are gone when this ends, whatever happened."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from context_kit.cli._jobs import Pool, silent
    from context_kit.cli._tables import console

    silent()
    shown = console(errors=True)
    columns = (TextColumn("replaying"), BarColumn(bar_width=40), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=shown, disable=not shown.is_terminal, transient=True) as progress:
        task = progress.add_task("replaying", total=None)

        def told(done: int, whole: int) -> None:
            progress.update(task, completed=done, total=whole)

        pool = Pool(jobs, kept=kept, told=told)
        try:
            yield pool
        finally:
            pool.close()
