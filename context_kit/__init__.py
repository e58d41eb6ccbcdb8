"""Keeps an AI agent able to work across context compactions.

ctx = ContextManager(128_000)
ctx.add({"role": "user", "content": task})
reply = client.chat.completions.create(model=MODEL, messages=ctx.prepare(), tools=TOOLS)
ctx.add(reply)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from context_kit._budget import Budget
    from context_kit._manager import ContextManager
    from context_kit.errors import (
        BudgetError,
        ContextKitError,
        InvalidMessageError,
        StoreError,
        SummaryError,
        TickError,
        WindowExceededError,
    )
    from context_kit.harness.ticks import Finding, Harness, Tick
    from context_kit.llm import from_anthropic, from_openai
    from context_kit.memory import Memory, MemoryDirectory
    from context_kit.probes import Probe, ProbeReport, ProbeRequest, probing
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
    "Probe",
    "ProbeReport",
    "ProbeRequest",
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
    "probing",
]


_HOMES = {
    "context_kit._budget": "Budget",
    "context_kit._manager": "ContextManager",
    "context_kit.errors": (
        "BudgetError ContextKitError InvalidMessageError StoreError SummaryError TickError WindowExceededError"
    ),
    "context_kit.harness.ticks": "Finding Harness Tick",
    "context_kit.llm": "from_anthropic from_openai",
    "context_kit.memory": "Memory MemoryDirectory",
    "context_kit.probes": "Probe ProbeReport ProbeRequest probing",
    "context_kit.types": (
        "Compaction Decision Engram FailedAttempt Fidelity FileState Pin Plan PostCompact PreCompact Recollection "
        "Record Replace Source Step SummaryReply SummaryRequest Survival TaskSummary Tool Usage Veto"
    ),
    "context_kit.typing": "LLM Store",
}
_LAZY = {name: module for module, names in _HOMES.items() for name in names.split()}
"""Where the names live; each is loaded at its first use."""


def __getattr__(name: str) -> Any:
    """Load a name at its first use: a coding agent's hook, called at every tool, needs almost none of them."""
    if name not in _LAZY:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    found = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
