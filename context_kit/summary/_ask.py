"""Asking a summariser: bounded requests, one retry that says why, shorter input, then none.

A sub-generator of the turn: it yields `SummaryRequest`s and is sent `Outcome`s. It never
raises for a summariser's fault, and a refused reply's text goes nowhere. What a reply makes up
is taken out of it at once, so the record holds none of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from context_kit.errors import TOLD, SummaryError, told
from context_kit.summary._fold import fold
from context_kit.summary._invented import sift
from context_kit.summary._judge import Case, judged, unread
from context_kit.summary._merge import merge, redacted
from context_kit.summary._parse import parse, spoken
from context_kit.summary._request import overhead, previous_text, request
from context_kit.summary._source import Known, Source
from context_kit.summary._transcript import Piece, take
from context_kit.tokens import clip
from context_kit.types import Rung, SummaryReply, SummaryRequest, TaskSummary
from context_kit.typing import Count, Redact
from context_kit.wire import overflow

__all__ = ["Answer", "Brief", "Outcome", "ask", "too_long"]

SMALLEST = 400
"""Tokens of input below which a summariser that still overflows is given up."""
SHORTEST = 40
"""Tokens of a record below which it is not folded any further."""
TRUNCATED = ("length", "max_tokens")


class Outcome(NamedTuple):
    """What came of a call that the driver made."""

    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What stays the same over the requests of one compaction."""

    room: int
    """The summariser's window, in estimated tokens."""
    max_tokens: int
    language: str
    focus: str | None
    messages: tuple[dict[str, Any], ...]
    count: Count
    redact: Redact
    limit: int = 0
    """Tokens that the record may have; 0 for any number."""
    known: Known = field(default_factory=Known)
    """What may be spoken of beside the pieces."""

    def bounded(self, said: TaskSummary) -> TaskSummary:
        """The record within its ceiling; the goal is code's, so a model's wording of it is not kept."""
        said = said.model_copy(update={"original_goal": ""})
        return fold(said, self.limit, self.count) if self.limit else said


@dataclass(slots=True)
class Answer:
    """What the summariser said, and how it went."""

    said: TaskSummary | None
    """The merged record; None where no model ever answered."""
    rung: Rung = "llm"
    failures: list[str] = field(default_factory=list[str])
    usage: dict[str, int] | None = None
    coverage: float = 1.0
    """Share of the pieces' tokens that was seen; 1.0 where code reads the log itself."""
    complete: bool = True
    """Every run was answered."""
    ungrounded: tuple[str, ...] = ()
    """Names in the replies that their source never mentions; what named them is gone."""

    def noting(self, failure: str) -> Answer:
        """The same with one more thing that went wrong."""
        return replace(self, failures=[*self.failures, failure])

    def joined(self, more: Answer) -> Answer:
        """Both as one, where the other went on from what was said here."""
        return Answer(
            said=more.said,
            rung=self.rung if more.rung == "llm" else more.rung,
            failures=[*self.failures, *more.failures],
            usage=_summed(self.usage, more.usage),
            coverage=min(self.coverage, more.coverage),
            complete=self.complete and more.complete,
            ungrounded=tuple(dict.fromkeys([*self.ungrounded, *more.ungrounded])),
        )


Asking = Generator[SummaryRequest, Outcome, Answer]


def ask(found: Sequence[Piece], before: TaskSummary | None, brief: Brief) -> Asking:
    """The record so far and the new pieces, merged by a model; in several requests where needed."""
    answer, seen = Answer(said=brief.bounded(before) if before else None), 0
    whole = sum(piece.whole for piece in found)
    left = deque(found)
    while left:
        previous = _shown(answer.said, brief)
        fixed = overhead(brief.language, brief.max_tokens, previous, brief.focus, brief.count)
        run = take(left, max(brief.room - fixed, SMALLEST), brief.count)
        if left:  # the native prefix is the whole; a part of it is told by its transcript alone
            brief = replace(brief, messages=())
        source = Source(run, brief.known, previous_text(answer.said))
        said, read = yield from _ask_run(run, previous, source, answer, brief)
        if said is None:
            answer.complete, answer.rung, answer.coverage = False, "extractive", 1.0
            return answer
        seen += read
        answer.said = brief.bounded(merge(answer.said, said))
    answer.coverage = min(seen / whole, 1.0) if whole else 1.0
    return answer


