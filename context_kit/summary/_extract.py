"""The extractive summary: the six fields from the trail alone, with no model.

It can't fail and it never composes: paths, commands, results, errors and sentences are the
session's own. The same lines fill what a model's summary forgot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from context_kit.engrams import (
    Deed,
    Failure,
    Later,
    Said,
    Trail,
    current_file,
    failures,
    offer,
    taken_back,
    unresolved,
)
from context_kit.summary._line import changed_line, first_line, short_name
from context_kit.summary._narrative import problem, told
from context_kit.summary._phrases import PHRASES, Phrases
from context_kit.summary._refusals import told_off
from context_kit.summary._statements import decisions, intent, question
from context_kit.summary._why import Why, whys
from context_kit.tools import FileView, checking_command, lasting, normal_command
from context_kit.types import Decision, FailedAttempt, FileState, Step, TaskSummary

__all__ = ["decided", "edited_files", "extract", "verified"]

NARRATIVE = 40
"""So many newest statements are looked at for what was said, decided and found."""
DECISIONS = 200
"""So many newest statements are looked at for decisions."""
ATTEMPT = 160
"""Characters of what was tried."""
RESULT = 80
"""Characters of how a failed check ended."""
COMMAND = 400
"""Characters of a command, which is of use only whole."""
READS = 1_000
"""So many files that were read, the newest ones, are named."""
LASTING = 60
"""So many commits and their like, the newest ones, are named."""
CHANGE = 80
"""Characters of a changed line."""
FILES_IN_WORK = 4
OPEN_TASKS = 3
WHYS = 12
"""So many newest sentences on why an attempt failed are told."""
NEAR = 50
"""So many newest deeds are looked at for those of one message."""

Redact = Callable[[str], str]
Holds = Callable[[str, int], bool]
"""Whether a sentence that was said at a position still holds."""


def extract(trail: Trail, *, cut: int, redact: Redact, language: str) -> TaskSummary:
    """The six fields from what was said and done.

    Args:
        trail: the whole session; states (files, failures, plan) are those of its end.
        cut: position of the tail's first message; narrative is taken from before it.
        redact: takes the secrets out of a text.
        language: `en` or `zh`, for the few words of its own.
    """
    words = PHRASES[language]
    found = failures(trail)
    holds = _holding(trail, redact)
    spoken = [(line, f"{first_line(line)} (m{at})") for line, at in _told(trail, cut, holds, redact)]
    return TaskSummary(
        original_goal=redact(trail.goal.text) if trail.goal else "",
        completed_steps=[
            *(Step(text=text) for line, text in spoken if not problem(line)),
            *_searches(trail, cut, redact, words),
            *_reads(trail, cut, redact, words),
            *_commands(trail, redact),
            *_lasting(trail, redact),
            *_edits(trail, redact, words),
        ],
        current_files=list(_files(trail, found, redact, words)),
        key_decisions=list(_decisions(trail, cut, holds, redact)),
        failed_attempts=[
            *(FailedAttempt(attempt=text) for line, text in spoken if problem(line)),
            *_failed(trail, found, redact, words),
        ],
        todo=list(_todo(trail, found, redact, words)),
    )


def _told(trail: Trail, cut: int, holds: Holds, redact: Redact) -> Iterator[tuple[str, int]]:
    """Of each newest statement before the tail the line that tells most of it, and where it was said."""
    before = [said for said in trail.statements if said.position < cut]
    reasons = [why.text for why in whys(trail, redact)]
    laid_out = offer(trail)
    for said in before[-NARRATIVE:]:
        if said is laid_out:
            continue
        clean = trail.clean(said, redact)
        decided = [sentence for sentence, _ in trail.once(decisions, clean)]
        for line in trail.once(told, clean):
            if _holds([*decided, *reasons], line):
                continue
            if holds(line, said.position):
                yield line, said.position
            break


def _holds(parts: Sequence[str], line: str) -> bool:
    """Whether these sentences are most of a line."""
    return 2 * sum(len(part) for part in parts if part in line) > len(line)


def _searches(trail: Trail, cut: int, redact: Redact, words: Phrases) -> Iterator[Step]:
    newest: dict[str, Step] = {}
    for deed in trail.deeds:
        if deed.act.kind != "search" or deed.act.failed or deed.until >= cut:
            continue
        what = normal_command(deed.act.command) if deed.act.command else f"{deed.act.tool} {deed.act.path}".strip()
        what = first_line(redact(what), 120)
        newest.pop(what, None)
        newest[what] = Step(text=f"{words.searched} `{what}` (m{deed.until})")
    yield from list(newest.values())[-8:]


def _reads(trail: Trail, cut: int, redact: Redact, words: Phrases) -> Iterator[Step]:
    """Files read and not edited since, oldest first: the main cure for repeated work."""
    views = [view for view in trail.files.views.values() if view.last_read > view.last_edit]
    for view in sorted(views, key=lambda view: view.last_read)[-READS:]:
        if view.last_read < cut:
            path = redact(view.path)
            yield Step(text=f"{words.read} {path} (m{view.last_read})", files=[path])


def _commands(trail: Trail, redact: Redact) -> Iterator[Step]:
    """Commands that verified the work, each with its last result, oldest first; one that failed is no step."""
    counts = Counter(checking_command(deed.act.command) for deed in trail.deeds if deed.told)
    for command, deed in verified(trail):
        times = f", {counts[command]}×" if counts[command] > 1 else ""
        if not deed.act.failed:
            told = first_line(redact(deed.told), 160)
            yield Step(text=f"`{first_line(redact(command), COMMAND)}` → {told} (m{deed.until}{times})")


def _lasting(trail: Trail, redact: Redact) -> Iterator[Step]:
    """Commits, pushes, pull requests, migrations and their like, oldest first, each with the line that shows it."""
    found = [(deed.until, each) for deed in trail.deeds for each in lasting(deed.act)]
    for until, each in found[-LASTING:]:
        told = first_line(redact(each.told), 160)
        yield Step(text=f"`{first_line(redact(each.what), 120)}`{f' → {told}' if told else ''} (m{until})")


def verified(trail: Trail) -> list[tuple[str, Deed]]:
    """The commands that verified the work, each with the newest run of it, oldest first."""
    newest: dict[str, Deed] = {}
    for deed in trail.deeds:
        if deed.told:
            command = checking_command(deed.act.command)
            newest.pop(command, None)
            newest[command] = deed
    return list(newest.items())


def _edits(trail: Trail, redact: Redact, words: Phrases) -> Iterator[Step]:
    """Every edited file, the newest last, with the first line that its newest edit changed."""
    edited = edited_files(trail)
    changes = _changes(trail, {(view.path, view.last_edit) for view in edited})
    for view in edited:
        times = f"{view.edits}×, " if view.edits > 1 else ""
        path = redact(view.path)
        change = redact(changes.get((view.path, view.last_edit), ""))
        told = f": {first_line(change, CHANGE)}" if change else ""
        yield Step(text=f"{words.edited} {path} ({times}m{view.last_edit}){told}", files=[path])


def _changes(trail: Trail, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """The first line that each of the wanted edits changed, by file and the edit's position."""
    found: dict[tuple[str, int], str] = {}
    for deed in trail.deeds:
        place = (deed.act.path, deed.until)
        if place not in wanted or deed.act.failed or deed.unsure:
            continue
        for old, new in deed.act.replacements:
            if line := changed_line(old, new):
                found[place] = line
    return found


