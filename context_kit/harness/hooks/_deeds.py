"""What was done in a session, as the facts of its record: files, failures, refusals, checks, commits and their like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from context_kit.engrams import Deed, Failure, Trail, attempt_key, attempt_name, failures, halted, unresolved
from context_kit.harness.hooks._cutting import cut
from context_kit.harness.hooks._facts import Check, Done, Edited, Facts, Failed, Refused
from context_kit.summary import changed_line, first_line
from context_kit.tools import Act, acts, attempted, checking_command, error_line, lasting
from context_kit.typing import Redact

__all__ = [
    "acted",
    "approved",
    "called",
    "checks",
    "done",
    "edited",
    "failed",
    "left_undone",
    "plan_at",
    "read_files",
    "refused",
]

ERROR = 3_000
"""Characters of an error, its end."""
LINE = 240
NAMED = 60
"""Names of a failed run that are kept."""
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
    return _failures(facts, unresolved(failures(trail)), redact)


def left_undone(facts: Facts, trail: Trail, redact: Redact) -> tuple[Failed, ...]:
    """The lines whose failed step passed since and whose other steps were never run, the newest last."""
    return _failures(facts, halted(failures(trail)), redact)


def _failures(facts: Facts, found: Sequence[Failure], redact: Redact) -> tuple[Failed, ...]:
    every = (*facts.failed, *facts.halted)
    known = {(each.at, each.error, each.command, each.path, each.about): each for each in every}
    before = {(each.name, each.line): each for each in every}
    made: dict[tuple[str, str], Failed] = {}
    for failure in found:
        act = failure.act
        old = known.get((failure.position, failure.error, failure.command, act.path, act.about))
        new = replace(old, edited=max(failure.edited, old.edited)) if old else _made(failure, before, redact)
        new = _with_parts(new, failure, redact)
        made[new.name, new.line] = new
    return tuple(made.values())


def _made(failure: Failure, before: Mapping[tuple[str, str], Failed], redact: Redact) -> Failed:
    """A failure that is new, with the times that it was met before."""
    act = failure.act
    made = Failed(
        at=failure.position,
        until=failure.until,
        kind=act.kind,
        tool=act.tool,
        path=redact(act.path),
        command=redact(failure.command),
        name=_placed(act, cut(redact(failure.attempt), LINE), redact),
        error=redact(failure.error)[-ERROR:],
        line=redact(failure.line),
        closing=redact(failure.closing),
        edited=failure.edited,
        check=failure.check,
        look=bool(failure.looked),
        about=redact(act.about),
    )
    earlier = before.get((made.name, made.line))
    return replace(made, times=failure.count + (earlier.times - 1 if earlier else 0))


def _with_parts(made: Failed, failure: Failure, redact: Redact) -> Failed:
    """With what of it a later run may make good; of very many names none, because each would have to be known."""
    parts = failure.parts
    named = sorted(parts.named) if len(parts.named) <= NAMED else []
    done, steps, unrun, left, passed = (
        tuple(map(redact, each)) for each in (parts.done, parts.steps, parts.unrun, named, parts.passed[-NAMED:])
    )
    return replace(made, done=done, steps=steps, unrun=unrun, named=left, passed=passed)


def checks(facts: Facts, deeds: Sequence[Deed], redact: Redact) -> tuple[Check, ...]:
    """The commands that verified the work, each with its newest result, the newest last."""
    newest = {each.command: each for each in facts.checks}
    for deed in deeds:
        if deed.told:
            command = _placed(deed.act, cut(redact(checking_command(deed.act.command)), LINE), redact)
            newest.pop(command, None)
            newest[command] = Check(command, first_line(redact(deed.told)), deed.until, deed.act.failed)
    return tuple(newest.values())


def read_files(facts: Facts, trail: Trail, redact: Redact) -> tuple[str, ...]:
    """Files that were read and not edited, the newest last."""
    changed = {view.path for view in trail.files.views.values() if view.edited}
    views = [view for view in trail.files.views.values() if view.last_read and not view.edited]
    new = [redact(view.path) for view in sorted(views, key=lambda view: view.last_read)]
    return tuple(dict.fromkeys([*(path for path in facts.read if path not in {*changed, *new}), *new]))


def _placed(act: Act, shown: str, redact: Redact) -> str:
    """A command as it is shown, with the folder first that its call names or that it goes to."""
    place = attempted(act.command).place if "cd " in act.command else ""
    mark = "`" if shown.startswith("`") else ""
    bare = shown.removeprefix(mark)
    places = [f"cd {act.place}" if act.place else "", "" if place in shown else place]
    return f"{mark}{redact(''.join(f'{each} && ' for each in places if each))}{bare}"


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
            found[key] = Refused(deed.until, _named(act, redact), key)
    return tuple(found.values())


def done(deeds: Sequence[Deed], redact: Redact) -> Iterator[Done]:
    """Commits, pushes, pull requests and their like, oldest first."""
    for deed in deeds:
        for each in lasting(deed.act):
            yield Done(deed.until, cut(redact(each.what), LINE), first_line(redact(each.told)))


def called(trail: Trail, deeds: Sequence[Deed], running: Mapping[str, str], redact: Redact) -> str:
    """The newest call that waits for its result, or whose command still runs; empty where somebody spoke since."""
    since = max((said.position for said in (*trail.words[-1:], *trail.statements[-1:])), default=0)
    if trail.pending and since <= trail.called:
        return _named(acts(trail.pending[-1], None, running=dict(running))[0], redact)
    newest = next((deed.act for deed in reversed(deeds) if deed.act.kind == "run"), None)
    return "" if newest is None or newest.ended else _named(newest, redact)


def acted(deeds: Sequence[Deed], redact: Redact) -> str:
    """The newest call that has its result, and the line that says how it ended, where one does."""
    for deed in reversed(deeds):
        act = deed.act
        if act.refused or not act.ended or act.kind == "plan" or (act.command and act.kind != "run"):
            continue
        how = first_line(redact(error_line(act.error) if act.failed else deed.told))
        return f"{_named(act, redact)}{' → ' if how else ''}{how}"
    return ""


def _named(act: Act, redact: Redact) -> str:
    return _placed(act, cut(redact(attempt_name(act)), LINE), redact)


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
