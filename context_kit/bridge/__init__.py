"""The bridge: the one synthetic user message that carries a session across a compaction."""

from context_kit.bridge._checkpoint import checkpoint
from context_kit.bridge._fitting import fitting
from context_kit.bridge._lines import Line, listed
from context_kit.bridge._text import NO_TICKS, BridgeParts, compose, frame_cost
from context_kit.bridge._ticks import TickNotes, TickText, fit_ticks
from context_kit.bridge._words import BridgeWords, bridge_words

__all__ = [
    "NO_TICKS",
    "BridgeParts",
    "BridgeWords",
    "Line",
    "TickNotes",
    "TickText",
    "bridge_words",
    "checkpoint",
    "compose",
    "fit_ticks",
    "fitting",
    "frame_cost",
    "listed",
]
