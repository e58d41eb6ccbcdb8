"""Call ids and tool names of one provider, as another takes them: the same where it can, else a stable stand-in.

The stand-in depends on the id alone, so a call and its result keep the same one, in every export.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

from context_kit.typing import Shape

__all__ = ["call_id", "tool_name"]

ODD = re.compile(r"[^a-zA-Z0-9_-]")


class Limit(NamedTuple):
    """What a provider takes as an id or a name."""

    most: int
    """Characters."""
    plain: bool
    """Letters, digits, `_` and `-` only."""


IDS: dict[Shape, Limit] = {
    "chat": Limit(40, plain=False),  # microsoft/autogen#6377
    "responses": Limit(64, plain=False),  # decolua/9router#393
    "anthropic": Limit(64, plain=True),  # BerriAI/litellm#21215; no length is known
}
NAMES: dict[Shape, Limit] = {
    "chat": Limit(64, plain=True),  # openai 3.57, FunctionDefinition.name
    "responses": Limit(128, plain=True),  # diegosouzapw/OmniRoute#4317
    "anthropic": Limit(128, plain=True),  # Anthropic's guide on defining tools
}


def call_id(given: str, shape: Shape, /) -> str:
    """The id of a call and of its result."""
    return _fitted(given, IDS[shape])


def tool_name(given: str, shape: Shape, /) -> str:
    """The name of a tool."""
    return _fitted(given, NAMES[shape])


def _fitted(given: str, limit: Limit) -> str:
    clean = ODD.sub("_", given) if limit.plain else given
    if clean == given and len(given) <= limit.most:
        return given
    # Two ids that differ only in what was cut or replaced must stay two.
    mark = blake2b(given.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{clean[: limit.most - len(mark) - 1]}_{mark}"
