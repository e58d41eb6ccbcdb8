"""Tokens of a text: never an exception for any text, exact for ordinary text, linear for all.

`<|endoftext|>` and its like are text. A lone surrogate counts as the replacement character.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from context_kit.errors import BudgetError
from context_kit.tokens._encodings import EncodingName, encoding, encoding_of
from context_kit.tokens._pieces import LONG, pieces
from context_kit.typing import Count

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["counter", "remembered"]

NONE: frozenset[str] = frozenset()
"""Special tokens that are more than text: none."""
BYTES = 4
"""Of a rank in the encoder's buffer."""
SHORT = 1_000
"""Characters up to which a text's tokens are remembered."""


def counter(model: str | None = None, count: Count | None = None) -> Count:
    """A function from a text to its tokens: the caller's own, else that of the model's encoding.

    gpt-4, gpt-3.5 and the text-embedding models have cl100k_base, all newer OpenAI models o200k_base.
    Every other model (Claude, Gemini, DeepSeek, unknown ones) is counted with o200k_base too: its own
    tokeniser isn't public, and what it differs by is learned from reported usage. Ranks load at first use.

    Raises:
        BudgetError: from the returned function, where the caller's `count` gives no whole number of 0 or more.
    """
    return _exact(encoding_of(model)) if count is None else _checked(count)


def remembered(count: Count) -> Count:
    """The same function, which remembers short texts: lines and sentences come again at every compaction."""
    return lambda text: _short(text, count) if len(text) <= SHORT else count(text)


@lru_cache(maxsize=16_384)
def _short(text: str, count: Count) -> int:
    return count(text)


@cache
def _exact(name: EncodingName) -> Count:
    buffer: Callable[[str, frozenset[str]], Any] | None = None

    def tokens(text: str) -> int:
        nonlocal buffer
        if buffer is None:
            buffer = _counted(encoding(name))
        if len(text) > LONG:
            return sum(len(encoding(name).encode_ordinary(piece)) for piece in pieces(text))
        try:
            return memoryview(buffer(text, NONE)).nbytes // BYTES
        except UnicodeEncodeError:  # a lone surrogate: tiktoken's own way replaces it
            return len(encoding(name).encode_ordinary(text))

    return tokens


def _counted(found: Encoding) -> Callable[[str, frozenset[str]], Any]:
    """The encoder that gives 32-bit ranks in one buffer, as `Encoding.encode_to_numpy` reads them.

    It makes no Python integer per token, which is a tenth of the time of counting. Where a later
    tiktoken has none, the ordinary one is used.
    """
    fast = getattr(getattr(found, "_core_bpe", None), "encode_to_tiktoken_buffer", None)
    return fast or (lambda text, _: bytes(BYTES * len(found.encode_ordinary(text))))


def _checked(count: Count) -> Count:
    def tokens(text: str) -> int:
        try:
            found: object = count(text)
        except Exception as error:
            told = f"{type(error).__name__} for a text of {len(text)} characters ({error})"
            msg = f"count: raised {told}; it must never raise"
            raise BudgetError(msg) from error
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            msg = f"count: gave {found!r} for a text of {len(text)} characters; it must give whole tokens, 0 or more"
            raise BudgetError(msg)
        return found

    return tokens
