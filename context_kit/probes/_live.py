"""A live check: each probe asked of a model, its answer graded; what failed put back and asked again.

A generator, as every flow: it decides and does nothing. Asking adds nothing to the log; only a repair does, one
message at its end, and a hook's check, whose counts go to the receipt. What was answered is never lost, whatever goes
wrong after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from context_kit._commands import Append, Judge, Steps, worked
from context_kit._log import Log
from context_kit._notices import has_room, may_speak, owed, own_words
from context_kit._records import Added, Amended
from context_kit._settings import Settings
from context_kit._verify import window_text
from context_kit.engrams import Trail
from context_kit.errors import TOLD, told
from context_kit.probes._grade import Grade, grade, honest
from context_kit.probes._heard import cleaned
from context_kit.probes._phrases import phrases
from context_kit.probes._put_back import FRAME, PutBack, put_back, room_of
from context_kit.probes._stand import Standing
from context_kit.probes._still import still_sure
from context_kit.probes._types import Probe, ProbeReport
from context_kit.summary import Known, Name, Outcome, Source
from context_kit.types import ProbeRequest, SummaryReply
from context_kit.wire import user_message

__all__ = ["How", "check"]

MOST_FAILURES = 3
"""Questions in a row that get no answer, after which no other is asked."""
REPLY = 200
"""Tokens of an answer, at most ..."""
KEPT = 32_000
"""Characters of an answer that are kept: the last ones, where a model that thinks aloud comes to its answer."""
LEAST_REPLY = 24
"""... and at least: with less room nothing is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a check is made."""

    judge: bool = False
    """The caller has a judge."""
    repair: bool = False
    """What failed is put back, and asked again."""
    counted: bool = False
    """How the answers came out goes to the receipt."""


class _Session:
    """What stood in the session when it was taken: its messages, what is sent beside them, what the program told."""

    def __init__(self, log: Log, settings: Settings) -> None:
        self._raw = [entry.message.raw for entry in log.entries]
        self._beside = [settings.system, list(settings.tools or ())]
        self._bridge = [log.last.bridge] if log.last else []

    @cached_property
    def _source(self) -> Source:
        texts = [window_text([raw]) for raw in self._raw]
        return Source([], Known(named=(*texts, window_text(self._beside), *self._bridge)))

    def has(self, name: Name) -> bool:
        """Whether it has a name."""
        return self._source.has(name)


@dataclass(slots=True)
class _Check:
    """One check under way."""

    log: Log
    trail: Trail
    settings: Settings
    judge: bool
    grades: dict[Probe, Grade] = field(default_factory=dict[Probe, Grade])
    answers: dict[Probe, str] = field(default_factory=dict[Probe, str])
    failures: list[str] = field(default_factory=list[str])
    session: _Session | None = None

    def request(self, probe: Probe) -> ProbeRequest | None:
        """The question behind the window as it stands; None where there is no room for it."""
        log, settings = self.log, self.settings
        text = phrases(self.trail.language).asked.format(question=settings.redact(probe.question))
        more = [user_message(waiting)] if (waiting := owed(log)) else []
        size = settings.count(text) + FRAME + sum(settings.count(waiting) + FRAME for _ in more)
        room = settings.budget.window - log.tokens - int(size * log.ledger.scale)
        if room < LEAST_REPLY:
            return None
        return ProbeRequest(
            question=settings.redact(probe.question),
            messages=log.view(*more, user_message(text)),
            system=settings.system,
            tools=settings.tools,
            max_tokens=min(REPLY, room),
        )

    def fail(self, probe: Probe, error: BaseException) -> None:
        self.failures.append(self.settings.redact(f"{probe.question[:80]}: {told(error)}")[:TOLD])


def check(log: Log, trail: Trail, settings: Settings, probes: Sequence[Probe], how: How) -> Steps[ProbeReport]:
    """How a model answers these probes from the window as it stands.

    Args:
        log: the session's.
        trail: its trail, which has followed the log.
        settings: the session's.
        probes: what is asked, in this order.
        how: how it is made.
    """
    made = _Check(log, trail, settings, how.judge)
    receipt = log.last.receipt.id if log.last else ""
    asked = tuple(dict.fromkeys(probes))
    yield from _asked(made, asked)
    failed = [probe for probe in made.grades if made.grades[probe] != "right" and not probe.distractor]
    if how.counted and made.grades:
        yield from _kept(made, Append(Amended(id=receipt, probed=_report(made).counts)))
    if not how.repair or not failed:
        return _report(made)
    again = yield from _repaired(made, failed)
    return replace(_report(made), second=dict(again.answers), repaired=_all(again, "right"))


def _report(made: _Check) -> ProbeReport:
    return ProbeReport(
        probes=tuple(made.grades),
        right=_all(made, "right"),
        unknown=_all(made, "unknown"),
        wrong=_all(made, "wrong"),
        fabricated=_all(made, "fabricated"),
        answers=dict(made.answers),
        failures=tuple(made.failures),
    )


def _all(made: _Check, grade: Grade) -> tuple[Probe, ...]:
    return tuple(probe for probe, found in made.grades.items() if found == grade)


def _asked(made: _Check, probes: Sequence[Probe]) -> Steps[None]:
    """Ask them all of one window, as it stands now; the last answer of each counts."""
    requests = [(probe, made.request(probe)) for probe in probes]
    silent = 0
    for number, (probe, request) in enumerate(requests):
        if request is None:
            size, window = made.log.tokens, made.settings.budget.window
            msg = f"no room for a question: the window has {size} of {window} tokens, call prepare() first"
            made.failures.append(f"{msg}; {len(probes) - number} not asked")
            return
        outcome = (yield request)[0]
        answer = _answer(outcome)
        if isinstance(answer, Exception):
            made.fail(probe, answer)
            silent += 1
            if silent == MOST_FAILURES and number + 1 < len(probes):
                made.failures.append(f"{silent} questions in a row got no answer: {len(probes) - number - 1} not asked")
                return
            continue
        silent = 0
        made.answers[probe] = yield from worked(made.settings.redact, answer)
        made.grades[probe] = yield from _graded(made, probe, answer)


def _answer(outcome: Outcome) -> str | Exception:
    """What a model said, or why it said nothing."""
    if outcome.error is not None:
        return outcome.error
    value: Any = outcome.value
    text = value.text if isinstance(value, SummaryReply) else value
    if not isinstance(text, str):
        return TypeError(f"returned {type(text).__name__}: give the answer as text")
    return _short(text) if cleaned(text) else ValueError("an empty answer")


def _short(text: str) -> str:
    """The end of an answer that is longer than what is ever looked at, from a whole word on."""
    return text if len(text) <= KEPT else re.sub(r"\A\S+", "", text[-KEPT:]) or text[-KEPT:]


def _graded(made: _Check, probe: Probe, answer: str) -> Steps[Grade]:
    made.session = made.session or _Session(made.log, made.settings)
    judged, has = None, made.session.has
    if made.judge and not probe.distractor and not (yield from worked(honest, probe, answer, has)):
        outcome = (yield Judge((probe, made.answers[probe])))[0]
        if outcome.error is not None:
            made.fail(probe, outcome.error)
        elif isinstance(outcome.value, bool):
            judged = outcome.value
        elif outcome.value is not None:
            made.fail(probe, TypeError(f"the judge returned {type(outcome.value).__name__}: give True, False or None"))
    return (yield from worked(grade, probe, answer, has, judged))


# -- repair --------------------------------------------------------------------------------


def _repaired(made: _Check, failed: Sequence[Probe]) -> Steps[_Check]:
    """Put back what failed and doesn't stand in the window as it is, and ask it again: how that came out."""
    log, settings, language = made.log, made.settings, made.trail.language
    again = _Check(log, made.trail, settings, made.judge, session=made.session)
    waiting = owed(log)
    missing = still_sure(_missing(made, failed, waiting), log, made.trail, settings, made.failures)
    room = room_of(log, settings, settings.count(waiting))
    found = put_back(missing, log, settings, language=language, room=room)
    if found.left_out:
        made.failures.append(f"no room to put back {', '.join(found.left_out)}")
    if log.last is not None and found.text and (yield from _kept(made, _placed(log, settings, found, waiting))):
        yield from _asked(again, found.probes)
        made.failures += again.failures
    return again


