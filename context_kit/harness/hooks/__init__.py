"""Hooks of coding agents: an event comes in, a checkpoint is kept, and after a compaction its text is injected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_kit._lazily import names_of

if TYPE_CHECKING:
    from context_kit.harness.hooks._agents import AGENTS, Agent
    from context_kit.harness.hooks._events import Event, answer, event_of, printed
    from context_kit.harness.hooks._keep import append_log, store_of

__all__ = ["AGENTS", "Agent", "Event", "answer", "append_log", "event_of", "printed", "store_of"]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "_agents": "AGENTS Agent",
            "_events": "Event answer event_of printed",
            "_keep": "append_log store_of",
        },
    )
