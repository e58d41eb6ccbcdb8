"""An English sentence as parts that name something, and the words between them that say what they do there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from context_kit.engrams._claim_words import IDLE, NOUN, NUMBERED, STATES, TOKEN, UNITS
from context_kit.engrams._claims import plain_value
from context_kit.engrams._constraints import stem

__all__ = ["MEASURES", "Items", "Part", "Scan", "scan"]

MEASURES = frozenset(stem(unit) for unit in UNITS) | UNITS
"""Words of measure, with and without their endings."""


@dataclass(slots=True)
class Part:
    """Words in a row that name something."""

    words: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Each with whether it is a value."""
    role: str = ""
    """`new`, `old`, or nothing."""
    state: bool = False
    """Its last word tells how something is, not what value it has."""

    @property
    def values(self) -> list[str]:
        """The values at its end, or all of it."""
        at = len(self.words)
        while at and self.words[at - 1][1]:
            at -= 1
        return [word for word, _ in self.words[at:]]

    @property
    def named(self) -> frozenset[str]:
        """Its words without the values at its end, unless it is nothing else."""
        kept = self.words[: len(self.words) - len(self.values)] or self.words
        return frozenset(word for word, _ in kept)

    @property
    def pure(self) -> bool:
        """Nothing but values."""
        return all(value for _, value in self.words)

    @property
    def unit(self) -> bool:
        """Only words of measure, or a number with one."""
        return all(word in MEASURES for word, value in self.words if not value)


@dataclass(slots=True)
class Scan:
    """A sentence as parts and the words between them."""

    items: list[tuple[str, Part | None]] = field(default_factory=list[tuple[str, "Part | None"]])
    part: Part | None = None
    role: str = ""
    verb: int = 0
    """Where the last word stands that states a value; a colon before it only leads in."""

    told: str = ""
    """The kind of the last word between parts."""
    named: bool = False
    """An article stands right before, so a noun follows."""

    def take(self, kind: str, text: str, at: int) -> None:
        """One token."""
        if kind in ("set", "make", "drop") and (self.part is not None or self.named) and NOUN.fullmatch(text):
            kind = "word"
        self.named = kind == "article"
        last = self.part.words[-1] if self.part else ("", False)
        if kind == "word" and last[1] and last[0][-1:].isdigit() and text.lower() in UNITS:
            return
        if kind == "value" or (kind == "word" and text.lower() not in IDLE):
            if self.part is None:
                self.part = Part(role=self.role)
                self.items.append(("part", self.part))
            value = kind == "value" and not (last[0] in NUMBERED and text.isdecimal())
            self.part.words.append((plain_value(text) if value else stem(text.lower()), value))
            self.part.state = self.told == "copula" and STATES.fullmatch(text.lower()) is not None
            return
        after = self.part is not None
        self.part = None
        if kind == "sign":
            kind = "copula" if after and at >= self.verb else "stop"
        if kind in ("word", "idle", "article"):
            if kind != "article":
                self._note("idle")
            return
        self._turn(kind)

    def _turn(self, kind: str) -> None:
        if kind == "after_not":
            for what, part in reversed(self.items):
                if part is not None:
                    part.role = "old"
                if what in ("part", "stop"):
                    break
        self.role, self.told = _ROLES.get(kind, ""), kind
        self._note(kind)

    def _note(self, kind: str) -> None:
        self.items.append((kind, None))


_ROLES = {"copula": "new", "to": "new", "use": "new", "no": "old", "drop": "old"}

Items: TypeAlias = Sequence["tuple[str, Part | None]"]
"""A sentence: each part, and the kind of each word between parts."""


def scan(sentence: str) -> tuple[Scan, frozenset[str]]:
    """A sentence up to the reason that it gives, and the values in the reason."""
    tokens = list(TOKEN.finditer(sentence))
    found = Scan(verb=max((token.start() for token in tokens if token.lastgroup == "copula"), default=0))
    reason: set[str] = set()
    why = False
    for token in tokens:
        kind = token.lastgroup or "stop"
        why = why or kind == "why"
        if not why:
            found.take(kind, token[0], token.start())
        elif kind == "value":
            reason.add(plain_value(token[0]))
    return found, frozenset(reason)
