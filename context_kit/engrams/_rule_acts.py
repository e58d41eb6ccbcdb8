"""Deeds: what a clause forbids, allows or requires, and of what."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Act", "Rules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One deed and its thing."""

    deed: str
    """The first word of its group of words; empty where the clause names only a thing."""
    what: tuple[str, ...] = ()
    """The name of the thing, word by word; empty where the deed is all."""
    where: frozenset[str] = frozenset()
    """Words that say where, or what for."""
    kind: str = ""
    """The word for its kind that its name does without: "library"."""
    definite: bool = False
    """It is one that is known: "the", "our"."""
    single: bool = False
    """It is a single one of them."""
    bound: bool = False
    """It is forbidden but under a condition, which no single permission ends."""
    granted: bool = False
    """It is allowed in so many words."""
    sure: bool = False
    """It is granted, or asked for in words that say that it was otherwise."""
    lasting: bool = False
    """The clause says that it is otherwise from now on."""

    @property
    def key(self) -> str:
        """A word that any clause about the same shares."""
        return self.what[-1] if self.what else self.deed


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a sentence rules, and what rules it ends."""

    forbidden: tuple[Act, ...] = ()
    only: tuple[Act, ...] = ()
    """The things that alone are allowed."""
    required: tuple[Act, ...] = ()
    allowed: tuple[Act, ...] = ()
    """What is allowed, or asked for."""
    dropped: tuple[Act, ...] = ()
    """What is required no more."""
    names: frozenset[str] = field(default_factory=frozenset[str])
    """Names that it gives."""
    renamed: frozenset[str] = field(default_factory=frozenset[str])
    """Names that it replaces."""
    beside: str = ""
    """The rest of a sentence that only sets one thing against another: "use A, never B"."""
    ends: bool = False
    """It ends a rule as a rule."""

    def offered(self) -> set[str]:
        """What a later sentence is found by."""
        found = {act.key for act in self.allowed} | {word for act in self.dropped for word in act.what or (act.deed,)}
        found.update(f"do {act.deed}" for act in self.allowed)
        return found | {f"name {name}" for name in self.renamed}

    def sought(self) -> set[str]:
        """The keys of later sentences that may end what this one rules."""
        found = {act.key for act in (*self.forbidden, *self.required)}
        found.update(f"do {act.deed}" for act in self.only)
        return found | {f"name {name}" for name in self.names}
