"""A conversation without a shape: who said what, which tools were called, what each gave.

Every call has exactly one result in its own turn; one that never came is the placeholder. Reasoning is left out:
it is bound to the provider that made it (research/wire-facts 1.3.7, 3.2.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from context_kit.errors import InvalidMessageError
from context_kit.typing import Shape
from context_kit.wire._added import LATE, MADE
from context_kit.wire._blocks import document_text, read_blocks
from context_kit.wire._media import Media, media_of, not_carried
from context_kit.wire._message import Message, Part
from context_kit.wire._own import compact, own
from context_kit.wire._placeholder import PLACEHOLDER
from context_kit.wire._scan import scan
from context_kit.wire._told import told

__all__ = ["FAILED", "Asked", "Given", "Turn", "Words", "turns"]

Words: TypeAlias = "str | Media"

FAILED = "[tool error]"
"""First line of a failed result in the shapes that have no mark for one; read back as the mark it was."""


class Asked(NamedTuple):
    """A tool call."""

    id: str
    name: str
    text: str
    """Arguments as JSON; of a custom tool the free text."""
    arguments: Mapping[str, Any]
    """The same as an object; `{"input": text}` where it is none."""
    free: bool = False


class Given(NamedTuple):
    """The result of a call."""

    id: str
    said: tuple[Words, ...]
    failed: bool = False
    """It says itself that it is an error."""


@dataclass(slots=True)
class Turn:
    """What one author said in a row; of the assistant with its calls and their results."""

    role: Literal["system", "user", "assistant"]
    said: list[Words] = field(default_factory=list[Words])
    calls: list[Asked] = field(default_factory=list[Asked])
    given: list[Given] = field(default_factory=list[Given])
    shown: list[Words] = field(default_factory=list[Words])
    """Media that the assistant made: only a user message can hold them."""
    author: str = ""
    """The role by its own name: `developer` or the same."""


def turns(messages: Iterable[Mapping[str, Any]], /, *, source: Shape | None) -> list[Turn]:
    """The turns of a list of raw messages or items, oldest first.

    Raises:
        InvalidMessageError: one of them can't be read.
    """
    reading = _Reading(source)
    for raw in messages:
        reading.read(scan(dict(raw)))
    reading.close()
    return reading.turns


class _Reading:
    """Turns in the making."""

    def __init__(self, source: Shape | None) -> None:
        self.turns: list[Turn] = []
        self.source = source
        self.open: Turn | None = None
        """The assistant's turn, as long as more of it may come."""
        self.waiting: dict[str, Asked] = {}
        self.held: list[Turn] = []
        """What was said while calls wait, and may not stand between them and their results."""

    def read(self, message: Message) -> None:
        if message.role == "assistant":
            self._reply(message)
        elif message.results:
            self._results(message)
        else:
            self._speech(message)

    def close(self) -> None:
        """End the assistant's turn; calls that wait get the placeholder."""
        if self.open is not None:
            self.open.given += [Given(call.id, (PLACEHOLDER,), failed=True) for call in self.waiting.values()]
        self.waiting = {}
        self.open = None
        self.turns += self.held
        self.held = []

    def _speech(self, message: Message) -> None:
        role: Literal["system", "user"] = "system" if message.role == "system" else "user"
        author = "developer" if message.raw.get("role") == "developer" else role
        turn = Turn(role, _words(message), author=author)
        self._say(turn, later=message.role != "user")

    def _say(self, turn: Turn, *, later: bool) -> None:
        """Add a turn; `later` where it is no answer to calls that wait, and their results may still come."""
        if not turn.said:
            return
        if later and self.waiting:
            self.held.append(turn)
        else:
            self.close()
            self.turns.append(turn)

    def _reply(self, message: Message) -> None:
        first = message.parts[0] if message.parts else None
        if first is not None and first.kind == "opaque" and first.name == "compaction":
            # A record of what was before: no words of the assistant's own.
            self._say(Turn("user", _words(replace(message, parts=(first,)))), later=True)
            message = replace(message, parts=message.parts[1:])
        if not message.parts:
            return
        turn = self._turn()
        for word in _words(message):
            if not isinstance(word, Media):
                turn.said.append(word)
            elif word.data or word.url:
                turn.shown += [MADE, word]
            else:
                turn.said.append(not_carried(word))
        for part in message.calls:
            call = _asked(message.raw, part)
            turn.calls.append(call)
            self.waiting[call.id] = call

    def _turn(self) -> Turn:
        """The turn that a message of the assistant's belongs to.

        Items of the Responses API follow each other until results come; in the other shapes each message is one.
        """
        turn = self.open
        if turn is None or self.source != "responses" or (turn.given and not self.waiting):
            self.close()
            turn = self.open = Turn("assistant")
            self.turns.append(turn)
        return turn

    def _results(self, message: Message) -> None:
        for part in message.results:
            said, failed = _failed(_given(message.raw, part), part.failed)
            if self.open is not None and self.waiting.pop(part.id, None) is not None:
                self.open.given.append(Given(part.id, said, failed))
            else:
                self._say(Turn("user", [LATE.format(id=part.id), *said]), later=True)
        if self.held and not self.waiting:
            self.close()
        if message.raw.get("role") == "user" and (rest := _words(message)):
            self._say(Turn("user", rest), later=False)


