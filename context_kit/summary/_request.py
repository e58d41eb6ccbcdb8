"""Summary requests: instructions without session text, the transcript as fenced data.

A request always fits the summariser's own window; what doesn't is asked in several, the record
so far handed on from one to the next.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from context_kit.errors import BudgetError
from context_kit.summary._transcript import FENCE, PREVIOUS, Piece, neutral
from context_kit.types import SummaryRequest, TaskSummary
from context_kit.typing import Count

__all__ = ["LANGUAGES", "instructions", "overhead", "previous_text", "request", "rules_text", "schema"]

WORDS_PER_TOKEN = 0.6
MARGIN = 64
"""Tokens kept free for the provider's own framing."""


LANGUAGES = ("en", "zh")
"""Languages of the prompts."""


@cache
def _prompt(name: str, language: str) -> str:
    """A prompt of the folder beside the code, its fields filled in."""
    folder = files("context_kit.summary") / "_prompts"
    text = (folder / f"{name}{language}.md").read_text("utf-8")
    return text.replace("{fields}", (folder / f"fields-{language}.md").read_text("utf-8").rstrip("\n"))


def rules_text(language: str = "en") -> str:
    """What is kept word for word, and the template of the six fields, for a system prompt or an AGENTS.md.

    Args:
        language: `en` or `zh`.

    Raises:
        BudgetError: there is no text in that language.
    """
    if language not in LANGUAGES:
        msg = f"language: {language!r} is unknown, use one of {', '.join(LANGUAGES)}"
        raise BudgetError(msg)
    return _prompt("rules-", language)


@cache
def schema() -> dict[str, Any]:
    """JSON schema of the six fields."""
    return TaskSummary.model_json_schema()


def instructions(language: str, max_tokens: int, *, focus: str | None = None, refused: str = "") -> str:
    """What the summariser is told to do.

    Args:
        language: `en` or `zh`.
        max_tokens: what the reply may have.
        focus: what the caller wants kept in view.
        refused: why the reply before this one was refused.
    """
    told = language if language in LANGUAGES else "en"
    text = _prompt("", told).replace("{max_words}", str(max(int(max_tokens * WORDS_PER_TOKEN), 40)))
    if told != language:
        text += f"\nAnswer in the conversation's language: {language}\n"
    if focus:
        text += f"\nThe caller asks to keep in view: {focus}\n"
    if refused:
        text += f"\nYour reply before this one was refused: {refused}\n"
    return text


def previous_text(previous: TaskSummary | None) -> str:
    """The record so far as the summariser sees it; empty where there is none."""
    if previous is None or previous == TaskSummary():
        return ""
    body = json.dumps(previous.model_dump(exclude={"original_goal"}), ensure_ascii=False)
    return f"<{PREVIOUS}>\n{neutral(body)}\n</{PREVIOUS}>\n"


def overhead(language: str, max_tokens: int, previous: TaskSummary | None, focus: str | None, count: Count) -> int:
    """Tokens of a request beside its pieces, the reply included."""
    told = count(instructions(language, max_tokens, focus=focus, refused="x" * 400))
    return told + count(previous_text(previous)) + max_tokens + MARGIN


def request(
    run: Sequence[Piece],
    *,
    previous: TaskSummary | None,
    focus: str | None,
    messages: tuple[dict[str, Any], ...],
    max_tokens: int,
    language: str,
    refused: str = "",
) -> SummaryRequest:
    """One request for one run of pieces."""
    body = "\n".join(piece.text for piece in run)
    return SummaryRequest(
        instructions=instructions(language, max_tokens, focus=focus, refused=refused),
        transcript=f"{previous_text(previous)}<{FENCE}>\n{body}\n</{FENCE}>",
        focus=focus,
        messages=messages,
        previous=previous,
        schema=schema(),
        max_tokens=max_tokens,
        language=language,
    )
