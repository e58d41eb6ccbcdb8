"""Folds messages of a transcript into the facts of its session; no model is asked, no token counted.

The invariant guarded here: folding a session in pieces or at once gives the same files, failures and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from context_kit._entry import Entry
from context_kit._lazily import regex
from context_kit._redact import redactor
from context_kit.engrams import (
    Deed,
    Later,
    Said,
    Trail,
    constraints,
    failures,
    language,
    sentences,
    taken_back,
    terms,
    unresolved,
)
from context_kit.errors import InvalidMessageError
from context_kit.harness.hooks._facts import Check, Decided, Edited, Facts, Failed, Running, Task, Words
from context_kit.summary import decisions, first_line, intent, question
from context_kit.tools import Act, Todo, checking_command
from context_kit.typing import Message
from context_kit.wire import read

__all__ = ["fold"]

TEXT = 20_000
"""Characters of a person's text that are kept ..."""
RULE = 400
"""... of one constraint ..."""
ERROR = 3_000
"""... and of an error, its end."""
LINE = 240
STATEMENTS = 30
"""So many new statements are looked at for decisions, the newest ones."""
SAID = 4_000
"""Characters at the end of a statement that are looked at for what comes next."""
MOST = {"words": 400, "failed": 200, "checks": 24, "decided": 40, "read": 40, "running": 40}
"""So many of each are kept, the newest ones; of words the first as well."""
CHANGED = 100
REMARK = 60
"""Characters of a sentence that may take something back without naming it (\"never mind\")."""

RECORD = "[context record ·"
WRAPPED = regex(r"<hook_context>\s*\Z")
"""What Gemini CLI puts around an injected text."""
HAN = regex(r"[\u4e00-\u9fff]")

redact = redactor()


class _Unread(Later):
    """Takes no text in: what takes a constraint back is looked for only where there is one."""

    __slots__ = ()

    def add_text(self, position: int, text: str) -> None:
        """Leave a text alone."""


def fold(facts: Facts, messages: Sequence[Message]) -> Facts:
    """The facts after some more messages."""
    entries = list(_entries(facts.at, messages))
    if not entries:
        return facts
    running = {each.id: each.command for each in facts.running}
    trail = _seeded(facts, running)
    before = len(trail.deeds), len(trail.words)
    trail.follow(entries)
    deeds = trail.deeds[before[0] :]
    said = [each for each in map(_without_record, trail.words[before[1] :]) if each.text]
    statement = trail.statements[-1] if trail.statements else None
    last = statement.text[-SAID:] if statement else ""
    spoken = bool(last.strip())
    return replace(
        facts,
        at=entries[-1].position,
        words=_first_and_newest(_words(facts, said), MOST["words"]),
        opening=facts.opening or (redact(trail.opening.text[:TEXT]) if trail.opening and not trail.words else ""),
        edited=_edited(facts, trail, deeds),
        failed=_failed(facts, trail)[-MOST["failed"] :],
        checks=_checks(facts, deeds)[-MOST["checks"] :],
        decided=(*facts.decided, *_decided(trail))[-MOST["decided"] :],
        plan=tuple(Task(redact(todo.text)[:LINE], todo.status, todo.id) for todo in trail.plan),
        running=tuple(Running(key, redact(command)) for key, command in running.items())[-MOST["running"] :],
        read=_read(facts, trail)[-MOST["read"] :],
        said=redact(last) if spoken else facts.said,
        said_at=statement.position if statement and spoken else facts.said_at,
        intent=redact(_next(last)) if spoken else facts.intent,
        chinese=facts.chinese or _chinese(said),
    )


def _entries(at: int, messages: Sequence[Message]) -> Iterator[Entry]:
    """Messages as the log would hold them; one that no provider would accept is left out."""
    for message in messages:
        try:
            found = read(message).messages
        except InvalidMessageError:
            continue
        for each in found:
            at += 1
            yield Entry(at, each, 0)


def _seeded(facts: Facts, running: dict[str, str]) -> Trail:
    """A trail that goes on where the facts ended; it notes what runs in the given dict."""
    trail = Trail(newer=_Unread(), _running=running)
    trail.words = [Said(words.at, words.text) for words in facts.words]
    trail.opening = Said(0, facts.opening) if facts.opening else None
    trail.plan = tuple(Todo(text=task.text, status=_status(task.status), id=task.id) for task in facts.plan)
    for known in facts.edited:
        act = Act(kind="edit", path=known.path, gone=known.path if known.gone else "")
        trail.files.fold(act, known.at)
    for failure in facts.failed:
        act = Act(
            kind=_kind(failure.kind),
            tool=failure.tool,
            path=failure.path,
            command=failure.command,
            about=failure.about,
            failed=True,
            error=failure.error,
        )
        trail.deeds.append(Deed(act, act, failure.at, failure.until, ""))
    return trail


def _status(word: str) -> Any:
    return word if word in ("pending", "in_progress", "completed") else "pending"


def _kind(word: str) -> Any:
    return word if word in ("edit", "read", "run", "search", "plan", "other") else "other"


# -- words ---------------------------------------------------------------------


