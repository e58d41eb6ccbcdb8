"""How each provider says that a request was larger than the model's window, as data.

A sign is a text, where its numbers stand, and the HTTP statuses under which it counts. Source of every row:
wire-facts section 5 and, behind it, the issue trackers and servers named here, all seen 2026-11.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["BYTES", "CODES", "ENDINGS", "FIELDS", "NAMES", "SIGNS", "THROTTLED", "THROTTLES", "Sign"]

N = r"\d+(?:[,._ '\u00a0\u202f]\d{3}(?!\d))*(?:[.,]\d+(?= ?[kKmM]\b))?(?: ?[kKmM]\b)?"
"""A number of tokens as a person reads it: `131072`, `131,072`, `131.072`, `131 072`, `128k`, `1.5M`."""
REFUSED = frozenset({200, 400, 413, 500, 502})
"""200: an error event in a stream; 413: some gateways; 500 and 502: gateways that pass an upstream's text on."""
VALIDATED = REFUSED | {422}


@dataclass(frozen=True, slots=True)
class Sign:
    """One provider's wording. Named groups: `limit`, `prompt`, `total` (prompt and reply), `reply`; tokens each."""

    provider: str
    pattern: re.Pattern[str]
    counts: tuple[re.Pattern[str], ...] = ()
    """Where else in the same text numbers stand."""
    statuses: frozenset[int] = field(default=REFUSED, kw_only=True)


def _re(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("#", N), re.IGNORECASE)


COUNTS = tuple(
    map(
        _re,
        (
            r"\brequested (?:about |a total of )?(?P<total>#) tokens",
            r"(?P<reply>#) (?:in|for) the (?:completion|output)",
            r"resulted in (?P<prompt>#) tokens",
            r"\brequest has (?P<prompt>#) input tokens",
            r"\b(?:at least|passed) (?P<prompt>#) input tokens",
            r"\brequested (?P<reply>#) output tokens",
            r"tokens'? is too large: (?P<reply>#)",
        ),
    )
)
"""What stands behind OpenAI's wording, which DeepSeek, OpenRouter, vLLM, SGLang and others took over."""

