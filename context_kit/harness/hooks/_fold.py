"""Folds messages of a transcript into the facts of its session; no model is asked, no token counted.

The invariant guarded here: folding a session in pieces or at once gives the same files, failures and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from context_kit._entry import Entry
from context_kit._lazily import regex
from context_kit._redact import redactor
from context_kit.engrams import (
    Deed,
    Later,
    Parts,
    Said,
    Trail,
    constraints,
    has_han,
    language,
    sentences,
    taken_back,
    terms,
)
from context_kit.errors import InvalidMessageError
from context_kit.harness.hooks._deeds import (
    acted,
    approved,
    called,
    checks,
    done,
    edited,
    failed,
    left_undone,
    plan_at,
    read_files,
    refused,
)
from context_kit.harness.hooks._facts import Decided, Facts, Running, Task, Words
from context_kit.summary import decisions, first_line, intent, question
from context_kit.tools import Act, Todo
from context_kit.typing import Message
from context_kit.wire import read

__all__ = ["fold", "wished"]

TEXT = 20_000
"""Characters of a person's text that are kept ..."""
END = 5_000
"""... of a longer one so many at its end ..."""
RULE = 400
"""... and of one constraint."""
ANSWER = 40
"""Characters of a text that may be no more than an answer."""
LINE = 240
STATEMENTS = 30
"""So many new statements are looked at for decisions, the newest ones."""
SAID = 4_000
"""Characters at the end of a statement that are looked at for what comes next."""
MOST = {
    "words": 400,
    "failed": 200,
    "halted": 12,
    "refused": 12,
    "done": 40,
    "checks": 24,
    "decided": 40,
    "read": 40,
    "running": 40,
}
"""So many of each are kept, the newest ones; of words the first as well."""
REMARK = 60
"""Characters of a sentence that may take something back without naming it (\"never mind\")."""

NEEDLESS = regex(r"\b(?:don't|don’t|do not|doesn't|needn't|no) need (?:to|for)\b|不需要")
"""What need not be done is neither forbidden nor required."""
RECORD = "[context record ·"
WRAPPED = regex(r"<hook_context>\s*\Z")
"""What Gemini CLI puts around an injected text."""
OPENED = regex(r"<command-contents>\n([^\0]*?)\n</command-contents>\Z")

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
        words=_first_and_newest(_words(facts, said, trail, dict(_opened(entries))), MOST["words"]),
        opening=facts.opening or (redact(trail.opening.text[:TEXT]) if trail.opening and not trail.words else ""),
        edited=edited(facts, trail, deeds, redact),
        failed=failed(facts, trail, redact)[-MOST["failed"] :],
        halted=left_undone(facts, trail, redact)[-MOST["halted"] :],
        refused=refused(facts, deeds, redact)[-MOST["refused"] :],
        done=(*facts.done, *done(deeds, redact))[-MOST["done"] :],
        checks=checks(facts, deeds, redact)[-MOST["checks"] :],
        decided=(*facts.decided, *_decided(trail))[-MOST["decided"] :],
        plan=tuple(Task(redact(todo.text)[:LINE], todo.status, todo.id) for todo in trail.plan),
        plan_at=plan_at(deeds) or facts.plan_at,
        approved=approved(deeds, redact) or facts.approved,
        running=tuple(Running(key, redact(command)) for key, command in running.items())[-MOST["running"] :],
        read=read_files(facts, trail, redact)[-MOST["read"] :],
        said=redact(last) if spoken else facts.said,
        said_at=statement.position if statement and spoken else facts.said_at,
        intent=_intent(facts, trail, last),
        called=called(trail, deeds, running, redact) or ("" if deeds or said or trail.called else facts.called),
        acted=acted(deeds, redact) or facts.acted,
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
    broken = (*facts.failed, *facts.halted)
    parts = {
        (each.at, each.command): Parts(each.done, each.steps, each.unrun, frozenset(each.named), each.passed)
        for each in broken
    }
    trail = Trail(newer=_Unread(), parts=parts, by_part=True, _running=running)
    trail.words = [Said(words.at, words.text) for words in facts.words]
    trail.opening = Said(0, facts.opening) if facts.opening else None
    trail.plan = tuple(Todo(text=task.text, status=_status(task.status), id=task.id) for task in facts.plan)
    for known in facts.edited:
        act = Act(kind="edit", path=known.path, gone=known.path if known.gone else "")
        trail.files.fold(act, known.at)
    for failure in sorted(broken, key=lambda each: each.at):
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


