"""A client of yours, made a summariser: structured output, retries, a breaker; no client or key is made here."""

from __future__ import annotations

from context_kit.llm._adapters import from_anthropic, from_openai

__all__ = ["from_anthropic", "from_openai"]
