"""What left the window, as texts and lines, and what the whole log says beside it.

A fact is asked for only where the log says it once: every look-up here is over the whole log up to a position, so
that nothing newer, and nothing that stayed in the window, gives another answer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

from context_kit._log import Log
from context_kit._steps import Entry
from context_kit.engrams import Deed, Trail
from context_kit.probes._doubt import Doubts
from context_kit.probes._revised import Revised
from context_kit.probes._strings import as_json, strings
from context_kit.probes._words import worded
from context_kit.tools import normal_command
from context_kit.typing import Redact
from context_kit.wire import Part

__all__ = ["Answer", "Gone", "clipped", "spread"]

LEAST = 8
"""Characters that must stand on one side of a gap."""
LABEL = 110
"""Characters of a command or of a call's arguments in a question."""
LINE = 400
"""Characters of a line; a longer one is data."""
SESSION = re.compile(r"\bsession(?:[ _]?id)?\W{1,4}(\d+)", re.IGNORECASE)

Found = TypeVar("Found")


class Answer(NamedTuple):
    """What a tool answered to one call."""

    position: int
    label: str
    """What stands for the call in a question."""
    text: str
    """As it came."""
    kind: str
    """What the call did; `refused` where a tool that is no shell didn't do it."""
    path: str
    """The file that it was about."""
    alone: bool = True
    """No other call of the session reads the same."""


