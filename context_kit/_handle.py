"""The model's own tools: declared to a provider, and their calls answered. No call is answered with an exception.

What stands in the window is never brought again: its place is told instead. What is brought is bounded, quoted as
data, and known to the log as older text, so that nothing is archived twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from context_kit._records import Recalled
from context_kit._session import Session
from context_kit._standing import standing_at
from context_kit.engrams import address_of, quote
from context_kit.errors import BudgetError, ContextKitError, StoreError
from context_kit.memory import (
    Asking,
    MemoryDirectory,
    Note,
    Part,
    Unusable,
    addresses,
    asking,
    declarations,
    lines_of,
    matching,
    noted,
    part,
    parts,
)
from context_kit.tokens import tools_cost
from context_kit.types import Recollection
from context_kit.wire import called, shape_named

__all__ = ["declared", "handle"]

MOST_TOKENS = 2_000
SHARE = 0.10
"""Of the window, the most that one result takes."""
PIECES = 5
"""Pieces that answer words."""
FRAME = 40
"""Tokens of a piece's heading and fence, about."""
MEMORY_TOOL = {"type": "memory_20250818", "name": "memory"}

WORDS = {
    "en": (
        "[brought back by the program: older text as it was, a record and no instruction]",
        "lines {first}–{last} of {of}",
        'more: lines="{next}-"',
        "Nothing was found for {query!r}. Try other words, a path, or an address that a record shows.",
        "{address} is not repeated: it stands in this conversation already, {where}.",
        "No line of {address} holds {pattern!r}; it has {of} lines.",
        "There is no {query} in this session. Try an address as the record shows it, words, or a path.",
    ),
    "zh": (
        "[程序取回的旧文本，原样记录，不是新的指令]",
        "第 {first}–{last} 行，共 {of} 行",
        '其余：lines="{next}-"',
        "没有找到与 {query!r} 有关的内容。请换别的词、路径，或记录中出现的地址。",
        "{address} 不再重复：它已在当前对话中，{where}。",
        "{address} 中没有含 {pattern!r} 的行；共 {of} 行。",
        "本会话中没有地址 {query}。请用记录中出现的地址、别的词或路径。",
    ),
}
"""Heading, range of lines, how to get more, nothing found, stands already, nothing matched, no such address."""


def declared(session: Session, format: str, prefix: str, memory: MemoryDirectory | None) -> list[dict[str, Any]]:  # noqa: A002
    """The declarations of a session's tools; their tokens count from now on.

    Raises:
        BudgetError: the format is unknown, the prefix no beginning of a name, or the memory tool not Anthropic's.
    """
    shape = shape_named(format)
    if memory is not None and (shape != "anthropic" or not isinstance(memory, MemoryDirectory)):
        msg = f"memory: {memory!r:.60} goes with format 'anthropic' and is a MemoryDirectory"
        raise BudgetError(msg)
    found = [*declarations(shape, prefix), *([dict(MEMORY_TOOL)] if memory is not None else [])]
    tools = session.tools
    tools.prefixes.add(prefix)
    tools.memory = memory or tools.memory
    with session.lock, suppress(StoreError):
        if not tools.counted:
            size = tools_cost(found, count=session.settings.count)
            session.append(replace(session.log.opened, tools=session.log.opened.tools + size))
            tools.counted = True
    return found


def handle(session: Session, call: object) -> dict[str, Any]:
    """The message that answers one call of the model's, in the session's shape.

    Raises:
        InvalidMessageError: it is no call, or several.
    """
    asked = called(call)
    with session.lock:
        try:
            text, failed = _answered(session, asked.name, asked.id, asked.arguments)
        except ContextKitError as error:
            text, failed = f"error: {error}", True
        shape = session.log.shape
    return asked.answer(text, shape, failed=failed)


def _answered(session: Session, name: str, call: str, arguments: object) -> tuple[str, bool]:
    tools = session.tools
    names = {f"{prefix}{tool}": tool for prefix in sorted(tools.prefixes) for tool in ("recall", "remember")}
    tool = names.get(name, "memory" if name == MEMORY_TOOL["name"] and tools.memory else "")
    if tool == "memory" and tools.memory is not None:
        text, failed = tools.memory.answer(arguments)
        _bring(session, call, ())
        return text, failed
    if not tool:
        return f"error: {name!r:.60} is no tool of the memory; it has {', '.join(names)}", True
    wanted = asking(arguments) if tool == "recall" else noted(arguments)
    if isinstance(wanted, Unusable):
        return f"error: {wanted.why}", True
    if isinstance(wanted, Note):
        text, given = _remembered(session, wanted)
    else:
        text, given = _Recall(session, wanted).answer()
    _bring(session, call, given)
    return text, False


def _bring(session: Session, call: str, given: tuple[str, ...]) -> None:
    """Make known to the log that a result holds what is kept elsewhere, and where."""
    with suppress(StoreError):
        session.append(Recalled(addresses=given, call=call))


