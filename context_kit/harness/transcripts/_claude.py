"""Logs of Claude Code: JSON Lines, one row per content block, tool result or event.

The invariant guarded here: every tool result follows the assistant message that called, in one user message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from context_kit._lazily import regex
from context_kit.engrams._wrappers import BUILTIN_COMMANDS
from context_kit.harness.transcripts._records import typed_command
from context_kit.harness.transcripts._transcript import Transcript
from context_kit.typing import Message

__all__ = ["commanded", "is_claude", "is_command", "read_claude"]

THINKING = ("thinking", "redacted_thinking")
NAME = regex(r"<command-name>\s*/?([^<\n]{1,200}?)\s*</command-name>")
ARGUMENTS = "<command-args>"
PLAIN = BUILTIN_COMMANDS | {"compact"}
"""Commands that give the agent no task; what stands behind `/compact` is a wish for the compaction."""
NEAR = 3
"""Rows behind a command in which its expansion stands."""


def is_claude(rows: Iterable[Any]) -> bool:
    """Whether rows come from Claude Code: some carry a whole API message under `message`."""
    return any(_is_message(row) for row in rows)


def _is_message(row: Any) -> bool:
    return isinstance(row, dict) and row.get("type") in ("user", "assistant") and isinstance(row.get("message"), dict)


def is_command(row: Any) -> bool:
    """Whether a row is a slash command that gives a task: what it expanded to comes in a row behind it."""
    return bool(_command(row))


def commanded(rows: Sequence[Any]) -> Iterator[Any]:
    """Rows with each slash command as the person typed it, and the opening of what it expanded to."""
    for at, row in enumerate(rows):
        typed = _command(row)
        if not typed:
            yield row
            continue
        opened = next((text for each in rows[at + 1 : at + 1 + NEAR] if (text := _expansion(row, each))), "")
        content = row["message"].get("content")
        shown = [block for block in content if not _says(block)] if isinstance(content, list) else []
        blocks = [{"type": "text", "text": typed_command(typed, opened)}, *shown]
        yield {**row, "message": {**row["message"], "content": blocks}}


def _command(row: Any) -> str:
    """A slash command as it was typed; empty where a row is none, or gives no task."""
    if not _is_message(row) or row["type"] != "user" or row.get("isMeta"):
        return ""
    text = _text(row["message"].get("content")).strip()
    named = NAME.search(text[:1_000]) if text.startswith("<command-") else None
    if named is None or named[1] in PLAIN:
        return ""
    arguments = text.partition(ARGUMENTS)[2].rpartition("</command-args>")[0].strip()
    return f"/{named[1]} {arguments}".rstrip()


def _expansion(row: Mapping[str, Any], behind: Any) -> str:
    """What a row behind a command says that the command stands for; empty where it is another one's."""
    if not _is_message(behind) or not behind.get("isMeta") or behind.get("sourceToolUseID"):
        return ""
    own, parent = row.get("uuid"), behind.get("parentUuid")
    return _text(behind["message"].get("content")).strip() if not own or not parent or own == parent else ""


def _text(content: Any) -> str:
    blocks = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(block["text"] for block in blocks if _says(block))


def _says(block: Any) -> bool:
    return isinstance(block, dict) and isinstance(block.get("text"), str)


def read_claude(rows: Iterable[Any]) -> Transcript:
    """The conversation of a Claude Code log.

    Left out: events, rows marked meta, errors of the API, rows seen before (a resumed session repeats them) and
    sidechains, unless the log is a subagent's own and has nothing else.
    """
    found = [row for row in rows if _is_message(row)]
    whole = [row for row in found if not row.get("isSidechain")] or found
    talk = _Talk()
    seen: set[str] = set()
    for row in whole:
        name = str(row.get("uuid") or "")
        if row.get("isMeta") or row.get("isApiErrorMessage") or name in seen:
            continue
        seen.update([name] if name else [])
        talk.add(row["message"], row["type"])
    return Transcript(
        messages=talk.messages(),
        shape="anthropic",
        source="claude-code",
        session=next((row["sessionId"] for row in whole if isinstance(row.get("sessionId"), str)), ""),
        notes=talk.notes(),
    )


@dataclass(slots=True)
class _Turn:
    """A message of the log, and for an assistant's the results of its calls."""

    role: str
    content: Any
    id: str = ""
    results: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class _Talk:
    """The conversation, put together row by row."""

    def __init__(self) -> None:
        self.turns: list[_Turn] = []
        self.callers: dict[str, _Turn] = {}
        """The message that waits for a call's result, by call id."""
        self.orphans = 0

    def add(self, message: Mapping[str, Any], role: str) -> None:
        content = message.get("content")
        if role == "assistant" and isinstance(content, list):
            self.say(str(message.get("id") or ""), content)
        elif role == "user" and isinstance(content, list):
            rest = [block for block in content if not self.answer(block)]
            if rest:
                self.turns.append(_Turn("user", rest))
        elif content or not isinstance(content, str):
            self.turns.append(_Turn(role, content))

    def say(self, name: str, content: Sequence[Any]) -> None:
        """Blocks of an assistant message; one message is logged in several rows, results in between."""
        blocks = [block for block in content if not _is_blank(block)]
        last = next((turn for turn in reversed(self.turns) if turn.role == "assistant"), None)
        if last is None or not name or last.id != name:
            last = _Turn("assistant", [], name)
            self.turns.append(last)
        last.content.extend(blocks)
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                self.callers[str(block.get("id"))] = last

    def answer(self, block: Any) -> bool:
        """Give a result to the message that called; True where the block is a result."""
        if not isinstance(block, dict) or block.get("type") != "tool_result":
            return False
        caller = self.callers.pop(str(block.get("tool_use_id")), None)
        if caller is None:
            self.orphans += 1
        else:
            caller.results.append(block)
        return True

    def messages(self) -> list[Message]:
        out: list[Message] = []
        for turn in self.turns:
            if turn.role == "assistant" and isinstance(turn.content, list) and all(map(_is_thinking, turn.content)):
                continue  # an interrupted reply that never got further: the API refuses it
            out.append({"role": turn.role, "content": turn.content})
            if turn.results:
                out.append({"role": "user", "content": turn.results})
        return out

    def notes(self) -> tuple[str, ...]:
        return (f"tool results without a call, left out: {self.orphans}",) if self.orphans else ()


def _is_thinking(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in THINKING


def _is_blank(block: Any) -> bool:
    """A text of white space only, which the API refuses in a request."""
    return isinstance(block, dict) and block.get("type") == "text" and not str(block.get("text") or "").strip()
