"""What is counted: stuck, illegal, lost. The judge knows the talk, another tokeniser and the SDKs' request types."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks._chaos._breaks import SECRETS
from benchmarks._judge import pairs_fault
from context_kit import ContextManager
from context_kit.typing import Message, Shape
from context_kit.wire import faults
from tests.talks import accepted, size, told

__all__ = ["Verdict", "judged", "newest", "recalled", "rigid"]

FRAME = 300
"""Tokens that the shortest bridge may have."""
CLIPPED = 60
"""Tokens that are left of a clipped text."""


@dataclass
class Verdict:
    """What one session, or all of them, came to."""

    stuck: list[str] = field(default_factory=list)
    illegal: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    lists: int = 0
    compactions: int = 0

    def add(self, other: Verdict, where: str) -> None:
        """Take over what another one found."""
        for name in ("stuck", "illegal", "lost"):
            getattr(self, name).extend(f"{where}: {text}" for text in getattr(other, name))
        self.lists += other.lists
        self.compactions += other.compactions

    @property
    def broken(self) -> int:
        """How many faults there are."""
        return len(self.stuck) + len(self.illegal) + len(self.lost)


def judged(
    verdict: Verdict, sent: Sequence[Message], shape: Shape, *, window: int, said: str, systems: Sequence[str]
) -> None:
    """Judge one list that was to be sent.

    Args:
        verdict: what is found goes there.
        sent: the list.
        shape: the session's.
        window: tokens that it may have.
        said: how the newest text of the user begins; empty where it isn't known.
        systems: texts of the system messages.
    """
    verdict.lists += 1
    verdict.illegal += [f"{fault}" for fault in faults(sent, shape=shape)]
    if shape != "responses" and (fault := pairs_fault(list(sent))):
        verdict.illegal.append(fault)
    try:
        accepted(sent, shape)
    except ValueError as error:
        verdict.illegal.append(f"the SDK's types refuse it: {str(error)[:200]}")
    text = told(sent)
    if any(secret in text for secret in SECRETS):
        verdict.illegal.append("a secret that a summariser gave away stands in the window")
    if size(sent) > window:
        verdict.stuck.append(f"{size(sent)} tokens in a window of {window}")
    if said not in text:
        verdict.lost.append(f"the newest user text is not in the window: {said!r}")
    verdict.lost += [f"a system message is not in the window: {each[:40]!r}" for each in systems if each not in text]


def newest(messages: Sequence[Message]) -> str:
    """How the newest generated text of the user begins; empty where a transcript is played."""
    for message in reversed(messages):
        content = message.get("content")
        if message.get("role") == "user" and isinstance(content, list) and content and "text" in content[0]:
            content = content[0]["text"]
        if message.get("role") == "user" and isinstance(content, str) and content.startswith("Request "):
            return content.partition(":")[0]
    return ""


def rigid(messages: Sequence[Message], beside: int) -> int:
    """Tokens that nothing can shrink, generously: head, media, the frame of the newest step, a bridge's floor."""
    fixed = FRAME + beside + sum(size([each]) + 8 for each in messages if each.get("role") in ("system", "developer"))
    for message in messages[-12:]:
        content = message.get("content", message.get("output"))
        blocks = content if isinstance(content, list) else []
        fixed += CLIPPED + sum(CLIPPED + _unclipped(block) for block in blocks)
        fixed += CLIPPED * len(message.get("tool_calls") or [])
    return fixed


def _unclipped(block: Any) -> int:
    kind = str(block.get("type")) if isinstance(block, dict) else ""
    if "image" in kind:
        return 2_000
    return size([block]) if kind.startswith(("thinking", "redacted", "server_tool", "web_search")) else 0


def recalled(ctx: ContextManager, given: Sequence[Message]) -> Iterator[str]:
    """Messages that were acknowledged and can't be brought back; they were given in this order."""
    entries = [entry for entry in ctx._session.log.entries if not entry.injected]  # noqa: SLF001 - the log is judged
    kept = [json.dumps(entry.message.raw) for entry in entries]
    wanted = [json.dumps(message) for message in given]
    if kept != wanted:
        missing = [text for text in wanted if text not in set(kept)]
        yield f"{len(wanted)} messages were acknowledged, {len(kept)} are kept, {len(missing)} missing: {missing[:1]}"
        return
    for entry, message in zip(entries, given, strict=True):
        found = ctx.recall(entry.address)
        text = found[0].text if len(found) == 1 and found[0].address == entry.address else ""
        gone = [words for words in _words(message) if words not in text]
        if gone:
            yield f"{entry.address} does not bring its text back: {gone[0][:60]!r}"


def _words(message: Message) -> Iterator[str]:
    """What a message says: texts, results, and the arguments of calls."""
    for key in ("content", "output", "arguments", "input"):
        yield from _texts(message.get(key))
    for call in message.get("tool_calls") or []:
        for kind in ("function", "custom"):
            yield from _texts((call.get(kind) or {}).get("arguments" if kind == "function" else "input"))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        yield from _texts(block.get("text", block.get("content")))