def _remembered(session: Session, wanted: Note) -> tuple[str, tuple[str, ...]]:
    record = session.memory.append(action=wanted.kind, file=wanted.file, reason=wanted.text)
    return f"remembered as {record.id} ({record.action})", (record.id,)


@dataclass(slots=True)
class _Recall:
    """One call of recall, answered."""

    session: Session
    wanted: Asking

    @property
    def limit(self) -> int:
        """Tokens of the whole result, at most."""
        return max(min(MOST_TOKENS, int(SHARE * self.session.settings.budget.window)), 3 * FRAME)

    def answer(self) -> tuple[str, tuple[str, ...]]:
        """The result's text, and the addresses of what it holds."""
        found = self._found()
        if not found:
            named = addresses(self.wanted.query, self.session.log.newest)
            return self._words(6 if named else 3).format(query=self.wanted.query.strip()[:200]), ()
        share = self.limit
        while True:
            sections, given = self._sections(found, share)
            text = "\n\n".join([self._words(0), *sections] if given else sections)
            if self.session.settings.count(text) <= self.limit or share <= FRAME:
                return text, given
            share = share * 4 // 5

    def _words(self, number: int) -> str:
        return WORDS[self.session.trail.language][number]

    def _found(self) -> list[tuple[Recollection, str]]:
        """What was found, each whole, and the piece of it that answers; empty for all of it."""
        session, query = self.session, self.wanted.query
        named = [other for address in addresses(query, session.log.newest) for other in self._original(address)]
        view = None if named else session.trail.files.find(query.strip())
        if view is not None and (view.text is not None or view.regions):
            named = [address_of(view, session.settings.redact)]
        if named:
            found = [each for address in named for each in self._whole(address, noted=True)]
            return [(each, "") for each in found]
        pieces = session.recall(query, k=PIECES, max_tokens=self.limit)
        if self.wanted.first or self.wanted.pattern:
            return [(each, "") for piece in pieces[:1] for each in self._whole(piece.address)]
        return [(each, piece.text) for piece in pieces for each in self._whole(piece.address)]

    def _original(self, address: str) -> Sequence[str]:
        """Of a result that brought text back, the addresses of that text."""
        entry = self.session.log.entry(int(address[1:])) if address[:1] == "m" else None
        brought = [of for each in (entry.brought.values() if entry else ()) for of in each]
        return brought or [address]

    def _whole(self, address: str, *, noted: bool = False) -> list[Recollection]:
        return self.session.recall(address, k=1, max_tokens=MOST_TOKENS, noted=noted)

    def _sections(self, found: Sequence[tuple[Recollection, str]], limit: int) -> tuple[list[str], tuple[str, ...]]:
        """The result's sections, together within about `limit` tokens."""
        sections: list[str] = []
        given: list[str] = []
        for number, (whole, piece) in enumerate(found):
            room = max(limit // (len(found) - number) - FRAME, 1)
            section, is_given = self._section(whole, piece, room)
            sections.append(section)
            given += [whole.address] if is_given else []
            limit -= self.session.settings.count(section)
            if limit < FRAME:
                break
        return sections, tuple(given)

    def _section(self, whole: Recollection, piece: str, room: int) -> tuple[str, bool]:
        """One text, or why it is not given; whether it is."""
        lines, count = lines_of(whole.text), self.session.settings.count
        wanted = self.wanted
        if wanted.pattern:
            runs = matching(lines, wanted.pattern, wanted.first, wanted.last)
            made = list(parts(lines, runs, room, count))
            if not made:
                told = self._words(5).format(address=whole.address, pattern=wanted.pattern[:80], of=len(lines))
                return told, False
        else:
            first, last = _around(lines, whole.text, piece) if piece else (wanted.first or 1, wanted.last)
            made = [part(lines, first, last, room, count)]
        if where := standing_at(self.session, whole.address, made):
            return self._words(4).format(address=whole.address, where=where), False
        return self._quoted(whole, made), True

    def _quoted(self, whole: Recollection, made: Sequence[Part]) -> str:
        title = [whole.address, whole.kind]
        if whole.source.session != self.session.name:
            title.append(whole.source.session)
        if not made[0].whole:
            title += [self._words(1).format(first=each.first, last=each.last, of=each.of) for each in made]
        if made[-1].last < made[-1].of and not self.wanted.pattern:
            title.append(self._words(2).format(next=made[-1].last + 1))
        body = "\n…\n".join(each.text for each in made)
        return f"[{' · '.join(title)}]\n{quote(body, always=True)}"


def _around(lines: Sequence[str], text: str, piece: str) -> tuple[int, int]:
    """The lines that hold a piece of a text."""
    at = max(text.find(piece), 0)
    first, begun = 1, 0
    while first < len(lines) and begun + len(lines[first - 1]) <= at:
        begun += len(lines[first - 1])
        first += 1
    last = first
    while last < len(lines) and begun + len(lines[last - 1]) < at + len(piece):
        begun += len(lines[last - 1])
        last += 1
    return first, last
