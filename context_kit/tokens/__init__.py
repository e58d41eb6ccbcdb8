"""Tokens: two exact encodings, what each part of a message costs, clipping, and the ledger that learns from usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_kit._lazily import names_of

if TYPE_CHECKING:
    from context_kit.tokens._clip import clip
    from context_kit.tokens._cost import cost, system_cost, tools_cost
    from context_kit.tokens._count import counter, remembered
    from context_kit.tokens._ledger import Ledger
    from context_kit.tokens._media import media_cost
    from context_kit.tokens._windows import window_of

__all__ = ["Ledger", "clip", "cost", "counter", "media_cost", "remembered", "system_cost", "tools_cost", "window_of"]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "_clip": "clip",
            "_cost": "cost system_cost tools_cost",
            "_count": "counter remembered",
            "_ledger": "Ledger",
            "_media": "media_cost",
            "_windows": "window_of",
        },
    )