def edited_files(trail: Trail) -> list[FileView]:
    """Every file that was edited, the newest last."""
    views = [view for view in trail.files.views.values() if view.edited]
    return sorted(views, key=lambda view: view.last_edit)


def _files(trail: Trail, found: list[Failure], redact: Redact, words: Phrases) -> Iterator[FileState]:
    """The current file first, then the newest ones not verified since, with how they stand."""
    verified = max(
        (d.position for d in trail.deeds if d.told and not d.act.failed),
        default=0,
    )
    failing = max((failure.position for failure in unresolved(found) if failure.check), default=0)
    edited = edited_files(trail)
    for view in islice(reversed(edited), FILES_IN_WORK):
        if view is not edited[-1] and verified > view.last_edit:
            continue
        if failing > view.last_edit:
            state = words.failing
        else:
            state = words.verified if verified > view.last_edit else words.unverified
        note = f"; {view.note}" if view.note else ""
        yield FileState(path=redact(view.path), state=f"{words.edited_at} m{view.last_edit}, {state}{note}")
    current = current_file(trail)
    if current is not None and not current.edited:
        yield FileState(path=redact(current.path), state=f"{words.read_at} m{current.last_read}")


def _decisions(trail: Trail, cut: int, holds: Holds, redact: Redact) -> Iterator[Decision]:
    """What the assistant decided, oldest first; of each subject only what holds."""
    newest = {text: said for said, text in decided(trail, redact)}
    for text, said in newest.items():
        if said.position < cut and holds(text, said.position):
            reason = dict(trail.once(decisions, trail.clean(said, redact))).get(text, "")
            yield Decision(decision=f"{first_line(text)} (m{said.position})", reason=first_line(reason))


