"""For tests of agents: a scripted summariser, message builders, and strategies of legal conversations."""

from __future__ import annotations

from context_kit.testing._build import Call, assistant, image, system, tool_round, user
from context_kit.testing._draw import conversations
from context_kit.testing._llm import AsyncScriptedLLM, Reply, ScriptedLLM

__all__ = [
    "AsyncScriptedLLM",
    "Call",
    "Reply",
    "ScriptedLLM",
    "assistant",
    "conversations",
    "image",
    "system",
    "tool_round",
    "user",
]
