"""Where the tokens of a transcript are: by role, kind, tool and message.

The invariant guarded here: the parts add up to the whole, the same whole that the manager would count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from context_kit._steps import Entry, Steps
from context_kit.engrams import Failure, Trail, failures
from context_kit.errors import InvalidMessageError
from context_kit.harness.transcripts import Transcript, TranscriptError
from context_kit.tokens import cost, counter, media_cost, system_cost, tools_cost
from context_kit.typing import Count
from context_kit.wire import Message, Part, read

__all__ = ["Large", "Measure", "ToolUse", "measure"]

KINDS = {"text": "text", "reasoning": "reasoning", "call": "calls", "result": "results", "media": "media"}
LARGEST = 10
"""So many messages are listed by size."""


@dataclass(slots=True)
class ToolUse:
    """How one tool was used."""

    calls: int = 0
    asked: int = 0
    """Tokens of its calls."""
    answered: int = 0
    """Tokens of its results."""

    @property
    def tokens(self) -> int:
        """Tokens of calls and results."""
        return self.asked + self.answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Large:
    """One message, for the list of the largest."""

    address: str
    """`m1` is the first message of the file."""
    role: str
    kind: str
    tokens: int
    text: str


@dataclass(slots=True, kw_only=True)
class Measure:
    """Tokens of a transcript, each counted once in `roles` and once in `kinds`."""

    messages: int = 0
    steps: int = 0
    tokens: int = 0
    """System prompt and tools included."""
    roles: Counter[str] = field(default_factory=Counter[str])
    kinds: Counter[str] = field(default_factory=Counter[str])
    tools: dict[str, ToolUse] = field(default_factory=dict[str, ToolUse])
    largest: list[Large] = field(default_factory=list[Large])
    """Largest first."""
    edited: Counter[str] = field(default_factory=Counter[str])
    """Files by how often they were edited."""
    failures: list[Failure] = field(default_factory=list[Failure])
    """Distinct failures, oldest first."""


def measure(transcript: Transcript, *, model: str | None = None) -> Measure:
    """Count a transcript.

    Raises:
        TranscriptError: a message that no provider would accept; the text has its number, from 1, and the field.
    """
    meter = _Meter(counter(model), model)
    meter.fixed("system", system_cost(transcript.system, count=meter.count))
    meter.fixed("tools", tools_cost(transcript.tools, count=meter.count))
    for index, raw in enumerate(transcript.messages):
        try:
            for message in read(raw).messages:
                meter.add(index, message)
        except InvalidMessageError as error:
            msg = f"message {index + 1} (m{index + 1}): {error}"
            raise TranscriptError(msg) from None
    return meter.result()


class _Meter:
    """The count so far."""

    def __init__(self, count: Count, model: str | None) -> None:
        self.count, self.model = count, model
        self.found = Measure()
        self.steps = Steps()
        self.names: dict[str, str] = {}
        """Tool name of the newest call, by call id."""
        self.position = 0

    def fixed(self, name: str, tokens: int) -> None:
        self.found.tokens += tokens
        if tokens:
            self.found.roles[name] += tokens
            self.found.kinds[name] += tokens

    def add(self, index: int, message: Message) -> None:
        tokens = cost(message, count=self.count, model=self.model)
        self.position += 1
        if self.steps.shape is None:
            self.steps.shape = message.shape
        self.steps.place(Entry(position=self.position, message=message, cost=tokens))
        found = self.found
        found.messages += 1
        found.tokens += tokens
        found.roles[message.role] += tokens
        parts = self.shares(message, tokens)
        for part, size in parts:
            found.kinds[_kind(message, part)] += size
            self.use(part, size)
        main = max(parts, key=lambda pair: pair[1])[0] if parts else None
        text = (main.text or main.name) if main else ""
        found.largest.append(
            Large(
                address=f"m{index + 1}", role=message.role, kind=_kind(message, main), tokens=tokens, text=text[:2_000]
            )
        )

    def shares(self, message: Message, tokens: int) -> list[tuple[Part | None, int]]:
        """A message's tokens by part; framing goes with the largest, hidden reasoning with the reasoning."""
        parts = message.parts
        if len(parts) < 2:
            return [(parts[0] if parts else None, tokens)]
        sizes = [self.size(part) for part in parts]
        largest = sorted(range(len(parts)), key=lambda at: -sizes[at])
        rest = tokens - sum(sizes)
        if rest > 0:
            sizes[next((at for at, part in enumerate(parts) if part.kind == "reasoning"), largest[0])] += rest
        for at in largest:  # arguments as JSON text can be more than their tokens on the wire
            sizes[at] -= min(sizes[at], max(0, sum(sizes) - tokens))
        return list(zip(parts, sizes, strict=True))

    def size(self, part: Part) -> int:
        if part.kind == "media":
            return media_cost(part.block, model=self.model) if isinstance(part.block, Mapping) else 0
        media = part.block if part.kind == "result" and isinstance(part.block, list) else ()
        return self.count(part.text) + sum(media_cost(block, model=self.model) for block in media)

    def use(self, part: Part | None, size: int) -> None:
        if part is None or part.kind not in ("call", "result"):
            return
        if part.kind == "call":
            self.names[part.id] = part.name
        used = self.found.tools.setdefault(self.names.get(part.id) or part.name or "unknown", ToolUse())
        if part.kind == "call":
            used.calls += 1
            used.asked += size
        else:
            used.answered += size

    def result(self) -> Measure:
        found = self.found
        trail = Trail()
        trail.follow([entry for step in self.steps.all for entry in step.entries])
        found.steps = len(self.steps.all)
        found.largest = sorted(found.largest, key=lambda large: -large.tokens)[:LARGEST]
        found.edited = Counter(
            deed.act.path for deed in trail.deeds if deed.act.kind == "edit" and deed.act.path and not deed.act.failed
        )
        found.failures = failures(trail)
        return found


def _kind(message: Message, part: Part | None) -> str:
    if message.role == "system":
        return "system"
    return KINDS.get(part.kind, "other") if part is not None else "text"