class Gone:
    """One session at one moment: what stands no longer in its window, and everything that was said until then."""

    def __init__(
        self, log: Log, trail: Trail, redact: Redact, *, cut: int, upto: int, beside: Sequence[str] = ()
    ) -> None:
        """Take the log as it was.

        Args:
            log: the whole log.
            trail: what was said and done up to `upto`.
            redact: takes the secrets out; what it changes is never asked for.
            cut: position of the first message that still stands in the window.
            upto: newest position that counts.
            beside: other texts that the model sees.
        """
        self.trail, self.redact, self.cut, self._beside = trail, redact, cut, beside
        self.language = trail.language
        self.all = [entry for entry in log.entries if entry.position <= upto and not entry.injected]
        self.entries = [e for e in self.all if e.position < cut and e.message.role != "system" and not e.brought]
        self._by = {entry.position: entry for entry in self.all}
        self._texts: dict[int, str] = {}
        self._raw: dict[int, str] = {}

    def ask(self, form: str, **words: str) -> str:
        """A question in the session's language."""
        return worded(form, self.language, **words)

    # -- texts -----------------------------------------------------------------------

    def raw(self, position: int) -> str:
        """Every text of a message as the log has it: words, results, the strings of a call's arguments."""
        if position not in self._raw:
            entry = self._by.get(position)
            self._raw[position] = "\n".join(_fields(entry)) if entry else ""
        return self._raw[position]

    def text(self, position: int) -> str:
        """The same without its secrets, and the strings of results that are JSON as they read."""
        if position not in self._texts:
            entry = self._by.get(position)
            decoded = (
                read for part in (entry.message.results if entry else ()) for read in strings(as_json(part.text))
            )
            self._texts[position] = self.redact("\n".join([self.raw(position), *decoded]))
        return self._texts[position]

    def says(self, position: int, answer: str) -> bool:
        """Whether a message that left has an answer word for word, with no secret in it."""
        return position in self._gone and answer in self.raw(position) and answer in self.text(position)

    def newest(self, *answers: str) -> int:
        """The newest message that left and has these words; 0 where none does."""
        for entry in reversed(self.entries):
            if all(answer in self.raw(entry.position) for answer in answers):
                return entry.position if all(self.says(entry.position, answer) for answer in answers) else 0
        return 0

    @cached_property
    def _gone(self) -> frozenset[int]:
        return frozenset(entry.position for entry in self.entries)

    # -- lines -----------------------------------------------------------------------

    def lines(self, answer: Answer) -> list[str]:
        """The lines of an answer, without indents, secrets and what is too long to be a line; each once."""
        read = list(strings(as_json(answer.text))) or [answer.text]
        lines = (line.strip() for text in read for line in self.redact(text).split("\n") if len(line) <= LINE)
        return list(dict.fromkeys(filter(None, lines)))

    @cached_property
    def whole(self) -> str:
        """All texts of the log without their secrets."""
        return "\n".join(self.text(entry.position) for entry in self.all)

    def having(self, words: str) -> Iterator[str]:
        """Every line of the log that has these words."""
        at = self.whole.find(words)
        while at >= 0:
            end = self._end(at)
            yield self.whole[self.whole.rfind("\n", 0, at) + 1 : end]
            at = self.whole.find(words, end)

    def after(self, words: str) -> Iterator[str]:
        """What goes on behind these words, up to the line's end, at each place where the log has them."""
        at = self.whole.find(words)
        while at >= 0:
            at += len(words)
            yield self.whole[at : self._end(at)]
            at = self.whole.find(words, at)

    def _end(self, at: int) -> int:
        end = self.whole.find("\n", at)
        return end if end >= 0 else len(self.whole)

    def once(self, before: str, after: str, answer: str) -> bool:
        """Whether the log has nothing but the answer between these words, wherever they stand in one line."""
        if len(before) < len(after):
            return self._once_before(before, after, answer)
        if len(before) < LEAST:
            return False
        for rest in self.after(before):
            at = rest.find(after) if after else len(rest)
            if at >= 0 and rest[:at] != answer:
                return False
        return True

    def _once_before(self, before: str, after: str, answer: str) -> bool:
        if len(after) < LEAST:
            return False
        at = self.whole.find(after)
        while at >= 0:
            line = self.whole[self.whole.rfind("\n", 0, at) + 1 : at]
            start = line.rfind(before) if before else 0
            if start >= 0 and line[start + len(before) :] != answer:
                return False
            at = self.whole.find(after, at + 1)
        return True

    @cached_property
    def everything(self) -> str:
        """All texts that the model ever saw, in lower case, system messages included."""
        return "\n".join([*self._beside, *(self.raw(entry.position) for entry in self.all)]).lower()

    # -- what still holds ------------------------------------------------------------

    @cached_property
    def doubts(self) -> Doubts:
        """What is no longer sure of the files."""
        return Doubts(self.trail)

    @cached_property
    def revised(self) -> Revised:
        """What later words correct."""
        return Revised(self.trail)

    # -- calls -----------------------------------------------------------------------

    @cached_property
    def deeds(self) -> Sequence[Deed]:
        """What was done by calls that left with their results."""
        return [deed for deed in self.trail.deeds if deed.until < self.cut]

    @cached_property
    def answers(self) -> Sequence[Answer]:
        """What tools answered in messages that left, oldest first."""
        kinds: dict[tuple[int, str], list[Deed]] = {}
        for deed in self.trail.deeds:
            kinds.setdefault((deed.until, deed.act.id), []).append(deed)
        calls: dict[str, Part] = {}
        found: list[Answer] = []
        for entry in self.all:
            calls.update({call.id: call for call in entry.message.calls})
            for result in entry.message.results:
                done = kinds.get((entry.position, result.id), [])
                if call := calls.get(result.id):
                    found.append(self._answer(entry.position, self.label(call), result.text, done))
            done = kinds.get((entry.position, ""), [])
            if done and entry.message.role == "user" and done[0].act.command:
                found.append(self._answer(entry.position, self.shown(done[0].act.command), entry.message.text, done))
        times = Counter(answer.label for answer in found)
        return [each._replace(alone=times[each.label] == 1) for each in found if each.position in self._gone]

    def _answer(self, position: int, label: str, text: str, done: Sequence[Deed]) -> Answer:
        """An answer; one that shows several files is that of a command."""
        acts = [deed.act for deed in done]
        if any(act.failed and act.kind != "run" for act in acts):
            return Answer(position, label, text, "refused", "")
        told = [act for act in acts if act.kind != "run"] or acts
        if len(told) != 1:
            return Answer(position, label, text, "run" if acts else "other", "")
        return Answer(position, label, text, told[0].kind, told[0].path)

    @cached_property
    def tools(self) -> frozenset[str]:
        """The names of the tools that were called."""
        return frozenset(call.name for entry in self.all for call in entry.message.calls if call.name)

    @cached_property
    def _running(self) -> dict[str, str]:
        """The command that a running session was started with, by the id that its first result gave it."""
        calls = {call.id: call for entry in self.all for call in entry.message.calls}
        found: dict[str, str] = {}
        for part in (part for entry in self.all for part in entry.message.results):
            if (id_ := SESSION.search(part.text[:LINE])) and part.id in calls and (ran := _command(calls[part.id])):
                found.setdefault(id_[1], ran)
        return found

    def label(self, call: Part) -> str:
        """What stands for a call in a question."""
        arguments = call.arguments
        if command := _command(call):
            return self.shown(command)
        if ran := self._running.get(str(arguments.get("session_id", ""))):
            return self.shown(ran)
        said = ", ".join(f"{key}={_plain(value)}" for key, value in arguments.items())
        return f"`{call.name}({clipped(self.redact(said))})`"

    def shown(self, command: str) -> str:
        """A command as a question names it."""
        return f"`{clipped(self.redact(normal_command(command)))}`"


def clipped(text: str, most: int = LABEL) -> str:
    """One line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def spread(found: Sequence[Found]) -> list[Found]:
    """The same in an order in which the first few are of the whole, the newest of them first."""
    back = found[::-1]
    return [*back[::3], *back[1::3], *back[2::3]]


def _command(call: Part) -> str:
    given = (call.arguments.get(key) for key in ("command", "cmd"))
    return next((each for each in given if isinstance(each, str)), "")


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _fields(entry: Entry) -> Iterator[str]:
    for part in entry.message.parts:
        if part.kind in ("text", "result"):
            yield part.text
        elif part.kind == "call":
            yield from strings(part.arguments)
