"""Tokens of a text: never an exception for any text, exact for ordinary text, linear for all.

`<|endoftext|>` and its like are text. A lone surrogate counts as the replacement character.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from context_kit.errors import BudgetError
from context_kit.tokens._encodings import EncodingName, encoding, encoding_of
from context_kit.tokens._pieces import LONG, pieces
from context_kit.typing import Count

__all__ = ["counter"]


def counter(model: str | None = None, count: Count | None = None) -> Count:
    """A function from a text to its tokens: the caller's own, else that of the model's encoding.

    gpt-4, gpt-3.5 and the text-embedding models have cl100k_base, all newer OpenAI models o200k_base.
    Every other model (Claude, Gemini, DeepSeek, unknown ones) is counted with o200k_base too: its own
    tokeniser isn't public, and what it differs by is learned from reported usage. Ranks load at first use.

    Raises:
        BudgetError: from the returned function, where the caller's `count` gives no whole number of 0 or more.
    """
    return _exact(encoding_of(model)) if count is None else _checked(count)


@cache
def _exact(name: EncodingName) -> Count:
    encode: Callable[[str], list[int]] | None = None

    def tokens(text: str) -> int:
        nonlocal encode
        if encode is None:
            encode = encoding(name).encode_ordinary
        if len(text) <= LONG:
            return len(encode(text))
        return sum(len(encode(piece)) for piece in pieces(text))

    return tokens


def _checked(count: Count) -> Count:
    def tokens(text: str) -> int:
        found: object = count(text)
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            msg = f"count: gave {found!r} for a text of {len(text)} characters; it must give whole tokens, 0 or more"
            raise BudgetError(msg)
        return found

    return tokens
