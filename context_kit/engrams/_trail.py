"""The trail of a session: what was said and done, folded once from the log's messages.

Everything that code must know for sure (files, failures, user words) is read here from the
messages themselves, never from a summary. The trail only grows with the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from context_kit._entry import Entry
from context_kit.engrams._authored import Authored, Written
from context_kit.engrams._changed import Changed
from context_kit.engrams._deeds import Deed, Said, Waiting
from context_kit.engrams._elsewhere import Elsewhere
from context_kit.engrams._recorded import recorded
from context_kit.engrams._shown import ends, shown_acts
from context_kit.engrams._steps import Parts
from context_kit.engrams._taken_back import Later
from context_kit.engrams._words import human, language
from context_kit.engrams._wrappers import LAUNCHES
from context_kit.tools import (
    Act,
    Files,
    FileView,
    Todo,
    acts,
    acts_in_text,
    looks_observed,
    outcome,
    plan_after,
    spoken,
    text_acts,
)
from context_kit.typing import Redact
from context_kit.wire import Part

if TYPE_CHECKING:
    from context_kit.engrams._contracts import Contract
    from context_kit.types import Tool

__all__ = ["Trail"]

Found = TypeVar("Found")
Language: TypeAlias = Literal["en", "zh"]


SILENT = "(no output)"
"""How a verifying command ended that said nothing."""


@dataclass(slots=True)
class Trail:
    """What was said and done so far."""

    semantics: Mapping[str, Tool] = field(default_factory=dict[str, Any])
    redact: Redact = str
    """Takes the secrets out of a text, before anything that is shown is taken from it."""
    words: list[Said] = field(default_factory=list[Said])
    """What a person wrote, oldest first; the first is the goal."""
    opening: Said | None = None
    """The first user text that no person wrote, such as an agent's own prompt."""
    statements: list[Said] = field(default_factory=list[Said])
    """What the assistant wrote, oldest first."""
    deeds: list[Deed] = field(default_factory=list[Deed])
    """What was done, oldest first; a call counts once its result is in."""
    files: Files = field(default_factory=Files)
    """What is known of each file."""
    plan: tuple[Todo, ...] = ()
    """The newest task list, as the plan tools left it."""
    newer: Later = field(default_factory=Later)
    """What a person wrote, as what may take earlier words back or replace them."""
    elsewhere: dict[str, Elsewhere] = field(default_factory=dict[str, Elsewhere])
    """Contracts that other sessions changed, by `contract_key`; the log's own."""
    called: int = 0
    """Position of the newest assistant message that calls a tool; 0 where none does."""
    read_to: int = 0
    """How many messages are read."""
    parts: Mapping[tuple[int, str], Parts] = field(default_factory=dict[tuple[int, str], Parts])
    """What was left of failures known from before, by their position and command line."""
    by_part: bool = False
    """Whether runs of single files and tests solve together what a wider run found, without its own success."""
    _memo: dict[Hashable, Any] = field(default_factory=dict[Any, Any])
    """What was found in a text, so that each is looked at once and not at every compaction."""
    _declared: dict[str, tuple[int, tuple[Contract, ...]]] = field(default_factory=dict[Any, Any])
    """Declarations by path, with the position of the content that they were found in."""
    _changed: Changed = field(default_factory=Changed)
    """Values that edits changed, as far as they were asked for."""
    _authored: Authored = field(default_factory=Authored)
    """What edits declared."""
    _made: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any])
    _made_at: int = 0
    _spoken: tuple[int, Language] = (0, "en")
    """How many texts the language was told from, and what it was."""
    _running: dict[str, str] = field(default_factory=dict[str, str])
    """Commands that still run, by the id of their process."""
    _open: dict[str, Waiting] = field(default_factory=dict[str, Waiting])
    _why: str = ""
    """What the assistant said in this step so far."""
    _action: Said | None = None
    """The assistant text that may hold an action for the next user message to answer."""

    def follow(self, entries: Sequence[Entry]) -> None:
        """Read the messages that are new."""
        for entry in entries[self.read_to :]:
            role = entry.message.role
            if role == "assistant":
                self._read_reply(entry)
            elif role != "system" and not entry.injected:
                self._read_results(entry)
                self._read_words(entry)
            self.read_to += 1

    @property
    def goal(self) -> Said | None:
        """The first text that a person wrote; where nobody did, the first user text."""
        return self.words[0] if self.words else self.opening

    @property
    def waits(self) -> bool:
        """Whether no tool was called with the newest text or after it: what it asks waits for an answer."""
        return bool(self.statements) and self.called < self.statements[-1].position

    @property
    def pending(self) -> tuple[Part, ...]:
        """The calls of the newest assistant message that calls which wait for their result."""
        return tuple(each.call for each in self._open.values() if each.position == self.called)

    @property
    def answered(self) -> bool:
        """Whether a person wrote after the newest thing that the assistant said or called: what is next is theirs."""
        said = self.statements[-1].position if self.statements else 0
        return bool(self.words) and self.words[-1].position > max(said, self.called)

    @property
    def language(self) -> Language:
        """The language of what the person wrote."""
        if self._spoken[0] != len(self.words):
            self._spoken = (len(self.words), language(said.text for said in self.words))
        return self._spoken[1]

    def once(self, look: Callable[[str], Found], said: Said) -> Found:
        """What a function finds in a text, remembered by the text's position."""
        key = (look, said.position)
        if key not in self._memo:
            self._memo[key] = look(said.text)
        found: Found = self._memo[key]
        return found

    def kept(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """What a function makes of what never changes, remembered for good."""
        if key not in self._memo:
            self._memo[key] = make()
        found: Found = self._memo[key]
        return found

    def memo(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """What a function makes of the trail as it is, remembered by a key until the trail grows."""
        if self._made_at != self.read_to:
            self._made, self._made_at = {}, self.read_to
        if key not in self._made:
            self._made[key] = make()
        found: Found = self._made[key]
        return found

    def declared(self, view: FileView) -> tuple[Contract, ...]:
        """The declarations in what is known of a file, looked for once for each state of it."""
        known = self._declared.get(view.path)
        if known is None or known[0] != view.as_of:
            from context_kit.engrams._contracts import contracts  # the parsers of many languages stand behind it

            known = self._declared[view.path] = (view.as_of, contracts(self.redact(view.text or ""), view.path))
        return known[1]

    def newer_elsewhere(self, contract: Contract, view: FileView) -> Elsewhere | None:
        """What another session made of a declaration since this one looked at the file last."""
        if not self.elsewhere:
            return None
        from context_kit.engrams._contracts import contract_key

        found = self.elsewhere.get(contract_key(contract, view.path))
        return found if found is not None and found.position >= view.as_of and found.now != contract.text else None

    def changed(self) -> Changed:
        """The values that edits changed up to now."""
        self._changed.follow(self.deeds, self.redact)
        return self._changed

    def authored(self, path: str) -> Mapping[str, Written]:
        """What edits of this session declared in a file, by plain name; those written last stand last."""
        self._authored.follow(self.deeds)
        return self._authored.of(path)

    def clean(self, said: Said, redact: Callable[[str], str]) -> Said:
        """A text without its secrets: what everything else is found in, so that nothing found holds one."""
        return Said(said.position, self.once(redact, said))

    def _read_reply(self, entry: Entry) -> None:
        message = entry.message
        if text := message.text:
            said = Said(entry.position, text)
            self.statements.append(said)
            self._why = self.clean(said, self.redact).text
        why = self._why
        calls = message.calls
        self.called = entry.position if calls else self.called
        for call in calls:
            self._open[call.id] = Waiting(call, entry.position, why)
        self._action = Said(entry.position, text) if text and not calls and acts_in_text(text) else None

    def _read_results(self, entry: Entry) -> None:
        if entry.message.results:
            self._why = ""  # what was said before a result is no reason for what comes after it
        for result in entry.message.results:
            asked = self._open.pop(result.id, None)
            if asked is not None and result.id not in entry.brought:
                self._read_result(asked, result, entry.position)

    def _read_result(self, asked: Waiting, result: Part, until: int) -> None:
        before = dict(self._running)
        found = acts(asked.call, result, semantics=self.semantics, running=self._running)

        def again(call: Part, said: str) -> Sequence[Act]:
            return acts(call, result._replace(text=said), semantics=self.semantics, running=before)

        self._do(
            found, shown_acts(found, asked.call, result.text, again, self.redact), asked.position, until, asked.why
        )
        if words := spoken(asked.call.name, result.text, flagged=result.failed):
            self._say(until, words)

    def _read_words(self, entry: Entry) -> None:
        text = entry.message.text
        if not text:
            return
        action, self._action = self._action, None
        if not looks_observed(text):
            launched = any(result.text.startswith(LAUNCHES) for result in entry.message.results)
            if not launched or human(text) == text.strip():
                self._say(entry.position, text)
        elif action is not None:
            self._read_observed(action, text, entry.position)

    def _read_observed(self, action: Said, text: str, until: int) -> None:
        """What an assistant's text did, which the next user message answers."""
        found = text_acts(action.text, text)
        call = Part("call", json.dumps({"input": action.text}))

        def again(call: Part, said: str) -> Sequence[Act]:
            return text_acts(call.arguments["input"], said)

        shown = shown_acts(found, call, text, again, self.redact)
        self._do(found, shown, action.position, until, self.clean(action, self.redact).text)

    def _say(self, position: int, text: str) -> None:
        """Note a person's words; exactly as they stand where no wrapper was around them."""
        words = human(text) or recorded(text)
        if words:
            said = Said(position, text if words == text.strip() else words)
            self.newer.add_text(said.position, said.text)
            before = self.words[-1] if self.words else None
            if before is not None and before.position == position:  # beside a call's result, or beside another one's
                self.words[-1] = Said(position, f"{before.text}\n\n{said.text}")
            else:
                self.words.append(said)
        elif self.opening is None:
            self.opening = Said(position, text)

    def _do(self, found: Sequence[Act], shown: Sequence[Act], position: int, until: int, why: str) -> None:
        for done, act in zip(found, shown, strict=True):
            told = outcome(act.output, act.command) or SILENT if ends(act) else ""
            self.files.fold(done, until, act)
            view = self.files.find(act.path) if act.vague else None
            self.deeds.append(Deed(act, done, position, until, why, told, view is not None and view.unsure))
            if act.kind == "plan" and not act.failed:
                self.plan = plan_after(self.plan, act)