def _shown(said: TaskSummary | None, brief: Brief) -> TaskSummary | None:
    """The record so far as a request shows it: at most a third of what the summariser can read."""
    room = brief.room // 3
    limit = room
    while said is not None and limit > SHORTEST and brief.count(previous_text(said)) > room:
        said = fold(said, limit, brief.count)
        limit = limit * 2 // 3
    return said


def _ask_run(
    run: list[Piece], previous: TaskSummary | None, source: Source, answer: Answer, brief: Brief
) -> Generator[SummaryRequest, Outcome, tuple[TaskSummary | None, int]]:
    """One run: asked, asked again with the reason, asked with less; what was said, tokens seen."""
    refused, size = "", sum(piece.tokens for piece in run)
    retried = False
    while True:
        asked = request(
            run,
            previous=previous,
            focus=brief.focus,
            messages=brief.messages,
            max_tokens=brief.max_tokens,
            language=brief.language,
            refused=refused,
        )
        outcome = yield asked
        try:
            said = _checked(_reply(outcome, answer), asked, source, brief)
        except SummaryError as error:
            answer.usage = _summed(answer.usage, error.usage)
            answer.failures.append(brief.redact(str(error))[:TOLD])
            if retried:
                return None, 0
            retried, refused = True, answer.failures[-1]
        except Exception as error:  # noqa: BLE001 - the summariser's own, whatever it is: it becomes a step down
            answer.failures.append(brief.redact(told(error))[:TOLD])
            if not too_long(error) or size // 2 < SMALLEST:
                return None, 0
            size //= 2
            run = [_halved(run, size, brief.count)]
            brief = replace(brief, messages=())
            answer.rung = "llm_clipped"
        else:
            return _sifted(said, source, answer), size


def _reply(outcome: Outcome, answer: Answer) -> SummaryReply:
    if outcome.error is not None:
        raise outcome.error
    value = outcome.value
    reply = value if isinstance(value, SummaryReply) else SummaryReply(value)
    if not isinstance(reply.text, str):
        msg = f"the summariser returned {type(value).__name__}, not a str or SummaryReply: return the reply's text"
        raise SummaryError(msg)
    answer.usage = _summed(answer.usage, reply.usage)
    return reply


def _checked(reply: SummaryReply, asked: SummaryRequest, source: Source, brief: Brief) -> TaskSummary:
    """The six fields of a reply, without its secrets.

    Raises:
        SummaryError: it is no summary, or none of this transcript; the text says what it is.
    """
    if reply.stop in TRUNCATED:
        msg = "the reply was cut off at its token limit: answer with fewer words"
        raise SummaryError(msg)
    case = Case(
        text=spoken(reply.text),
        stop=reply.stop,
        instructions=asked.instructions,
        source=source,
        size=brief.count(asked.transcript),
        most=asked.max_tokens,
        language=brief.language,
        count=brief.count,
    )
    try:
        said = redacted(parse(reply.text), brief.redact)
    except SummaryError as error:
        reason = unread(case)
        if not reason:
            raise
        msg = f"{reason} ({error})"
        raise SummaryError(msg) from error
    if reason := judged(said, case):
        raise SummaryError(reason)
    return said


def _sifted(said: TaskSummary, source: Source, answer: Answer) -> TaskSummary:
    """A reply without what it made up; the receipt hears of it."""
    sifted = sift(said, source)
    answer.ungrounded = tuple(dict.fromkeys([*answer.ungrounded, *sifted.ungrounded]))
    if sifted.ordered:
        answer.failures.append(f"entries that follow a text inside the transcript were removed: {sifted.ordered}")
    return sifted.summary


def _summed(before: Mapping[str, int] | None, new: Mapping[str, int] | None) -> dict[str, int] | None:
    if not new:
        return dict(before) if before else None
    total = dict(before or {})
    for key, value in new.items():
        if isinstance(value, int):
            total[key] = total.get(key, 0) + value
    return total


def _halved(run: Sequence[Piece], size: int, count: Count) -> Piece:
    """All pieces as one, its middle left out."""
    text = "\n".join(piece.text for piece in run)
    short = clip(text, size, count=count, mark="\n… [the middle of this part is left out] …\n")
    return replace(run[0], text=short, tokens=count(short), whole=sum(piece.whole for piece in run))


def too_long(error: BaseException) -> bool:
    """Whether an error says that the request was larger than the model's window."""
    return overflow(error) is not None
