"""What was done in a session, as the facts of its record: files, failures, refusals, checks, commits and their like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from context_kit.engrams import Deed, Trail, attempt_key, attempt_name, failures, unresolved
from context_kit.harness.hooks._cutting import cut
from context_kit.harness.hooks._facts import Check, Done, Edited, Facts, Failed, Refused
from context_kit.summary import changed_line, first_line
from context_kit.tools import attempted, checking_command, lasting
from context_kit.typing import Redact

__all__ = ["approved", "checks", "done", "edited", "failed", "plan_at", "read_files", "refused"]

ERROR = 3_000
"""Characters of an error, its end."""
LINE = 240
CHANGED = 100
APPROVED = 6_000
APPROVING = ("exitplanmode", "exit_plan_mode")
PLAN = "## Approved Plan"
"""Heading of the plan in the result, where the call doesn't hold it (Claude Code)."""


def edited(facts: Facts, trail: Trail, deeds: Sequence[Deed], redact: Redact) -> tuple[Edited, ...]:
    """Every edited file, the newest edit last."""
    known = {each.path: each for each in facts.edited}
    changes = dict(_changes(deeds))
    found: list[Edited] = []
    for name, view in trail.files.views.items():
        if not view.edited:
            continue
        old = known.get(name) or known.get(view.path)
        times = view.edits + (old.times - 1 if old else 0)
        if old is not None and old.at == view.last_edit:
            found.append(old)
        else:
            change = cut(redact(changes.get(view.last_edit, "")), CHANGED)
            found.append(Edited(redact(view.path), view.last_edit, times, change, view.gone))
    return tuple(sorted(found, key=lambda each: each.at))


def _changes(deeds: Sequence[Deed]) -> Iterator[tuple[int, str]]:
    """The first line that each edit changed."""
    for deed in deeds:
        for old, new in deed.act.replacements[:1] if not deed.act.failed else ():
            if line := changed_line(old, new):
                yield deed.until, line


def failed(facts: Facts, trail: Trail, redact: Redact) -> tuple[Failed, ...]:
    """The failures that nothing solved, the newest last."""
    known = {(each.at, each.error): each for each in facts.failed}
    before = {(each.name, each.line): each for each in facts.failed}
    tried = (deed for deed in trail.deeds if deed.act.failed and (deed.act.kind == "run" or not deed.act.command))
    acts = {(deed.position, deed.act.error): deed.act for deed in tried}
    found: list[Failed] = []
    for failure in unresolved(failures(trail)):
        old = known.get((failure.position, failure.error))
        if old is not None:
            found.append(replace(old, edited=max(failure.edited, old.edited), command=redact(failure.left)))
            continue
        act = acts[failure.position, failure.error]
        made = Failed(
            at=failure.position,
            until=failure.until,
            kind=act.kind,
            tool=act.tool,
            path=redact(act.path),
            command=redact(failure.left),
            name=cut(redact(_placed(act.command, failure.attempt)), LINE),
            error=redact(failure.error)[-ERROR:],
            line=redact(failure.line),
            closing=redact(failure.closing),
            edited=failure.edited,
            check=failure.check,
            look=bool(failure.looked),
            about=redact(act.about),
        )
        earlier = before.get((made.name, made.line))
        found.append(replace(made, times=failure.count + (earlier.times - 1 if earlier else 0)))
    return tuple({(each.name, each.line): each for each in found}.values())


def checks(facts: Facts, deeds: Sequence[Deed], redact: Redact) -> tuple[Check, ...]:
    """The commands that verified the work, each with its newest result, the newest last."""
    newest = {each.command: each for each in facts.checks}
    for deed in deeds:
        if deed.told:
            command = cut(redact(_placed(deed.act.command, checking_command(deed.act.command))), LINE)
            newest.pop(command, None)
            newest[command] = Check(command, first_line(redact(deed.told)), deed.until, deed.act.failed)
    return tuple(newest.values())


def read_files(facts: Facts, trail: Trail, redact: Redact) -> tuple[str, ...]:
    """Files that were read and not edited, the newest last."""
    changed = {view.path for view in trail.files.views.values() if view.edited}
    views = [view for view in trail.files.views.values() if view.last_read and not view.edited]
    new = [redact(view.path) for view in sorted(views, key=lambda view: view.last_read)]
    return tuple(dict.fromkeys([*(path for path in facts.read if path not in {*changed, *new}), *new]))


def _placed(command: str, shown: str) -> str:
    """A command as it is shown, with the folder that it goes to first."""
    place = attempted(command).place if command.lstrip().startswith("cd ") else ""
    mark = "`" if shown.startswith("`") else ""
    bare = shown.removeprefix(mark)
    return shown if not place or bare.startswith("cd ") else f"{mark}{place} && {bare}"


def refused(facts: Facts, deeds: Sequence[Deed], redact: Redact) -> tuple[Refused, ...]:
    """The calls that the user refused, the newest last; one that they let pass later isn't refused any more."""
    found = {each.key: each for each in facts.refused}
    for deed in deeds:
        act = deed.act
        if act.command and act.kind != "run":
            continue
        if not (act.refused or (found and not act.failed)):
            continue
        key = redact(attempt_key(act))[:LINE]
        found.pop(key, None)
        if act.refused:
            found[key] = Refused(deed.until, cut(redact(_placed(act.command, attempt_name(act))), LINE), key)
    return tuple(found.values())


def done(deeds: Sequence[Deed], redact: Redact) -> Iterator[Done]:
    """Commits, pushes, pull requests and their like, oldest first."""
    for deed in deeds:
        for each in lasting(deed.act):
            yield Done(deed.until, cut(redact(each.what), LINE), first_line(redact(each.told)))


def plan_at(deeds: Sequence[Deed]) -> int:
    """Where the plan was last set; 0 where it wasn't."""
    return max((deed.until for deed in deeds if deed.act.kind == "plan" and deed.act.todos), default=0)


def approved(deeds: Sequence[Deed], redact: Redact) -> str:
    """The newest plan that the user approved; empty where there is none."""
    for deed in reversed(deeds):
        act = deed.act
        if act.tool.lower() in APPROVING and not act.failed:
            text = act.content or (act.output.partition(PLAN)[2].partition("\n")[2] if PLAN in act.output else "")
            return redact(text.strip())[:APPROVED]
    return ""
