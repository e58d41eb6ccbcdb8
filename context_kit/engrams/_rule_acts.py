"""Deeds: what a clause forbids, allows or requires, and of what."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

__all__ = ["Act", "Rules", "Withdrawal", "nominal"]


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


NOUNS = {
    "access": "access",
    "call": "access",
    "request": "access",
    "use": "use",
    "usage": "use",
    "change": "touch",
    "edit": "touch",
    "modification": "touch",
    "deletion": "delete",
    "deployment": "deploy",
}
"""Nouns that name a deed, behind the name of its thing: "network access"."""


def nominal(act: Act) -> Act:
    """An act whose deed is told by a noun behind its thing, as that deed."""
    deed = NOUNS.get(act.what[-1], "") if len(act.what) > 1 and not act.deed else ""
    return replace(act, deed=deed, what=act.what[:-1]) if deed else act


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """What a sentence withdraws as a rule, and by what its own rule may be withdrawn; words in their plain form."""

    lifted: tuple[frozenset[str], ...] = ()
    """What each rule that it ends was about."""
    lifts: str = ""
    """The same of a Chinese sentence, as a text."""
    unasked: frozenset[str] | None = None
    """What may be done without asking; None where nothing is said of asking."""
    asks: frozenset[str] | None = None
    """What wants to be asked for first."""
    yet: bool = False
    """What it forbids it forbids for the time being."""
    begun: frozenset[str] = frozenset()
    """The deed and thing that are to begin now."""
    instead: frozenset[str] = frozenset()
    """What something else takes the place of."""
    uses: frozenset[str] = frozenset()
    """What it orders to use, and nothing else."""

    def offered(self) -> set[str]:
        """What a later sentence is found by."""
        found = {f"lift {word}" for words in self.lifted for word in words}
        found.update(f"begin {word}" for word in self.begun)
        found.update(["begin"] if self.begun else [])
        found.update(f"instead {word}" for word in self.instead)
        found.update(["lift"] if self.lifts else [], ["unasked"] if self.unasked is not None else [])
        return found

    def sought(self, words: frozenset[str]) -> set[str]:
        """The keys of later sentences that may withdraw a rule of these words."""
        found = {f"lift {word}" for word in words} | ({"lift"} if words else set())
        found.update(f"begin {word}" for word in words if self.yet)
        found.update(["begin"] if self.yet else [])
        found.update(f"instead {word}" for word in self.uses)
        found.update(["unasked"] if self.asks is not None else [])
        return found


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
    about: frozenset[str] = frozenset()
    """The words of what it forbids, in their plain form."""
    beside: str = ""
    """The rest of a sentence that only sets one thing against another: "use A, never B"."""
    ends: bool = False
    """It ends a rule as a rule."""
    chinese: bool = False
    """It is a Chinese sentence."""
    gone: Withdrawal = field(default_factory=Withdrawal)

    def offered(self) -> set[str]:
        """What a later sentence is found by."""
        found = {act.key for act in self.allowed} | {word for act in self.dropped for word in act.what or (act.deed,)}
        found.update(f"do {act.deed}" for act in self.allowed)
        return found | {f"name {name}" for name in self.renamed} | self.gone.offered()

    def sought(self) -> set[str]:
        """The keys of later sentences that may end what this one rules."""
        found = {act.key for act in (*self.forbidden, *self.required)}
        found.update(f"do {act.deed}" for act in self.only)
        return found | {f"name {name}" for name in self.names} | self.gone.sought(self.about)
