"""What is known of models' reasoning; what isn't known is bound."""

from __future__ import annotations

import pytest

from context_kit.wire import EDITS, binds_reasoning, opens_with_thinking, voids_reasoning

MODELS: list[tuple[str | None, bool, bool]] = [
    (None, True, False),
    ("", True, False),
    ("some-new-model", True, False),
    ("claude-x", True, False),
    ("claude-opus-6", True, False),
    ("claude-opus-5-5", True, False),
    ("claude-sonnet-5-5-20260901", True, False),
    ("claude-haiku-5-5", True, False),
    ("claude-fable-5-1", True, False),
    ("claude-mythos-5.2", True, False),
    ("us.anthropic.claude-opus-5-5-v1:0", True, False),
    ("claude-sonnet-5", False, False),
    ("claude-opus-4-8", False, False),
    ("claude-opus-4-7", False, False),
    ("claude-opus-4-6", False, True),
    ("claude-sonnet-4-5", False, True),
    ("claude-sonnet-4-5-20250929", False, True),
    ("claude-opus-4-20250514", False, True),
    ("claude-3-7-sonnet-20250219", False, True),
    ("claude-3-7-sonnet-latest", False, True),
    ("anthropic.claude-sonnet-4-5-20250929-v1:0", False, True),
    ("eu.anthropic.claude-haiku-4-5-20251001-v1:0", False, True),
    ("arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0", False, True),
    ("claude-opus-4-5@20251101", False, True),
    ("openrouter/anthropic/claude-sonnet-4.5", False, True),
    ("vertex_ai/claude-sonnet-4-5@20250929", False, True),
    ("anthropic:claude-sonnet-4-5", False, True),
    ("gpt-6", True, False),
    ("gpt-5.6-mini", True, False),
    ("gpt-5.5", False, False),
    ("gpt-5.1-codex", False, False),
    ("gpt-5-2025-08-07", False, False),
    ("gpt-5", False, False),
    ("gpt-4o-2024-08-06", False, False),
    ("gpt-4.1-mini", False, False),
    ("gpt-oss-120b", False, False),
    ("azure/gpt-5.6", True, False),
    ("o3-mini", False, False),
    ("openai/o4-mini", False, False),
    ("o1", False, False),
    ("DeepSeek-V3.2", False, False),
    ("gemini-3-pro-preview", False, False),
    ("models/gemini-2.5-flash", False, False),
    ("x" * 100_000, True, False),
]


@pytest.mark.parametrize(("model", "bound", "opens"), MODELS, ids=[str(row[0])[:60] for row in MODELS])
def test_reasoning_by_model(model: str | None, bound: bool, opens: bool) -> None:
    """Newer Claude and OpenAI models bind, manual thinking opens the turn; routes and dates don't matter."""
    assert (binds_reasoning(model), opens_with_thinking(model)) == (bound, opens)


def test_no_model_is_both() -> None:
    """A bound model never has to begin an open turn with thinking, so both rules can be kept."""
    assert not [row for row in MODELS if binds_reasoning(row[0]) and opens_with_thinking(row[0])]


VOIDED: list[tuple[str, str | None, bool]] = [
    ("clip", "claude-opus-5-5", True),
    ("clip", "claude-opus-4-8", False),
    ("late result", "gpt-5.6", True),
    ("tools", "claude-haiku-5-5", True),
    ("deferred tools", "claude-haiku-5-5", False),
    ("format", "gpt-6", True),
    ("format", "claude-opus-5-5", False),
    ("instructions", "gpt-6.1", True),
    ("instructions", "gpt-6.2", False),
    ("gap", "claude-fable-5-2", True),
    ("gap", "gpt-6", False),
    ("start", None, False),
    ("cache marks", "claude-opus-5-5", False),
    ("their compaction", "gpt-6", False),
    ("summary", None, True),
    ("format", "some-new-model", True),
    ("format", "claude-x", False),
    ("summary", "deepseek-reasoner", False),
]


@pytest.mark.parametrize(("edit", "model", "voids"), VOIDED)
def test_what_an_edit_costs(edit: str, model: str | None, voids: bool) -> None:
    """By edit and model, whether the reasoning behind it is worth nothing."""
    assert voids_reasoning(edit, model) == voids


def test_every_edit_has_its_source_and_date() -> None:
    """A row without them could not be checked again."""
    assert all(each.source and each.checked and each.what for each in EDITS.values())
