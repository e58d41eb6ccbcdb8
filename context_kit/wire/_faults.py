"""Judges a list as a provider would: every rule of its shape, every fault with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from context_kit.errors import InvalidMessageError
from context_kit.typing import Shape
from context_kit.wire._message import Message
from context_kit.wire._rules import CHAT, STRICT, Rule
from context_kit.wire._rules_anthropic import ANTHROPIC
from context_kit.wire._rules_responses import RESPONSES
from context_kit.wire._scan import scan

__all__ = ["RULES", "Fault", "faults"]

RULES: dict[Shape, tuple[Rule, ...]] = {"chat": CHAT, "responses": RESPONSES, "anthropic": ANTHROPIC}
"""The rules of a legal request, by shape."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that a list breaks, and where."""

    rule: str
    """Name of the rule; `form` for a message that can't be read at all."""
    index: int
    """Position in the list."""
    text: str
    """What is wrong, to be read after `messages[index]`."""


def faults(messages: Sequence[Mapping[str, Any]], /, *, shape: Shape | None, strict: bool = False) -> tuple[Fault, ...]:
    """Everything for which a provider would refuse a list; empty where it is legal.

    Args:
        messages: the raw dicts as they would be sent.
        shape: the session's; None judges plain messages by the rules of chat, the loosest.
        strict: also the alternation that chat templates of other servers insist on.
    """
    read: list[Message] = []
    for at, raw in enumerate(messages):
        found = _scanned(raw, at)
        if isinstance(found, Fault):
            # Positions would shift without it, so the list can't be judged further.
            return (found,)
        read.append(found)
    rules = RULES[shape or "chat"] + (STRICT if strict else ())
    return tuple(Fault(rule.name, at, text) for rule in rules for at, text in rule.check(read))


def _scanned(raw: Mapping[str, Any], at: int) -> Message | Fault:
    try:
        return scan(dict(raw))
    except InvalidMessageError as error:
        return Fault("form", at, str(error))
