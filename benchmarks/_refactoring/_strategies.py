"""What is done with the history: each strategy takes messages and gives the window to send."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmarks._refactoring._forgetful import Forgetful
from benchmarks._refactoring._plain import (
    Bigger,
    Everything,
    Freeform,
    RepeatAll,
    SelfNotes,
    Strategy,
    Tail,
    tokens,
)
from benchmarks._refactoring._prose import Prose, prose
from context_kit import ContextManager
from context_kit.typing import LLM, Policy

__all__ = ["EXTRA", "STRATEGIES", "UNASKED", "UNBOUND", "Forgets", "Kit", "Setting", "Strategy", "tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a strategy is made for."""

    window: int
    """In tokens."""
    seed: int = 0
    """Of what is forgotten, where something is."""
    llm: LLM | None = None
    """Who fills the six fields; else they are extracted."""
    prose: Prose = prose
    """Who writes free-form summaries and notes."""
    failures: Sequence[str] = ()
    """Why a model failed at a free-form text, for each that was extracted instead; it grows."""


class Kit:
    """The library, with one of its policies."""

    def __init__(self, setting: Setting, policy: Policy, **more: Any) -> None:
        name = "refactoring"
        self.ctx = ContextManager(setting.window, policy=policy, session=name, llm=setting.llm, **more)

    def add(self, message: dict[str, Any], /) -> None:
        """Add it."""
        self.ctx.add(message)

    def window(self) -> list[dict[str, Any]]:
        """What `prepare` returns."""
        return self.ctx.prepare()

    @property
    def compactions(self) -> int:
        """Those that were applied."""
        return sum(receipt.outcome == "applied" for receipt in self.ctx.compactions)

    @property
    def extracted(self) -> int:
        """Those of them whose summary is an extracted one."""
        return sum(each.outcome == "applied" and each.summariser == "extractive" for each in self.ctx.compactions)


class Forgets(Kit):
    """`template+memory` where half of the writes and half of the readings are forgotten."""

    def __init__(self, setting: Setting, odds: float = 0.5) -> None:
        self.store = Forgetful(setting.seed, odds)
        super().__init__(setting, "template+memory", store=self.store)

    def window(self) -> list[dict[str, Any]]:
        """What `prepare` returns; whether the next compaction reads is drawn after each."""
        before = self.compactions
        found = super().window()
        for _ in range(self.compactions - before):
            self.store.turn_over()
        return found


STRATEGIES: Final[Mapping[str, Callable[[Setting], Strategy]]] = {
    "none": lambda _: Everything(),
    "bigger": lambda setting: Bigger(setting.window),
    "tail": lambda setting: Tail(setting.window),
    "freeform": lambda setting: Freeform(setting.window, setting.prose),
    "self-notes": lambda setting: SelfNotes(setting.window, setting.prose),
    "repeat-all": lambda setting: RepeatAll(setting.window, setting.prose),
    "template": lambda setting: Kit(setting, "template"),
    "template+memory": lambda setting: Kit(setting, "template+memory"),
    "template+engrams": lambda setting: Kit(setting, "template+engrams"),
    "layered": lambda setting: Kit(setting, "layered"),
    "default": lambda setting: Kit(setting, "default"),
    "template+memory-forgets": Forgets,
}
"""By name."""
EXTRA: Final = ("template+memory-forgets",)
"""Only where they are asked for."""
UNBOUND: Final = ("none", "bigger")
"""Strategies without a compaction."""
UNASKED: Final = (*UNBOUND, "tail")
"""Strategies without a text that a model could write."""