def _words(facts: Facts, said: Sequence[Said], trail: Trail, opened: Mapping[int, str]) -> Iterator[Words]:
    """What a person wrote, each text with the constraints that nobody took back."""
    new = [
        Words(at, _kept(redact(each.text)), _rules(each), _asked(each, facts, trail), opened.get(at, ""))
        for each in said
        for at in (each.position,)
    ]
    yield from _standing(facts, new)


def _opened(entries: Sequence[Entry]) -> Iterator[tuple[int, str]]:
    """The opening of what each slash command expanded to, by its position."""
    for entry in entries:
        text = entry.message.text if entry.message.role == "user" else ""
        found = OPENED.search(text) if "</command-contents>" in text else None
        if found is not None:
            yield entry.position, redact(found[1])


def _standing(facts: Facts, new: Sequence[Words]) -> Iterator[Words]:
    """What is known and what is new, without the constraints that the new texts take back."""
    found = [*facts.words, *new]
    since = next((each.at for each in found if each.rules), None)
    about = frozenset[str]().union(*(terms(rule) for each in found for rule in each.rules))
    later = Later()
    for each in new:
        if since is not None and since < each.at:
            later.add(each.at, [told for told in sentences(each.text) if len(told) <= REMARK or about & terms(told)])
    for each in found:
        kept = tuple(rule for rule in each.rules if not taken_back(rule, each.at, later))
        yield each if kept == each.rules else replace(each, rules=kept)


def wished(facts: Facts, wish: str) -> Facts:
    """The facts after the user asked something of a compaction, or asked nothing: then an earlier wish is over."""
    text = _kept(redact(wish.strip()))
    if not text or text == facts.wish:
        return replace(facts, wish=text)
    new = Words(facts.at, text, _rules(Said(facts.at, text)))
    return replace(facts, wish=text, words=_first_and_newest(_standing(facts, [new]), MOST["words"]))


def _kept(text: str) -> str:
    """A text; of a very long one its beginning and its end, where people ask for what they want."""
    return text if len(text) <= TEXT else f"{text[: TEXT - END]}\n…\n{text[-END:]}"


def _asked(said: Said, facts: Facts, trail: Trail) -> str:
    """The question that a short text answers; empty where it is long, or nothing was asked."""
    if len(said.text) > ANSWER:
        return ""
    before = [each.text for each in trail.statements if each.position < said.position]
    last = before[-1][-SAID:] if before else facts.said
    if not question(last):
        return ""
    asking = [each for each in sentences(last) if each.rstrip("\"')*_` ").endswith(("?", "？"))]
    return first_line(redact(asking[-1])) if asking else ""


def _without_record(said: Said) -> Said:
    """A text without a record that a hook put into it."""
    if RECORD not in said.text:
        return said
    return Said(said.position, WRAPPED.sub("", said.text.partition(RECORD)[0]).strip())


def _rules(said: Said) -> tuple[str, ...]:
    return tuple(redact(rule)[:RULE] for rule in constraints(said.text) if not _needless(rule))


def _needless(rule: str) -> bool:
    """Whether a sentence says no more than that something needs not be done."""
    return NEEDLESS.search(rule) is not None and not constraints(NEEDLESS.sub("can", rule))


def _first_and_newest(found: Iterator[Words], most: int) -> tuple[Words, ...]:
    newest: dict[str, Words] = {}
    for each in found:
        if (before := newest.get(each.text)) is None or (len(newest) > 1 and before is not next(iter(newest.values()))):
            newest.pop(each.text, None)
            newest[each.text] = each
    every = list(newest.values())
    return tuple(every) if len(every) <= most else (every[0], *every[-most + 1 :])


def _chinese(said: Sequence[Said]) -> bool:
    return any(has_han(each.text) for each in said) and language(each.text for each in said) == "zh"


# -- statements ----------------------------------------------------------------


def _decided(trail: Trail) -> Iterator[Decided]:
    for said in trail.statements[-STATEMENTS:]:
        for text, why in decisions(said.text):
            yield Decided(said.position, first_line(redact(text)), first_line(redact(why)))


def _intent(facts: Facts, trail: Trail, last: str) -> str:
    """What the newest text says to come next; what it asks where no tool was called with it or after it."""
    if last.strip():
        return redact(_next(last, waits=trail.waits))
    return redact(_next(facts.said, waits=False)) if trail.called else facts.intent


def _next(text: str, *, waits: bool) -> str:
    """What the assistant asks the person, or says that it will do; empty where neither."""
    if waits and question(text):
        return first_line(text.rstrip().rsplit("\n", 1)[-1])
    return first_line(intent(text))
