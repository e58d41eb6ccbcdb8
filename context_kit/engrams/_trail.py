"""The trail of a session: what was said and done, folded once from the log's steps.

Everything that code must know for sure (files, failures, user words) is read here from the
messages themselves, never from a summary. The trail only grows with the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from context_kit._cuts import Entry, Step
from context_kit.engrams._words import human
from context_kit.tools import Act, Files, Todo, acts, acts_in_text, looks_observed, plan_after, text_acts
from context_kit.types import Tool
from context_kit.wire import Part

__all__ = ["Deed", "Said", "Trail"]


@dataclass(frozen=True, slots=True)
class Said:
    """A text that somebody wrote."""

    position: int
    text: str
    """A person's words without wrappers; an assistant's text as it is."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One act with its place in the log."""

    act: Act
    position: int
    """Position of the call."""
    until: int
    """Position of its result; the call's own where there is none."""
    why: str
    """The assistant's own words in the same message, or just before."""


@dataclass(slots=True)
class Trail:
    """What was said and done so far."""

    semantics: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    words: list[Said] = field(default_factory=list[Said])
    """What a person wrote, oldest first; the first is the goal."""
    opening: Said | None = None
    """The first user text that no person wrote, such as an agent's own prompt."""
    statements: list[Said] = field(default_factory=list[Said])
    """What the assistant wrote, oldest first."""
    deeds: list[Deed] = field(default_factory=list[Deed])
    """What was done, oldest first."""
    files: Files = field(default_factory=Files)
    """What is known of each file."""
    read_to: int = 0
    """Index of the first step that is not read yet."""
    plan: tuple[Todo, ...] = ()
    """The newest task list, as the plan tools left it."""
    running: dict[str, str] = field(default_factory=dict[str, str])
    """Commands that still run, by the id of their process."""
    _pending: Said | None = None
    """The assistant text that may hold an action for the next user message to answer."""

    def follow(self, steps: Sequence[Step]) -> Trail:
        """Read the steps that are closed and new; the trail itself, for chaining."""
        while self.read_to < len(steps):
            step = steps[self.read_to]
            if self.read_to == len(steps) - 1 and step.waiting:
                break
            self._read(step)
            self.read_to += 1
        return self

    def _read(self, step: Step) -> None:
        if step.role == "user" and not step.late:
            for entry in step.entries:
                self._read_words(entry)
        elif step.role == "assistant":
            self._read_deeds(step)

    def _read_words(self, entry: Entry) -> None:
        if entry.message.role == "system":
            return
        text = entry.message.text
        if entry.injected or not text:
            return
        pending, self._pending = self._pending, None
        if looks_observed(text):
            if pending is not None:
                self._do(text_acts(pending.text, text), pending.position, entry.position, pending.text)
            return
        self._say(entry.position, text)

    def _say(self, position: int, text: str) -> None:
        """Note a person's words; exactly as they stand where no wrapper was around them."""
        words = human(text)
        if words:
            self.words.append(Said(position, text if words == text.strip() else words))
        elif self.opening is None:
            self.opening = Said(position, text)

    @property
    def goal(self) -> Said | None:
        """The first text that a person wrote; where nobody did, the first user text."""
        return self.words[0] if self.words else self.opening

    def _read_deeds(self, step: Step) -> None:
        results = {part.id: (part, entry) for entry in step.entries for part in entry.message.results}
        why = ""
        for entry in step.entries:
            message = entry.message
            if message.role == "tool":
                if message.text:
                    self._say(entry.position, message.text)
                continue
            if text := message.text:
                why = text
                self.statements.append(Said(entry.position, text))
            for call in message.calls:
                part, found = results.get(call.id, (None, None))
                self._do(self._acts(call, part), entry.position, (found or entry).position, why)
        self._pending = self._action_in_text(step)

    def _acts(self, call: Part, result: Part | None) -> tuple[Act, ...]:
        return acts(call, result, semantics=self.semantics, running=self.running)

    def _action_in_text(self, step: Step) -> Said | None:
        if any(entry.message.calls for entry in step.entries):
            return None
        newest = self.statements[-1] if self.statements else None
        if newest is None or newest.position < step.first or not acts_in_text(newest.text):
            return None
        return newest

    def _do(self, found: Sequence[Act], position: int, until: int, why: str) -> None:
        for act in found:
            self.deeds.append(Deed(act, position, until, why))
            self.files.fold(act, until)
            if act.kind == "plan" and not act.failed:
                self.plan = plan_after(self.plan, act)