def _failed(said: Sequence[Words], failed: bool) -> tuple[tuple[Words, ...], bool]:
    """A result without the line that marks it as an error where the shape has no other mark."""
    first = said[0] if said else ""
    if isinstance(first, str):
        mark, line, rest = first.partition("\n")
        if mark == FAILED:
            return ((rest,) if line else ()) + tuple(said[1:]), True
        failed = failed or first == PLACEHOLDER
    return tuple(said), failed


def _asked(raw: Mapping[str, Any], part: Part) -> Asked:
    """A call; one of a kind that only Responses has is a function of that name."""
    calls = raw.get("tool_calls")
    kind = raw.get("type")
    if kind == "custom_tool_call" or (calls and part.at >= 0 and isinstance(calls[part.at].get("custom"), dict)):
        return Asked(part.id, part.name, part.text, {"input": part.text}, free=True)
    try:
        arguments = own(part.arguments)
    except InvalidMessageError:  # too deep, or numbers that are no JSON
        arguments = {"input": part.text}
    known = "role" in raw or kind == "function_call"
    return Asked(part.id, part.name, part.text if known else compact(arguments), arguments)


PLAIN_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "apply_patch_call_output"})


def _given(raw: Mapping[str, Any], part: Part) -> list[Words]:
    """What a result says, block by block."""
    body: object = None
    if part.at >= 0:
        body = raw["content"][part.at].get("content")
    elif "role" in raw:
        body = raw.get("content")
    elif raw["type"] in PLAIN_OUTPUTS:
        body = raw.get("output")
    if isinstance(body, list):
        parts: list[Part] = []
        read_blocks(body, parts)
        return _read(parts, body)
    said: list[Words] = [part.text] if part.text or not part.block else []
    if raw.get("type") == "shell_call_output" and part.failed:
        said += [f"outcome: {compact(chunk.get('outcome'))}" for chunk in raw["output"]]
    return [*said, *(media_of(block) for block in part.block or ())]


def _words(message: Message) -> list[Words]:
    """What a message says beside its calls and results, in order."""
    content = message.raw.get("content")
    return _read(message.parts, content if isinstance(content, list) else ())


def _read(parts: Sequence[Part], content: Sequence[Any]) -> list[Words]:
    out: list[Words] = []
    for part in parts:
        if part.kind == "text":
            out.append(part.text)
        elif part.kind == "media":
            out += _shown(part.block if isinstance(part.block, dict) else {"type": part.name})
        elif part.server or (part.kind == "opaque" and part.block is not None):
            text = told(content[part.at] if part.server else part.block)
            out += [text] if text else []
    return out


def _shown(block: Mapping[str, Any]) -> list[Words]:
    """A media block; a document made of blocks is the blocks it holds."""
    if block.get("type") == "image_generation_call":
        return [told(block), media_of(block)]
    source = block.get("source")
    inner = source.get("content") if isinstance(source, dict) else None
    if not isinstance(inner, list) or document_text(dict(block)) is not None:
        return [media_of(block)]
    parts: list[Part] = []
    read_blocks(inner, parts)
    title = block.get("title")
    return [*([f"[document: {title}]"] if isinstance(title, str) and title else []), *_read(parts, inner)]