SIGNS: tuple[Sign, ...] = (
    Sign("OpenAI, Azure, DeepSeek, OpenRouter, vLLM", _re(r"maximum context length (?:is|of) (?P<limit>#)"), COUNTS),
    Sign("OpenAI Responses", _re(r"input exceeds the context window")),
    Sign("Anthropic", _re(r"prompt is too long: (?P<prompt>#) tokens > (?P<limit>#)")),
    Sign("Fireworks", _re(r"prompt is too long: (?P<prompt>#), model maximum context length: (?P<limit>#)")),
    Sign("Anthropic, by gateways", _re(r"prompt is too long\b")),
    Sign(
        "Anthropic, older models",
        _re(r"input length and `?max_tokens`? exceed context limit(?:: (?P<prompt>#) \+ (?P<reply>#) > (?P<limit>#))?"),
    ),
    Sign("Bedrock", _re(r"input is too long for (?:the )?requested model")),
    Sign("Bedrock, Nova", _re(r"number of input tokens exceeds maximum length")),
    Sign("Bedrock, Titan", _re(r"too many input tokens\. max input tokens: (?P<limit>#).{0,40}count: (?P<prompt>#)")),
    Sign(
        "Gemini",
        _re(
            r"input token count (?:\((?P<prompt>#)\) )?exceeds the maximum number of tokens allowed"
            r"(?: \(?(?P<limit>#)\)?)?"
        ),
    ),
    Sign("Vertex", _re(r"input token count is (?P<prompt>#) but (?:the )?model only supports up to (?P<limit>#)")),
    Sign("vLLM, LM Studio", _re(r"context length (?:is|of) only (?P<limit>#)"), COUNTS),
    Sign(
        "vLLM, decoder", _re(r"prompt \(length (?P<prompt>#)\) is longer than the maximum model length of (?P<limit>#)")
    ),
    Sign("vLLM, nothing left for the reply", _re(r"max_tokens must be at least 1, got -\d{2,}")),
    Sign(
        "SGLang, Together",
        _re(r"input \((?P<prompt>#) tokens\) is longer than the model's context length \((?P<limit>#) tokens\)"),
    ),
    Sign(
        "TGI",
        _re(r"`inputs` (?:tokens \+ `max_new_tokens` )?must (?:be <=|have less than) (?P<limit>#)"),
        (_re(r"given: (?P<prompt>#)(?: `inputs` tokens and (?P<reply>#))?"),),
        statuses=VALIDATED,
    ),
    Sign(
        "llama.cpp",
        _re(r"(?:\((?P<prompt>#) tokens\) )?exceeds the available context size(?: \((?P<limit>#) tokens\))?"),
    ),
    Sign("Ollama", _re(r"input length exceeds (?:the )?(?:maximum )?context length")),
    Sign("Ollama, cloud", _re(r"prompt too long; exceeded (?:max )?context length")),
    Sign("LM Studio", _re(r"tokens to keep from the initial prompt is greater than the context length")),
    Sign(
        "Groq, Cerebras",
        _re(
            r"reduce the length of the messages or completion"
            r"(?:\. current length is (?P<prompt>#) while limit is (?P<limit>#))?"
        ),
    ),
    Sign(
        "Mistral",
        _re(r"(?:contains (?P<prompt>#) tokens.{0,80})?too large for model with (?P<limit>#) maximum context"),
    ),
    Sign("xAI", _re(r"maximum prompt length is (?P<limit>#)(?: but the request contains (?P<prompt>#))?")),
    Sign("GitHub Copilot", _re(r"prompt token count of (?P<prompt>#) exceeds the limit of (?P<limit>#)")),
    Sign("Kimi", _re(r"exceeded model token limit:? ?(?P<limit>#)?(?: \(requested: (?P<total>#)\))?")),
    Sign("MiniMax", _re(r"context window exceeds limit")),
    Sign("Qwen", _re(r"range of input length should be \[\d+, ?(?P<limit>#)\]")),
    Sign("Cohere", _re(r"tokens in the prompt cannot exceed (?P<limit>#)(?: - received (?P<prompt>#))?")),
    Sign("watsonx", _re(r"number of input tokens (?P<prompt>#) cannot exceed the total tokens limit (?P<limit>#)")),
    Sign("z.ai", _re(r"prompt exceeds max(?:imum)? length")),
    Sign("gateways", _re(r"\bcontext(?:_| )(?:length|window)(?:_| )exceeded\b|\bContextWindowExceededError\b")),
)

CODES = frozenset(
    {
        "context_length_exceeded",  # OpenAI, Azure, Groq, Cerebras
        "context_window_exceeded",  # gateways
        "exceed_context_size_error",  # llama.cpp
        "model_max_prompt_tokens_exceeded",  # GitHub Copilot
    }
)
"""Codes and types that say it alone."""
NAMES = re.compile(r"Context(?:Length|Window|Size|Limit)?(?:Exceed|Overflow)")
"""Names of exceptions that say it: LiteLLM, LangChain, and what agents call their own."""
FIELDS = {"n_ctx": "limit", "n_prompt_tokens": "prompt"}
"""llama.cpp tells the numbers as fields beside the text."""
ENDINGS = frozenset(
    {"model_context_window_exceeded", "model_length", "context_window_exceeded", "context_length_exceeded"}
)
"""Reasons why a whole reply ended that say that the window did: Anthropic, Mistral, gateways."""

THROTTLED = frozenset({408, 409, 429, 529})
"""Statuses that never say it, whatever the text: limits of rate and load."""
THROTTLES = re.compile(
    r"tokens? per (?:minute|min|hour|day|second)|\bTP[MDH]\b|rate[_ -]?limit|too many requests|throttl|quota"
    r"|overloaded",
    re.IGNORECASE,
)
"""Codes and texts of throttling: Groq's is a 413, Bedrock's says "too many tokens"."""
BYTES = re.compile(r"\bbytes\b|request_too_large|(?:entity|payload) too large", re.IGNORECASE)
"""Sizes that are no tokens: a request that is too large to be read at all."""