def _words(facts: Facts, said: Sequence[Said]) -> Iterator[Words]:
    """What a person wrote, each text with the constraints that nobody took back."""
    new = [Words(each.position, redact(each.text)[:TEXT], _rules(each)) for each in said]
    found = [*facts.words, *new]
    since = next((each.at for each in found if each.rules), None)
    about = frozenset[str]().union(*(terms(rule) for each in found for rule in each.rules))
    later = Later()
    for each in new:
        if since is not None and since < each.at:
            later.add(each.at, [told for told in sentences(each.text) if len(told) <= REMARK or about & terms(told)])
    for each in found:
        kept = tuple(rule for rule in each.rules if not (later and taken_back(rule, each.at, later)))
        yield each if kept == each.rules else replace(each, rules=kept)


def _without_record(said: Said) -> Said:
    """A text without a record that a hook put into it."""
    if RECORD not in said.text:
        return said
    return Said(said.position, WRAPPED.sub("", said.text.partition(RECORD)[0]).strip())


def _rules(said: Said) -> tuple[str, ...]:
    return tuple(redact(rule)[:RULE] for rule in constraints(said.text))


def _first_and_newest(found: Iterator[Words], most: int) -> tuple[Words, ...]:
    newest: dict[str, Words] = {}
    for each in found:
        if (before := newest.get(each.text)) is None or (len(newest) > 1 and before is not next(iter(newest.values()))):
            newest.pop(each.text, None)
            newest[each.text] = each
    every = list(newest.values())
    return tuple(every) if len(every) <= most else (every[0], *every[-most + 1 :])


def _chinese(said: Sequence[Said]) -> bool:
    return any(HAN.search(each.text) for each in said) and language(each.text for each in said) == "zh"


# -- deeds ---------------------------------------------------------------------


def _edited(facts: Facts, trail: Trail, deeds: Sequence[Deed]) -> tuple[Edited, ...]:
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
            change = redact(changes.get(view.last_edit, ""))[:CHANGED]
            found.append(Edited(redact(view.path), view.last_edit, times, change, view.gone))
    return tuple(sorted(found, key=lambda each: each.at))


def _changes(deeds: Sequence[Deed]) -> Iterator[tuple[int, str]]:
    """The first line that each edit changed."""
    for deed in deeds:
        for old, new in deed.act.replacements[:1] if not deed.act.failed else ():
            before = set(old.splitlines())
            line = next((line.strip() for line in new.splitlines() if line.strip() and line not in before), "")
            if line:
                yield deed.until, line


def _failed(facts: Facts, trail: Trail) -> tuple[Failed, ...]:
    """The failures that nothing solved, the newest last."""
    known = {(each.at, each.error): each for each in facts.failed}
    before = {(each.name, each.line): each for each in facts.failed}
    tried = (deed for deed in trail.deeds if deed.act.failed and (deed.act.kind == "run" or not deed.act.command))
    acts = {(deed.position, deed.act.error): deed.act for deed in tried}
    found: list[Failed] = []
    for failure in unresolved(failures(trail)):
        old = known.get((failure.position, failure.error))
        if old is not None:
            found.append(replace(old, edited=max(failure.edited, old.edited)))
            continue
        act = acts[failure.position, failure.error]
        made = Failed(
            at=failure.position,
            until=failure.until,
            kind=act.kind,
            tool=act.tool,
            path=redact(act.path),
            command=redact(act.command),
            name=redact(failure.attempt)[:LINE],
            error=redact(failure.error)[-ERROR:],
            line=redact(failure.line),
            closing=redact(failure.closing),
            edited=failure.edited,
            check=failure.check,
            about=redact(act.about),
        )
        earlier = before.get((made.name, made.line))
        found.append(replace(made, times=failure.count + (earlier.times - 1 if earlier else 0)))
    return tuple(found)


def _checks(facts: Facts, deeds: Sequence[Deed]) -> tuple[Check, ...]:
    """The commands that verified the work, each with its newest result, the newest last."""
    newest = {each.command: each for each in facts.checks}
    for deed in deeds:
        if deed.told:
            command = redact(checking_command(deed.act.command))[:LINE]
            newest.pop(command, None)
            newest[command] = Check(command, first_line(redact(deed.told)), deed.until, deed.act.failed)
    return tuple(newest.values())


def _read(facts: Facts, trail: Trail) -> tuple[str, ...]:
    edited = {view.path for view in trail.files.views.values() if view.edited}
    views = [view for view in trail.files.views.values() if view.last_read and not view.edited]
    new = [redact(view.path) for view in sorted(views, key=lambda view: view.last_read)]
    return tuple(dict.fromkeys([*(path for path in facts.read if path not in {*edited, *new}), *new]))


# -- statements ----------------------------------------------------------------


def _decided(trail: Trail) -> Iterator[Decided]:
    for said in trail.statements[-STATEMENTS:]:
        for text, why in decisions(said.text):
            yield Decided(said.position, first_line(redact(text)), first_line(redact(why)))


def _next(text: str) -> str:
    """What the assistant asks the person, or says that it will do; empty where neither."""
    if question(text):
        return first_line(text.rstrip().rsplit("\n", 1)[-1])
    return first_line(intent(text))
