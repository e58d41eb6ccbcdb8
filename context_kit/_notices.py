"""What the program itself says at the end of the list: pins, ticks, what other sessions left, what they changed.

Each once, as a short user message at the next legal place, and in the log: so bytes that were sent never change,
and a session that is opened again sends the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from math import inf
from typing import Final

from context_kit._accept import sized
from context_kit._commands import Append, Brief, Briefed, Flow, Listen, News, Steps, succeed
from context_kit._flow import turn
from context_kit._log import Log
from context_kit._records import Added, Amended, Heard
from context_kit._settings import Settings
from context_kit._steps import Entry
from context_kit._topic import standing, topic_of, unsaid
from context_kit._verify import window_text
from context_kit.bridge import BridgeWords, bridge_words, fitting, listed
from context_kit.engrams import Elsewhere, Trail, neutral, quote
from context_kit.types import Record
from context_kit.wire import read, user_message

__all__ = ["has_room", "may_speak", "notices", "owed", "own_words"]

AT_ONCE: Final = 1.0
"""Seconds within which the records of one change are written."""


def notices(log: Log, trail: Trail, settings: Settings) -> Flow:
    """Tell what is to be told and was not."""
    if log.pins:
        yield from _show_pins(log, trail, settings)
    if owed(log):
        yield from _put_back(log, settings)
    if log.ticks.current is not None and may_speak(log):
        yield from _brief(log, trail, settings)
    if settings.shared and settings.remembers and may_speak(log):
        if not log.others.begun:
            yield from _meet(log, trail, settings)
        yield from _hear(log, trail, settings)


def _show_pins(log: Log, trail: Trail, settings: Settings) -> Flow:
    """Pins whose words are not in the window yet."""
    hidden = [pin for key, pin in log.pins.items() if key not in log.shown]
    if not hidden or not may_speak(log):
        return
    told = "\n".join(f"[{pin.id}{' · ' + pin.label if pin.label else ''}] {pin.text}" for pin in hidden)
    entry = own_words(log, settings, f"[pinned by the program: keep in view]\n{told}")
    if has_room(log, settings, entry):
        succeed((yield Append(Added(entry=entry))))
    else:
        yield from turn(log, trail, settings, trigger="hard")


def owed(log: Log) -> str:
    """What a recall check wants put back and had no legal place for; a compaction since then has taken it along."""
    last = log.last.receipt.id if log.last else ""
    return log.amended.text or "" if log.amended.id == last else ""


def _put_back(log: Log, settings: Settings) -> Flow:
    entry = own_words(log, settings, owed(log))
    if may_speak(log) and has_room(log, settings, entry):
        succeed((yield Append(Added(entry=entry), (Amended(id=log.amended.id, text=""),))))


def _brief(log: Log, trail: Trail, settings: Settings) -> Flow:
    """The start of a tick, and what was reported again though an earlier tick fixed it."""
    outcome = (yield Brief())[0]
    if outcome.error is not None:
        raise outcome.error
    found: Briefed | None = outcome.value
    if found is None:
        return
    entry = own_words(log, settings, found.text)
    if has_room(log, settings, entry):
        succeed((yield Append(Added(entry=entry), (replace(found.record, tokens=entry.cost),))))
    else:
        succeed((yield Append(found.record)))
        yield from turn(log, trail, settings, trigger="hard")


def _meet(log: Log, trail: Trail, settings: Settings) -> Flow:
    """At a session's start what others left that its task needs, within the notes' share."""
    topic = topic_of(log, trail, settings)
    found = yield from _listened(Listen(log.others.upto, topic))
    log.others.begun = True
    still = unsaid(standing(found.remembered, trail, settings), window_text(log.view()))
    words = bridge_words(trail.language)
    room = settings.budget.tokens(settings.budget.notes) - settings.count(words.met)
    text = "\n".join(listed([each.line for each in still], room, settings.count, more=words.more))
    told = tuple(each.id for each in still if each.line.stands_in(text))
    if not told:
        return
    entry = own_words(log, settings, f"{words.met}\n{text}")
    if has_room(log, settings, entry):
        succeed((yield Append(Added(entry=entry), (Heard(upto=found.upto, records=told),))))


def _hear(log: Log, trail: Trail, settings: Settings) -> Flow:
    """Contracts that this session holds and others changed: what they were, what they are, by whom, where."""
    found = yield from _listened(Listen(log.others.upto))
    if not found.contracts:
        return
    trail.follow(log.entries)
    window = window_text(log.view())
    changes = tuple(change for record in found.contracts if (change := _change(record, found, log, trail, window)))
    heard = Heard(upto=found.upto, changes=changes)
    if not changes:
        succeed((yield Append(heard)))
        return
    entry = own_words(log, settings, _told(changes, trail, settings))
    if has_room(log, settings, entry):
        succeed((yield Append(Added(entry=entry), (heard,))))
    else:
        succeed((yield Append(heard)))
        yield from turn(log, trail, settings, trigger="hard")


def _listened(listen: Listen) -> Steps[News]:
    outcome = (yield listen)[0]
    if outcome.error is not None:
        raise outcome.error
    news: News = outcome.value
    return news


def _change(record: Record, found: News, log: Log, trail: Trail, window: str) -> Elsewhere | None:
    """A changed declaration that this session holds in an older form; None where it doesn't, or knows the new one."""
    view = trail.files.find(record.file)
    file = view.path if view is not None else record.file
    declared = {each.name: each.text for each in trail.declared(view)} if view is not None and view.text else {}
    told = log.others.changes.get(f"{file}:{record.name}")
    if told is not None and (view is None or told.position >= view.as_of):
        was = told.now
        unknown = was == record.result
    else:
        held = declared.get(record.name, "") if record.was else ""
        was = held or (record.was if record.was in window and not _elsewhere_declared(record, trail) else "")
        unknown = not was or was == record.result or (not held and bool(record.result) and record.result in window)
    if unknown:
        return None
    return Elsewhere(
        file=file,
        name=record.name,
        was=was,
        now=record.result,
        instead=""
        if record.result
        else _instead(record, [each for each in found.contracts if each.name not in declared]),
        session=record.session,
        agent=record.agent,
        record=record.id,
        position=log.newest,
    )