def _missing(made: _Check, failed: Sequence[Probe], waiting: str) -> list[Probe]:
    """Those whose answers stand neither in the window nor in what waits for a place in it."""
    window = Standing([*made.log.view(), *([user_message(waiting)] if waiting else [])], lambda _: ())
    standing = [probe for probe in failed if window.of(probe) == "window"]
    if standing:
        addresses = dict.fromkeys(probe.address for probe in standing)
        made.failures.append(f"stands in the window, not used: {', '.join(addresses)}")
    return [probe for probe in failed if probe not in standing]


def _kept(made: _Check, record: Append) -> Steps[bool]:
    """Write it; where that fails, say so: no answer is lost because of it."""
    error = (yield record)[0].error
    if error is not None:
        made.failures.append(made.settings.redact(f"not written: {told(error)}")[:TOLD])
    return error is None


def _placed(log: Log, settings: Settings, found: PutBack, waiting: str) -> Append:
    """At the end of the window where a message is legal there now, else at the next place where it is."""
    name = log.last.receipt.id if log.last else ""
    text = "\n\n".join(filter(None, [waiting, found.text]))
    entry = own_words(log, settings, text)
    if may_speak(log) and has_room(log, settings, entry):
        return Append(Added(entry=entry), (Amended(id=name, repaired=found.addresses, text=""),))
    return Append(Amended(id=name, repaired=found.addresses, text=text))
