"""Asking a summariser: bounded requests, one retry that says why, shorter input, then none.

A sub-generator of the turn: it yields `SummaryRequest`s and is sent `Outcome`s. It never
raises for a summariser's fault, and a refused reply's text goes nowhere.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from context_kit.errors import SummaryError
from context_kit.summary._ground import merge, redacted
from context_kit.summary._parse import parse
from context_kit.summary._request import overhead, request
from context_kit.summary._transcript import Piece, chunks
from context_kit.tokens import clip
from context_kit.types import Rung, SummaryReply, SummaryRequest, TaskSummary
from context_kit.typing import Count, Redact
from context_kit.wire import overflow

__all__ = ["Answer", "Brief", "Outcome", "ask", "too_long"]

SMALLEST = 400
"""Tokens of input below which a summariser that still overflows is given up."""
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


Asking = Generator[SummaryRequest, Outcome, Answer]


def ask(found: Sequence[Piece], before: TaskSummary | None, brief: Brief) -> Asking:
    """The record so far and the new pieces, merged by a model; in several requests where needed."""
    answer, seen = Answer(said=before), 0
    whole = sum(piece.whole for piece in found)
    fixed = overhead(brief.language, brief.max_tokens, before, brief.focus, brief.count)
    for run in chunks(found, max(brief.room - fixed, SMALLEST)):
        said, read = yield from _ask_run(run, answer, brief)
        if said is None:
            answer.complete, answer.rung, answer.coverage = False, "extractive", 1.0
            return answer
        seen += read
        answer.said = merge(answer.said, redacted(said, brief.redact))
    answer.coverage = min(seen / whole, 1.0) if whole else 1.0
    return answer


def _ask_run(
    run: list[Piece], answer: Answer, brief: Brief
) -> Generator[SummaryRequest, Outcome, tuple[TaskSummary | None, int]]:
    """One run: asked, asked again with the reason, asked with less; what was said, tokens seen."""
    refused, size = "", sum(piece.tokens for piece in run)
    retried = False
    while True:
        outcome = yield request(
            run,
            previous=answer.said,
            focus=brief.focus,
            messages=brief.messages,
            max_tokens=brief.max_tokens,
            language=brief.language,
            refused=refused,
        )
        try:
            said = _read(outcome, answer)
        except SummaryError as error:
            answer.failures.append(brief.redact(str(error)))
            if retried:
                return None, 0
            retried, refused = True, answer.failures[-1]
        except Exception as error:  # noqa: BLE001 - the summariser's own, whatever it is: it becomes a step down
            answer.failures.append(brief.redact(f"{type(error).__name__}: {error}")[:300])
            if not too_long(error) or size // 2 < SMALLEST:
                return None, 0
            size //= 2
            run = [_halved(run, size, brief.count)]
            answer.rung = "llm_clipped"
        else:
            return said, size


def _read(outcome: Outcome, answer: Answer) -> TaskSummary:
    if outcome.error is not None:
        raise outcome.error
    value = outcome.value
    reply = value if isinstance(value, SummaryReply) else SummaryReply(value)
    if not isinstance(reply.text, str):
        msg = f"the summariser returned {type(value).__name__}, not a str or SummaryReply: return the reply's text"
        raise SummaryError(msg)
    answer.usage = _summed(answer.usage, reply.usage)
    if reply.stop in TRUNCATED:
        msg = "the reply was cut off at its token limit: answer with fewer words"
        raise SummaryError(msg)
    return parse(reply.text)


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