def _holding(trail: Trail, redact: Redact) -> Holds:
    """Tells of a sentence at a position whether no later decision, nor a person, gave its subject another value."""
    later = Later()
    for said, text in decided(trail, redact):
        later.add(said.position, [text])
    return lambda text, position: not (taken_back(text, position, later) or taken_back(text, position, trail.newer))


def decided(trail: Trail, redact: Redact) -> Iterator[tuple[Said, str]]:
    """Every decision that the assistant stated, with where."""
    for said in trail.statements[-DECISIONS:]:
        for sentence, _ in trail.once(decisions, trail.clean(said, redact)):
            yield said, sentence


def _failed(trail: Trail, found: list[Failure], redact: Redact, words: Phrases) -> Iterator[FailedAttempt]:
    """Every distinct failure: solved ones first, open ones last, the newest at the end; behind it why it failed.

    A check that failed last is told with its result, where its error doesn't tell it.
    """
    results = {(deed.until, f"`{command}`"): deed.told for command, deed in verified(trail) if deed.act.failed}
    reasons: dict[tuple[str, str], list[Why]] = {}
    for why in list(whys(trail, redact))[-WHYS:]:
        reasons.setdefault(why.key, []).append(why)
    for failure in sorted(found, key=lambda failure: (not failure.solved, failure.position)):
        times = f"{failure.count}×, " if failure.count > 1 else ""
        state = f"; {words.solved} m{failure.solved}" if failure.solved else ""
        state = f"; {words.edited_since} m{failure.edited}" if failure.edited and not failure.solved else state
        name = short_name(redact(failure.attempt), COMMAND if failure.check else ATTEMPT)
        ended = results.get((failure.until, failure.attempt), "")
        shown = f": {first_line(redact(ended), RESULT)}"
        ended = "" if ended in failure.told or "(" in ended or ")" in ended else shown
        yield FailedAttempt(attempt=f"{name} ({times}m{failure.until}{ended}{state})", error=redact(failure.told))
        yield from map(_because, reasons.pop((failure.key, failure.line), ()))
    yield from (_because(why) for left in reasons.values() for why in left)


def _because(why: Why) -> FailedAttempt:
    return FailedAttempt(attempt=f"{first_line(why.text)} (m{why.position})", error="")


def _todo(trail: Trail, found: list[Failure], redact: Redact, words: Phrases) -> Iterator[str]:
    for status in ("in_progress", "pending"):
        for todo in trail.plan:
            if todo.status == status:
                yield first_line(redact(todo.text))
    last = redact(trail.statements[-1].text) if trail.statements else ""
    if trail.waits and question(last):
        yield from [] if trail.answered else [f"{words.asked} {first_line(last.rstrip().rsplit(chr(10), 1)[-1])}"]
    elif (said := intent(last)) and not _denied(trail):
        yield first_line(said)
    checks = {failure.key: failure for failure in unresolved(found) if failure.check}
    newest = sorted(checks.values(), key=lambda check: -check.position)
    for failure in islice((each for each in newest if not told_off(trail, each, redact)), OPEN_TASKS):
        yield f"{words.still_open} {short_name(redact(failure.attempt), 120)} (m{failure.until})"


def _denied(trail: Trail) -> bool:
    """Whether what was done with the newest words of the assistant was refused: what they intended is not to be."""
    last = trail.statements[-1].position
    done = [deed.act.refused for deed in islice(reversed(trail.deeds), NEAR) if deed.position == last]
    return bool(done) and all(done)
