"""The bridge: the one synthetic user message that carries a session across a compaction."""

from context_kit.bridge._checkpoint import checkpoint
from context_kit.bridge._text import BridgeParts, compose, fitting, frame_cost
from context_kit.bridge._words import BridgeWords, bridge_words

__all__ = ["BridgeParts", "BridgeWords", "bridge_words", "checkpoint", "compose", "fitting", "frame_cost"]
