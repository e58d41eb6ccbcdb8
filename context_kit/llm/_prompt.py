"""The adapters' own words, as files beside the code, in the language of the conversation."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from context_kit.types import SummaryRequest

__all__ = ["tool_words", "warm_words"]


@cache
def _words(name: str, language: str) -> str:
    folder = files("context_kit.llm") / "_prompts"
    return (folder / f"{name}_{'zh' if language == 'zh' else 'en'}.md").read_text("utf-8")


def tool_words(language: str) -> str:
    """What a request adds that offers the tool: the instructions forbid all others."""
    return _words("tool", language)


def warm_words(request: SummaryRequest) -> str:
    """The one user message behind the native prefix."""
    return _words("warm", request.language) + request.instructions
