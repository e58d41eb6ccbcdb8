"""What a session was told, kept apart from it: what must stand in each list, and what must come back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from context_kit import ContextManager
from context_kit.typing import Message, Shape
from tests.talks import answers, size, told
from tests.test_laws import blocks, fixed_size, spoken, step_starts

__all__ = ["Truth", "rigid"]

SHORT = 200
"""Characters of a text that is in the window whole ..."""
SHARE = 0.03
"""... where it has at most this share of the window's tokens ..."""
TINY = 1_000
"""... and that has at least so many."""
FIRST = 6
"""Characters of a text that are in the window in any case."""


class Truth:
    """Every message that was added, by its position."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.at: dict[int, Message] = {}

    @property
    def messages(self) -> list[Message]:
        """The messages in order."""
        return list(self.at.values())

    def add(self, messages: Sequence[Message], ctx: ContextManager) -> None:
        """Note messages that the session has just taken, at its newest positions."""
        newest = ctx._session.log.newest
        for back, message in enumerate(reversed(messages)):
            self.at[newest - back] = message
        self.at = dict(sorted(self.at.items()))

    # -- what stands in a list -------------------------------------------------------------

    def missing(self, out: Sequence[Message], window: int, recall: Callable[[str], str]) -> tuple[str, ...]:
        """System messages, and the newest words of a person, that a list lacks."""
        text = told(out)
        return tuple(self._missing(text, window, recall))

    def _missing(self, text: str, window: int, recall: Callable[[str], str]) -> Iterator[str]:
        for message in self.messages:
            system = message.get("role") in ("system", "developer") and self.shape != "anthropic"
            if system and message["content"] not in text:
                yield f"system message {message['content']!r:.80}"
        position, words = self.newest()
        if not words or words in text:
            return
        if len(words) <= SHORT and window >= TINY and size([{"text": words}]) <= SHARE * window:
            yield f"newest words {words!r}"
        elif re.search(rf"\bm{position}\b", text) is None:
            yield f"address m{position} of the newest words {words!r:.80}"
        elif words[:FIRST] not in text:
            yield f"first words of {words!r:.80}"
        if words not in recall(f"m{position}"):
            yield f"words that m{position} recalls, {words!r:.80}"

    def newest(self) -> tuple[int, str]:
        """Position and text of the newest message that a person wrote."""
        for position, message in reversed(self.at.items()):
            if message.get("role") == "user" and not answers(message):
                content = message["content"]
                words = content if isinstance(content, str) else str(content[0].get("text", ""))
                if not words.startswith(("Traceback", "FAILED", "The image it made")):
                    return position, words
                return position, ""
        return 0, ""

    # -- what comes back -------------------------------------------------------------------

    def lost(self, ctx: ContextManager) -> tuple[str, ...]:
        """Addresses on receipts that don't bring back what they stand for."""
        return tuple(self._lost(ctx))

    def _lost(self, ctx: ContextManager) -> Iterator[str]:
        seen: set[str] = set()
        for receipt in ctx.compactions:
            if receipt.outcome == "applied":
                seen |= {*receipt.summarised, *receipt.clipped, *receipt.evicted}
        for address in sorted(seen):
            found = ctx.recall(address)
            if [each.address for each in found] != [address]:
                yield f"{address}: {[each.address for each in found]}"
            elif address[0] == "m" and address[1:].isdigit() and int(address[1:]) in self.at:
                yield from (
                    f"{address}: {words!r:.80}"
                    for words in spoken(self.at[int(address[1:])])
                    if words not in found[0].text
                )


def rigid(given: Sequence[Message], shape: Shape) -> int:
    """Tokens that can't shrink, generously: system messages, media, opaque items, what is left of each clip."""
    if not given:
        return 0
    newest = step_starts(given, shape)[-1]
    found = 300 + sum(size([message]) + 8 for message in given if message.get("role") in ("system", "developer"))
    for message in given[newest:]:
        found += 40 + sum(40 + fixed_size(block) for block in blocks(message))
        found += 40 * len(message.get("tool_calls") or []) + (40 if message.get("reasoning_content") else 0)
    newest_words = next((raw for raw in reversed(given) if raw.get("role") == "user" and not _results(raw)), {})
    pictures = 5_000 * any("image" in str(block.get("type")) for block in blocks(newest_words))
    return found + pictures + sum(_sealed(message) for message in given)


def _results(message: Message) -> bool:
    return any(block.get("type") == "tool_result" for block in blocks(message))


def _sealed(node: Any) -> int:
    """Tokens of a provider's own compaction: it stays."""
    if isinstance(node, dict) and node.get("type") == "compaction":
        return size([{"text": json.dumps(node)}])
    if isinstance(node, dict):
        return sum(map(_sealed, node.values()))
    return sum(map(_sealed, node)) if isinstance(node, list) else 0
