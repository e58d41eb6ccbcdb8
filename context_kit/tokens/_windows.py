"""Context windows of known models, as data. A model that isn't here has no window, never a guessed one.

Tokens of input and output together, as the vendors publish them. The longest prefix decides.
"""

from __future__ import annotations

from context_kit.tokens._encodings import bare

__all__ = ["window_of"]

OPENAI = "developers.openai.com/api/docs/models, read 2026-11-30"
ANTHROPIC = "platform.claude.com/docs/en/build-with-claude/context-windows and .../models, read 2026-11-30"
GOOGLE = "ai.google.dev/gemini-api/docs/models, read 2026-11-30"
DEEPSEEK = "api-docs.deepseek.com and openrouter.ai/deepseek, read 2026-11-30"
OTHERS = "the vendors' model cards as quoted by xinference and models catalogues, read 2026-11-30"

WINDOWS: dict[str, dict[str, int]] = {
    OPENAI: {
        "gpt-6": 1_050_000,
        "gpt-5.6": 1_050_000,
        "gpt-5.5": 1_050_000,
        "gpt-5.4": 1_050_000,
        "gpt-5.4-mini": 400_000,
        "gpt-5.4-nano": 400_000,
        "gpt-5": 400_000,
        "gpt-5-chat": 128_000,
        "gpt-5.1-chat": 128_000,
        "gpt-5.2-chat": 128_000,
        "gpt-5.3-chat": 128_000,
        "gpt-4.5": 128_000,
        "gpt-4.1": 1_047_576,
        "gpt-4o": 128_000,
        "chatgpt-4o": 128_000,
        "gpt-4-turbo": 128_000,
        "gpt-4-1106": 128_000,
        "gpt-4-0125": 128_000,
        "gpt-4-32k": 32_768,
        "gpt-4": 8_192,
        "gpt-3.5-turbo": 16_385,
        "gpt-35-turbo": 16_385,
        "gpt-oss": 131_072,
        "o1": 200_000,
        "o1-mini": 128_000,
        "o1-preview": 128_000,
        "o3": 200_000,
        "o4": 200_000,
        "codex-mini": 200_000,
    },
    ANTHROPIC: {
        "claude": 200_000,
        "claude-fable-5": 1_000_000,
        "claude-mythos-5": 1_000_000,
        "claude-opus-5": 1_000_000,
        "claude-opus-4-6": 1_000_000,
        "claude-opus-4-7": 1_000_000,
        "claude-opus-4-8": 1_000_000,
        "claude-sonnet-5": 1_000_000,
        "claude-sonnet-4-6": 1_000_000,
        "claude-haiku-5": 1_000_000,
        "claude-2": 100_000,
        "claude-2.1": 200_000,
        "claude-instant": 100_000,
    },
    GOOGLE: {
        "gemini-3": 1_048_576,
        "gemini-2.5": 1_048_576,
        "gemini-2.0": 1_048_576,
        "gemini-1.5-flash": 1_048_576,
        "gemini-1.5-pro": 2_097_152,
    },
    DEEPSEEK: {
        "deepseek-chat": 128_000,
        "deepseek-reasoner": 128_000,
        "deepseek-v3": 128_000,
        "deepseek-v4": 1_000_000,
    },
    OTHERS: {"glm-4.5": 131_072, "glm-4.6": 200_000, "glm-4.7": 200_000},
}

_ALL = {name: size for group in WINDOWS.values() for name, size in group.items()}
_BY_LENGTH = sorted(_ALL.items(), key=lambda entry: -len(entry[0]))


def window_of(model: str | None) -> int | None:
    """The context window of a model in tokens, or None where it isn't known.

    Vendor paths and routes before the name are ignored (`openai/gpt-4o`, `us.anthropic.claude-...`),
    dots and dashes in a Claude version are equal (`claude-opus-4.6`).
    """
    name = bare(model)
    if name.startswith("claude-") and not name.startswith("claude-2"):
        name = name.replace(".", "-")
    return next((size for prefix, size in _BY_LENGTH if _is(name, prefix)), None)


def _is(name: str, prefix: str) -> bool:
    """The name is the prefix or goes on after it with something other than a digit, so `o1` isn't `o10`."""
    return name.startswith(prefix) and not name[len(prefix) : len(prefix) + 1].isdigit()
