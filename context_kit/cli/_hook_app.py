"""`context-kit hook install` and `uninstall`: the settings of a coding agent, changed with care.

The invariant guarded here: with `--dry-run` nothing is written.
"""

from __future__ import annotations

import difflib
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from context_kit.harness.hooks import AGENTS, Agent
from context_kit.harness.settings import (
    ChangePlan,
    apply_plan,
    plan_install,
    plan_uninstall,
    settings_path,
    silenced,
)

__all__ = ["hooks"]

hooks = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="""Carry a coding agent's work across its compactions.

    `hook EVENT` is what the agent calls: the event on standard input, the text to inject on standard output, always
    exit code 0. `--agent NAME` says whose event it is, `--store DIR` where the files stand.""",
    short_help="Carry a coding agent's work across its compactions.",
)

Name = Annotated[str, typer.Argument(metavar="AGENT", help=f"{', '.join(AGENTS)}.")]
Project = Annotated[str | None, typer.Option(help="This project's settings; without it, the user's own.")]
Local = Annotated[bool, typer.Option("--local", help="The project's settings that are yours alone (Claude Code).")]
Dry = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]
Store = Annotated[str | None, typer.Option(help="Where checkpoints stand, if not in `.harness/hooks` of the project.")]


@hooks.command()
def install(
    agent: Name, project: Project = None, dry_run: Dry = False, store: Store = None, local: Local = False
) -> None:
    """Add the hooks to an agent's settings.

    All that stands there stays.
    """
    who = _agent(agent)
    path = settings_path(who, _folder(project), local=local)
    kept = str(Path(store).expanduser().resolve()) if store else ""
    plan = plan_install(who, path, _launcher(), store=kept)
    _carry_out(plan, dry_run, done="installed", same="installed already")
    if project is not None and not local:
        shared = "the hooks are called by this machine's path: don't commit the file"
        typer.echo(f"note: {shared}{', or use --local' if who.local else ''}")
    for note in silenced(who, plan.path, project):
        typer.echo(f"note: {note}")


@hooks.command()
def uninstall(agent: Name, project: Project = None, dry_run: Dry = False, local: Local = False) -> None:
    """Take the hooks out of an agent's settings; nothing else goes."""
    plan = plan_uninstall(settings_path(_agent(agent), _folder(project), local=local))
    _carry_out(plan, dry_run, done="uninstalled", same="not installed")


def _agent(name: str) -> Agent:
    if name not in AGENTS:
        msg = f"agent {name!r} is unknown: use one of {', '.join(AGENTS)}"
        raise typer.BadParameter(msg)
    return AGENTS[name]


def _folder(project: str | None) -> str | None:
    if project is not None and not Path(project).expanduser().is_dir():
        msg = f"--project {project!r} is no directory"
        raise typer.BadParameter(msg)
    return project


def _carry_out(plan: ChangePlan, dry_run: bool, *, done: str, same: str) -> None:
    if not plan.changes:
        typer.echo(f"{plan.path}: {same}")
        return
    if dry_run:
        typer.echo(_difference(plan), nl=False)
        return
    apply_plan(plan)
    typer.echo(f"{plan.path}: {done}")


def _difference(plan: ChangePlan) -> str:
    before, after = ((text or "").splitlines(keepends=True) for text in (plan.before, plan.after))
    lines = difflib.unified_diff(list(before), list(after), str(plan.path), str(plan.path))
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _launcher() -> str:
    """The command by its whole path, because an agent's PATH isn't the shell's."""
    script = Path(sys.executable).with_name("context-kit.exe" if sys.platform == "win32" else "context-kit")
    if script.is_file():
        return _quoted(str(script))
    return f"{_quoted(sys.executable)} -m context_kit.cli"


def _quoted(path: str) -> str:
    return f'"{path}"' if sys.platform == "win32" else shlex.quote(path)