def _instead(gone: Record, found: Sequence[Record]) -> str:
    """The one declaration with the same parameters that came into the file with the change that removed this one."""
    new = [
        each.result
        for each in found
        if each.result
        and not each.was
        and (each.file, each.session, each.agent) == (gone.file, gone.session, gone.agent)
        if _between(gone.ts, each.ts) <= AT_ONCE and _nameless(each.result, each.name) == _nameless(gone.was, gone.name)
    ]
    return new[0] if len(new) == 1 else ""


def _between(one: str, other: str) -> float:
    """Seconds between two times; endless where one can't be read."""
    try:
        return abs((datetime.fromisoformat(one) - datetime.fromisoformat(other)).total_seconds())
    except (ValueError, TypeError):
        return inf


def _nameless(text: str, name: str) -> str:
    """A declaration's parameters, and what it is without them, but for its name."""
    rest = " ".join(text.replace(name.rpartition(".")[2], "", 1).split())
    begin, mark, end = rest.partition("(")
    return mark + end.rpartition(")")[0] if mark else begin


def _elsewhere_declared(record: Record, trail: Trail) -> bool:
    """Whether another file, which this session has seen, has the same declaration: its words prove nothing."""
    return any(
        contract.text == record.was
        for view in trail.files.views.values()
        if view.text and view.path != record.file
        for contract in trail.declared(view)
    )


def _told(changes: Sequence[Elsewhere], trail: Trail, settings: Settings) -> str:
    """What was changed, as far as the notes have room; the rest by name."""
    words = bridge_words(trail.language)
    blocks = {_block(change, words): f"- {_name(change)}: recall({change.record!r})" for change in changes}
    room = settings.budget.tokens(settings.budget.notes)
    whole = fitting([*blocks], room, settings.count)
    named = [name for block, name in blocks.items() if block not in whole]
    return "\n\n".join([words.changed, *whole, *(["\n".join(named)] if named else [])])


def _block(change: Elsewhere, words: BridgeWords) -> str:
    was = f"{words.was}\n{quote(change.was, always=True)}" if change.was else words.was_gone
    now = f"{words.now}\n{quote(change.now, always=True)}" if change.now else words.gone
    if change.instead:
        now = f"{words.instead}\n{quote(change.instead, always=True)}"
    return f"{_name(change)}\n{was}\n{now}"


def _name(change: Elsewhere) -> str:
    """The file, the name, and who changed it, in one line."""
    by = f"{change.session}{f'/{change.agent}' if change.agent else ''}"
    return neutral(" ".join(f"{change.file} · {change.name} · {by}".split()))


def own_words(log: Log, settings: Settings, text: str) -> Entry:
    """A text as a message of the program's own."""
    message = read(user_message(settings.redact(text))).messages[0]
    size = sized(log, settings, message)
    return Entry(position=log.next_position, message=message, cost=size, injected=True)


def has_room(log: Log, settings: Settings, entry: Entry) -> bool:
    return log.tokens + entry.cost * log.ledger.scale <= settings.budget.room


def may_speak(log: Log) -> bool:
    """Whether a user message of the library's own is legal at the end of the list."""
    if log.steps.waiting or not log.entries:
        return False
    last = log.entries[-1].message.role
    return last == "tool" or (last == "user" and not log.opened.strict_roles)
