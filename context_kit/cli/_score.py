"""One session under one policy and budget: what was sent, what each compaction read, what was lost.

The invariant guarded here: the same file, settings and version give the same score, on any machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from context_kit._budget import Budget
from context_kit._manager import ContextManager
from context_kit.cli._bill import Request
from context_kit.cli._recording import Recording, Use
from context_kit.cli._replay import replay
from context_kit.summary import request
from context_kit.tokens import cost
from context_kit.tools import same_file
from context_kit.types import Compaction, TaskSummary
from context_kit.typing import Policy
from context_kit.wire import read

__all__ = ["Kept", "Score", "score", "uncompacted"]


@dataclass(frozen=True, slots=True)
class Kept:
    """Facts of one class, summed over the receipts of the applied compactions."""

    expected: int = 0
    present: int = 0
    """Word for word in the window."""
    recoverable: int = 0
    """Not there, but brought back by an address that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One session, replayed."""

    requests: tuple[Request, ...]
    peak: int
    """Tokens of the largest request."""
    compactions: int = 0
    """Applied ones."""
    removed: int = 0
    """Tokens that they took out of the window."""
    left: int = 0
    """Tokens of the windows that they left, summed."""
    asked: int = 0
    """Tokens that a summariser would have read for them: its instructions, the record so far, the old messages."""
    answered: int = 0
    """Tokens of the records that it would have written."""
    rereads: int = 0
    """Times that a file was needed again, unchanged since it was read, while its content had left the window."""
    reread: int = 0
    """Tokens of that content."""
    classes: Mapping[str, Kept] = field(default_factory=dict[str, Kept])
    lost: tuple[str, ...] = ()
    """Facts that neither stand in a window nor come back by an address, each once."""

    @property
    def tokens(self) -> int:
        """All windows sent, summed."""
        return sum(request.tokens for request in self.requests)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "requests": [[each.shared, each.new, each.reply] for each in self.requests],
            "classes": {name: [kept.expected, kept.present, kept.recoverable] for name, kept in self.classes.items()},
            "lost": list(self.lost),
            **{name: getattr(self, name) for name in NUMBERS},
        }

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Score:
        """From JSON.

        Raises:
            KeyError, TypeError, ValueError: it is none.
        """
        return cls(
            requests=tuple(Request(int(a), int(b), int(c)) for a, b, c in found["requests"]),
            classes={str(name): Kept(*map(int, kept)) for name, kept in found["classes"].items()},
            lost=tuple(map(str, found["lost"])),
            **{name: int(found[name]) for name in NUMBERS},
        )


REPLY = 1_000
"""Tokens that a summariser is told it may have; only the number stands in its instructions."""
NUMBERS = ("peak", "compactions", "removed", "left", "asked", "answered", "rereads", "reread")


def uncompacted(requests: Sequence[Request]) -> Score:
    """The session as it would be in a window of any size, without a compaction, by its requests."""
    return Score(requests=tuple(requests), peak=max((each.tokens for each in requests), default=0))


def score(
    recording: Recording, *, window: int | None, model: str | None, policy: Policy, budget: Budget | None = None
) -> Score:
    """Replay a session.

    Raises:
        TranscriptError: a message that can't be added.
        WindowExceededError: what can't shrink is larger than the window.
    """
    transcript = recording.transcript
    tools = list(transcript.tools) if transcript.tools else None
    ctx = ContextManager(
        window, model=model, budget=budget, policy=policy, count=recording.count, system=transcript.system, tools=tools
    )
    watch = _Watch(ctx, recording, model)
    replay(ctx, transcript, sent=watch.sent)
    return watch.result()


class _Watch:
    """What is seen at each request."""

    def __init__(self, ctx: ContextManager, recording: Recording, model: str | None) -> None:
        self.ctx, self.recording, self.model = ctx, recording, model
        self.requests: list[Request] = []
        self.before: Sequence[Any] = ()
        self.sizes: dict[int, tuple[Any, int]] = {}
        """Tokens of a message in the window, by its identity; it is held, so that no other takes the same."""
        self.receipts = 0
        self.standing = _Standing()
        self.applied: list[Compaction] = []
        self.asked = self.answered = 0
        self.rereads: list[int] = []
        self.uses = iter(recording.uses)
        self.next = next(self.uses, None)

    def sent(self, index: int, window: Sequence[Any]) -> None:
        """A window is about to be sent, before the file's message of this index."""
        position = self.recording.firsts[index]
        for receipt in self.ctx.compactions[self.receipts :]:
            self.receipts += 1
            if receipt.outcome == "applied":
                self._compacted(receipt, position - 1)
        tokens = self.ctx.usage.tokens
        shared = min(self._shared(window), tokens)
        self.requests.append(Request(shared, tokens - shared, self.recording.reply(index)))
        self.before = window
        self._used(index)

    def _shared(self, window: Sequence[Any]) -> int:
        """Tokens at the beginning that are the last request's."""
        if not self.requests:
            return 0
        total = self.recording.fixed
        for old, new in zip(self.before, window, strict=False):
            if old is not new and old != new:
                break
            total += self._size(new)
        return total

    def _size(self, raw: Any) -> int:
        known = self.sizes.get(id(raw))
        if known is None or known[0] is not raw:
            count = self.recording.count
            size = sum(cost(each, count=count, model=self.model) for each in read(raw).messages)
            known = self.sizes[id(raw)] = (raw, size)
        return known[1]

    def _compacted(self, receipt: Compaction, upto: int) -> None:
        count = self.recording.count
        before = self.applied[-1].summary if self.applied else None
        self.asked += self.recording.asked(_positions(receipt.summarised), upto) + self._framing(before)
        self.answered += count(_text(receipt.summary))
        self.applied.append(receipt)
        self.standing = _Standing.after(receipt, upto)

    def _framing(self, before: TaskSummary | None) -> int:
        """Tokens of a summariser's request beside the old messages: instructions and the record so far."""
        asked = request(
            (), previous=before, focus=None, messages=(), max_tokens=REPLY, language=self.recording.language
        )
        return self.recording.count(asked.instructions) + self.recording.count(asked.transcript)

    def _used(self, index: int) -> None:
        """The reply that begins here uses files; what has left the window would be read again."""
        end = self.recording.after(index)
        while self.next is not None and self.next.position < end:
            if self.standing.misses(self.next):
                self.rereads.append(self.recording.costs[self.next.held])
            self.next = next(self.uses, None)

    def result(self) -> Score:
        receipts = self.applied
        return Score(
            requests=tuple(self.requests),
            peak=max((each.tokens for each in self.requests), default=0),
            compactions=len(receipts),
            removed=sum(each.tokens_before - each.tokens_after for each in receipts),
            left=sum(each.tokens_after for each in receipts),
            asked=self.asked,
            answered=self.answered,
            rereads=len(self.rereads),
            reread=sum(self.rereads),
            classes=_classes(receipts),
            lost=tuple(dict.fromkeys(item for each in receipts for item in each.fidelity.lost)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """Where file contents stand in the window, as the last compaction left it."""

    upto: int = 0
    """Newest message at that time; what came later stands."""
    kept: frozenset[int] = frozenset()
    """Older ones that stand whole."""
    files: tuple[str, ...] = ()
    """Files that stand on the board whole."""
    counted: set[str] = field(default_factory=set[str])
    """Files that were needed again since: one more reading brings them back."""

    @classmethod
    def after(cls, receipt: Compaction, upto: int) -> _Standing:
        whole = [each for each in receipt.engrams if each.kind == "file" and not each.clipped]
        return cls(
            upto=upto,
            kept=frozenset(_positions(receipt.kept)) - frozenset(_positions(receipt.clipped)),
            files=tuple(each.source[2:].rpartition("@")[0] for each in whole if each.source.startswith("f:")),
        )

    def misses(self, use: Use) -> bool:
        """Whether the content of a file is wanted and not there; once for each file until the next compaction."""
        there = use.held > self.upto or use.held in self.kept or use.path in self.counted
        if there or any(same_file(use.path, path) for path in self.files):
            return False
        self.counted.add(use.path)
        return True


def _positions(addresses: Sequence[str]) -> list[int]:
    """Log positions of the addresses that are messages."""
    return [int(each[1:]) for each in addresses if each[:1] == "m" and each[1:].isdecimal()]


def _classes(receipts: Sequence[Compaction]) -> dict[str, Kept]:
    found: dict[str, Kept] = {}
    for receipt in receipts:
        for name, one in receipt.fidelity.classes.items():
            old = found.get(name, Kept())
            found[name] = Kept(
                old.expected + one.expected, old.present + one.present, old.recoverable + one.recoverable
            )
    return found


def _text(summary: TaskSummary | None) -> str:
    """What a model would write for a record: the goal is code's."""
    return summary.model_dump_json(exclude={"original_goal"}) if summary is not None else ""
