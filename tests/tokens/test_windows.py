"""A model's window is what its vendor says, or not known."""

from __future__ import annotations

import pytest

from context_kit.tokens import window_of


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4", 8_192),
        ("gpt-4-32k-0613", 32_768),
        ("gpt-4o-2024-08-06", 128_000),
        ("openai/gpt-5.5", 1_050_000),
        ("gpt-5.1", 400_000),
        ("gpt-5-chat-latest", 128_000),
        ("o1", 200_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-3-5-sonnet-latest", 200_000),
        ("us.anthropic.claude-opus-4-6-v1:0", 1_000_000),
        ("anthropic/claude-opus-4.6", 1_000_000),
        ("models/gemini-2.5-pro", 1_048_576),
        ("deepseek/deepseek-v4-pro", 1_000_000),
        ("o10", None),
        ("qwen-unknown", None),
        ("", None),
        (None, None),
    ],
)
def test_windows_by_name(model: str | None, window: int | None) -> None:
    """The longest known prefix decides, whatever route stands before the name; an unknown model has none."""
    assert window_of(model) == window
