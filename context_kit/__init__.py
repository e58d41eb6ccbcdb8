"""Keeps an AI agent able to work across context compactions.

ctx = ContextManager(128_000)
ctx.add({"role": "user", "content": task})
reply = client.chat.completions.create(model=MODEL, messages=ctx.prepare(), tools=TOOLS)
ctx.add(reply)
"""

from typing import TYPE_CHECKING, Any

from context_kit._budget import Budget
from context_kit.errors import (
    BudgetError,
    ContextKitError,
    InvalidMessageError,
    StoreError,
    SummaryError,
    TickError,
    WindowExceededError,
)
from context_kit.types import (
    Compaction,
    Decision,
    Engram,
    FailedAttempt,
    Fidelity,
    FileState,
    Pin,
    Plan,
    PostCompact,
    PreCompact,
    Recollection,
    Record,
    Replace,
    Source,
    Step,
    SummaryReply,
    SummaryRequest,
    Survival,
    TaskSummary,
    Tool,
    Usage,
    Veto,
)
from context_kit.typing import LLM, Store

if TYPE_CHECKING:
    from context_kit._manager import ContextManager
    from context_kit.harness.ticks import Finding, Harness, Tick
    from context_kit.llm import from_anthropic, from_openai
    from context_kit.memory import Memory, MemoryDirectory

__all__ = [
    "LLM",
    "Budget",
    "BudgetError",
    "Compaction",
    "ContextKitError",
    "ContextManager",
    "Decision",
    "Engram",
    "FailedAttempt",
    "Fidelity",
    "FileState",
    "Finding",
    "Harness",
    "InvalidMessageError",
    "Memory",
    "MemoryDirectory",
    "Pin",
    "Plan",
    "PostCompact",
    "PreCompact",
    "Recollection",
    "Record",
    "Replace",
    "Source",
    "Step",
    "Store",
    "StoreError",
    "SummaryError",
    "SummaryReply",
    "SummaryRequest",
    "Survival",
    "TaskSummary",
    "Tick",
    "TickError",
    "Tool",
    "Usage",
    "Veto",
    "WindowExceededError",
    "from_anthropic",
    "from_openai",
]


_LAZY = {
    "ContextManager": "context_kit._manager",
    "Finding": "context_kit.harness.ticks",
    "Harness": "context_kit.harness.ticks",
    "Memory": "context_kit.memory",
    "MemoryDirectory": "context_kit.memory",
    "Tick": "context_kit.harness.ticks",
    "from_anthropic": "context_kit.llm",
    "from_openai": "context_kit.llm",
}
"""Where the names live that are loaded at their first use."""


def __getattr__(name: str) -> Any:
    """Load the engine at its first use, so that importing the package costs little more than pydantic."""
    if name not in _LAZY:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
