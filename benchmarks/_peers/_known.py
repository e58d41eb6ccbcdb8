"""The peers: where each is installed, at which version, and with which settings it is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["COUNTER", "ENVIRONMENTS", "OURS", "PEERS", "SHORT", "Known"]

COUNTER = "bpe-openai==0.1.4"
"""The exact tokeniser, in every environment."""
ENVIRONMENTS: dict[str, Sequence[str]] = {
    "langchain": ("langchain==1.5.2", "langchain-core==1.8.3"),
    "openhands": ("openhands-sdk==1.58.2",),
    "summarization": ("summarization-pydantic-ai==0.1.11", "pydantic-ai-slim==2.68.0"),
    "harness": ("pydantic-ai-harness==0.62.0", "pydantic-ai-slim==2.68.0"),
    "strands": ("strands-agents==1.62.0",),
}
"""By name: what is installed beside the tokeniser."""


@dataclass(frozen=True)
class Known:
    """One way to keep a history within a window."""

    name: str
    module: str
    """Its script below `benchmarks._peers`."""
    environment: str = ""
    """Where it runs; empty means this one."""
    settings: str = ""


PEERS = (
    Known(
        "context_kit",
        "ours",
        settings="`ContextManager(window)`, all defaults: no model, its own extractive summaries.",
    ),
    Known(
        "context_kit + stub",
        "ours_stub",
        settings="The same with the stub as `llm`: the lines that it picks, in the six fields.",
    ),
    Known(
        "LangChain SummarizationMiddleware",
        "langchain_summary",
        "langchain",
        "`trigger` at 70 % of the window, `keep` 30 % in tokens, `trim_tokens_to_summarize=None` so that the "
        "summariser sees all (the default shows it 4,000 tokens), the exact `token_counter`.",
    ),
    Known(
        "LangChain trim_messages",
        "langchain_trim",
        "langchain",
        '`strategy="last"`, `start_on=("human", "ai")` (with `"human"` alone a long tool loop leaves nothing), the '
        "exact `token_counter`; trimmed to 40 % when 70 % is reached and kept so, which spares the prompt cache.",
    ),
    Known(
        "OpenHands condenser",
        "openhands_sdk",
        "openhands",
        "`LLMSummarizingCondenser(keep_first=2)` with `max_tokens` at 60 % of the window, for it condenses to half of "
        "that and adds a summary; `max_size` out of the way; exact counts.",
    ),
    Known(
        "summarization-pydantic-ai",
        "summarization",
        "summarization",
        "`SummarizationProcessor`: `trigger` at 70 %, `keep` 30 % in tokens, `trim_tokens_to_summarize=None`, the "
        "exact `token_counter`. It shows its summariser 500 characters of a tool result, which can't be set.",
    ),
    Known(
        "pydantic-ai-harness",
        "harness",
        "harness",
        "`TieredCompaction` as its guide recommends: `ClearToolResults`, then `SummarizingCompaction` with "
        "`keep_tokens` of 30 % and `tool_return_max_chars=None`; `target_tokens` 40 %, run from 70 % on; the "
        "exact `tokenizer`.",
    ),
    Known(
        "strands SummarizingConversationManager",
        "strands_agents",
        "strands",
        "From 70 % on `reduce_context` with its default share of 30 % of the messages, again and again until 40 % is "
        "reached; `pin_first=1`, `preserve_recent_messages=2`, for it keeps by number and the budget is in tokens.",
    ),
    Known(
        "tail only",
        "tail",
        settings="At 70 % cut to the first user message and the newest whole steps within 40 %.",
    ),
    Known(
        "observation masking",
        "masking",
        settings="At 70 % the oldest tool results give way to a placeholder until 40 % is reached; where all are "
        "masked, the oldest steps go.",
    ),
)
SHORT = {
    "LangChain SummarizationMiddleware": "LangChain summary",
    "LangChain trim_messages": "LangChain trim",
    "OpenHands condenser": "OpenHands",
    "summarization-pydantic-ai": "summarization-p-ai",
    "pydantic-ai-harness": "p-ai-harness",
    "strands SummarizingConversationManager": "strands",
    "observation masking": "masking",
}
"""Names beside the bars of the chart."""
OURS = ("context_kit", "context_kit + stub")
