"""A transcript as it is measured: what each message costs, what it would cost to summarise, and where files are used.

The invariant guarded here: nothing in it depends on a policy, a window or a budget, so one reading serves them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from context_kit._entry import Entry
from context_kit._redact import redactor
from context_kit._steps import Steps
from context_kit.cli._bill import Request
from context_kit.cli._replay import by_model
from context_kit.engrams import Trail
from context_kit.errors import InvalidMessageError
from context_kit.harness.transcripts import Transcript, TranscriptError
from context_kit.summary import pieces
from context_kit.tokens import cost, counter, system_cost, tools_cost
from context_kit.tools import Act, Files
from context_kit.typing import Count
from context_kit.wire import read

__all__ = ["Recording", "Use", "recorded"]

SHORT = 200
"""Tokens that a superseded tool result has at most where a summariser reads it."""
KNOWN = 100_000
"""Texts whose tokens are remembered."""


@dataclass(frozen=True, slots=True)
class Use:
    """A call that reads or edits a file which is as it was when it was read before."""

    position: int
    """Of the call."""
    path: str
    held: int
    """Position of the result that showed the content."""
    shown: int
    """Position of the result of this call, where it shows the content again; else 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A transcript with all that is measured of it once."""

    transcript: Transcript
    count: Count
    language: str
    """Of the summariser's instructions."""
    fixed: int
    """Tokens of system prompt and tools beside the messages."""
    firsts: tuple[int, ...]
    """Position of the first message that each of the file's messages became; positions begin at 1."""
    costs: tuple[int, ...]
    """Tokens by position; index 0 is unused."""
    spoken: tuple[int, ...]
    """Tokens of each as a summariser reads it."""
    outdated: dict[int, int]
    """Positions of results that later ones replaced, with the position from which on they are."""
    uses: tuple[Use, ...]
    """In order."""

    @property
    def tokens(self) -> int:
        """All of it, system prompt and tools included."""
        return self.fixed + sum(self.costs)

    def after(self, index: int) -> int:
        """Position behind the model's reply that begins at a message of the file."""
        end = index
        while end < len(self.firsts) and by_model(self.transcript.messages[end]):
            end += 1
        return self.firsts[end] if end < len(self.firsts) else len(self.costs)

    def reply(self, index: int) -> int:
        """Tokens of the model's reply that begins at a message of the file."""
        return sum(self.costs[self.firsts[index] : self.after(index)])

    def asked(self, positions: Sequence[int], upto: int) -> int:
        """Tokens of these messages as a summariser reads them once there are messages up to a position."""
        old = (position for position in positions if self.outdated.get(position, upto + 1) <= upto)
        saved = sum(max(self.spoken[position] - SHORT, 0) for position in old)
        return sum(self.spoken[position] for position in positions) - saved

    def uncompacted(self) -> list[Request]:
        """The requests of a session that never compacts, in a window of any size."""
        found: list[Request] = []
        sums = list(accumulate(self.costs, initial=self.fixed))
        before, replying = 0, False
        for index, message in enumerate(self.transcript.messages):
            if by_model(message) and not replying and index:
                whole = sums[self.firsts[index]]
                found.append(Request(before, whole - before, self.reply(index)))
                before = whole
            replying = by_model(message)
        return found


def recorded(transcript: Transcript, *, model: str | None = None) -> Recording:
    """Read a transcript once.

    Raises:
        TranscriptError: a message that no provider would accept; the text has its number, from 1, and the field.
    """
    count = lru_cache(maxsize=KNOWN)(counter(model))
    firsts: list[int] = []
    found: list[Entry] = []
    steps = Steps()
    for index, raw in enumerate(transcript.messages):
        firsts.append(len(found) + 1)
        try:
            for message in read(raw).messages:
                found.append(Entry(len(found) + 1, message, cost(message, count=count, model=model)))
                steps.shape = steps.shape or message.shape
                steps.place(found[-1])
        except InvalidMessageError as error:
            msg = f"message {index + 1} (m{index + 1}): {error}"
            raise TranscriptError(msg) from None
    trail = Trail(redact=redactor(True))
    trail.follow(found)
    return Recording(
        transcript=transcript,
        count=count,
        language=trail.language,
        fixed=system_cost(transcript.system, count=count) + tools_cost(transcript.tools, count=count),
        firsts=tuple(firsts),
        costs=(0, *(entry.cost for entry in found)),
        spoken=(0, *(piece.tokens for piece in pieces(found, redact=redactor(True), count=count))),
        outdated=_outdated(trail),
        uses=tuple(_uses(trail)),
    )


def _outdated(trail: Trail) -> dict[int, int]:
    """Results whose file content was shown again later, with the position of the later one."""
    newest: dict[str, int] = {}
    found: dict[int, int] = {}
    for deed in trail.deeds:
        if deed.act.content is not None and not deed.act.failed:
            if deed.act.path in newest:
                found[newest[deed.act.path]] = deed.until
            newest[deed.act.path] = deed.until
    return found


@dataclass(frozen=True, slots=True)
class _Read:
    """A part of a file that was shown."""

    act: Act
    until: int

    def covers(self, act: Act) -> bool:
        """Whether this showed all that another read shows, or an edit works on."""
        mine = self.act
        if mine.whole or act.kind == "edit":
            return True
        if not (mine.first and act.first):
            return (mine.first, mine.last, mine.content) == (act.first, act.last, act.content)
        return mine.first <= act.first and act.last <= mine.last


def _uses(trail: Trail) -> list[Use]:
    """Reads and edits of files that are unchanged since they were read."""
    files = Files()
    known: dict[str, list[_Read]] = {}
    found: list[Use] = []
    for deed in trail.deeds:
        act = deed.act
        touched = bool(act.path) and act.kind in ("read", "edit") and not act.failed
        view = files.find(act.path) if touched else None
        name = view.path if view is not None else act.path
        if touched and view is not None:
            seen = [each for each in known.get(act.path, known.get(name, [])) if each.until > view.last_edit]
            held = next((each for each in reversed(seen) if each.covers(act)), None)
            if held is not None and deed.position > held.until:
                found.append(Use(deed.position, act.path, held.until, deed.until if act.kind == "read" else 0))
        files.fold(deed.done, deed.until, act)
        if touched:
            before = known.pop(name, [])
            known[act.path] = [*before, _Read(act, deed.until)] if act.kind == "read" else before
    return sorted(found, key=lambda use: use.position)
